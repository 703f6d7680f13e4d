// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a proof's queues hand to the host: page-locked memory that kernels and copies write.

use std::ffi::c_void;

use super::context::Current;
use super::memory::PinnedBuffer;
use crate::{Error, ErrorKind, Result};

/// Bytes for a query that has a queue of its own, and for the counts.
const SMALL: usize = 2 << 20;

/// Bytes for a queue whose multiplications may come in many parts.
const LARGE: usize = 8 << 20;

/// Part of the memory.
#[derive(Clone, Copy)]
pub(super) struct Slot(usize);

/// The memory of one proof for one queue.
pub(super) struct Results {
    buffer: PinnedBuffer,
    used: usize,
}

/// The memory of one proof.
pub(super) struct ProofResults {
    /// Of the lists' lengths.
    pub(super) counts: Results,
    /// Of the main queue.
    pub(super) main: Results,
    /// Of the sum over h.
    pub(super) h: Results,
    /// Of each query, where they have queues of their own.
    pub(super) queries: [Results; 4],
}

impl ProofResults {
    pub(super) fn new(current: &Current<'_>) -> Result<Self> {
        let new = |bytes| Results::new(current, bytes);
        Ok(Self {
            counts: new(SMALL)?,
            main: new(LARGE)?,
            h: new(LARGE)?,
            queries: [new(SMALL)?, new(SMALL)?, new(SMALL)?, new(SMALL)?],
        })
    }

    /// Forgets all slots, once nothing writes them any more.
    pub(super) fn clear(&mut self) {
        let own = [&mut self.counts, &mut self.main, &mut self.h];
        for results in own.into_iter().chain(&mut self.queries) {
            results.used = 0;
        }
    }
}

impl Results {
    fn new(current: &Current<'_>, bytes: usize) -> Result<Self> {
        Ok(Self {
            buffer: PinnedBuffer::new(current, bytes, "results")?,
            used: 0,
        })
    }

    /// Memory for a result.
    pub(super) fn slot(&mut self, bytes: usize) -> Result<Slot> {
        let slot = Slot(self.used);
        let end = slot.0 + bytes.next_multiple_of(64);
        let all = self.buffer.bytes();
        if end > all {
            let text = format!("results of {end} bytes, {all} are set aside");
            return Err(Error::new(ErrorKind::Internal, text));
        }
        self.used = end;
        Ok(slot)
    }

    /// Where a slot lies.
    pub(super) fn at(&self, slot: Slot) -> *mut c_void {
        self.buffer.at(slot.0).cast()
    }

    /// Sets the bytes of a slot to zero, before anything that writes it is queued.
    pub(super) fn zero(&mut self, slot: Slot, bytes: usize) {
        self.buffer.as_mut_slice()[slot.0..slot.0 + bytes].fill(0);
    }

    /// The first `n` pairs of 32-bit numbers in a slot, once they were written.
    pub(super) fn pairs(&self, slot: Slot, n: usize) -> Vec<(u64, u64)> {
        let number = |at: usize| {
            // SAFETY: slots are aligned to 64 bytes; `at` checks that the number lies in the
            // results' memory.
            u64::from(unsafe {
                self.buffer
                    .at(slot.0 + 4 * at)
                    .cast::<u32>()
                    .read_volatile()
            })
        };
        (0..n).map(|i| (number(2 * i), number(2 * i + 1))).collect()
    }
}
