// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commit-2 of many sectors as a job.

use std::mem::{offset_of, MaybeUninit};

use cuzk_prover::schedule::Request;
use cuzk_prover::{room, Result};

use super::arguments::{emptied, required, slice};
use super::boundary::boundary;
use super::context::cuzk_context;
use super::job::{cuzk_job, cuzk_job_options};
use super::options::out_of_range;
use super::status::{cuzk_error, cuzk_status};
use super::struct_size::{self, Growing};
use crate::filecoin::c2::{JobRequest, WitnessMethod};

/// A sector to be proved by a job. Start it with CUZK_C2_REQUEST_INIT; in an
/// array all elements have the same struct_size.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_c2_request {
    /// sizeof(cuzk_c2_request), as CUZK_C2_REQUEST_INIT sets it.
    pub struct_size: u32,
    /// The sector's number.
    pub sector_number: u64,
    /// The Commit-1 output's JSON, plain or wrapped.
    pub c1: *const u8,
    /// Its bytes.
    pub c1_len: usize,
    /// The prover: see cuzk_prover_id_from_actor().
    pub prover_id: [u8; 32],
    /// 1 for the partitions' proofs one after the other instead of a proof,
    /// as cuzk_c2_circuit_proofs() makes them, and prover_id is not looked
    /// at; else 0.
    pub circuit_proofs: u32,
}

// SAFETY: integers and a pointer, struct_size first; the gaps are never looked at.
unsafe impl Growing for cuzk_c2_request {
    const NAME: &'static str = "cuzk_c2_request";
    const FIRST_SIZE: usize = 64;
}

const _: () = assert!(size_of::<cuzk_c2_request>() == 72);
const _: () = assert!(offset_of!(cuzk_c2_request, sector_number) == 8);
const _: () = assert!(offset_of!(cuzk_c2_request, prover_id) == 32);
const _: () = assert!(offset_of!(cuzk_c2_request, circuit_proofs) == 64);

/// Starts to prove n sectors, and does not wait.
///
/// As cuzk_c2_prove() for each, in their order; their kinds and sizes may
/// differ. Each has a result of its own, and one that is bad does not fail
/// the others. requests and the Commit-1 outputs are copied. options is null
/// or started with CUZK_JOB_OPTIONS_INIT.
///
/// Ownership: the job is yours; end it with cuzk_job_free().
///
/// Errors: CUZK_STATUS_INVALID_ARGUMENT; CUZK_STATUS_ABI_MISMATCH for a
/// structure; CUZK_STATUS_OUT_OF_MEMORY when there is none for the copies or
/// no thread can be started. Everything else is the result of a request.
#[no_mangle]
pub unsafe extern "C" fn cuzk_c2_prove_start(
    context: Option<&cuzk_context>,
    requests: *const cuzk_c2_request,
    n: usize,
    options: *const cuzk_job_options,
    job_out: Option<&mut MaybeUninit<Option<Box<cuzk_job>>>>,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    let job_out = emptied(job_out, None);
    boundary(error_out, || {
        let job_out = required(job_out, "job_out")?;
        let context = &required(context, "context")?.context;
        // SAFETY: the header asks for n structures of the first one's size, for null or a
        // structure that starts with its size, and for functions that can be called until the
        // job has ended.
        let (requests, options) = unsafe {
            (
                struct_size::read_array(requests, n, "requests")?,
                struct_size::read(options, "options")?.to_options()?,
            )
        };
        let copies = requests.iter().enumerate().map(|(i, request)| {
            // SAFETY: the header asks for c1_len bytes.
            let copy = unsafe { copy(request) };
            copy.map_err(|error| error.context(format_args!("requests[{i}]")))
        });
        let job = cuzk_job::start(context, copies.collect::<Result<_>>()?, None, options)?;
        job_out.write(Some(job));
        Ok(())
    })
}

/// A request that needs nothing of the caller any more.
///
/// # Safety
/// `request.c1` is null or points to `c1_len` bytes that nobody changes during the call.
unsafe fn copy(request: &cuzk_c2_request) -> Result<Box<dyn Request>> {
    // SAFETY: the caller's contract.
    let bytes = unsafe { slice(request.c1, request.c1_len, "c1")? };
    let copied = bytes.iter().copied();
    let c1 = room::collected("the copy of a C1 output", bytes.len(), copied)?;
    let (number, method) = (request.sector_number, WitnessMethod::default());
    Ok(Box::new(match request.circuit_proofs {
        0 => JobRequest::new(c1, request.prover_id, number, method),
        1 => JobRequest::for_circuit_proofs(c1, number, method),
        other => return Err(out_of_range("circuit_proofs", other as i32, 1)),
    }))
}
