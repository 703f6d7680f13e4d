// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much of a parameter file's points is checked while they are read.

use crate::curve::{encoding_fault, AffinePoint, PointFault};

/// What is checked of every point of the queries; each level includes those before it.
///
/// The file's size, its counts and the whole verifying key are checked at every level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Checks {
    /// Nothing more. A changed bit in a query is not noticed here; the proofs made with it fail
    /// their own verification.
    None,
    /// The encoding: no flags, coordinates below the modulus, not the point at infinity. Notices
    /// sections that moved by some bytes, were zeroed or hold something else than points; of
    /// single changed bits only those in the few leading bits of a coordinate.
    Structure,
    /// That the point is on the curve too. Notices every change of bits in a point, except for
    /// the exchange of the point by another of the curve: the negative, or one made on purpose.
    #[default]
    Curve,
    /// That the point is in the subgroup of prime order too. Notices points made on purpose
    /// outside of it. A point exchanged by another of the subgroup is for the digest to notice.
    CurveAndSubgroup,
}

/// Reads a point and checks it up to the curve equation; the subgroup is checked many at a time.
pub(super) fn read_point<P: AffinePoint>(bytes: &[u8], checks: Checks) -> Result<P, PointFault> {
    if checks >= Checks::Structure {
        if let Some(fault) = encoding_fault(bytes) {
            return Err(fault);
        }
    }
    let point = P::from_bytes_unchecked(bytes);
    if checks >= Checks::Structure && point.is_infinity() {
        return Err(PointFault::Infinity);
    }
    if checks >= Checks::Curve && !point.on_curve() {
        return Err(PointFault::OffCurve);
    }
    Ok(point)
}

/// Reads a point with every check.
pub(super) fn read_point_fully_checked<P: AffinePoint>(bytes: &[u8]) -> Result<P, PointFault> {
    let point: P = read_point(bytes, Checks::CurveAndSubgroup)?;
    if !point.in_subgroup() {
        return Err(PointFault::OutsideSubgroup);
    }
    Ok(point)
}
