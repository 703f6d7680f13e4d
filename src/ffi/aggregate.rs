// SPDX-License-Identifier: MIT OR Apache-2.0
//! Circuit proofs, and their aggregation over sectors.

use std::mem::MaybeUninit;
use std::time::Instant;

use cuzk_prover::groth16::PROOF_BYTES;
use cuzk_prover::{Error, ErrorKind, Result};

use super::arguments::{required, slice, slice_out, too_small, BytesOut};
use super::boundary::boundary;
use super::c2::{cuzk_c2_statement, write_timings};
use super::context::cuzk_context;
use super::proof::cuzk_proof;
use super::status::{cuzk_error, cuzk_status};
use super::struct_size::{self, Output};
use super::timings::cuzk_timings;
use crate::filecoin::{aggregate, c2, Aggregation};

/// How proofs are aggregated: Filecoin's numbers of registered aggregations.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum cuzk_aggregation {
    /// SnarkPack, version 1.
    SnarkPackV1 = 0,
    /// SnarkPack, version 2: that of non-interactive sectors.
    SnarkPackV2 = 1,
}

const _: () = assert!(cuzk_aggregation::SnarkPackV1 as i32 == 0);
const _: () = assert!(cuzk_aggregation::SnarkPackV2 as i32 == 1);

/// Proves a sector and leaves the partitions' proofs apart, so that those of
/// several sectors can be aggregated by cuzk_c2_aggregate().
///
/// As cuzk_c2_prove(), for non-interactive sectors above all: the proof of one
/// such sector is an aggregate already, and aggregates cannot be aggregated.
/// No prover is named: the proofs are for the replica id in the output, and
/// sector_number is compared with that of a wrapped output only. proofs_out
/// has room for capacity proofs; n_out gets their number, the partitions',
/// also when they do not fit, which is found before anything is proved.
/// timings_out is null or started with CUZK_TIMINGS_INIT.
///
/// Errors: those of cuzk_c2_prove().
#[no_mangle]
pub unsafe extern "C" fn cuzk_c2_circuit_proofs(
    context: Option<&cuzk_context>,
    c1: *const u8,
    c1_len: usize,
    sector_number: u64,
    proofs_out: *mut cuzk_proof,
    capacity: usize,
    n_out: Option<&mut MaybeUninit<usize>>,
    timings_out: *mut cuzk_timings,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || {
        let start = Instant::now();
        let context = &required(context, "context")?.context;
        // SAFETY: the header asks for c1_len bytes, for room for capacity proofs, and for null or
        // a structure that starts with its size.
        let (c1, proofs_out, timings_out) = unsafe {
            (
                slice(c1, c1_len, "c1")?,
                slice_out(proofs_out, capacity, "proofs_out")?,
                Output::optional(timings_out, "timings_out")?,
            )
        };
        let n_out = required(n_out, "n_out")?;
        let request = c2::Request::for_circuit_proofs(c1, sector_number)?;
        let partitions = request.proof().partitions();
        if capacity < partitions {
            n_out.write(partitions);
            return Err(too_small(
                "proofs_out",
                capacity * PROOF_BYTES,
                request.output_bytes(),
            ));
        }
        let output = c2::prove(context, &request, &c2::Options::default())?;
        for (place, bytes) in proofs_out.iter_mut().zip(output.proof.chunks(PROOF_BYTES)) {
            let bytes = bytes.try_into().map_err(|_| {
                Error::new(ErrorKind::Internal, "a circuit proof of another length")
            })?;
            place.write(cuzk_proof { bytes });
        }
        n_out.write(partitions);
        write_timings(timings_out, &output, partitions, start);
        Ok(())
    })
}

