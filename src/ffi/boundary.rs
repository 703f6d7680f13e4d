// SPDX-License-Identifier: MIT OR Apache-2.0
//! The one way in and out: every fallible entry point runs its body inside [`boundary`], which
//! notices a forked child, catches panics and writes the caller's error.

use std::cell::{Cell, RefCell};
use std::mem::offset_of;
use std::panic;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Once;

use cuzk_prover::{Error, ErrorKind, Result};

use super::status::{cuzk_error, cuzk_status};
use super::struct_size::LARGEST_STRUCT;

/// Runs the body of an entry point and turns its outcome into a status and the caller's error.
///
/// `error_out` is null or the caller's structure, which grows by size: nothing past its
/// `struct_size` is touched, and it is touched on failure only.
pub(super) fn boundary(
    error_out: *mut cuzk_error,
    body: impl FnOnce() -> Result<()>,
) -> cuzk_status {
    // SAFETY: a caller passes null or a structure that starts with its size.
    let Ok(error_out) = (unsafe { ErrorOut::new(error_out) }) else {
        return cuzk_status::AbiMismatch;
    };
    match check_process().and_then(|()| catch(body)) {
        Ok(()) => cuzk_status::Ok,
        Err(error) => {
            let status = cuzk_status::from(error.kind());
            error_out.write(status, error.message());
            status
        }
    }
}

/// Runs the body of a call that only ends something: no status, and no panic leaves it. In a
/// forked child it does nothing: the threads that the ending would wait for are not there.
pub(super) fn ending(body: impl FnOnce()) {
    if check_process().is_ok() {
        // An ending call has no way to report, and whatever could be freed was.
        let _ = catch(|| {
            body();
            Ok(())
        });
    }
}

/// Where an error goes: nowhere, or to the caller's structure with room for `message_bytes`.
struct ErrorOut {
    place: *mut cuzk_error,
    message_bytes: usize,
}

impl ErrorOut {
    /// Refuses a structure too small for a status and any text, or of no plausible size.
    ///
    /// # Safety
    /// `place` is null or points to writable memory of as many bytes as its first `u32` says.
    unsafe fn new(place: *mut cuzk_error) -> std::result::Result<Self, ()> {
        let head = offset_of!(cuzk_error, message);
        if place.is_null() {
            return Ok(Self {
                place,
                message_bytes: 0,
            });
        }
        if !place.is_aligned() {
            return Err(());
        }
        // SAFETY: not null and aligned, and the caller's contract says that it can be read.
        let size = unsafe { (&raw const (*place).struct_size).read() } as usize;
        if size <= head || size > LARGEST_STRUCT {
            return Err(());
        }
        let message_bytes = size.min(size_of::<cuzk_error>()) - head;
        Ok(Self {
            place,
            message_bytes,
        })
    }

    /// Writes status and text; the text is cut at a character's edge when it is too long.
    fn write(&self, status: cuzk_status, message: &str) {
        if self.place.is_null() {
            return;
        }
        let text: String = message
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        let mut end = text.len().min(self.message_bytes - 1);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        // SAFETY: `new` checked the address and that status and `message_bytes` bytes of text
        // lie inside the caller's structure; end < message_bytes.
        unsafe {
            (&raw mut (*self.place).status).write(status);
            let target: *mut u8 = (&raw mut (*self.place).message).cast();
            target.copy_from_nonoverlapping(text.as_ptr(), end);
            target.add(end).write(0);
        }
    }
}

/// The process that started threads or devices through this library; 0 before.
static HOME_PROCESS: AtomicU32 = AtomicU32::new(0);

/// Remembers this process as the one whose threads and devices the library uses. Called before
/// the first of them is started.
pub(super) fn settle_in_process() {
    HOME_PROCESS.store(std::process::id(), Ordering::Relaxed);
}

/// `Forked` in a child of the process that the library settled in.
fn check_process() -> Result<()> {
    let home = HOME_PROCESS.load(Ordering::Relaxed);
    let here = std::process::id();
    if home != 0 && home != here {
        return Err(Error::new(
            ErrorKind::Forked,
            format!(
                "process {here} is a forked child of {home}, which uses the library: threads and \
                 devices are not inherited; fork before the first context or start a new program"
            ),
        ));
    }
    Ok(())
}

