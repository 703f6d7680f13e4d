// SPDX-License-Identifier: MIT OR Apache-2.0
//! Structures that grow: the caller's first member says how many bytes it has.
//!
//! A caller built against an older header has a shorter structure: what is missing counts as
//! zero, which means the default. A caller built against a newer one has a longer structure: it
//! is served as long as the part unknown here is zero, that is, unused.

use std::mem::MaybeUninit;

use cuzk_prover::{Error, ErrorKind, Result};

/// No structure of this ABI comes near this size; a larger `struct_size` is garbage and the
/// memory behind it is not looked at.
pub(super) const LARGEST_STRUCT: usize = 64 << 10;

/// A structure that starts with `uint32_t struct_size` and may grow at its end.
///
/// # Safety
/// The first member is that size, every other is valid for any bit pattern, and there is no
/// padding that matters: integers, floats and raw pointers, no bool, enum or reference.
pub(super) unsafe trait Growing: Copy {
    /// The structure's C name, for texts.
    const NAME: &'static str;
    /// Its size when it first appeared in this ABI: no caller can have less.
    const FIRST_SIZE: usize;
}

/// Checks the address and size of a caller's structure and returns the size.
///
/// # Safety
/// `place` is null or points to memory whose first `u32` can be read.
unsafe fn checked_size<T: Growing>(place: *const T, name: &str) -> Result<usize> {
    if place.is_null() {
        return Err(Error::new(
            ErrorKind::InvalidArgument,
            format!("{name} is null"),
        ));
    }
    if !place.is_aligned() {
        return Err(Error::new(
            ErrorKind::InvalidArgument,
            format!("{name} is not aligned to {} bytes", align_of::<T>()),
        ));
    }
    // SAFETY: not null, aligned, and readable by the caller's contract.
    let size = unsafe { place.cast::<u32>().read() } as usize;
    if size < T::FIRST_SIZE || size > LARGEST_STRUCT {
        return Err(Error::new(
            ErrorKind::AbiMismatch,
            format!(
                "{name}: struct_size is {size}, a {} has {} bytes: start it with its INIT macro",
                T::NAME,
                size_of::<T>()
            ),
        ));
    }
    Ok(size)
}

/// Reads a caller's structure; null means every default.
///
/// # Safety
/// `place` is null or points to readable memory of as many bytes as its first `u32` says.
pub(super) unsafe fn read<T: Growing>(place: *const T, name: &str) -> Result<T> {
    let mut value = MaybeUninit::<T>::zeroed();
    if !place.is_null() {
        // SAFETY: the caller's contract.
        let size = unsafe { checked_size(place, name)? };
        let known = size.min(size_of::<T>());
        // SAFETY: `size` bytes are readable; `known` fits the value.
        let surplus = unsafe {
            let bytes = place.cast::<u8>();
            value
                .as_mut_ptr()
                .cast::<u8>()
                .copy_from_nonoverlapping(bytes, known);
            std::slice::from_raw_parts(bytes.add(known), size - known)
        };
        if let Some(at) = surplus.iter().position(|byte| *byte != 0) {
            return Err(Error::new(
                ErrorKind::AbiMismatch,
                format!(
                    "{name}: byte {} of its {size} is set, this library knows {} bytes of {}: \
                     the caller needs a newer library",
                    known + at,
                    size_of::<T>(),
                    T::NAME
                ),
            ));
        }
    }
    // SAFETY: zeroed and then partly overwritten; `Growing` is valid for any bit pattern.
    Ok(unsafe { value.assume_init() })
}

/// As [`read`], but null is refused.
///
/// # Safety
/// As for [`read`].
pub(super) unsafe fn read_required<T: Growing>(place: *const T, name: &str) -> Result<T> {
    if place.is_null() {
        return Err(Error::new(
            ErrorKind::InvalidArgument,
            format!("{name} is null"),
        ));
    }
    // SAFETY: the caller's contract.
    unsafe { read(place, name) }
}

