// SPDX-License-Identifier: MIT OR Apache-2.0
//! A proof and its two byte forms.

use group::prime::PrimeCurveAffine;

use crate::curve::{
    G1Affine, G2Affine, G1_COMPRESSED_BYTES, G1_UNCOMPRESSED_BYTES, G2_COMPRESSED_BYTES,
};
use crate::{Error, ErrorKind, Result};

/// Bytes of a proof as Filecoin stores it: a, b, c compressed.
pub const PROOF_BYTES: usize = 2 * G1_COMPRESSED_BYTES + G2_COMPRESSED_BYTES;

/// Bytes of a proof as affine points in memory.
pub const PROOF_AFFINE_BYTES: usize = size_of::<Proof>();

/// A Groth16 proof: three points, laid out as callers of supraseal-c2 expect them (affine, blst's
/// representation, 384 bytes).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Proof {
    /// A.
    pub a: G1Affine,
    /// B.
    pub b: G2Affine,
    /// C.
    pub c: G1Affine,
}

const _: () = assert!(PROOF_AFFINE_BYTES == 384);
const _: () = assert!(std::mem::offset_of!(Proof, b) == G1_UNCOMPRESSED_BYTES);

impl Proof {
    /// The 192 bytes that Filecoin stores and verifies.
    pub fn to_bytes(&self) -> [u8; PROOF_BYTES] {
        let mut bytes = [0; PROOF_BYTES];
        let (a, rest) = bytes.split_at_mut(G1_COMPRESSED_BYTES);
        let (b, c) = rest.split_at_mut(G2_COMPRESSED_BYTES);
        a.copy_from_slice(&self.a.to_compressed());
        b.copy_from_slice(&self.b.to_compressed());
        c.copy_from_slice(&self.c.to_compressed());
        bytes
    }

    /// Reads the 192 bytes; each point must be canonical, in the subgroup and not infinity.
    ///
    /// # Errors
    ///
    /// `InvalidArgument` with the length, or with the point that is bad.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let wrong_length = || {
            invalid(format!(
                "a proof is {PROOF_BYTES} bytes, not {}",
                bytes.len()
            ))
        };
        let (a, rest) = bytes.split_first_chunk().ok_or_else(wrong_length)?;
        let (b, rest) = rest.split_first_chunk().ok_or_else(wrong_length)?;
        let c = rest.try_into().map_err(|_| wrong_length())?;
        Ok(Self {
            a: checked("a", G1Affine::from_compressed(a))?,
            b: checked("b", G2Affine::from_compressed(b))?,
            c: checked("c", G1Affine::from_compressed(c))?,
        })
    }
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::InvalidArgument, message)
}

fn checked<P: PrimeCurveAffine>(name: &str, point: impl Into<Option<P>>) -> Result<P> {
    let point = point.into().ok_or_else(|| {
        invalid(format!(
            "point {name} of the proof is not a point of its group"
        ))
    })?;
    if bool::from(point.is_identity()) {
        return Err(invalid(format!(
            "point {name} of the proof is the point at infinity"
        )));
    }
    Ok(point)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Proof {
        Proof {
            a: G1Affine::generator(),
            b: -G2Affine::generator(),
            c: -G1Affine::generator(),
        }
    }

    #[test]
    fn bytes_round_trip() {
        let bytes = sample().to_bytes();
        assert_eq!(Proof::from_bytes(&bytes).unwrap(), sample());
    }

    #[test]
    fn bad_bytes_are_refused() {
        let mut x_4 = [0; 48];
        (x_4[0], x_4[47]) = (0x80, 4);
        assert!(bool::from(
            G1Affine::from_compressed_unchecked(&x_4).is_some()
        ));
        let mut x_2 = [0; 96];
        (x_2[0], x_2[95]) = (0x80, 2);
        assert!(bool::from(
            G2Affine::from_compressed_unchecked(&x_2).is_some()
        ));
        let good = sample().to_bytes();
        for len in [0, 47, 48, 144, 191] {
            let error = Proof::from_bytes(&good[..len]).unwrap_err();
            assert_eq!(error.message(), format!("a proof is 192 bytes, not {len}"));
        }
        let long = [good.as_slice(), &[0]].concat();
        assert!(Proof::from_bytes(&long).is_err());
        for (at, name) in [(0, "a"), (48, "b"), (144, "c")] {
            let mut infinity = good;
            let len = if name == "b" { 96 } else { 48 };
            infinity[at..at + len].fill(0);
            infinity[at] = 0xc0;
            let error = Proof::from_bytes(&infinity).unwrap_err();
            let message = format!("point {name} of the proof is the point at infinity");
            assert_eq!(error.message(), message);

            let mut uncompressed = good;
            uncompressed[at] &= 0x7f;
            let mut above_modulus = good;
            above_modulus[at..at + len].fill(0xff);
            above_modulus[at] = 0x9f;
            // x = 4 (G1) and x = 2 (G2) are on the curves, but not in the subgroups.
            let mut outside = good;
            outside[at..at + len].fill(0);
            outside[at] = 0x80;
            outside[at + len - 1] = if name == "b" { 2 } else { 4 };
            for bad in [uncompressed, above_modulus, outside] {
                let error = Proof::from_bytes(&bad).unwrap_err();
                let message = format!("point {name} of the proof is not a point of its group");
                assert_eq!(error.message(), message);
                assert_eq!(error.kind(), ErrorKind::InvalidArgument);
            }
        }
    }
}
