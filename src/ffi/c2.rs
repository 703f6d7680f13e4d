// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commit-2 of one sector: describe, check, prove, verify.

use std::ffi::c_char;
use std::mem::{offset_of, MaybeUninit};
use std::time::Instant;

use cuzk_prover::cancel::Cancel;
use cuzk_prover::{Error, ErrorKind, Result};

use super::arguments::{copy_text, required, slice, slice_out, write_bytes, BytesOut};
use super::boundary::boundary;
use super::context::cuzk_context;
use super::proof::cuzk_proof;
use super::status::{cuzk_error, cuzk_status};
use super::struct_size::{self, Growing, Output};
use super::timings::cuzk_timings;
use crate::filecoin::{c2, prover_id_from_actor, Head, SealProof};

/// What a Commit-1 output asks for. Start it with CUZK_C2_DESCRIPTION_INIT.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_c2_description {
    /// sizeof(cuzk_c2_description), as CUZK_C2_DESCRIPTION_INIT sets it.
    pub struct_size: u32,
    /// Filecoin's number of the registered seal proof.
    pub registered_proof: u32,
    /// Bytes of the sector.
    pub sector_size: u64,
    /// Partitions of the proof, each a Groth16 proof of its own.
    pub partitions: u32,
    /// 1 when the output names its sector (the wrapped form does), else 0.
    pub has_sector_number: u32,
    /// The sector's number, where the output names it.
    pub sector_number: u64,
    /// Bytes of the proof: 192 a partition, or those of an aggregate.
    pub proof_len: u64,
    /// The registered proof's name, such as "StackedDrg32GiBV1_1".
    pub name: [c_char; 64],
    /// The circuit's name in Filecoin's parameter folder.
    pub circuit: [c_char; 256],
}

/// What a seal proof states, as its verifiers know it. Start it with
/// CUZK_C2_STATEMENT_INIT.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_c2_statement {
    /// sizeof(cuzk_c2_statement), as CUZK_C2_STATEMENT_INIT sets it.
    pub struct_size: u32,
    /// Filecoin's number of the registered seal proof.
    pub registered_proof: u32,
    /// The sector's number.
    pub sector_number: u64,
    /// The prover: see cuzk_prover_id_from_actor().
    pub prover_id: [u8; 32],
    /// Commitment to the replica.
    pub comm_r: [u8; 32],
    /// Commitment to the data.
    pub comm_d: [u8; 32],
    /// Randomness of the replica id.
    pub ticket: [u8; 32],
    /// Randomness of the challenges.
    pub seed: [u8; 32],
}

// SAFETY: integers only, struct_size first.
unsafe impl Growing for cuzk_c2_description {
    const NAME: &'static str = "cuzk_c2_description";
    const FIRST_SIZE: usize = 360;
}

// SAFETY: integers only, struct_size first.
unsafe impl Growing for cuzk_c2_statement {
    const NAME: &'static str = "cuzk_c2_statement";
    const FIRST_SIZE: usize = 176;
}

impl cuzk_c2_statement {
    /// The statement with a known kind of proof.
    pub(super) fn to_statement(self) -> Result<c2::Statement> {
        Ok(c2::Statement {
            proof: SealProof::from_number(self.registered_proof.into())?,
            comm_r: self.comm_r,
            comm_d: self.comm_d,
            prover_id: self.prover_id,
            sector_number: self.sector_number,
            ticket: self.ticket,
            seed: self.seed,
        })
    }
}

const _: () = assert!(size_of::<cuzk_c2_description>() == 360);
const _: () = assert!(offset_of!(cuzk_c2_description, proof_len) == 32);
const _: () = assert!(offset_of!(cuzk_c2_description, circuit) == 104);
const _: () = assert!(size_of::<cuzk_c2_statement>() == 176);
const _: () = assert!(offset_of!(cuzk_c2_statement, seed) == 144);

/// Writes the 32 bytes of the prover id of an actor.
///
/// Errors: CUZK_STATUS_INVALID_ARGUMENT when prover_id_out is null.
#[no_mangle]
pub unsafe extern "C" fn cuzk_prover_id_from_actor(
    actor_id: u64,
    prover_id_out: *mut u8,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || {
        // SAFETY: the header asks for room for 32 bytes.
        let out = unsafe { slice_out(prover_id_out, 32, "prover_id_out")? };
        write_bytes(out, &prover_id_from_actor(actor_id));
        Ok(())
    })
}

