// SPDX-License-Identifier: MIT OR Apache-2.0
//! A sparse matrix of a circuit in compact form, readable from any row.
//!
//! Rows lie in blocks of [`BLOCK_ROWS`]. A row of such circuits refers mostly to variables that
//! were allocated shortly before it, so a block names its columns by 16 bits: codes below
//! [`WINDOW`] count from the block's base column, the others index the block's table of far
//! columns. With a 16-bit coefficient index this makes four bytes a term, any of which decodes
//! without its neighbours: what a GPU needs, where long rows are shared by many threads.
//! A block that does not fit (more than 65,535 terms, more far columns than codes, or a
//! coefficient index of more than 16 bits) keeps its row ends, columns and indices in 32 bits.

/// Rows in a block.
pub const BLOCK_ROWS: usize = 64;

/// Columns that a block names by their distance from its base; the other codes are far columns.
pub const WINDOW: u32 = 0xF800;

/// Far columns that a narrow block can name.
pub const FAR_COLUMNS: usize = 0x1_0000 - WINDOW as usize;

/// How a block's words are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum BlockForm {
    /// 64 row ends (terms of the block up to each row's end), `far` columns of two words each
    /// (low word first), then a column code a term, then a coefficient index a term.
    Narrow = 0,
    /// The same without far columns, every number in two words (low word first).
    Wide = 1,
}

/// What one copy of repeated rows adds to the columns that were stored for the first copy.
///
/// Inputs from `own_inputs` on and auxiliary columns from `own_aux` on belong to the copy and
/// move; all others stay. The default moves nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shift {
    /// Public inputs of the whole circuit: columns from here on are auxiliary variables.
    pub inputs: u32,
    /// The first copy's first own input.
    pub own_inputs: u32,
    /// The first copy's first own auxiliary column.
    pub own_aux: u32,
    /// Added to own inputs.
    pub input: u32,
    /// Added to own auxiliary columns.
    pub aux: u32,
}

impl Shift {
    /// The column in the copy for a column of the first copy.
    #[inline(always)]
    pub fn place(&self, column: u32) -> u32 {
        if column >= self.own_aux {
            column + self.aux
        } else if column >= self.own_inputs && column < self.inputs {
            column + self.input
        } else {
            column
        }
    }
}

/// Where a block lies and how to read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Block {
    /// First word of the block; even.
    pub start: u64,
    /// The column of code 0 in a narrow block. No column that a [`Shift`] leaves in place is named
    /// by its distance from here, so the base moves with the own auxiliary columns.
    pub base: u32,
    /// Far columns in a narrow block, ascending.
    pub far: u16,
    /// The layout.
    pub form: BlockForm,
}

/// One of the matrices A, B, C.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseRows {
    pub(super) blocks: Vec<Block>,
    pub(super) words: Vec<u16>,
    pub(super) rows: usize,
    pub(super) nonzeros: usize,
}

/// Receives the terms of a block, row by row.
pub trait RowVisitor {
    /// Whether it wants to see a row, by its number in the matrix.
    fn wants(&self, _row: usize) -> bool {
        true
    }
    /// A term of the current row: its column and the index of its coefficient.
    fn term(&mut self, column: u32, coefficient: u32);
    /// The current row, by its number in the matrix, has no more terms.
    fn end_row(&mut self, row: usize);
}

/// The words of one block, split into their parts; ready to decode any term.
#[derive(Clone, Copy, Debug)]
pub struct BlockView<'a> {
    form: BlockForm,
    /// The base, shifted.
    base: u32,
    shift: Shift,
    ends: &'a [u16],
    far: &'a [u16],
    columns: &'a [u16],
    coefficients: &'a [u16],
}

/// A number kept in two words, low word first.
#[inline]
fn wide(words: &[u16], index: usize) -> u32 {
    u32::from(words[2 * index]) | u32::from(words[2 * index + 1]) << 16
}

