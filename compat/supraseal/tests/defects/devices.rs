// SPDX-License-Identifier: MIT OR Apache-2.0
//! Devices for tests: the CPU under other names, that panics or waits where it is asked to.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cuzk_prover::backend::{Assignment, Backend, Cancel, Memory, Sums};
use cuzk_prover::cpu::CpuBackend;
use cuzk_prover::srs::{Checks, ParameterFile, ResidentSrs, SrsShape};
use cuzk_prover::timing::Timings;
use cuzk_prover::Result;

/// What several devices share.
#[derive(Default)]
pub struct Watch {
    /// Panic at the next load, at the next proof.
    pub fail_load: AtomicBool,
    pub fail_proof: AtomicBool,
    /// A proof waits until so many are in work at a time, or for some seconds.
    pub together: AtomicUsize,
    in_work: AtomicUsize,
    /// The most that were.
    pub most: AtomicUsize,
}

pub struct Device {
    pub watch: Arc<Watch>,
}

impl Backend for Device {
    fn name(&self) -> &str {
        "a device for tests"
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
        if self.watch.fail_load.swap(false, Ordering::Relaxed) {
            panic!("the device broke while loading");
        }
        CpuBackend.load_srs(file, checks, cancel)
    }

    fn sums(
        &self,
        srs: &dyn ResidentSrs,
        assignment: &Assignment<'_>,
        cancel: &Cancel,
        timings: &mut Timings,
    ) -> Result<Sums> {
        let watch = &self.watch;
        if watch.fail_proof.swap(false, Ordering::Relaxed) {
            panic!("the device broke while {}", "proving");
        }
        let now = watch.in_work.fetch_add(1, Ordering::SeqCst) + 1;
        watch.most.fetch_max(now, Ordering::SeqCst);
        let start = Instant::now();
        while watch.most.load(Ordering::SeqCst) < watch.together.load(Ordering::Relaxed)
            && start.elapsed() < Duration::from_secs(10)
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        let sums = CpuBackend.sums(srs, assignment, cancel, timings);
        watch.in_work.fetch_sub(1, Ordering::SeqCst);
        sums
    }
}
