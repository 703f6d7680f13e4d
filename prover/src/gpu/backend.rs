// SPDX-License-Identifier: MIT OR Apache-2.0
//! The backend that proves on one NVIDIA GPU.
//!
//! One proof: its witness is uploaded, listed into ones and others, and summed over l, a and b
//! while the evaluations follow and are transformed as they come; then the quotient and its sum.
//! Two proofs at a time, called from two threads, overlap: one is uploaded, and all its work queued
//! but the sum over h, while the other is at that.

use std::sync::atomic::AtomicBool;
use std::sync::{mpsc, Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::context::Context;
use super::memory::PageLocked;
use super::multiples::multiples;
use super::plan::{self, Phases, Plan};
use super::pool::Pool;
use super::proof::{Means, Proof, Work};
use super::queues::Queues;
use super::results::ProofResults;
use super::srs::GpuSrs;
use super::staging::Staging;
use super::upload::{scalar_bytes, serve, StopOnDrop, Uploads};
use super::GpuOptions;
use crate::backend::{
    Assignment, Backend, Cancel, Generator, Memory, Multiplier, PointSink, ResidentSrs, Sums,
};
use crate::curve::Scalar;
use crate::device::Device;
use crate::srs::{Checks, ParameterFile, SrsShape};
use crate::timing::Timings;
use crate::{Error, ErrorKind, Result};

/// Device memory left to the driver and to others, unless a budget says otherwise.
const RESERVE: u64 = 512 << 20;

/// One device that proves.
pub struct GpuBackend {
    name: String,
    device: Device,
    context: Arc<Context>,
    pool: Arc<Pool>,
    staging: Mutex<Staging>,
    staging_bytes: u64,
    queues: Queues,
    /// The memory for results of proofs that ended.
    results: Mutex<Vec<ProofResults>>,
    lanes: Lanes,
}

/// Counts the proofs on the device.
#[derive(Default)]
struct Lanes {
    used: Mutex<usize>,
    changed: Condvar,
}

struct Lane<'l>(&'l Lanes);

impl Lanes {
    /// Waits until fewer than `most` proofs are on the device.
    fn enter(&self, most: usize) -> Lane<'_> {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let mut used = self
            .changed
            .wait_while(used, |used| *used >= most)
            .unwrap_or_else(PoisonError::into_inner);
        *used += 1;
        Lane(self)
    }
}

impl Drop for Lane<'_> {
    fn drop(&mut self) {
        *self.0.used.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.changed.notify_all();
    }
}

impl GpuBackend {
    /// Opens one of the devices that `gpu::select` gives.
    ///
    /// Errors: `NoDevice`, `DeviceFailed` and `OutOfDeviceMemory` when it cannot be used after
    /// all.
    pub fn open(device: &Device, options: &GpuOptions) -> Result<Self> {
        let context = Context::open(device)?;
        let current = context.enter()?;
        let (free, _) = current.memory()?;
        let usable = free.saturating_sub(RESERVE);
        let budget = options
            .device_bytes
            .filter(|bytes| *bytes > 0)
            .unwrap_or(usable)
            .min(free);
        let pool = Pool::new(context.clone(), budget);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = options
            .threads
            .filter(|threads| *threads > 0)
            .unwrap_or(cores);
        let staging = Staging::new(&current, threads)?;
        let queues = Queues::new(&current, &pool)?;
        drop(current);
        Ok(Self {
            name: format!("cuda: GPU {} ({})", device.ordinal, device.name),
            device: device.clone(),
            context,
            pool,
            staging_bytes: staging.bytes(),
            staging: Mutex::new(staging),
            queues,
            results: Mutex::default(),
            lanes: Lanes::default(),
        })
    }

    /// The device, as it was when it was opened.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The most device memory that it holds, in bytes.
    pub fn budget(&self) -> u64 {
        self.pool.budget()
    }

    /// Whether the device failed in a way that no later call in this process can mend.
    pub fn is_lost(&self) -> bool {
        self.context.is_lost()
    }

    /// Gives device memory back that is kept for later proofs.
    pub fn release(&self) -> Result<()> {
        let current = self.context.enter()?;
        self.queues.release(&current)?;
        self.pool.trim();
        Ok(())
    }

