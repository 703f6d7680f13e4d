// SPDX-License-Identifier: MIT OR Apache-2.0
//! The assignment of one circuit as callers with evaluated rows bring it.

use cuzk_prover::curve::Scalar;
use cuzk_prover::groth16::{canonical_scalars, GivenAssignment, GivenPlaces, Limbs};
use cuzk_prover::srs::SrsShape;
use cuzk_prover::Result;

use super::arguments::slice;
use super::proof::cuzk_fr;

/// Everything of one proof but its parameters and blinding scalars. This
/// structure is frozen: 17 words, laid out as supraseal-c2's Assignment.
///
/// Bit i of a density is bit i mod 64 of word i / 64; its popcount is the
/// number of ones. Inputs start with the constant one.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_assignment {
    /// Auxiliary variables with a point in the a query.
    pub a_aux_density: *const u64,
    /// Its bits: one for each auxiliary variable.
    pub a_aux_bit_len: usize,
    /// Its ones.
    pub a_aux_popcount: usize,
    /// Inputs with points in the b queries.
    pub b_inp_density: *const u64,
    /// Its bits: one for each input.
    pub b_inp_bit_len: usize,
    /// Its ones.
    pub b_inp_popcount: usize,
    /// Auxiliary variables with points in the b queries.
    pub b_aux_density: *const u64,
    /// Its bits: one for each auxiliary variable.
    pub b_aux_bit_len: usize,
    /// Its ones.
    pub b_aux_popcount: usize,
    /// A times the assignment: one scalar for each row. The rows that bind
    /// the inputs, input i times zero is zero, stand at the end.
    pub a: *const cuzk_fr,
    /// B times the assignment.
    pub b: *const cuzk_fr,
    /// C times the assignment.
    pub c: *const cuzk_fr,
    /// Rows of each of a, b and c.
    pub abc_size: usize,
    /// The inputs, the constant one first.
    pub inp_assignment_data: *const cuzk_fr,
    /// Number of inputs.
    pub inp_assignment_size: usize,
    /// The auxiliary variables.
    pub aux_assignment_data: *const cuzk_fr,
    /// Number of auxiliary variables.
    pub aux_assignment_size: usize,
}

// SAFETY: the pointers are to memory of the caller that nobody changes during the call; the
// library reads it from its threads.
unsafe impl Send for cuzk_assignment {}
// SAFETY: as above.
unsafe impl Sync for cuzk_assignment {}

// 17 words without padding, in the order above: the offsets are multiples of eight.
const _: () = assert!(size_of::<cuzk_assignment>() == 17 * 8);
const _: () = assert!(std::mem::offset_of!(cuzk_assignment, a) == 72);
const _: () = assert!(std::mem::offset_of!(cuzk_assignment, inp_assignment_data) == 104);

/// Checks lengths against the parameters, then pointers, popcounts and that scalars are
/// canonical: a length that does not fit is refused before its array is read. Looks at large
/// arrays on the current thread pool.
///
/// # Safety
/// Each pointer points to as many elements as its length says, which nobody changes while the
/// result lives.
pub(super) unsafe fn look_at<'a>(
    given: &cuzk_assignment,
    shape: &SrsShape,
) -> Result<GivenAssignment<'a>> {
    let places = GivenPlaces {
        a_aux_density: given.a_aux_density,
        a_aux_bit_len: given.a_aux_bit_len,
        a_aux_popcount: given.a_aux_popcount,
        b_inp_density: given.b_inp_density,
        b_inp_bit_len: given.b_inp_bit_len,
        b_inp_popcount: given.b_inp_popcount,
        b_aux_density: given.b_aux_density,
        b_aux_bit_len: given.b_aux_bit_len,
        b_aux_popcount: given.b_aux_popcount,
        a: given.a.cast(),
        b: given.b.cast(),
        c: given.c.cast(),
        abc_size: given.abc_size,
        inp_assignment_data: given.inp_assignment_data.cast(),
        inp_assignment_size: given.inp_assignment_size,
        aux_assignment_data: given.aux_assignment_data.cast(),
        aux_assignment_size: given.aux_assignment_size,
    };
    places.check_sizes(shape)?;
    places.look_at(
        // SAFETY: the caller's contract.
        |name, place, len| unsafe { slice(place, len, name) },
        // SAFETY: as above; cuzk_fr is its four limbs.
        |name, place, len| unsafe { slice(place, len, name) },
    )
}

/// Scalars below the modulus.
///
/// # Safety
/// `place` points to `len` elements that nobody changes while the result lives.
pub(super) unsafe fn scalars<'a>(
    name: &str,
    place: *const cuzk_fr,
    len: usize,
) -> Result<&'a [Scalar]> {
    // SAFETY: the caller's contract; cuzk_fr is its four limbs.
    let limbs = unsafe { slice(place.cast::<Limbs>(), len, name)? };
    canonical_scalars(name, limbs)
}
