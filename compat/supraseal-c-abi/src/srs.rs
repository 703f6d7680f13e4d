// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parameters by handle. A handle is a boxed, counted `cuzk_supraseal::SRS`.

use std::ffi::{c_char, CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use cuzk_supraseal::Error;

use super::boundary::{boundary, ending};
use super::types::{supraseal_c2_error, SRS};

/// The parameters behind a handle.
///
/// # Safety
/// `srs` is null or points to a handle of `create_SRS` or `clone_SRS`, which is not dropped during
/// the call.
pub(super) unsafe fn opened<'a>(srs: *const SRS) -> Result<&'a cuzk_supraseal::SRS, Error> {
    // SAFETY: the caller's contract.
    unsafe {
        srs.as_ref()
            .and_then(|srs| srs.ptr.cast::<cuzk_supraseal::SRS>().as_ref())
    }
    .ok_or_else(|| Error::invalid("srs is null or holds no parameters"))
}

/// A handle of its own.
fn handle(srs: cuzk_supraseal::SRS) -> SRS {
    SRS {
        ptr: Box::into_raw(Box::new(srs)).cast_const().cast(),
    }
}

/// Opens a parameter file, checks it and loads it.
///
/// srs_path is zero-terminated. With cache the file is kept open by its path
/// until evict_SRS(), so that its parameters outlive the handle in memory, as
/// far as the byte budget lets them. The file is read and never mapped. When
/// the call fails, srs_out holds no parameters.
///
/// Ownership: the handle is yours; end it with drop_SRS().
///
/// Errors: ENOENT without such a file; EIO; EINVAL naming file, section, index
/// and bytes of what is wrong, and for a variable of the environment that
/// makes no sense; ENOMEM with the sizes; ENODEV.
#[no_mangle]
pub unsafe extern "C" fn create_SRS(
    srs_out: *mut SRS,
    srs_path: *const c_char,
    cache: bool,
) -> supraseal_c2_error {
    boundary(|| {
        if srs_out.is_null() {
            return Err(Error::invalid("srs_out is null"));
        }
        // SAFETY: not null, and a place for a handle by the caller's contract.
        unsafe {
            srs_out.write(SRS {
                ptr: std::ptr::null(),
            });
        }
        if srs_path.is_null() {
            return Err(Error::invalid("srs_path is null"));
        }
        // SAFETY: not null, and zero-terminated by the caller's contract.
        let path = OsStr::from_bytes(unsafe { CStr::from_ptr(srs_path) }.to_bytes());
        let srs = cuzk_supraseal::SRS::try_new(PathBuf::from(path), cache)?;
        // SAFETY: as above.
        unsafe { srs_out.write(handle(srs)) };
        Ok(())
    })
}

/// Drops the file from the cache, and its parameters from memory: at once, or
/// when the work that uses them has ended. The handle stays good; the next use
/// loads them again. A null or empty handle is left alone.
#[no_mangle]
pub unsafe extern "C" fn evict_SRS(srs: *const SRS) {
    ending(|| {
        // SAFETY: the caller's contract.
        if let Ok(srs) = unsafe { opened(srs) } {
            srs.evict();
        }
    });
}

/// Ends a handle, which then holds no parameters; a null or empty one is left
/// alone. Work in flight keeps what it needs.
#[no_mangle]
pub unsafe extern "C" fn drop_SRS(srs: *mut SRS) {
    ending(|| {
        // SAFETY: null or a handle of ours, by the caller's contract.
        let Some(srs) = (unsafe { srs.as_mut() }) else {
            return;
        };
        let ptr = std::mem::replace(&mut srs.ptr, std::ptr::null());
        if !ptr.is_null() {
            // SAFETY: it comes from Box::into_raw in `handle`, and was not dropped: it would be
            // null.
            drop(unsafe { Box::from_raw(ptr.cast_mut().cast::<cuzk_supraseal::SRS>()) });
        }
    });
}

/// Makes one more handle of the same parameters, which drop_SRS() ends. Of a
/// null or empty handle it is an empty one.
#[no_mangle]
pub unsafe extern "C" fn clone_SRS(srs: *const SRS) -> SRS {
    let mut copy = SRS {
        ptr: std::ptr::null(),
    };
    ending(|| {
        // SAFETY: the caller's contract.
        if let Ok(srs) = unsafe { opened(srs) } {
            copy = handle(srs.clone());
        }
    });
    copy
}
