// SPDX-License-Identifier: MIT OR Apache-2.0
//! The coefficients of the quotient h = (a b - c) / Z from the evaluations of the rows.
//!
//! With Z = x^n - 1 and g = 7: a b mod (x^n - g^n) is h (g^n - 1) + c, since c has a degree below
//! n. So a b is interpolated from its values on the coset g <w>, and c from the rows; c is never
//! evaluated on the coset.
//!
//! Memory is what limits large circuits, so only a is ever held whole beside nothing else of its
//! size. b and c are taken in P parts of m = n / P rows, part j being the rows j, j + P, ...: they
//! give b~_j = b mod (x^m - z^j), where z = w^m. By the Chinese remainder theorem
//!
//! * b mod (x^m - (g w^k)^m) = sum_j mu_kj b~_j, mu_kj = (g^n - 1) / (P (g^m z^(k - j) - 1)),
//!   evaluated on g w^k <w^P>, gives b at every P-th point of the coset from k on;
//! * the t-th m coefficients of c are sum_j z^(-j t) c~_j / P.
//!
//! G of the b mod (x^m - (g w^k)^m) are made at once, each b~_j being interpolated P / G times.
//! That takes n + (G + 1) m scalars, P / G + 5 transforms of n, and n products for each part of b
//! and of c.

use ff::{Field, PrimeField};
use rayon::prelude::*;

use super::evaluate::EveryRow;
use super::fr::Fr;
use super::ntt;
use crate::backend::Cancel;
use crate::curve::Scalar;
use crate::timing::{timed, Timings};
use crate::{room, Error, ErrorKind, Result};

/// Elements that a thread takes at least.
const MIN_LEN: usize = 1 << 12;

/// How b and c are cut. With the sizes here a quotient takes 56 bytes a row of the domain
/// (48 for c) and seven transforms. Parts of 1/16 and 1/8 would take 38 bytes, and 13 transforms.
#[derive(Clone, Copy, Debug)]
struct Cut {
    /// Parts of b, a power of two.
    b: usize,
    /// Parts of the coset that b is evaluated on at once; divides the former.
    at_once: usize,
    /// Parts of c, a power of two.
    c: usize,
}

const CUT: Cut = Cut {
    b: 4,
    at_once: 2,
    c: 2,
};

/// The first n - 1 coefficients of h over the smallest domain of n = 2^k that holds `rows`.
///
/// `fill` writes the evaluations of matrix 0, 1 or 2 (A, B, C) at some of the rows. Takes 56 n
/// bytes at its peak.
pub fn quotient(
    rows: usize,
    fill: impl Fn(usize, EveryRow, &mut [Scalar]) -> Result<()>,
    cancel: &Cancel,
    timings: &mut Timings,
) -> Result<Vec<Scalar>> {
    quotient_in_parts(rows, CUT, fill, cancel, timings)
}

fn quotient_in_parts(
    rows: usize,
    cut: Cut,
    fill: impl Fn(usize, EveryRow, &mut [Scalar]) -> Result<()>,
    cancel: &Cancel,
    timings: &mut Timings,
) -> Result<Vec<Scalar>> {
    let n = rows.next_power_of_two();
    if n.ilog2() > ntt::MAX_LOG_N {
        return Err(Error::new(
            ErrorKind::InvalidAssignment,
            format!("{rows} rows, a domain holds 2^{} at most", ntt::MAX_LOG_N),
        ));
    }
    let coset = Scalar::MULTIPLICATIVE_GENERATOR;
    let root = ntt::root_of_unity(n.ilog2());
    let power = |base: Scalar, exponent: usize| base.pow_vartime([exponent as u64]);
    let size = Scalar::from(n as u64);
    let vanishing = power(coset, n) - Scalar::ONE;

    // Interpolation leaves a factor of its size: n in a and a b, m in b~ and c~.
    let scale_b = inverse(size.square() * size)?;
    let scale_c = inverse(size * vanishing)?;

    type Times<'a> = &'a mut Timings;
    let interpolated = |which, every: EveryRow, values: &mut [Scalar], timings: Times<'_>| {
        cancel.check()?;
        let count = every.count(rows);
        timed(&mut timings.constraint_evaluation, || {
            fill(which, every, &mut values[..count])
        })?;
        cancel.check()?;
        timed(&mut timings.ntt, || {
            values[count..].fill(Scalar::ZERO);
            ntt::interpolate(values, power(root, every.first))
        })
    };

    let mut h = zeros(n)?;
    interpolated(0, EveryRow::ALL, &mut h, timings)?;
    timed(&mut timings.ntt, || ntt::evaluate(&mut h, coset))?;

    let parts = cut.b.min(n);
    let m = n / parts;
    let at_once = cut.at_once.min(parts);
    let mut part = zeros(m)?;
    let mut sums = zeros(m * at_once)?;
    for first in (0..parts).step_by(at_once) {
        sums.fill(Scalar::ZERO);
        for j in 0..parts {
            let every = EveryRow {
                first: j,
                step: parts,
            };
            interpolated(1, every, &mut part, timings)?;
            for (k, sum) in (first..).zip(sums.chunks_exact_mut(m)) {
                let x = power(coset, m) * power(root, m * ((k + parts - j) % parts));
                let mu = Fr::new(&(inverse(x - Scalar::ONE)? * scale_b));
                timed(&mut timings.ntt, || {
                    combine(sum, &part, |sum, part| sum.add(&part.mul(&mu)));
                });
            }
        }
        timed(&mut timings.ntt, || {
            for (k, sum) in (first..).zip(sums.chunks_exact_mut(m)) {
                ntt::evaluate(sum, coset * power(root, k))?;
                let chunks = Fr::slice_mut(&mut h).par_chunks_exact_mut(parts);
                let pairs = chunks.with_min_len(MIN_LEN).zip(Fr::slice(sum));
                pairs.for_each(|(a, b)| a[k] = a[k].mul(b));
            }
            Result::Ok(())
        })?;
    }
    drop((part, sums));
    cancel.check()?;
    timed(&mut timings.ntt, || ntt::interpolate(&mut h, coset))?;

    // In bit-reversed order coefficient t m + i lies at P times i's place plus t reversed.
    let parts = cut.c.min(n);
    let m = n / parts;
    let mut part = zeros(m)?;
    let log_parts = parts.ilog2();
    for j in 0..parts {
        let every = EveryRow {
            first: j,
            step: parts,
        };
        interpolated(2, every, &mut part, timings)?;
        let factors: Vec<Fr> = (0..parts)
            .map(|place| {
                let t = place.reverse_bits().checked_shr(usize::BITS - log_parts);
                let exponent = j * t.unwrap_or(0) % parts;
                Fr::new(&(power(root, m * ((parts - exponent) % parts)) * scale_c))
            })
            .collect();
        let c = Fr::slice(&part);
        let chunks = Fr::slice_mut(&mut h).par_chunks_exact_mut(parts);
        let pairs = chunks.with_min_len(MIN_LEN).zip(c);
        timed(&mut timings.ntt, || {
            pairs.for_each(|(h, c)| {
                for (h, factor) in h.iter_mut().zip(&factors) {
                    *h = h.sub(&c.mul(factor));
                }
            });
        });
    }
    drop(part);
    cancel.check()?;
    timed(&mut timings.ntt, || ntt::bit_reverse(&mut h));
    h.truncate(n - 1);
    Ok(h)
}