impl<'a> BlockView<'a> {
    /// Puts a view together from its parts, cut to the lengths that the layout says.
    fn new(block: &Block, words: &'a [u16], shift: Shift) -> Self {
        let width = match block.form {
            BlockForm::Narrow => 1,
            BlockForm::Wide => 2,
        };
        let (ends, words) = words.split_at(BLOCK_ROWS * width);
        let (far, words) = words.split_at(2 * usize::from(block.far));
        let mut view = Self {
            form: block.form,
            base: block.base + shift.aux,
            shift,
            ends,
            far,
            columns: &[],
            coefficients: &[],
        };
        let terms = view.terms() * width;
        (view.columns, view.coefficients) = words[..2 * terms].split_at(terms);
        view
    }

    /// Terms before the end of row `row` of the block.
    #[inline]
    pub fn end(&self, row: usize) -> usize {
        match self.form {
            BlockForm::Narrow => usize::from(self.ends[row]),
            BlockForm::Wide => wide(self.ends, row) as usize,
        }
    }

    /// Terms before the start of row `row` of the block.
    #[inline]
    pub fn start(&self, row: usize) -> usize {
        match row {
            0 => 0,
            _ => self.end(row - 1),
        }
    }

    /// Number of terms in the block.
    pub fn terms(&self) -> usize {
        self.end(BLOCK_ROWS - 1)
    }

    /// Column and coefficient index of term `term` of the block.
    #[inline]
    pub fn term(&self, term: usize) -> (u32, u32) {
        match self.form {
            BlockForm::Narrow => self.narrow_term(term),
            BlockForm::Wide => self.wide_term(term),
        }
    }

    #[inline(always)]
    fn narrow_term(&self, term: usize) -> (u32, u32) {
        let code = u32::from(self.columns[term]);
        let column = match code.checked_sub(WINDOW) {
            None => self.base + code,
            Some(far) => self.far(far as usize),
        };
        (column, u32::from(self.coefficients[term]))
    }

    #[inline(always)]
    fn wide_term(&self, term: usize) -> (u32, u32) {
        let column = self.shift.place(wide(self.columns, term));
        (column, wide(self.coefficients, term))
    }

    /// Far column `index`.
    #[inline(always)]
    fn far(&self, index: usize) -> u32 {
        self.shift.place(wide(self.far, index))
    }

    /// Whether any column of the block may lie in `columns`; exact only where it says no.
    pub fn may_touch(&self, columns: &std::ops::Range<u32>) -> bool {
        match self.form {
            BlockForm::Wide => true,
            BlockForm::Narrow => {
                (self.base < columns.end && columns.start < self.base.saturating_add(WINDOW))
                    || (0..self.far.len() / 2).any(|far| columns.contains(&self.far(far)))
            }
        }
    }
}

impl SparseRows {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of terms; none has a zero coefficient.
    pub fn nonzeros(&self) -> usize {
        self.nonzeros
    }

    /// Where each block lies; block `i` holds rows `64 i` to `64 i + 63`. Missing rows of the
    /// last block are empty.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The words of all blocks.
    pub fn words(&self) -> &[u16] {
        &self.words
    }

    /// Memory that the matrix takes, in bytes.
    pub fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<u16>() + self.blocks.capacity() * size_of::<Block>()
    }

    /// Block `index`, ready to decode with shifted columns.
    ///
    /// # Panics
    ///
    /// When there is no such block.
    pub fn block(&self, index: usize, shift: Shift) -> BlockView<'_> {
        let block = &self.blocks[index];
        BlockView::new(block, &self.words[block.start as usize..], shift)
    }

    /// Hands all rows of a block to a visitor, in order, with shifted columns.
    ///
    /// # Panics
    ///
    /// When there is no such block.
    #[inline]
    pub fn visit(&self, index: usize, shift: Shift, visitor: &mut impl RowVisitor) {
        let block = self.block(index, shift);
        let first = index * BLOCK_ROWS;
        let mut term = 0;
        for row in 0..BLOCK_ROWS.min(self.rows - first) {
            let end = block.end(row);
            if !visitor.wants(first + row) {
                term = end;
                continue;
            }
            match block.form {
                BlockForm::Narrow => {
                    for term in term..end {
                        let (column, coefficient) = block.narrow_term(term);
                        visitor.term(column, coefficient);
                    }
                }
                BlockForm::Wide => {
                    for term in term..end {
                        let (column, coefficient) = block.wide_term(term);
                        visitor.term(column, coefficient);
                    }
                }
            }
            term = end;
            visitor.end_row(first + row);
        }
    }
}
