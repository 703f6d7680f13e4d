// SPDX-License-Identifier: MIT OR Apache-2.0
//! The threads of a context.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use crate::cpu::threads::with_signals_blocked;
use crate::error::catch;
use crate::{Error, ErrorKind, Result};

/// A rayon pool of named threads that block asynchronous signals and are gone when it is dropped.
pub(super) struct Pool {
    /// None only while dropping.
    pool: Option<rayon::ThreadPool>,
    threads: Arc<Mutex<Vec<JoinHandle<()>>>>,
    /// The process that started the threads; they do not exist in its children.
    process: u32,
}

impl Pool {
    pub(super) fn new(threads: usize) -> Result<Self> {
        let handles = Arc::new(Mutex::new(Vec::with_capacity(threads)));
        let started = handles.clone();
        let build = || {
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .spawn_handler(move |thread| {
                    let name = format!("cuzk-{}", thread.index());
                    let handle = spawn(&name, || thread.run())?;
                    started
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push(handle);
                    Ok(())
                })
                .build()
        };
        let pool = build().map_err(|error| {
            Error::new(
                ErrorKind::OutOfMemory,
                format!("starting {threads} threads: {error}"),
            )
        })?;
        Ok(Self {
            pool: Some(pool),
            threads: handles,
            process: std::process::id(),
        })
    }

    /// Runs `work` on the pool and waits for it; a panic in it is an error.
    pub(super) fn run<T: Send>(&self, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
        match &self.pool {
            // Caught outside, as rayon carries a panic on any of its threads to the caller.
            Some(pool) => catch(|| pool.install(work)),
            None => catch(work),
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if std::process::id() != self.process {
            // The threads are not here, and what they held when the process forked stays held.
            std::mem::forget((self.pool.take(), self.threads.clone()));
            return;
        }
        drop(self.pool.take());
        let handles =
            std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for handle in handles {
            join(handle);
        }
    }
}

/// Starts a thread with every asynchronous signal blocked.
pub(super) fn spawn(
    name: &str,
    work: impl FnOnce() + Send + 'static,
) -> std::io::Result<JoinHandle<()>> {
    let builder = std::thread::Builder::new().name(name.to_string());
    with_signals_blocked(|| builder.spawn(work))
}

/// Waits for a thread to end, unless it is the calling one.
pub(super) fn join(handle: JoinHandle<()>) {
    if handle.thread().id() != std::thread::current().id() {
        // Its panic, if it had one, was reported where it happened.
        let _ = handle.join();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;

    #[test]
    fn a_panic_on_any_of_its_threads_is_an_error_and_the_pool_stays_usable() {
        let pool = Pool::new(3).unwrap();
        for _ in 0..3 {
            let error = pool
                .run(|| {
                    (0..100u32)
                        .into_par_iter()
                        .for_each(|i| assert!(i != 57, "item {i}"));
                    Ok(())
                })
                .unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Internal);
            assert!(error.to_string().ends_with("item 57"), "{error}");
            let sum = pool
                .run(|| Ok((0..100u32).into_par_iter().sum::<u32>()))
                .unwrap();
            assert_eq!(sum, 4950);
        }
    }

    #[test]
    fn threads_are_named_and_gone_when_the_pool_is_dropped() {
        let pool = Pool::new(2).unwrap();
        let names = pool
            .run(|| {
                Ok(rayon::broadcast(|_| {
                    let name = std::thread::current().name().unwrap_or("").to_string();
                    let task = std::fs::read_link("/proc/thread-self").unwrap();
                    (name, task)
                }))
            })
            .unwrap();
        let mut known: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
        known.sort_unstable();
        assert_eq!(known, ["cuzk-0", "cuzk-1"]);
        drop(pool);
        for (name, task) in names {
            assert!(
                !std::path::Path::new("/proc").join(task).exists(),
                "{name} is there"
            );
        }
    }
}
