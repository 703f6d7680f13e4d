// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scalar field for the transforms: blst's representation with inlined arithmetic.
//!
//! Four little-endian 64-bit limbs in Montgomery form with R = 2^256, always below r. A product
//! is the interleaved (CIOS) Montgomery product without the extra carry limb, which r's zero top
//! bit makes needless. Inlining lets the compiler overlap the products of a butterfly, which a
//! call into assembly does not.

use crate::curve::Scalar;

/// A scalar; the same bytes as [`Scalar`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Fr([u64; 4]);

const MODULUS: [u64; 4] = Fr::MODULUS;
const INVERSE: u64 = Fr::INVERSE;

const _: () = assert!(MODULUS[0].wrapping_mul(INVERSE) == u64::MAX);
const _: () = assert!(size_of::<Fr>() == size_of::<Scalar>());
const _: () = assert!(align_of::<Fr>() == align_of::<Scalar>());

/// a + b c + carry as (low, high).
#[inline(always)]
fn mul_add(a: u64, b: u64, c: u64, carry: u64) -> (u64, u64) {
    let wide = a as u128 + b as u128 * c as u128 + carry as u128;
    (wide as u64, (wide >> 64) as u64)
}

/// a - b as limbs and borrow.
#[inline(always)]
fn sub_limbs(a: &[u64; 4], b: &[u64; 4]) -> ([u64; 4], bool) {
    let mut out = [0; 4];
    let mut borrow = false;
    for i in 0..4 {
        let (difference, first) = a[i].overflowing_sub(b[i]);
        let (difference, second) = difference.overflowing_sub(borrow as u64);
        out[i] = difference;
        borrow = first | second;
    }
    (out, borrow)
}

/// a + b as limbs; the caller knows that there is no carry out.
#[inline(always)]
fn add_limbs(a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
    let mut out = [0; 4];
    let mut carry = false;
    for i in 0..4 {
        let (sum, first) = a[i].overflowing_add(b[i]);
        let (sum, second) = sum.overflowing_add(carry as u64);
        out[i] = sum;
        carry = first | second;
    }
    out
}

/// A value below 2r, brought below r.
#[inline(always)]
fn reduce(a: [u64; 4]) -> [u64; 4] {
    let (difference, borrow) = sub_limbs(&a, &MODULUS);
    let keep = 0u64.wrapping_sub(borrow as u64);
    let mut out = [0; 4];
    for i in 0..4 {
        out[i] = (a[i] & keep) | (difference[i] & !keep);
    }
    out
}

/// One step of Montgomery reduction: (t + (t INVERSE mod 2^64) r) / 2^64.
#[inline(always)]
fn reduce_limb(t: [u64; 4], top: u64) -> [u64; 4] {
    let m = t[0].wrapping_mul(INVERSE);
    let (_, carry) = mul_add(t[0], m, MODULUS[0], 0);
    let (t0, carry) = mul_add(t[1], m, MODULUS[1], carry);
    let (t1, carry) = mul_add(t[2], m, MODULUS[2], carry);
    let (t2, carry) = mul_add(t[3], m, MODULUS[3], carry);
    [t0, t1, t2, top + carry]
}

impl Fr {
    /// r, the order of the groups.
    pub const MODULUS: [u64; 4] = [
        0xffff_ffff_0000_0001,
        0x53bd_a402_fffe_5bfe,
        0x3339_d808_09a1_d805,
        0x73ed_a753_299d_7d48,
    ];

    /// -1/r mod 2^64.
    pub const INVERSE: u64 = 0xffff_fffe_ffff_ffff;

    /// From limbs in Montgomery form, which must be below r.
    #[inline(always)]
    pub(super) fn from_limbs(limbs: [u64; 4]) -> Self {
        Self(limbs)
    }

    /// The element with these limbs in Montgomery form, whatever they are.
    #[inline(always)]
    pub(super) fn reduced(limbs: [u64; 4]) -> Self {
        // 2^256 is less than 3 r.
        Self(reduce(reduce(limbs)))
    }

    /// The limbs, in Montgomery form.
    #[inline(always)]
    pub fn limbs(&self) -> &[u64; 4] {
        &self.0
    }

    /// The value of a field element.
    #[inline(always)]
    pub fn new(scalar: &Scalar) -> Self {
        Self::slice(std::slice::from_ref(scalar))[0]
    }

    /// Scalars seen as this type.
    pub fn slice(scalars: &[Scalar]) -> &[Self] {
        // SAFETY: `Scalar` is a transparent blst_fr, four 64-bit limbs in Montgomery form below
        // r; size and alignment are asserted above.
        unsafe { std::slice::from_raw_parts(scalars.as_ptr().cast(), scalars.len()) }
    }

    /// Scalars seen as this type, to change.
    pub fn slice_mut(scalars: &mut [Scalar]) -> &mut [Self] {
        // SAFETY: as in `slice`; every operation here keeps values below r.
        unsafe { std::slice::from_raw_parts_mut(scalars.as_mut_ptr().cast(), scalars.len()) }
    }

