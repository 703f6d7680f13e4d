// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every sum against doubling and adding, point by point.

use ff::{Field, PrimeField};
use group::prime::PrimeCurveAffine;
use group::{Curve as _, Group};
use rand_core::RngCore;

use super::*;
use crate::circuit::{Bitmap, CompactAux};
use crate::cpu::testing;
use crate::curve::{G1Affine, G2Affine};

const SIZES: [usize; 18] = [
    0, 1, 2, 3, 4, 5, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129,
];

fn slow<C: Curve>(points: &[C], scalars: &[Scalar]) -> C::Curve {
    let mut sum = C::Curve::identity();
    for (point, scalar) in points.iter().zip(scalars) {
        let mut multiple = C::Curve::identity();
        for byte in scalar.to_repr().iter().rev() {
            for bit in (0..8).rev() {
                multiple = multiple.double();
                if byte >> bit & 1 == 1 {
                    multiple += *point;
                }
            }
        }
        sum += multiple;
    }
    sum
}

/// Points of few different values, so that equal, opposite and infinite ones meet in buckets.
fn points<C: Curve>(n: usize, random: &mut impl RngCore) -> Vec<C> {
    let base: Vec<C> = (0..8)
        .map(|_| (C::generator() * Scalar::random(&mut *random)).to_affine())
        .collect();
    (0..n)
        .map(|_| match random.next_u32() % 10 {
            0 => C::identity(),
            1 => -base[1],
            k => base[k as usize % 8],
        })
        .collect()
}

/// Zeros, ones, minus ones, halves of the range, small and full values.
fn scalars(n: usize, random: &mut impl RngCore) -> Vec<Scalar> {
    (0..n)
        .map(|_| match random.next_u32() % 10 {
            0 => Scalar::ZERO,
            1 | 2 => Scalar::ONE,
            3 => -Scalar::ONE,
            4 => Scalar::TWO_INV,
            5 => Scalar::TWO_INV - Scalar::ONE,
            6 => Scalar::from(random.next_u64() % 1000),
            _ => Scalar::random(&mut *random),
        })
        .collect()
}

fn every_size<C: Curve>(sizes: &[usize]) {
    let mut random = testing::rng();
    for &n in sizes {
        let points = points::<C>(n, &mut random);
        let scalars = scalars(n, &mut random);
        let sum = msm(&points, &scalars, &Cancel::default()).unwrap();
        assert_eq!(sum, slow(&points, &scalars), "{n} terms");
        let of_owned = msm_of_owned(&points, scalars, &Cancel::default()).unwrap();
        assert_eq!(of_owned, sum, "{n} terms");
    }
}

#[test]
fn sums_of_every_size_are_right_in_g1() {
    every_size::<G1Affine>(&SIZES);
    every_size::<G1Affine>(&[1023, 1024, 1025, 3000]);
}

#[test]
fn sums_of_every_size_are_right_in_g2() {
    every_size::<G2Affine>(&SIZES);
    every_size::<G2Affine>(&[1023, 1025]);
}

fn every_width<C: Curve>(widths: std::ops::RangeInclusive<u32>) {
    let mut random = testing::rng();
    let points = points::<C>(150, &mut random);
    let scalars = scalars(150, &mut random);
    let expected = slow(&points, &scalars);
    for width in widths {
        let windows = Windows::of_width(width);
        let recoded = windows.recode(&scalars).unwrap();
        let sum = recoded_msm(&points, |i| i, &recoded, windows, &Cancel::default()).unwrap();
        assert_eq!(sum, expected, "width {width}");
    }
}

#[test]
fn every_window_width_gives_the_same_sum() {
    every_width::<G1Affine>(1..=18);
    every_width::<G2Affine>(1..=14);
}

#[test]
fn the_widest_windows_give_the_same_sum() {
    every_width::<G1Affine>(19..=MAX_WIDTH);
}

/// All points in one bucket, or in two: batches where nearly every addition is put off.
#[test]
fn crowded_buckets_lose_no_point() {
    let mut random = testing::rng();
    for n in [1000usize, 1024, 1025, 2050, 5000] {
        let points = points::<G1Affine>(n, &mut random);
        for distinct in [1u64, 2, 3] {
            let scalars: Vec<Scalar> = (0..n as u64)
                .map(|i| Scalar::from(1 + i % distinct))
                .collect();
            let sum = msm(&points, &scalars, &Cancel::default()).unwrap();
            assert_eq!(
                sum,
                slow(&points, &scalars),
                "{n} terms, {distinct} scalars"
            );
        }
    }
}

#[test]
fn indexed_terms_take_their_points() {
    let mut random = testing::rng();
    let points = points::<G1Affine>(100, &mut random);
    let scalars = scalars(40, &mut random);
    let index = |i: usize| (i * 37 + 5) % 100;
    let picked: Vec<G1Affine> = (0..40).map(|i| points[index(i)]).collect();
    let sum = indexed_msm(&points, index, &scalars, &Cancel::default()).unwrap();
    assert_eq!(sum, slow(&picked, &scalars));
}

#[test]
fn a_cancelled_sum_ends() {
    let mut random = testing::rng();
    let points = points::<G1Affine>(100, &mut random);
    let scalars = scalars(100, &mut random);
    let cancel = Cancel::default();
    cancel.cancel();
    assert!(msm(&points, &scalars, &cancel).is_err());
}

fn every_density<C: Curve>(n: usize) {
    let mut random = testing::rng();
    let values = scalars(n, &mut random);
    let aux = CompactAux::from_scalars(&values);
    assert_eq!(compact(&values).unwrap(), aux);
    let densities: [Bitmap; 4] = [
        (0..n).map(|_| false).collect(),
        (0..n).map(|_| true).collect(),
        (0..n).map(|i| i == n / 2).collect(),
        (0..n).map(|_| random.next_u32() % 3 == 0).collect(),
    ];
    for density in &densities {
        let points = points::<C>(density.count_ones(), &mut random);
        let dense: Vec<Scalar> = density.ones().map(|i| values[i]).collect();
        let expected = slow(&points, &dense);
        let cancel = Cancel::default();
        let of_aux = aux_sum(&points, &aux, Some(density), &cancel).unwrap();
        assert_eq!(of_aux, expected, "{n} variables, {} dense", dense.len());
        let of_inputs = input_sum(&points, &values, Some(density), &cancel).unwrap();
        assert_eq!(of_inputs, expected, "{n} inputs, {} dense", dense.len());
    }
    let points = points::<C>(n, &mut random);
    let all = aux_sum(&points, &aux, None, &Cancel::default()).unwrap();
    assert_eq!(all, slow(&points, &values), "{n} variables");
}

#[test]
fn queries_sum_zeros_ones_and_the_rest() {
    for n in [0, 1, 2, 63, 64, 65, 127, 128, 129, 2000] {
        every_density::<G1Affine>(n);
    }
    for n in [0, 1, 65, 200] {
        every_density::<G2Affine>(n);
    }
}

/// Long enough for several tasks and for halving full lists.
#[test]
fn long_sums_of_ones_are_right() {
    let n = 70_000;
    let generator = G1Affine::generator();
    let points: Vec<G1Affine> = (0..n)
        .map(|i| if i % 3 == 0 { -generator } else { generator })
        .collect();
    let values = vec![Scalar::ONE; n];
    let aux = CompactAux::from_scalars(&values);
    let sum = aux_sum(&points, &aux, None, &Cancel::default()).unwrap();
    let minus = n.div_ceil(3) as u64;
    let expected = generator * (Scalar::from(n as u64 - minus) - Scalar::from(minus));
    assert_eq!(sum, expected);
}
