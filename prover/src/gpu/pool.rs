// SPDX-License-Identifier: MIT OR Apache-2.0
//! The device memory that a backend may hold: counted against a budget, kept between proofs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::context::{Context, Current};
use super::memory::{out_of_memory, DeviceBuffer};
use crate::{ErrorKind, Result};

/// Sizes are rounded up to this, the granularity of the driver's own allocator.
const ROUND: u64 = 2 << 20;

/// Memory of one device under a budget. What is given back is kept for the next taker: taking
/// memory from the driver anew costs milliseconds a gigabyte and waits for the whole device.
pub(super) struct Pool {
    context: Arc<Context>,
    budget: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Bytes of leases and of kept buffers.
    held: u64,
    /// Bytes of leases.
    leased: u64,
    /// Bytes of leases that outlive a proof.
    lasting: u64,
    /// The most that `leased` has been since it was last asked for.
    peak: u64,
    kept: Vec<DeviceBuffer>,
}

/// Memory taken from a pool; goes back on drop. Whoever drops it has waited for the device work
/// that uses it.
pub(super) struct Lease {
    pool: Arc<Pool>,
    buffer: Option<DeviceBuffer>,
    address: u64,
    lasting: bool,
}

impl Pool {
    /// A pool that holds at most `budget` bytes.
    pub(super) fn new(context: Arc<Context>, budget: u64) -> Arc<Self> {
        Arc::new(Self {
            context,
            budget,
            state: Mutex::default(),
        })
    }

    /// The device that the memory is of.
    pub(super) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// The most bytes that the pool may hold.
    pub(super) fn budget(&self) -> u64 {
        self.budget
    }

    /// Bytes that proofs and further parameters may lease.
    pub(super) fn available(&self) -> u64 {
        self.budget.saturating_sub(self.state().lasting)
    }

    /// The most bytes that were leased at a time since the last call.
    pub(super) fn take_peak(&self) -> u64 {
        let mut state = self.state();
        let peak = state.peak;
        state.peak = state.leased;
        peak
    }

    /// Takes `bytes` for `what`.
    ///
    /// Errors: `OutOfDeviceMemory` when the budget or the device has too little.
    pub(super) fn take(
        self: &Arc<Self>,
        current: &Current<'_>,
        bytes: u64,
        what: &str,
    ) -> Result<Lease> {
        let size = bytes.max(1).next_multiple_of(ROUND);
        let mut state = self.state();
        let buffer = match state.find(size) {
            Some(buffer) => buffer,
            None => {
                state.make_room(size, self.budget);
                if state.held + size > self.budget {
                    let left = self.budget - state.held;
                    return Err(
                        out_of_memory(current.context().ordinal(), what, bytes, left)
                            .context(format!("budget of {} bytes", self.budget)),
                    );
                }
                self.allocate(current, &mut state, size, what)?
            }
        };
        state.leased += buffer.bytes() as u64;
        state.peak = state.peak.max(state.leased);
        drop(state);
        Ok(Lease {
            pool: self.clone(),
            address: buffer.address(),
            buffer: Some(buffer),
            lasting: false,
        })
    }

    /// The same for what outlives a proof: parameters.
    pub(super) fn take_lasting(
        self: &Arc<Self>,
        current: &Current<'_>,
        bytes: u64,
        what: &str,
    ) -> Result<Lease> {
        let mut lease = self.take(current, bytes, what)?;
        lease.lasting = true;
        self.state().lasting += lease.bytes();
        Ok(lease)
    }

    fn allocate(
        &self,
        current: &Current<'_>,
        state: &mut State,
        size: u64,
        what: &str,
    ) -> Result<DeviceBuffer> {
        let buffer = match DeviceBuffer::new(current, size as usize, what) {
            Err(error)
                if error.kind() == ErrorKind::OutOfDeviceMemory && !state.kept.is_empty() =>
            {
                state.forget_kept();
                DeviceBuffer::new(current, size as usize, what)?
            }
            result => result?,
        };
        state.held += size;
        Ok(buffer)
    }

    /// Gives kept memory back to the driver.
    pub(super) fn trim(&self) {
        self.state().forget_kept();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The smallest kept buffer that serves, unless it wastes more than an eighth.
    fn find(&mut self, size: u64) -> Option<DeviceBuffer> {
        let fits = |buffer: &&DeviceBuffer| {
            let bytes = buffer.bytes() as u64;
            bytes >= size && bytes - size <= size / 8
        };
        let best = self
            .kept
            .iter()
            .filter(fits)
            .map(DeviceBuffer::bytes)
            .min()?;
        let at = self.kept.iter().position(|buffer| buffer.bytes() == best)?;
        Some(self.kept.swap_remove(at))
    }

    /// Drops kept buffers, the largest first, until `size` fits.
    fn make_room(&mut self, size: u64, budget: u64) {
        self.kept.sort_by_key(DeviceBuffer::bytes);
        while self.held + size > budget {
            let Some(buffer) = self.kept.pop() else {
                return;
            };
            self.held -= buffer.bytes() as u64;
        }
    }

    fn forget_kept(&mut self) {
        for buffer in self.kept.drain(..) {
            self.held -= buffer.bytes() as u64;
        }
    }
}

impl Lease {
    /// The address of the first byte.
    pub(super) fn address(&self) -> u64 {
        self.address
    }

    /// The first byte as launchers take it, `offset` bytes on.
    pub(super) fn at(&self, offset: u64) -> *mut std::ffi::c_void {
        (self.address + offset) as usize as *mut std::ffi::c_void
    }

    /// Bytes that can be used.
    pub(super) fn bytes(&self) -> u64 {
        self.buffer
            .as_ref()
            .map_or(0, |buffer| buffer.bytes() as u64)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(buffer) = self.buffer.take() {
            let mut state = self.pool.state();
            state.leased -= buffer.bytes() as u64;
            if self.lasting {
                state.lasting -= buffer.bytes() as u64;
            }
            state.kept.push(buffer);
        }
    }
}
