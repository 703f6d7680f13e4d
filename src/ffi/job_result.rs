// SPDX-License-Identifier: MIT OR Apache-2.0
//! What became of each request of a job.

use std::ffi::{c_char, CString};
use std::mem::MaybeUninit;

use cuzk_prover::schedule::Outcome;
use cuzk_prover::{Error, ErrorKind, Result};

use super::arguments::required;
use super::boundary::boundary;
use super::job::cuzk_job;
use super::lent::no_such;
use super::status::{cuzk_error, cuzk_status};
use super::struct_size::Output;
use super::timings::cuzk_timings;

/// What became of request i; an error while it has not ended.
fn outcome(job: &cuzk_job, i: usize) -> Result<&Outcome> {
    // Asked first: in a forked child that is the error, whatever else is wrong.
    job.job.progress()?;
    let n = job.job.requests();
    if i >= n {
        return Err(no_such(i, n));
    }
    job.job.outcome(i).ok_or_else(|| {
        Error::new(
            ErrorKind::Timeout,
            format!("request {i} of {n} has not ended"),
        )
    })
}

/// Number of results: the requests that the job was started with.
///
/// Errors: CUZK_STATUS_INVALID_ARGUMENT for null.
#[no_mangle]
pub extern "C" fn cuzk_job_result_count(
    job: Option<&cuzk_job>,
    count_out: Option<&mut MaybeUninit<usize>>,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || {
        let job = required(job, "job")?;
        required(count_out, "count_out")?.write(job.job.requests());
        Ok(())
    })
}

/// Writes the status of request i: CUZK_STATUS_OK when it was proved.
///
/// Results are there as soon as their request has ended, also while the job
/// goes on.
///
/// Errors: CUZK_STATUS_TIMEOUT while the request has not ended;
/// CUZK_STATUS_INVALID_ARGUMENT, also for a request that is not there.
#[no_mangle]
pub extern "C" fn cuzk_job_result_status(
    job: Option<&cuzk_job>,
    i: usize,
    status_out: Option<&mut MaybeUninit<cuzk_status>>,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || {
        let job = required(job, "job")?;
        let status_out = required(status_out, "status_out")?;
        status_out.write(match &outcome(job, i)?.result {
            Ok(_) => cuzk_status::Ok,
            Err(error) => error.kind().into(),
        });
        Ok(())
    })
}

/// Points to the text of why request i failed, zero-terminated, empty when it
/// was proved.
///
/// Ownership: the text is the job's and lives until cuzk_job_free().
///
/// Errors: those of cuzk_job_result_status().
#[no_mangle]
pub extern "C" fn cuzk_job_result_message(
    job: Option<&cuzk_job>,
    i: usize,
    message_out: Option<&mut MaybeUninit<*const c_char>>,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || {
        let job = required(job, "job")?;
        let message_out = required(message_out, "message_out")?;
        let text = match &outcome(job, i)?.result {
            Ok(_) => "",
            Err(error) => error.message(),
        };
        let message = job.messages[i].get_or_init(|| {
            let bytes: Vec<u8> = text
                .bytes()
                .map(|byte| if byte.is_ascii_control() { b' ' } else { byte })
                .collect();
            CString::new(bytes).unwrap_or_default()
        });
        message_out.write(message.as_ptr());
        Ok(())
    })
}

/// Points to the proof of request i and writes its length: 192 bytes for each
/// partition, or those of an aggregate.
///
/// Ownership: the bytes are the job's and live until cuzk_job_free().
///
/// Errors: those of cuzk_job_result_status(); the request's own status and
/// text when it failed.
#[no_mangle]
pub extern "C" fn cuzk_job_result_proof(
    job: Option<&cuzk_job>,
    i: usize,
    proof_out: Option<&mut MaybeUninit<*const u8>>,
    proof_len_out: Option<&mut MaybeUninit<usize>>,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || {
        let job = required(job, "job")?;
        let proof_out = required(proof_out, "proof_out")?;
        let proof_len_out = required(proof_len_out, "proof_len_out")?;
        let proof = outcome(job, i)?.result.as_ref().map_err(Clone::clone)?;
        proof_out.write(proof.as_ptr());
        proof_len_out.write(proof.len());
        Ok(())
    })
}

/// Writes where the time of request i went, also when it failed.
///
/// Errors: those of cuzk_job_result_status(); CUZK_STATUS_ABI_MISMATCH for
/// the structure.
#[no_mangle]
pub unsafe extern "C" fn cuzk_job_result_timings(
    job: Option<&cuzk_job>,
    i: usize,
    timings_out: *mut cuzk_timings,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || {
        let job = required(job, "job")?;
        // SAFETY: the header asks for a structure that starts with its size.
        let out = unsafe { Output::new(timings_out, "timings_out")? };
        out.write(&cuzk_timings::of_outcome(outcome(job, i)?));
        Ok(())
    })
}

/// Writes where the time of partition k of request i went.
///
/// Errors: those of cuzk_job_result_status(); CUZK_STATUS_INVALID_ARGUMENT
/// for a partition that was not proved; CUZK_STATUS_ABI_MISMATCH for the
/// structure.
#[no_mangle]
pub unsafe extern "C" fn cuzk_job_result_partition_timings(
    job: Option<&cuzk_job>,
    i: usize,
    k: usize,
    timings_out: *mut cuzk_timings,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || {
        let job = required(job, "job")?;
        // SAFETY: the header asks for a structure that starts with its size.
        let out = unsafe { Output::new(timings_out, "timings_out")? };
        let partitions = &outcome(job, i)?.partitions;
        let proved = partitions.get(k).ok_or_else(|| {
            Error::new(
                ErrorKind::InvalidArgument,
                format!(
                    "k is {k}, {} partitions of request {i} were proved",
                    partitions.len()
                ),
            )
        })?;
        out.write(&cuzk_timings::new(&proved.timings, 1, &proved.backend));
        Ok(())
    })
}
