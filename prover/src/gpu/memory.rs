// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory of the device, and host memory that the device copies from at full speed.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::sync::Arc;

use cudarc::driver::sys::{self, CUdeviceptr};

use super::context::{Context, Current};
use super::stream::Stream;
use crate::{Error, ErrorKind, Result};

/// Device memory, given back on drop. Contents are undefined at first.
pub(super) struct DeviceBuffer {
    context: Arc<Context>,
    address: CUdeviceptr,
}

impl DeviceBuffer {
    /// Takes memory; `what` is for the message: "the h query", ...
    pub(super) fn new(current: &Current<'_>, bytes: usize, what: &str) -> Result<Self> {
        let mut address = 0;
        // SAFETY: writes the address. The driver refuses zero bytes, so one is taken at least.
        let code = unsafe { sys::cuMemAlloc_v2(&mut address, bytes.max(1)) };
        current
            .check(code, what)
            .map_err(|error| match error.kind() {
                ErrorKind::OutOfDeviceMemory => {
                    let (free, _) = current.memory().unwrap_or_default();
                    out_of_memory(current.context().ordinal(), what, bytes as u64, free)
                }
                _ => error,
            })?;
        Ok(Self {
            context: current.context().clone(),
            address,
        })
    }

    /// The address of the first byte.
    pub(super) fn address(&self) -> CUdeviceptr {
        self.address
    }
}

impl Drop for DeviceBuffer {
    fn drop(&mut self) {
        if let Ok(_current) = self.context.push() {
            // SAFETY: taken by `new`; the driver waits for work that uses it.
            unsafe { sys::cuMemFree_v2(self.address) };
        }
    }
}

/// The error of device memory that is not there.
pub(super) fn out_of_memory(ordinal: u32, what: &str, needed: u64, free: u64) -> Error {
    Error::new(
        ErrorKind::OutOfDeviceMemory,
        format!("GPU {ordinal}: {what} needs {needed} bytes of device memory, {free} are free"),
    )
}

/// Page-locked host memory of at least one page.
pub(super) struct PinnedBuffer {
    context: Arc<Context>,
    start: *mut u8,
    bytes: usize,
}

// SAFETY: plain memory with one owner.
unsafe impl Send for PinnedBuffer {}
// SAFETY: shared references only read.
unsafe impl Sync for PinnedBuffer {}

impl PinnedBuffer {
    /// Takes zeroed memory. Pages are touched by several threads and registered in one go, which
    /// is many times faster than to let the driver allocate them.
    pub(super) fn new(current: &Current<'_>, bytes: usize, what: &str) -> Result<Self> {
        let bytes = bytes.max(1).next_multiple_of(HUGE_PAGE);
        let start = map(bytes).ok_or_else(|| {
            Error::new(
                ErrorKind::OutOfMemory,
                format!("{what} needs {bytes} bytes of host memory, the system has not that much"),
            )
        })?;
        touch(start, bytes);
        // SAFETY: the pages are this function's own, mapped just now.
        let code = unsafe {
            sys::cuMemHostRegister_v2(start.cast(), bytes, sys::CU_MEMHOSTREGISTER_PORTABLE)
        };
        if let Err(error) = current.check(code, &format!("page-locking {bytes} bytes for {what}")) {
            // SAFETY: mapped above with this length, and nobody else knows it.
            unsafe { libc::munmap(start.cast(), bytes) };
            return Err(Error::new(ErrorKind::OutOfMemory, error.message()));
        }
        Ok(Self {
            context: current.context().clone(),
            start,
            bytes,
        })
    }

    /// Bytes taken.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The memory.
    pub(super) fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: mapped with this length and initialised with zeros; the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.bytes) }
    }

    /// The address of a byte, for the device to copy from or to.
    ///
    /// # Panics
    /// When `offset` is past the end.
    pub(super) fn at(&self, offset: usize) -> *mut u8 {
        assert!(
            offset <= self.bytes,
            "offset {offset} of {} pinned bytes",
            self.bytes
        );
        // SAFETY: within the mapping.
        unsafe { self.start.add(offset) }
    }
}

impl Drop for PinnedBuffer {
    fn drop(&mut self) {
        if let Ok(_current) = self.context.push() {
            // SAFETY: registered by `new`.
            unsafe { sys::cuMemHostUnregister(self.start.cast()) };
        }
        // SAFETY: mapped by `new` with this length.
        unsafe { libc::munmap(self.start.cast(), self.bytes) };
    }
}

/// A caller's memory, page-locked until this is dropped: copies from it to the device need no
/// staging. Locking takes longer than staging once, so it is for memory that serves many proofs.
pub struct PageLocked<'m> {
    context: Arc<Context>,
    start: *mut c_void,
    memory: PhantomData<&'m [u8]>,
}

// SAFETY: it only holds the address.
unsafe impl Send for PageLocked<'_> {}
// SAFETY: as above.
unsafe impl Sync for PageLocked<'_> {}