fn inverse(value: Scalar) -> Result<Scalar> {
    Option::from(value.invert())
        .ok_or_else(|| Error::new(ErrorKind::Internal, "the coset meets the domain"))
}

fn zeros(n: usize) -> Result<Vec<Scalar>> {
    room::filled("a transform", n, Scalar::ZERO)
}

fn combine(left: &mut [Scalar], right: &[Scalar], f: impl Fn(&Fr, &Fr) -> Fr + Sync) {
    Fr::slice_mut(left)
        .par_iter_mut()
        .with_min_len(MIN_LEN)
        .zip(Fr::slice(right))
        .for_each(|(left, right)| *left = f(left, right));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::testing;

    /// The polynomial of least degree with these values at 1, w, w^2, ..., at a point.
    fn interpolated(values: &[Scalar], point: Scalar) -> Scalar {
        let log_n = values.len().ilog2();
        let root = ntt::root_of_unity(log_n);
        let n = Scalar::from(values.len() as u64);
        let vanishing = point.pow_vartime([values.len() as u64]) - Scalar::ONE;
        let mut node = Scalar::ONE;
        let mut sum = Scalar::ZERO;
        for value in values {
            sum += *value * node * ((point - node) * n).invert().unwrap();
            node *= root;
        }
        sum * vanishing
    }

    #[test]
    fn the_quotient_times_z_is_a_b_minus_c() {
        let mut random = testing::rng();
        for rows in [1usize, 2, 3, 4, 5, 31, 32, 33, 255, 257] {
            let n = rows.next_power_of_two();
            let mut columns: [Vec<Scalar>; 3] = Default::default();
            for _ in 0..rows {
                let (a, b) = (Scalar::random(&mut random), Scalar::random(&mut random));
                columns[0].push(a);
                columns[1].push(b);
                columns[2].push(a * b);
            }
            let fill = |which: usize, every: EveryRow, out: &mut [Scalar]| {
                let rows = columns[which].iter().skip(every.first).step_by(every.step);
                out.iter_mut().zip(rows).for_each(|(out, row)| *out = *row);
                Ok(())
            };
            let in_parts = |b, at_once, c| {
                let cut = Cut { b, at_once, c };
                let (cancel, mut timings) = (Cancel::default(), Timings::default());
                quotient_in_parts(rows, cut, fill, &cancel, &mut timings).unwrap()
            };
            let h = in_parts(1, 1, 1);
            assert_eq!(h.len(), n - 1);
            for (b, at_once, c) in [(2, 1, 2), (4, 4, 1), (4, 2, 8), (16, 2, 8), (32, 1, 4)] {
                assert_eq!(
                    in_parts(b, at_once, c),
                    h,
                    "{rows} rows in {b}/{at_once}/{c}"
                );
            }
            let point = Scalar::random(&mut random);
            let [a, b, c] = columns.each_mut().map(|column| {
                column.resize(n, Scalar::ZERO);
                interpolated(column, point)
            });
            let at_point = h.iter().rev().fold(Scalar::ZERO, |sum, c| sum * point + c);
            let vanishing = point.pow_vartime([n as u64]) - Scalar::ONE;
            assert_eq!(at_point * vanishing, a * b - c, "{rows} rows");
        }
    }

    #[test]
    fn cancelled_work_ends() {
        let cancel = Cancel::default();
        cancel.cancel();
        let result = quotient(4, |_, _, _| Ok(()), &cancel, &mut Timings::default());
        assert_eq!(result.unwrap_err().kind(), ErrorKind::Cancelled);
    }
}
