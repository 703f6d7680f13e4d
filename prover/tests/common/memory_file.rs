// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files in memory, for parameters that no disk here has room for.

use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd};
use std::path::PathBuf;

/// A file without a name; its path holds as long as the file does.
pub fn memory_file() -> (File, PathBuf) {
    // SAFETY: the name is a C string; the descriptor returned is this function's own.
    let file = unsafe {
        let descriptor = libc::memfd_create(c"parameters".as_ptr(), libc::MFD_CLOEXEC);
        assert!(
            descriptor >= 0,
            "memfd_create: {}",
            std::io::Error::last_os_error()
        );
        File::from_raw_fd(descriptor)
    };
    let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    (file, path)
}
