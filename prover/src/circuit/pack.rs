// SPDX-License-Identifier: MIT OR Apache-2.0
//! Packs rows into compact blocks while a circuit is recorded.
//!
//! The number of inputs is known only at the end, and columns count inputs first. Until then an
//! auxiliary variable's column is its own number with [`AUX`] set, which also sorts it behind all
//! inputs; [`RowsBuilder::finish`] moves these columns to their places.

use super::rows::{Block, BlockForm, SparseRows, BLOCK_ROWS, FAR_COLUMNS, WINDOW};
use crate::{room, Error, Result};

/// What errors call the memory.
const WHAT: &str = "a matrix of the circuit";

/// Marks an auxiliary variable's column while its circuit is being recorded.
pub(super) const AUX: u32 = 1 << 31;

/// Collects the rows of one matrix.
pub(super) struct RowsBuilder {
    packed: SparseRows,
    /// The first column that may lie in a block's window.
    near: u32,
    /// Column and coefficient index of the terms of the block being filled.
    terms: Vec<(u32, u32)>,
    /// Its row ends so far.
    ends: Vec<u32>,
    /// Room for its distinct columns.
    distinct: Vec<u32>,
    /// What memory there was none for, if so: then the rows are lost. Told by `finish`, since
    /// circuits that are recorded cannot be told in between.
    lost: Option<Error>,
}

impl RowsBuilder {
    /// Without rows. Blocks name variables before auxiliary variable `first_near` as far columns.
    pub fn new(first_near: u32) -> Self {
        Self {
            packed: SparseRows::default(),
            near: AUX | first_near,
            terms: Vec::new(),
            ends: Vec::new(),
            distinct: Vec::new(),
            lost: None,
        }
    }

    /// Adds a term to the current row.
    pub fn term(&mut self, column: u32, coefficient: u32) {
        if let Err(error) = room::push(&mut self.terms, WHAT, (column, coefficient)) {
            self.lost = Some(error);
        }
    }

    /// Ends the current row.
    pub fn end_row(&mut self) {
        // More terms than 32 bits count would need 34 GB for one block before this line.
        self.ends.push(self.terms.len() as u32);
        self.packed.rows += 1;
        if self.ends.len() == BLOCK_ROWS {
            self.pack_block();
        }
    }

    /// Packs what is left and moves auxiliary columns behind `inputs` input columns.
    ///
    /// Errors: `OutOfMemory` when there was none for the rows.
    pub fn finish(mut self, inputs: u32) -> Result<SparseRows> {
        if !self.ends.is_empty() {
            self.pack_block();
        }
        if let Some(error) = self.lost {
            return Err(error);
        }
        let place = |column: u32| match column & AUX {
            0 => column,
            _ => (column & !AUX) + inputs,
        };
        let packed = &mut self.packed;
        for block in &mut packed.blocks {
            block.base = place(block.base);
            let words = &mut packed.words[block.start as usize..];
            let range = match block.form {
                BlockForm::Narrow => BLOCK_ROWS..BLOCK_ROWS + 2 * usize::from(block.far),
                BlockForm::Wide => {
                    let last = 2 * (BLOCK_ROWS - 1);
                    let terms = join([words[last], words[last + 1]]) as usize;
                    2 * BLOCK_ROWS..2 * (BLOCK_ROWS + terms)
                }
            };
            for pair in words[range].chunks_exact_mut(2) {
                pair.copy_from_slice(&split(place(join([pair[0], pair[1]]))));
            }
        }
        packed.words.shrink_to_fit();
        packed.blocks.shrink_to_fit();
        Ok(self.packed)
    }

    fn pack_block(&mut self) {
        if let Err(error) = self.try_pack_block() {
            self.lost = Some(error);
        }
        self.terms.clear();
        self.ends.clear();
    }