    /// The sum.
    #[inline(always)]
    pub fn add(&self, other: &Self) -> Self {
        Self(reduce(add_limbs(&self.0, &other.0)))
    }

    /// The difference.
    #[inline(always)]
    pub fn sub(&self, other: &Self) -> Self {
        let (difference, borrow) = sub_limbs(&self.0, &other.0);
        let mask = 0u64.wrapping_sub(borrow as u64);
        let mut correction = MODULUS;
        for limb in &mut correction {
            *limb &= mask;
        }
        Self(add_limbs(&difference, &correction))
    }

    /// The product.
    #[inline(always)]
    pub fn mul(&self, other: &Self) -> Self {
        let mut t = [0; 4];
        for &limb in &other.0 {
            let (t0, carry) = mul_add(t[0], self.0[0], limb, 0);
            let (t1, carry) = mul_add(t[1], self.0[1], limb, carry);
            let (t2, carry) = mul_add(t[2], self.0[2], limb, carry);
            let (t3, carry) = mul_add(t[3], self.0[3], limb, carry);
            t = reduce_limb([t0, t1, t2, t3], carry);
        }
        Self(reduce(t))
    }

    /// The value as an integer: little-endian limbs, not in Montgomery form.
    #[inline(always)]
    pub fn to_integer(self) -> [u64; 4] {
        let mut t = self.0;
        for _ in 0..4 {
            t = reduce_limb(t, 0);
        }
        reduce(t)
    }
}

/// r - a for an integer a of at most r, as limbs.
pub fn negate_integer(a: &[u64; 4]) -> [u64; 4] {
    sub_limbs(&MODULUS, a).0
}

/// Whether an integer below r is larger than (r - 1) / 2.
#[inline(always)]
pub fn is_upper_half(a: &[u64; 4]) -> bool {
    const HALF: [u64; 4] = [
        MODULUS[0] >> 1 | MODULUS[1] << 63,
        MODULUS[1] >> 1 | MODULUS[2] << 63,
        MODULUS[2] >> 1 | MODULUS[3] << 63,
        MODULUS[3] >> 1,
    ];
    sub_limbs(&HALF, a).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::testing;
    use ff::{Field, PrimeField};

    fn samples() -> Vec<Scalar> {
        let mut random = testing::rng();
        let mut samples = vec![
            Scalar::ZERO,
            Scalar::ONE,
            Scalar::from(2),
            -Scalar::ONE,
            -Scalar::from(2),
            Scalar::TWO_INV,
            Scalar::TWO_INV - Scalar::ONE,
        ];
        samples.extend((0..50).map(|_| Scalar::random(&mut random)));
        samples
    }

    #[test]
    fn arithmetic_is_blst_s() {
        let samples = samples();
        for a in &samples {
            for b in &samples {
                let (x, y) = (Fr::new(a), Fr::new(b));
                assert_eq!(x.add(&y), Fr::new(&(a + b)));
                assert_eq!(x.sub(&y), Fr::new(&(a - b)));
                assert_eq!(x.mul(&y), Fr::new(&(a * b)));
            }
        }
    }

    #[test]
    fn any_limbs_are_reduced() {
        let one = Fr([1, 0, 0, 0]);
        // One is 2^256 modulo r.
        assert_eq!(Fr::reduced([u64::MAX; 4]).add(&one), Fr::new(&Scalar::ONE));
        let twice = add_limbs(&MODULUS, &MODULUS);
        assert_eq!(Fr::reduced(MODULUS), Fr::default());
        assert_eq!(Fr::reduced(twice), Fr::default());
        let before = |limbs: [u64; 4]| [limbs[0] - 1, limbs[1], limbs[2], limbs[3]];
        let last = Fr::default().sub(&one);
        for limbs in [before(MODULUS), before(twice)] {
            assert_eq!(Fr::reduced(limbs), last);
        }
        for a in samples() {
            let a = Fr::new(&a);
            assert_eq!(Fr::reduced(a.0), a);
            assert_eq!(Fr::reduced(add_limbs(&a.0, &MODULUS)), a);
        }
    }

    #[test]
    fn integers_are_the_canonical_ones() {
        for a in samples() {
            let bytes: Vec<u8> = Fr::new(&a)
                .to_integer()
                .iter()
                .flat_map(|limb| limb.to_le_bytes())
                .collect();
            assert_eq!(bytes, a.to_repr());
        }
    }

    #[test]
    fn halves_and_negatives() {
        let integer = |a: &Scalar| Fr::new(a).to_integer();
        assert!(!is_upper_half(&integer(&Scalar::ZERO)));
        assert!(!is_upper_half(&integer(&(Scalar::TWO_INV - Scalar::ONE))));
        assert!(is_upper_half(&integer(&Scalar::TWO_INV)));
        assert!(is_upper_half(&integer(&-Scalar::ONE)));
        for a in samples().iter().filter(|a| !bool::from(a.is_zero())) {
            assert_eq!(negate_integer(&integer(a)), integer(&-a));
        }
    }
}
