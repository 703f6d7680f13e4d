// SPDX-License-Identifier: MIT OR Apache-2.0
//! Equality of compiled circuits, row for row, whatever their forms.

use std::collections::HashMap;

use super::CompiledCircuit;
use crate::curve::montgomery_limbs;

/// Stands for the index of a coefficient that a circuit does not have.
pub(super) const ABSENT: u32 = u32::MAX;

/// For each coefficient of `other` its index in `circuit`, or [`ABSENT`].
pub(super) fn coefficient_indices(circuit: &CompiledCircuit, other: &CompiledCircuit) -> Vec<u32> {
    let indices: HashMap<[u64; 4], u32> = circuit
        .coefficients
        .iter()
        .map(montgomery_limbs)
        .zip(0..)
        .collect();
    let index = |value| indices.get(&montgomery_limbs(value)).copied();
    other
        .coefficients
        .iter()
        .map(|value| index(value).unwrap_or(ABSENT))
        .collect()
}

impl PartialEq for CompiledCircuit {
    fn eq(&self, other: &Self) -> bool {
        if self.shape != other.shape
            || self.a_aux_density != other.a_aux_density
            || self.b_input_density != other.b_input_density
            || self.b_aux_density != other.b_aux_density
        {
            return false;
        }
        let indices = coefficient_indices(self, other);
        let rows = 0..self.shape.rows;
        (0..3).all(|which| {
            let theirs = other.rows(which, rows.clone());
            self.rows(which, rows.clone())
                .zip(theirs)
                .all(|(mine, theirs)| {
                    mine.eq(theirs.map(|(column, index)| (column, indices[index as usize])))
                })
        })
    }
}
