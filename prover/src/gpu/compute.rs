// SPDX-License-Identifier: MIT OR Apache-2.0
//! What computes on a device: one queue, and the memory that is used in its order.
//!
//! Scratch, lists and tables belong to the queue: whatever uses them is queued behind whatever
//! used them before, so one of each serves all steps of all proofs.

use std::ffi::c_void;
use std::sync::Arc;

use super::circuit::DeviceCircuit;
use super::context::Current;
use super::kernels;
use super::memory::copy_to_device;
use super::pool::{Lease, Pool};
use super::results::Results;
use super::stream::{Event, Stream};
use super::upload::{Arrival, Uploads};
use crate::backend::Cancel;
use crate::circuit::CompiledCircuit;
use crate::{Error, ErrorKind, Result};

/// Memory that grows to the largest size asked for.
#[derive(Default)]
pub(super) struct Grown(Option<Lease>);

/// Pieces of parameters on their way through the device: one arrives while the other is used.
#[derive(Default)]
struct Pieces {
    buffers: [Grown; 2],
    /// Where the queue is done with each buffer.
    free: [Option<Event>; 2],
    next: usize,
}

/// What one step of a proof is queued with.
pub(super) struct Queueing<'q> {
    pub(super) compute: &'q mut Compute,
    pub(super) results: &'q mut Results,
    pub(super) current: &'q Current<'q>,
    pub(super) cancel: &'q Cancel,
}

/// A queue of a device and its memory.
pub(super) struct Compute {
    pool: Arc<Pool>,
    stream: Stream,
    msm_scratch: Grown,
    sum_scratch: Grown,
    parts: Grown,
    tables: Option<(u32, Lease)>,
    circuit: Option<DeviceCircuit>,
    /// The lists of points: ones, the rest's points, where the rest's scalars lie.
    lists: [Grown; 3],
    split: Grown,
    /// What brings pieces of parameters, for all queues.
    copies: Arc<Stream>,
    pieces: Pieces,
    /// Terms collected from pieces: points and scalars.
    collected: [Grown; 2],
}

impl Grown {
    /// Makes it at least `bytes` large; the contents may be lost. Waits for the queue when what
    /// it used goes back.
    pub(super) fn ensure(
        &mut self,
        current: &Current<'_>,
        stream: &Stream,
        pool: &Arc<Pool>,
        bytes: u64,
        what: &str,
    ) -> Result<u64> {
        let mut wanted = bytes;
        if let Some(lease) = &self.0 {
            if lease.bytes() >= bytes {
                return Ok(lease.address());
            }
            // Witnesses differ a little, and each growth waits.
            wanted += (bytes / 16).min(32 << 20);
            stream.finish(current, "waiting for a smaller step")?;
            self.0 = None;
        }
        let lease = pool.take(current, wanted, what)?;
        let address = lease.address();
        self.0 = Some(lease);
        Ok(address)
    }

    fn address(&self) -> *mut c_void {
        self.0
            .as_ref()
            .map_or(std::ptr::null_mut(), |lease| lease.at(0))
    }

    fn bytes(&self) -> u64 {
        self.0.as_ref().map_or(0, Lease::bytes)
    }
}

impl Compute {
    /// A queue on the pool's device; an urgent one goes before others. Pieces of parameters come
    /// by `copies`, one queue for all: the device lets one of two queues of copies wait for long
    /// while the other is never empty.
    pub(super) fn new(
        current: &Current<'_>,
        pool: &Arc<Pool>,
        copies: &Arc<Stream>,
        urgent: bool,
    ) -> Result<Self> {
        Ok(Self {
            pool: pool.clone(),
            stream: match urgent {
                true => Stream::urgent(current)?,
                false => Stream::new(current)?,
            },
            msm_scratch: Grown::default(),
            sum_scratch: Grown::default(),
            parts: Grown::default(),
            tables: None,
            circuit: None,
            lists: Default::default(),
            split: Grown::default(),
            copies: copies.clone(),
            pieces: Pieces::default(),
            collected: Default::default(),
        })
    }

