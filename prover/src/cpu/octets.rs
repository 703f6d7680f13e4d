// SPDX-License-Identifier: MIT OR Apache-2.0
//! Batches of affine additions in G1, eight at a time.
//!
//! The same formulas and cases as one by one, in `affine`: each lane carries its own chain of
//! partial products, and one inversion serves the eight chains together.
//!
//! A coordinate is eight limbs of 52 bits. It stays in Montgomery form with R = 2^384 although a
//! reduction here divides by 2^416: one factor of each product is first shifted up by 32 bits.
//! For factors below A p and B p a product is below (1 + 0.102 A B) p, so below 2 p when A B <= 9;
//! A is 4 at most, or the shifted factor would be too long.

// Compiled only where the compiler has these intrinsics (build.rs), whatever rust-version says.
#![allow(clippy::incompatible_msrv)]

use std::arch::x86_64::{
    _mm512_and_si512, _mm512_cmpeq_epi64_mask, _mm512_or_si512, _mm512_set1_epi64,
    _mm512_setzero_si512, _mm512_slli_epi64, _mm512_srli_epi64,
};

use super::affine::Affine;
use super::field::{BaseField, Fp};
use super::ifma::{
    add, broadcast, carried, mul, select, sub, sub_if_not_less, Lanes, Registers, LANES, MASK,
};
use crate::{room, Result};

const LIMBS: usize = 8;

type Coordinate = Registers<LIMBS>;

/// p in limbs of 52 bits.
const MODULUS: [u64; LIMBS] = split(&Fp::MODULUS);

/// 2 p, likewise but with limbs of 53 bits.
const TWICE: [u64; LIMBS] = {
    let mut twice = MODULUS;
    let mut i = 0;
    while i < LIMBS {
        twice[i] *= 2;
        i += 1;
    }
    twice
};

/// One in Montgomery form.
const ONE: [u64; LIMBS] = split(&Fp::ONE);

/// -1/p mod 2^52.
const INVERSE: u64 = {
    // Newton's iteration doubles the number of right bits: 1, 2, 4, ..., 64.
    let mut inverse = 1u64;
    let mut i = 0;
    while i < 6 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(Fp::MODULUS[0].wrapping_mul(inverse)));
        i += 1;
    }
    inverse.wrapping_neg() & MASK
};

/// Limbs of 64 bits cut into limbs of 52.
const fn split(l: &[u64; 6]) -> [u64; LIMBS] {
    [
        l[0] & MASK,
        (l[0] >> 52 | l[1] << 12) & MASK,
        (l[1] >> 40 | l[2] << 24) & MASK,
        (l[2] >> 28 | l[3] << 36) & MASK,
        (l[3] >> 16 | l[4] << 48) & MASK,
        l[4] >> 4 & MASK,
        (l[4] >> 56 | l[5] << 8) & MASK,
        l[5] >> 44,
    ]
}

/// Eight additions between the two passes over a batch.
#[derive(Clone, Copy, Debug, Default)]
struct Octet {
    left: [Lanes<LIMBS>; 2],
    right: [Lanes<LIMBS>; 2],
    denominator: Lanes<LIMBS>,
    prefix: Lanes<LIMBS>,
    cases: Cases,
}

/// Which lanes are special.
#[derive(Clone, Copy, Debug, Default)]
struct Cases {
    /// The sum is the left point.
    keep: u8,
    /// The sum is the right point.
    take: u8,
    /// The sum is infinity.
    vanish: u8,
    /// The points are equal.
    tangent: u8,
}

/// Room for a batch; kept between batches.
#[derive(Default)]
pub struct Octets(Vec<Octet>);

impl Octets {
    /// Room for batches of up to `n` additions.
    pub fn for_batches_of(n: usize) -> Result<Self> {
        let octets = match super::ifma::is_available() {
            true => n / LANES,
            false => 0,
        };
        room::filled("a batch of additions", octets, Octet::default()).map(Self)
    }

    /// Adds `addends[k]` to `sums[k]`, for as many k as are whole octets; returns how many.
    pub fn add(&mut self, sums: &mut [Affine<Fp>], addends: &[Affine<Fp>]) -> usize {
        let octets = sums.len().min(addends.len()) / LANES;
        if octets == 0 || !super::ifma::is_available() {
            return 0;
        }
        self.0.resize(octets.max(self.0.len()), Octet::default());
        let n = octets * LANES;
        // SAFETY: the processor has the instructions.
        unsafe { add_octets(&mut sums[..n], &addends[..n], &mut self.0[..octets]) };
        n
    }
}

