// SPDX-License-Identifier: MIT OR Apache-2.0
//! A bitmap with ranks: which variables have a property, and how many before a given one do.

use std::ops::Range;

use crate::{room, Result};

/// Words between two entries of the rank directory: 512 bits.
const RANK_WORDS: usize = 8;

/// A fixed-length bitmap; bit `i` is bit `i mod 64` of word `i / 64`, and bits past the length
/// are zero. Carries the number of ones before every 512th bit, so a rank costs eight popcounts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bitmap {
    words: Vec<u64>,
    len: usize,
    ranks: Vec<u32>,
    count_ones: usize,
}

impl Bitmap {
    /// Takes words as they are; bits past `len` are cleared, missing words are zero.
    pub fn from_words(words: Vec<u64>, len: usize) -> Self {
        Self::with_room(words, len, Vec::new())
    }

    /// As [`Bitmap::from_words`] for words that are all there.
    ///
    /// Errors: `OutOfMemory` without room for the ranks.
    pub fn try_from_words(words: Vec<u64>, len: usize) -> Result<Self> {
        let ranks = room::list("the ranks of a bitmap", words.len().div_ceil(RANK_WORDS))?;
        Ok(Self::with_room(words, len, ranks))
    }

    fn with_room(mut words: Vec<u64>, len: usize, mut ranks: Vec<u32>) -> Self {
        words.resize(len.div_ceil(64), 0);
        if len % 64 != 0 {
            if let Some(last) = words.last_mut() {
                *last &= (1u64 << (len % 64)) - 1;
            }
        }
        ranks.reserve_exact(words.len().div_ceil(RANK_WORDS));
        let mut ones = 0u32;
        for chunk in words.chunks(RANK_WORDS) {
            ranks.push(ones);
            ones += chunk.iter().map(|word| word.count_ones()).sum::<u32>();
        }
        Self {
            words,
            len,
            ranks,
            count_ones: ones as usize,
        }
    }

    /// Number of bits.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no bits.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bits, 64 a word.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Number of ones in all.
    pub fn count_ones(&self) -> usize {
        self.count_ones
    }

    /// The number of ones before bits 0, 512, 1024, ...: what a device needs to rank by itself.
    pub fn ranks(&self) -> &[u32] {
        &self.ranks
    }

    /// Bit `i`; bits past the end are zero.
    pub fn get(&self, i: usize) -> bool {
        self.words
            .get(i / 64)
            .is_some_and(|word| word >> (i % 64) & 1 == 1)
    }

    /// Number of ones before bit `i`, for `i` up to the length.
    pub fn rank(&self, i: usize) -> usize {
        let word = i / 64;
        let block = word / RANK_WORDS;
        if block >= self.ranks.len() {
            return self.count_ones;
        }
        let mut ones = self.ranks[block] as usize;
        for full in &self.words[block * RANK_WORDS..word.min(self.words.len())] {
            ones += full.count_ones() as usize;
        }
        if i % 64 != 0 {
            ones += (self.words[word] & ((1u64 << (i % 64)) - 1)).count_ones() as usize;
        }
        ones
    }

    /// These bits with those from `start` on, which is no more than the length, `times` times.
    pub(super) fn repeated_from(&self, start: usize, times: usize) -> Self {
        let part = self.len - start;
        let len = start + times * part;
        let mut words = vec![0; len.div_ceil(64)];
        or_bits(&mut words, 0, &self.words, 0..start);
        for copy in 0..times {
            or_bits(
                &mut words,
                start + copy * part,
                &self.words,
                start..self.len,
            );
        }
        Self::from_words(words, len)
    }

    /// The positions of the ones, ascending.
    pub fn ones(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    index * 64 + bit
                })
            })
        })
    }
}

