// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scalars, points and proofs as they lie in a caller's memory.

use std::mem::MaybeUninit;

use cuzk_prover::groth16::{Proof, PROOF_AFFINE_BYTES, PROOF_BYTES};
use cuzk_prover::{Error, ErrorKind, Result};

use super::arguments::required;
use super::boundary::boundary;
use super::status::{cuzk_error, cuzk_status};

/// Bytes of one Groth16 proof as Filecoin stores it.
pub const CUZK_PROOF_BYTES: usize = 192;

/// A scalar of BLS12-381: four little-endian limbs in Montgomery form, below
/// the modulus, as blst_fr.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_fr {
    /// Least significant limb first.
    pub limbs: [u64; 4],
}

/// A point of G1: affine coordinates of six limbs in Montgomery form, as
/// blst_p1_affine.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_g1_affine {
    /// Least significant limb first.
    pub x: [u64; 6],
    /// Least significant limb first.
    pub y: [u64; 6],
}

/// A point of G2: affine coordinates c0 + c1 u, as blst_p2_affine.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_g2_affine {
    /// c0, c1.
    pub x: [[u64; 6]; 2],
    /// c0, c1.
    pub y: [[u64; 6]; 2],
}

/// A proof as Filecoin stores it: a, b, c compressed.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_proof {
    /// 48, 96 and 48 bytes.
    pub bytes: [u8; CUZK_PROOF_BYTES],
}

/// A proof as affine points: what supraseal-c2 gives, and bellperson's Proof
/// in memory.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_proof_points {
    /// In G1.
    pub a: cuzk_g1_affine,
    /// In G2.
    pub b: cuzk_g2_affine,
    /// In G1.
    pub c: cuzk_g1_affine,
}

const _: () = assert!(CUZK_PROOF_BYTES == PROOF_BYTES);
const _: () = assert!(size_of::<cuzk_fr>() == 32);
const _: () = assert!(size_of::<cuzk_g1_affine>() == 96);
const _: () = assert!(size_of::<cuzk_g2_affine>() == 192);
const _: () = assert!(size_of::<cuzk_proof>() == 192);
const _: () = assert!(size_of::<cuzk_proof_points>() == PROOF_AFFINE_BYTES);

impl From<&Proof> for cuzk_proof {
    fn from(proof: &Proof) -> Self {
        Self {
            bytes: proof.to_bytes(),
        }
    }
}

impl From<Proof> for cuzk_proof_points {
    fn from(proof: Proof) -> Self {
        // SAFETY: both are three affine points of limbs in the same order (Proof is repr(C), its
        // points wrap blst's structures); every bit pattern is valid here.
        unsafe { std::mem::transmute::<Proof, Self>(proof) }
    }
}

impl cuzk_proof_points {
    /// The proof, if its points are in their groups.
    fn to_proof(self) -> Result<Proof> {
        // SAFETY: the same layout; limbs out of range give wrong points, not wrong memory.
        let claimed = unsafe { std::mem::transmute::<Self, Proof>(self) };
        // The compressed form keeps x and the sign of y. Reading it back checks the groups and
        // finds y anew, so whatever was not on the curve or not in range comes back different.
        let proof = Proof::from_bytes(&claimed.to_bytes())?;
        for (name, same) in [
            ("a", claimed.a == proof.a),
            ("b", claimed.b == proof.b),
            ("c", claimed.c == proof.c),
        ] {
            if !same {
                return Err(Error::new(
                    ErrorKind::InvalidArgument,
                    format!("point {name} of the proof is not a point of its group"),
                ));
            }
        }
        Ok(proof)
    }
}

/// Decompresses a proof to affine points.
///
/// Errors: CUZK_STATUS_INVALID_ARGUMENT when a point is not in its group.
#[no_mangle]
pub extern "C" fn cuzk_proof_to_points(
    proof: Option<&cuzk_proof>,
    points_out: Option<&mut MaybeUninit<cuzk_proof_points>>,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || {
        let proof = required(proof, "proof")?;
        let points_out = required(points_out, "points_out")?;
        points_out.write(Proof::from_bytes(&proof.bytes)?.into());
        Ok(())
    })
}

/// Compresses affine points to a proof.
///
/// Errors: CUZK_STATUS_INVALID_ARGUMENT when a point is not in its group.
#[no_mangle]
pub extern "C" fn cuzk_proof_from_points(
    points: Option<&cuzk_proof_points>,
    proof_out: Option<&mut MaybeUninit<cuzk_proof>>,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || {
        let points = required(points, "points")?;
        let proof_out = required(proof_out, "proof_out")?;
        proof_out.write(cuzk_proof::from(&points.to_proof()?));
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cuzk_prover::curve::{G1Affine, G2Affine};
    use group::prime::PrimeCurveAffine;

    fn proof() -> Proof {
        Proof {
            a: G1Affine::generator(),
            b: -G2Affine::generator(),
            c: -G1Affine::generator(),
        }
    }

    #[test]
    fn points_and_bytes_turn_into_each_other() {
        let points = cuzk_proof_points::from(proof());
        assert_eq!(points.to_proof().unwrap(), proof());
        // The first limb of the generator's x in Montgomery form, as blst has it.
        assert_eq!(points.a.x[0], 0x5cb3_8790_fd53_0c16);
    }

    #[test]
    fn points_outside_their_groups_are_refused_by_name() {
        let refused = |spoil: &dyn Fn(&mut cuzk_proof_points)| {
            let mut points = cuzk_proof_points::from(proof());
            spoil(&mut points);
            points.to_proof().unwrap_err().to_string()
        };
        let outside = |name| format!("point {name} of the proof is not a point of its group");
        assert_eq!(refused(&|points| points.a.y[0] ^= 2), outside("a"));
        assert_eq!(refused(&|points| points.b.y[1][2] ^= 1), outside("b"));
        assert_eq!(refused(&|points| points.c.y[5] = u64::MAX), outside("c"));
        let infinity = refused(&|points| (points.a.x, points.a.y) = ([0; 6], [0; 6]));
        assert_eq!(infinity, "point a of the proof is the point at infinity");
        for limb in 0..6 {
            refused(&|points| points.a.x[limb] = u64::MAX);
            refused(&|points| points.b.x[1][limb] = u64::MAX);
        }
        // x plus the modulus: the same residue, not canonical.
        const P: [u64; 6] = [
            0xb9fe_ffff_ffff_aaab,
            0x1eab_fffe_b153_ffff,
            0x6730_d2a0_f6b0_f624,
            0x6477_4b84_f385_12bf,
            0x4b1b_a7b6_434b_acd7,
            0x1a01_11ea_397f_e69a,
        ];
        let above = refused(&|points| {
            let mut carry = false;
            for (limb, p) in points.a.x.iter_mut().zip(P) {
                let (sum, first) = limb.overflowing_add(p);
                let (sum, second) = sum.overflowing_add(u64::from(carry));
                (*limb, carry) = (sum, first || second);
            }
        });
        assert_eq!(above, outside("a"));
    }
}