/// Reads a caller's array of structures that grow. The first one's size is the distance from each
/// to the next, so all have it.
///
/// # Safety
/// `place` is null or points to `n` structures, one after the other, of as many bytes each as the
/// first `u32` says.
pub(super) unsafe fn read_array<T: Growing>(
    place: *const T,
    n: usize,
    name: &str,
) -> Result<Vec<T>> {
    if n == 0 {
        return Ok(Vec::new());
    }
    let invalid = |kind, text: String| Err(Error::new(kind, text));
    if place.is_null() {
        let text = format!("{name} is null, with {n} elements");
        return invalid(ErrorKind::InvalidArgument, text);
    }
    // SAFETY: the caller's contract.
    let stride = unsafe { checked_size(place, name)? };
    if stride % align_of::<T>() != 0 {
        let text = format!(
            "{name}: struct_size is {stride}, no multiple of {} bytes",
            align_of::<T>()
        );
        return invalid(ErrorKind::AbiMismatch, text);
    }
    if n.checked_mul(stride)
        .is_none_or(|bytes| isize::try_from(bytes).is_err())
    {
        let text = format!("{name} has {n} elements, more than an address space holds");
        return invalid(ErrorKind::InvalidArgument, text);
    }
    let mut values = Vec::new();
    for i in 0..n {
        let name = format!("{name}[{i}]");
        // SAFETY: n times stride bytes are there by the caller's contract.
        let element = unsafe { place.byte_add(i * stride) };
        // SAFETY: as above, and aligned since the first is and stride is a multiple.
        let size = unsafe { element.cast::<u32>().read() } as usize;
        if size != stride {
            let text = format!("{name}: struct_size is {size}, that of the first is {stride}");
            return invalid(ErrorKind::AbiMismatch, text);
        }
        // SAFETY: as above.
        values.push(unsafe { read(element, &name)? });
    }
    Ok(values)
}

/// A caller's structure to be filled on success.
pub(super) struct Output<T> {
    place: *mut T,
    size: usize,
}

impl<T: Growing> Output<T> {
    /// Checks the structure before the work whose result goes there.
    ///
    /// # Safety
    /// `place` is null or points to writable memory of as many bytes as its first `u32` says,
    /// which stays so until the value is written.
    pub(super) unsafe fn new(place: *mut T, name: &str) -> Result<Self> {
        // SAFETY: the caller's contract.
        let size = unsafe { checked_size(place.cast_const(), name)? };
        Ok(Self { place, size })
    }

    /// As [`Output::new`], but null is accepted and means that the value is not wanted.
    ///
    /// # Safety
    /// As for [`Output::new`].
    pub(super) unsafe fn optional(place: *mut T, name: &str) -> Result<Option<Self>> {
        if place.is_null() {
            return Ok(None);
        }
        // SAFETY: the caller's contract.
        unsafe { Self::new(place, name) }.map(Some)
    }

