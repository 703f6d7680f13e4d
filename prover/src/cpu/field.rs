// SPDX-License-Identifier: MIT OR Apache-2.0
//! The base fields of G1 and G2 as the sums need them: blst's products behind one small trait, and
//! what is too short for a call inlined.

use blst::{
    blst_fp, blst_fp2, blst_fp2_inverse, blst_fp2_mul, blst_fp2_sqr, blst_fp_inverse, blst_fp_mul,
    blst_fp_sqr,
};

use super::affine::Affine;
use crate::Result;

/// A base field: Montgomery form, always reduced, zero all zero.
pub trait BaseField: Copy + PartialEq + Default + Send + Sync + std::fmt::Debug {
    /// One.
    fn one() -> Self;
    /// Whether this is zero.
    fn is_zero(&self) -> bool;
    /// The sum.
    fn add(&self, other: &Self) -> Self;
    /// The difference.
    fn sub(&self, other: &Self) -> Self;
    /// The product.
    fn mul(&self, other: &Self) -> Self;
    /// The square.
    fn square(&self) -> Self;
    /// The negative.
    fn neg(&self) -> Self;
    /// The inverse; zero for zero.
    fn inverse(&self) -> Self;

    /// What adding eight points at a time needs, if this processor can; kept between batches.
    type Octets: Default;
    /// Room for batches of up to `n` additions.
    fn octets_for(_n: usize) -> Result<Self::Octets> {
        Ok(Self::Octets::default())
    }
    /// Adds `addends[k]` to `sums[k]` for the first k as far as that goes eight at a time, and
    /// returns for how many; 0 where it does not go at all.
    fn add_octets(
        _octets: &mut Self::Octets,
        _sums: &mut [Affine<Self>],
        _addends: &[Affine<Self>],
    ) -> usize {
        0
    }
}

/// The field of G1's coordinates.
#[derive(Clone, Copy, Debug, Default, Eq)]
#[repr(transparent)]
pub struct Fp(blst_fp);

/// The field of G2's coordinates, Fp[u] / (u^2 + 1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Fp2 {
    c0: Fp,
    c1: Fp,
}

const _: () = assert!(size_of::<Fp2>() == size_of::<blst_fp2>());
const _: () = assert!(align_of::<Fp2>() == align_of::<blst_fp2>());

impl Fp {
    /// p, the modulus.
    pub const MODULUS: [u64; 6] = [
        0xb9fe_ffff_ffff_aaab,
        0x1eab_fffe_b153_ffff,
        0x6730_d2a0_f6b0_f624,
        0x6477_4b84_f385_12bf,
        0x4b1b_a7b6_434b_acd7,
        0x1a01_11ea_397f_e69a,
    ];

    /// 2^384 mod p: one in Montgomery form.
    pub const ONE: [u64; 6] = [
        0x7609_0000_0002_fffd,
        0xebf4_000b_c40c_0002,
        0x5f48_9857_53c7_58ba,
        0x77ce_5853_7052_5745,
        0x5c07_1a97_a256_ec6d,
        0x15f6_5ec3_fa80_e493,
    ];

    /// From limbs in Montgomery form, which must be below p.
    #[cfg(all(cuzk_avx512, target_arch = "x86_64"))]
    #[inline(always)]
    pub(super) fn from_limbs(limbs: [u64; 6]) -> Self {
        Self(blst_fp { l: limbs })
    }

    /// The limbs, in Montgomery form.
    #[cfg(all(cuzk_avx512, target_arch = "x86_64"))]
    #[inline(always)]
    pub(super) fn limbs(&self) -> &[u64; 6] {
        &self.0.l
    }
}

// A comparison of arrays would call memcmp; this stays in registers.
impl PartialEq for Fp {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        let limbs = self.0.l.iter().zip(&other.0.l);
        limbs.fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
    }
}

/// a - b as limbs and borrow.
#[inline(always)]
fn sub_limbs(a: &[u64; 6], b: &[u64; 6]) -> ([u64; 6], bool) {
    let mut out = [0; 6];
    let mut borrow = false;
    for i in 0..6 {
        let (difference, first) = a[i].overflowing_sub(b[i]);
        let (difference, second) = difference.overflowing_sub(borrow as u64);
        out[i] = difference;
        borrow = first | second;
    }
    (out, borrow)
}

/// a + b as limbs; the caller knows that there is no carry out, or wants none.
#[inline(always)]
fn add_limbs(a: &[u64; 6], b: &[u64; 6]) -> [u64; 6] {
    let mut out = [0; 6];
    let mut carry = false;
    for i in 0..6 {
        let (sum, first) = a[i].overflowing_add(b[i]);
        let (sum, second) = sum.overflowing_add(carry as u64);
        out[i] = sum;
        carry = first | second;
    }
    out
}

impl BaseField for Fp {
    #[cfg(all(cuzk_avx512, target_arch = "x86_64"))]
    type Octets = super::octets::Octets;
    #[cfg(not(all(cuzk_avx512, target_arch = "x86_64")))]
    type Octets = ();

    #[cfg(all(cuzk_avx512, target_arch = "x86_64"))]
    fn octets_for(n: usize) -> Result<Self::Octets> {
        super::octets::Octets::for_batches_of(n)
    }

