// SPDX-License-Identifier: MIT OR Apache-2.0
//! A witness in compact form: bits, and the few values that need all 255 of theirs.
//!
//! Of a PoRep partition's 130 million auxiliary values 98.7 % are single bits. Kept as bits, a
//! witness takes 70 MB instead of 4.2 GB, and the split of the multi-scalar multiplications into
//! zeros, ones and the rest comes free.

use blstrs::Scalar;
use ff::Field;

use super::Bitmap;

/// One auxiliary value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuxValue {
    /// Zero or one.
    Bit(bool),
    /// Stored in full; may be zero or one too.
    Full(Scalar),
}

/// The auxiliary assignment: `ones` marks the values that are one, `full` those stored in
/// `values` (in order); all others are zero. No variable is in both bitmaps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompactAux {
    ones: Bitmap,
    full: Bitmap,
    values: Vec<Scalar>,
}

impl CompactAux {
    /// Joins the parts. They fit when both bitmaps have one length, share no one, and `full`
    /// has as many ones as there are values; otherwise nothing is made.
    pub fn from_parts(ones: Bitmap, full: Bitmap, values: Vec<Scalar>) -> Option<Self> {
        let fits = ones.len() == full.len()
            && full.count_ones() == values.len()
            && ones
                .words()
                .iter()
                .zip(full.words())
                .all(|(one, full)| one & full == 0);
        fits.then_some(Self { ones, full, values })
    }

    /// Packs a full-width assignment: zeros and ones become bits.
    pub fn from_scalars(aux: &[Scalar]) -> Self {
        let one = Scalar::ONE;
        let is_full = |value: &&Scalar| **value != Scalar::ZERO && **value != one;
        Self {
            ones: aux.iter().map(|value| *value == one).collect(),
            full: aux.iter().map(|value| is_full(&value)).collect(),
            values: aux.iter().filter(is_full).copied().collect(),
        }
    }

    /// Number of auxiliary variables.
    pub fn len(&self) -> usize {
        self.ones.len()
    }

    /// Whether there are no auxiliary variables.
    pub fn is_empty(&self) -> bool {
        self.ones.is_empty()
    }

    /// Which values are one.
    pub fn ones(&self) -> &Bitmap {
        &self.ones
    }

    /// Which values are stored in full.
    pub fn full(&self) -> &Bitmap {
        &self.full
    }

    /// The values stored in full, in the order of their variables.
    pub fn values(&self) -> &[Scalar] {
        &self.values
    }

    /// Value `i`; zero past the end.
    pub fn get(&self, i: usize) -> Scalar {
        if self.full.get(i) {
            self.values[self.full.rank(i)]
        } else if self.ones.get(i) {
            Scalar::ONE
        } else {
            Scalar::ZERO
        }
    }
}

/// Public inputs (the first is the constant one) and the auxiliary assignment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Witness {
    /// The public inputs, constant one first.
    pub input: Vec<Scalar>,
    /// The auxiliary assignment.
    pub aux: CompactAux,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_keeps_every_value() {
        let aux: Vec<Scalar> = (0..2000u64)
            .map(|i| match i % 7 {
                0 | 3 => Scalar::ZERO,
                1 | 2 => Scalar::ONE,
                4 => -Scalar::ONE,
                _ => Scalar::from(i),
            })
            .collect();
        let compact = CompactAux::from_scalars(&aux);
        assert_eq!(compact.len(), aux.len());
        for (i, value) in aux.iter().enumerate() {
            assert_eq!(compact.get(i), *value, "value {i}");
        }
        assert_eq!(compact.get(aux.len()), Scalar::ZERO);
    }

    #[test]
    fn parts_that_do_not_fit_are_refused() {
        let bits = |text: &str| text.bytes().map(|byte| byte == b'1').collect::<Bitmap>();
        assert!(CompactAux::from_parts(bits("100"), bits("010"), vec![Scalar::ONE]).is_some());
        assert!(CompactAux::from_parts(bits("100"), bits("110"), vec![Scalar::ONE; 2]).is_none());
        assert!(CompactAux::from_parts(bits("100"), bits("010"), vec![]).is_none());
        assert!(CompactAux::from_parts(bits("1000"), bits("010"), vec![Scalar::ONE]).is_none());
    }
}
