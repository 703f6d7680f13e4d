// SPDX-License-Identifier: MIT OR Apache-2.0
//! The queues of a device. Each is locked while something is queued, never while it is waited for
//! (but for room for parameters that stream), so two proofs' work goes through one queue in the
//! order in which it comes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::compute::Compute;
use super::context::Current;
use super::pool::Pool;
use super::stream::Stream;
use crate::Result;

/// All queues. No more than eight: the driver has as many ways to the device by default, and
/// queues that share one wait for each other.
pub(super) struct Queues {
    /// Goes before everything else. Sorts witnesses and counts, which the host waits for; sums
    /// over l, a and b where they stream: the bus waits for them to use its pieces.
    pub(super) urgent: Mutex<Compute>,
    /// Everything that has no queue of its own.
    pub(super) main: Mutex<Compute>,
    /// The sum over h.
    pub(super) h: Mutex<Compute>,
    /// The sums over l, a, b_g1 and b_g2, where they are small.
    pub(super) queries: [Mutex<Compute>; 4],
}

impl Queues {
    pub(super) fn new(current: &Current<'_>, pool: &Arc<Pool>) -> Result<Self> {
        let copies = Arc::new(Stream::new(current)?);
        let new = |urgent| Ok(Mutex::new(Compute::new(current, pool, &copies, urgent)?));
        Ok(Self {
            urgent: new(true)?,
            main: new(false)?,
            h: new(false)?,
            queries: [new(false)?, new(false)?, new(false)?, new(false)?],
        })
    }

    fn all(&self) -> impl Iterator<Item = &Mutex<Compute>> {
        let own = [&self.urgent, &self.main, &self.h];
        own.into_iter().chain(&self.queries)
    }

    /// Blocks until every queue is done.
    pub(super) fn finish(&self, current: &Current<'_>) {
        for queue in self.all() {
            // A failed device reports it again where it is used.
            let _ = lock(queue).finish(current, "ending early");
        }
    }

    /// Waits for every queue and gives its memory back.
    pub(super) fn release(&self, current: &Current<'_>) -> Result<()> {
        self.all()
            .try_for_each(|queue| lock(queue).release(current))
    }
}

/// Locks a queue. Whatever panicked while it held it was finished by its proof.
pub(super) fn lock(queue: &Mutex<Compute>) -> MutexGuard<'_, Compute> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}
