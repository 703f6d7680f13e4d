// SPDX-License-Identifier: MIT OR Apache-2.0
//! One proof: the backend's sums joined with the blinding scalars.

use group::prime::PrimeCurveAffine;
use group::Curve;

use super::{check_assignment, Proof};
use crate::backend::{Assignment, Backend, Cancel, ResidentSrs, Sums};
use crate::curve::Scalar;
use crate::srs::VerifyingKey;
use crate::timing::{timed, Timings};
use crate::{Error, ErrorKind, Result};

/// Proves one assignment with the blinding scalars `r` and `s`.
///
/// The scalars must be fresh and random, or the proof tells about the witness. Phases are added
/// to `timings`; `total` is left to the caller. Whether the assignment satisfies the circuit is
/// not checked: if it does not, the proof fails verification.
///
/// # Errors
///
/// `InvalidAssignment` when a size or a density does not fit the parameters, `InvalidSrs` when
/// delta is the point at infinity (which would let the proof leak the witness), `Cancelled`, and
/// what the backend reports.
pub fn prove(
    backend: &dyn Backend,
    srs: &dyn ResidentSrs,
    assignment: &Assignment<'_>,
    r: Scalar,
    s: Scalar,
    cancel: &Cancel,
    timings: &mut Timings,
) -> Result<Proof> {
    let key = srs.verifying_key();
    if bool::from(key.delta_g1.is_identity() | key.delta_g2.is_identity()) {
        return Err(Error::new(
            ErrorKind::InvalidSrs,
            "delta is the point at infinity",
        ));
    }
    check_assignment(assignment, srs.shape())?;
    cancel.check()?;
    let sums = backend.sums(srs, assignment, cancel, timings)?;
    Ok(timed(&mut timings.assemble, || assemble(key, &sums, r, s)))
}

/// A = alpha + a + r delta, B = beta + b + s delta,
/// C = l + h + s A + r (beta + b) in G1, where s A + r (beta + b + s delta) - r s delta is meant.
fn assemble(key: &VerifyingKey, sums: &Sums, r: Scalar, s: Scalar) -> Proof {
    let a = sums.a + key.alpha_g1 + key.delta_g1 * r;
    let b = sums.b_g2 + key.beta_g2 + key.delta_g2 * s;
    let c = sums.l + sums.h + a * s + (sums.b_g1 + key.beta_g1) * r;
    Proof {
        a: a.to_affine(),
        b: b.to_affine(),
        c: c.to_affine(),
    }
}