    #[cfg(all(cuzk_avx512, target_arch = "x86_64"))]
    fn add_octets(
        octets: &mut Self::Octets,
        sums: &mut [Affine<Self>],
        addends: &[Affine<Self>],
    ) -> usize {
        octets.add(sums, addends)
    }

    #[inline(always)]
    fn one() -> Self {
        Self(blst_fp { l: Self::ONE })
    }

    #[inline(always)]
    fn is_zero(&self) -> bool {
        self.0.l.iter().fold(0, |any, limb| any | limb) == 0
    }

    #[inline(always)]
    fn add(&self, other: &Self) -> Self {
        let sum = add_limbs(&self.0.l, &other.0.l);
        let (reduced, borrow) = sub_limbs(&sum, &Self::MODULUS);
        let keep = 0u64.wrapping_sub(borrow as u64);
        let mut l = [0; 6];
        for i in 0..6 {
            l[i] = (sum[i] & keep) | (reduced[i] & !keep);
        }
        Self(blst_fp { l })
    }

    #[inline(always)]
    fn sub(&self, other: &Self) -> Self {
        let (difference, borrow) = sub_limbs(&self.0.l, &other.0.l);
        let mask = 0u64.wrapping_sub(borrow as u64);
        let correction = Self::MODULUS.map(|limb| limb & mask);
        Self(blst_fp {
            l: add_limbs(&difference, &correction),
        })
    }

    #[inline(always)]
    fn mul(&self, other: &Self) -> Self {
        let mut out = blst_fp::default();
        // SAFETY: blst reads two reduced values and writes one; all three are valid.
        unsafe { blst_fp_mul(&mut out, &self.0, &other.0) };
        Self(out)
    }

    #[inline(always)]
    fn square(&self) -> Self {
        let mut out = blst_fp::default();
        // SAFETY: blst reads one reduced value and writes one; both are valid.
        unsafe { blst_fp_sqr(&mut out, &self.0) };
        Self(out)
    }

    #[inline(always)]
    fn neg(&self) -> Self {
        Self::default().sub(self)
    }

    fn inverse(&self) -> Self {
        let mut out = blst_fp::default();
        // SAFETY: as in `square`; blst gives zero for zero.
        unsafe { blst_fp_inverse(&mut out, &self.0) };
        Self(out)
    }
}

impl Fp2 {
    #[inline(always)]
    fn raw(&self) -> *const blst_fp2 {
        std::ptr::from_ref(self).cast()
    }

    #[inline(always)]
    fn raw_mut(&mut self) -> *mut blst_fp2 {
        std::ptr::from_mut(self).cast()
    }
}

impl BaseField for Fp2 {
    type Octets = ();

    #[inline(always)]
    fn one() -> Self {
        Self {
            c0: Fp::one(),
            c1: Fp::default(),
        }
    }

    #[inline(always)]
    fn is_zero(&self) -> bool {
        self.c0.is_zero() & self.c1.is_zero()
    }

    #[inline(always)]
    fn add(&self, other: &Self) -> Self {
        Self {
            c0: self.c0.add(&other.c0),
            c1: self.c1.add(&other.c1),
        }
    }

    #[inline(always)]
    fn sub(&self, other: &Self) -> Self {
        Self {
            c0: self.c0.sub(&other.c0),
            c1: self.c1.sub(&other.c1),
        }
    }

    #[inline(always)]
    fn mul(&self, other: &Self) -> Self {
        let mut out = Self::default();
        // SAFETY: blst's blst_fp2 is two blst_fp, as here (`repr(C)`, size and alignment asserted
        // above); it reads two reduced values and writes one, all alive.
        unsafe { blst_fp2_mul(out.raw_mut(), self.raw(), other.raw()) };
        out
    }

    #[inline(always)]
    fn square(&self) -> Self {
        let mut out = Self::default();
        // SAFETY: as in `mul`, with one value read.
        unsafe { blst_fp2_sqr(out.raw_mut(), self.raw()) };
        out
    }

    #[inline(always)]
    fn neg(&self) -> Self {
        Self {
            c0: self.c0.neg(),
            c1: self.c1.neg(),
        }
    }

    fn inverse(&self) -> Self {
        let mut out = Self::default();
        // SAFETY: as in `square`; blst gives zero for zero.
        unsafe { blst_fp2_inverse(out.raw_mut(), self.raw()) };
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laws<F: BaseField>(two: F) {
        let one = F::one();
        let zero = F::default();
        assert!(zero.is_zero() && !one.is_zero());
        assert_eq!(one.add(&one), two);
        assert_eq!(one.mul(&two), two);
        assert_eq!(two.mul(&two), two.square());
        assert_eq!(two.mul(&two.inverse()), one);
        assert_eq!(two.add(&two.neg()), zero);
        assert_eq!(zero.neg(), zero);
        assert_eq!(one.sub(&two), one.neg());
        assert_eq!(zero.inverse(), zero);
    }

    #[test]
    fn one_is_neutral_and_inverses_invert() {
        laws(Fp::one().add(&Fp::one()));
        laws(Fp2::one().add(&Fp2::one()));
    }
}
