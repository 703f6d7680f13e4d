// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scalars and points of BLS12-381 as they lie in memory, and their byte forms.
//!
//! Values in memory are blst's: little-endian 64-bit limbs in Montgomery form, 32 bytes a scalar,
//! 96 bytes an affine G1 point, 192 bytes an affine G2 point, infinity all zero.

mod hash;
mod limbs;
mod point;
mod products;
mod subgroup;

pub use hash::hash_to_scalars;
pub use limbs::{montgomery_limbs, scalars_from_limbs};
pub use point::{encoding_fault, infinities, AffinePoint, PointFault};
pub use products::sum_of_products;
pub use subgroup::{first_outside_subgroup, SubgroupSum, SUBGROUP_BATCH};

pub use blstrs::{G1Affine, G1Projective, G2Affine, G2Projective, Scalar};

/// Bytes of an uncompressed G1 point (big-endian x, y; Zcash flags in the first byte).
pub const G1_UNCOMPRESSED_BYTES: usize = 96;
/// Bytes of an uncompressed G2 point.
pub const G2_UNCOMPRESSED_BYTES: usize = 192;
/// Bytes of a compressed G1 point.
pub const G1_COMPRESSED_BYTES: usize = 48;
/// Bytes of a compressed G2 point.
pub const G2_COMPRESSED_BYTES: usize = 96;

// The layouts are part of the ABI: assignments and proofs cross it as memory.
const _: () = assert!(std::mem::size_of::<Scalar>() == 32);
const _: () = assert!(std::mem::size_of::<G1Affine>() == 96);
const _: () = assert!(std::mem::size_of::<G2Affine>() == 192);
