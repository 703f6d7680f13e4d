// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sums over a query: the zeros of a witness cost nothing, its ones a plain sum of points, and
//! only the rest a multi-scalar multiplication.

use group::Group;
use rayon::prelude::*;

use super::buckets::PlainSum;
use super::indexed_msm;
use crate::backend::Cancel;
use crate::circuit::{Bitmap, CompactAux};
use crate::cpu::affine::Curve;
use crate::curve::Scalar;
use crate::{room, Result};

/// What errors call the memory of what is picked from an assignment.
const WITNESS: &str = "a part of the assignment";

/// Words of a bitmap that one task takes at least: 8,192 variables.
const MIN_WORDS: usize = 128;

/// Packs a full-width assignment like [`CompactAux::from_scalars`], on all threads.
pub fn compact(aux: &[Scalar]) -> Result<CompactAux> {
    let (zero, one) = (Scalar::default(), Scalar::from(1));
    let n = aux.len().div_ceil(64);
    let (mut ones, mut full) = (room::filled(WITNESS, n, 0)?, room::filled(WITNESS, n, 0)?);
    aux.par_chunks(64)
        .zip(ones.par_iter_mut().zip(&mut full))
        .with_min_len(MIN_WORDS)
        .for_each(|(chunk, (ones, full))| {
            for (bit, value) in chunk.iter().enumerate() {
                let is_one = *value == one;
                *ones |= u64::from(is_one) << bit;
                *full |= u64::from(!is_one && *value != zero) << bit;
            }
        });
    let ones = Bitmap::try_from_words(ones, aux.len())?;
    let full = Bitmap::try_from_words(full, aux.len())?;
    let values = full.ones().map(|i| aux[i]);
    let values = room::collected(WITNESS, full.count_ones(), values)?;
    Ok(CompactAux::from_parts(ones, full, values).unwrap_or_default())
}

/// The sum over the inputs; `points` has one for each input, or for each one of `density`.
pub fn input_sum<C: Curve>(
    points: &[C],
    input: &[Scalar],
    density: Option<&Bitmap>,
    cancel: &Cancel,
) -> Result<C::Curve> {
    match density {
        None => super::msm(points, input, cancel),
        Some(density) => {
            let dense = density.ones().map(|i| input[i]);
            let dense = room::collected(WITNESS, density.count_ones(), dense)?;
            super::msm(points, &dense, cancel)
        }
    }
}

/// The sum over the auxiliary variables; `points` has one for each, or for each one of `density`.
pub fn aux_sum<C: Curve>(
    points: &[C],
    aux: &CompactAux,
    density: Option<&Bitmap>,
    cancel: &Cancel,
) -> Result<C::Curve> {
    let ones = ones_sum(points, aux.ones(), density)?;
    cancel.check()?;
    let rest = match density {
        None => {
            let index = aux.full().ones().map(|i| i as u32);
            let index = room::collected(WITNESS, aux.values().len(), index)?;
            indexed_msm(points, |i| index[i] as usize, aux.values(), cancel)?
        }
        Some(density) => {
            let (mut index, mut values) = (Vec::new(), Vec::new());
            for (point, value) in dense_values(aux, density) {
                room::push(&mut index, WITNESS, point)?;
                room::push(&mut values, WITNESS, value)?;
            }
            indexed_msm(points, |i| index[i] as usize, &values, cancel)?
        }
    };
    Ok(ones + rest)
}

/// Points and values of the variables stored in full that have a point.
fn dense_values<'a>(
    aux: &'a CompactAux,
    density: &'a Bitmap,
) -> impl Iterator<Item = (u32, Scalar)> + 'a {
    let mut value = 0;
    let mut point = 0;
    let words = aux.full().words().iter().zip(density.words());
    words.flat_map(move |(&full, &dense)| {
        let (first_value, first_point) = (value, point);
        value += full.count_ones() as usize;
        point += dense.count_ones();
        bits(full & dense).map(move |bit| {
            let below = (1u64 << bit) - 1;
            let value = first_value + (full & below).count_ones() as usize;
            (
                first_point + (dense & below).count_ones(),
                aux.values()[value],
            )
        })
    })
}

/// The sum of the points of the variables in `ones`.
fn ones_sum<C: Curve>(points: &[C], ones: &Bitmap, density: Option<&Bitmap>) -> Result<C::Curve> {
    let points = C::coordinates(points);
    let len = ones
        .words()
        .len()
        .div_ceil(8 * rayon::current_num_threads())
        .max(MIN_WORDS);
    let chunks = ones.words().par_chunks(len).enumerate();
    let sums = chunks.map(|(chunk, words)| {
        let first = chunk * len;
        let mut sum = PlainSum::new()?;
        let mut point = density.map_or(first * 64, |density| density.rank(first * 64));
        for (i, word) in words.iter().enumerate() {
            let dense = density.map_or(u64::MAX, |density| density.words()[first + i]);
            for bit in bits(word & dense) {
                let below = (1u64 << bit) - 1;
                sum.push(points[point + (dense & below).count_ones() as usize]);
            }
            point += dense.count_ones() as usize;
        }
        Ok(sum.finish::<C>())
    });
    sums.try_reduce(C::Curve::identity, |a, b| Ok(a + b))
}

/// The positions of the ones of a word, ascending.
fn bits(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        (word != 0).then(|| {
            let bit = word.trailing_zeros();
            word &= word - 1;
            bit
        })
    })
}
