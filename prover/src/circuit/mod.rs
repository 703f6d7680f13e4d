// SPDX-License-Identifier: MIT OR Apache-2.0
//! A circuit recorded once, and witnesses for it in compact form.

mod bitmap;
mod witness;

pub use bitmap::Bitmap;
pub use witness::{AuxValue, CompactAux, Witness};
