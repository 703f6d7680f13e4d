// SPDX-License-Identifier: MIT OR Apache-2.0
//! Many multiples of one point: a table of its small multiples at every window, and sums of
//! table entries that share their inversions.
//!
//! A scalar is brought into the lower half of the field (its negative with the opposite sign
//! otherwise), which leaves 254 bits, and split into signed digits of `bits` bits. A multiple is
//! then one table entry a window, added in affine form for all scalars of a batch at once:
//! about six products an addition. With windows of 15 bits that is 16 additions a multiple.
//!
//! The partial sum before a window is smaller than the window's smallest entry, both as integers
//! below half the group's order, so an addition never meets equal or opposite points.

use group::{Curve as _, Group as _};
use rayon::prelude::*;

use super::affine::{add_batch, Affine, Curve, Scratch};
use super::fr::{is_upper_half, negate_integer, Fr};
use crate::curve::Scalar;

/// Bits of a scalar in the lower half of the field, and one for the sign.
const SIGNED_BITS: u32 = 255;
/// The widest window: a table of 27 MB in G1, of which a batch uses 1.6 MB at a time.
const MAX_WINDOW: u32 = 15;
/// Scalars of a batch: their sums and products stay in the second-level cache.
pub const FIXED_BASE_BATCH: usize = 2048;

/// Multiples d 2^(bits k) of a point for all windows k and 1 <= d <= 2^(bits - 1).
pub struct FixedBase<C: Curve> {
    bits: u32,
    table: Vec<Affine<C::Base>>,
}

/// The window for which table and sums need the fewest additions for `n` multiples.
fn window_bits(n: usize) -> u32 {
    let additions =
        |bits: &u32| u64::from(SIGNED_BITS.div_ceil(*bits)) * (n as u64 + (1 << (*bits - 1)));
    (2..=MAX_WINDOW).min_by_key(additions).unwrap_or(MAX_WINDOW)
}

impl<C: Curve> FixedBase<C> {
    /// Makes the table of a point that is not infinity, for about `n` multiples.
    pub fn new(base: C, n: usize) -> Self {
        Self::with_window(base, window_bits(n))
    }

    fn with_window(base: C, bits: u32) -> Self {
        let windows = SIGNED_BITS.div_ceil(bits) as usize;
        let half = 1usize << (bits - 1);
        let mut table = vec![Affine::default(); windows * half];
        let mut start = base.to_curve();
        for window in table.chunks_exact_mut(half) {
            window[0] = C::coordinates(&[start.to_affine()])[0];
            for _ in 0..bits {
                start = start.double();
            }
        }
        table.par_chunks_exact_mut(half).for_each(|window| {
            let mut scratch = Scratch::default();
            let mut filled = 1;
            // Entry i holds (i + 1) times the first; the next `filled` ones are those before
            // plus the last.
            while filled < half {
                let (front, back) = window.split_at_mut(filled);
                let last = front[filled - 1];
                back[..filled].copy_from_slice(front);
                add_batch(back, |k| k, |_| last, filled, &mut scratch);
                filled *= 2;
            }
        });
        Self { bits, table }
    }

    /// The multiples of the point by `scalars`, in order. Works on the calling thread, best with
    /// [`FIXED_BASE_BATCH`] scalars at a time.
    pub fn multiples(&self, scalars: &[Scalar]) -> Vec<C> {
        let half = 1usize << (self.bits - 1);
        let windows = self.table.len() / half;
        let mut digits = vec![0i16; windows * scalars.len()];
        for (i, scalar) in scalars.iter().enumerate() {
            let column = digits[i..].iter_mut().step_by(scalars.len());
            signed_digits(scalar, self.bits, column);
        }
        let mut sums = vec![Affine::default(); scalars.len()];
        let mut scratch = Scratch::default();
        let mut used: Vec<u32> = Vec::with_capacity(scalars.len());
        let mut entries = Vec::with_capacity(scalars.len());
        for (k, table) in self.table.chunks_exact(half).enumerate() {
            let digits = &digits[k * scalars.len()..][..scalars.len()];
            used.clear();
            entries.clear();
            // Copied out in one go, so that the misses of many entries overlap.
            for (i, &digit) in (0u32..).zip(digits).filter(|(_, &digit)| digit != 0) {
                used.push(i);
                entries.push(table[usize::from(digit.unsigned_abs()) - 1].negated_if(digit < 0));
            }
            add_batch(
                &mut sums,
                |k| used[k] as usize,
                |k| entries[k],
                used.len(),
                &mut scratch,
            );
        }
        sums.into_iter().map(C::from_coordinates).collect()
    }
}

/// Writes the signed digits of a scalar, lowest window first, each at most 2^(bits - 1) in size.
fn signed_digits<'a>(scalar: &Scalar, bits: u32, digits: impl Iterator<Item = &'a mut i16>) {
    let mut integer = Fr::new(scalar).to_integer();
    let negative = is_upper_half(&integer);
    if negative {
        integer = negate_integer(&integer);
    }
    let mut carry = 0;
    for (window, digit) in (0u32..).zip(digits) {
        let bit = window * bits;
        let (limb, shift) = ((bit / 64) as usize, bit % 64);
        let mut value = integer[limb] >> shift;
        if shift + bits > 64 && limb + 1 < integer.len() {
            value |= integer[limb + 1] << (64 - shift);
        }
        let mut value = (value & ((1 << bits) - 1)) as i32 + carry;
        carry = i32::from(value > 1 << (bits - 1));
        value -= carry << bits;
        *digit = if negative { -value } else { value } as i16;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::testing;
    use crate::curve::{G1Affine, G2Affine};
    use ff::{Field, PrimeField};

    fn scalars() -> Vec<Scalar> {
        let mut random = testing::rng();
        let half = Scalar::TWO_INV;
        let mut scalars = vec![Scalar::ZERO, Scalar::ONE, half, half - Scalar::ONE];
        for k in [1, 13, 14, 15, 63, 64, 239, 240, 253, 254] {
            let power = Scalar::from(2).pow_vartime([k]);
            scalars.extend([power, power - Scalar::ONE, power + Scalar::ONE]);
        }
        scalars.extend((0..20).map(|_| Scalar::random(&mut random)));
        let negatives: Vec<Scalar> = scalars.iter().map(|scalar| -scalar).collect();
        scalars.extend(negatives);
        scalars
    }

    fn check_equal<C: Curve>(windows: impl Iterator<Item = u32>) {
        let base: C = (C::generator() * Scalar::from(3)).to_affine();
        let scalars = scalars();
        let expected: Vec<C> = scalars
            .iter()
            .map(|scalar| (base * scalar).to_affine())
            .collect();
        for bits in windows {
            let fixed = FixedBase::with_window(base, bits);
            assert!(fixed.multiples(&scalars) == expected, "{bits} bits");
            assert!(fixed.multiples(&[]).is_empty());
            assert!(fixed.multiples(&scalars[..1]) == expected[..1]);
        }
    }

    #[test]
    fn multiples_equal_doubling_and_adding_for_every_window() {
        check_equal::<G1Affine>(2..=MAX_WINDOW);
        check_equal::<G2Affine>([2, 3, 8, 12].into_iter());
    }

    #[test]
    fn windows_grow_with_the_number_of_multiples() {
        assert_eq!(window_bits(10_000_000), MAX_WINDOW);
        assert!(window_bits(0) < window_bits(1000));
        assert!(window_bits(1000) < window_bits(100_000));
    }
}