impl<'m> PageLocked<'m> {
    pub(super) fn new(current: &Current<'_>, memory: &'m [u8]) -> Result<Self> {
        let start = memory.as_ptr().cast_mut().cast();
        let flags = sys::CU_MEMHOSTREGISTER_PORTABLE;
        // SAFETY: the memory is borrowed for longer than it is locked, and only read.
        let code = unsafe { sys::cuMemHostRegister_v2(start, memory.len(), flags) };
        current.check(code, &format!("page-locking {} bytes", memory.len()))?;
        Ok(Self {
            context: current.context().clone(),
            start,
            memory: PhantomData,
        })
    }
}

impl Drop for PageLocked<'_> {
    fn drop(&mut self) {
        if let Ok(_current) = self.context.push() {
            // SAFETY: registered by `new`.
            unsafe { sys::cuMemHostUnregister(self.start) };
        }
    }
}

/// Whether the device can copy from these bytes directly: whoever owns them page-locked them.
pub(super) fn is_page_locked(bytes: &[u8]) -> bool {
    let is_locked = |byte: &u8| {
        let mut kind = 0u32;
        let attribute = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
        let at = (&raw const *byte) as sys::CUdeviceptr;
        // SAFETY: writes one number; any address may be asked about.
        let code = unsafe { sys::cuPointerGetAttribute((&raw mut kind).cast(), attribute, at) };
        code == sys::CUresult::CUDA_SUCCESS && kind == sys::CUmemorytype::CU_MEMORYTYPE_HOST as u32
    };
    bytes.first().is_some_and(is_locked) && bytes.last().is_some_and(is_locked)
}

const HUGE_PAGE: usize = 2 << 20;

fn map(bytes: usize) -> Option<*mut u8> {
    // SAFETY: a new private mapping; the advice and the exclusion from forked children change
    // nothing of its contents here, and their failure does not matter.
    unsafe {
        let start = libc::mmap(
            std::ptr::null_mut(),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        );
        if start == libc::MAP_FAILED {
            return None;
        }
        libc::madvise(start, bytes, libc::MADV_HUGEPAGE);
        libc::madvise(start, bytes, libc::MADV_DONTFORK);
        Some(start.cast())
    }
}

/// Makes the system back every page, several threads at once.
fn touch(start: *mut u8, bytes: usize) {
    /// Bytes below which a thread is not worth starting.
    const SHARE: usize = 256 << 20;
    let threads = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(16);
    let threads = threads.min(bytes / SHARE + 1);
    let share = (bytes / threads).next_multiple_of(HUGE_PAGE);
    let base = start as usize;
    std::thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || {
                let end = bytes.min((thread + 1) * share);
                for page in (thread * share..end).step_by(4096) {
                    // SAFETY: within the mapping, and each thread has a part of its own.
                    unsafe { ((base + page) as *mut u8).write_volatile(0) };
                }
            });
        }
    });
}

/// Queues a copy from page-locked memory.
///
/// # Safety
/// `host` stays valid and unchanged, `device` valid, until the stream has done the copy.
pub(super) unsafe fn copy_to_device(
    context: &Context,
    device: CUdeviceptr,
    host: *const u8,
    bytes: usize,
    stream: &Stream,
) -> Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    // SAFETY: promised by the caller.
    let code = unsafe { sys::cuMemcpyHtoDAsync_v2(device, host.cast(), bytes, stream.raw()) };
    context.check(code, "copying to the device")
}

/// Queues a copy to page-locked memory.
///
/// # Safety
/// `host` stays valid and untouched, `device` valid, until the stream has done the copy.
pub(super) unsafe fn copy_from_device(
    context: &Context,
    host: *mut u8,
    device: CUdeviceptr,
    bytes: usize,
    stream: &Stream,
) -> Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    // SAFETY: promised by the caller.
    let code = unsafe { sys::cuMemcpyDtoHAsync_v2(host.cast(), device, bytes, stream.raw()) };
    context.check(code, "copying from the device")
}

/// Queues a copy within the device.
///
/// # Safety
/// Both memories are valid, and do not overlap, until the stream has done the copy.
pub(super) unsafe fn copy_on_device(
    context: &Context,
    to: CUdeviceptr,
    from: CUdeviceptr,
    bytes: usize,
    stream: &Stream,
) -> Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    // SAFETY: promised by the caller.
    let code = unsafe { sys::cuMemcpyDtoDAsync_v2(to, from, bytes, stream.raw()) };
    context.check(code, "copying on the device")
}

/// Queues setting bytes of the device.
///
/// # Safety
/// `device` is valid for `bytes` until the stream has done it.
pub(super) unsafe fn fill(
    context: &Context,
    device: CUdeviceptr,
    byte: u8,
    bytes: usize,
    stream: &Stream,
) -> Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    // SAFETY: promised by the caller.
    let code = unsafe { sys::cuMemsetD8Async(device, byte, bytes, stream.raw()) };
    context.check(code, "filling device memory")
}
