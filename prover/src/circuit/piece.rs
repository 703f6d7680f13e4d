// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows that a circuit has once, or several times over with shifted columns; and walks over rows.

use std::ops::Range;

use super::rows::{BlockView, Shift, SparseRows, BLOCK_ROWS};
use super::CompiledCircuit;

/// Consecutive rows of a circuit: `copies` times the stored rows, one copy after the other.
///
/// Columns are stored as the first copy has them. Each further copy adds a stride to the columns
/// of its own inputs and auxiliary variables; columns before those are the same in every copy.
#[derive(Clone, Debug)]
pub struct Piece {
    pub(super) matrices: [SparseRows; 3],
    pub(super) first_row: usize,
    pub(super) rows: usize,
    pub(super) copies: usize,
    /// The shift of the second copy.
    pub(super) stride: Shift,
}

impl Piece {
    /// Rows that are there once.
    pub(super) fn once(matrices: [SparseRows; 3], first_row: usize) -> Self {
        let [a, ..] = &matrices;
        Self {
            rows: a.rows(),
            matrices,
            first_row,
            copies: 1,
            stride: Shift::default(),
        }
    }

    /// A, B and C of the first copy.
    pub fn matrices(&self) -> &[SparseRows; 3] {
        &self.matrices
    }

    /// Rows of one copy.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How often the rows are there.
    pub fn copies(&self) -> usize {
        self.copies
    }

    /// The circuit's row that is the first of a copy.
    pub fn first_row(&self, copy: usize) -> usize {
        self.first_row + copy * self.rows
    }

    /// The circuit's row after the last copy's last.
    pub fn end_row(&self) -> usize {
        self.first_row(self.copies)
    }

    /// The shift of the second copy; copy `k` moves `k` times as far.
    pub fn stride(&self) -> Shift {
        self.stride
    }

    /// How the columns of a copy are moved.
    pub fn shift(&self, copy: usize) -> Shift {
        // Columns of a compiled circuit fit 31 bits, those of its copies included.
        Shift {
            input: copy as u32 * self.stride.input,
            aux: copy as u32 * self.stride.aux,
            ..self.stride
        }
    }

    /// Memory that the piece takes, in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.matrices.iter().map(SparseRows::bytes).sum::<usize>()
    }
}

/// The terms of one row, column and coefficient index, in the order of their columns.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    block: BlockView<'a>,
    terms: Range<usize>,
}

impl Iterator for Row<'_> {
    type Item = (u32, u32);

    #[inline]
    fn next(&mut self) -> Option<(u32, u32)> {
        self.terms.next().map(|term| self.block.term(term))
    }
}

/// Walks over rows of one matrix of a circuit, whatever its form.
#[derive(Clone, Debug)]
pub struct Rows<'a> {
    circuit: &'a CompiledCircuit,
    which: usize,
    rows: Range<usize>,
    /// The block of the last row, the circuit's rows that it holds.
    here: Option<(BlockView<'a>, Range<usize>)>,
}

impl<'a> Iterator for Rows<'a> {
    type Item = Row<'a>;

    fn next(&mut self) -> Option<Row<'a>> {
        let row = self.rows.next()?;
        let (block, first) = match &self.here {
            Some((block, rows)) if rows.contains(&row) => (*block, rows.start),
            _ => {
                let (block, rows) = self.circuit.locate(self.which, row);
                self.here = Some((block, rows.clone()));
                (block, rows.start)
            }
        };
        let row = row - first;
        Some(Row {
            block,
            terms: block.start(row)..block.end(row),
        })
    }
}

impl CompiledCircuit {
    /// Rows of matrix `which` (A, B, C), one after the other.
    ///
    /// # Panics
    ///
    /// When there is no such matrix, and while walking when there is no such row.
    pub fn rows(&self, which: usize, rows: Range<usize>) -> Rows<'_> {
        Rows {
            circuit: self,
            which,
            rows,
            here: None,
        }
    }

    /// The block that holds a row, and the circuit's rows in it.
    fn locate(&self, which: usize, row: usize) -> (BlockView<'_>, Range<usize>) {
        let index = self.pieces.partition_point(|piece| piece.end_row() <= row);
        let piece = &self.pieces[index];
        let copy = (row - piece.first_row) / piece.rows;
        let first = piece.first_row(copy);
        let block = (row - first) / BLOCK_ROWS;
        let rows = block * BLOCK_ROWS..piece.rows.min((block + 1) * BLOCK_ROWS);
        (
            piece.matrices[which].block(block, piece.shift(copy)),
            first + rows.start..first + rows.end,
        )
    }
}
