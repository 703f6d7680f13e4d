// SPDX-License-Identifier: MIT OR Apache-2.0
//! From tokens to rows.

use super::super::pack::{RowsBuilder, AUX};
use super::super::repeat::name;
use super::super::rows::{Shift, SparseRows};
use super::bytes::invalid;
use super::program::{Program, WHAT};
use crate::{room, Result};

/// The variables that have a term in a matrix, a bit each.
#[derive(Default)]
pub(super) struct Touched {
    pub(super) inputs: Vec<u64>,
    pub(super) aux: Vec<u64>,
}

/// Which columns a row may name.
#[derive(Clone, Copy)]
struct Columns {
    /// Inputs of the circuit.
    inputs: u32,
    /// The inputs up to those of the first copy.
    first_inputs: u32,
    /// The columns up to those of the first copy's auxiliary variables.
    end: u32,
}

/// The three matrices of a piece's first copy, and the variables that they name.
pub(super) fn expand(
    program: &Program,
    inputs: usize,
    aux: usize,
    copies: usize,
    stride: Shift,
) -> Result<([SparseRows; 3], [Touched; 3])> {
    let all = (inputs + aux) as u32;
    let inputs = inputs as u32;
    let (columns, near) = match copies {
        1 => (
            Columns {
                inputs,
                first_inputs: inputs,
                end: all,
            },
            0,
        ),
        _ => (
            Columns {
                inputs,
                first_inputs: stride.own_inputs + stride.input,
                end: stride.own_aux + stride.aux,
            },
            stride.own_aux - inputs,
        ),
    };
    let matrix = |which| expand_matrix(program, which, columns, near);
    let (a, (b, c)) = rayon::join(|| matrix(0), || rayon::join(|| matrix(1), || matrix(2)));
    let ((a, in_a), (b, in_b), (c, in_c)) = (a?, b?, c?);
    Ok(([a, b, c], [in_a, in_b, in_c]))
}

fn expand_matrix(
    program: &Program,
    which: usize,
    columns: Columns,
    near: u32,
) -> Result<(SparseRows, Touched)> {
    let mut last = room::list(WHAT, program.classes.len())?;
    for class in &program.classes {
        let columns = &class[which].columns;
        last.push(room::collected(
            WHAT,
            columns.len(),
            columns.iter().copied(),
        )?);
    }
    let mut packed = RowsBuilder::new(near);
    let mut touched = Touched::default();
    // Whose densities count.
    let count = which < 2;
    if count {
        let zeros = |bits: u32| room::filled(WHAT, (bits as usize).div_ceil(64), 0);
        touched.inputs = zeros(columns.inputs)?;
        touched.aux = zeros(columns.end - columns.inputs)?;
    }
    for (row, &token) in program.rows.iter().enumerate() {
        let token = &program.tokens[token as usize];
        let class = token.class as usize;
        let coefficients = &program.classes[class][which].coefficients;
        let mut terms = last[class].iter_mut().zip(coefficients);
        let mut least = 0;
        for step in &program.moves[token.moves[which].clone()] {
            // The columns of a class ascend, so those that move together still do, unless they
            // went past 2^32.
            for (column, &coefficient) in terms.by_ref().take(step.terms as usize) {
                *column = column.wrapping_add(step.distance);
                let aux = column.wrapping_sub(columns.inputs);
                if *column < least
                    || *column >= columns.end
                    || (*column >= columns.first_inputs && *column < columns.inputs)
                {
                    return Err(invalid(format!(
                        "row {row} of {} of a piece names column {column}",
                        name(which)
                    )));
                }
                least = *column + 1;
                if *column < columns.inputs {
                    packed.term(*column, coefficient);
                    if count {
                        touched.inputs[*column as usize / 64] |= 1 << (*column % 64);
                    }
                } else {
                    packed.term(aux | AUX, coefficient);
                    if count {
                        touched.aux[aux as usize / 64] |= 1 << (aux % 64);
                    }
                }
            }
        }
        packed.end_row();
    }
    Ok((packed.finish(columns.inputs)?, touched))
}
