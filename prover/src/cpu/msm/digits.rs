// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scalars cut into signed digits, and the choice of their width.
//!
//! A scalar s is first made |s| <= (r - 1) / 2 by negating it (and its point) where that is
//! smaller, so |s| < 2^254. With windows of c bits, W = ceil(255 / c) of them, the constant
//! sum_{w < W - 1} 2^(c w + c - 1) is added; every window but the top one then reads its digit
//! plus 2^(c - 1), without a carry from the windows below: any digit of any scalar can be read by
//! itself. The top digit is not signed; it is at most 2^(254 - c (W - 1)) <= 2^(c - 1), since
//! c W >= 255. So a window has 2^(c - 1) buckets.

use rayon::prelude::*;

use crate::cpu::fr::{is_upper_half, negate_integer, Fr};
use crate::curve::Scalar;
use crate::{room, Result};

/// Widest window that the choice considers: buckets of 2^21 points.
pub const MAX_WIDTH: u32 = 22;

/// Windows of one width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Windows {
    /// Bits a window, 1 to `MAX_WIDTH`.
    pub width: u32,
    /// Number of windows.
    pub count: u32,
}

/// A scalar ready for reading digits: bit 255 says that the point is negated, the rest is
/// |s| plus the constant above. Whoever reads it must use the windows that made it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Recoded([u64; 4]);

const _: () = assert!(size_of::<Recoded>() == size_of::<Scalar>());
const _: () = assert!(align_of::<Recoded>() == align_of::<Scalar>());

impl Windows {
    /// Windows of `width` bits, brought into 1 to `MAX_WIDTH`.
    pub fn of_width(width: u32) -> Self {
        let width = width.clamp(1, MAX_WIDTH);
        Self {
            width,
            count: 255u32.div_ceil(width),
        }
    }

    /// The windows of least cost for `n` scalars: each adds every point once to a bucket and
    /// every bucket twice in the reduction, so W (n + 2 * 2^(c - 1)) additions of about one cost.
    pub fn for_terms(n: usize) -> Self {
        (1..=MAX_WIDTH)
            .map(Self::of_width)
            .min_by_key(|windows| windows.count as u64 * (n as u64 + 2 * windows.buckets() as u64))
            .unwrap_or(Self::of_width(1))
    }

    /// Buckets a window.
    pub fn buckets(&self) -> usize {
        1 << (self.width - 1)
    }

    fn offset(&self) -> [u64; 4] {
        let mut offset = [0; 4];
        for window in 0..self.count - 1 {
            let bit = window * self.width + self.width - 1;
            offset[bit as usize / 64] |= 1 << (bit % 64);
        }
        offset
    }

    /// Makes one scalar ready.
    fn recode_with(offset: &[u64; 4], scalar: &Fr) -> Recoded {
        let mut integer = scalar.to_integer();
        let negative = is_upper_half(&integer);
        if negative {
            integer = negate_integer(&integer);
        }
        let mut carry = 0u64;
        for (limb, add) in integer.iter_mut().zip(offset) {
            let wide = *limb as u128 + *add as u128 + carry as u128;
            *limb = wide as u64;
            carry = (wide >> 64) as u64;
        }
        integer[3] |= (negative as u64) << 63;
        Recoded(integer)
    }

    /// Makes scalars ready where they lie, so that no second list takes memory.
    pub fn recode_in_place(&self, scalars: Vec<Scalar>) -> Vec<Recoded> {
        let mut scalars = std::mem::ManuallyDrop::new(scalars);
        let (start, len, capacity) = (
            scalars.as_mut_ptr().cast::<Recoded>(),
            scalars.len(),
            scalars.capacity(),
        );
        // SAFETY: the parts of a list that nothing else owns now; both types are four u64 with
        // one size and alignment, of which every pattern is a valid `Recoded`.
        let mut recoded = unsafe { Vec::from_raw_parts(start, len, capacity) };
        let offset = self.offset();
        recoded
            .par_iter_mut()
            .with_min_len(1 << 12)
            .for_each(|value| {
                *value = Self::recode_with(&offset, &Fr::from_limbs(value.0));
            });
        recoded
    }

    /// Makes scalars ready.
    pub fn recode(&self, scalars: &[Scalar]) -> Result<Vec<Recoded>> {
        let offset = self.offset();
        let mut recoded = room::list("the digits of scalars", scalars.len())?;
        Fr::slice(scalars)
            .par_iter()
            .with_min_len(1 << 12)
            .map(|scalar| Self::recode_with(&offset, scalar))
            .collect_into_vec(&mut recoded);
        Ok(recoded)
    }

    /// Digit `window` of a scalar, signed.
    #[inline(always)]
    pub fn digit(&self, scalar: &Recoded, window: u32) -> i32 {
        let bit = (window * self.width) as usize;
        let (limb, shift) = (bit / 64, bit % 64);
        let low = scalar.0[limb] >> shift;
        let high = match scalar.0.get(limb + 1) {
            Some(next) if shift != 0 => next << (64 - shift),
            _ => 0,
        };
        let is_top = window + 1 == self.count;
        // Bit 255 is the sign: it lies above the top window or must be cut off.
        let mask = if is_top {
            (1u64 << (255 - bit)) - 1
        } else {
            (1u64 << self.width) - 1
        };
        let digit = ((low | high) & mask) as i32;
        let signed = digit - if is_top { 0 } else { 1 << (self.width - 1) };
        if scalar.0[3] >> 63 == 1 {
            -signed
        } else {
            signed
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::testing;
    use ff::{Field, PrimeField};

    #[test]
    fn digits_add_up_to_the_scalar_in_every_width() {
        let mut random = testing::rng();
        let mut scalars = vec![
            Scalar::ZERO,
            Scalar::ONE,
            -Scalar::ONE,
            Scalar::TWO_INV,
            Scalar::TWO_INV - Scalar::ONE,
            Scalar::from(u64::MAX),
        ];
        scalars.extend((0..20).map(|_| Scalar::random(&mut random)));
        for width in 1..=MAX_WIDTH {
            let windows = Windows::of_width(width);
            let radix = Scalar::from(1u64 << width);
            let recoded = windows.recode(&scalars).unwrap();
            assert_eq!(windows.recode_in_place(scalars.clone()), recoded);
            for (scalar, recoded) in scalars.iter().zip(recoded) {
                let mut sum = Scalar::ZERO;
                for window in (0..windows.count).rev() {
                    let digit = windows.digit(&recoded, window);
                    assert!(digit.unsigned_abs() as usize <= windows.buckets());
                    let magnitude = Scalar::from(digit.unsigned_abs() as u64);
                    sum = sum * radix + if digit < 0 { -magnitude } else { magnitude };
                }
                assert_eq!(sum, *scalar, "width {width}");
            }
        }
    }

    #[test]
    fn more_terms_take_wider_windows() {
        let mut last = 0;
        for log_n in 0..30 {
            let windows = Windows::for_terms(1 << log_n);
            assert!(windows.width >= last, "2^{log_n}");
            last = windows.width;
        }
        assert_eq!(Windows::for_terms(0), Windows::of_width(1));
        assert!(last > 18);
    }
}
