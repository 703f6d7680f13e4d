// SPDX-License-Identifier: MIT OR Apache-2.0
//! One device opened for work: its context, and what its errors mean.

use std::ffi::CStr;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys::{self, CUcontext, CUdevice, CUdevice_attribute, CUresult};

use super::{device, driver, kernels};
use crate::device::Device;
use crate::{Error, ErrorKind, Result};

/// A device's primary context, which the kernels' runtime shares. Given back with the last
/// reference, and the device's memory with it.
pub(super) struct Context {
    ordinal: u32,
    handle: CUdevice,
    raw: CUcontext,
    multiprocessors: i32,
    /// Why the device cannot be used any more in this process.
    lost: Mutex<Option<String>>,
}

// SAFETY: the driver's handles may be used from any thread.
unsafe impl Send for Context {}
// SAFETY: as above; `lost` is behind its lock.
unsafe impl Sync for Context {}

/// The proof that a context is current on this thread. Whatever was current before is again when
/// it is dropped, so callers' own CUDA work is not disturbed.
pub(super) struct Current<'c> {
    context: &'c Arc<Context>,
    /// Belongs to its thread.
    not_send: PhantomData<*const ()>,
}

impl Context {
    /// Opens a device that `select` returned.
    pub(super) fn open(device: &Device) -> Result<Arc<Self>> {
        let handle = device::handle(device.ordinal)?;
        let failed = |code| {
            let text = format!(
                "GPU {}: opening it: {}",
                device.ordinal,
                driver::words(code)
            );
            Error::new(ErrorKind::NoDevice, text)
        };
        let processors = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
        let multiprocessors = device::attribute(handle, processors).map_err(failed)? as i32;
        let mut raw = std::ptr::null_mut();
        // SAFETY: writes the context's handle.
        match unsafe { sys::cuDevicePrimaryCtxRetain(&mut raw, handle) } {
            CUresult::CUDA_SUCCESS => Ok(Arc::new(Self {
                ordinal: device.ordinal,
                handle,
                raw,
                multiprocessors,
                lost: Mutex::new(None),
            })),
            code => Err(failed(code)),
        }
    }

    /// The driver's number of the device.
    pub(super) fn ordinal(&self) -> u32 {
        self.ordinal
    }

    /// The device's number of multiprocessors.
    pub(super) fn multiprocessors(&self) -> i32 {
        self.multiprocessors
    }

    /// Makes the context current on this thread.
    ///
    /// Errors: `DeviceFailed` when an earlier failure made the device unusable.
    pub(super) fn enter(self: &Arc<Self>) -> Result<Current<'_>> {
        if let Some(cause) = &*self.lost.lock().unwrap_or_else(PoisonError::into_inner) {
            return Err(Error::new(
                ErrorKind::DeviceFailed,
                format!(
                    "GPU {}: not usable any more in this process: {cause}",
                    self.ordinal
                ),
            ));
        }
        self.push()
    }

    /// As `enter`, also where the device failed: memory is given back then too.
    pub(super) fn push(self: &Arc<Self>) -> Result<Current<'_>> {
        // SAFETY: the context is retained.
        let code = unsafe { sys::cuCtxPushCurrent_v2(self.raw) };
        self.check(code, "making it current")?;
        Ok(Current {
            context: self,
            not_send: PhantomData,
        })
    }

    /// Turns a driver's code into an error that says what was being done.
    pub(super) fn check(&self, code: CUresult, doing: &str) -> Result<()> {
        if code == CUresult::CUDA_SUCCESS {
            return Ok(());
        }
        Err(self.error(code as i32, doing, driver::words(code)))
    }

    /// The same for a code of the kernels' launchers.
    pub(super) fn check_launch(&self, code: i32, doing: &str) -> Result<()> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: the runtime answers any number with a static string.
        let words = unsafe { CStr::from_ptr(kernels::cudaGetErrorString(code)) };
        Err(self.error(code, doing, format!("{} ({code})", words.to_string_lossy())))
    }

    fn error(&self, code: i32, doing: &str, words: String) -> Error {
        let text = format!("GPU {}: {doing}: {words}", self.ordinal);
        if is_sticky(code) {
            let mut lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
            lost.get_or_insert(format!("{doing}: {words}"));
        }
        match code {
            2 => Error::new(ErrorKind::OutOfDeviceMemory, text),
            _ => Error::new(ErrorKind::DeviceFailed, text),
        }
    }

    /// Whether an earlier failure made the device unusable.
    pub(super) fn is_lost(&self) -> bool {
        self.lost
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_some()
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: retained once in `open`.
        unsafe { sys::cuDevicePrimaryCtxRelease_v2(self.handle) };
    }
}

impl<'c> Current<'c> {
    /// The context that is current.
    pub(super) fn context(&self) -> &'c Arc<Context> {
        self.context
    }

    /// Turns a driver's code into an error.
    pub(super) fn check(&self, code: CUresult, doing: &str) -> Result<()> {
        self.context.check(code, doing)
    }

    /// Free and total bytes of the device.
    pub(super) fn memory(&self) -> Result<(u64, u64)> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: writes two integers.
        let code = unsafe { sys::cuMemGetInfo_v2(&mut free, &mut total) };
        self.check(code, "asking for its memory")?;
        Ok((free as u64, total as u64))
    }
}

impl Drop for Current<'_> {
    fn drop(&mut self) {
        let mut popped = std::ptr::null_mut();
        // SAFETY: pushed on this thread by `push`, and guards end in reverse order.
        unsafe { sys::cuCtxPopCurrent_v2(&mut popped) };
    }
}

/// Codes after which every further call on the context fails too, in the driver's numbering,
/// which the runtime's shares: faults of a kernel, of the memory, of the link.
fn is_sticky(code: i32) -> bool {
    matches!(
        code,
        214 | 220 | 226 | 700 | 702 | 709 | 710 | 714..=719 | 721 | 999
    )
}

#[cfg(test)]
mod tests {
    use super::is_sticky;

    #[test]
    fn faults_of_kernels_are_sticky_and_refusals_are_not() {
        for code in [700, 702, 715, 716, 717, 718, 719] {
            assert!(is_sticky(code), "{code}");
        }
        for code in [0, 1, 2, 46, 100, 201, 600, 701, 801] {
            assert!(!is_sticky(code), "{code}");
        }
    }
}
