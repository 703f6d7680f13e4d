// SPDX-License-Identifier: MIT OR Apache-2.0
//! Queues of device work and the marks in them.

use std::ffi::c_void;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cudarc::driver::sys::{self, CUevent, CUevent_flags, CUresult, CUstream, CUstream_flags};

use super::context::{Context, Current};
use crate::Result;

/// How long a wait keeps its processor busy.
const PATIENCE: Duration = Duration::from_micros(300);

/// A queue of device work. Dropping it does not wait; whoever queued work waits for its mark.
pub(super) struct Stream {
    context: Arc<Context>,
    raw: CUstream,
}

// SAFETY: the driver's handles may be used from any thread.
unsafe impl Send for Stream {}
// SAFETY: the driver locks its queues itself.
unsafe impl Sync for Stream {}

/// A mark in a queue, with the device's time.
pub(super) struct Event {
    context: Arc<Context>,
    raw: CUevent,
}

// SAFETY: the driver's handles may be used from any thread.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

impl Stream {
    /// A queue that does not wait for the default one.
    pub(super) fn new(current: &Current<'_>) -> Result<Self> {
        Self::with_priority(current, 0)
    }

    /// The same, for small work that others wait for: the device takes it first.
    pub(super) fn urgent(current: &Current<'_>) -> Result<Self> {
        let (mut least, mut greatest) = (0, 0);
        // SAFETY: writes two numbers.
        let code = unsafe { sys::cuCtxGetStreamPriorityRange(&mut least, &mut greatest) };
        current.check(code, "asking for the priorities of streams")?;
        Self::with_priority(current, greatest)
    }

    fn with_priority(current: &Current<'_>, priority: i32) -> Result<Self> {
        let mut raw = std::ptr::null_mut();
        let flags = CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: writes the handle.
        let code = unsafe { sys::cuStreamCreateWithPriority(&mut raw, flags, priority) };
        current.check(code, "making a stream")?;
        Ok(Self {
            context: current.context().clone(),
            raw,
        })
    }

    /// The handle as launchers take it.
    pub(super) fn as_ptr(&self) -> *mut c_void {
        self.raw.cast()
    }

    /// The driver's handle.
    pub(super) fn raw(&self) -> CUstream {
        self.raw
    }

    /// Puts a mark behind what is queued.
    pub(super) fn record(&self, event: &Event) -> Result<()> {
        // SAFETY: both handles are alive.
        let code = unsafe { sys::cuEventRecord(event.raw, self.raw) };
        self.context.check(code, "recording an event")
    }

    /// A new mark behind what is queued.
    pub(super) fn mark(&self, current: &Current<'_>) -> Result<Event> {
        let event = Event::new(current)?;
        self.record(&event)?;
        Ok(event)
    }

    /// Lets what is queued from now on wait for a mark of another queue.
    pub(super) fn wait_for(&self, event: &Event) -> Result<()> {
        // SAFETY: both handles are alive.
        let code = unsafe { sys::cuStreamWaitEvent(self.raw, event.raw, 0) };
        self.context.check(code, "waiting for an event")
    }

    /// Blocks this thread, asleep, until everything queued is done.
    pub(super) fn finish(&self, current: &Current<'_>, doing: &str) -> Result<()> {
        self.mark(current)?.wait(doing)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if let Ok(_current) = self.context.push() {
            // SAFETY: made by `new`; the driver lets queued work end first.
            unsafe { sys::cuStreamDestroy_v2(self.raw) };
        }
    }
}

impl Event {
    /// A mark not yet put anywhere. Waiting for it sleeps; the driver would spin otherwise.
    pub(super) fn new(current: &Current<'_>) -> Result<Self> {
        let mut raw = std::ptr::null_mut();
        let flags = CUevent_flags::CU_EVENT_BLOCKING_SYNC as u32;
        // SAFETY: writes the handle.
        let code = unsafe { sys::cuEventCreate(&mut raw, flags) };
        current.check(code, "making an event")?;
        Ok(Self {
            context: current.context().clone(),
            raw,
        })
    }

    /// Blocks until the work before the mark is done; a mark never put anywhere is done. Reports
    /// that work's failure. Looks for a moment before it sleeps: waking up takes longer than
    /// small work.
    pub(super) fn wait(&self, doing: &str) -> Result<()> {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            // SAFETY: the handle is alive.
            match unsafe { sys::cuEventQuery(self.raw) } {
                CUresult::CUDA_ERROR_NOT_READY => std::hint::spin_loop(),
                code => return self.context.check(code, doing),
            }
        }
        // SAFETY: the handle is alive.
        let code = unsafe { sys::cuEventSynchronize(self.raw) };
        self.context.check(code, doing)
    }

    /// Device time between two marks that were both reached.
    pub(super) fn since(&self, earlier: &Event) -> Result<Duration> {
        let mut milliseconds = 0f32;
        // SAFETY: both handles are alive; writes one number.
        let code = unsafe { sys::cuEventElapsedTime(&mut milliseconds, earlier.raw, self.raw) };
        self.context.check(code, "reading an event's time")?;
        Ok(Duration::from_secs_f64(
            f64::from(milliseconds.max(0.0)) / 1000.0,
        ))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if let Ok(_current) = self.context.push() {
            // SAFETY: made by `new`.
            unsafe { sys::cuEventDestroy_v2(self.raw) };
        }
    }
}