/// Describes a Commit-1 output: registered proof, partitions, proof length.
///
/// c1 is the output's JSON, plain or wrapped with sector number and size. The
/// vanilla proofs in it are skipped.
///
/// Errors: CUZK_STATUS_INVALID_C1; CUZK_STATUS_INVALID_ARGUMENT;
/// CUZK_STATUS_ABI_MISMATCH for the structure.
#[no_mangle]
pub unsafe extern "C" fn cuzk_c2_info(
    c1: *const u8,
    c1_len: usize,
    description_out: *mut cuzk_c2_description,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || {
        // SAFETY: the header asks for c1_len bytes, and for a structure that starts with its
        // size.
        let (c1, out) = unsafe {
            (
                slice(c1, c1_len, "c1")?,
                Output::new(description_out, "description_out")?,
            )
        };
        let info = c2::info(c1)?;
        out.write(&cuzk_c2_description {
            struct_size: size_of::<cuzk_c2_description>() as u32,
            registered_proof: info.proof.number() as u32,
            sector_size: info.proof.sector_size().bytes(),
            partitions: info.partitions as u32,
            has_sector_number: u32::from(info.sector_number.is_some()),
            sector_number: info.sector_number.unwrap_or(0),
            proof_len: info.proof_bytes as u64,
            name: copy_text(&info.proof.name()),
            circuit: copy_text(&info.circuit),
        });
        Ok(())
    })
}

/// Checks that a Commit-1 output belongs to a sector of a prover.
///
/// The replica id is computed again from prover id (32 bytes), sector number,
/// ticket, comm_d and registered proof, and compared: a wrong miner or sector
/// is found in microseconds, before anything is proved. cuzk_c2_prove() does
/// it by itself.
///
/// Errors: CUZK_STATUS_INVALID_C1; CUZK_STATUS_INVALID_ARGUMENT when it
/// belongs to another, or for null.
#[no_mangle]
pub unsafe extern "C" fn cuzk_c2_check(
    c1: *const u8,
    c1_len: usize,
    sector_number: u64,
    prover_id: *const u8,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || {
        // SAFETY: the header asks for c1_len bytes and for 32.
        let (c1, prover_id) = unsafe { (slice(c1, c1_len, "c1")?, node(prover_id)?) };
        c2::check(c1, prover_id, sector_number)
    })
}

/// Writes what the proof for a Commit-1 output will state, for
/// cuzk_c2_verify().
///
/// Errors: those of cuzk_c2_check(), and CUZK_STATUS_ABI_MISMATCH for the
/// structure.
#[no_mangle]
pub unsafe extern "C" fn cuzk_c2_statement_from_c1(
    c1: *const u8,
    c1_len: usize,
    sector_number: u64,
    prover_id: *const u8,
    statement_out: *mut cuzk_c2_statement,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || {
        // SAFETY: the header asks for c1_len bytes, for 32, and for a structure that starts with
        // its size.
        let (c1, prover_id, out) = unsafe {
            (
                slice(c1, c1_len, "c1")?,
                node(prover_id)?,
                Output::new(statement_out, "statement_out")?,
            )
        };
        c2::check(c1, prover_id, sector_number)?;
        let statement = c2::Statement::of(&Head::parse(c1)?, prover_id, sector_number);
        out.write(&cuzk_c2_statement {
            struct_size: size_of::<cuzk_c2_statement>() as u32,
            registered_proof: statement.proof.number() as u32,
            sector_number: statement.sector_number,
            prover_id: statement.prover_id,
            comm_r: statement.comm_r,
            comm_d: statement.comm_d,
            ticket: statement.ticket,
            seed: statement.seed,
        });
        Ok(())
    })
}

