// SPDX-License-Identifier: MIT OR Apache-2.0
//! A circuit recorded once, its rows evaluated for any witness, and witnesses in compact form.

mod bitmap;
mod check;
mod compare;
mod compiled;
mod evaluate;
mod pack;
mod piece;
mod record;
mod repeat;
mod rows;
mod saved;
mod synthesize;
mod witness;

#[cfg(test)]
pub(crate) mod repeat_tests;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub use bitmap::Bitmap;
pub use compiled::{CircuitShape, CompiledCircuit, Origin, COEFFICIENT_MINUS_ONE, COEFFICIENT_ONE};
pub use piece::{Piece, Row, Rows};
pub use rows::{
    Block, BlockForm, BlockView, RowVisitor, Shift, SparseRows, BLOCK_ROWS, FAR_COLUMNS, WINDOW,
};
pub use synthesize::synthesize;
pub use witness::{AuxValue, CompactAux, Witness};