/// Appends `more_len` bits of `more` to the `len` bits of `words`; bits past a length are zero.
pub(super) fn append_bits(words: &mut Vec<u64>, len: usize, more: &[u64], more_len: usize) {
    let shift = len % 64;
    if shift == 0 {
        words.extend_from_slice(more);
    } else {
        for &word in more {
            if let Some(last) = words.last_mut() {
                *last |= word << shift;
            }
            words.push(word >> (64 - shift));
        }
    }
    words.truncate((len + more_len).div_ceil(64));
}

/// Sets those bits of `words` from bit `at` on that are set among `bits` of `more`; what would lie
/// outside either is left out.
pub(super) fn or_bits(words: &mut [u64], at: usize, more: &[u64], bits: Range<usize>) {
    let mut done = 0;
    while done < bits.len() {
        let from = bits.start + done;
        let (word, shift) = (from / 64, from % 64);
        let mut chunk = more.get(word).map_or(0, |word| word >> shift);
        if shift != 0 {
            chunk |= more.get(word + 1).map_or(0, |word| word << (64 - shift));
        }
        let left = bits.len() - done;
        if left < 64 {
            chunk &= (1 << left) - 1;
        }
        let (word, shift) = ((at + done) / 64, (at + done) % 64);
        if let Some(low) = words.get_mut(word) {
            *low |= chunk << shift;
        }
        if shift != 0 {
            if let Some(high) = words.get_mut(word + 1) {
                *high |= chunk >> (64 - shift);
            }
        }
        done += 64;
    }
}

impl FromIterator<bool> for Bitmap {
    fn from_iter<I: IntoIterator<Item = bool>>(bits: I) -> Self {
        let mut words = Vec::new();
        let mut len = 0;
        for bit in bits {
            if len % 64 == 0 {
                words.push(0);
            }
            if let (true, Some(last)) = (bit, words.last_mut()) {
                *last |= 1u64 << (len % 64);
            }
            len += 1;
        }
        Self::from_words(words, len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_and_positions_agree_with_counting() {
        for len in [0, 1, 63, 64, 65, 511, 512, 513, 1024, 5000] {
            for step in [1, 3, 64, 65, 511] {
                let bits: Vec<bool> = (0..len).map(|i| i % step == 0).collect();
                let bitmap: Bitmap = bits.iter().copied().collect();
                assert_eq!(bitmap.len(), len);
                let mut ones = 0;
                for (i, &bit) in bits.iter().enumerate() {
                    assert_eq!(bitmap.rank(i), ones, "len {len} step {step} bit {i}");
                    assert_eq!(bitmap.get(i), bit);
                    ones += usize::from(bit);
                }
                assert_eq!(bitmap.rank(len), ones);
                assert_eq!(bitmap.count_ones(), ones);
                let positions: Vec<usize> = (0..len).filter(|i| bits[*i]).collect();
                assert_eq!(bitmap.ones().collect::<Vec<_>>(), positions);
            }
        }
    }

    #[test]
    fn a_repeated_tail_is_appended_bit_by_bit() {
        for len in [0, 1, 63, 64, 65, 127, 200] {
            let bits: Vec<bool> = (0..len).map(|i| i % 3 == 0 || i % 7 == 2).collect();
            let bitmap: Bitmap = bits.iter().copied().collect();
            for start in [0, 1, 63, 64, 65, len].into_iter().filter(|s| *s <= len) {
                for times in [0, 1, 2, 5] {
                    let expected: Bitmap = bits[..start]
                        .iter()
                        .chain(bits[start..].iter().cycle().take(times * (len - start)))
                        .copied()
                        .collect();
                    let repeated = bitmap.repeated_from(start, times);
                    assert_eq!(repeated, expected, "{len} bits, {times} from {start}");
                }
            }
        }
    }

    #[test]
    fn bits_past_the_length_are_cleared() {
        let bitmap = Bitmap::from_words(vec![u64::MAX, u64::MAX], 65);
        assert_eq!(bitmap.count_ones(), 65);
        assert!(!bitmap.get(65));
        assert!(!bitmap.get(1_000_000));
    }
}