/// Proves a sector: from a Commit-1 output to the proof that goes on chain.
///
/// That of a non-interactive sector is the aggregate of its partitions'
/// proofs; to aggregate several such sectors, see cuzk_c2_circuit_proofs().
///
/// Parameters and circuit are brought into memory when they are not there;
/// cuzk_context_warm_up() does that beforehand. prover_id has 32 bytes.
/// proof_out has room for capacity bytes; proof_len_out gets the proof's
/// length, also when it does not fit, which is found before anything is
/// proved: cuzk_c2_info() tells it too. timings_out is null or started with
/// CUZK_TIMINGS_INIT.
///
/// Errors: CUZK_STATUS_INVALID_C1 naming the field;
/// CUZK_STATUS_INVALID_ARGUMENT, also for an output of another sector or
/// prover; CUZK_STATUS_BUFFER_TOO_SMALL; CUZK_STATUS_PARAMETERS_NOT_FOUND
/// with the file and how to get it; CUZK_STATUS_INVALID_SRS and
/// CUZK_STATUS_IO for a bad file; CUZK_STATUS_OUT_OF_MEMORY and
/// CUZK_STATUS_OUT_OF_DEVICE_MEMORY with needed and present;
/// CUZK_STATUS_SELF_CHECK_FAILED; CUZK_STATUS_DEVICE_FAILED;
/// CUZK_STATUS_ABI_MISMATCH for timings_out.
#[no_mangle]
pub unsafe extern "C" fn cuzk_c2_prove(
    context: Option<&cuzk_context>,
    c1: *const u8,
    c1_len: usize,
    sector_number: u64,
    prover_id: *const u8,
    proof_out: *mut u8,
    capacity: usize,
    proof_len_out: Option<&mut MaybeUninit<usize>>,
    timings_out: *mut cuzk_timings,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || {
        let start = Instant::now();
        let context = &required(context, "context")?.context;
        // SAFETY: the header asks for c1_len bytes, for 32, for room for capacity bytes, and for
        // null or a structure that starts with its size.
        let (c1, prover_id, mut proof_out, timings_out) = unsafe {
            (
                slice(c1, c1_len, "c1")?,
                node(prover_id)?,
                BytesOut::new(proof_out, capacity, proof_len_out, "proof")?,
                Output::optional(timings_out, "timings_out")?,
            )
        };
        let request = c2::Request::new(c1, prover_id, sector_number)?;
        proof_out.check_room(request.output_bytes())?;
        let output = c2::prove(context, &request, &c2::Options::default())?;
        proof_out.write(&output.proof)?;
        write_timings(timings_out, &output, request.proof().partitions(), start);
        Ok(())
    })
}

/// Proves partition k alone, so that one proof can be spread over machines.
///
/// As cuzk_c2_prove(), but 192 bytes are written; cuzk_c2_assemble() joins
/// the partitions' proofs.
///
/// Errors: those of cuzk_c2_prove(), and CUZK_STATUS_INVALID_ARGUMENT for a
/// partition that the proof does not have.
#[no_mangle]
pub unsafe extern "C" fn cuzk_c2_prove_partition(
    context: Option<&cuzk_context>,
    c1: *const u8,
    c1_len: usize,
    sector_number: u64,
    prover_id: *const u8,
    k: u32,
    proof_out: Option<&mut MaybeUninit<cuzk_proof>>,
    timings_out: *mut cuzk_timings,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || {
        let start = Instant::now();
        let context = &required(context, "context")?.context;
        // SAFETY: the header asks for c1_len bytes, for 32, and for null or a structure that
        // starts with its size.
        let (c1, prover_id, timings_out) = unsafe {
            (
                slice(c1, c1_len, "c1")?,
                node(prover_id)?,
                Output::optional(timings_out, "timings_out")?,
            )
        };
        let proof_out = required(proof_out, "proof_out")?;
        let request = c2::Request::new(c1, prover_id, sector_number)?;
        let output = c2::prove_partition(context, &request, k as usize, &c2::Options::default())?;
        let bytes = output.proof.as_slice().try_into().map_err(|_| {
            Error::new(
                ErrorKind::Internal,
                format!("a partition's proof has {} bytes", output.proof.len()),
            )
        })?;
        proof_out.write(cuzk_proof { bytes });
        write_timings(timings_out, &output, 1, start);
        Ok(())
    })
}

