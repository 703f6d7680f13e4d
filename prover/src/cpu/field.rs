// SPDX-License-Identifier: MIT OR Apache-2.0
//! The base fields of G1 and G2 as the sums need them: blst's arithmetic behind one small trait.

use blst::{
    blst_fp, blst_fp2, blst_fp2_add, blst_fp2_cneg, blst_fp2_inverse, blst_fp2_mul, blst_fp2_sqr,
    blst_fp2_sub, blst_fp_add, blst_fp_cneg, blst_fp_inverse, blst_fp_mul, blst_fp_sqr,
    blst_fp_sub,
};

/// A base field: Montgomery form, always reduced, zero all zero.
pub trait BaseField: Copy + PartialEq + Default + Send + Sync + std::fmt::Debug {
    /// Fp products that one product here costs, for cost formulas.
    const PRODUCTS: usize;
    /// One.
    fn one() -> Self;
    /// Whether this is zero.
    fn is_zero(&self) -> bool {
        *self == Self::default()
    }
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
}

/// The field of G1's coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Fp(blst_fp);

/// The field of G2's coordinates, Fp[u] / (u^2 + 1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Fp2(blst_fp2);

/// 2^384 mod p: one in Montgomery form.
const FP_ONE: blst_fp = blst_fp {
    l: [
        0x7609_0000_0002_fffd,
        0xebf4_000b_c40c_0002,
        0x5f48_9857_53c7_58ba,
        0x77ce_5853_7052_5745,
        0x5c07_1a97_a256_ec6d,
        0x15f6_5ec3_fa80_e493,
    ],
};

macro_rules! base_field {
    ($field:ident, $raw:ident, $products:expr, $one:expr,
     $add:ident, $sub:ident, $mul:ident, $square:ident, $negate:ident, $inverse:ident) => {
        impl BaseField for $field {
            const PRODUCTS: usize = $products;

            #[inline(always)]
            fn one() -> Self {
                Self($one)
            }

            #[inline(always)]
            fn add(&self, other: &Self) -> Self {
                let mut out = $raw::default();
                // SAFETY: blst reads two reduced values and writes one; all three are valid.
                unsafe { $add(&mut out, &self.0, &other.0) };
                Self(out)
            }

            #[inline(always)]
            fn sub(&self, other: &Self) -> Self {
                let mut out = $raw::default();
                // SAFETY: as in `add`.
                unsafe { $sub(&mut out, &self.0, &other.0) };
                Self(out)
            }

            #[inline(always)]
            fn mul(&self, other: &Self) -> Self {
                let mut out = $raw::default();
                // SAFETY: as in `add`.
                unsafe { $mul(&mut out, &self.0, &other.0) };
                Self(out)
            }

            #[inline(always)]
            fn square(&self) -> Self {
                let mut out = $raw::default();
                // SAFETY: blst reads one reduced value and writes one; both are valid.
                unsafe { $square(&mut out, &self.0) };
                Self(out)
            }

            #[inline(always)]
            fn neg(&self) -> Self {
                let mut out = $raw::default();
                // SAFETY: as in `square`.
                unsafe { $negate(&mut out, &self.0, true) };
                Self(out)
            }

            fn inverse(&self) -> Self {
                let mut out = $raw::default();
                // SAFETY: as in `square`; blst gives zero for zero.
                unsafe { $inverse(&mut out, &self.0) };
                Self(out)
            }
        }
    };
}

base_field!(
    Fp,
    blst_fp,
    1,
    FP_ONE,
    blst_fp_add,
    blst_fp_sub,
    blst_fp_mul,
    blst_fp_sqr,
    blst_fp_cneg,
    blst_fp_inverse
);
base_field!(
    Fp2,
    blst_fp2,
    3,
    blst_fp2 {
        fp: [FP_ONE, blst_fp { l: [0; 6] }]
    },
    blst_fp2_add,
    blst_fp2_sub,
    blst_fp2_mul,
    blst_fp2_sqr,
    blst_fp2_cneg,
    blst_fp2_inverse
);

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
