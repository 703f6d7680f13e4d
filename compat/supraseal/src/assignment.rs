// SPDX-License-Identifier: MIT OR Apache-2.0
//! The assignment of one circuit as callers bring it: pointers and sizes. Looked at before any
//! work is started.

use std::mem::offset_of;

use cuzk_prover::groth16::{GivenAssignment, GivenPlaces, Limbs};
use cuzk_prover::srs::SrsShape;
use cuzk_prover::{Error, ErrorKind, Result};

/// Bytes of a scalar: four 64-bit limbs in Montgomery form.
pub const SCALAR_BYTES: usize = 32;

const _: () = assert!(size_of::<Limbs>() == SCALAR_BYTES);

/// Everything of one proof but its parameters and blinding scalars: 17 words, in this order.
///
/// Bit i of a density is bit i mod 64 of word i / 64. The rows that bind the inputs stand at the
/// end of `a`, `b` and `c`; the inputs start with the constant one.
#[repr(C)]
pub struct Assignment<Scalar> {
    /// Auxiliary variables with a point in the a query.
    pub a_aux_density: *const usize,
    /// Its bits: one for each auxiliary variable.
    pub a_aux_bit_len: usize,
    /// Its ones.
    pub a_aux_popcount: usize,

    /// Inputs with points in the b queries.
    pub b_inp_density: *const usize,
    /// Its bits: one for each input.
    pub b_inp_bit_len: usize,
    /// Its ones.
    pub b_inp_popcount: usize,

    /// Auxiliary variables with points in the b queries.
    pub b_aux_density: *const usize,
    /// Its bits: one for each auxiliary variable.
    pub b_aux_bit_len: usize,
    /// Its ones.
    pub b_aux_popcount: usize,

    /// A times the assignment: one scalar for each row.
    pub a: *const Scalar,
    /// B times the assignment.
    pub b: *const Scalar,
    /// C times the assignment.
    pub c: *const Scalar,
    /// Rows of each of a, b and c.
    pub abc_size: usize,

    /// The inputs, the constant one first.
    pub inp_assignment_data: *const Scalar,
    /// Number of inputs.
    pub inp_assignment_size: usize,

    /// The auxiliary variables.
    pub aux_assignment_data: *const Scalar,
    /// Number of auxiliary variables.
    pub aux_assignment_size: usize,
}

// 17 words without padding: the offsets are multiples of eight in the order above.
const _: () = assert!(size_of::<usize>() == 8);
const _: () = assert!(size_of::<Assignment<Limbs>>() == 17 * 8);
const _: () = assert!(offset_of!(Assignment<Limbs>, b_aux_density) == 48);
const _: () = assert!(offset_of!(Assignment<Limbs>, a) == 72);
const _: () = assert!(offset_of!(Assignment<Limbs>, abc_size) == 96);
const _: () = assert!(offset_of!(Assignment<Limbs>, inp_assignment_data) == 104);
const _: () = assert!(offset_of!(Assignment<Limbs>, aux_assignment_size) == 128);

impl<S> Assignment<S> {
    /// The same words, the scalars as limbs; `Batch` has checked their size.
    pub(crate) fn raw(&self) -> Raw {
        Raw(GivenPlaces {
            a_aux_density: self.a_aux_density.cast(),
            a_aux_bit_len: self.a_aux_bit_len,
            a_aux_popcount: self.a_aux_popcount,
            b_inp_density: self.b_inp_density.cast(),
            b_inp_bit_len: self.b_inp_bit_len,
            b_inp_popcount: self.b_inp_popcount,
            b_aux_density: self.b_aux_density.cast(),
            b_aux_bit_len: self.b_aux_bit_len,
            b_aux_popcount: self.b_aux_popcount,
            a: self.a.cast(),
            b: self.b.cast(),
            c: self.c.cast(),
            abc_size: self.abc_size,
            inp_assignment_data: self.inp_assignment_data.cast(),
            inp_assignment_size: self.inp_assignment_size,
            aux_assignment_data: self.aux_assignment_data.cast(),
            aux_assignment_size: self.aux_assignment_size,
        })
    }
}

/// An assignment that is read by other threads than its caller's.
pub(crate) struct Raw(GivenPlaces);

// SAFETY: the pointers are to memory that the caller leaves alone until the proof is made.
unsafe impl Send for Raw {}
// SAFETY: as above; it is only read.
unsafe impl Sync for Raw {}

impl Raw {
    /// Compares every size with the parameters; looks at nothing behind the pointers.
    pub(crate) fn check_sizes(&self, shape: &SrsShape) -> Result<()> {
        self.0.check_sizes(shape)
    }

    /// Checks pointers, popcounts and scalars; the sizes were checked before. Looks at large arrays
    /// on the current thread pool.
    ///
    /// # Safety
    /// Each pointer points to as many elements as its size says, and nobody changes or frees them
    /// while the result lives.
    pub(crate) unsafe fn look_at(&self) -> Result<GivenAssignment<'static>> {
        self.0.look_at(
            // SAFETY: the caller's contract.
            |name, place, len| unsafe { array(name, place, len) },
            // SAFETY: as above.
            |name, place, len| unsafe { array(name, place, len) },
        )
    }
}

/// An array of the caller: a null or odd pointer is an error, unless there are no elements.
///
/// # Safety
/// A pointer that is neither null nor odd points to `len` elements that nobody changes or frees
/// while the result lives.
pub unsafe fn array<'a, T>(name: &str, place: *const T, len: usize) -> Result<&'a [T]> {
    let invalid = |text| Err(Error::new(ErrorKind::InvalidArgument, text));
    if len == 0 {
        return Ok(&[]);
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
        // SAFETY: not null, aligned, at most isize::MAX bytes, and there by the caller's contract.
        Some(bytes) if isize::try_from(bytes).is_ok() => {
            Ok(unsafe { std::slice::from_raw_parts(place, len) })
        }
        _ => invalid(format!(
            "{name} has {len} elements, more than an address space holds"
        )),
    }
}
