// SPDX-License-Identifier: MIT OR Apache-2.0
//! A circuit recorded once, its rows evaluated for any witness, and witnesses in compact form.

mod bitmap;
mod compiled;
mod evaluate;
mod pack;
mod record;
mod rows;
mod synthesize;
mod witness;

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub use bitmap::Bitmap;
pub use compiled::{CircuitShape, CompiledCircuit, COEFFICIENT_MINUS_ONE, COEFFICIENT_ONE};
pub use rows::{
    Block, BlockForm, BlockView, RowVisitor, SparseRows, BLOCK_ROWS, FAR_COLUMNS, WINDOW,
};
pub use synthesize::synthesize;
pub use witness::{AuxValue, CompactAux, Witness};
