// SPDX-License-Identifier: MIT OR Apache-2.0
//! An assignment as callers of a C interface bring it: places and sizes, looked at before they are
//! used.

use super::{check_lengths, Lengths};
use crate::backend::{Assignment, AuxAssignment, Rows};
use crate::circuit::Bitmap;
use crate::curve::{scalars_from_limbs, Scalar};
use crate::srs::SrsShape;
use crate::{room, Error, ErrorKind, Result};

/// Where the arrays of one assignment are, and their sizes: 17 words with the names that both C
/// interfaces have for them. Scalars are four limbs in Montgomery form; bit i of a density is bit
/// i mod 64 of word i / 64.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct GivenPlaces {
    pub a_aux_density: *const u64,
    pub a_aux_bit_len: usize,
    pub a_aux_popcount: usize,
    pub b_inp_density: *const u64,
    pub b_inp_bit_len: usize,
    pub b_inp_popcount: usize,
    pub b_aux_density: *const u64,
    pub b_aux_bit_len: usize,
    pub b_aux_popcount: usize,
    pub a: *const Limbs,
    pub b: *const Limbs,
    pub c: *const Limbs,
    pub abc_size: usize,
    pub inp_assignment_data: *const Limbs,
    pub inp_assignment_size: usize,
    pub aux_assignment_data: *const Limbs,
    pub aux_assignment_size: usize,
}

/// A scalar as limbs, not known to be below the modulus.
pub type Limbs = [u64; 4];

impl GivenPlaces {
    /// Compares the sizes with the parameters; looks at nothing, since a size that is wrong may
    /// lead past an end.
    ///
    /// # Errors
    ///
    /// As `check_lengths`.
    pub fn check_sizes(&self, shape: &SrsShape) -> Result<()> {
        let lengths = Lengths {
            inputs: self.inp_assignment_size,
            aux: self.aux_assignment_size,
            rows: self.abc_size,
            a_aux_density: self.a_aux_bit_len,
            b_input_density: self.b_inp_bit_len,
            b_aux_density: self.b_aux_bit_len,
            a_aux_ones: self.a_aux_popcount,
            b_input_ones: self.b_inp_popcount,
            b_aux_ones: self.b_aux_popcount,
        };
        check_lengths(&lengths, shape)
    }

    /// Looks at every array, on the current thread pool; the sizes were checked before. How a place
    /// becomes an array, by its name, place and length, is the interface's business.
    ///
    /// # Errors
    ///
    /// `InvalidAssignment` for a density with another number of ones than its popcount says and for
    /// a scalar that is not below the modulus; `OutOfMemory` without room for the densities; those
    /// of `words` and `limbs`.
    pub fn look_at<'a>(
        &self,
        words: impl Fn(&str, *const u64, usize) -> Result<&'a [u64]>,
        limbs: impl Fn(&str, *const Limbs, usize) -> Result<&'a [Limbs]>,
    ) -> Result<GivenAssignment<'a>> {
        let density = |name: &str, place, bits: usize, popcount| {
            density(name, words(name, place, bits.div_ceil(64))?, bits, popcount)
        };
        let scalars = |name: &str, place, len| canonical_scalars(name, limbs(name, place, len)?);
        Ok(GivenAssignment {
            a_aux_density: density(
                "a_aux_density",
                self.a_aux_density,
                self.a_aux_bit_len,
                self.a_aux_popcount,
            )?,
            b_input_density: density(
                "b_inp_density",
                self.b_inp_density,
                self.b_inp_bit_len,
                self.b_inp_popcount,
            )?,
            b_aux_density: density(
                "b_aux_density",
                self.b_aux_density,
                self.b_aux_bit_len,
                self.b_aux_popcount,
            )?,
            rows: [
                scalars("a", self.a, self.abc_size)?,
                scalars("b", self.b, self.abc_size)?,
                scalars("c", self.c, self.abc_size)?,
            ],
            input: scalars(
                "inp_assignment_data",
                self.inp_assignment_data,
                self.inp_assignment_size,
            )?,
            aux: scalars(
                "aux_assignment_data",
                self.aux_assignment_data,
                self.aux_assignment_size,
            )?,
        })
    }
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

impl GivenAssignment<'_> {
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
pub fn canonical_scalars<'a>(name: &str, limbs: &'a [Limbs]) -> Result<&'a [Scalar]> {
    scalars_from_limbs(limbs).map_err(|at| {
        invalid(format!(
            "{name} element {at} of {} is not below the modulus",
            limbs.len()
        ))
    })
}

fn density(name: &str, words: &[u64], bits: usize, popcount: usize) -> Result<Bitmap> {
    let words = room::collected(name, words.len(), words.iter().copied())?;
    let bitmap = Bitmap::try_from_words(words, bits)?;
    match bitmap.count_ones() {
        ones if ones == popcount => Ok(bitmap),
        ones => Err(invalid(format!(
            "{name} has {ones} ones, its popcount says {popcount}"
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
        let mut large = one;
        large[1] = [u64::MAX; 4];
        let fine = GivenPlaces {
            a_aux_density: std::ptr::null(),
            a_aux_bit_len: 3,
            a_aux_popcount: 3,
            b_inp_density: std::ptr::null(),
            b_inp_bit_len: 3,
            b_inp_popcount: 3,
            b_aux_density: std::ptr::null(),
            b_aux_bit_len: 3,
            b_aux_popcount: 3,
            a: std::ptr::null(),
            b: std::ptr::null(),
            c: std::ptr::null(),
            abc_size: 3,
            inp_assignment_data: std::ptr::null(),
            inp_assignment_size: 3,
            aux_assignment_data: std::ptr::null(),
            aux_assignment_size: 3,
        };
        let words = |_: &str, _, n| Ok(&[7][..n]);
        let given = fine.look_at(words, |_, _, n| Ok(&one[..n])).unwrap();
        assert_eq!(given.assignment().input, [Scalar::from(1); 3]);
        let mut places = fine;
        places.b_inp_popcount = 2;
        let error = places.look_at(words, |_, _, n| Ok(&one[..n])).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidAssignment);
        assert_eq!(
            error.message(),
            "b_inp_density has 3 ones, its popcount says 2"
        );
        let error = fine.look_at(words, |name, _, n| match name {
            "c" => Ok(&large[..n]),
            _ => Ok(&one[..n]),
        });
        let error = error.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidAssignment);
        assert_eq!(error.message(), "c element 1 of 3 is not below the modulus");
    }
}