    /// Writes as much of the value as the caller's structure has room for; its size and what is
    /// unknown here stay as they are.
    pub(super) fn write(self, value: &T) {
        let head = size_of::<u32>();
        let known = self.size.min(size_of::<T>());
        // SAFETY: `new` checked the address; known <= size bytes are writable there, and
        // known >= FIRST_SIZE > head.
        unsafe {
            let from = std::ptr::from_ref(value).cast::<u8>().add(head);
            self.place
                .cast::<u8>()
                .add(head)
                .copy_from_nonoverlapping(from, known - head);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Sample {
        struct_size: u32,
        first: u32,
        second: u64,
        third: u64,
    }

    // SAFETY: integers only, struct_size first.
    unsafe impl Growing for Sample {
        const NAME: &'static str = "sample";
        const FIRST_SIZE: usize = 8;
    }

    fn sample(struct_size: u32) -> Sample {
        Sample {
            struct_size,
            first: 1,
            second: 2,
            third: 3,
        }
    }

    fn read_sample(value: &Sample) -> Result<Sample> {
        // SAFETY: the tests give at most the structure's own size, or a size that is refused.
        unsafe { read(value, "options") }
    }

    #[test]
    fn a_shorter_structure_is_completed_with_zeros() {
        assert_eq!(read_sample(&sample(24)).unwrap(), sample(24));
        assert_eq!(
            read_sample(&sample(16)).unwrap(),
            Sample {
                third: 0,
                ..sample(16)
            }
        );
        let least = read_sample(&sample(8)).unwrap();
        assert_eq!(
            least,
            Sample {
                second: 0,
                third: 0,
                ..sample(8)
            }
        );
        // SAFETY: null is allowed.
        let none = unsafe { read::<Sample>(std::ptr::null(), "options") }.unwrap();
        assert_eq!(
            none,
            Sample {
                struct_size: 0,
                first: 0,
                second: 0,
                third: 0
            }
        );
    }

    #[test]
    fn a_longer_structure_is_served_while_its_surplus_is_zero() {
        #[repr(C)]
        struct Longer(Sample, [u8; 16]);
        let mut longer = Longer(sample(40), [0; 16]);
        let place = (&raw const longer).cast::<Sample>();
        // SAFETY: 40 bytes are there.
        assert_eq!(unsafe { read(place, "options") }.unwrap(), sample(40));
        longer.1[9] = 1;
        let place = (&raw const longer).cast::<Sample>();
        // SAFETY: as before.
        let error = unsafe { read(place, "options") }.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AbiMismatch);
        assert!(
            error
                .message()
                .starts_with("options: byte 33 of its 40 is set"),
            "{error}"
        );
    }

    #[test]
    fn a_size_of_no_structure_is_refused_without_a_look_behind_it() {
        for size in [0, 7, LARGEST_STRUCT as u32 + 1, u32::MAX] {
            let error = read_sample(&sample(size)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::AbiMismatch, "{size}");
        }
    }

    #[test]
    fn arrays_go_by_the_size_of_their_first_element() {
        // Three elements of a caller with shorter, equal and longer structures.
        for words in [2_usize, 3, 5] {
            let size = (8 * words) as u64;
            let mut array = vec![0_u64; 3 * words];
            for (i, element) in array.chunks_mut(words).enumerate() {
                element[0] = size | (i as u64 + 1) << 32;
                element[1] = 20 + i as u64;
            }
            let read = |array: &[u64]| {
                let place = array.as_ptr().cast::<Sample>();
                // SAFETY: three elements of the size that each of them says, or refused.
                unsafe { read_array(place, 3, "requests") }
            };
            let values = read(&array).unwrap();
            let seen: Vec<_> = values.iter().map(|v| (v.first, v.second)).collect();
            assert_eq!(seen, [(1, 20), (2, 21), (3, 22)]);
            array[2 * words] += 8;
            let error = read(&array).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::AbiMismatch);
            let expected = format!(
                "requests[2]: struct_size is {}, that of the first is {size}",
                size + 8
            );
            assert_eq!(error.message(), expected);
        }
        let one = sample(20);
        let refused = |place: *const Sample, n: usize| {
            // SAFETY: null, or refused for its size before a second element is looked at.
            let error = unsafe { read_array(place, n, "requests") }.unwrap_err();
            error.to_string()
        };
        assert_eq!(
            refused(&raw const one, 2),
            "requests: struct_size is 20, no multiple of 8 bytes"
        );
        assert_eq!(
            refused(std::ptr::null(), 2),
            "requests is null, with 2 elements"
        );
        let whole = sample(24);
        assert!(refused(&raw const whole, usize::MAX / 8).starts_with("requests has "));
        // SAFETY: nothing is looked at.
        let none = unsafe { read_array::<Sample>(std::ptr::null(), 0, "requests") };
        assert!(none.unwrap().is_empty());
    }

    #[test]
    fn output_fills_what_the_caller_has_room_for() {
        for (size, second, third) in [(8, 9, 9), (16, 2, 9), (24, 2, 3)] {
            let mut place = Sample {
                struct_size: size,
                first: 9,
                second: 9,
                third: 9,
            };
            // SAFETY: the size is at most the structure's own.
            let output = unsafe { Output::new(&raw mut place, "info") }.unwrap();
            output.write(&sample(0));
            assert_eq!(
                place,
                Sample {
                    struct_size: size,
                    first: 1,
                    second,
                    third
                }
            );
        }
        // SAFETY: null is allowed.
        let none = unsafe { Output::<Sample>::optional(std::ptr::null_mut(), "info") };
        assert!(none.unwrap().is_none());
        // SAFETY: null is refused.
        let error = unsafe { Output::<Sample>::new(std::ptr::null_mut(), "info") }.err();
        assert_eq!(
            error.map(|error| error.to_string()).as_deref(),
            Some("info is null")
        );
    }
}
