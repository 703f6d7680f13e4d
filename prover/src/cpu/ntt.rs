// SPDX-License-Identifier: MIT OR Apache-2.0
//! Number-theoretic transforms of size 2^k over cosets g <w> of the roots of unity.
//!
//! Two directions, each the other's inverse up to the factor n, so that no transform moves
//! elements to other places:
//!
//! - [`evaluate`]: coefficients in bit-reversed order become values at g, g w, g w^2, ... in
//!   natural order (decimation in time);
//! - [`interpolate`]: values in natural order become n times the coefficients in bit-reversed
//!   order (decimation in frequency).
//!
//! From f(x) = e(x^2) + x o(x^2), the layer that joins blocks of h values into blocks of 2 h uses
//! the twiddles g^(n / 2h) w_2h^j: the coset costs nothing. Memory is passed through once for the
//! lower 12 layers, which stay in blocks of 2^12 neighbours, and once for every 10 layers above,
//! which are done on tiles of 8 neighbouring columns copied together. Twiddles are made where
//! they are used, from tables of 2^12 and 2^10 (one extra product for eleven), so besides the
//! values a transform needs under 1 MB a thread.

use ff::{Field, PrimeField};
use rayon::prelude::*;

use super::fr::Fr;
use crate::curve::Scalar;

/// Layers done in blocks of neighbours.
const INNER_LAYERS: u32 = 12;

/// Layers done on a tile at most.
const TILE_LAYERS: u32 = 10;

/// Neighbouring columns of a tile.
const COLUMNS: usize = 8;

/// Most layers: r - 1 = 2^32 * odd.
pub const MAX_LOG_N: u32 = Scalar::S;

/// A transform's direction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Evaluate,
    Interpolate,
}

/// The primitive 2^log_n-th root of unity that bellperson uses.
pub fn root_of_unity(log_n: u32) -> Scalar {
    (log_n..MAX_LOG_N).fold(Scalar::ROOT_OF_UNITY, |root, _| root.square())
}

/// Coefficients in bit-reversed order to values on `coset <w>` in natural order, in place.
///
/// The length must be a power of two.
pub fn evaluate(values: &mut [Scalar], coset: Scalar) {
    transform(values, coset, Direction::Evaluate);
}

/// Values on `coset <w>` in natural order to n times the coefficients in bit-reversed order.
///
/// The length must be a power of two, and `coset` not zero.
pub fn interpolate(values: &mut [Scalar], coset: Scalar) {
    let inverse = coset.invert().unwrap_or(Scalar::ONE);
    transform(values, inverse, Direction::Interpolate);
}

/// Puts element i to the place of i with its bits reversed.
pub fn bit_reverse<T: Send>(values: &mut [T]) {
    let log_n = log2(values.len());
    if log_n < 2 {
        return;
    }
    let shared = Shared(values.as_mut_ptr());
    (0..values.len())
        .into_par_iter()
        .with_min_len(1 << 14)
        .for_each(|i| {
            let j = i.reverse_bits() >> (usize::BITS - log_n);
            if i < j {
                // SAFETY: both lie below the length; the pairs (i, j) with i < j are disjoint, and
                // each is swapped by the one thread that meets its smaller index.
                unsafe { std::ptr::swap(shared.at(i), shared.at(j)) };
            }
        });
}

/// The exponent of a power of two; 0 for 0.
fn log2(n: usize) -> u32 {
    debug_assert!(n.is_power_of_two() || n == 0);
    n.checked_ilog2().unwrap_or(0)
}

/// A pointer that threads share to work on disjoint elements.
struct Shared<T>(*mut T);

// SAFETY: used only to reach elements that no other thread touches meanwhile.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// # Safety
    ///
    /// `i` must lie within the slice that this was made from.
    unsafe fn at(&self, i: usize) -> *mut T {
        self.0.add(i)
    }
}

/// Twiddles of the layers h = 1, 2, 4, ... of one transform: that of layer h and index j is at
/// h + j. `coset` is the layers' g^(n / 2h) for the top one, squared going down.
fn layer_twiddles(layers: u32, root: Scalar, coset: Scalar) -> Vec<Fr> {
    let mut twiddles = vec![Scalar::ONE; 1 << layers];
    let (mut root, mut coset) = (root, coset);
    for layer in (0..layers).rev() {
        let h = 1 << layer;
        let mut power = coset;
        for twiddle in &mut twiddles[h..2 * h] {
            *twiddle = power;
            power *= root;
        }
        root = root.square();
        coset = coset.square();
    }
    Fr::slice(&twiddles).to_vec()
}

/// `base` to the power 2^k.
fn power_of_two(base: Scalar, k: u32) -> Scalar {
    (0..k).fold(base, |power, _| power.square())
}

