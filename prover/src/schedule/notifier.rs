// SPDX-License-Identifier: MIT OR Apache-2.0
//! The one thread of a context that calls the caller's functions, so that workers never wait for
//! them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use super::pool::{join, spawn};
use crate::error::catch;
use crate::{Error, ErrorKind, Result};

type Call = Box<dyn FnOnce() + Send>;

/// Calls functions in the order in which they were handed over.
pub(super) struct Notifier {
    calls: Mutex<Option<Sender<Call>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    closed: Arc<AtomicBool>,
    process: u32,
}

impl Notifier {
    pub(super) fn new() -> Result<Self> {
        let (calls, received) = mpsc::channel::<Call>();
        let closed = Arc::new(AtomicBool::new(false));
        let skip = closed.clone();
        let thread = spawn("cuzk-notifier", move || {
            for call in received {
                if !skip.load(Ordering::Relaxed) {
                    // A callback's panic has nobody to go to; the next callback is called.
                    let _ = catch(|| {
                        call();
                        Ok(())
                    });
                }
            }
        })
        .map_err(|error| {
            Error::new(
                ErrorKind::OutOfMemory,
                format!("starting the thread for callbacks: {error}"),
            )
        })?;
        Ok(Self {
            calls: Mutex::new(Some(calls)),
            thread: Mutex::new(Some(thread)),
            closed,
            process: std::process::id(),
        })
    }

    /// Hands a call over and does not wait for it.
    pub(super) fn call(&self, call: impl FnOnce() + Send + 'static) {
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(calls) = &*calls {
            // Fails only when the thread is gone, and then nobody listens.
            let _ = calls.send(Box::new(call));
        }
    }

    /// Waits until every call handed over before has returned, unless called from one.
    pub(super) fn flush(&self) {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        let own = thread
            .as_ref()
            .is_none_or(|t| t.thread().id() == std::thread::current().id());
        drop(thread);
        if own {
            return;
        }
        let (done, wait) = mpsc::channel();
        self.call(move || {
            let _ = done.send(());
        });
        // Ends at once when the call was dropped unheard.
        let _ = wait.recv();
    }
}

impl Drop for Notifier {
    fn drop(&mut self) {
        let calls = self
            .calls
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let thread = self
            .thread
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if std::process::id() != self.process {
            std::mem::forget((calls, thread));
            return;
        }
        if let Some(thread) = thread {
            if thread.thread().id() == std::thread::current().id() {
                // Ended from a callback: those not called yet never are.
                self.closed.store(true, Ordering::Relaxed);
            }
            drop(calls);
            join(thread);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_come_in_order_on_one_thread_and_a_panic_does_not_stop_them() {
        let notifier = Notifier::new().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        for i in 0..100 {
            let seen = seen.clone();
            notifier.call(move || {
                let name = std::thread::current().name().unwrap_or("").to_string();
                seen.lock().unwrap().push((i, name));
                assert!(i % 7 != 3, "call {i}");
            });
        }
        notifier.flush();
        let expected: Vec<_> = (0..100).map(|i| (i, "cuzk-notifier".to_string())).collect();
        assert_eq!(*seen.lock().unwrap(), expected);
    }

    #[test]
    fn dropping_waits_for_what_was_handed_over() {
        let notifier = Notifier::new().unwrap();
        let seen = Arc::new(AtomicBool::new(false));
        let slow = seen.clone();
        notifier.call(move || {
            std::thread::sleep(std::time::Duration::from_millis(30));
            slow.store(true, Ordering::SeqCst);
        });
        drop(notifier);
        assert!(seen.load(Ordering::SeqCst));
    }

    #[test]
    fn dropping_from_a_callback_ends_and_calls_nothing_more() {
        let notifier = Arc::new(Notifier::new().unwrap());
        let late = Arc::new(AtomicBool::new(false));
        let (sender, receiver) = mpsc::channel::<()>();
        let (last, seen) = (notifier.clone(), late.clone());
        notifier.call(move || {
            let _ = receiver.recv();
            last.flush();
            drop(last);
        });
        notifier.call(move || seen.store(true, Ordering::SeqCst));
        drop(notifier);
        sender.send(()).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert!(!late.load(Ordering::SeqCst));
    }
}
