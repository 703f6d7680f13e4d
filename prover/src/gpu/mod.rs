// SPDX-License-Identifier: MIT OR Apache-2.0
//! NVIDIA GPUs: the devices of a machine, their memory, and the backend that proves on one.
//!
//! The driver is found at run time; nothing here loads it or calls it before a caller asks for
//! devices, so the library also works where none is installed. A build without kernels
//! (`CUZK_CUDA=0`) lists devices and says why it cannot use them; what computes with numbers alone
//! is compiled there too, for its tests.

#[cfg(cuzk_cuda)]
mod backend;
mod build_info;
#[cfg(cuzk_cuda)]
mod circuit;
#[cfg(cuzk_cuda)]
mod compute;
#[cfg(cuzk_cuda)]
mod context;
mod device;
mod driver;
#[cfg(cuzk_cuda)]
mod feed;
#[cfg(any(cuzk_cuda, test))]
#[cfg_attr(not(cuzk_cuda), allow(dead_code))]
mod kernels;
#[cfg(cuzk_cuda)]
mod memory;
#[cfg(cuzk_cuda)]
mod msm;
#[cfg(cuzk_cuda)]
mod multiples;
#[cfg(any(cuzk_cuda, test))]
#[cfg_attr(not(cuzk_cuda), allow(dead_code))]
mod pieces;
#[cfg(any(cuzk_cuda, test))]
#[cfg_attr(not(cuzk_cuda), allow(dead_code))]
mod plan;
#[cfg(cuzk_cuda)]
mod pool;
#[cfg(cuzk_cuda)]
mod proof;
#[cfg(cuzk_cuda)]
mod queries;
#[cfg(cuzk_cuda)]
mod queues;
#[cfg(cuzk_cuda)]
mod quotient;
#[cfg(any(cuzk_cuda, test))]
#[cfg_attr(not(cuzk_cuda), allow(dead_code))]
mod ranges;
#[cfg(cuzk_cuda)]
mod results;
#[cfg(cuzk_cuda)]
mod srs;
#[cfg(cuzk_cuda)]
mod staging;
#[cfg(cuzk_cuda)]
mod stream;
#[cfg(cuzk_cuda)]
mod upload;
#[cfg(cuzk_cuda)]
mod witness;

use std::sync::Arc;

use crate::backend::Backend;
use crate::Result;

#[cfg(cuzk_cuda)]
pub use backend::GpuBackend;
pub use build_info::BuildInfo;
pub use device::{devices, select, DeviceSelector};
#[cfg(cuzk_cuda)]
pub use memory::PageLocked;

/// Which devices to open, and how much of them to use.
#[derive(Clone, Debug, Default)]
pub struct GpuOptions {
    /// The devices; all usable ones, if none are named.
    pub devices: Option<Vec<DeviceSelector>>,
    /// The most memory to hold on each device, in bytes; what is free, if not given.
    pub device_bytes: Option<u64>,
    /// Threads that upload; the number of cores, if not given, and eight at most.
    pub threads: Option<usize>,
}

/// Opens devices for proving, one backend each. The first CUDA call of a process is made here.
///
/// Errors: `NoDevice` with the reason, `InvalidArgument` when a selector names no device,
/// `DeviceFailed` and `OutOfDeviceMemory` when a device cannot be used after all.
pub fn open(options: &GpuOptions) -> Result<Vec<Arc<dyn Backend>>> {
    let devices = select(options.devices.as_deref())?;
    #[cfg(cuzk_cuda)]
    let open =
        |device| -> Result<Arc<dyn Backend>> { Ok(Arc::new(GpuBackend::open(device, options)?)) };
    // Without kernels no device passes the selection.
    #[cfg(not(cuzk_cuda))]
    let open = |device: &crate::device::Device| -> Result<Arc<dyn Backend>> {
        let text = format!("GPU {}: this build has no CUDA kernels", device.ordinal);
        Err(crate::Error::new(crate::ErrorKind::NoDevice, text))
    };
    devices.iter().map(open).collect()
}

/// The CUDA version that the driver supports; nothing when there is no driver that serves.
pub(crate) fn driver_version() -> Option<(u32, u32)> {
    driver::version()
}

/// Whether `BELLMAN_NO_GPU` forbids every CUDA call: any value but "", "0" and "false" does.
pub fn forbidden_by_environment() -> bool {
    forbids(std::env::var_os("BELLMAN_NO_GPU").as_deref())
}

/// Whether a value of `BELLMAN_NO_GPU` forbids the GPU.
pub(crate) fn forbids(value: Option<&std::ffi::OsStr>) -> bool {
    let Some(value) = value else {
        return false;
    };
    let value = value.to_string_lossy();
    !(value.is_empty() || value == "0" || value.eq_ignore_ascii_case("false"))
}

#[cfg(test)]
mod tests {
    use super::forbids;
    use std::ffi::OsStr;

    #[test]
    fn bellman_no_gpu_follows_its_truth_table() {
        for allowed in [None, Some(""), Some("0"), Some("false"), Some("False")] {
            assert!(!forbids(allowed.map(OsStr::new)), "{allowed:?}");
        }
        for forbidden in ["1", "true", "TRUE", "yes"] {
            assert!(forbids(Some(OsStr::new(forbidden))), "{forbidden}");
        }
    }
}
