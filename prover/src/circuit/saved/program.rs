// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows as they are saved: classes, tokens, and the token of every row.

use std::ops::Range;

use super::bytes::{invalid, Reader};
use crate::{room, Result};

/// What errors call the memory.
pub(super) const WHAT: &str = "the saved circuit";

/// Kinds of operations.
pub(super) const NEW: u64 = 0;
pub(super) const OLD: u64 = 1;
pub(super) const COPY: u64 = 2;
pub(super) const COPY_AGAIN: u64 = 3;

/// Bytes of a packed row beside its terms: an end of two bytes in each matrix, and its token.
const BYTES_PER_ROW: u64 = 10;
/// Bytes of a packed term.
const BYTES_PER_TERM: u64 = 4;

/// Memory that what is read may still take.
pub(super) struct Budget {
    most: u64,
    left: u64,
}

impl Budget {
    pub(super) fn new(most: u64) -> Self {
        Self { most, left: most }
    }

    #[inline]
    pub(super) fn take(&mut self, bytes: u64) -> Result<()> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(invalid(format!(
                "it would take more memory than the {} bytes that are allowed",
                self.most
            ))),
        }
    }
}

/// Rows that have the same coefficients, in one matrix.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Class {
    /// The coefficient indices of the terms.
    pub(super) coefficients: Vec<u32>,
    /// The columns that the first row's moves start from, ascending.
    pub(super) columns: Vec<u32>,
}

/// Terms next to each other whose columns move by the same distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Move {
    /// Added to the columns, modulo 2^32.
    pub(super) distance: u32,
    pub(super) terms: u32,
}

/// What a row is beside the last of its class.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) class: u32,
    /// The moves in A, B and C, which cover all terms.
    pub(super) moves: [Range<usize>; 3],
}

/// The rows of one copy of a piece.
#[derive(Debug, Default)]
pub(super) struct Program {
    pub(super) classes: Vec<[Class; 3]>,
    pub(super) moves: Vec<Move>,
    pub(super) tokens: Vec<Token>,
    /// The token of every row.
    pub(super) rows: Vec<u32>,
}

impl Program {
    /// Reads operations for so many rows, whose coefficient indices are below `coefficients`.
    pub(super) fn read(
        reader: &mut Reader<'_>,
        rows: usize,
        coefficients: usize,
        budget: &mut Budget,
    ) -> Result<Self> {
        let mut program = Self::default();
        let mut distance = 0;
        while program.rows.len() < rows {
            let operation = reader.number()?;
            let n = operation >> 2;
            match operation & 3 {
                NEW => {
                    program.read_token(reader, n, coefficients, budget)?;
                    program.push_row(program.tokens.len() - 1, budget)?;
                }
                OLD => {
                    let token = nth_last(program.tokens.len(), n, "token")?;
                    program.push_row(token, budget)?;
                }
                kind => {
                    let (done, left) = (program.rows.len(), rows - program.rows.len());
                    if kind == COPY {
                        distance = reader.count("rows back", 1, done)?;
                    }
                    if n == 0 || n > left as u64 || distance == 0 {
                        return Err(invalid(format!(
                            "a copy of {n} rows from {distance} back, {left} rows are missing"
                        )));
                    }
                    for _ in 0..n {
                        let token = program.rows[program.rows.len() - distance];
                        program.push_row(token as usize, budget)?;
                    }
                }
            }
        }
        Ok(program)
    }

    #[inline]
    fn push_row(&mut self, token: usize, budget: &mut Budget) -> Result<()> {
        let class = self.tokens[token].class as usize;
        let terms: usize = self.classes[class]
            .iter()
            .map(|class| class.columns.len())
            .sum();
        budget.take(BYTES_PER_ROW + BYTES_PER_TERM * terms as u64)?;
        // Each token takes bytes of the reader, which has fewer than 2^32.
        room::push(&mut self.rows, WHAT, token as u32)
    }

    fn read_token(
        &mut self,
        reader: &mut Reader<'_>,
        n: u64,
        coefficients: usize,
        budget: &mut Budget,
    ) -> Result<()> {
        let class = match n.checked_sub(1) {
            Some(n) => nth_last(self.classes.len(), n, "class")?,
            None => {
                let mut read = || Class::read(reader, coefficients, budget);
                let class = [read()?, read()?, read()?];
                room::push(&mut self.classes, WHAT, class)?;
                self.classes.len() - 1
            }
        };
        let mut moves = [0..0, 0..0, 0..0];
        for (moves, class) in moves.iter_mut().zip(&self.classes[class]) {
            let start = self.moves.len();
            let mut left = class.columns.len();
            while left > 0 {
                let distance = reader.signed()?;
                let terms = reader.count("moved terms", 1, left)?;
                let step = Move {
                    // Whatever the sum is modulo 2^32, it has to be a column.
                    distance: distance as u32,
                    terms: terms as u32,
                };
                room::push(&mut self.moves, WHAT, step)?;
                left -= terms;
            }
            *moves = start..self.moves.len();
        }
        let token = Token {
            class: class as u32,
            moves,
        };
        room::push(&mut self.tokens, WHAT, token)
    }
}

impl Class {
    fn read(reader: &mut Reader<'_>, coefficients: usize, budget: &mut Budget) -> Result<Self> {
        let terms = reader.count("terms of a row", 0, u32::MAX as usize)?;
        // Both lists, once here and the columns once more for the rows that follow.
        budget.take(12 * terms as u64)?;
        let mut class = Self::default();
        let mut index = 0i64;
        while class.coefficients.len() < terms {
            let step = reader.signed()?;
            let run = reader.count("steps", 1, terms - class.coefficients.len())?;
            for _ in 0..run {
                index = index
                    .checked_add(step)
                    .filter(|index| (0..coefficients as i64).contains(index))
                    .ok_or_else(|| invalid(format!("no coefficient {index} and {step} more")))?;
                room::push(&mut class.coefficients, WHAT, index as u32)?;
            }
        }
        if terms == 0 {
            return Ok(class);
        }
        class
            .columns
            .push(reader.count("as a column", 0, u32::MAX as usize)? as u32);
        while class.columns.len() < terms {
            let step = reader.count("columns in a step", 1, u32::MAX as usize)? as u32;
            let run = reader.count("steps", 1, terms - class.columns.len())?;
            for _ in 0..run {
                let last = class.columns.last().and_then(|last| last.checked_add(step));
                let column = last.ok_or_else(|| invalid("a column of more than 32 bits"))?;
                room::push(&mut class.columns, WHAT, column)?;
            }
        }
        Ok(class)
    }
}

/// The index of what was added `n` times ago, counted from 0.
fn nth_last(len: usize, n: u64, what: &str) -> Result<usize> {
    usize::try_from(n)
        .ok()
        .and_then(|n| len.checked_sub(1)?.checked_sub(n))
        .ok_or_else(|| invalid(format!("a {what} from {n} ago, there are {len}")))
}
