// SPDX-License-Identifier: MIT OR Apache-2.0
//! Jobs: how they are started, watched, cancelled and ended.

use std::ffi::{c_void, CString};
use std::mem::{offset_of, ManuallyDrop, MaybeUninit};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use cuzk_prover::schedule::{Context, Job, JobOptions, Phase, Priority, Progress, Request};
use cuzk_prover::{Error, ErrorKind, Result};

use super::arguments::required;
use super::boundary::{boundary, ending};
use super::options::{out_of_range, User};
use super::status::{cuzk_error, cuzk_status};
use super::struct_size::{Growing, Output};

/// Work in the background and its results, one for each request.
///
/// A job keeps its context and its parameters alive. Its functions may be
/// called from many threads at once, except cuzk_job_free(), which comes after
/// the others have returned.
pub struct cuzk_job {
    pub(super) job: Job,
    /// The rows that callers lent, for the jobs that have any.
    pub(super) rows: Option<Arc<super::lent::LentRows>>,
    /// The texts of failed requests as C reads them, made when they are asked for.
    pub(super) messages: Vec<OnceLock<CString>>,
}

/// How urgent a job is. Between the partitions of a job more urgent ones
/// overtake it; a partition that was begun is never interrupted.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum cuzk_priority {
    /// CUZK_PRIORITY_NORMAL.
    Default = 0,
    /// When there is nothing else to do.
    Low = 1,
    /// The usual; that of the calls that do not start a job.
    Normal = 2,
    /// Before the usual.
    High = 3,
    /// Before everything.
    Critical = 4,
}

/// What a job is doing.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum cuzk_job_phase {
    /// Waiting to begin.
    Queued = 0,
    /// Reading and checking a request.
    Planning = 1,
    /// Proving partitions, or waiting for a device.
    Proving = 2,
    /// Joining proofs.
    Finishing = 3,
    /// Ended: every request has its result.
    Done = 4,
}

/// How far a job is. Start it with CUZK_PROGRESS_INIT.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_progress {
    /// sizeof(cuzk_progress), as CUZK_PROGRESS_INIT sets it.
    pub struct_size: u32,
    /// A cuzk_job_phase.
    pub phase: i32,
    /// Requests that have ended, well or not.
    pub requests_done: u64,
    /// Requests in all.
    pub requests_total: u64,
    /// Partitions proved.
    pub partitions_done: u64,
    /// Partitions in all, as far as is known: those of a request that failed
    /// count as far as they were proved.
    pub partitions_total: u64,
    /// The part that is done, from 0 to 1.
    pub fraction: f64,
}

/// How a job is started. Start it with CUZK_JOB_OPTIONS_INIT; zero means the
/// default in every member.
///
/// The functions are called one after the other on a thread of the context,
/// never on the caller's. Work does not wait for them, but the context's other
/// callbacks do: they should be quick. They may call the functions of this
/// header, cuzk_job_free() for their own job included.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_job_options {
    /// sizeof(cuzk_job_options), as CUZK_JOB_OPTIONS_INIT sets it.
    pub struct_size: u32,
    /// A cuzk_priority.
    pub priority: i32,
    /// Told how far the job is (valid for the call); null: not told. Several
    /// steps may be told at once, and the last one always is.
    pub progress: Option<unsafe extern "C" fn(user: *mut c_void, now: *const cuzk_progress)>,
    /// Called once when the job has ended, after the last progress; null: not
    /// called.
    pub done: Option<unsafe extern "C" fn(user: *mut c_void)>,
    /// Handed to both.
    pub user: *mut c_void,
}

// SAFETY: integers and a float, struct_size first.
unsafe impl Growing for cuzk_progress {
    const NAME: &'static str = "cuzk_progress";
    const FIRST_SIZE: usize = 48;
}

// SAFETY: integers and pointers, null functions included; struct_size first.
unsafe impl Growing for cuzk_job_options {
    const NAME: &'static str = "cuzk_job_options";
    const FIRST_SIZE: usize = 32;
}

const _: () = assert!(size_of::<cuzk_progress>() == 48);
const _: () = assert!(offset_of!(cuzk_progress, fraction) == 40);
const _: () = assert!(size_of::<cuzk_job_options>() == 32);
const _: () = assert!(offset_of!(cuzk_job_options, user) == 24);

impl From<Progress> for cuzk_progress {
    fn from(progress: Progress) -> Self {
        let phase = match progress.phase {
            Phase::Queued => cuzk_job_phase::Queued,
            Phase::Planning => cuzk_job_phase::Planning,
            Phase::Proving => cuzk_job_phase::Proving,
            Phase::Finishing => cuzk_job_phase::Finishing,
            Phase::Done => cuzk_job_phase::Done,
        };
        Self {
            struct_size: size_of::<Self>() as u32,
            phase: phase as i32,
            requests_done: progress.requests_done as u64,
            requests_total: progress.requests_total as u64,
            partitions_done: progress.partitions_done as u64,
            partitions_total: progress.partitions_total as u64,
            fraction: progress.fraction(),
        }
    }
}

