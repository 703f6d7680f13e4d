// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rows of a circuit evaluated term by term: slow, and right at a glance.
//!
//! What a backend computes fast is compared with this.

use blstrs::Scalar;
use ff::Field;

use super::piece::Row;
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
        let rows = 0..self.shape().rows;
        Ok([0, 1, 2].map(|which| {
            self.rows(which, rows.clone())
                .map(|row| self.dot(row, witness))
                .collect()
        }))
    }

    /// The sum over a row's terms of coefficient and value; the witness fits.
    fn dot(&self, row: Row<'_>, witness: &Witness) -> Scalar {
        row.fold(Scalar::ZERO, |sum, (column, coefficient)| {
            let column = column as usize;
            let value = match witness.input.get(column) {
                Some(input) => *input,
                None => witness.aux.get(column - witness.input.len()),
            };
            sum + self.coefficients[coefficient as usize] * value
        })
    }

    /// The first row where a b = c does not hold, if there is one.
    ///
    /// # Errors
    ///
    /// As [`CompiledCircuit::check_witness`].
    pub fn first_unsatisfied_row(&self, witness: &Witness) -> Result<Option<usize>> {
        self.check_witness(&witness.input, witness.aux.len())?;
        let rows = 0..self.shape().rows;
        let [a, b, c] = [0, 1, 2].map(|which| {
            self.rows(which, rows.clone())
                .map(|row| self.dot(row, witness))
        });
        Ok(a.zip(b).zip(c).position(|((a, b), c)| a * b != c))
    }
}
