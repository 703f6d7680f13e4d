// SPDX-License-Identifier: MIT OR Apache-2.0
//! NVIDIA GPUs: the devices of a machine, their memory, and the backend that proves on one.
//!
//! The driver is found at run time; nothing here loads it or calls it before a caller asks for
//! devices, so the library also works where none is installed. A build without kernels
//! (`CUZK_CUDA=0`) lists devices and says why it cannot use them.

mod build_info;
mod device;
mod driver;

pub use build_info::BuildInfo;
pub use device::{devices, select, DeviceSelector};

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
