// SPDX-License-Identifier: MIT OR Apache-2.0
//! Octets in the registers of AVX-512, multiplied by its 52-bit multiply-add (IFMA).
//!
//! A scalar is five limbs of 52 bits. Values stay in Montgomery form with R = 2^256 although a
//! reduction here divides by 2^260: one factor of each product, the twiddle, carries 2^4 more.
//!
//! Ranges: a scalar is loaded below r. A twiddle is below 1.03 r, so for v below 25 r the product
//! t v / 2^260 + r is below 2 r (r / 2^260 < 0.0283). Evaluation lets its sums grow: 2 r a layer,
//! 23 r after 11 layers. Interpolation doubles instead and brings each sum back below 2 r.

// Compiled only where the compiler has these intrinsics (build.rs), whatever rust-version says.
#![allow(clippy::incompatible_msrv)]

use std::arch::x86_64::{
    __m512i, _mm512_and_si512, _mm512_madd52hi_epu64, _mm512_madd52lo_epu64, _mm512_or_si512,
    _mm512_set1_epi64, _mm512_setzero_si512, _mm512_slli_epi64, _mm512_srli_epi64,
};

use super::octet::{Octet, LANES, MAX_LAYERS};
use super::Direction;
use crate::cpu::fr::Fr;
pub use crate::cpu::ifma::is_available;
use crate::cpu::ifma::{add, broadcast, carried, sub, sub_if_not_less, Lanes, Registers, MASK};

const LIMBS: usize = 5;

type Scalars = Registers<LIMBS>;

/// Eight scalars: limb i of all lanes, lane by lane.
pub type Vector = Lanes<LIMBS>;

/// r in limbs of 52 bits.
const MODULUS: [u64; LIMBS] = split(&Fr::MODULUS);

/// 2 r, likewise but with limbs of 53 bits.
const TWICE: [u64; LIMBS] = [
    2 * MODULUS[0],
    2 * MODULUS[1],
    2 * MODULUS[2],
    2 * MODULUS[3],
    2 * MODULUS[4],
];

/// -1/r mod 2^52.
const INVERSE: u64 = Fr::INVERSE & MASK;

/// floor(2^52 / (r_4 + 1)): the high half of its product with a top limb estimates the quotient
/// by r, never too high, and too low by less than 1.4 for values below 36 r.
const RECIPROCAL: u64 = (1 << 52) / (MODULUS[LIMBS - 1] + 1);

// The ranges above are for 11 layers: 1 + 2 * 11 = 23.
const _: () = assert!(MAX_LAYERS <= 11);
const _: () = assert!(LANES == crate::cpu::ifma::LANES);

/// Limbs of 64 bits cut into limbs of 52.
const fn split(limbs: &[u64; 4]) -> [u64; LIMBS] {
    [
        limbs[0] & MASK,
        (limbs[0] >> 52 | limbs[1] << 12) & MASK,
        (limbs[1] >> 40 | limbs[2] << 24) & MASK,
        (limbs[2] >> 28 | limbs[3] << 36) & MASK,
        limbs[3] >> 16,
    ]
}

/// a b / 2^260 mod r, as the ranges above say.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn mul(a: &Scalars, b: &Scalars) -> Scalars {
    crate::cpu::ifma::mul(a, b, &MODULUS, INVERSE)
}

/// A value below 36 r brought below 2.4 r, one below 4 r below 1.2 r; limbs become 52 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn reduced(a: Scalars) -> Scalars {
    let zero = _mm512_setzero_si512();
    let a = carried(a);
    let quotient = _mm512_madd52hi_epu64(zero, a[LIMBS - 1], _mm512_set1_epi64(RECIPROCAL as i64));
    let modulus = broadcast(&MODULUS);
    let mut multiple = [zero; LIMBS];
    for j in 0..LIMBS {
        multiple[j] = _mm512_madd52lo_epu64(multiple[j], quotient, modulus[j]);
        if j + 1 < LIMBS {
            multiple[j + 1] = _mm512_madd52hi_epu64(multiple[j + 1], quotient, modulus[j]);
        }
    }
    carried(sub(&a, &multiple))
}

/// (u, v) to (u + t v, u - t v + 2 r).
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn evaluate(u: &mut Vector, v: &mut Vector, twiddle: &Scalars) {
    let twice = broadcast(&TWICE);
    let (left, right) = (u.registers(), v.registers());
    let product = mul(twiddle, &carried(right));
    *u = Vector::of(add(&left, &product));
    *v = Vector::of(sub(&add(&left, &twice), &product));
}

