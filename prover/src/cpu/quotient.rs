// SPDX-License-Identifier: MIT OR Apache-2.0
//! The coefficients of the quotient h = (a b - c) / Z from the evaluations of the rows.
//!
//! a, b and c are interpolated over the domain and evaluated on the coset 7 <w>, where
//! Z = x^n - 1 is the constant 7^n - 1; the quotient is interpolated from there. At most two of
//! the three vectors exist at a time.

use ff::{Field, PrimeField};
use rayon::prelude::*;

use super::fr::Fr;
use super::ntt;
use crate::backend::Cancel;
use crate::curve::Scalar;
use crate::timing::{timed, Timings};
use crate::{Error, ErrorKind, Result};

/// Elements that a thread takes at least.
const MIN_LEN: usize = 1 << 12;

/// The first n - 1 coefficients of h over the smallest domain of n = 2^k that holds `rows`.
///
/// `fill` writes the evaluations of matrix 0, 1 or 2 (A, B, C) into a slice of `rows` scalars.
/// Takes 64 n bytes at its peak.
pub fn quotient(
    rows: usize,
    fill: impl Fn(usize, &mut [Scalar]) -> Result<()>,
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
    let size = Scalar::from(n as u64);
    let vanishing = coset.pow_vartime([n as u64]) - Scalar::ONE;
    // Interpolation leaves a factor n: one in each of a, b and c, one in the last step.
    let scale = inverse(size.square() * size * vanishing)?;
    let scale_c = scale * size;

    let mut on_coset = |which| -> Result<Vec<Scalar>> {
        cancel.check()?;
        let mut values = zeros(n)?;
        timed(&mut timings.constraint_evaluation, || {
            fill(which, &mut values[..rows])
        })?;
        cancel.check()?;
        timed(&mut timings.ntt, || {
            ntt::interpolate(&mut values, Scalar::ONE);
            ntt::evaluate(&mut values, coset);
        });
        Ok(values)
    };
    let mut h = on_coset(0)?;
    let b = on_coset(1)?;
    combine(&mut h, &b, |h, b| h.mul(b));
    drop(b);
    let c = on_coset(2)?;
    let (scale, scale_c) = (Fr::new(&scale), Fr::new(&scale_c));
    combine(&mut h, &c, |ab, c| ab.mul(&scale).sub(&c.mul(&scale_c)));
    drop(c);
    cancel.check()?;
    timed(&mut timings.ntt, || {
        ntt::interpolate(&mut h, coset);
        ntt::bit_reverse(&mut h);
    });
    h.truncate(n - 1);
    Ok(h)
}

fn inverse(value: Scalar) -> Result<Scalar> {
    Option::from(value.invert())
        .ok_or_else(|| Error::new(ErrorKind::Internal, "the coset meets the domain"))
}

fn zeros(n: usize) -> Result<Vec<Scalar>> {
    let mut values = Vec::new();
    values.try_reserve_exact(n).map_err(|_| {
        Error::new(
            ErrorKind::OutOfMemory,
            format!(
                "{} bytes for a transform of {n} scalars",
                n * size_of::<Scalar>()
            ),
        )
    })?;
    values.resize(n, Scalar::ZERO);
    Ok(values)
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
            let fill = |which: usize, out: &mut [Scalar]| {
                out.copy_from_slice(&columns[which]);
                Ok(())
            };
            let h = quotient(rows, fill, &Cancel::default(), &mut Timings::default()).unwrap();
            assert_eq!(h.len(), n - 1);
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
        let result = quotient(4, |_, _| Ok(()), &cancel, &mut Timings::default());
        assert_eq!(result.unwrap_err().kind(), ErrorKind::Cancelled);
    }
}