impl cuzk_job_options {
    /// The options as the prover takes them.
    ///
    /// # Safety
    /// The functions can be called with `user`, from another thread, until the job made with
    /// them has ended.
    pub(super) unsafe fn to_options(self) -> Result<JobOptions> {
        let priority = match self.priority {
            0 | 2 => Priority::Normal,
            1 => Priority::Low,
            3 => Priority::High,
            4 => Priority::Critical,
            other => return Err(out_of_range("options.priority", other, 4)),
        };
        let user = Arc::new(User(self.user));
        let mut options = JobOptions {
            priority,
            ..JobOptions::default()
        };
        if let Some(function) = self.progress {
            let user = user.clone();
            options.on_progress = Some(Arc::new(move |progress| {
                let progress = cuzk_progress::from(progress);
                // SAFETY: the caller gave function and pointer for this.
                unsafe { function(user.pointer(), &raw const progress) };
            }));
        }
        if let Some(function) = self.done {
            // SAFETY: as above.
            options.on_done = Some(Arc::new(move || unsafe { function(user.pointer()) }));
        }
        Ok(options)
    }
}

impl cuzk_job {
    /// Starts a job for the caller.
    pub(super) fn start(
        context: &Context,
        requests: Vec<Box<dyn Request>>,
        rows: Option<Arc<super::lent::LentRows>>,
        options: JobOptions,
    ) -> Result<Box<Self>> {
        let messages = requests.iter().map(|_| OnceLock::new()).collect();
        Ok(Box::new(Self {
            job: context.start(requests, options)?,
            rows,
            messages,
        }))
    }
}

/// A time of the caller: none below zero.
pub(super) fn timeout(timeout_ms: i64) -> Option<Duration> {
    u64::try_from(timeout_ms).ok().map(Duration::from_millis)
}

/// Waits until a job has ended: until then, or timeout_ms milliseconds; below
/// zero without a limit.
///
/// That it ended says nothing about its requests: each has a result of its
/// own, see cuzk_job_result_status().
///
/// Errors: CUZK_STATUS_TIMEOUT when it has not ended in time, and it goes on;
/// CUZK_STATUS_INVALID_ARGUMENT when job is null.
#[no_mangle]
pub extern "C" fn cuzk_job_wait(
    job: Option<&cuzk_job>,
    timeout_ms: i64,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || {
        let job = &required(job, "job")?.job;
        match job.wait(timeout(timeout_ms))? {
            true => Ok(()),
            false => Err(Error::new(
                ErrorKind::Timeout,
                format!("the job has not ended after {timeout_ms} milliseconds"),
            )),
        }
    })
}

/// Says whether a job has ended, and does not wait.
///
/// Errors: CUZK_STATUS_INVALID_ARGUMENT for null.
#[no_mangle]
pub extern "C" fn cuzk_job_poll(
    job: Option<&cuzk_job>,
    ended_out: Option<&mut MaybeUninit<bool>>,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || {
        let job = &required(job, "job")?.job;
        let ended_out = required(ended_out, "ended_out")?;
        ended_out.write(job.wait(Some(Duration::ZERO))?);
        Ok(())
    })
}

/// Says how far a job is.
///
/// Errors: CUZK_STATUS_INVALID_ARGUMENT; CUZK_STATUS_ABI_MISMATCH for the
/// structure.
#[no_mangle]
pub unsafe extern "C" fn cuzk_job_progress(
    job: Option<&cuzk_job>,
    progress_out: *mut cuzk_progress,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || {
        let job = &required(job, "job")?.job;
        // SAFETY: the header asks for a structure that starts with its size.
        let out = unsafe { Output::new(progress_out, "progress_out")? };
        out.write(&job.progress()?.into());
        Ok(())
    })
}

/// Asks a job to end, and does not wait for it.
///
/// It ends within one partition. Requests that have ended keep their results,
/// those of the others are CUZK_STATUS_CANCELLED.
///
/// Errors: CUZK_STATUS_INVALID_ARGUMENT when job is null.
#[no_mangle]
pub extern "C" fn cuzk_job_cancel(
    job: Option<&cuzk_job>,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || required(job, "job")?.job.cancel())
}

/// Ends a job; null is accepted.
///
/// A job that still runs is cancelled and waited for: afterwards nothing that
/// it was lent is used any more. What its results pointed to is gone. A
/// function of its options that runs is waited for, unless this is called
/// from it. Context and parameters may be ended before.
#[no_mangle]
pub extern "C" fn cuzk_job_free(job: Option<Box<cuzk_job>>) {
    // In a forked child there is nothing to wait for: what the handle owns is left.
    let job = ManuallyDrop::new(job);
    ending(|| drop(ManuallyDrop::into_inner(job)));
}
