// SPDX-License-Identifier: MIT OR Apache-2.0
//! The partitions of one request, as many at a time as the devices take: while a device computes
//! for one, the next one's witness is made and uploaded.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{mpsc, Mutex, PoisonError};
use std::thread;

use super::context::Context;
use super::prove::{Partition, Proved};
use super::queue::Place;
use crate::cancel::Cancel;
use crate::cpu::threads::with_signals_blocked;
use crate::error::catch;
use crate::{Error, ErrorKind, Result};

/// Partitions that nobody has begun, each with its number.
struct Left<'a> {
    partitions: Mutex<std::iter::Enumerate<std::vec::IntoIter<Partition<'a>>>>,
    /// Set by the first failure: the request has failed, no further partition is begun.
    stopped: AtomicBool,
}

impl<'a> Left<'a> {
    fn next(&self) -> Option<(usize, Partition<'a>)> {
        match self.stopped.load(Ordering::Relaxed) {
            true => None,
            false => self.lock().next(),
        }
    }

    fn any(&self) -> bool {
        !self.stopped.load(Ordering::Relaxed) && self.lock().len() > 0
    }

    fn lock(
        &self,
    ) -> std::sync::MutexGuard<'_, std::iter::Enumerate<std::vec::IntoIter<Partition<'a>>>> {
        self.partitions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Context {
    /// Proves partitions at one place of the queue. `done` is called on this thread for each that
    /// is proved. After a failure those begun are ended and no others begun.
    ///
    /// Returns the proofs made, in the partitions' order, and the failure of the first partition
    /// that failed.
    pub(super) fn prove_each(
        &self,
        place: Place,
        partitions: Vec<Partition<'_>>,
        cancel: &Cancel,
        done: &mut dyn FnMut(),
    ) -> (Vec<Proved>, Result<()>) {
        let n = partitions.len();
        let mut outcomes: Vec<Option<Result<Proved>>> = (0..n).map(|_| None).collect();
        let mut note = |index: usize, outcome: Result<Proved>| {
            if outcome.is_ok() {
                done();
            }
            outcomes[index] = Some(outcome);
        };
        let left = Left {
            partitions: Mutex::new(partitions.into_iter().enumerate()),
            stopped: AtomicBool::new(false),
        };
        let at_a_time = n.min(self.inner.turns);
        let started = match at_a_time {
            0 | 1 => {
                self.prove_from(place, &left, cancel, &mut note);
                Ok(())
            }
            _ => self.prove_with_threads(at_a_time, place, &left, cancel, &mut note),
        };
        let mut proofs = Vec::with_capacity(n);
        let mut failure = started;
        for (index, outcome) in outcomes.into_iter().enumerate() {
            match outcome {
                Some(Ok(proved)) => proofs.push(proved),
                Some(Err(error)) if failure.is_ok() => {
                    failure = Err(match n {
                        1 => error,
                        _ => error.context(format!("partition {index} of {n}")),
                    });
                }
                _ => {}
            }
        }
        (proofs, failure)
    }

    fn prove_with_threads(
        &self,
        threads: usize,
        place: Place,
        left: &Left<'_>,
        cancel: &Cancel,
        note: &mut dyn FnMut(usize, Result<Proved>),
    ) -> Result<()> {
        let (proved, outcomes) = mpsc::channel();
        thread::scope(|scope| {
            for number in 0..threads {
                let proved = proved.clone();
                let work = move || {
                    self.prove_from(place, left, cancel, &mut |index, outcome| {
                        // The other end is gone only with the whole request.
                        let _ = proved.send((index, outcome));
                    })
                };
                let builder = thread::Builder::new().name(format!("cuzk-part-{number}"));
                match with_signals_blocked(|| builder.spawn_scoped(scope, work)) {
                    Ok(_) => {}
                    // Those that were started do it all.
                    Err(_) if number > 0 => break,
                    Err(error) => {
                        return Err(Error::new(
                            ErrorKind::OutOfMemory,
                            format!("starting a thread: {error}"),
                        ))
                    }
                }
            }
            drop(proved);
            for (index, outcome) in outcomes {
                note(index, outcome);
            }
            Ok(())
        })
    }

    /// Proves one partition after the other until none is left.
    fn prove_from(
        &self,
        place: Place,
        left: &Left<'_>,
        cancel: &Cancel,
        note: &mut dyn FnMut(usize, Result<Proved>),
    ) {
        let mut seat = self.inner.queue.seat(place);
        while let Some((index, partition)) = left.next() {
            let outcome = catch(|| {
                cancel.check()?;
                self.prove_partition(&mut seat, &|| left.any(), partition, cancel)
            });
            if outcome.is_err() {
                left.stopped.store(true, Ordering::Relaxed);
            }
            note(index, outcome);
        }
    }
}
