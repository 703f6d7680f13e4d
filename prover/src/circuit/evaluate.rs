// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rows of a circuit evaluated term by term: slow, and right at a glance.
//!
//! What a backend computes fast is compared with this.

use blstrs::Scalar;
use ff::Field;

use super::{CompiledCircuit, Witness};
use crate::{Error, ErrorKind, Result};

impl CompiledCircuit {
    /// Whether a witness has as many values as the circuit has variables, and its constant one.
    ///
    /// # Errors
    ///
    /// `InvalidAssignment` with the numbers needed and present.
    pub fn check_witness(&self, input: &[Scalar], aux: usize) -> Result<()> {
        let wrong = |message| Err(Error::new(ErrorKind::InvalidAssignment, message));
        let shape = self.shape();
        if input.len() != shape.inputs {
            return wrong(format!(
                "the assignment has {} inputs, the circuit {}",
                input.len(),
                shape.inputs
            ));
        }
        if aux != shape.aux {
            return wrong(format!(
                "the assignment has {aux} auxiliary values, the circuit {}",
                shape.aux
            ));
        }
        if input[0] != Scalar::ONE {
            return wrong("input 0 is not one".into());
        }
        Ok(())
    }

    /// A w, B w and C w, one scalar a row each.
    ///
    /// # Errors
    ///
    /// As [`CompiledCircuit::check_witness`].
    pub fn evaluate(&self, witness: &Witness) -> Result<[Vec<Scalar>; 3]> {
        self.check_witness(&witness.input, witness.aux.len())?;
        let value = |column: usize| match witness.input.get(column) {
            Some(input) => *input,
            None => witness.aux.get(column - witness.input.len()),
        };
        let dot = |terms: &mut dyn Iterator<Item = (u32, u32)>| {
            terms.fold(Scalar::ZERO, |sum, (column, coefficient)| {
                sum + self.coefficients[coefficient as usize] * value(column as usize)
            })
        };
        Ok(self.matrices.each_ref().map(|matrix| {
            (0..matrix.rows())
                .map(|row| dot(&mut matrix.row(row)))
                .collect()
        }))
    }

    /// The first row where a b = c does not hold, if there is one.
    ///
    /// # Errors
    ///
    /// As [`CompiledCircuit::check_witness`].
    pub fn first_unsatisfied_row(&self, witness: &Witness) -> Result<Option<usize>> {
        let [a, b, c] = self.evaluate(witness)?;
        Ok((0..a.len()).find(|&row| a[row] * b[row] != c[row]))
    }
}