    fn try_pack_block(&mut self) -> Result<()> {
        self.packed.nonzeros += self.terms.len();
        self.ends.resize(BLOCK_ROWS, self.terms.len() as u32);
        let base = self.find_window()?;

        let narrow = self.distinct.len() <= FAR_COLUMNS
            && self.terms.len() <= usize::from(u16::MAX)
            && self.terms.iter().all(|term| term.1 <= u32::from(u16::MAX));
        let start = self.packed.words.len() as u64;
        if narrow {
            self.pack_narrow(base)?;
        } else {
            self.distinct.clear();
            self.pack_wide()?;
        }
        let block = Block {
            start,
            base: if narrow { base } else { 0 },
            far: self.distinct.len() as u16,
            form: match narrow {
                true => BlockForm::Narrow,
                false => BlockForm::Wide,
            },
        };
        room::push(&mut self.packed.blocks, WHAT, block)
    }

    /// Finds the base of the block's window, and leaves the columns that are not in it, ascending,
    /// in `distinct`.
    fn find_window(&mut self) -> Result<u32> {
        let near = self.near;
        let columns = self.terms.iter().map(|term| term.0);
        let (first, last) = columns
            .clone()
            .filter(|column| *column >= near)
            .fold((u32::MAX, 0), |(first, last), column| {
                (first.min(column), last.max(column))
            });
        // Mostly one window holds all that it may hold; then only the others need be sorted.
        let one_window = first <= last && last - first < WINDOW;
        self.distinct.clear();
        room::reserve(&mut self.distinct, WHAT, self.terms.len())?;
        self.distinct
            .extend(columns.filter(|column| !one_window || *column < near));
        self.distinct.sort_unstable();
        self.distinct.dedup();
        if one_window {
            return Ok(first);
        }
        let base = best_window(&self.distinct, near);
        self.distinct.retain(|&column| !in_window(base, column));
        Ok(base)
    }

    fn pack_narrow(&mut self, base: u32) -> Result<()> {
        let far = &self.distinct;
        let words = &mut self.packed.words;
        let more = self.ends.len() + 2 * (far.len() + self.terms.len());
        room::reserve(words, WHAT, more)?;
        words.extend(self.ends.iter().map(|&end| end as u16));
        words.extend(far.iter().flat_map(|&column| split(column)));
        words.extend(self.terms.iter().map(|&(column, _)| {
            if in_window(base, column) {
                (column - base) as u16
            } else {
                let far = far.partition_point(|&other| other < column);
                (WINDOW as usize + far) as u16
            }
        }));
        words.extend(self.terms.iter().map(|term| term.1 as u16));
        // Two words a term, 64 row ends, two words a far column: the next block starts even.
        Ok(())
    }

    fn pack_wide(&mut self) -> Result<()> {
        let words = &mut self.packed.words;
        room::reserve(words, WHAT, 2 * (self.ends.len() + 2 * self.terms.len()))?;
        words.extend(self.ends.iter().flat_map(|&end| split(end)));
        words.extend(self.terms.iter().flat_map(|term| split(term.0)));
        words.extend(self.terms.iter().flat_map(|term| split(term.1)));
        Ok(())
    }
}

fn split(value: u32) -> [u16; 2] {
    [value as u16, (value >> 16) as u16]
}

fn join(words: [u16; 2]) -> u32 {
    u32::from(words[0]) | u32::from(words[1]) << 16
}

/// Whether a column lies in the window at `base`; inputs never do, since a base is none.
fn in_window(base: u32, column: u32) -> bool {
    column >= base && column - base < WINDOW
}

/// The base of the window that holds most of these ascending distinct columns, from `near` on.
fn best_window(distinct: &[u32], near: u32) -> u32 {
    let aux = &distinct[distinct.partition_point(|&column| column < near)..];
    let (mut best, mut most, mut end) = (near, 0, 0);
    for (start, &base) in aux.iter().enumerate() {
        while end < aux.len() && aux[end] - base < WINDOW {
            end += 1;
        }
        if end - start > most {
            (best, most) = (base, end - start);
        }
        if end == aux.len() {
            break;
        }
    }
    best
}
