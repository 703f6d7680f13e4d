// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds the block that a circuit repeats, and keeps it once.
//!
//! A circuit for n equal parts (a PoRep partition: n challenges) has a prelude, then n times the
//! same rows over variables of their own. The circuit for one part and that for two tell what is
//! prelude and what is block by their numbers alone. That this is so is not taken on trust: the
//! rows of both circuits must be equal, and the second block's those of the first with shifted
//! columns, or nothing is made.

use std::ops::Range;

use rayon::prelude::*;

use super::compare::coefficient_indices;
use super::compiled::{CircuitShape, Origin, COEFFICIENT_ONE};
use super::pack::{RowsBuilder, AUX};
use super::piece::{Piece, Row};
use super::rows::{Shift, SparseRows};
use super::CompiledCircuit;
use crate::{Error, ErrorKind, Result};

/// Rows that a worker compares at a time.
const ROWS_PER_TASK: usize = 1 << 16;

impl CompiledCircuit {
    /// The circuit for `copies` equal parts, from the circuits for one and for two.
    ///
    /// Its rows are those of a recorded circuit as long as each further part repeats the rows of
    /// the second; [`CompiledCircuit::check`] compares all of them. The memory is that of the
    /// circuit for one part and the densities' bits. Works on rayon's current pool.
    ///
    /// # Errors
    ///
    /// `InvalidArgument` when `copies` is zero or the second part does not repeat the first, with
    /// the first row that differs; `Unsupported` when the whole has more variables or rows than
    /// 31 bits count.
    pub fn repeated(one: &Self, two: &Self, copies: usize) -> Result<Self> {
        let split = Split::find(one.shape, two.shape)?;
        split.check(one, two)?;
        let shape = split.shape(copies)?;
        // The shape's numbers fit 31 bits.
        let inputs = shape.inputs as u32;
        let prelude = split.pack(one, 0..split.prelude.rows, 0, inputs)?;
        let block = split.pack(
            one,
            split.prelude.rows..split.end(1).rows,
            split.prelude.aux as u32,
            inputs,
        )?;
        let mut pieces = Vec::new();
        if split.prelude.rows > 0 {
            pieces.push(Piece::once(prelude, 0));
        }
        pieces.push(Piece {
            copies,
            stride: Shift {
                inputs,
                own_inputs: split.prelude.inputs as u32,
                own_aux: inputs + split.prelude.aux as u32,
                input: split.block.inputs as u32,
                aux: split.block.aux as u32,
            },
            ..Piece::once(block, split.prelude.rows)
        });
        pieces.push(Piece::once(input_rows(inputs)?, split.end(copies).rows));

        let total = |which: usize| {
            let nonzeros = |piece: &Piece| piece.copies * piece.matrices[which].nonzeros();
            pieces.iter().map(nonzeros).sum()
        };
        Ok(Self {
            id: Self::next_id(),
            origin: Origin::Recorded,
            shape: CircuitShape {
                nonzeros: [0, 1, 2].map(total),
                ..shape
            },
            pieces,
            coefficients: one.coefficients.clone(),
            a_aux_density: one.a_aux_density.repeated_from(split.prelude.aux, copies),
            b_input_density: one
                .b_input_density
                .repeated_from(split.prelude.inputs, copies),
            b_aux_density: one.b_aux_density.repeated_from(split.prelude.aux, copies),
        })
    }
}

/// The rows `input_i * 0 = 0`.
fn input_rows(inputs: u32) -> Result<[SparseRows; 3]> {
    let rows = |terms: bool| {
        let mut rows = RowsBuilder::new(0);
        for input in 0..inputs {
            if terms {
                rows.term(input, COEFFICIENT_ONE);
            }
            rows.end_row();
        }
        rows.finish(inputs)
    };
    Ok([rows(true)?, rows(false)?, rows(false)?])
}

/// Numbers of a circuit or of a part of it; rows without those of the inputs.
#[derive(Clone, Copy, Debug)]
struct Counts {
    rows: usize,
    inputs: usize,
    aux: usize,
}

impl Counts {
    fn of(shape: CircuitShape) -> Self {
        Self {
            rows: shape.rows - shape.inputs,
            inputs: shape.inputs,
            aux: shape.aux,
        }
    }

    fn without(self, other: Self) -> Option<Self> {
        Some(Self {
            rows: self.rows.checked_sub(other.rows)?,
            inputs: self.inputs.checked_sub(other.inputs)?,
            aux: self.aux.checked_sub(other.aux)?,
        })
    }
}

/// What comes once, and what comes over and over.
struct Split {
    prelude: Counts,
    block: Counts,
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::InvalidArgument, message)
}

/// A column as while recording: inputs as they are, auxiliary variables by their marked number.
/// It does not depend on the number of inputs.
#[inline]
fn mark(column: u32, inputs: u32) -> u32 {
    match column.checked_sub(inputs) {
        None => column,
        Some(aux) => aux | AUX,
    }
}

impl Split {
    fn find(one: CircuitShape, two: CircuitShape) -> Result<Self> {
        let (one, two) = (Counts::of(one), Counts::of(two));
        two.without(one)
            .and_then(|block| {
                let prelude = one.without(block)?;
                (block.rows > 0 && prelude.inputs > 0).then_some(Self { prelude, block })
            })
            .ok_or_else(|| {
                invalid(format!(
                    "a circuit of {} rows, {} inputs and {} auxiliary variables does not repeat a \
                     part of one of {} rows, {} inputs and {} auxiliary variables",
                    two.rows, two.inputs, two.aux, one.rows, one.inputs, one.aux
                ))
            })
    }

