// SPDX-License-Identifier: MIT OR Apache-2.0
//! Jobs: requests proved in the background, each with a result of its own.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::context::Context;
use super::notifier::Notifier;
use super::pool;
use super::prove::{Partition, Proved};
use super::queue::{Place, Priority};
use crate::cancel::Cancel;
use crate::error::catch;
use crate::groth16::Proof;
use crate::timing::Timings;
use crate::{Error, ErrorKind, Result};

/// Something to be proved whose partitions become one result.
///
/// Its methods run on the job's thread; what shall run on the context's threads goes through
/// `Context::run`. A panic in them is the request's error.
pub trait Request: Send {
    /// How many partitions to expect, for the progress before `plan` has run.
    fn expected_partitions(&self) -> usize {
        1
    }

    /// Checks what was asked for and says what is to be proved. Adds to `parse`.
    fn plan(
        &mut self,
        context: &Context,
        cancel: &Cancel,
        timings: &mut Timings,
    ) -> Result<Vec<Partition<'static>>>;

    /// Makes the result of the partitions' proofs, in their order. Adds to `verify` and
    /// `assemble`.
    fn finish(
        &mut self,
        context: &Context,
        proofs: &[Proof],
        timings: &mut Timings,
    ) -> Result<Vec<u8>>;

    /// Says more of an error than proving could: what of the request is at fault.
    fn explain(&self, _context: &Context, error: Error) -> Error {
        error
    }
}

/// What became of a request.
#[derive(Debug)]
pub struct Outcome {
    /// The bytes that the request made of its proofs.
    pub result: Result<Vec<u8>>,
    /// The sum of the partitions' timings and the request's own; `total` from the request's
    /// first step to its last.
    pub timings: Timings,
    /// Each partition that was proved.
    pub partitions: Vec<Proved>,
}

/// What a job or a request is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// Waiting to begin.
    #[default]
    Queued,
    /// Parsing and checking.
    Planning,
    /// Proving partitions, or waiting for a device.
    Proving,
    /// Joining and verifying proofs.
    Finishing,
    /// Ended.
    Done,
}

/// How far a job is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// What it is doing.
    pub phase: Phase,
    /// Requests that have ended.
    pub requests_done: usize,
    /// Requests in all.
    pub requests_total: usize,
    /// Partitions proved.
    pub partitions_done: usize,
    /// Partitions in all, as far as is known; those of failed requests count as far as they
    /// were proved.
    pub partitions_total: usize,
}

impl Progress {
    /// The part that is done, from 0 to 1.
    pub fn fraction(&self) -> f64 {
        match self.phase {
            Phase::Done => 1.0,
            _ => self.partitions_done as f64 / self.partitions_total.max(1) as f64,
        }
    }
}

/// How a job is started.
#[derive(Clone, Default)]
pub struct JobOptions {
    /// Its place among other work.
    pub priority: Priority,
    /// The only device that may do it, by its index among the context's; any, if none is named.
    pub device: Option<usize>,
    /// Told of progress, on the context's thread for callbacks; several steps may be told at
    /// once, and the last one always is.
    pub on_progress: Option<Arc<dyn Fn(Progress) + Send + Sync>>,
    /// Called once when the job has ended, after the last progress, on the same thread.
    pub on_done: Option<Arc<dyn Fn() + Send + Sync>>,
}

/// Requests that are proved in the background, in their order. It keeps its context alive.
///
/// Dropping a job cancels it, waits until its thread has ended, so that nothing it was given is
/// used any more, and then until its callbacks have returned, unless it is dropped by one.
pub struct Job {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    context: Context,
    cancel: Cancel,
    outcomes: Vec<OnceLock<Outcome>>,
    progress: Mutex<Progress>,
    changed: Condvar,
    notifier: Option<Arc<Notifier>>,
    options: JobOptions,
    /// Whether a call of `on_progress` is handed over and not begun.
    told: AtomicBool,
}

impl Context {
    /// Starts a job.
    ///
    /// Errors: `InvalidArgument` for a device that is not there; `OutOfMemory` when no thread can
    /// be started; `Forked`. Everything else is the outcome of a request.
    pub fn start(&self, requests: Vec<Box<dyn Request>>, options: JobOptions) -> Result<Job> {
        self.check_process()?;
        let devices = self.inner.backends.len();
        if let Some(device) = options.device.filter(|device| *device >= devices) {
            return Err(Error::new(
                ErrorKind::InvalidArgument,
                format!("device {device} was asked for, the context has {devices}"),
            ));
        }
        let calls = options.on_progress.is_some() || options.on_done.is_some();
        let progress = Progress {
            requests_total: requests.len(),
            partitions_total: requests.iter().map(|r| r.expected_partitions()).sum(),
            ..Progress::default()
        };
        let shared = Arc::new(Shared {
            context: self.clone(),
            cancel: Cancel::default(),
            outcomes: requests.iter().map(|_| OnceLock::new()).collect(),
            progress: Mutex::new(progress),
            changed: Condvar::new(),
            notifier: if calls {
                Some(self.inner.notifier()?)
            } else {
                None
            },
            options,
            told: AtomicBool::new(false),
        });
        let place = self
            .inner
            .queue
            .place_on(shared.options.device, shared.options.priority);
        let work = shared.clone();
        let thread = pool::spawn("cuzk-job", move || work.run(requests, place));
        let thread = thread.map_err(|error| {
            Error::new(
                ErrorKind::OutOfMemory,
                format!("starting a thread: {error}"),
            )
        })?;
        Ok(Job {
            shared,
            thread: Some(thread),
        })
    }