    /// The queue.
    pub(super) fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Where its memory is from.
    pub(super) fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    /// The device's number of multiprocessors.
    pub(super) fn multiprocessors(&self) -> i32 {
        self.pool.context().multiprocessors()
    }

    /// Turns a launcher's code into an error.
    pub(super) fn check(&self, code: i32, doing: &str) -> Result<()> {
        self.pool.context().check_launch(code, doing)
    }

    /// Waits for the queue and gives its memory back.
    pub(super) fn release(&mut self, current: &Current<'_>) -> Result<()> {
        self.finish(current, "giving memory back")?;
        for grown in [
            &mut self.msm_scratch,
            &mut self.sum_scratch,
            &mut self.parts,
            &mut self.split,
        ] {
            grown.0 = None;
        }
        let lists = self.lists.iter_mut().chain(&mut self.collected);
        for grown in lists.chain(&mut self.pieces.buffers) {
            grown.0 = None;
        }
        self.tables = None;
        self.circuit = None;
        Ok(())
    }

    /// Memory for the three lists of a piece.
    pub(super) fn lists(&mut self, current: &Current<'_>, bytes: [u64; 3]) -> Result<[u64; 3]> {
        let mut addresses = [0; 3];
        for (i, (list, bytes)) in self.lists.iter_mut().zip(bytes).enumerate() {
            addresses[i] =
                list.ensure(current, &self.stream, &self.pool, bytes, "a list of points")?;
        }
        Ok(addresses)
    }

    /// Memory for the points and the scalars of collected terms.
    pub(super) fn collected(&mut self, current: &Current<'_>, bytes: [u64; 2]) -> Result<[u64; 2]> {
        let what = "terms of a multiplication";
        let [points, scalars] = &mut self.collected;
        Ok([
            points.ensure(current, &self.stream, &self.pool, bytes[0], what)?,
            scalars.ensure(current, &self.stream, &self.pool, bytes[1], what)?,
        ])
    }

    /// Memory for the split's counts and scratch.
    pub(super) fn split(&mut self, current: &Current<'_>, bytes: u64) -> Result<u64> {
        let what = "scratch of the witness's lists";
        self.split
            .ensure(current, &self.stream, &self.pool, bytes, what)
    }

    /// Makes the two buffers for pieces of parameters large enough.
    pub(super) fn make_buffers(&mut self, current: &Current<'_>, bytes: u64) -> Result<()> {
        for buffer in &mut self.pieces.buffers {
            if buffer.bytes() < bytes {
                self.copies.finish(current, "streaming parameters")?;
            }
            let what = "a piece of parameters";
            buffer.ensure(current, &self.stream, &self.pool, bytes, what)?;
        }
        Ok(())
    }

    /// Queues the copy of a piece of parameters, as soon as a buffer is free, and lets the queue
    /// wait for it. Returns where it will be.
    ///
    /// # Safety
    /// The buffers were made for as many bytes; `from` is page-locked and stays until the queue
    /// is done.
    pub(super) unsafe fn fetch(
        &mut self,
        current: &Current<'_>,
        from: *const u8,
        bytes: usize,
    ) -> Result<u64> {
        let (pieces, copies) = (&self.pieces, &*self.copies);
        if let Some(free) = &pieces.free[pieces.next] {
            // On the host: a thread that queues as much as the driver takes would keep others from
            // queueing anything.
            free.wait("streaming parameters")?;
        }
        let to = pieces.buffers[pieces.next].address() as u64;
        // SAFETY: promised by the caller; what used the buffer before is waited for.
        unsafe { copy_to_device(current.context(), to, from, bytes, copies)? };
        self.stream.wait_for(&copies.mark(current)?)?;
        Ok(to)
    }

    /// Says that everything with the piece last fetched is queued.
    pub(super) fn fetched_was_used(&mut self, current: &Current<'_>) -> Result<()> {
        let pieces = &mut self.pieces;
        pieces.free[pieces.next] = Some(self.stream.mark(current)?);
        pieces.next = 1 - pieces.next;
        Ok(())
    }