/// a b / 2^384 mod p; limbs of both are 52 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn product(a: &Coordinate, b: &Coordinate) -> Coordinate {
    carried(mul(&shifted(a), b, &MODULUS, INVERSE))
}

/// 2^32 a; limbs stay 52 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn shifted(a: &Coordinate) -> Coordinate {
    let mask = _mm512_set1_epi64(MASK as i64);
    let mut out = *a;
    out[0] = _mm512_and_si512(_mm512_slli_epi64::<32>(a[0]), mask);
    for i in 1..LIMBS {
        let high = _mm512_and_si512(_mm512_slli_epi64::<32>(a[i]), mask);
        out[i] = _mm512_or_si512(high, _mm512_srli_epi64::<20>(a[i - 1]));
    }
    out
}

/// a - b + p, for b of at most p.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn difference(a: &Coordinate, b: &Coordinate) -> Coordinate {
    carried(sub(&add(a, &broadcast(&MODULUS)), b))
}

/// A value below 4 p brought below p.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn canonical(a: Coordinate) -> Coordinate {
    sub_if_not_less(&sub_if_not_less(&carried(a), &TWICE), &MODULUS)
}

/// The lanes where all limbs of a and b are equal.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn equal(a: &Coordinate, b: &Coordinate) -> u8 {
    let mut mask = u8::MAX;
    for i in 0..LIMBS {
        mask &= _mm512_cmpeq_epi64_mask(a[i], b[i]);
    }
    mask
}

/// The x and y of eight points.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn load_points(points: &[Affine<Fp>]) -> (Coordinate, Coordinate) {
    let (mut x, mut y) = (Lanes::<6>::default(), Lanes::<6>::default());
    let (limbs_x, limbs_y) = (x.limbs_mut(), y.limbs_mut());
    for (lane, point) in points.iter().enumerate().take(LANES) {
        for i in 0..6 {
            limbs_x[i][lane] = point.x.limbs()[i];
            limbs_y[i][lane] = point.y.limbs()[i];
        }
    }
    (load(&x), load(&y))
}

/// Cuts limbs of 64 bits into limbs of 52.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn load(limbs: &Lanes<6>) -> Coordinate {
    let l = limbs.registers();
    let mask = _mm512_set1_epi64(MASK as i64);
    let join = |low, high| _mm512_and_si512(_mm512_or_si512(low, high), mask);
    [
        _mm512_and_si512(l[0], mask),
        join(_mm512_srli_epi64::<52>(l[0]), _mm512_slli_epi64::<12>(l[1])),
        join(_mm512_srli_epi64::<40>(l[1]), _mm512_slli_epi64::<24>(l[2])),
        join(_mm512_srli_epi64::<28>(l[2]), _mm512_slli_epi64::<36>(l[3])),
        join(_mm512_srli_epi64::<16>(l[3]), _mm512_slli_epi64::<48>(l[4])),
        _mm512_and_si512(_mm512_srli_epi64::<4>(l[4]), mask),
        join(_mm512_srli_epi64::<56>(l[4]), _mm512_slli_epi64::<8>(l[5])),
        _mm512_srli_epi64::<44>(l[5]),
    ]
}

/// Joins limbs of 52 bits to limbs of 64.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn store(x: &Coordinate) -> Lanes<6> {
    let join = _mm512_or_si512;
    Lanes::of([
        join(x[0], _mm512_slli_epi64::<52>(x[1])),
        join(_mm512_srli_epi64::<12>(x[1]), _mm512_slli_epi64::<40>(x[2])),
        join(_mm512_srli_epi64::<24>(x[2]), _mm512_slli_epi64::<28>(x[3])),
        join(_mm512_srli_epi64::<36>(x[3]), _mm512_slli_epi64::<16>(x[4])),
        join(
            _mm512_srli_epi64::<48>(x[4]),
            join(_mm512_slli_epi64::<4>(x[5]), _mm512_slli_epi64::<56>(x[6])),
        ),
        join(_mm512_srli_epi64::<8>(x[6]), _mm512_slli_epi64::<44>(x[7])),
    ])
}