/// Joins the proofs of all n partitions, in their order, after verifying
/// each; those of a non-interactive sector are aggregated.
///
/// proof_out has room for capacity bytes; proof_len_out gets the length, also
/// when it does not fit.
///
/// Errors: those of cuzk_c2_check(); CUZK_STATUS_INVALID_ARGUMENT, also for
/// another number of partitions and for a partition whose proof is not valid,
/// which is named; CUZK_STATUS_BUFFER_TOO_SMALL;
/// CUZK_STATUS_PARAMETERS_NOT_FOUND, CUZK_STATUS_INVALID_SRS and
/// CUZK_STATUS_IO for the verifying key and the file for aggregation.
#[no_mangle]
pub unsafe extern "C" fn cuzk_c2_assemble(
    context: Option<&cuzk_context>,
    c1: *const u8,
    c1_len: usize,
    sector_number: u64,
    prover_id: *const u8,
    proofs: *const cuzk_proof,
    n: usize,
    proof_out: *mut u8,
    capacity: usize,
    proof_len_out: Option<&mut MaybeUninit<usize>>,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || {
        let context = &required(context, "context")?.context;
        // SAFETY: the header asks for c1_len bytes, for 32, for n proofs and for room for
        // capacity bytes.
        let (c1, prover_id, proofs, mut proof_out) = unsafe {
            (
                slice(c1, c1_len, "c1")?,
                node(prover_id)?,
                slice(proofs, n, "proofs")?,
                BytesOut::new(proof_out, capacity, proof_len_out, "proof")?,
            )
        };
        let request = c2::Request::new(c1, prover_id, sector_number)?;
        proof_out.check_room(request.output_bytes())?;
        let proofs: Vec<&[u8]> = proofs.iter().map(|proof| proof.bytes.as_slice()).collect();
        let joined = c2::assemble(context, &request, &proofs)?;
        proof_out.write(&joined)
    })
}

/// Verifies a seal proof, under the verifying key in the context's parameter
/// folder; that of a non-interactive sector also under the powers there.
///
/// valid_out becomes true or false; bytes that are no proof's points are
/// false.
///
/// Errors: CUZK_STATUS_INVALID_ARGUMENT, also for a proof of another length
/// and an unknown registered proof; CUZK_STATUS_ABI_MISMATCH for the
/// structure; CUZK_STATUS_PARAMETERS_NOT_FOUND, CUZK_STATUS_INVALID_SRS and
/// CUZK_STATUS_IO for the verifying key and the file for aggregation.
#[no_mangle]
pub unsafe extern "C" fn cuzk_c2_verify(
    context: Option<&cuzk_context>,
    statement: *const cuzk_c2_statement,
    proof: *const u8,
    proof_len: usize,
    valid_out: Option<&mut MaybeUninit<bool>>,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || {
        let context = &required(context, "context")?.context;
        // SAFETY: the header asks for a structure that starts with its size and for proof_len
        // bytes.
        let (statement, proof) = unsafe {
            (
                struct_size::read_required(statement, "statement")?,
                slice(proof, proof_len, "proof")?,
            )
        };
        let valid_out = required(valid_out, "valid_out")?;
        valid_out.write(c2::verify(context, &statement.to_statement()?, proof)?);
        Ok(())
    })
}

/// Brings the parameters and the circuit of a registered proof into memory,
/// so that its first proof takes no longer than the later ones.
///
/// Errors: CUZK_STATUS_INVALID_ARGUMENT, also for an unknown registered
/// proof; CUZK_STATUS_PARAMETERS_NOT_FOUND, CUZK_STATUS_INVALID_SRS and
/// CUZK_STATUS_IO for the files; CUZK_STATUS_OUT_OF_MEMORY and
/// CUZK_STATUS_OUT_OF_DEVICE_MEMORY when the budget cannot hold them.
#[no_mangle]
pub extern "C" fn cuzk_context_warm_up(
    context: Option<&cuzk_context>,
    registered_proof: u32,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || {
        let context = &required(context, "context")?.context;
        let proof = SealProof::from_number(registered_proof.into())?;
        c2::warm_up(context, proof, &Cancel::default())
    })
}

/// The 32 bytes of a prover id.
///
/// # Safety
/// `prover_id` is null or points to 32 bytes that nobody changes during the call.
unsafe fn node<'a>(prover_id: *const u8) -> Result<&'a [u8; 32]> {
    // SAFETY: the caller's contract.
    let bytes = unsafe { slice(prover_id, 32, "prover_id")? };
    bytes
        .try_into()
        .map_err(|_| Error::new(ErrorKind::Internal, "prover_id is not 32 bytes"))
}

/// Writes the timings of proofs begun at `start`, if they are wanted.
pub(super) fn write_timings(
    place: Option<Output<cuzk_timings>>,
    output: &c2::Output,
    partitions: usize,
    start: Instant,
) {
    if let Some(place) = place {
        let mut timings = output.timings;
        timings.total = start.elapsed();
        place.write(&cuzk_timings::new(&timings, partitions, &output.backend));
    }
}
