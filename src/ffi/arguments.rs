// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments as C passes them: handles, arrays, texts and places for results.

use std::ffi::{c_char, CStr, OsStr};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use cuzk_prover::{Error, ErrorKind, Result};

/// The error of a null argument.
fn null(name: &str) -> Error {
    Error::new(ErrorKind::InvalidArgument, format!("{name} is null"))
}

/// An argument that must not be null.
pub(super) fn required<T>(argument: Option<T>, name: &str) -> Result<T> {
    argument.ok_or_else(|| null(name))
}

/// A place for a handle, emptied before anything can go wrong, a bad error structure included: what
/// the caller ends afterwards is null or a handle.
pub(super) fn emptied<T>(
    mut place: Option<&mut MaybeUninit<T>>,
    empty: T,
) -> Option<&mut MaybeUninit<T>> {
    if let Some(place) = &mut place {
        place.write(empty);
    }
    place
}

/// An array of the caller: null with length zero is empty.
///
/// # Safety
/// `place` is null or points to `len` elements that are valid for any bit pattern of theirs that
/// the caller may have written, and that nobody changes during the call.
pub(super) unsafe fn slice<'a, T>(place: *const T, len: usize, name: &str) -> Result<&'a [T]> {
    check_array(place, len, name)?;
    if len == 0 {
        return Ok(&[]);
    }
    // SAFETY: not null, aligned, at most isize::MAX bytes, and there by the caller's contract.
    Ok(unsafe { std::slice::from_raw_parts(place, len) })
}

/// An array of the caller to be written.
///
/// # Safety
/// `place` is null or points to room for `len` elements that nobody else uses during the call.
pub(super) unsafe fn slice_out<'a, T>(
    place: *mut T,
    len: usize,
    name: &str,
) -> Result<&'a mut [MaybeUninit<T>]> {
    check_array(place.cast_const(), len, name)?;
    if len == 0 {
        return Ok(&mut []);
    }
    // SAFETY: not null, aligned, at most isize::MAX bytes, ours alone by the caller's contract;
    // MaybeUninit promises nothing about what is there.
    Ok(unsafe { std::slice::from_raw_parts_mut(place.cast(), len) })
}

fn check_array<T>(place: *const T, len: usize, name: &str) -> Result<()> {
    let invalid = |text: String| Err(Error::new(ErrorKind::InvalidArgument, text));
    if len == 0 {
        return Ok(());
    }
    if place.is_null() {
        return invalid(format!("{name} is null, with {len} elements"));
    }
    if !place.is_aligned() {
        return invalid(format!(
            "{name} is not aligned to {} bytes",
            align_of::<T>()
        ));
    }
    match len.checked_mul(size_of::<T>()) {
        Some(bytes) if isize::try_from(bytes).is_ok() => Ok(()),
        _ => invalid(format!(
            "{name} has {len} elements, more than an address space holds"
        )),
    }
}

/// Zero-terminated text of the caller, null for none.
///
/// # Safety
/// `place` is null or points to a zero-terminated string that nobody changes during the call.
unsafe fn bytes<'a>(place: *const c_char) -> Option<&'a [u8]> {
    // SAFETY: not null, and zero-terminated by the caller's contract.
    (!place.is_null()).then(|| unsafe { CStr::from_ptr(place) }.to_bytes())
}

/// Text in UTF-8, null for none.
///
/// # Safety
/// As for [`bytes`].
pub(super) unsafe fn text<'a>(place: *const c_char, name: &str) -> Result<Option<&'a str>> {
    // SAFETY: the caller's contract.
    unsafe { bytes(place) }
        .map(|bytes| {
            std::str::from_utf8(bytes).map_err(|error| {
                let at = error.valid_up_to();
                Error::new(
                    ErrorKind::InvalidArgument,
                    format!("{name} is not UTF-8 at byte {at}"),
                )
            })
        })
        .transpose()
}

/// A path, null for none; empty is refused.
///
/// # Safety
/// As for [`bytes`].
pub(super) unsafe fn path<'a>(place: *const c_char, name: &str) -> Result<Option<&'a Path>> {
    // SAFETY: the caller's contract.
    match unsafe { bytes(place) } {
        Some([]) => Err(Error::new(
            ErrorKind::InvalidArgument,
            format!("{name} is empty"),
        )),
        found => Ok(found.map(|bytes| Path::new(OsStr::from_bytes(bytes)))),
    }
}

