// SPDX-License-Identifier: MIT OR Apache-2.0
//! The NVIDIA driver: found at run time, asked for its version, its codes put into words.

use std::ffi::CStr;
use std::sync::OnceLock;

use cudarc::driver::sys::{self, CUresult};

use super::build_info::BuildInfo;

/// Why no device can be used at all; a sentence for the reader.
pub(super) type Reason = String;

/// Loads and starts the driver once; every later call gets the same answer.
pub(super) fn start() -> Result<(), Reason> {
    static STARTED: OnceLock<Result<(), Reason>> = OnceLock::new();
    STARTED.get_or_init(start_once).clone()
}

/// The CUDA version that the driver supports, if it could be started.
pub(super) fn version() -> Option<(u32, u32)> {
    start().ok()?;
    let mut version = 0;
    // SAFETY: writes one integer.
    match unsafe { sys::cuDriverGetVersion(&mut version) } {
        CUresult::CUDA_SUCCESS => {
            let version = u32::try_from(version).ok()?;
            Some((version / 1000, version % 1000 / 10))
        }
        _ => None,
    }
}

fn start_once() -> Result<(), Reason> {
    // cudarc panics when the library is missing, so it is asked first.
    // SAFETY: loading the driver's library runs its initialisers, as every CUDA program does.
    if !unsafe { sys::is_culib_present() } {
        return Err("the NVIDIA driver is not installed (no libcuda.so.1)".to_owned());
    }
    let mut version = 0;
    // SAFETY: writes one integer; may be called before cuInit.
    match unsafe { sys::cuDriverGetVersion(&mut version) } {
        CUresult::CUDA_SUCCESS => check_version(version, BuildInfo::current().toolkit_major())?,
        code => {
            return Err(format!(
                "the NVIDIA driver does not answer: {}",
                words(code)
            ))
        }
    }
    // SAFETY: takes no pointers.
    match unsafe { sys::cuInit(0) } {
        CUresult::CUDA_SUCCESS => Ok(()),
        CUresult::CUDA_ERROR_NO_DEVICE => {
            Err("the NVIDIA driver is installed and finds no device".to_owned())
        }
        CUresult::CUDA_ERROR_STUB_LIBRARY => Err(
            "the libcuda.so found first is a toolkit's stub: put the driver's own in front of it"
                .to_owned(),
        ),
        CUresult::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH => Err(
            "the NVIDIA kernel module and libcuda.so.1 are of different versions: restart the \
             machine after a driver update"
                .to_owned(),
        ),
        code => Err(format!("the NVIDIA driver does not start: {}", words(code))),
    }
}

/// Refuses a driver older than the kernels' runtime. CUDA promises that any driver of the same
/// major version serves, so 13.x kernels need 13.0 of it.
fn check_version(version: i32, toolkit_major: Option<u32>) -> Result<(), Reason> {
    let Some(major) = toolkit_major else {
        return Ok(());
    };
    if version >= major as i32 * 1000 {
        return Ok(());
    }
    let release = match BuildInfo::driver_release(major) {
        Some(release) => format!("install driver R{release} or later"),
        None => "install a newer driver".to_owned(),
    };
    Err(format!(
        "the NVIDIA driver supports CUDA {}.{}, this build needs {major}.0: {release}, or build \
         with an older CUDA toolkit",
        version / 1000,
        version % 1000 / 10
    ))
}

/// A driver's code in its own words, with its name and number.
pub(super) fn words(code: CUresult) -> String {
    let mut name = std::ptr::null();
    let mut text = std::ptr::null();
    // SAFETY: both write a pointer to a static string, or null for an unknown code.
    let (name, text) = unsafe {
        sys::cuGetErrorName(code, &mut name);
        sys::cuGetErrorString(code, &mut text);
        (static_text(name), static_text(text))
    };
    match (name, text) {
        (Some(name), Some(text)) => format!("{text} ({name}, {})", code as u32),
        (Some(name), None) => format!("{name} ({})", code as u32),
        _ => format!("code {}", code as u32),
    }
}

/// # Safety
/// `text` is null or a C string that lives as long as the process.
unsafe fn static_text(text: *const std::ffi::c_char) -> Option<&'static str> {
    if text.is_null() {
        return None;
    }
    // SAFETY: promised by the caller.
    unsafe { CStr::from_ptr(text) }.to_str().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_driver_is_refused_with_both_versions_and_the_floor() {
        assert_eq!(check_version(13000, Some(13)), Ok(()));
        assert_eq!(check_version(14020, Some(13)), Ok(()));
        assert_eq!(check_version(11040, None), Ok(()));
        let reason = check_version(12020, Some(13)).unwrap_err();
        assert!(reason.contains("CUDA 12.2"), "{reason}");
        assert!(
            reason.contains("needs 13.0: install driver R580 or later"),
            "{reason}"
        );
    }
}
