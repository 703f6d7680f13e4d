// SPDX-License-Identifier: MIT OR Apache-2.0
//! Affine points read from their uncompressed bytes, one check at a time.
//!
//! blst's own deserialisation always checks the curve equation and says only yes or no. A
//! parameter file of 47 GB wants the checks apart, to be paid for one by one, and an error that
//! names the cause.

use std::alloc::Layout;
use std::fmt;

use blst::{
    blst_fp, blst_fp_from_bendian, blst_p1_affine_in_g1, blst_p1_affine_on_curve,
    blst_p2_affine_in_g2, blst_p2_affine_on_curve,
};

use super::{G1Affine, G2Affine, G1_UNCOMPRESSED_BYTES, G2_UNCOMPRESSED_BYTES};

/// Bytes of a coordinate in the base field.
const FP_BYTES: usize = 48;

/// The flags of the Zcash encoding in a point's first byte: compressed, infinity, larger y.
const FLAGS: u8 = 0xe0;
const INFINITY_FLAG: u8 = 0x40;

/// The modulus of the base field, big-endian.
const MODULUS: [u8; FP_BYTES] = [
    0x1a, 0x01, 0x11, 0xea, 0x39, 0x7f, 0xe6, 0x9a, 0x4b, 0x1b, 0xa7, 0xb6, 0x43, 0x4b, 0xac, 0xd7,
    0x64, 0x77, 0x4b, 0x84, 0xf3, 0x85, 0x12, 0xbf, 0x67, 0x30, 0xd2, 0xa0, 0xf6, 0xb0, 0xf6, 0x24,
    0x1e, 0xab, 0xff, 0xfe, 0xb1, 0x53, 0xff, 0xff, 0xb9, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xaa, 0xab,
];

/// What is wrong with the bytes of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointFault {
    /// The first byte's flags are not those of an uncompressed finite point.
    Flags(u8),
    /// A coordinate is not below the field's modulus.
    Coordinate,
    /// The point at infinity, where a finite point must be.
    Infinity,
    /// The coordinates do not satisfy the curve's equation.
    OffCurve,
    /// On the curve, but outside the subgroup of prime order.
    OutsideSubgroup,
}

impl fmt::Display for PointFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PointFault::Flags(flags) => write!(
                f,
                "has flags {flags:#04x} in its first byte, an uncompressed finite point has none"
            ),
            PointFault::Coordinate => f.write_str("has a coordinate above the field's modulus"),
            PointFault::Infinity => f.write_str("is the point at infinity"),
            PointFault::OffCurve => f.write_str("is not on the curve"),
            PointFault::OutsideSubgroup => f.write_str("is not in the subgroup of prime order"),
        }
    }
}

/// An affine point of G1 or G2 with the steps of reading and checking it.
///
/// Sealed: `infinities` relies on all-zero memory being infinity.
pub trait AffinePoint: sealed::Sealed + Copy + PartialEq + Send + Sync + 'static {
    /// Bytes of the uncompressed form, and of the point in memory.
    const BYTES: usize;

    /// The point that the bytes encode, whatever they are: flags are ignored and coordinates
    /// reduced. The bytes of infinity give infinity. Only as many bytes as `BYTES` are read.
    fn from_bytes_unchecked(bytes: &[u8]) -> Self;

    /// Whether this is the point at infinity, which is all zero in memory.
    fn is_infinity(&self) -> bool;

    /// Whether the point is on the curve; infinity is.
    fn on_curve(&self) -> bool;

    /// Whether a point of the curve is in the subgroup of prime order; infinity is.
    fn in_subgroup(&self) -> bool;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::G1Affine {}
    impl Sealed for super::G2Affine {}
}

/// What is wrong with the encoding of a finite point: flags and the range of the coordinates.
pub fn encoding_fault(bytes: &[u8]) -> Option<PointFault> {
    let flags = bytes[0] & FLAGS;
    if flags == INFINITY_FLAG && bytes[1..].iter().all(|byte| *byte == 0) {
        return Some(PointFault::Infinity);
    }
    if flags != 0 {
        return Some(PointFault::Flags(flags));
    }
    if bytes
        .chunks_exact(FP_BYTES)
        .any(|coordinate| coordinate >= &MODULUS[..])
    {
        return Some(PointFault::Coordinate);
    }
    None
}

/// The coordinate at position `index` of a point's bytes, flags of the first byte dropped.
fn coordinate(bytes: &[u8], index: usize) -> blst_fp {
    let mut big_endian = [0u8; FP_BYTES];
    big_endian.copy_from_slice(&bytes[index * FP_BYTES..(index + 1) * FP_BYTES]);
    if index == 0 {
        big_endian[0] &= !FLAGS;
    }
    let mut value = blst_fp::default();
    // SAFETY: reads 48 bytes of an array of 48 and writes one field element.
    unsafe { blst_fp_from_bendian(&mut value, big_endian.as_ptr()) };
    value
}

impl AffinePoint for G1Affine {
    const BYTES: usize = G1_UNCOMPRESSED_BYTES;

    fn from_bytes_unchecked(bytes: &[u8]) -> Self {
        let mut point = G1Affine::default();
        let raw = point.as_mut();
        raw.x = coordinate(bytes, 0);
        raw.y = coordinate(bytes, 1);
        point
    }

    fn is_infinity(&self) -> bool {
        let raw = self.as_ref();
        raw.x.l == [0; 6] && raw.y.l == [0; 6]
    }