fn transform(values: &mut [Scalar], coset: Scalar, direction: Direction) {
    let log_n = log2(values.len());
    let mut root = root_of_unity(log_n);
    if direction == Direction::Interpolate {
        root = root.invert().unwrap_or(Scalar::ONE);
    }
    let values = Fr::slice_mut(values);
    let inner = log_n.min(INNER_LAYERS);
    let mut tiles = Vec::new();
    let mut below = inner;
    while below < log_n {
        // Equal shares: 10 layers above the inner ones are one pass, 11 are 6 and 5.
        let passes = (log_n - below).div_ceil(TILE_LAYERS);
        let layers = (log_n - below).div_ceil(passes);
        let above = log_n - below - layers;
        tiles.push(Tiles::new(
            below,
            layers,
            power_of_two(root, above),
            power_of_two(coset, above),
        ));
        below += layers;
    }
    let above = log_n - inner;
    let twiddles = layer_twiddles(inner, power_of_two(root, above), power_of_two(coset, above));
    match direction {
        Direction::Evaluate => {
            let blocks = values.par_chunks_mut(1 << inner);
            blocks.for_each(|block| evaluate_block(block, &twiddles));
            tiles.iter().for_each(|tiles| tiles.run(values, direction));
        }
        Direction::Interpolate => {
            tiles
                .iter()
                .rev()
                .for_each(|tiles| tiles.run(values, direction));
            let blocks = values.par_chunks_mut(1 << inner);
            blocks.for_each(|block| interpolate_block(block, &twiddles));
        }
    }
}

/// All layers of one block, upwards.
fn evaluate_block(block: &mut [Fr], twiddles: &[Fr]) {
    let mut h = 1;
    while h < block.len() {
        for pair in block.chunks_exact_mut(2 * h) {
            let (low, high) = pair.split_at_mut(h);
            for ((u, v), twiddle) in low.iter_mut().zip(high).zip(&twiddles[h..2 * h]) {
                evaluate_butterfly(u, v, twiddle);
            }
        }
        h *= 2;
    }
}

/// All layers of one block, downwards.
fn interpolate_block(block: &mut [Fr], twiddles: &[Fr]) {
    let mut h = block.len() / 2;
    while h > 0 {
        for pair in block.chunks_exact_mut(2 * h) {
            let (low, high) = pair.split_at_mut(h);
            for ((u, v), twiddle) in low.iter_mut().zip(high).zip(&twiddles[h..2 * h]) {
                interpolate_butterfly(u, v, twiddle);
            }
        }
        h /= 2;
    }
}

/// (u, v) to (u + t v, u - t v).
#[inline(always)]
fn evaluate_butterfly(u: &mut Fr, v: &mut Fr, twiddle: &Fr) {
    let product = v.mul(twiddle);
    *v = u.sub(&product);
    *u = u.add(&product);
}

/// (u, v) to (u + v, t (u - v)): twice the inverse, when t is the inverse twiddle.
#[inline(always)]
fn interpolate_butterfly(u: &mut Fr, v: &mut Fr, twiddle: &Fr) {
    let difference = u.sub(v);
    *u = u.add(v);
    *v = difference.mul(twiddle);
}

/// Layers above the inner ones: blocks of 2^`layers` rows of 2^`below` neighbours.
struct Tiles {
    below: u32,
    layers: u32,
    /// The root of unity of the top layer's blocks.
    root: Scalar,
    /// The coset's factor in the top layer.
    coset: Scalar,
    /// Row parts of the twiddles: w^j for 2^layers-th roots, by layer.
    rows: Vec<Fr>,
}

impl Tiles {
    fn new(below: u32, layers: u32, root: Scalar, coset: Scalar) -> Self {
        let rows = layer_twiddles(layers, power_of_two(root, below), Scalar::ONE);
        Self {
            below,
            layers,
            root,
            coset,
            rows,
        }
    }

    fn run(&self, values: &mut [Fr], direction: Direction) {
        let width = 1usize << self.below;
        let rows = 1usize << self.layers;
        let len = values.len();
        let shared = Shared(values.as_mut_ptr());
        (0..len / (rows * COLUMNS)).into_par_iter().for_each_init(
            || vec![[Fr::default(); COLUMNS]; rows],
            |tile, index| {
                let block = index * COLUMNS / width * (width * rows);
                let column = index * COLUMNS % width;
                for (row, values) in tile.iter_mut().enumerate() {
                    let at = block + row * width + column;
                    // SAFETY: COLUMNS elements from `at` on lie within the values (width is a
                    // multiple of COLUMNS) and belong to this index alone.
                    *values = unsafe { *shared.at(at).cast::<[Fr; COLUMNS]>() };
                }
                self.tile(tile, column, direction);
                for (row, values) in tile.iter().enumerate() {
                    let at = block + row * width + column;
                    // SAFETY: as above.
                    unsafe { *shared.at(at).cast::<[Fr; COLUMNS]>() = *values };
                }
            },
        );
    }