/// Text for the caller: a buffer of `capacity` bytes and a place for the length.
pub(super) struct TextOut<'a> {
    buffer: &'a mut [MaybeUninit<u8>],
    length: Option<&'a mut MaybeUninit<usize>>,
    name: &'static str,
}

impl<'a> TextOut<'a> {
    /// Checks the buffer before the work whose text goes there.
    ///
    /// # Safety
    /// `place` is null or points to `capacity` writable bytes.
    pub(super) unsafe fn new(
        place: *mut c_char,
        capacity: usize,
        length: Option<&'a mut MaybeUninit<usize>>,
        name: &'static str,
    ) -> Result<Self> {
        // SAFETY: the caller's contract.
        let buffer = unsafe { slice_out(place.cast::<u8>(), capacity, name)? };
        Ok(Self {
            buffer,
            length,
            name,
        })
    }

    /// Writes the text and its closing zero, and the length without it. When they do not fit,
    /// only the length is written.
    pub(super) fn write(self, text: &str) -> Result<()> {
        if let Some(length) = self.length {
            length.write(text.len());
        }
        let needed = text.len() + 1;
        let capacity = self.buffer.len();
        let Some(room) = self.buffer.get_mut(..needed) else {
            return Err(too_small(self.name, capacity, needed));
        };
        for (place, byte) in room.iter_mut().zip(text.bytes().chain([0])) {
            place.write(byte);
        }
        Ok(())
    }
}

/// Bytes for the caller: the buffer STEM_out of `capacity` bytes, and STEM_len_out for their number.
pub(super) struct BytesOut<'a> {
    buffer: &'a mut [MaybeUninit<u8>],
    length: &'a mut MaybeUninit<usize>,
    stem: &'static str,
}

impl<'a> BytesOut<'a> {
    /// Checks the two before the work whose bytes go there.
    ///
    /// # Safety
    /// `place` is null or points to `capacity` writable bytes.
    pub(super) unsafe fn new(
        place: *mut u8,
        capacity: usize,
        length: Option<&'a mut MaybeUninit<usize>>,
        stem: &'static str,
    ) -> Result<Self> {
        // SAFETY: the caller's contract.
        let buffer = unsafe { slice_out(place, capacity, &format!("{stem}_out"))? };
        let length = required(length, &format!("{stem}_len_out"))?;
        Ok(Self {
            buffer,
            length,
            stem,
        })
    }

    /// Whether `needed` bytes fit; when they do not, their number is written. To be asked before
    /// the work.
    pub(super) fn check_room(&mut self, needed: usize) -> Result<()> {
        let capacity = self.buffer.len();
        if capacity < needed {
            self.length.write(needed);
            return Err(too_small(&format!("{}_out", self.stem), capacity, needed));
        }
        Ok(())
    }

    /// Writes the bytes and their number.
    pub(super) fn write(mut self, bytes: &[u8]) -> Result<()> {
        self.check_room(bytes.len())?;
        write_bytes(self.buffer, bytes);
        self.length.write(bytes.len());
        Ok(())
    }
}

/// Copies bytes to the front of a place that has room for them.
pub(super) fn write_bytes(place: &mut [MaybeUninit<u8>], bytes: &[u8]) {
    for (place, byte) in place.iter_mut().zip(bytes) {
        place.write(*byte);
    }
}

/// A text in a structure's member of fixed size: cut at a character's edge, closed by zeros.
pub(super) fn copy_text<const N: usize>(text: &str) -> [c_char; N] {
    let mut end = text.len().min(N - 1);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut member = [0; N];
    for (place, byte) in member.iter_mut().zip(&text.as_bytes()[..end]) {
        *place = *byte as c_char;
    }
    member
}

