// SPDX-License-Identifier: MIT OR Apache-2.0
//! Circuits as the older signatures bring them: slices of pointers, and one set of densities for
//! all.

use crate::{Assignment, Error};

/// The first 17 arguments of `generate_groth16_proof` but the blinding scalars.
pub struct Circuits<'a, S, D> {
    /// A times the assignment, for each circuit.
    pub a: &'a [*const S],
    /// B times the assignment.
    pub b: &'a [*const S],
    /// C times the assignment.
    pub c: &'a [*const S],
    /// Rows of each.
    pub rows: usize,
    /// The inputs of each circuit.
    pub inputs: &'a [*const S],
    /// The auxiliary variables of each circuit.
    pub aux: &'a [*const S],
    /// Number of inputs.
    pub inputs_len: usize,
    /// Number of auxiliary variables.
    pub aux_len: usize,
    /// Words of the density of auxiliary variables in a.
    pub a_aux_density: &'a [D],
    /// Words of the density of inputs in b.
    pub b_input_density: &'a [D],
    /// Words of the density of auxiliary variables in b.
    pub b_aux_density: &'a [D],
    /// Ones of the three.
    pub ones: [usize; 3],
    /// Number of circuits.
    pub n: usize,
}

impl<S, D> Circuits<'_, S, D> {
    /// One assignment for each circuit.
    ///
    /// # Errors
    ///
    /// EINVAL for slices of another length than `n`, and for densities of other words than 64 bits
    /// or of too few.
    pub fn assignments(&self) -> Result<Vec<Assignment<S>>, Error> {
        let slices = [
            ("ntt_a_scalars", self.a),
            ("ntt_b_scalars", self.b),
            ("ntt_c_scalars", self.c),
            ("input_assignments", self.inputs),
            ("aux_assignments", self.aux),
        ];
        for (name, slice) in slices {
            if slice.len() != self.n {
                return Err(Error::invalid(format!(
                    "{name} has {} elements, num_circuits is {}",
                    slice.len(),
                    self.n
                )));
            }
        }
        if size_of::<D>() != 8 {
            return Err(Error::invalid(format!(
                "a word of a density has {} bytes, 8 are needed",
                size_of::<D>()
            )));
        }
        let densities = [
            ("a_aux_density_bv", self.a_aux_density, self.aux_len),
            (
                "b_g1_input_density_bv",
                self.b_input_density,
                self.inputs_len,
            ),
            ("b_g1_aux_density_bv", self.b_aux_density, self.aux_len),
        ];
        for (name, words, bits) in densities {
            if words.len() < bits.div_ceil(64) {
                return Err(Error::invalid(format!(
                    "{name} has {} words, {bits} bits need {}",
                    words.len(),
                    bits.div_ceil(64)
                )));
            }
        }
        let [a_aux_popcount, b_inp_popcount, b_aux_popcount] = self.ones;
        let assignment = |circuit: usize| Assignment {
            a_aux_density: self.a_aux_density.as_ptr().cast(),
            a_aux_bit_len: self.aux_len,
            a_aux_popcount,
            b_inp_density: self.b_input_density.as_ptr().cast(),
            b_inp_bit_len: self.inputs_len,
            b_inp_popcount,
            b_aux_density: self.b_aux_density.as_ptr().cast(),
            b_aux_bit_len: self.aux_len,
            b_aux_popcount,
            a: self.a[circuit],
            b: self.b[circuit],
            c: self.c[circuit],
            abc_size: self.rows,
            inp_assignment_data: self.inputs[circuit],
            inp_assignment_size: self.inputs_len,
            aux_assignment_data: self.aux[circuit],
            aux_assignment_size: self.aux_len,
        };
        Ok((0..self.n).map(assignment).collect())
    }
}
