// SPDX-License-Identifier: MIT OR Apache-2.0
//! The two functions of CUDA's runtime that Curio's daemon takes from this package's link line.
//!
//! A build with kernels links that runtime, and they are its own. A build without has no device
//! that could gain by pinned memory: these hand out ordinary memory, whole pages of it.

use std::ffi::{c_int, c_uint, c_void};

const SUCCESS: c_int = 0;
const INVALID_VALUE: c_int = 1;
const MEMORY_ALLOCATION: c_int = 2;

/// Bytes of a page.
const PAGE: usize = 4096;

/// Memory of whole pages; it ends with `cudaFreeHost`.
///
/// # Safety
/// `p_host` is null or a place for a pointer.
#[no_mangle]
#[allow(non_snake_case)]
pub unsafe extern "C" fn cudaHostAlloc(
    p_host: *mut *mut c_void,
    size: usize,
    _flags: c_uint,
) -> c_int {
    if p_host.is_null() {
        return INVALID_VALUE;
    }
    let mut place = std::ptr::null_mut();
    if size > 0 {
        // SAFETY: the alignment is a power of two and a multiple of a pointer's size.
        if unsafe { libc::posix_memalign(&raw mut place, PAGE, size) } != 0 {
            return MEMORY_ALLOCATION;
        }
    }
    // SAFETY: not null, and a place for a pointer by the caller's contract.
    unsafe { p_host.write(place) };
    SUCCESS
}

/// Frees memory of `cudaHostAlloc`; null is accepted.
///
/// # Safety
/// `ptr` is null or comes from `cudaHostAlloc` and was not freed.
#[no_mangle]
#[allow(non_snake_case)]
pub unsafe extern "C" fn cudaFreeHost(ptr: *mut c_void) -> c_int {
    // SAFETY: the caller's contract.
    unsafe { libc::free(ptr) };
    SUCCESS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_whole_pages_is_handed_out_and_freed() {
        let mut place = std::ptr::null_mut();
        // SAFETY: a place for a pointer, and as many bytes as asked for.
        unsafe {
            assert_eq!(cudaHostAlloc(&raw mut place, 10_000, 1), SUCCESS);
            assert!(!place.is_null() && place.addr() % PAGE == 0);
            place.cast::<u8>().write_bytes(7, 10_000);
            assert_eq!(cudaFreeHost(place), SUCCESS);
            assert_eq!(cudaHostAlloc(std::ptr::null_mut(), 1, 0), INVALID_VALUE);
            assert_eq!(
                cudaHostAlloc(&raw mut place, usize::MAX / 2, 0),
                MEMORY_ALLOCATION
            );
            assert_eq!(cudaHostAlloc(&raw mut place, 0, 0), SUCCESS);
            assert_eq!(cudaFreeHost(place), SUCCESS);
        }
    }
}
