// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where gadgets put the variables that they allocate: bits and full values, in order.

use blstrs::Scalar;

/// Takes allocated variables in the order of the circuit.
pub trait Sink {
    /// Allocates `n` bits, at most 64, the least significant of `bits` first. The bits above
    /// the `n`-th are zero.
    fn bits(&mut self, bits: u64, n: u32);

    /// Allocates one full value.
    fn full(&mut self, value: Scalar);
}

/// How many variables something allocates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Variables in all.
    pub variables: usize,
    /// Those of them that are full values.
    pub full: usize,
}

impl Sink for Count {
    fn bits(&mut self, _bits: u64, n: u32) {
        self.variables += n as usize;
    }

    fn full(&mut self, _value: Scalar) {
        self.variables += 1;
        self.full += 1;
    }
}

/// Writes a run of variables into its part of a compact assignment: two bitmaps, of the values
/// that are one and of those stored in full, and the values.
///
/// Runs do not begin at word boundaries. A run owns every word in which it begins before any
/// bit of it is another's: all but the first when its start is inside a word. What belongs into
/// that one is handed back as the [`Head`].
pub struct Writer<'a> {
    ones: &'a mut [u64],
    full: &'a mut [u64],
    values: &'a mut [Scalar],
    word_of_ones: u64,
    word_of_full: u64,
    /// Bits taken of the current word.
    fill: u32,
    head: Option<Head>,
    /// Words and values written.
    words: usize,
    value: usize,
    overrun: bool,
}

/// The bits of a run in the word in which the run before it ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    pub ones: u64,
    pub full: u64,
}

impl<'a> Writer<'a> {
    /// A run that begins at bit `phase`, below 64, of the word before `ones[0]`, or at `ones[0]`
    /// when `phase` is zero. Both slices have one length.
    pub fn new(
        phase: u32,
        ones: &'a mut [u64],
        full: &'a mut [u64],
        values: &'a mut [Scalar],
    ) -> Self {
        Self {
            ones,
            full,
            values,
            word_of_ones: 0,
            word_of_full: 0,
            fill: phase,
            head: (phase == 0).then(Head::default),
            words: 0,
            value: 0,
            overrun: false,
        }
    }

    /// Ends the run. Nothing when it did not fill its slices exactly.
    pub fn finish(mut self) -> Option<Head> {
        if self.fill > 0 {
            self.flush();
        }
        let fits = !self.overrun
            && self.words == self.ones.len()
            && self.words == self.full.len()
            && self.value == self.values.len();
        self.head.filter(|_| fits)
    }

    fn flush(&mut self) {
        let (ones, full) = (self.word_of_ones, self.word_of_full);
        if self.head.is_none() {
            self.head = Some(Head { ones, full });
        } else if let (Some(to_ones), Some(to_full)) =
            (self.ones.get_mut(self.words), self.full.get_mut(self.words))
        {
            *to_ones = ones;
            *to_full = full;
            self.words += 1;
        } else {
            self.overrun = true;
        }
        (self.word_of_ones, self.word_of_full) = (0, 0);
    }
}

impl Sink for Writer<'_> {
    #[inline]
    fn bits(&mut self, bits: u64, n: u32) {
        self.word_of_ones |= bits << self.fill;
        let fill = self.fill + n;
        if fill < 64 {
            self.fill = fill;
            return;
        }
        let taken = 64 - self.fill;
        self.flush();
        // A shift by 64 is none of u64's.
        self.word_of_ones = bits.checked_shr(taken).unwrap_or(0);
        self.fill = fill - 64;
    }

    #[inline]
    fn full(&mut self, value: Scalar) {
        match self.values.get_mut(self.value) {
            Some(slot) => *slot = value,
            None => self.overrun = true,
        }
        self.value += 1;
        self.word_of_full |= 1 << self.fill;
        self.fill += 1;
        if self.fill == 64 {
            self.flush();
            self.fill = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run of bits and values of all lengths and, bit by bit, what must come out.
    fn run(sink: &mut impl Sink) -> Vec<Option<bool>> {
        let mut expected = Vec::new();
        let mut state = 1u64;
        for step in 0..2000u64 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(step);
            let n = (state >> 33) as u32 % 65;
            let bits = if n == 0 {
                0
            } else {
                state.rotate_left(7) >> (64 - n)
            };
            sink.bits(bits, n);
            expected.extend((0..n).map(|i| Some(bits >> i & 1 == 1)));
            for value in 0..state >> 61 {
                sink.full(Scalar::from(value + step));
                expected.push(None);
            }
        }
        expected
    }

    #[test]
    fn a_run_at_any_phase_is_written_bit_by_bit() {
        let mut count = Count::default();
        let expected = run(&mut count);
        assert_eq!(count.variables, expected.len());
        assert_eq!(
            count.full,
            expected.iter().filter(|bit| bit.is_none()).count()
        );

        for phase in 0..64 {
            let bits = phase as usize + expected.len();
            let words = bits.div_ceil(64) - usize::from(phase > 0);
            let (mut ones, mut full) = (vec![0; words], vec![0; words]);
            let mut values = vec![Scalar::from(0); count.full];
            let mut writer = Writer::new(phase, &mut ones, &mut full, &mut values);
            run(&mut writer);
            let head = writer.finish().unwrap();
            if phase > 0 {
                ones.insert(0, head.ones);
                full.insert(0, head.full);
            } else {
                assert_eq!(head, Head::default());
            }
            let bit = |words: &[u64], i: usize| words[i / 64] >> (i % 64) & 1 == 1;
            for i in 0..ones.len() * 64 {
                let wanted = i.checked_sub(phase as usize).and_then(|i| expected.get(i));
                assert_eq!(bit(&ones, i), wanted == Some(&Some(true)), "bit {i}");
                assert_eq!(bit(&full, i), wanted == Some(&None), "bit {i}");
            }
        }
    }

    #[test]
    fn a_run_that_does_not_fill_its_part_is_refused() {
        for (words, values, fits) in [(2, 1, true), (1, 1, false), (3, 1, false), (2, 0, false)] {
            let (mut ones, mut full) = (vec![0; words], vec![0; words]);
            let mut slots = vec![Scalar::from(0); values];
            let mut writer = Writer::new(0, &mut ones, &mut full, &mut slots);
            writer.bits(u64::MAX, 64);
            writer.full(Scalar::from(5));
            assert_eq!(
                writer.finish().is_some(),
                fits,
                "{words} words, {values} values"
            );
        }
    }
}
