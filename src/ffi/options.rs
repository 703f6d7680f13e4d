// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a context is made with.

use std::ffi::{c_char, c_void, CString};
use std::mem::offset_of;
use std::sync::Arc;

use cuzk_prover::backend::BackendChoice;
use cuzk_prover::gpu::DeviceSelector;
use cuzk_prover::log::{Level, Sink};
use cuzk_prover::schedule::Options;
use cuzk_prover::{Error, ErrorKind, Result};

use super::arguments::{path, text};
use super::struct_size::Growing;

/// What proves. Zero leaves the choice to CUZK_BACKEND in the environment,
/// then to CUZK_BACKEND_AUTO.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum cuzk_backend {
    /// As the environment says.
    Default = 0,
    /// A GPU where one can be used, otherwise the CPU.
    Auto = 1,
    /// The CPU; no CUDA call is made.
    Cpu = 2,
    /// A GPU, or CUZK_STATUS_NO_DEVICE.
    Cuda = 3,
}

/// Whether each proof is verified before it is given out.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum cuzk_self_verification {
    /// On.
    Default = 0,
    /// On: a proof that does not verify is made once more, then it is
    /// CUZK_STATUS_SELF_CHECK_FAILED.
    On = 1,
    /// Off: the caller verifies.
    Off = 2,
}

/// How much a log line matters; each level includes those before it.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum cuzk_log_level {
    /// CUZK_LOG_LEVEL_INFO.
    Default = 0,
    /// Work failed.
    Error = 1,
    /// Something was worked around.
    Warn = 2,
    /// A choice was made, something large was loaded or dropped.
    Info = 3,
    /// Each step.
    Debug = 4,
}

/// What a context is made with. Start it with CUZK_CONTEXT_OPTIONS_INIT; zero
/// means the default in every member. What is set here wins over the
/// environment.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_context_options {
    /// sizeof(cuzk_context_options), as CUZK_CONTEXT_OPTIONS_INIT sets it.
    pub struct_size: u32,
    /// A cuzk_backend.
    pub backend: i32,
    /// A cuzk_self_verification.
    pub self_verification: i32,
    /// A cuzk_log_level: the least urgent lines that log gets.
    pub log_level: i32,
    /// Host threads; 0: CUZK_GPU_THREADS, then one for each processor that
    /// the process may use. At most 4096.
    pub threads: usize,
    /// Most host memory for parameters, circuits and work, in bytes; 0: seven
    /// eighths of the machine's memory or of the cgroup's limit.
    pub host_memory_bytes: u64,
    /// Most memory of each device in bytes; 0: what is free when the context
    /// is made.
    pub device_memory_bytes: u64,
    /// Devices to use: ordinals or UUIDs, separated by commas ("0,2"); null:
    /// CUZK_DEVICES, then all that are usable.
    pub devices: *const c_char,
    /// Folder of Filecoin's parameter files; null: FIL_PROOFS_PARAMETER_CACHE,
    /// then /var/tmp/filecoin-proof-parameters/.
    pub parameter_directory: *const c_char,
    /// Gets log lines (zero-terminated UTF-8, valid for the call), one after
    /// the other on a thread of the context; null: none, or to standard error
    /// where CUZK_LOG in the environment says so.
    pub log: Option<unsafe extern "C" fn(user: *mut c_void, level: i32, line: *const c_char)>,
    /// Handed to log.
    pub log_user: *mut c_void,
}

// SAFETY: integers and pointers, a null function included; struct_size first.
unsafe impl Growing for cuzk_context_options {
    const NAME: &'static str = "cuzk_context_options";
    const FIRST_SIZE: usize = 72;
}

const _: () = assert!(size_of::<cuzk_context_options>() == 72);
const _: () = assert!(offset_of!(cuzk_context_options, threads) == 16);
const _: () = assert!(offset_of!(cuzk_context_options, devices) == 40);
const _: () = assert!(offset_of!(cuzk_context_options, log_user) == 64);

