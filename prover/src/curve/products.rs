// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sums of products of scalars with one reduction each.
//!
//! A Montgomery product is half reduction. A linear layer needs only the sum of its products, so
//! it adds them up as they are, 512 bits and a few, and reduces once.

use super::limbs::{montgomery_limbs, scalar_from_limbs, MODULUS};
use super::Scalar;

/// Products a reduction takes: their sum stays below 8 r after it, and below 2^576 before.
const PRODUCTS: usize = 12;

/// -1/r mod 2^64.
const INVERSE: u64 = 0xffff_fffe_ffff_ffff;

const _: () = assert!(MODULUS[0].wrapping_mul(INVERSE) == u64::MAX);

/// `addend` and the sum of `a[i] * b[i]`, of as many as the shorter slice has.
#[inline]
pub fn sum_of_products(addend: &Scalar, a: &[Scalar], b: &[Scalar]) -> Scalar {
    let mut sum = *addend;
    for (a, b) in a.chunks(PRODUCTS).zip(b.chunks(PRODUCTS)) {
        let mut wide = Wide::shifted(&sum);
        for (a, b) in a.iter().zip(b) {
            wide.add_product(&montgomery_limbs(a), &montgomery_limbs(b));
        }
        sum = scalar_from_limbs(wide.reduce());
    }
    sum
}

/// A sum of products, little-endian, with the carries that wait to be added.
struct Wide {
    limbs: [u64; 9],
    /// Carries into limbs 5 to 8.
    carries: [u64; 4],
}

impl Wide {
    /// A scalar times 2^256: what becomes the scalar again by a reduction.
    #[inline(always)]
    fn shifted(scalar: &Scalar) -> Self {
        let [l0, l1, l2, l3] = montgomery_limbs(scalar);
        Self {
            limbs: [0, 0, 0, 0, l0, l1, l2, l3, 0],
            carries: [0; 4],
        }
    }

    #[inline(always)]
    fn add_product(&mut self, a: &[u64; 4], b: &[u64; 4]) {
        let limbs = &mut self.limbs;
        for i in 0..4 {
            let mut carry = 0;
            for j in 0..4 {
                (limbs[i + j], carry) = mul_add(limbs[i + j], a[i], b[j], carry);
            }
            let overflow;
            (limbs[i + 4], overflow) = limbs[i + 4].overflowing_add(carry);
            self.carries[i] += u64::from(overflow);
        }
    }

    /// The sum divided by 2^256, below r.
    #[inline(always)]
    fn reduce(self) -> [u64; 4] {
        let mut limbs = self.limbs;
        let mut carry = 0;
        for (limb, waiting) in limbs[5..].iter_mut().zip(self.carries) {
            let sum = u128::from(*limb) + u128::from(waiting) + u128::from(carry);
            *limb = sum as u64;
            carry = (sum >> 64) as u64;
        }
        for i in 0..4 {
            let factor = limbs[i].wrapping_mul(INVERSE);
            let mut carry = 0;
            for j in 0..4 {
                (limbs[i + j], carry) = mul_add(limbs[i + j], factor, MODULUS[j], carry);
            }
            for limb in &mut limbs[i + 4..] {
                let overflow;
                (*limb, overflow) = limb.overflowing_add(carry);
                carry = overflow.into();
            }
        }
        // 12 products below r^2 and an addend below r leave at most (12 r / 2^256 + 2) r.
        let [_, _, _, _, high @ ..] = limbs;
        let below_four = subtract_multiple(high, 4);
        let below_two = subtract_multiple(below_four, 2);
        let [l0, l1, l2, l3, _] = subtract_multiple(below_two, 1);
        [l0, l1, l2, l3]
    }
}

/// The value, less `multiple` times r where that leaves no borrow. `multiple` is a power of two.
#[inline(always)]
fn subtract_multiple(limbs: [u64; 5], multiple: u32) -> [u64; 5] {
    let shift = multiple.trailing_zeros();
    let mut difference = [0; 5];
    let (mut borrow, mut shifted_out) = (false, 0);
    for (i, limb) in difference.iter_mut().enumerate() {
        let modulus = if i < 4 { MODULUS[i] } else { 0 };
        let subtrahend = modulus << shift | shifted_out;
        shifted_out = modulus.checked_shr(64 - shift).unwrap_or(0);
        let (first, borrow_first) = limbs[i].overflowing_sub(subtrahend);
        let (second, borrow_second) = first.overflowing_sub(borrow.into());
        *limb = second;
        borrow = borrow_first | borrow_second;
    }
    let keep = 0u64.wrapping_sub(borrow.into());
    std::array::from_fn(|i| (limbs[i] & keep) | (difference[i] & !keep))
}

/// a + b c + carry as (low, high).
#[inline(always)]
fn mul_add(a: u64, b: u64, c: u64, carry: u64) -> (u64, u64) {
    let wide = u128::from(a) + u128::from(b) * u128::from(c) + u128::from(carry);
    (wide as u64, (wide >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ff::Field;

    fn slow(addend: &Scalar, a: &[Scalar], b: &[Scalar]) -> Scalar {
        a.iter().zip(b).fold(*addend, |sum, (a, b)| sum + a * b)
    }

    #[test]
    fn sums_of_products_agree_with_products() {
        let mut next = Scalar::from(3);
        let mut random = || {
            next = next.square() + Scalar::from(7);
            next
        };
        let edges = [
            Scalar::ZERO,
            Scalar::ONE,
            -Scalar::ONE,
            -Scalar::from(2),
            random(),
        ];
        for len in (0..=2 * PRODUCTS + 1).chain([100]) {
            for a in edges {
                for b in edges {
                    for addend in edges {
                        let (a, b) = (vec![a; len], vec![b; len]);
                        let sum = sum_of_products(&addend, &a, &b);
                        assert_eq!(sum, slow(&addend, &a, &b), "{len} products");
                    }
                }
            }
            let a: Vec<Scalar> = (0..len).map(|_| random()).collect();
            let b: Vec<Scalar> = (0..len).map(|_| random()).collect();
            let addend = random();
            assert_eq!(sum_of_products(&addend, &a, &b), slow(&addend, &a, &b));
        }
    }

    #[test]
    fn the_shorter_slice_decides() {
        let values = [Scalar::from(2), Scalar::from(3)];
        let one = &Scalar::ONE;
        assert_eq!(sum_of_products(one, &values, &values[..1]), Scalar::from(5));
        assert_eq!(sum_of_products(one, &[], &values), *one);
    }
}