thread_local! {
    /// How many bodies of entry points run on this thread, one inside the other.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// Where the last panic on this thread began.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs `body`; a panic becomes an `Internal` error with its text and, when it began on this
/// thread, its place.
fn catch(body: impl FnOnce() -> Result<()>) -> Result<()> {
    quieten_panics();
    DEPTH.set(DEPTH.get() + 1);
    take_place();
    let outcome = cuzk_prover::error::catch(body);
    DEPTH.set(DEPTH.get() - 1);
    match (outcome, take_place()) {
        (Err(error), Some(place)) if error.kind() == ErrorKind::Internal => {
            Err(error.context(format_args!("at {place}")))
        }
        (outcome, _) => outcome,
    }
}

/// Where the last panic on this thread began, once. A thread that is ending, as one that runs a
/// program's exit handlers, has no such value any more.
fn take_place() -> Option<String> {
    PLACE.try_with(RefCell::take).unwrap_or_default()
}

/// Keeps panics that this library catches off the standard error: on threads inside an entry
/// point and on the library's own (named "cuzk..."). Others go to the hook that was there.
fn quieten_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let thread = std::thread::current();
            let ours = thread.name().is_some_and(|name| name.starts_with("cuzk"));
            if DEPTH.get() > 0 {
                let place = info.location().map(ToString::to_string);
                // Nowhere to keep it on a thread that is ending.
                let _ = PLACE.try_with(|slot| slot.replace(place));
            } else if !ours {
                previous(info);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    fn error() -> cuzk_error {
        cuzk_error {
            struct_size: size_of::<cuzk_error>() as u32,
            status: cuzk_status::Ok,
            message: [0x55; 1024],
        }
    }

    fn message(error: &cuzk_error) -> &str {
        // SAFETY: the library closed the text with a zero.
        unsafe { CStr::from_ptr(error.message.as_ptr()) }
            .to_str()
            .unwrap()
    }

    #[test]
    fn a_panic_with_formatted_text_comes_out_as_its_text() {
        let mut out = error();
        let status = boundary(&raw mut out, || panic!("x {}", 1));
        assert_eq!(status, cuzk_status::Internal);
        assert_eq!(out.status, cuzk_status::Internal);
        assert!(message(&out).ends_with(": x 1"), "{}", message(&out));
        assert!(
            message(&out).contains("src/ffi/boundary.rs:"),
            "{}",
            message(&out)
        );
    }

    #[test]
    fn every_kind_of_panic_payload_is_an_error() {
        let mut out = error();
        assert_eq!(
            boundary(&raw mut out, || panic!("plain")),
            cuzk_status::Internal
        );
        assert!(message(&out).ends_with(": plain"));
        let odd = || std::panic::panic_any(7_u8);
        assert_eq!(boundary(&raw mut out, odd), cuzk_status::Internal);
        assert!(message(&out).ends_with(": its payload is not text"));
        let deep = || {
            rayon::join(|| (), || panic!("on another thread: {}", 2));
            Ok(())
        };
        assert_eq!(boundary(&raw mut out, deep), cuzk_status::Internal);
        assert!(message(&out).ends_with(": on another thread: 2"));
        assert_eq!(
            boundary(std::ptr::null_mut(), || panic!("x")),
            cuzk_status::Internal
        );
        ending(|| panic!("an ending call has nobody to tell"));
    }

    #[test]
    fn an_error_is_written_on_failure_only() {
        let mut out = error();
        assert_eq!(boundary(&raw mut out, || Ok(())), cuzk_status::Ok);
        assert_eq!(out.message, [0x55; 1024]);
        let fail = || Err(Error::new(ErrorKind::Io, "two\nlines\tand a tab"));
        assert_eq!(boundary(&raw mut out, fail), cuzk_status::Io);
        assert_eq!(message(&out), "two lines and a tab");
    }

    #[test]
    fn a_shorter_error_gets_what_fits_and_nothing_past_its_end() {
        for size in 9..40_u32 {
            let mut out = error();
            out.struct_size = size;
            let fail = || {
                Err(Error::new(
                    ErrorKind::Io,
                    "größer als der Platz, immer noch",
                ))
            };
            assert_eq!(boundary(&raw mut out, fail), cuzk_status::Io);
            assert_eq!(out.status, cuzk_status::Io);
            let room = size as usize - 8;
            assert!(out.message[room..].iter().all(|byte| *byte == 0x55));
            assert!(message(&out).len() < room);
            assert!("größer als der Platz, immer noch".starts_with(message(&out)));
        }
    }

    #[test]
    fn an_error_of_no_plausible_size_is_not_touched_and_nothing_runs() {
        for size in [0, 1, 7, 8, LARGEST_STRUCT as u32 + 1, u32::MAX] {
            let mut out = error();
            out.struct_size = size;
            let run = || panic!("the body must not run");
            assert_eq!(boundary(&raw mut out, run), cuzk_status::AbiMismatch);
            assert_eq!(out.message, [0x55; 1024]);
        }
    }

    #[test]
    fn a_text_too_long_is_cut() {
        let mut out = error();
        let long = "ä".repeat(2000);
        boundary(&raw mut out, || {
            Err(Error::new(ErrorKind::Io, long.clone()))
        });
        assert_eq!(message(&out), "ä".repeat(511));
    }
}
