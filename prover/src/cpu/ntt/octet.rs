// SPDX-License-Identifier: MIT OR Apache-2.0
//! Eight scalars transformed side by side, each lane on its own.

use super::{evaluate_butterfly, interpolate_butterfly, Direction};
use crate::cpu::fr::Fr;

/// Scalars of an octet.
pub const LANES: usize = 8;

/// Most layers that `layers` may be asked for.
pub const MAX_LAYERS: u32 = 11;

/// Eight scalars in the form in which a processor computes with them best.
pub trait Octet: Copy + Default + Send + Sync {
    /// A factor that all lanes share.
    type Twiddle: Sync;

    /// Makes a factor ready.
    fn twiddle(factor: &Fr) -> Self::Twiddle;

    /// Copies scalars in: lane k of octet i comes from `at + i * row + k * lane`.
    ///
    /// # Safety
    ///
    /// All these places must hold scalars that no other thread writes meanwhile.
    unsafe fn load(octets: &mut [Self], at: *const Fr, row: usize, lane: usize);

    /// Copies scalars out, to where `load` would take them from.
    ///
    /// # Safety
    ///
    /// All these places must belong to the caller alone.
    unsafe fn store(octets: &[Self], at: *mut Fr, row: usize, lane: usize);

    /// All layers (at most `MAX_LAYERS`) of a transform over 2^k octets, just loaded.
    ///
    /// The twiddle of layer h and index j is `rows[h + j]`, times `columns[log2 h]` lane by lane
    /// when there are columns.
    fn layers(
        octets: &mut [Self],
        rows: &[Self::Twiddle],
        columns: &[[Fr; LANES]],
        direction: Direction,
    );
}

/// The octet of every processor.
impl Octet for [Fr; LANES] {
    type Twiddle = Fr;

    fn twiddle(factor: &Fr) -> Fr {
        *factor
    }

    unsafe fn load(octets: &mut [Self], at: *const Fr, row: usize, lane: usize) {
        for (i, octet) in octets.iter_mut().enumerate() {
            for (k, scalar) in octet.iter_mut().enumerate() {
                // SAFETY: the caller's promise.
                *scalar = unsafe { *at.add(i * row + k * lane) };
            }
        }
    }

    unsafe fn store(octets: &[Self], at: *mut Fr, row: usize, lane: usize) {
        for (i, octet) in octets.iter().enumerate() {
            for (k, scalar) in octet.iter().enumerate() {
                // SAFETY: the caller's promise.
                unsafe { *at.add(i * row + k * lane) = *scalar };
            }
        }
    }

    fn layers(octets: &mut [Self], rows: &[Fr], columns: &[[Fr; LANES]], direction: Direction) {
        let layers = octets.len().ilog2();
        for step in 0..layers {
            let layer = match direction {
                Direction::Evaluate => step,
                Direction::Interpolate => layers - 1 - step,
            };
            let h = 1 << layer;
            for j in 0..h {
                let row = &rows[h + j];
                let twiddles = match columns.get(layer as usize) {
                    Some(columns) => columns.map(|factor| factor.mul(row)),
                    None => [*row; LANES],
                };
                for pair in octets.chunks_exact_mut(2 * h) {
                    let (low, high) = pair.split_at_mut(h);
                    let lanes = low[j].iter_mut().zip(&mut high[j]).zip(&twiddles);
                    match direction {
                        Direction::Evaluate => {
                            lanes.for_each(|((u, v), t)| evaluate_butterfly(u, v, t));
                        }
                        Direction::Interpolate => {
                            lanes.for_each(|((u, v), t)| interpolate_butterfly(u, v, t));
                        }
                    }
                }
            }
        }
    }
}
