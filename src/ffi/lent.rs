// SPDX-License-Identifier: MIT OR Apache-2.0
//! Jobs over assignments whose rows the caller evaluated and lends.

use std::mem::MaybeUninit;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cuzk_prover::backend::Assignment;
use cuzk_prover::cancel::Cancel;
use cuzk_prover::curve::Scalar;
use cuzk_prover::groth16::{check_assignment, GivenAssignment, Proof};
use cuzk_prover::schedule::{Context, Lender, Partition, Request, Source, Srs};
use cuzk_prover::timing::{timed, Timings};
use cuzk_prover::{Error, ErrorKind, Result};

use super::arguments::{emptied, required, slice};
use super::assignment::{cuzk_assignment, look_at};
use super::boundary::boundary;
use super::context::cuzk_context;
use super::job::{cuzk_job, cuzk_job_options, timeout};
use super::prove::{cuzk_randomness, pairs};
use super::srs::cuzk_srs;
use super::status::{cuzk_error, cuzk_status};
use super::struct_size;

/// Which assignments of a job still need their rows.
pub(super) struct LentRows {
    needed: Mutex<Vec<bool>>,
    changed: Condvar,
}

impl LentRows {
    fn lock(&self) -> MutexGuard<'_, Vec<bool>> {
        self.needed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the rows of an assignment are not needed any more, or for the given time.
    fn wait(&self, i: usize, timeout: Option<Duration>) -> Result<bool> {
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut needed = self.lock();
        let n = needed.len();
        while *needed.get(i).ok_or_else(|| no_such(i, n))? {
            let left = match deadline {
                None => Duration::from_secs(3600),
                Some(deadline) => deadline.saturating_duration_since(Instant::now()),
            };
            if left.is_zero() {
                return Ok(false);
            }
            let waited = self.changed.wait_timeout(needed, left);
            needed = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(true)
    }
}

/// The error of an index past the end.
pub(super) fn no_such(i: usize, n: usize) -> Error {
    Error::new(
        ErrorKind::InvalidArgument,
        format!("i is {i}, the job has {n} requests"),
    )
}

/// Says with its end that the rows of an assignment are not needed any more.
struct Loan {
    rows: Arc<LentRows>,
    i: usize,
}

impl Drop for Loan {
    fn drop(&mut self) {
        self.rows.lock()[self.i] = false;
        self.rows.changed.notify_all();
    }
}

/// One assignment of a job.
struct LentRequest {
    srs: Srs,
    assignment: cuzk_assignment,
    randomness: Option<(Scalar, Scalar)>,
    loan: Option<Loan>,
}

/// An assignment that was looked at, for as long as it is proved.
struct LentAssignment {
    given: GivenAssignment<'static>,
    _loan: Loan,
}

impl Lender for LentAssignment {
    fn assignment(&self) -> Assignment<'_> {
        self.given.assignment()
    }
}

impl Request for LentRequest {
    fn plan(
        &mut self,
        context: &Context,
        cancel: &Cancel,
        timings: &mut Timings,
    ) -> Result<Vec<Partition<'static>>> {
        cancel.check()?;
        let loan = self
            .loan
            .take()
            .ok_or_else(|| Error::new(ErrorKind::Internal, "a request was planned twice"))?;
        // SAFETY: cuzk_prove_start() asks for arrays that stay until the job has ended, and a job
        // drops its partitions before that.
        let given = timed(&mut timings.parse, || {
            context.run(|| unsafe { look_at(&self.assignment, self.srs.shape()) })
        })?;
        check_assignment(&given.assignment(), self.srs.shape())?;
        let lent = LentAssignment { given, _loan: loan };
        Ok(vec![Partition {
            srs: self.srs.clone(),
            source: Source::Lent(Box::new(lent)),
            randomness: self.randomness,
        }])
    }

    fn finish(&mut self, _: &Context, proofs: &[Proof], _: &mut Timings) -> Result<Vec<u8>> {
        Ok(proofs.iter().flat_map(Proof::to_bytes).collect())
    }
}

/// Starts to prove n assignments whose rows the caller evaluated, and does
/// not wait.
///
/// As cuzk_prove(), but each assignment is a request of the job with a result
/// of its own, and one that is bad does not fail the others. options is null
/// or started with CUZK_JOB_OPTIONS_INIT. The arrays assignments and
/// randomness are copied. What an assignment points to is lent: a, b and c
/// until cuzk_job_abc_released() says so, the rest until the job has ended;
/// nobody may change it before.
///
/// Ownership: the job is yours; end it with cuzk_job_free().
///
/// Errors: CUZK_STATUS_INVALID_ARGUMENT; CUZK_STATUS_ABI_MISMATCH for
/// options; CUZK_STATUS_OUT_OF_MEMORY when no thread can be started.
/// Everything else is the result of a request.
#[no_mangle]
pub unsafe extern "C" fn cuzk_prove_start(
    context: Option<&cuzk_context>,
    srs: Option<&cuzk_srs>,
    assignments: *const cuzk_assignment,
    n: usize,
    randomness: *const cuzk_randomness,
    options: *const cuzk_job_options,
    job_out: Option<&mut MaybeUninit<Option<Box<cuzk_job>>>>,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    let job_out = emptied(job_out, None);
    boundary(error_out, || {
        let job_out = required(job_out, "job_out")?;
        let context = &required(context, "context")?.context;
        let srs = &required(srs, "srs")?.srs;
        // SAFETY: the header asks for n elements each, for null or a structure that starts with
        // its size, and for functions that can be called until the job has ended.
        let (assignments, randomness, options) = unsafe {
            (
                slice(assignments, n, "assignments")?,
                pairs(randomness, n)?,
                struct_size::read(options, "options")?.to_options()?,
            )
        };
        let rows = Arc::new(LentRows {
            needed: Mutex::new(vec![true; n]),
            changed: Condvar::new(),
        });
        let requests = assignments.iter().enumerate().map(|(i, assignment)| {
            Box::new(LentRequest {
                srs: srs.clone(),
                assignment: *assignment,
                randomness: randomness.as_ref().map(|pairs| pairs[i]),
                loan: Some(Loan {
                    rows: rows.clone(),
                    i,
                }),
            }) as Box<dyn Request>
        });
        let job = cuzk_job::start(context, requests.collect(), Some(rows.clone()), options)?;
        job_out.write(Some(job));
        Ok(())
    })
}

/// Waits until the rows a, b and c of assignment i of a job made by
/// cuzk_prove_start() may be changed or freed: until then, or timeout_ms
/// milliseconds; below zero without a limit, and 0 only asks.
///
/// A proof that does not verify is made again from the rows: with
/// self-verification on they are needed until the proof has been verified,
/// which can be long before the job has ended.
///
/// Errors: CUZK_STATUS_TIMEOUT when they are still needed;
/// CUZK_STATUS_INVALID_ARGUMENT, also for an assignment that is not there and
/// for another kind of job.
#[no_mangle]
pub extern "C" fn cuzk_job_abc_released(
    job: Option<&cuzk_job>,
    i: usize,
    timeout_ms: i64,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || {
        let rows = required(job, "job")?.rows.as_ref().ok_or_else(|| {
            Error::new(
                ErrorKind::InvalidArgument,
                "the job was not started by cuzk_prove_start and was lent no rows",
            )
        })?;
        match rows.wait(i, timeout(timeout_ms))? {
            true => Ok(()),
            false => Err(Error::new(
                ErrorKind::Timeout,
                format!("the rows of assignment {i} are needed after {timeout_ms} milliseconds"),
            )),
        }
    })
}