    /// Waits for everything queued, pieces of parameters included.
    pub(super) fn finish(&self, current: &Current<'_>, doing: &str) -> Result<()> {
        self.copies.finish(current, doing)?;
        self.stream.finish(current, doing)
    }

    /// The error of a multiplication that does not fit.
    pub(super) fn no_scratch(&self, n: u64, limit: u64) -> Error {
        Error::new(
            ErrorKind::OutOfDeviceMemory,
            format!(
                "GPU {}: no plan for a multi-scalar multiplication of {n} points takes {limit} \
                 bytes of scratch or less",
                self.pool.context().ordinal()
            ),
        )
    }

    /// Makes the scratch of multiplications large enough.
    pub(super) fn msm_scratch(&mut self, current: &Current<'_>, bytes: u64) -> Result<()> {
        let what = "scratch of a multi-scalar multiplication";
        self.msm_scratch
            .ensure(current, &self.stream, &self.pool, bytes, what)?;
        Ok(())
    }

    /// Where it lies.
    pub(super) fn msm_scratch_at(&self) -> *mut c_void {
        self.msm_scratch.address()
    }

    /// Makes the scratch of plain sums large enough.
    pub(super) fn sum_scratch(&mut self, current: &Current<'_>, bytes: u64) -> Result<()> {
        let what = "scratch of a sum of points";
        self.sum_scratch
            .ensure(current, &self.stream, &self.pool, bytes, what)?;
        Ok(())
    }

    /// Where it lies.
    pub(super) fn sum_scratch_at(&self) -> *mut c_void {
        self.sum_scratch.address()
    }

    /// Device memory for the parts of a plain sum in either group.
    pub(super) fn parts(&mut self, current: &Current<'_>) -> Result<u64> {
        let bytes = kernels::SUM_G2_PARTS_SIZE as u64;
        self.parts
            .ensure(current, &self.stream, &self.pool, bytes, "parts of a sum")
    }

    /// Brings a circuit to the device, unless it is that of the last proof.
    ///
    /// # Safety
    /// On failure the uploads are finished before anything else is done with the queue.
    pub(super) unsafe fn bring_circuit<'a>(
        &mut self,
        current: &Current<'_>,
        circuit: &'a CompiledCircuit,
        uploads: &Uploads<'a>,
        cancel: &Cancel,
    ) -> Result<Option<Arrival>> {
        if self
            .circuit
            .as_ref()
            .is_some_and(|present| present.is(circuit))
        {
            return Ok(None);
        }
        self.stream.finish(current, "waiting for another circuit")?;
        self.circuit = None;
        let taken = DeviceCircuit::take(current, &self.pool, circuit)?;
        let taken = self.circuit.insert(taken);
        uploads.order(taken.orders(circuit))?;
        let arrival = uploads.next(cancel)?;
        arrival.order(&self.stream)?;
        taken.arrived(circuit);
        Ok(Some(arrival))
    }

    /// The circuit on the device.
    pub(super) fn circuit(&self) -> Result<&DeviceCircuit> {
        let none = || Error::new(ErrorKind::Internal, "no circuit was brought to the device");
        self.circuit.as_ref().ok_or_else(none)
    }

    /// The transforms' tables for 2^log_n, made when they are not those of the last proof.
    pub(super) fn tables(&mut self, current: &Current<'_>, log_n: u32) -> Result<*const c_void> {
        if let Some((of, lease)) = &self.tables {
            if *of == log_n {
                return Ok(lease.at(0));
            }
            self.stream.finish(current, "waiting for transforms")?;
            self.tables = None;
        }
        // SAFETY: a function of a number.
        let bytes = unsafe { kernels::cuzk_ntt_tables_size(log_n) } as u64;
        let lease = self.pool.take(current, bytes, "tables of the transforms")?;
        // SAFETY: the lease has the size asked for.
        let stream = self.stream.as_ptr();
        let code = unsafe { kernels::cuzk_launch_ntt_tables(stream, log_n, lease.at(0)) };
        let address = lease.at(0);
        self.tables = Some((log_n, lease));
        if let Err(error) = self.check(code, "tables of the transforms") {
            self.tables = None;
            return Err(error);
        }
        Ok(address)
    }
}