/// The text in a structure's member of fixed size, up to its first zero or its end.
pub(super) fn member_text(member: &[c_char]) -> String {
    let bytes: Vec<u8> = member
        .iter()
        .map(|char| *char as u8)
        .take_while(|byte| *byte != 0)
        .collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The error of a buffer shorter than its result.
pub(super) fn too_small(name: &str, capacity: usize, needed: usize) -> Error {
    Error::new(
        ErrorKind::BufferTooSmall,
        format!("{name} has room for {capacity} bytes, {needed} needed"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_checked_before_they_are_touched() {
        let words = [1_u64, 2, 3];
        let odd = words.as_ptr().cast::<u8>().wrapping_add(1).cast::<u64>();
        // SAFETY: the addresses are fine or refused before they are used.
        unsafe {
            assert_eq!(slice(words.as_ptr(), 3, "w").unwrap(), [1, 2, 3]);
            assert_eq!(slice::<u64>(std::ptr::null(), 0, "w").unwrap(), [0_u64; 0]);
            assert_eq!(
                slice::<u64>(std::ptr::null(), 2, "w")
                    .unwrap_err()
                    .message(),
                "w is null, with 2 elements"
            );
            assert_eq!(
                slice(odd, 1, "w").unwrap_err().message(),
                "w is not aligned to 8 bytes"
            );
            for len in [usize::MAX, usize::MAX / 8, isize::MAX as usize / 8 + 1] {
                let error = slice(words.as_ptr(), len, "w").unwrap_err();
                assert_eq!(error.kind(), ErrorKind::InvalidArgument);
            }
        }
    }

    #[test]
    fn texts_and_paths_may_be_null_but_not_broken() {
        // SAFETY: zero-terminated literals and null.
        unsafe {
            assert_eq!(text(c"abc".as_ptr(), "t").unwrap(), Some("abc"));
            assert_eq!(text(std::ptr::null(), "t").unwrap(), None);
            assert_eq!(
                text(c"ab\xffc".as_ptr(), "t").unwrap_err().message(),
                "t is not UTF-8 at byte 2"
            );
            assert_eq!(path(std::ptr::null(), "p").unwrap(), None);
            assert_eq!(path(c"".as_ptr(), "p").unwrap_err().message(), "p is empty");
            assert!(path(c"/a\xff".as_ptr(), "p").unwrap().is_some());
        }
    }

    #[test]
    fn text_that_does_not_fit_sets_its_length_only() {
        let mut buffer = [7 as c_char; 6];
        for capacity in 0..=6 {
            buffer.fill(7);
            let mut length = MaybeUninit::new(99);
            // SAFETY: the buffer has six bytes.
            let out =
                unsafe { TextOut::new(buffer.as_mut_ptr(), capacity, Some(&mut length), "json") };
            let result = out.unwrap().write("abcd");
            // SAFETY: it was set before.
            assert_eq!(unsafe { length.assume_init() }, 4);
            if capacity < 5 {
                assert_eq!(
                    result.unwrap_err().message(),
                    format!("json has room for {capacity} bytes, 5 needed")
                );
                assert_eq!(buffer, [7; 6]);
            } else {
                result.unwrap();
                assert_eq!(buffer, [97, 98, 99, 100, 0, 7]);
            }
        }
    }

    #[test]
    fn bytes_that_do_not_fit_set_their_number_only() {
        for capacity in 0..4 {
            let (mut buffer, mut length) = ([7; 4], MaybeUninit::new(99));
            let place = buffer.as_mut_ptr();
            // SAFETY: the buffer has four bytes.
            let out = unsafe { BytesOut::new(place, capacity, Some(&mut length), "proof") };
            let mut out = out.unwrap();
            let room = out.check_room(2);
            let result = out.write(&[1, 2]);
            // SAFETY: it was set before.
            assert_eq!(unsafe { length.assume_init() }, 2);
            if capacity < 2 {
                let text = format!("proof_out has room for {capacity} bytes, 2 needed");
                assert_eq!(room.unwrap_err().message(), text);
                assert_eq!(result.unwrap_err().message(), text);
                assert_eq!(buffer, [7; 4]);
            } else {
                result.unwrap();
                assert_eq!(buffer, [1, 2, 7, 7]);
            }
        }
        // SAFETY: null places are refused.
        let missing = unsafe { BytesOut::new(std::ptr::null_mut(), 0, None, "proof") };
        assert_eq!(missing.err().unwrap().message(), "proof_len_out is null");
    }
}
