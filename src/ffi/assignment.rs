// SPDX-License-Identifier: MIT OR Apache-2.0
//! The assignment of one circuit as callers with evaluated rows bring it.

use cuzk_prover::backend::{Assignment, AuxAssignment, Rows};
use cuzk_prover::circuit::Bitmap;
use cuzk_prover::curve::{scalars_from_limbs, Scalar};
use cuzk_prover::groth16::{check_lengths, Lengths};
use cuzk_prover::srs::SrsShape;
use cuzk_prover::{Error, ErrorKind, Result};

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

/// A caller's assignment, checked as far as it goes without the parameters.
pub(super) struct Given<'a> {
    rows: [&'a [Scalar]; 3],
    input: &'a [Scalar],
    aux: &'a [Scalar],
    a_aux_density: Bitmap,
    b_input_density: Bitmap,
    b_aux_density: Bitmap,
}

impl<'a> Given<'a> {
    /// Checks lengths against the parameters, then pointers, popcounts and that scalars are
    /// canonical: a length that does not fit is refused before its array is read. Looks at large
    /// arrays on the current thread pool.
    ///
    /// # Safety
    /// Each pointer points to as many elements as its length says, which nobody changes while
    /// the result lives.
    pub(super) unsafe fn new(assignment: &cuzk_assignment, shape: &SrsShape) -> Result<Self> {
        let given = assignment;
        check_lengths(&lengths(given), shape)?;
        // SAFETY: the caller's contract, for all of them.
        unsafe {
            Ok(Self {
                a_aux_density: density(
                    "a_aux_density",
                    given.a_aux_density,
                    given.a_aux_bit_len,
                    given.a_aux_popcount,
                )?,
                b_input_density: density(
                    "b_inp_density",
                    given.b_inp_density,
                    given.b_inp_bit_len,
                    given.b_inp_popcount,
                )?,
                b_aux_density: density(
                    "b_aux_density",
                    given.b_aux_density,
                    given.b_aux_bit_len,
                    given.b_aux_popcount,
                )?,
                rows: [
                    scalars("a", given.a, given.abc_size)?,
                    scalars("b", given.b, given.abc_size)?,
                    scalars("c", given.c, given.abc_size)?,
                ],
                input: scalars(
                    "inp_assignment_data",
                    given.inp_assignment_data,
                    given.inp_assignment_size,
                )?,
                aux: scalars(
                    "aux_assignment_data",
                    given.aux_assignment_data,
                    given.aux_assignment_size,
                )?,
            })
        }
    }

    /// The assignment as the prover takes it.
    pub(super) fn assignment(&self) -> Assignment<'_> {
        let [a, b, c] = self.rows;
        Assignment {
            rows: Rows::Given { a, b, c },
            input: self.input,
            aux: AuxAssignment::Scalars(self.aux),
            a_aux_density: &self.a_aux_density,
            b_input_density: &self.b_input_density,
            b_aux_density: &self.b_aux_density,
        }
    }
}

fn lengths(given: &cuzk_assignment) -> Lengths {
    Lengths {
        inputs: given.inp_assignment_size,
        aux: given.aux_assignment_size,
        rows: given.abc_size,
        a_aux_density: given.a_aux_bit_len,
        b_input_density: given.b_inp_bit_len,
        b_aux_density: given.b_aux_bit_len,
    }
}

/// A density with the right number of ones.
///
/// # Safety
/// `words` points to `bits` bits in whole words.
unsafe fn density(name: &str, words: *const u64, bits: usize, popcount: usize) -> Result<Bitmap> {
    // SAFETY: the caller's contract.
    let words = unsafe { slice(words, bits.div_ceil(64), name)? };
    let bitmap = Bitmap::from_words(words.to_vec(), bits);
    if bitmap.count_ones() != popcount {
        return Err(Error::new(
            ErrorKind::InvalidAssignment,
            format!(
                "{name} has {} ones, its popcount says {popcount}",
                bitmap.count_ones()
            ),
        ));
    }
    Ok(bitmap)
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
    let limbs = unsafe { slice(place.cast::<[u64; 4]>(), len, name)? };
    scalars_from_limbs(limbs).map_err(|at| {
        Error::new(
            ErrorKind::InvalidAssignment,
            format!("{name} element {at} of {len} is not below the modulus"),
        )
    })
}