    fn on_curve(&self) -> bool {
        // SAFETY: reads one affine point, which the reference keeps alive.
        unsafe { blst_p1_affine_on_curve(self.as_ref()) }
    }

    fn in_subgroup(&self) -> bool {
        // SAFETY: reads one affine point, which the reference keeps alive.
        unsafe { blst_p1_affine_in_g1(self.as_ref()) }
    }
}

impl AffinePoint for G2Affine {
    const BYTES: usize = G2_UNCOMPRESSED_BYTES;

    fn from_bytes_unchecked(bytes: &[u8]) -> Self {
        let mut point = G2Affine::default();
        let raw = point.as_mut();
        // The Zcash encoding puts the imaginary part first.
        raw.x.fp[1] = coordinate(bytes, 0);
        raw.x.fp[0] = coordinate(bytes, 1);
        raw.y.fp[1] = coordinate(bytes, 2);
        raw.y.fp[0] = coordinate(bytes, 3);
        point
    }

    fn is_infinity(&self) -> bool {
        let raw = self.as_ref();
        [raw.x, raw.y]
            .iter()
            .all(|value| value.fp.iter().all(|part| part.l == [0; 6]))
    }

    fn on_curve(&self) -> bool {
        // SAFETY: reads one affine point, which the reference keeps alive.
        unsafe { blst_p2_affine_on_curve(self.as_ref()) }
    }

    fn in_subgroup(&self) -> bool {
        // SAFETY: reads one affine point, which the reference keeps alive.
        unsafe { blst_p2_affine_in_g2(self.as_ref()) }
    }
}

/// A vector of `n` points at infinity whose pages are not touched yet, so that the workers that
/// fill it also bring its memory in. Nothing when the memory is not to be had.
pub fn infinities<P: AffinePoint>(n: usize) -> Option<Vec<P>> {
    let layout = Layout::array::<P>(n).ok()?;
    if layout.size() == 0 {
        return Some(Vec::new());
    }
    // SAFETY: the layout is not of size zero. `AffinePoint` is sealed, for types
    // whose all-zero memory is the point at infinity; memory of the global allocator with the
    // layout of `n` points is what a vector of capacity `n` owns.
    unsafe {
        let memory = std::alloc::alloc_zeroed(layout).cast::<P>();
        (!memory.is_null()).then(|| Vec::from_raw_parts(memory, n, n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::Scalar;
    use group::prime::PrimeCurveAffine;
    use group::{Curve, UncompressedEncoding};

    #[test]
    fn the_modulus_is_the_field_s() {
        // The only multiple of the modulus with 381 bits is itself.
        assert_eq!(MODULUS[0] >> 5, 0);
        assert_eq!(MODULUS[0] >> 4, 1);
        assert_eq!(coordinate(&MODULUS, 0).l, [0; 6]);
    }

    fn reads_what_blstrs_reads<P>(points: impl Iterator<Item = P>)
    where
        P: AffinePoint + UncompressedEncoding + std::fmt::Debug,
    {
        for point in points {
            let encoded = point.to_uncompressed();
            let bytes = encoded.as_ref();
            assert_eq!(bytes.len(), P::BYTES);
            let read = P::from_bytes_unchecked(bytes);
            assert_eq!(read, point);
            let expected = point.is_infinity().then_some(PointFault::Infinity);
            assert_eq!(encoding_fault(bytes), expected);
            assert!(read.on_curve() && read.in_subgroup());
        }
    }

    #[test]
    fn decoding_agrees_with_blstrs() {
        let scalars = || (0..20u64).map(|i| Scalar::from(i) * Scalar::from(i + 7));
        reads_what_blstrs_reads(scalars().map(|s| (G1Affine::generator() * s).to_affine()));
        reads_what_blstrs_reads(scalars().map(|s| (G2Affine::generator() * s).to_affine()));
    }

    #[test]
    fn every_fault_of_an_encoding_is_told_apart() {
        let good = G1Affine::generator().to_uncompressed();
        let mut bytes = [0u8; 96];
        bytes.copy_from_slice(good.as_ref());
        assert_eq!(encoding_fault(&bytes), None);
        for flag in [0x80u8, 0x40, 0x20] {
            bytes[0] ^= flag;
            assert_eq!(encoding_fault(&bytes), Some(PointFault::Flags(flag)));
            bytes[0] ^= flag;
        }
        bytes[48..].copy_from_slice(&MODULUS);
        assert_eq!(encoding_fault(&bytes), Some(PointFault::Coordinate));
        bytes[48..].copy_from_slice(&good.as_ref()[48..]);
        bytes[95] ^= 1;
        assert_eq!(encoding_fault(&bytes), None);
        assert!(!G1Affine::from_bytes_unchecked(&bytes).on_curve());
        let zero = [0u8; 96];
        assert_eq!(encoding_fault(&zero), None);
        assert!(G1Affine::from_bytes_unchecked(&zero).is_infinity());
    }

    #[test]
    fn a_vector_of_infinities_is_made_or_refused() {
        assert_eq!(infinities::<G1Affine>(0).map(|v| v.len()), Some(0));
        let points = infinities::<G2Affine>(1000).unwrap();
        assert_eq!(points.len(), 1000);
        assert!(points.iter().all(|point| *point == G2Affine::default()));
        assert!(infinities::<G2Affine>(usize::MAX / 192).is_none());
        assert!(infinities::<G1Affine>(usize::MAX).is_none());
    }
}