    /// All layers of one tile whose first column is `column`.
    fn tile(&self, tile: &mut [[Fr; COLUMNS]], column: usize, direction: Direction) {
        // Column parts of the twiddles, top layer first: coset * root^column, then squares.
        let mut top = self.coset * self.root.pow_vartime([column as u64]);
        let mut columns = vec![[Fr::default(); COLUMNS]; self.layers as usize];
        for c in 0..COLUMNS {
            let mut factor = Fr::new(&top);
            for layer in columns.iter_mut().rev() {
                layer[c] = factor;
                factor = factor.mul(&factor);
            }
            top *= self.root;
        }
        let butterflies = |tile: &mut [[Fr; COLUMNS]], layer: usize| {
            let h = 1 << layer;
            for j in 0..h {
                let row = &self.rows[h + j];
                let twiddles = columns[layer].map(|factor| factor.mul(row));
                for pair in tile.chunks_exact_mut(2 * h) {
                    let (low, high) = pair.split_at_mut(h);
                    let elements = low[j].iter_mut().zip(&mut high[j]).zip(&twiddles);
                    match direction {
                        Direction::Evaluate => {
                            elements.for_each(|((u, v), t)| evaluate_butterfly(u, v, t));
                        }
                        Direction::Interpolate => {
                            elements.for_each(|((u, v), t)| interpolate_butterfly(u, v, t));
                        }
                    }
                }
            }
        };
        let layers = 0..self.layers as usize;
        match direction {
            Direction::Evaluate => layers.for_each(|layer| butterflies(tile, layer)),
            Direction::Interpolate => layers.rev().for_each(|layer| butterflies(tile, layer)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::testing;

    /// Values at coset, coset w, coset w^2, ... by Horner's rule.
    fn slow(coefficients: &[Scalar], coset: Scalar) -> Vec<Scalar> {
        let root = root_of_unity(log2(coefficients.len()));
        let mut point = coset;
        let mut values = Vec::new();
        for _ in 0..coefficients.len() {
            let value = coefficients
                .iter()
                .rev()
                .fold(Scalar::ZERO, |sum, c| sum * point + c);
            values.push(value);
            point *= root;
        }
        values
    }

    fn random(n: usize) -> Vec<Scalar> {
        let mut random = testing::rng();
        let mut values: Vec<Scalar> = (0..n).map(|_| Scalar::random(&mut random)).collect();
        for (i, value) in values.iter_mut().enumerate().filter(|(i, _)| i % 5 == 3) {
            *value = [Scalar::ZERO, Scalar::ONE, -Scalar::ONE][i % 3];
        }
        values
    }

    #[test]
    fn transforms_are_direct_sums() {
        for log_n in 0..9 {
            let coefficients = random(1 << log_n);
            for coset in [Scalar::ONE, Scalar::MULTIPLICATIVE_GENERATOR] {
                let expected = slow(&coefficients, coset);
                let mut values = coefficients.clone();
                bit_reverse(&mut values);
                evaluate(&mut values, coset);
                assert_eq!(values, expected, "2^{log_n}");
                interpolate(&mut values, coset);
                bit_reverse(&mut values);
                let n = Scalar::from(1 << log_n);
                let scaled: Vec<Scalar> = coefficients.iter().map(|c| c * n).collect();
                assert_eq!(values, scaled, "2^{log_n}");
            }
        }
    }

    /// Sizes with one and two passes over tiles, at a few points and back.
    #[test]
    fn large_transforms_agree_with_horner_at_some_points() {
        for log_n in [11, 12, 13, 15, 20] {
            let n = 1usize << log_n;
            let coefficients = random(n);
            let coset = Scalar::MULTIPLICATIVE_GENERATOR;
            let mut values = coefficients.clone();
            bit_reverse(&mut values);
            evaluate(&mut values, coset);
            for at in [0, 1, n / 2 - 1, n / 2, n - 1] {
                let point = coset * root_of_unity(log_n).pow_vartime([at as u64]);
                let expected = coefficients
                    .iter()
                    .rev()
                    .fold(Scalar::ZERO, |sum, c| sum * point + c);
                assert_eq!(values[at], expected, "2^{log_n} at {at}");
            }
            interpolate(&mut values, coset);
            bit_reverse(&mut values);
            let scale = Scalar::from(n as u64).invert().unwrap();
            assert!(values
                .iter()
                .zip(&coefficients)
                .all(|(v, c)| v * scale == *c));
        }
    }

    /// More than ten layers above the blocks: the tiles take two passes.
    #[test]
    fn tiles_in_two_passes_invert() {
        let n = 1usize << (INNER_LAYERS + TILE_LAYERS + 1);
        let coset = Scalar::MULTIPLICATIVE_GENERATOR;
        // x^k has the values (coset w^i)^k.
        let k = n - 3;
        let mut values = vec![Scalar::ZERO; n];
        values[k] = Scalar::ONE;
        bit_reverse(&mut values);
        evaluate(&mut values, coset);
        let root = root_of_unity(log2(n));
        for at in [0, 1, 7, n / 2, n - 1] {
            let point = coset * root.pow_vartime([at as u64]);
            assert_eq!(values[at], point.pow_vartime([k as u64]));
        }
    }
}
