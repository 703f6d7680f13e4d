// SPDX-License-Identifier: MIT OR Apache-2.0
//! The one way out: every fallible entry point runs its body inside [`boundary`], which catches
//! panics and makes the error that is returned by value.

use std::cell::Cell;
use std::panic;
use std::sync::Once;

use cuzk_supraseal::{catch, Error};

use super::types::supraseal_c2_error;

/// Runs the body of an entry point and turns its outcome into the caller's error.
pub(super) fn boundary(body: impl FnOnce() -> Result<(), Error>) -> supraseal_c2_error {
    match guarded(body) {
        Ok(()) => supraseal_c2_error {
            code: 0,
            message: std::ptr::null_mut(),
        },
        Err(error) => supraseal_c2_error {
            code: error.code,
            message: allocated(error.message()),
        },
    }
}

/// Runs the body of a call that cannot report: nothing leaves it.
pub(super) fn ending(body: impl FnOnce()) {
    // Whatever could be ended was.
    let _ = guarded(|| {
        body();
        Ok(())
    });
}

/// A zero-terminated copy in malloc's memory; null when there is none.
fn allocated(text: &str) -> *mut libc::c_char {
    let bytes = text.as_bytes();
    // SAFETY: malloc gives null or room for the text and a zero.
    unsafe {
        let place = libc::malloc(bytes.len() + 1).cast::<u8>();
        if !place.is_null() {
            for (i, byte) in bytes.iter().enumerate() {
                place.add(i).write(if *byte == 0 { b' ' } else { *byte });
            }
            place.add(bytes.len()).write(0);
        }
        place.cast()
    }
}

thread_local! {
    /// How many bodies of entry points run on this thread, one inside the other.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

fn guarded<T>(body: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    quieten_panics();
    DEPTH.set(DEPTH.get() + 1);
    let outcome = catch(body);
    DEPTH.set(DEPTH.get() - 1);
    outcome
}

/// Keeps panics that become errors off the standard error: on threads inside an entry point and on
/// the library's own (named "cuzk..."). Others go to the hook that was there.
fn quieten_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let thread = std::thread::current();
            let ours = thread.name().is_some_and(|name| name.starts_with("cuzk"));
            if DEPTH.get() == 0 && !ours {
                previous(info);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    #[test]
    fn errors_and_panics_come_out_with_allocated_text() {
        let text = |error: &supraseal_c2_error| {
            // SAFETY: a zero-terminated text.
            let text = unsafe { CStr::from_ptr(error.message) };
            text.to_str().unwrap().to_owned()
        };
        let fine = boundary(|| Ok(()));
        assert!(fine.code == 0 && fine.message.is_null());
        let bad = boundary(|| Err(Error::invalid("one\0two")));
        assert_eq!((bad.code, text(&bad).as_str()), (libc::EINVAL, "one two"));
        let panicked = boundary(|| panic!("x {}", 1));
        assert_eq!(panicked.code, libc::ENOTRECOVERABLE);
        assert_eq!(text(&panicked), "a fault of the library: x 1");
        ending(|| panic!("unheard"));
        // SAFETY: malloc's memory, or null.
        unsafe {
            libc::free(bad.message.cast());
            libc::free(panicked.message.cast());
            libc::free(fine.message.cast());
        }
    }
}