    /// Proves one request on the calling thread, as a job would.
    pub fn perform(
        &self,
        request: &mut dyn Request,
        priority: Priority,
        cancel: &Cancel,
    ) -> Result<Outcome> {
        self.check_process()?;
        let place = self.inner.queue.place(priority);
        Ok(self.perform_at(place, request, cancel, &|_| ()))
    }

    fn perform_at(
        &self,
        place: Place,
        request: &mut dyn Request,
        cancel: &Cancel,
        step: &dyn Fn(Step),
    ) -> Outcome {
        let start = Instant::now();
        let mut timings = Timings::default();
        let mut partitions = Vec::new();
        let result = catch(|| {
            cancel.check()?;
            step(Step::Planning);
            let planned = request.plan(self, cancel, &mut timings)?;
            step(Step::Planned(planned.len()));
            let mut proved = || step(Step::Proved);
            let (proofs, outcome) = self.prove_each(place, planned, cancel, &mut proved);
            partitions = proofs;
            outcome?;
            cancel.check()?;
            step(Step::Finishing);
            let proofs: Vec<Proof> = partitions.iter().map(|proved| proved.proof).collect();
            request.finish(self, &proofs, &mut timings)
        })
        .or_else(|error| catch(|| Err(request.explain(self, error))));
        for proved in &partitions {
            timings.add(&proved.timings);
        }
        timings.total = start.elapsed();
        Outcome {
            result,
            timings,
            partitions,
        }
    }
}

/// What a request has come to.
enum Step {
    Planning,
    Planned(usize),
    Proved,
    Finishing,
}

impl Shared {
    fn run(self: Arc<Self>, requests: Vec<Box<dyn Request>>, place: Place) {
        for (mut request, outcome) in requests.into_iter().zip(&self.outcomes) {
            let expected = Cell::new(request.expected_partitions());
            let proved = Cell::new(0);
            let step = |step: Step| {
                self.update(|progress| match step {
                    Step::Planning => progress.phase = Phase::Planning,
                    Step::Planned(n) => {
                        progress.partitions_total += n;
                        progress.partitions_total -= expected.replace(n);
                        progress.phase = Phase::Proving;
                    }
                    Step::Proved => {
                        proved.set(proved.get() + 1);
                        progress.partitions_done += 1;
                    }
                    Step::Finishing => progress.phase = Phase::Finishing,
                })
            };
            let made = self
                .context
                .perform_at(place, &mut *request, &self.cancel, &step);
            // What the caller lent must be free before the outcome is seen; its own drop may
            // panic like any other code of it.
            let _ = catch(|| {
                drop(request);
                Ok(())
            });
            let failed = made.result.is_err();
            let _ = outcome.set(made);
            self.update(|progress| {
                progress.requests_done += 1;
                if failed {
                    progress.partitions_total -= expected.get() - proved.get();
                }
            });
        }
        self.update(|progress| progress.phase = Phase::Done);
        if let (Some(notifier), Some(on_done)) = (&self.notifier, &self.options.on_done) {
            let on_done = on_done.clone();
            notifier.call(move || on_done());
        }
    }

    fn update(self: &Arc<Self>, change: impl FnOnce(&mut Progress)) {
        change(&mut self.progress());
        self.changed.notify_all();
        let (Some(notifier), Some(on_progress)) = (&self.notifier, &self.options.on_progress)
        else {
            return;
        };
        if !self.told.swap(true, Ordering::AcqRel) {
            let (shared, on_progress) = (self.clone(), on_progress.clone());
            notifier.call(move || {
                // Before the look: a step after it hands over a new call.
                shared.told.store(false, Ordering::Release);
                let progress = *shared.progress();
                on_progress(progress);
            });
        }
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Job {
    /// Waits until the job has ended, or for the given time. Says whether it has ended.
    pub fn wait(&self, timeout: Option<Duration>) -> Result<bool> {
        self.shared.context.check_process()?;
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut progress = self.shared.progress();
        while progress.phase != Phase::Done {
            let left = match deadline {
                None => Duration::from_secs(3600),
                Some(deadline) => deadline.saturating_duration_since(Instant::now()),
            };
            if left.is_zero() {
                return Ok(false);
            }
            let waited = self.shared.changed.wait_timeout(progress, left);
            progress = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(true)
    }

    /// How far the job is.
    pub fn progress(&self) -> Result<Progress> {
        self.shared.context.check_process()?;
        Ok(*self.shared.progress())
    }

    /// Asks the job to end: within one partition. Requests that have ended keep their results,
    /// the others end with `Cancelled`.
    pub fn cancel(&self) -> Result<()> {
        self.shared.context.check_process()?;
        self.shared.cancel.cancel();
        Ok(())
    }

    /// Number of requests.
    pub fn requests(&self) -> usize {
        self.shared.outcomes.len()
    }

    /// What became of a request; nothing while it has not ended, or when there is none of that
    /// number. It stays where it is until the job is dropped.
    pub fn outcome(&self, request: usize) -> Option<&Outcome> {
        self.shared.outcomes.get(request)?.get()
    }

    /// The context that it runs in.
    pub fn context(&self) -> &Context {
        &self.shared.context
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        let thread = self.thread.take();
        if self.shared.context.check_process().is_err() {
            std::mem::forget(thread);
            return;
        }
        self.shared.cancel.cancel();
        if let Some(thread) = thread {
            pool::join(thread);
        }
        if let Some(notifier) = &self.shared.notifier {
            notifier.flush();
        }
    }
}