impl cuzk_context_options {
    /// The options as the prover takes them.
    ///
    /// # Safety
    /// The texts are null or zero-terminated; `log` and `log_user` can be used until the context
    /// made with them has ended, `log` from another thread.
    pub(super) unsafe fn to_options(self) -> Result<Options> {
        let backend = match self.backend {
            0 => None,
            1 => Some(BackendChoice::Auto),
            2 => Some(BackendChoice::Cpu),
            3 => Some(BackendChoice::Cuda),
            other => return Err(out_of_range("options.backend", other, 3)),
        };
        let self_verification = match self.self_verification {
            0 | 1 => true,
            2 => false,
            other => return Err(out_of_range("options.self_verification", other, 2)),
        };
        let level = match self.log_level {
            0 | 3 => Level::Info,
            1 => Level::Error,
            2 => Level::Warn,
            4 => Level::Debug,
            other => return Err(out_of_range("options.log_level", other, 4)),
        };
        if self.log.is_none() && self.log_level != 0 {
            return Err(Error::new(
                ErrorKind::InvalidArgument,
                "options.log_level is set and options.log is null",
            ));
        }
        // SAFETY: the caller's contract.
        let (devices, parameter_folder) = unsafe {
            (
                text(self.devices, "options.devices")?,
                path(self.parameter_directory, "options.parameter_directory")?,
            )
        };
        Ok(Options {
            backend,
            devices: devices.map(DeviceSelector::list),
            host_bytes: nonzero(self.host_memory_bytes),
            device_bytes: nonzero(self.device_memory_bytes),
            threads: (self.threads != 0).then_some(self.threads),
            parameter_folder: parameter_folder.map(Into::into),
            self_verification,
            log: self
                .log
                .map(|function| (level, sink(function, self.log_user))),
        })
    }
}

fn nonzero(value: u64) -> Option<u64> {
    (value != 0).then_some(value)
}

/// The error of a number that is none of an enumeration's.
pub(super) fn out_of_range(name: &str, value: i32, largest: i32) -> Error {
    Error::new(
        ErrorKind::InvalidArgument,
        format!("{name} is {value}, 0 to {largest} are known"),
    )
}

/// A caller's pointer that goes with its function to the thread that calls it.
pub(super) struct User(pub(super) *mut c_void);

// SAFETY: only handed back to the caller's function, which the header says is called from
// another thread.
unsafe impl Send for User {}
// SAFETY: as above; calls come one after the other.
unsafe impl Sync for User {}

impl User {
    /// A method, so that closures take the whole and not the bare pointer.
    pub(super) fn pointer(&self) -> *mut c_void {
        self.0
    }
}

fn sink(
    function: unsafe extern "C" fn(*mut c_void, i32, *const c_char),
    user: *mut c_void,
) -> Sink {
    let user = User(user);
    Arc::new(move |level: Level, line: &str| {
        let level = match level {
            Level::Error => cuzk_log_level::Error,
            Level::Warn => cuzk_log_level::Warn,
            Level::Info => cuzk_log_level::Info,
            Level::Debug => cuzk_log_level::Debug,
        };
        let line = CString::new(line.replace('\0', " ")).unwrap_or_default();
        // SAFETY: the caller gave function and pointer for this, and the text lives until then.
        unsafe { function(user.pointer(), level as i32, line.as_ptr()) };
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defaults() -> cuzk_context_options {
        // SAFETY: null means every default.
        unsafe { super::super::struct_size::read(std::ptr::null(), "options") }.unwrap()
    }

    fn options(options: cuzk_context_options) -> Result<Options> {
        // SAFETY: literals and null.
        unsafe { options.to_options() }
    }

    #[test]
    fn zero_is_the_default_everywhere() {
        let zero = options(defaults()).unwrap();
        assert!(zero.backend.is_none() && zero.devices.is_none() && zero.log.is_none());
        assert!(zero.host_bytes.is_none() && zero.device_bytes.is_none());
        assert!(zero.threads.is_none() && zero.parameter_folder.is_none());
        assert!(zero.self_verification);
    }

    #[test]
    fn numbers_outside_an_enumeration_are_refused_by_name() {
        for bad in [-1, 5, i32::MIN, i32::MAX] {
            let refused = |spoiled: cuzk_context_options| {
                let error = options(spoiled).err().unwrap();
                assert_eq!(error.kind(), ErrorKind::InvalidArgument);
                error.to_string()
            };
            let mut spoiled = defaults();
            spoiled.backend = bad;
            assert_eq!(
                refused(spoiled),
                format!("options.backend is {bad}, 0 to 3 are known")
            );
            let mut spoiled = defaults();
            spoiled.self_verification = bad;
            assert!(refused(spoiled).starts_with("options.self_verification is "));
            let mut spoiled = defaults();
            spoiled.log_level = bad;
            assert!(refused(spoiled).starts_with("options.log_level is "));
        }
    }

    #[test]
    fn log_lines_reach_the_caller_with_their_level() {
        unsafe extern "C" fn keep(user: *mut c_void, level: i32, line: *const c_char) {
            // SAFETY: the test passes a vector and the library a zero-terminated text.
            unsafe {
                let lines = &mut *user.cast::<Vec<(i32, CString)>>();
                lines.push((level, std::ffi::CStr::from_ptr(line).to_owned()));
            }
        }
        let mut lines: Vec<(i32, CString)> = Vec::new();
        let sink = sink(keep, (&raw mut lines).cast());
        sink(Level::Warn, "one\0two");
        drop(sink);
        assert_eq!(lines, [(2, c"one two".to_owned())]);
    }
}
