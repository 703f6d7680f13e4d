// SPDX-License-Identifier: MIT OR Apache-2.0
//! Proving and verifying any circuit of the bellperson family, given its evaluated rows.

use std::mem::MaybeUninit;
use std::time::Instant;

use cuzk_prover::cancel::Cancel;
use cuzk_prover::curve::Scalar;
use cuzk_prover::groth16::{GivenAssignment, Proof};
use cuzk_prover::schedule::Priority;
use cuzk_prover::{Error, ErrorKind, Result};

use super::arguments::{required, slice, slice_out};
use super::assignment::{cuzk_assignment, look_at, scalars};
use super::boundary::boundary;
use super::context::cuzk_context;
use super::proof::{cuzk_fr, cuzk_proof};
use super::srs::cuzk_srs;
use super::status::{cuzk_error, cuzk_status};
use super::struct_size::Output;
use super::timings::cuzk_timings;

/// The blinding scalars of one proof, in Montgomery form. Give them in tests
/// only: whoever knows or can guess them learns about the witness.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_randomness {
    /// Blinds a.
    pub r: cuzk_fr,
    /// Blinds b.
    pub s: cuzk_fr,
}

const _: () = assert!(size_of::<cuzk_randomness>() == 64);

/// Proves n assignments whose rows the caller evaluated.
///
/// All are of the circuit that srs has the parameters of. randomness is null,
/// then the operating system's generator is used, or has n elements.
/// proofs_out has room for n proofs. timings_out is null or started with
/// CUZK_TIMINGS_INIT and gets the sums over all n. With self-verification on
/// (the default) each proof is verified.
///
/// Errors: CUZK_STATUS_INVALID_ARGUMENT; CUZK_STATUS_ABI_MISMATCH for
/// timings_out; CUZK_STATUS_INVALID_ASSIGNMENT naming the assignment and what
/// does not fit the parameters or is not below the modulus, before anything
/// is proved; CUZK_STATUS_SELF_CHECK_FAILED, also for rows that satisfy
/// nothing; CUZK_STATUS_INVALID_SRS and CUZK_STATUS_IO when the parameters
/// must be read again; CUZK_STATUS_OUT_OF_MEMORY and
/// CUZK_STATUS_OUT_OF_DEVICE_MEMORY with needed and present;
/// CUZK_STATUS_DEVICE_FAILED.
#[no_mangle]
pub unsafe extern "C" fn cuzk_prove(
    context: Option<&cuzk_context>,
    srs: Option<&cuzk_srs>,
    assignments: *const cuzk_assignment,
    n: usize,
    randomness: *const cuzk_randomness,
    proofs_out: *mut cuzk_proof,
    timings_out: *mut cuzk_timings,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || {
        let start = Instant::now();
        let context = &required(context, "context")?.context;
        let srs = &required(srs, "srs")?.srs;
        // SAFETY: the header asks for n elements each, all of them valid for the call, and for
        // null or a structure that starts with its size.
        let (assignments, randomness, proofs_out, timings_out) = unsafe {
            (
                slice(assignments, n, "assignments")?,
                pairs(randomness, n)?,
                slice_out(proofs_out, n, "proofs_out")?,
                Output::optional(timings_out, "timings_out")?,
            )
        };
        let given = context.run(|| {
            let given = assignments.iter().enumerate().map(|(index, assignment)| {
                // SAFETY: the header asks for arrays of the given lengths, valid for the call.
                unsafe { look_at(assignment, srs.shape()) }
                    .map_err(|error| error.context(format_args!("assignment {index}")))
            });
            given.collect::<Result<Vec<_>>>()
        })?;
        let assignments: Vec<_> = given.iter().map(GivenAssignment::assignment).collect();
        let proved = context.prove(
            srs,
            &assignments,
            randomness.as_deref(),
            Priority::Normal,
            &Cancel::default(),
        )?;
        for (place, proved) in proofs_out.iter_mut().zip(&proved) {
            place.write((&proved.proof).into());
        }
        if let Some(timings_out) = timings_out {
            timings_out.write(&cuzk_timings::of(&proved, start.elapsed()));
        }
        Ok(())
    })
}

/// The blinding scalars, if given.
///
/// # Safety
/// `randomness` is null or points to `n` elements that nobody changes during the call.
pub(super) unsafe fn pairs(
    randomness: *const cuzk_randomness,
    n: usize,
) -> Result<Option<Vec<(Scalar, Scalar)>>> {
    if randomness.is_null() {
        return Ok(None);
    }
    // SAFETY: n elements are two scalars each, one after the other.
    let scalars = unsafe { scalars("randomness", randomness.cast(), n.saturating_mul(2)) }
        .map_err(|error| Error::new(ErrorKind::InvalidArgument, error.message()))?;
    Ok(Some(
        scalars.chunks(2).map(|pair| (pair[0], pair[1])).collect(),
    ))
}

/// Verifies n proofs of one circuit together.
///
/// inputs has n times inputs_len scalars: those of the first proof, then those
/// of the second, and so on; the constant one is left out, so inputs_len is
/// one less than the circuit's inputs. valid_out becomes true when all are
/// valid; a proof whose bytes are no points of the groups is not.
///
/// Errors: CUZK_STATUS_INVALID_ARGUMENT, also for inputs that are not below
/// the modulus or another number of them than the parameters need.
#[no_mangle]
pub unsafe extern "C" fn cuzk_groth16_verify(
    srs: Option<&cuzk_srs>,
    proofs: *const cuzk_proof,
    n: usize,
    inputs: *const cuzk_fr,
    inputs_len: usize,
    valid_out: Option<&mut MaybeUninit<bool>>,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || {
        let srs = &required(srs, "srs")?.srs;
        let valid_out = required(valid_out, "valid_out")?;
        let key = srs.prepared_key();
        // Before anything is read, so that a length that is wrong reads nothing.
        if inputs_len != key.inputs() {
            return Err(Error::new(
                ErrorKind::InvalidArgument,
                format!(
                    "inputs_len is {inputs_len}, the circuit has {} inputs beside the constant one",
                    key.inputs()
                ),
            ));
        }
        // SAFETY: the header asks for n proofs and n times inputs_len scalars.
        let (proofs, inputs) = unsafe {
            (
                slice(proofs, n, "proofs")?,
                scalars("inputs", inputs, n.saturating_mul(inputs_len))
                    .map_err(|error| Error::new(ErrorKind::InvalidArgument, error.message()))?,
            )
        };
        let inputs: Vec<&[Scalar]> = (0..n)
            .map(|i| &inputs[i * inputs_len..(i + 1) * inputs_len])
            .collect();
        let proofs: Result<Vec<Proof>> = proofs
            .iter()
            .map(|proof| Proof::from_bytes(&proof.bytes))
            .collect();
        valid_out.write(match proofs {
            Ok(proofs) => srs.context().run(|| key.verify_batch(&inputs, &proofs))?,
            Err(_) => false,
        });
        Ok(())
    })
}
