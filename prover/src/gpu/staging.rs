// SPDX-License-Identifier: MIT OR Apache-2.0
//! Copies from ordinary memory to the device at the speed of the bus.
//!
//! The driver copies pageable memory at a tenth of the bus. So several threads copy pieces into
//! small page-locked buffers, two a thread, from where the device fetches them; a piece is still
//! in the cache when it does. Memory that its owner page-locked is fetched from where it lies.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::context::Current;
use super::memory::{copy_to_device, is_page_locked, PinnedBuffer};
use super::stream::{Event, Stream};
use crate::{Error, ErrorKind, Result};

/// Bytes of a piece. Smaller pieces stay in a core's cache, larger ones waste less on calls.
const PIECE: usize = 4 << 20;

/// Threads beyond which copying gains nothing: one moves 5 to 10 GB/s, the bus 55.
const MAX_THREADS: usize = 12;

/// Bytes of a piece of memory that is page-locked itself.
const DIRECT_PIECE: usize = 256 << 20;

fn stopped() -> Error {
    Error::new(ErrorKind::Cancelled, "the upload was stopped")
}

/// Page-locked buffers and queues for copies, a pair for each thread.
pub(super) struct Staging {
    lanes: Vec<Lane>,
}

/// What one thread copies with.
struct Lane {
    buffer: PinnedBuffer,
    stream: Stream,
    /// When the device has fetched each half of the buffer.
    fetched: [Event; 2],
}

impl Staging {
    /// Buffers for at most `threads` threads.
    pub(super) fn new(current: &Current<'_>, threads: usize) -> Result<Self> {
        let lanes = (0..threads.clamp(1, MAX_THREADS)).map(|_| {
            Ok(Lane {
                buffer: PinnedBuffer::new(current, 2 * PIECE, "staging")?,
                stream: Stream::new(current)?,
                fetched: [Event::new(current)?, Event::new(current)?],
            })
        });
        Ok(Self {
            lanes: lanes.collect::<Result<_>>()?,
        })
    }

    /// Page-locked bytes held.
    pub(super) fn bytes(&self) -> u64 {
        self.lanes
            .iter()
            .map(|lane| lane.buffer.bytes() as u64)
            .sum()
    }

    /// Copies `source` to the device address; the copies are done, and the source is read, at the
    /// marks returned. Ends early with `Cancelled` when `stop` is set.
    ///
    /// # Safety
    /// The device memory is `source.len()` bytes, and valid until the marks are reached; no other
    /// work touches it meanwhile.
    pub(super) unsafe fn upload(
        &mut self,
        current: &Current<'_>,
        source: &[u8],
        address: u64,
        stop: &AtomicBool,
    ) -> Result<Vec<Event>> {
        let result = self.queue(current, source, address, stop);
        if result.is_err() {
            // Copies that were queued may still be on their way into the caller's memory.
            let _ = self.finish(current);
        }
        result
    }

    fn queue(
        &mut self,
        current: &Current<'_>,
        source: &[u8],
        address: u64,
        stop: &AtomicBool,
    ) -> Result<Vec<Event>> {
        let context = current.context();
        if source.len() >= PIECE && is_page_locked(source) {
            let lane = &self.lanes[0];
            for (i, bytes) in source.chunks(DIRECT_PIECE).enumerate() {
                if stop.load(Ordering::Relaxed) {
                    return Err(stopped());
                }
                let to = address + (i * DIRECT_PIECE) as u64;
                // SAFETY: the source is borrowed until the marks are waited for or the lanes
                // finished; the device memory is what the caller of `upload` promises.
                unsafe { copy_to_device(context, to, bytes.as_ptr(), bytes.len(), &lane.stream)? };
                // A few pieces ahead, so that a stopped upload ends soon.
                let fetched = &lane.fetched[i % 2];
                fetched.wait("copying to the device")?;
                lane.stream.record(fetched)?;
            }
            return Ok(vec![lane.stream.mark(current)?]);
        }
        let pieces = source.len().div_ceil(PIECE);
        let next = AtomicUsize::new(0);
        let work = |lane: &mut Lane| -> Result<Option<Event>> {
            let current = context.enter()?;
            let mut used = false;
            for turn in 0.. {
                let piece = next.fetch_add(1, Ordering::Relaxed);
                if piece >= pieces {
                    break;
                }
                if stop.load(Ordering::Relaxed) {
                    return Err(stopped());
                }
                let start = piece * PIECE;
                let bytes = &source[start..source.len().min(start + PIECE)];
                let half = turn % 2;
                lane.fetched[half].wait("copying to the device")?;
                let staged = half * PIECE;
                lane.buffer.as_mut_slice()[staged..staged + bytes.len()].copy_from_slice(bytes);
                // SAFETY: this half is not touched before `fetched` is reached, and the lane
                // lives as long as the backend, which waits for its work; the device memory is
                // what the caller of `upload` promises.
                unsafe {
                    let host = lane.buffer.at(staged);
                    let to = address + start as u64;
                    copy_to_device(context, to, host, bytes.len(), &lane.stream)?;
                }
                lane.stream.record(&lane.fetched[half])?;
                used = true;
            }
            used.then(|| lane.stream.mark(&current)).transpose()
        };
        if pieces <= 1 {
            return Ok(work(&mut self.lanes[0])?.into_iter().collect());
        }
        let work = &work;
        let marks: Vec<Result<Option<Event>>> = std::thread::scope(|scope| {
            let lanes = self.lanes.iter_mut().take(pieces);
            let workers: Vec<_> = lanes.map(|lane| scope.spawn(move || work(lane))).collect();
            let failed = || Error::new(ErrorKind::Internal, "a thread of the upload panicked");
            workers
                .into_iter()
                .map(|worker| worker.join().unwrap_or_else(|_| Err(failed())))
                .collect()
        });
        let marks: Vec<Option<Event>> = marks.into_iter().collect::<Result<_>>()?;
        Ok(marks.into_iter().flatten().collect())
    }

    /// Blocks until the device has fetched everything.
    pub(super) fn finish(&self, current: &Current<'_>) -> Result<()> {
        self.lanes
            .iter()
            .try_for_each(|lane| lane.stream.finish(current, "copying to the device"))
    }
}