    /// Page-locks scalars that many proofs are made from, so that the device copies them at full
    /// speed without the host's help.
    pub fn page_lock<'m>(&self, scalars: &'m [Scalar]) -> Result<PageLocked<'m>> {
        PageLocked::new(&self.context.enter()?, scalar_bytes(scalars))
    }

    /// Free and total memory of the device, in bytes.
    pub fn memory(&self) -> Result<(u64, u64)> {
        self.context.enter()?.memory()
    }

    fn staging(&self) -> MutexGuard<'_, Staging> {
        self.staging.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn attempt(&self, proof: &Proof<'_>, plan: &Plan, timings: &mut Timings) -> Result<Sums> {
        let _lane = self.lanes.enter(plan.lanes);
        let current = self.context.enter()?;
        if plan.phases != Phases::One {
            // The last proof's scratch takes the room.
            self.queues.release(&current)?;
        }
        let mut memory = proof.take(&current, &self.pool, plan)?;
        let kept = || self.results.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept().pop();
        let mut results = match found {
            Some(results) => results,
            None => ProofResults::new(&current)?,
        };
        let stop = AtomicBool::new(false);
        let outcome = std::thread::scope(|scope| {
            let (orders, ordered) = mpsc::channel();
            let (arrived, arrivals) = mpsc::channel();
            let (context, staging, stop) = (&self.context, &self.staging, &stop);
            // SAFETY: `memory` outlives the scope, and is settled below if anything fails.
            scope.spawn(move || unsafe { serve(context, staging, ordered, arrived, stop) });
            let _stop = StopOnDrop(stop);
            let uploads = Uploads { orders, arrivals };
            let witness = proof.start(&memory, &uploads)?;
            let work = Work {
                means: Means {
                    queues: &self.queues,
                    pool: &self.pool,
                    plan,
                },
                current: &current,
                uploads: &uploads,
            };
            // SAFETY: the witness was waited for, and failures are settled below.
            unsafe { proof.compute(&work, &mut memory, &mut results, witness, timings) }
        });
        if outcome.is_err() {
            // Nothing may be in flight on memory that goes back.
            let _ = self.staging().finish(&current);
            self.queues.finish(&current);
        }
        results.clear();
        kept().push(results);
        outcome
    }
}

impl Multiplier for GpuBackend {
    fn multiples(
        &self,
        generator: Generator,
        scalars: &[Scalar],
        sink: &PointSink<'_>,
    ) -> Result<()> {
        multiples(&self.pool, generator, scalars, sink)
    }
}

impl Backend for GpuBackend {
    fn name(&self) -> &str {
        &self.name
    }

    fn device_bytes(&self) -> u64 {
        self.pool.budget()
    }

    fn turns(&self) -> usize {
        2
    }

    fn computes_on_host(&self) -> bool {
        false
    }

    fn multiplier(&self) -> Option<&dyn Multiplier> {
        Some(self)
    }

    fn srs_memory(&self, shape: &SrsShape) -> Memory {
        let bytes = shape.affine_bytes();
        match plan::fits_resident(shape, self.pool.budget()) {
            true => Memory {
                host: 0,
                device: bytes,
            },
            false => Memory {
                host: bytes,
                device: 0,
            },
        }
    }

    /// The memory of one proof's vectors; the scratch of all proofs is cut to what is left.
    fn work_memory(&self, shape: &SrsShape) -> Memory {
        let device = plan::vectors(shape);
        let left = self
            .pool
            .budget()
            .saturating_sub(self.srs_memory(shape).device);
        Memory {
            host: 0,
            device: device.min(left / 2),
        }
    }

    fn load_srs(
        &self,
        file: &ParameterFile,
        checks: Checks,
        cancel: &Cancel,
    ) -> Result<Arc<dyn ResidentSrs>> {
        // What earlier proofs left may take the room.
        self.release()?;
        Ok(Arc::new(GpuSrs::load(&self.pool, file, checks, cancel)?))
    }

    fn sums(
        &self,
        srs: &dyn ResidentSrs,
        assignment: &Assignment<'_>,
        cancel: &Cancel,
        timings: &mut Timings,
    ) -> Result<Sums> {
        let srs: Option<&GpuSrs> = srs.as_any().downcast_ref();
        let srs = srs
            .filter(|srs| Arc::ptr_eq(srs.pool(), &self.pool))
            .ok_or_else(|| {
                Error::new(
                    ErrorKind::InvalidArgument,
                    format!("the parameters were not loaded to {}", self.name),
                )
            })?;
        let proof = Proof::new(srs, assignment, cancel);
        let processors = self.context.multiprocessors();
        let mut plan = Plan::choose(&proof.needs(processors), self.pool.available());
        // What another circuit's proofs left may be in the way: the plan is tried again without.
        let mut released = false;
        let sums = loop {
            match self.attempt(&proof, &plan, timings) {
                Err(error) if error.kind() == ErrorKind::OutOfDeviceMemory => {
                    if released {
                        plan = plan.smaller().ok_or(error)?;
                    }
                    self.release()?;
                    released = true;
                }
                outcome => break outcome?,
            }
        };
        let host = srs.host_bytes() + self.staging_bytes;
        timings.peak_host_bytes = timings.peak_host_bytes.max(host);
        timings.peak_device_bytes = timings.peak_device_bytes.max(self.pool.take_peak());
        Ok(sums)
    }
}

#[cfg(test)]
mod tests {
    use super::Lanes;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn no_more_proofs_are_let_in_than_asked_for() {
        let lanes = Lanes::default();
        let (inside, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for i in 0..16 {
                let (lanes, inside, most) = (&lanes, &inside, &most);
                scope.spawn(move || {
                    let _lane = lanes.enter(1 + i % 2);
                    most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::sleep(std::time::Duration::from_millis(1));
                    inside.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        assert!(most.load(Ordering::SeqCst) <= 2);
        assert_eq!(*lanes.used.lock().unwrap(), 0);
    }
}
