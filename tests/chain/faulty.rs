// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device with faults.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use cuzk_prover::backend::{Assignment, Backend, Memory, ResidentSrs, Sums};
use cuzk_prover::cancel::Cancel;
use cuzk_prover::cpu::CpuBackend;
use cuzk_prover::srs::{Checks, ParameterFile, SrsShape};
use cuzk_prover::timing::Timings;
use cuzk_prover::{Error, ErrorKind, Result};

/// The CPU, with a fault that a test sets.
pub struct Faulty {
    fault: Mutex<Fault>,
    calls: AtomicUsize,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Fault {
    None,
    PanicInSums,
    PanicInWorker,
    PanicInLoad,
    PanicWithoutText,
    Fail,
    WrongOnce,
    WrongAlways,
    /// Waits for the cancel flag and returns its error.
    WaitForCancel,
}

impl Faulty {
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            fault: Mutex::new(Fault::None),
            calls: AtomicUsize::new(0),
        })
    }

    pub fn set(&self, fault: Fault) {
        *self.fault.lock().unwrap() = fault;
        self.calls.store(0, Ordering::SeqCst);
    }

    /// Calls of `sums` since the fault was set.
    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    fn fault(&self) -> Fault {
        *self.fault.lock().unwrap()
    }
}

impl Backend for Faulty {
    fn name(&self) -> &str {
        "faulty"
    }

    fn work_memory(&self, shape: &SrsShape) -> Memory {
        CpuBackend.work_memory(shape)
    }

    fn load_srs(
        &self,
        file: &ParameterFile,
        checks: Checks,
        cancel: &Cancel,
    ) -> Result<Arc<dyn ResidentSrs>> {
        assert!(self.fault() != Fault::PanicInLoad, "load {}", 1);
        CpuBackend.load_srs(file, checks, cancel)
    }

    fn sums(
        &self,
        srs: &dyn ResidentSrs,
        assignment: &Assignment<'_>,
        cancel: &Cancel,
        timings: &mut Timings,
    ) -> Result<Sums> {
        let call = self.calls.fetch_add(1, Ordering::SeqCst);
        match self.fault() {
            Fault::PanicInSums => panic!("sums {}", 2),
            Fault::PanicInWorker => {
                rayon::join(|| (), || panic!("worker {}", 3));
            }
            Fault::PanicWithoutText => std::panic::panic_any(7u8),
            Fault::Fail => return Err(Error::new(ErrorKind::DeviceFailed, "the card fell out")),
            Fault::WaitForCancel => loop {
                cancel.check()?;
                std::thread::yield_now();
            },
            _ => {}
        }
        let mut sums = CpuBackend.sums(srs, assignment, cancel, timings)?;
        let wrong = match self.fault() {
            Fault::WrongOnce => call == 0,
            Fault::WrongAlways => true,
            _ => false,
        };
        if wrong {
            sums.h += sums.l;
        }
        Ok(sums)
    }
}