/// (u, v), both below 2 r, to (u + v, t (u - v + 2 r)), both below 2 r.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn interpolate(u: &mut Vector, v: &mut Vector, twiddle: &Scalars) {
    let twice = broadcast(&TWICE);
    let (left, right) = (u.registers(), v.registers());
    *u = Vector::of(reduced(add(&left, &right)));
    let difference = carried(sub(&add(&left, &twice), &right));
    *v = Vector::of(mul(twiddle, &difference));
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn layers(
    octets: &mut [Vector],
    rows: &[[u64; LIMBS]],
    columns: &[[Fr; LANES]],
    direction: Direction,
) {
    let layers = octets.len().ilog2();
    for step in 0..layers {
        let layer = match direction {
            Direction::Evaluate => step,
            Direction::Interpolate => layers - 1 - step,
        };
        let h = 1 << layer;
        let column = columns.get(layer as usize).map(|column| {
            let mut limbs = Vector::default();
            for (lane, factor) in column.iter().enumerate() {
                let twiddle = Vector::twiddle(factor);
                (0..LIMBS).for_each(|limb| limbs.limbs_mut()[limb][lane] = twiddle[limb]);
            }
            limbs.registers()
        });
        for j in 0..h {
            let row = broadcast(&rows[h + j]);
            let twiddle = match &column {
                Some(column) => carried(mul(column, &row)),
                None => row,
            };
            for pair in octets.chunks_exact_mut(2 * h) {
                let (low, high) = pair.split_at_mut(h);
                match direction {
                    Direction::Evaluate => evaluate(&mut low[j], &mut high[j], &twiddle),
                    Direction::Interpolate => interpolate(&mut low[j], &mut high[j], &twiddle),
                }
            }
        }
    }
}

/// # Safety
///
/// As [`Octet::load`].
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn load(octets: &mut [Vector], at: *const Fr, row: usize, lane: usize) {
    let mask = _mm512_set1_epi64(MASK as i64);
    for (i, octet) in octets.iter_mut().enumerate() {
        let mut limbs = Lanes::<4>::default();
        for k in 0..LANES {
            // SAFETY: the caller's promise.
            let scalar = unsafe { &*at.add(i * row + k * lane) };
            for (limbs, limb) in limbs.limbs_mut().iter_mut().zip(scalar.limbs()) {
                limbs[k] = *limb;
            }
        }
        let l = limbs.registers();
        let join = |high: __m512i, low: __m512i| _mm512_and_si512(_mm512_or_si512(high, low), mask);
        *octet = Vector::of([
            _mm512_and_si512(l[0], mask),
            join(_mm512_srli_epi64::<52>(l[0]), _mm512_slli_epi64::<12>(l[1])),
            join(_mm512_srli_epi64::<40>(l[1]), _mm512_slli_epi64::<24>(l[2])),
            join(_mm512_srli_epi64::<28>(l[2]), _mm512_slli_epi64::<36>(l[3])),
            _mm512_srli_epi64::<16>(l[3]),
        ]);
    }
}

/// # Safety
///
/// As [`Octet::store`].
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn store(octets: &[Vector], at: *mut Fr, row: usize, lane: usize) {
    for (i, octet) in octets.iter().enumerate() {
        let x = sub_if_not_less(&reduced(octet.registers()), &MODULUS);
        let x = sub_if_not_less(&x, &MODULUS);
        let join = _mm512_or_si512;
        let limbs = Lanes::of([
            join(x[0], _mm512_slli_epi64::<52>(x[1])),
            join(_mm512_srli_epi64::<12>(x[1]), _mm512_slli_epi64::<40>(x[2])),
            join(_mm512_srli_epi64::<24>(x[2]), _mm512_slli_epi64::<28>(x[3])),
            join(_mm512_srli_epi64::<36>(x[3]), _mm512_slli_epi64::<16>(x[4])),
        ]);
        for k in 0..LANES {
            let l = limbs.limbs();
            let scalar = Fr::from_limbs([l[0][k], l[1][k], l[2][k], l[3][k]]);
            // SAFETY: the caller's promise.
            unsafe { *at.add(i * row + k * lane) = scalar };
        }
    }
}

impl Octet for Vector {
    type Twiddle = [u64; LIMBS];

    fn twiddle(factor: &Fr) -> [u64; LIMBS] {
        let shifted = (0..4).fold(*factor, |factor, _| factor.add(&factor));
        split(shifted.limbs())
    }

    unsafe fn load(octets: &mut [Self], at: *const Fr, row: usize, lane: usize) {
        // SAFETY: the caller's promise; octets of this kind are made only where `is_available`.
        unsafe { load(octets, at, row, lane) }
    }

    unsafe fn store(octets: &[Self], at: *mut Fr, row: usize, lane: usize) {
        // SAFETY: as in `load`.
        unsafe { store(octets, at, row, lane) }
    }

    fn layers(
        octets: &mut [Self],
        rows: &[[u64; LIMBS]],
        columns: &[[Fr; LANES]],
        direction: Direction,
    ) {
        // SAFETY: octets of this kind are made only where `is_available`.
        unsafe { layers(octets, rows, columns, direction) }
    }
}
