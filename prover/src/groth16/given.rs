// SPDX-License-Identifier: MIT OR Apache-2.0
//! An assignment as callers of a C interface bring it: arrays of words, looked at before they are
//! used. How the arrays come about from pointers is the interface's business.

use crate::backend::{Assignment, AuxAssignment, Rows};
use crate::circuit::Bitmap;
use crate::curve::{scalars_from_limbs, Scalar};
use crate::{room, Error, ErrorKind, Result};

/// A density and what its caller says of it.
#[derive(Clone, Copy, Debug)]
pub struct GivenDensity<'a> {
    /// Bit i is bit i mod 64 of word i / 64; whole words.
    pub words: &'a [u64],
    /// Its bits.
    pub bits: usize,
    /// Its ones.
    pub ones: usize,
}

/// The arrays of one assignment, scalars as limbs in Montgomery form.
#[derive(Clone, Copy, Debug)]
pub struct GivenArrays<'a> {
    /// Auxiliary variables with a point in the a query.
    pub a_aux_density: GivenDensity<'a>,
    /// Inputs with points in the b queries.
    pub b_input_density: GivenDensity<'a>,
    /// Auxiliary variables with points in the b queries.
    pub b_aux_density: GivenDensity<'a>,
    /// A, B and C times the assignment.
    pub rows: [&'a [[u64; 4]]; 3],
    /// The inputs, the constant one first.
    pub input: &'a [[u64; 4]],
    /// The auxiliary variables.
    pub aux: &'a [[u64; 4]],
}

/// An assignment whose popcounts and scalars are right.
#[derive(Debug)]
pub struct GivenAssignment<'a> {
    rows: [&'a [Scalar]; 3],
    input: &'a [Scalar],
    aux: &'a [Scalar],
    a_aux_density: Bitmap,
    b_input_density: Bitmap,
    b_aux_density: Bitmap,
}

impl<'a> GivenAssignment<'a> {
    /// Looks at every array, on the current thread pool. Lengths are `check_lengths`'s business.
    ///
    /// # Errors
    ///
    /// `InvalidAssignment` for a density with another number of ones than its popcount says and for
    /// a scalar that is not below the modulus, by the names that the C interfaces have for them;
    /// `OutOfMemory` without room for the densities.
    pub fn new(arrays: &GivenArrays<'a>) -> Result<Self> {
        let [a, b, c] = arrays.rows;
        Ok(Self {
            a_aux_density: density("a_aux_density", arrays.a_aux_density)?,
            b_input_density: density("b_inp_density", arrays.b_input_density)?,
            b_aux_density: density("b_aux_density", arrays.b_aux_density)?,
            rows: [
                canonical_scalars("a", a)?,
                canonical_scalars("b", b)?,
                canonical_scalars("c", c)?,
            ],
            input: canonical_scalars("inp_assignment_data", arrays.input)?,
            aux: canonical_scalars("aux_assignment_data", arrays.aux)?,
        })
    }

    /// The assignment as the prover takes it.
    pub fn assignment(&self) -> Assignment<'_> {
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

/// A caller's scalars, if all are below the modulus.
///
/// # Errors
///
/// `InvalidAssignment` with the index of the first that is not.
pub fn canonical_scalars<'a>(name: &str, limbs: &'a [[u64; 4]]) -> Result<&'a [Scalar]> {
    scalars_from_limbs(limbs).map_err(|at| {
        invalid(format!(
            "{name} element {at} of {} is not below the modulus",
            limbs.len()
        ))
    })
}

fn density(name: &str, given: GivenDensity<'_>) -> Result<Bitmap> {
    let words = given.words.iter().copied();
    let words = room::collected(name, given.words.len(), words)?;
    let bitmap = Bitmap::try_from_words(words, given.bits)?;
    match bitmap.count_ones() {
        ones if ones == given.ones => Ok(bitmap),
        ones => Err(invalid(format!(
            "{name} has {ones} ones, its popcount says {}",
            given.ones
        ))),
    }
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::InvalidAssignment, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::montgomery_limbs;

    #[test]
    fn a_popcount_and_a_scalar_that_are_wrong_are_named() {
        let one = [montgomery_limbs(&Scalar::from(1)); 3];
        let all = |ones| GivenDensity {
            words: &[7],
            bits: 3,
            ones,
        };
        let fine = GivenArrays {
            a_aux_density: all(3),
            b_input_density: all(3),
            b_aux_density: all(3),
            rows: [&one; 3],
            input: &one,
            aux: &one,
        };
        let given = GivenAssignment::new(&fine).unwrap();
        assert_eq!(given.assignment().input, [Scalar::from(1); 3]);
        let message = |arrays: &GivenArrays<'_>| {
            let error = GivenAssignment::new(arrays).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidAssignment);
            error.message().to_string()
        };
        let mut arrays = fine;
        arrays.b_input_density = all(2);
        assert_eq!(
            message(&arrays),
            "b_inp_density has 3 ones, its popcount says 2"
        );
        let mut large = one;
        large[1] = [u64::MAX; 4];
        arrays = fine;
        arrays.rows[2] = &large;
        assert_eq!(
            message(&arrays),
            "c element 1 of 3 is not below the modulus"
        );
    }
}