    /// The numbers up to the end of copy `copies`.
    fn end(&self, copies: usize) -> Counts {
        Counts {
            rows: self.prelude.rows + copies * self.block.rows,
            inputs: self.prelude.inputs + copies * self.block.inputs,
            aux: self.prelude.aux + copies * self.block.aux,
        }
    }

    /// The shape of the circuit with so many copies, non-zeros apart.
    fn shape(&self, copies: usize) -> Result<CircuitShape> {
        if copies == 0 {
            return Err(invalid("a circuit of 0 equal parts".into()));
        }
        let most = AUX as usize;
        let of_a_copy = self.block.rows.max(self.block.inputs + self.block.aux);
        // So the products below do not overflow.
        let few = copies <= most / of_a_copy;
        let end = self.end(if few { copies } else { 0 });
        if !few || end.inputs + end.aux >= most || end.rows + end.inputs > most {
            return Err(Error::new(
                ErrorKind::Unsupported,
                format!(
                    "{copies} copies of {of_a_copy} rows or variables are more than {most} in all"
                ),
            ));
        }
        Ok(CircuitShape {
            rows: end.rows + end.inputs,
            inputs: end.inputs,
            aux: end.aux,
            nonzeros: [0; 3],
        })
    }

    /// Whether a marked column belongs to a part.
    #[inline]
    fn is_own(&self, marked: u32) -> bool {
        match marked & AUX {
            0 => marked as usize >= self.prelude.inputs,
            _ => (marked & !AUX) as usize >= self.prelude.aux,
        }
    }

    /// The second part's column for one of the first.
    #[inline]
    fn moved(&self, marked: u32) -> u32 {
        if !self.is_own(marked) {
            return marked;
        }
        marked
            + match marked & AUX {
                0 => self.block.inputs as u32,
                _ => self.block.aux as u32,
            }
    }

    /// Compares all rows.
    fn check(&self, one: &CompiledCircuit, two: &CompiledCircuit) -> Result<()> {
        let (first, second) = (self.end(1).rows, self.end(2).rows);
        let indices = coefficient_indices(one, two);
        let (one_inputs, two_inputs) = (one.shape.inputs as u32, two.shape.inputs as u32);
        // A row of the circuit for two equals the row of that for one that it repeats.
        let differs = |which: usize, rows: Range<usize>| {
            let moves = rows.start >= first;
            let back = if moves { self.block.rows } else { 0 };
            let mine = one.rows(which, rows.start - back..rows.end - back);
            let theirs = two.rows(which, rows.clone());
            mine.zip(theirs)
                .position(|(mine, theirs)| {
                    let mine = mine.map(|(column, index)| {
                        let marked = mark(column, one_inputs);
                        (if moves { self.moved(marked) } else { marked }, index)
                    });
                    !mine.eq(theirs
                        .map(|(column, index)| (mark(column, two_inputs), indices[index as usize])))
                })
                .map(|row| (which, rows.start + row))
        };
        for which in 0..3 {
            let own = |row: &mut Row<'_>| row.any(|term| self.is_own(mark(term.0, one_inputs)));
            if let Some(row) = one
                .rows(which, 0..self.prelude.rows)
                .position(|mut row| own(&mut row))
            {
                return Err(invalid(format!(
                    "row {row} of {} comes before the repeated part and names its variables",
                    name(which)
                )));
            }
        }
        let tasks = |rows: Range<usize>| {
            let end = rows.end;
            rows.step_by(ROWS_PER_TASK)
                .map(move |start| start..end.min(start + ROWS_PER_TASK))
        };
        let tasks: Vec<(usize, Range<usize>)> = (0..3)
            .flat_map(|which| {
                tasks(0..first)
                    .chain(tasks(first..second))
                    .map(move |rows| (which, rows))
            })
            .collect();
        let first_difference = tasks
            .into_par_iter()
            .find_map_first(|(which, rows)| differs(which, rows));
        match first_difference {
            None => Ok(()),
            Some((which, row)) => Err(invalid(format!(
                "row {row} of {} of the circuit for two parts does not repeat that for one",
                name(which)
            ))),
        }
    }

    /// Packs rows of the circuit for one part anew, for a circuit of so many inputs, each matrix
    /// from its first row on. Windows start at auxiliary variable `near` or behind it.
    fn pack(
        &self,
        one: &CompiledCircuit,
        rows: Range<usize>,
        near: u32,
        inputs: u32,
    ) -> Result<[SparseRows; 3]> {
        let pack = |which: usize| {
            let mut packed = RowsBuilder::new(near);
            for row in one.rows(which, rows.clone()) {
                for (column, index) in row {
                    packed.term(mark(column, one.shape.inputs as u32), index);
                }
                packed.end_row();
            }
            packed.finish(inputs)
        };
        let (a, (b, c)) = rayon::join(|| pack(0), || rayon::join(|| pack(1), || pack(2)));
        Ok([a?, b?, c?])
    }
}

/// A matrix's name.
pub(super) fn name(which: usize) -> &'static str {
    ["A", "B", "C"][which]
}