/// One lane as a field element; the values must be canonical.
#[inline(always)]
fn lane(limbs: &Lanes<6>, lane: usize) -> Fp {
    let l = limbs.limbs();
    Fp::from_limbs([
        l[0][lane], l[1][lane], l[2][lane], l[3][lane], l[4][lane], l[5][lane],
    ])
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn add_octets(sums: &mut [Affine<Fp>], addends: &[Affine<Fp>], octets: &mut [Octet]) {
    let one = broadcast(&ONE);
    let zero = [_mm512_setzero_si512(); LIMBS];
    let mut chain = one;
    let pairs = sums.chunks_exact(LANES).zip(addends.chunks_exact(LANES));
    for ((left, right), octet) in pairs.zip(octets.iter_mut()) {
        let (x_1, y_1) = load_points(left);
        let (x_2, y_2) = load_points(right);
        let mut denominator = difference(&x_2, &x_1);
        let take = equal(&x_1, &zero) & equal(&y_1, &zero);
        let keep = equal(&x_2, &zero) & equal(&y_2, &zero) & !take;
        let same_x = equal(&x_1, &x_2) & !take & !keep;
        let mut cases = Cases {
            take,
            keep,
            ..Default::default()
        };
        if same_x != 0 {
            cases.tangent = same_x & equal(&y_1, &y_2) & !equal(&y_1, &zero);
            cases.vanish = same_x & !cases.tangent;
            denominator = select(cases.tangent, &carried(add(&y_1, &y_1)), &denominator);
        }
        let none = take | keep | cases.vanish;
        if none != 0 {
            denominator = select(none, &one, &denominator);
        }
        octet.left = [Lanes::of(x_1), Lanes::of(y_1)];
        octet.right = [Lanes::of(x_2), Lanes::of(y_2)];
        octet.denominator = Lanes::of(denominator);
        octet.prefix = Lanes::of(chain);
        octet.cases = cases;
        chain = product(&denominator, &chain);
    }

    // The inverse of each lane's product of the first k denominators, k falling.
    let mut inverse = inverses(&chain);
    for (sums, octet) in sums.chunks_exact_mut(LANES).zip(octets).rev() {
        let (x_1, y_1) = (octet.left[0].registers(), octet.left[1].registers());
        let (x_2, y_2) = (octet.right[0].registers(), octet.right[1].registers());
        let cases = octet.cases;
        let mut numerator = difference(&y_2, &y_1);
        if cases.tangent != 0 {
            let square = product(&x_1, &x_1);
            let three = canonical(add(&add(&square, &square), &square));
            numerator = select(cases.tangent, &three, &numerator);
        }
        let inverse_shifted = shifted(&inverse);
        let own = mul(
            &inverse_shifted,
            &octet.prefix.registers(),
            &MODULUS,
            INVERSE,
        );
        let denominator = octet.denominator.registers();
        inverse = carried(mul(&inverse_shifted, &denominator, &MODULUS, INVERSE));
        let slope = product(&numerator, &carried(own));
        let slope_shifted = shifted(&slope);
        let square = mul(&slope_shifted, &slope, &MODULUS, INVERSE);
        let twice = broadcast(&TWICE);
        let mut x = canonical(sub(&sub(&add(&square, &twice), &x_1), &x_2));
        let rise = mul(&slope_shifted, &difference(&x_1, &x), &MODULUS, INVERSE);
        let mut y = canonical(sub(&add(&rise, &broadcast(&MODULUS)), &y_1));
        if cases.keep | cases.take | cases.vanish != 0 {
            x = select(cases.keep, &x_1, &select(cases.take, &x_2, &x));
            y = select(cases.keep, &y_1, &select(cases.take, &y_2, &y));
            x = select(cases.vanish, &zero, &x);
            y = select(cases.vanish, &zero, &y);
        }
        let (x, y) = (store(&x), store(&y));
        for (k, sum) in sums.iter_mut().enumerate() {
            *sum = Affine {
                x: lane(&x, k),
                y: lane(&y, k),
            };
        }
    }
}

/// The inverses of the lanes, with one inversion.
#[target_feature(enable = "avx512f,avx512ifma")]
fn inverses(chain: &Coordinate) -> Coordinate {
    let values = store(&canonical(*chain));
    let mut prefix = [Fp::one(); LANES];
    let mut product = Fp::one();
    for (k, prefix) in prefix.iter_mut().enumerate() {
        *prefix = product;
        product = product.mul(&lane(&values, k));
    }
    let mut inverse = product.inverse();
    let mut result = Lanes::<6>::default();
    for k in (0..LANES).rev() {
        let own = inverse.mul(&prefix[k]);
        for (limbs, limb) in result.limbs_mut().iter_mut().zip(own.limbs()) {
            limbs[k] = *limb;
        }
        inverse = inverse.mul(&lane(&values, k));
    }
    load(&result)
}
