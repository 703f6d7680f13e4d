// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scalars seen as the limbs that they are in memory.

use super::Scalar;

/// The Montgomery form of a scalar: four little-endian limbs, below the modulus.
///
/// Equal scalars have equal limbs, so this is a key for tables that costs no conversion.
pub fn montgomery_limbs(scalar: &Scalar) -> [u64; 4] {
    // SAFETY: `Scalar` is a transparent wrapper of `blst_fr`, a C struct of four 64-bit limbs;
    // the module's assertions pin its size.
    unsafe { *std::ptr::from_ref(scalar).cast::<[u64; 4]>() }
}
