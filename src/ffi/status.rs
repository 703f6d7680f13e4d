// SPDX-License-Identifier: MIT OR Apache-2.0
//! Statuses and the error structure.

use std::ffi::{c_char, CStr};

use cuzk_prover::ErrorKind;

/// What a call came to. The values are pinned: none changes, none is reused.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum cuzk_status {
    /// Done.
    Ok = 0,
    /// A null, misaligned, out-of-range or inconsistent argument.
    InvalidArgument = 1,
    /// A struct_size that this library cannot serve.
    AbiMismatch = 2,
    /// The operating system refused to read or write a file.
    Io = 3,
    /// No parameter file where one was looked for; the text says where.
    ParametersNotFound = 4,
    /// A parameter or verifying key file with wrong contents.
    InvalidSrs = 5,
    /// An assignment that does not fit the parameters.
    InvalidAssignment = 6,
    /// A Commit-1 output that cannot be proved.
    InvalidC1 = 7,
    /// The caller's buffer is shorter than the result; the length was set.
    BufferTooSmall = 8,
    /// A device was asked for and there is none, or none usable.
    NoDevice = 9,
    /// Host memory: the budget or the machine has too little.
    OutOfMemory = 10,
    /// Device memory: the budget or the device has too little.
    OutOfDeviceMemory = 11,
    /// A device call failed.
    DeviceFailed = 12,
    /// A proof was made and did not verify; it was not given out.
    SelfCheckFailed = 13,
    /// The caller cancelled the work.
    Cancelled = 14,
    /// A wait ran out of time; the work goes on.
    Timeout = 15,
    /// Called in a forked child of the process that uses the library.
    Forked = 16,
    /// Known, but not supported by this build or this function.
    Unsupported = 17,
    /// A fault of the library; please report it with the text. The context
    /// stays usable.
    Internal = 18,
}

impl cuzk_status {
    /// Every status, in the order of the values.
    const ALL: [(cuzk_status, &'static CStr); 19] = [
        (cuzk_status::Ok, c"CUZK_STATUS_OK"),
        (
            cuzk_status::InvalidArgument,
            c"CUZK_STATUS_INVALID_ARGUMENT",
        ),
        (cuzk_status::AbiMismatch, c"CUZK_STATUS_ABI_MISMATCH"),
        (cuzk_status::Io, c"CUZK_STATUS_IO"),
        (
            cuzk_status::ParametersNotFound,
            c"CUZK_STATUS_PARAMETERS_NOT_FOUND",
        ),
        (cuzk_status::InvalidSrs, c"CUZK_STATUS_INVALID_SRS"),
        (
            cuzk_status::InvalidAssignment,
            c"CUZK_STATUS_INVALID_ASSIGNMENT",
        ),
        (cuzk_status::InvalidC1, c"CUZK_STATUS_INVALID_C1"),
        (cuzk_status::BufferTooSmall, c"CUZK_STATUS_BUFFER_TOO_SMALL"),
        (cuzk_status::NoDevice, c"CUZK_STATUS_NO_DEVICE"),
        (cuzk_status::OutOfMemory, c"CUZK_STATUS_OUT_OF_MEMORY"),
        (
            cuzk_status::OutOfDeviceMemory,
            c"CUZK_STATUS_OUT_OF_DEVICE_MEMORY",
        ),
        (cuzk_status::DeviceFailed, c"CUZK_STATUS_DEVICE_FAILED"),
        (
            cuzk_status::SelfCheckFailed,
            c"CUZK_STATUS_SELF_CHECK_FAILED",
        ),
        (cuzk_status::Cancelled, c"CUZK_STATUS_CANCELLED"),
        (cuzk_status::Timeout, c"CUZK_STATUS_TIMEOUT"),
        (cuzk_status::Forked, c"CUZK_STATUS_FORKED"),
        (cuzk_status::Unsupported, c"CUZK_STATUS_UNSUPPORTED"),
        (cuzk_status::Internal, c"CUZK_STATUS_INTERNAL"),
    ];
}

impl From<ErrorKind> for cuzk_status {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::InvalidArgument => cuzk_status::InvalidArgument,
            ErrorKind::AbiMismatch => cuzk_status::AbiMismatch,
            ErrorKind::Io => cuzk_status::Io,
            ErrorKind::ParametersNotFound => cuzk_status::ParametersNotFound,
            ErrorKind::InvalidSrs => cuzk_status::InvalidSrs,
            ErrorKind::InvalidAssignment => cuzk_status::InvalidAssignment,
            ErrorKind::InvalidC1 => cuzk_status::InvalidC1,
            ErrorKind::BufferTooSmall => cuzk_status::BufferTooSmall,
            ErrorKind::NoDevice => cuzk_status::NoDevice,
            ErrorKind::OutOfMemory => cuzk_status::OutOfMemory,
            ErrorKind::OutOfDeviceMemory => cuzk_status::OutOfDeviceMemory,
            ErrorKind::DeviceFailed => cuzk_status::DeviceFailed,
            ErrorKind::SelfCheckFailed => cuzk_status::SelfCheckFailed,
            ErrorKind::Cancelled => cuzk_status::Cancelled,
            ErrorKind::Timeout => cuzk_status::Timeout,
            ErrorKind::Forked => cuzk_status::Forked,
            ErrorKind::Unsupported => cuzk_status::Unsupported,
            ErrorKind::Internal => cuzk_status::Internal,
        }
    }
}

