// SPDX-License-Identifier: MIT OR Apache-2.0
//! The thread that uploads one proof's data while another thread queues its work.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::context::Context;
use super::staging::Staging;
use super::stream::{Event, Stream};
use crate::backend::Cancel;
use crate::curve::Scalar;
use crate::{Error, ErrorKind, Result};

/// How long a wait may go on before it looks whether the work was cancelled.
const PATIENCE: Duration = Duration::from_millis(20);

/// Bytes of the caller's and where they go.
pub(super) struct Order<'a> {
    /// What to copy.
    pub(super) source: &'a [u8],
    /// The device address.
    pub(super) address: u64,
}

/// What was uploaded, and when the device has it.
pub(super) struct Arrival {
    marks: Vec<Event>,
    /// Bytes copied.
    pub(super) bytes: u64,
    /// How long it took on the host.
    pub(super) time: Duration,
}

/// The side of the thread that queues the work.
pub(super) struct Uploads<'a> {
    pub(super) orders: Sender<Vec<Order<'a>>>,
    pub(super) arrivals: Receiver<Result<Arrival>>,
}

/// Sets its flag when it is dropped: whatever ends the queueing also ends the upload.
pub(super) struct StopOnDrop<'f>(pub(super) &'f AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl<'a> Uploads<'a> {
    /// Hands copies over to the uploading thread.
    pub(super) fn order(&self, orders: Vec<Order<'a>>) -> Result<()> {
        let ended = |_| Error::new(ErrorKind::Internal, "the upload ended early");
        self.orders.send(orders).map_err(ended)
    }

    /// Waits until the next order's bytes were all read.
    pub(super) fn next(&self, cancel: &Cancel) -> Result<Arrival> {
        loop {
            cancel.check()?;
            match self.arrivals.recv_timeout(PATIENCE) {
                Ok(arrival) => return arrival,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::new(ErrorKind::Internal, "the upload ended early"))
                }
            }
        }
    }
}

impl Arrival {
    /// Lets the stream wait until the device has everything.
    pub(super) fn order(&self, stream: &Stream) -> Result<()> {
        self.marks.iter().try_for_each(|mark| stream.wait_for(mark))
    }
}

/// Carries orders out until there are no more. Runs on a thread of its own.
///
/// # Safety
/// The device memory of each order is valid and untouched by others until its copies are done or
/// the staging's streams are finished.
pub(super) unsafe fn serve(
    context: &std::sync::Arc<Context>,
    staging: &Mutex<Staging>,
    orders: Receiver<Vec<Order<'_>>>,
    arrivals: Sender<Result<Arrival>>,
    stop: &AtomicBool,
) {
    for batch in orders {
        // Locked for a batch and no longer: whoever holds it waits for nobody.
        let mut staging = staging.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: promised by the caller.
        let arrival = unsafe { carry_out(context, &mut staging, &batch, stop) };
        drop(staging);
        let failed = arrival.is_err();
        if arrivals.send(arrival).is_err() || failed {
            return;
        }
    }
}

/// # Safety
/// As `serve`.
unsafe fn carry_out(
    context: &std::sync::Arc<Context>,
    staging: &mut Staging,
    batch: &[Order<'_>],
    stop: &AtomicBool,
) -> Result<Arrival> {
    let start = Instant::now();
    let current = context.enter()?;
    let mut arrival = Arrival {
        marks: Vec::new(),
        bytes: 0,
        time: Duration::ZERO,
    };
    for order in batch {
        // SAFETY: promised by the caller.
        let marks = unsafe { staging.upload(&current, order.source, order.address, stop)? };
        arrival.marks.extend(marks);
        arrival.bytes += order.source.len() as u64;
    }
    arrival.time = start.elapsed();
    Ok(arrival)
}

/// The bytes of scalars as they lie in memory.
pub(super) fn scalar_bytes(scalars: &[Scalar]) -> &[u8] {
    // SAFETY: a scalar is 32 bytes without padding (asserted in `curve`).
    unsafe { std::slice::from_raw_parts(scalars.as_ptr().cast(), size_of_val(scalars)) }
}

/// The bytes of words.
pub(super) fn word_bytes<T: Word>(words: &[T]) -> &[u8] {
    // SAFETY: integers have no padding.
    unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), size_of_val(words)) }
}

/// An unsigned integer.
pub(super) trait Word {}

impl Word for u16 {}
impl Word for u32 {}
impl Word for u64 {}
