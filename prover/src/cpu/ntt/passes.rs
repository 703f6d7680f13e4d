// SPDX-License-Identifier: MIT OR Apache-2.0
//! A large transform in passes through memory of up to 11 layers each.
//!
//! The lowest pass takes eight blocks of 2^11 neighbours together, a lane each, so all lanes share
//! their twiddles. A pass above it works on 2^k rows of 2^`below` columns and takes eight
//! neighbouring columns; a twiddle is then a factor of the row (a table), times one of the column
//! and the layer, made for each tile: one more product for about eleven. Octets are copied to
//! scratch memory (512 to 640 kB a thread), which stays in a core's own cache where rows lie a
//! power of two apart in memory.

use ff::Field;
use rayon::prelude::*;

use super::octet::{Octet, LANES, MAX_LAYERS};
use super::{layer_twiddles, log2, power_of_two, Direction, Shared};
use crate::cpu::fr::Fr;
use crate::curve::Scalar;
use crate::{room, Result};

/// What errors call the memory of a pass.
const WHAT: &str = "a thread's part of a transform";

/// Smallest transform that has eight blocks for the lowest pass.
pub const MIN_LOG_N: u32 = MAX_LAYERS + LANES.ilog2();

/// Transforms 2^k values, k at least `MIN_LOG_N`; `root` and `coset` are already inverted where
/// the direction needs it.
pub fn transform<O: Octet>(
    values: &mut [Scalar],
    root: Scalar,
    coset: Scalar,
    direction: Direction,
) -> Result<()> {
    let log_n = log2(values.len());
    let values = Fr::slice_mut(values);
    let mut passes = Vec::new();
    let mut below = 0;
    while below < log_n {
        // The lowest pass is full, the others share the layers above it equally.
        let layers = match below {
            0 => MAX_LAYERS,
            _ => (log_n - below).div_ceil((log_n - below).div_ceil(MAX_LAYERS)),
        };
        let above = log_n - below - layers;
        let root = power_of_two(root, above);
        let coset = power_of_two(coset, above);
        passes.push(Pass::<O>::new(below, layers, root, coset)?);
        below += layers;
    }
    match direction {
        Direction::Evaluate => passes
            .iter()
            .try_for_each(|pass| pass.run(values, direction)),
        Direction::Interpolate => passes
            .iter()
            .rev()
            .try_for_each(|pass| pass.run(values, direction)),
    }
}

/// Layers done in one pass: blocks of 2^`layers` rows of 2^`below` columns.
struct Pass<O: Octet> {
    below: u32,
    layers: u32,
    /// The root of unity of the top layer's blocks.
    root: Scalar,
    /// The coset's factor in the top layer.
    coset: Scalar,
    /// The twiddles of the lowest pass; above it the rows' part of them.
    rows: Vec<O::Twiddle>,
}

impl<O: Octet> Pass<O> {
    fn new(below: u32, layers: u32, root: Scalar, coset: Scalar) -> Result<Self> {
        let row_coset = if below == 0 { coset } else { Scalar::ONE };
        let rows = layer_twiddles(layers, power_of_two(root, below), row_coset)?;
        let n = rows.len();
        Ok(Self {
            below,
            layers,
            root,
            coset,
            rows: room::collected(WHAT, n, rows.iter().map(O::twiddle))?,
        })
    }

    fn run(&self, values: &mut [Fr], direction: Direction) -> Result<()> {
        let width = 1usize << self.below;
        let rows = 1usize << self.layers;
        let len = values.len();
        let shared = Shared(values.as_mut_ptr());
        // Distance of lanes: neighbours, or whole blocks in the lowest pass.
        let lane = if self.below == 0 { rows } else { 1 };
        (0..len / (rows * LANES)).into_par_iter().try_for_each_init(
            || room::filled(WHAT, rows, O::default()),
            |octets, index| {
                let octets = octets.as_mut().map_err(|error| error.clone())?;
                let column = index * LANES % width;
                let first = match self.below {
                    0 => index * LANES * rows,
                    _ => index * LANES / width * (width * rows) + column,
                };
                let columns = match self.below {
                    0 => Vec::new(),
                    _ => self.columns(column),
                };
                // SAFETY: `first + i * width + k * lane` for i < rows and k < LANES lies within
                // the values, and every element belongs to exactly one index: in the lowest pass
                // the eight blocks from `first` on, above it eight columns of one block.
                unsafe { O::load(octets, shared.at(first), width, lane) };
                O::layers(octets, &self.rows, &columns, direction);
                // SAFETY: as above.
                unsafe { O::store(octets, shared.at(first), width, lane) };
                Ok(())
            },
        )
    }

    /// The columns' part of the twiddles, lowest layer first: coset * root^column at the top, and
    /// squares going down.
    fn columns(&self, first: usize) -> Vec<[Fr; LANES]> {
        let mut top = self.coset * self.root.pow_vartime([first as u64]);
        let mut columns = vec![[Fr::default(); LANES]; self.layers as usize];
        for lane in 0..LANES {
            let mut factor = Fr::new(&top);
            for layer in columns.iter_mut().rev() {
                layer[lane] = factor;
                factor = factor.mul(&factor);
            }
            top *= self.root;
        }
        columns
    }
}
