// SPDX-License-Identifier: MIT OR Apache-2.0
//! The device memory that a backend may hold: counted against a budget, kept between proofs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::context::{Context, Current};
use super::memory::{out_of_memory, DeviceBuffer};
use super::ranges::Ranges;
use crate::{ErrorKind, Result};

/// Sizes are rounded up to this, the granularity of the driver's own allocator.
const ROUND: u64 = 2 << 20;

/// Memory of one device under a budget. What is given back is kept for the next taker: taking
/// memory from the driver anew costs milliseconds a gigabyte, and giving it back waits for
/// everything that is queued on the device. Where the budget has no room for more, takers share
/// the blocks that others left.
pub(super) struct Pool {
    context: Arc<Context>,
    budget: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Bytes of all blocks.
    held: u64,
    /// Bytes of leases.
    leased: u64,
    /// Bytes of leases that outlive a proof.
    lasting: u64,
    /// The most that `leased` has been since it was last asked for.
    peak: u64,
    blocks: Vec<Block>,
}

/// Memory from the driver.
struct Block {
    buffer: DeviceBuffer,
    ranges: Ranges,
}

/// Memory taken from a pool; goes back on drop. Whoever drops it has waited for the device work
/// that uses it.
pub(super) struct Lease {
    pool: Arc<Pool>,
    address: u64,
    bytes: u64,
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
        self.lease(current, bytes, what, false)
    }

    /// The same for what outlives a proof: parameters.
    pub(super) fn take_lasting(
        self: &Arc<Self>,
        current: &Current<'_>,
        bytes: u64,
        what: &str,
    ) -> Result<Lease> {
        self.lease(current, bytes, what, true)
    }

    fn lease(
        self: &Arc<Self>,
        current: &Current<'_>,
        bytes: u64,
        what: &str,
        lasting: bool,
    ) -> Result<Lease> {
        let size = bytes.max(1).next_multiple_of(ROUND);
        let mut state = self.state();
        let taken = match state.take_block(size) {
            Some(taken) => taken,
            // Parameters have blocks of their own: they would keep the rest of another from ever
            // being whole again.
            None if !lasting && state.held + size > self.budget => match state.take_part(size) {
                Some(address) => (address, size),
                None => self.add_block(current, &mut state, size, what)?,
            },
            None => self.add_block(current, &mut state, size, what)?,
        };
        let (address, bytes) = taken;
        state.leased += bytes;
        state.peak = state.peak.max(state.leased);
        if lasting {
            state.lasting += bytes;
        }
        drop(state);
        Ok(Lease {
            pool: self.clone(),
            address,
            bytes,
            lasting,
        })
    }

    /// A new block of `size` bytes, all taken, in the place of free ones if need be.
    fn add_block(
        &self,
        current: &Current<'_>,
        state: &mut State,
        size: u64,
        what: &str,
    ) -> Result<(u64, u64)> {
        let ordinal = current.context().ordinal();
        state.make_room(size, self.budget);
        if state.held + size > self.budget {
            let left = self.budget - state.held.min(self.budget);
            return Err(out_of_memory(ordinal, what, size, left)
                .context(format!("budget of {} bytes", self.budget)));
        }
        let buffer = match DeviceBuffer::new(current, size as usize, what) {
            Err(error) if error.kind() == ErrorKind::OutOfDeviceMemory && state.forget_free() => {
                DeviceBuffer::new(current, size as usize, what)?
            }
            result => result?,
        };
        state.held += size;
        let address = buffer.address();
        let mut ranges = Ranges::new(size);
        ranges.take(size);
        state.blocks.push(Block { buffer, ranges });
        Ok((address, size))
    }

    /// Gives memory that nobody has taken back to the driver.
    pub(super) fn trim(&self) {
        self.state().forget_free();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Takes the smallest free block that serves, unless it wastes more than an eighth.
    fn take_block(&mut self, size: u64) -> Option<(u64, u64)> {
        let serves = |block: &&mut Block| {
            let bytes = block.ranges.size();
            block.ranges.is_free() && bytes >= size && bytes - size <= size / 8
        };
        let blocks = self.blocks.iter_mut().filter(serves);
        let block = blocks.min_by_key(|block| block.ranges.size())?;
        let bytes = block.ranges.size();
        let start = block.ranges.take(bytes)?;
        Some((block.buffer.address() + start, bytes))
    }

    /// Takes part of a block, where the least is left over.
    fn take_part(&mut self, size: u64) -> Option<u64> {
        let fitting = |block: &mut Block| block.ranges.best(size);
        let (at, _) = self
            .blocks
            .iter_mut()
            .map(fitting)
            .enumerate()
            .filter_map(|(at, best)| Some((at, best?)))
            .min_by_key(|(_, best)| *best)?;
        let block = &mut self.blocks[at];
        Some(block.buffer.address() + block.ranges.take(size)?)
    }

    fn give(&mut self, address: u64, bytes: u64) {
        let holds = |block: &&mut Block| {
            let start = block.buffer.address();
            (start..start + block.ranges.size()).contains(&address)
        };
        if let Some(block) = self.blocks.iter_mut().find(holds) {
            let start = address - block.buffer.address();
            block.ranges.give(start, bytes);
        }
    }

    /// Drops free blocks, the largest first, until `size` fits.
    fn make_room(&mut self, size: u64, budget: u64) {
        while self.held + size > budget {
            let free = self.blocks.iter().enumerate();
            let free = free.filter(|(_, block)| block.ranges.is_free());
            let Some((at, _)) = free.max_by_key(|(_, block)| block.ranges.size()) else {
                return;
            };
            self.held -= self.blocks.swap_remove(at).ranges.size();
        }
    }

    /// Drops all free blocks, and tells whether there were any.
    fn forget_free(&mut self) -> bool {
        let before = self.blocks.len();
        self.blocks.retain(|block| !block.ranges.is_free());
        self.held = self.blocks.iter().map(|block| block.ranges.size()).sum();
        self.blocks.len() < before
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
        self.bytes
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut state = self.pool.state();
        state.leased -= self.bytes;
        if self.lasting {
            state.lasting -= self.bytes;
        }
        state.give(self.address, self.bytes);
    }
}
