// SPDX-License-Identifier: MIT OR Apache-2.0
//! Proofs that were begun, and the handles by which callers hold them.

use std::ffi::c_void;

use cuzk_prover::groth16::Proof;
use cuzk_prover::schedule::{Job, Outcome};

use crate::registry::Registry;
use crate::Error;

static PENDING: Registry<Pending> = Registry::new();

/// Hands out a handle; it ends with [`finalize`] or [`destroy`].
pub fn keep(pending: Pending) -> *mut c_void {
    PENDING.keep(pending)
}

/// Takes proofs back by their handle, which ends.
///
/// # Errors
///
/// EINVAL for null, a handle that has ended, and anything else.
pub fn finalize(handle: *mut c_void) -> Result<Pending, Error> {
    PENDING
        .take(handle)
        .ok_or_else(|| Error::invalid("the handle is no pending proof: never started, or ended"))
}

/// Cancels by handle, and waits until nothing that was lent is used any more. Null, and what is no
/// handle, is left alone.
pub fn destroy(handle: *mut c_void) {
    drop(PENDING.take(handle));
}

/// Proofs that were begun. Dropping it cancels them and waits until nothing that was lent is used
/// any more.
pub struct Pending {
    n: usize,
    /// Proof i is request i / jobs of job i mod jobs.
    jobs: Vec<Job>,
}

impl Pending {
    pub(crate) fn new(n: usize) -> Self {
        Self {
            n,
            jobs: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, job: Job) {
        self.jobs.push(job);
    }

    /// Number of proofs.
    pub fn proofs(&self) -> usize {
        self.n
    }

    fn outcome(&self, i: usize) -> Option<&Outcome> {
        self.jobs[i % self.jobs.len()].outcome(i / self.jobs.len())
    }

    fn error(&self, i: usize, outcome: &Outcome) -> Option<Error> {
        let error = outcome.result.as_ref().err()?.clone();
        Some(match self.n {
            1 => error.into(),
            _ => error.context(format_args!("assignment {i}")).into(),
        })
    }

    /// The first failure among the proofs that have ended by now.
    pub(crate) fn known_failure(&self) -> Option<Error> {
        (0..self.n).find_map(|i| self.error(i, self.outcome(i)?))
    }

    /// Waits for the proofs, which come in the order of the assignments.
    ///
    /// # Errors
    ///
    /// What the first proof that failed reports; the others are cancelled.
    pub fn finish(self) -> Result<Vec<Proof>, Error> {
        let mut proofs = Vec::with_capacity(self.n);
        for job in &self.jobs {
            job.wait(None)?;
        }
        for i in 0..self.n {
            let lost = || Error::invalid(format!("proof {i} has no outcome"));
            let outcome = self.outcome(i).ok_or_else(lost)?;
            if let Some(error) = self.error(i, outcome) {
                return Err(error);
            }
            proofs.push(outcome.partitions.first().ok_or_else(lost)?.proof);
        }
        Ok(proofs)
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        // All of them before the first is waited for. In a forked child there is nothing to cancel.
        for job in &self.jobs {
            let _ = job.cancel();
        }
    }
}
