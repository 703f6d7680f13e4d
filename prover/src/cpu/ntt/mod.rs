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
//! the twiddles g^(n / 2h) w_2h^j: the coset costs nothing. Memory is passed through once for
//! every 11 layers, see `passes`; small transforms are one block.

mod octet;
mod passes;
#[cfg(all(cuzk_avx512, target_arch = "x86_64"))]
mod vector;

use ff::{Field, PrimeField};
use rayon::prelude::*;

use super::fr::Fr;
use crate::curve::Scalar;
use crate::{room, Result};

/// Most layers: r - 1 = 2^32 * odd.
pub const MAX_LOG_N: u32 = Scalar::S;

/// Up to here a transform is one block, done by one thread in its own cache.
const BLOCK_LOG_N: u32 = passes::MIN_LOG_N - 1;

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
///
/// Errors: `OutOfMemory` without room for a thread's part; the values are lost then.
pub fn evaluate(values: &mut [Scalar], coset: Scalar) -> Result<()> {
    transform(values, coset, Direction::Evaluate)
}

/// Values on `coset <w>` in natural order to n times the coefficients in bit-reversed order.
///
/// The length must be a power of two, and `coset` not zero. Errors: as there.
pub fn interpolate(values: &mut [Scalar], coset: Scalar) -> Result<()> {
    let inverse = coset.invert().unwrap_or(Scalar::ONE);
    transform(values, inverse, Direction::Interpolate)
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
fn layer_twiddles(layers: u32, root: Scalar, coset: Scalar) -> Result<Vec<Fr>> {
    let mut twiddles = room::filled("a transform's twiddles", 1 << layers, Fr::new(&Scalar::ONE))?;
    let (mut root, mut coset) = (root, coset);
    for layer in (0..layers).rev() {
        let h = 1 << layer;
        let mut power = coset;
        for twiddle in &mut twiddles[h..2 * h] {
            *twiddle = Fr::new(&power);
            power *= root;
        }
        root = root.square();
        coset = coset.square();
    }
    Ok(twiddles)
}

/// `base` to the power 2^k.
fn power_of_two(base: Scalar, k: u32) -> Scalar {
    (0..k).fold(base, |power, _| power.square())
}

fn transform(values: &mut [Scalar], coset: Scalar, direction: Direction) -> Result<()> {
    let log_n = log2(values.len());
    let mut root = root_of_unity(log_n);
    if direction == Direction::Interpolate {
        root = root.invert().unwrap_or(Scalar::ONE);
    }
    if log_n <= BLOCK_LOG_N {
        let twiddles = layer_twiddles(log_n, root, coset)?;
        let values = Fr::slice_mut(values);
        match direction {
            Direction::Evaluate => evaluate_block(values, &twiddles),
            Direction::Interpolate => interpolate_block(values, &twiddles),
        }
        return Ok(());
    }
    #[cfg(all(cuzk_avx512, target_arch = "x86_64"))]
    if vector::is_available() {
        return passes::transform::<vector::Vector>(values, root, coset, direction);
    }
    passes::transform::<[Fr; octet::LANES]>(values, root, coset, direction)
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
                evaluate(&mut values, coset).unwrap();
                assert_eq!(values, expected, "2^{log_n}");
                interpolate(&mut values, coset).unwrap();
                bit_reverse(&mut values);
                let n = Scalar::from(1 << log_n);
                let scaled: Vec<Scalar> = coefficients.iter().map(|c| c * n).collect();
                assert_eq!(values, scaled, "2^{log_n}");
            }
        }
    }

    /// Sizes of one block and of several passes, at a few points and back.
    #[test]
    fn large_transforms_agree_with_horner_at_some_points() {
        for log_n in [11, 12, 13, 14, 15, 20] {
            let n = 1usize << log_n;
            let coefficients = random(n);
            let coset = Scalar::MULTIPLICATIVE_GENERATOR;
            let mut values = coefficients.clone();
            bit_reverse(&mut values);
            evaluate(&mut values, coset).unwrap();
            for at in [0, 1, n / 2 - 1, n / 2, n - 1] {
                let point = coset * root_of_unity(log_n).pow_vartime([at as u64]);
                let expected = coefficients
                    .iter()
                    .rev()
                    .fold(Scalar::ZERO, |sum, c| sum * point + c);
                assert_eq!(values[at], expected, "2^{log_n} at {at}");
            }
            interpolate(&mut values, coset).unwrap();
            bit_reverse(&mut values);
            let scale = Scalar::from(n as u64).invert().unwrap();
            assert!(values
                .iter()
                .zip(&coefficients)
                .all(|(v, c)| v * scale == *c));
        }
    }

    /// More than two passes' layers.
    #[test]
    fn three_passes_evaluate_a_power() {
        let n = 1usize << 23;
        let coset = Scalar::MULTIPLICATIVE_GENERATOR;
        // x^k has the values (coset w^i)^k.
        let k = n - 3;
        let mut values = vec![Scalar::ZERO; n];
        values[k] = Scalar::ONE;
        bit_reverse(&mut values);
        evaluate(&mut values, coset).unwrap();
        let root = root_of_unity(log2(n));
        for at in [0, 1, 7, n / 2, n - 1] {
            let point = coset * root.pow_vartime([at as u64]);
            assert_eq!(values[at], point.pow_vartime([k as u64]));
        }
    }

    /// Every kind of octet, whichever this processor would choose.
    #[test]
    fn all_octets_transform_alike() {
        let coset = Scalar::MULTIPLICATIVE_GENERATOR;
        for log_n in [14, 15, 17] {
            let original = random(1 << log_n);
            let root = root_of_unity(log_n);
            for direction in [Direction::Evaluate, Direction::Interpolate] {
                let mut expected = original.clone();
                let twiddles = layer_twiddles(log_n, root, coset).unwrap();
                match direction {
                    Direction::Evaluate => {
                        evaluate_block(Fr::slice_mut(&mut expected), &twiddles);
                    }
                    Direction::Interpolate => {
                        interpolate_block(Fr::slice_mut(&mut expected), &twiddles);
                    }
                }
                let mut values = original.clone();
                passes::transform::<[Fr; octet::LANES]>(&mut values, root, coset, direction)
                    .unwrap();
                assert!(values == expected, "2^{log_n}");
                #[cfg(all(cuzk_avx512, target_arch = "x86_64"))]
                if vector::is_available() {
                    let mut values = original.clone();
                    passes::transform::<vector::Vector>(&mut values, root, coset, direction)
                        .unwrap();
                    assert!(values == expected, "2^{log_n}");
                }
            }
        }
    }
}