/// The name of the status that a kind of error becomes.
pub fn name(kind: ErrorKind) -> &'static str {
    let status = cuzk_status::from(kind);
    let found = cuzk_status::ALL.iter().find(|(known, _)| *known == status);
    found.map_or("", |(_, name)| name.to_str().unwrap_or_default())
}

/// Bytes of an error's text, the closing zero included.
pub const CUZK_ERROR_MESSAGE_BYTES: usize = 1024;

/// Why a call failed: the caller's memory, the last argument of every call
/// that can fail. Start it with CUZK_ERROR_INIT. It is written on failure only.
#[repr(C)]
pub struct cuzk_error {
    /// sizeof(cuzk_error), as CUZK_ERROR_INIT sets it.
    pub struct_size: u32,
    /// The status that the call returned.
    pub status: cuzk_status,
    /// One line of UTF-8, zero-terminated: what was wrong with which thing,
    /// and the numbers.
    pub message: [c_char; CUZK_ERROR_MESSAGE_BYTES],
}

const _: () = assert!(size_of::<cuzk_error>() == 1032);
const _: () = assert!(std::mem::offset_of!(cuzk_error, status) == 4);
const _: () = assert!(std::mem::offset_of!(cuzk_error, message) == 8);

/// Returns a status' name, such as "CUZK_STATUS_IO".
///
/// For a number that is no status of this library: "CUZK_STATUS_UNKNOWN".
///
/// Ownership: the text belongs to the library and stays valid.
#[no_mangle]
pub extern "C" fn cuzk_status_name(status: i32) -> *const c_char {
    usize::try_from(status)
        .ok()
        .and_then(|index| cuzk_status::ALL.get(index))
        .map_or(c"CUZK_STATUS_UNKNOWN", |(_, name)| name)
        .as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(status: i32) -> String {
        // SAFETY: the function returns zero-terminated static text.
        unsafe { CStr::from_ptr(cuzk_status_name(status)) }
            .to_str()
            .unwrap()
            .to_owned()
    }

    #[test]
    fn the_name_table_is_in_the_order_of_the_values() {
        for (index, (status, _)) in cuzk_status::ALL.iter().enumerate() {
            assert_eq!(*status as usize, index);
        }
        assert_eq!(
            name(cuzk_status::InvalidC1 as i32),
            "CUZK_STATUS_INVALID_C1"
        );
        assert_eq!(name(19), "CUZK_STATUS_UNKNOWN");
        assert_eq!(name(-1), "CUZK_STATUS_UNKNOWN");
        assert_eq!(name(i32::MIN), "CUZK_STATUS_UNKNOWN");
    }
}