/// Aggregates the proofs of sectors of one kind, after verifying each.
///
/// aggregation is a cuzk_aggregation. statements says of each of the n sectors
/// what its proof states; each was started with CUZK_C2_STATEMENT_INIT.
/// proofs are those of all partitions, sector after sector in the order of the
/// statements: proofs_len is n times the partitions of the kind. Proofs of
/// interactive sectors are such proofs, one after the other; of
/// non-interactive ones cuzk_c2_circuit_proofs() makes them. aggregate_out has
/// room for capacity bytes; aggregate_len_out gets the length, also when it
/// does not fit, which is found before anything is done.
///
/// An aggregate has at most 16384 partitions, and at most 65 sectors of a
/// non-interactive kind. A context without self-verification verifies neither
/// the proofs nor the aggregate.
///
/// Errors: CUZK_STATUS_INVALID_ARGUMENT, also for sectors of several kinds,
/// too many or none, and for a proof that is not valid, which is named;
/// CUZK_STATUS_ABI_MISMATCH for the structures; CUZK_STATUS_BUFFER_TOO_SMALL;
/// CUZK_STATUS_PARAMETERS_NOT_FOUND, CUZK_STATUS_INVALID_SRS and
/// CUZK_STATUS_IO for the verifying key and the file for aggregation;
/// CUZK_STATUS_OUT_OF_MEMORY with needed and present;
/// CUZK_STATUS_SELF_CHECK_FAILED.
#[no_mangle]
pub unsafe extern "C" fn cuzk_c2_aggregate(
    context: Option<&cuzk_context>,
    aggregation: i32,
    statements: *const cuzk_c2_statement,
    n: usize,
    proofs: *const cuzk_proof,
    proofs_len: usize,
    aggregate_out: *mut u8,
    capacity: usize,
    aggregate_len_out: Option<&mut MaybeUninit<usize>>,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || {
        let context = &required(context, "context")?.context;
        // SAFETY: the header asks for n structures of the first one's size, for proofs_len proofs
        // and for room for capacity bytes.
        let (statements, proofs, mut aggregate_out) = unsafe {
            (
                read_statements(statements, n)?,
                slice(proofs, proofs_len, "proofs")?,
                BytesOut::new(aggregate_out, capacity, aggregate_len_out, "aggregate")?,
            )
        };
        let aggregation = Aggregation::from_number(aggregation.into())?;
        aggregate_out.check_room(aggregate::aggregate_length(&statements)?)?;
        let proofs: Vec<u8> = proofs.iter().flat_map(|proof| proof.bytes).collect();
        let made = aggregate::aggregate(context, aggregation, &statements, &proofs)?;
        aggregate_out.write(&made)
    })
}

/// Verifies an aggregate of the proofs of n sectors, in the order of the
/// statements, under verifying key and powers in the context's parameter
/// folder.
///
/// aggregation is a cuzk_aggregation. valid_out becomes true or false; bytes
/// that are no group elements are false. The proof of one non-interactive
/// sector is an aggregate of version 2; cuzk_c2_verify() verifies it too.
///
/// Errors: CUZK_STATUS_INVALID_ARGUMENT, also for sectors of several kinds,
/// too many or none, and for an aggregate of another length;
/// CUZK_STATUS_ABI_MISMATCH for the structures;
/// CUZK_STATUS_PARAMETERS_NOT_FOUND, CUZK_STATUS_INVALID_SRS and
/// CUZK_STATUS_IO for the verifying key and the file for aggregation.
#[no_mangle]
pub unsafe extern "C" fn cuzk_c2_verify_aggregate(
    context: Option<&cuzk_context>,
    aggregation: i32,
    statements: *const cuzk_c2_statement,
    n: usize,
    aggregate: *const u8,
    aggregate_len: usize,
    valid_out: Option<&mut MaybeUninit<bool>>,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || {
        let context = &required(context, "context")?.context;
        // SAFETY: the header asks for n structures of the first one's size and for aggregate_len
        // bytes.
        let (statements, aggregate) = unsafe {
            (
                read_statements(statements, n)?,
                slice(aggregate, aggregate_len, "aggregate")?,
            )
        };
        let valid_out = required(valid_out, "valid_out")?;
        let aggregation = Aggregation::from_number(aggregation.into())?;
        valid_out.write(aggregate::verify_aggregate(
            context,
            aggregation,
            &statements,
            aggregate,
        )?);
        Ok(())
    })
}

/// The statements of the caller's array.
///
/// # Safety
/// As for [`struct_size::read_array`].
unsafe fn read_statements(
    statements: *const cuzk_c2_statement,
    n: usize,
) -> Result<Vec<c2::Statement>> {
    // SAFETY: the caller's contract.
    let statements = unsafe { struct_size::read_array(statements, n, "statements")? };
    let read = |(i, statement): (usize, &cuzk_c2_statement)| {
        let statement = statement.to_statement();
        statement.map_err(|error| error.context(format_args!("statements[{i}]")))
    };
    statements.iter().enumerate().map(read).collect()
}
