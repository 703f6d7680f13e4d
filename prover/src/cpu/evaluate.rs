// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rows of a compiled circuit for a witness, straight from its packed form.
//!
//! No vector of one scalar a variable is made. A term of a variable that is a bit costs at most
//! an addition of its coefficient; coefficients one and minus one of bits are counted and enter
//! a row once. Only a full value with another coefficient costs a product.

use blstrs::Scalar;
use ff::Field;
use rayon::prelude::*;

use crate::backend::AuxAssignment;
use crate::circuit::{
    AuxValue, CompactAux, CompiledCircuit, RowVisitor, BLOCK_ROWS, COEFFICIENT_MINUS_ONE,
    COEFFICIENT_ONE,
};
use crate::{Error, ErrorKind, Result};

/// Blocks of rows that a worker takes at a time, at least.
const BLOCKS_PER_TASK: usize = 64;

/// Rows `first`, `first + step`, `first + 2 step`, ...; `step` is a power of two, 64 at most, and
/// `first` is below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EveryRow {
    /// The first row.
    pub first: usize,
    /// The distance of rows.
    pub step: usize,
}

impl EveryRow {
    /// All rows.
    pub const ALL: Self = Self { first: 0, step: 1 };

    /// How many such rows there are among `rows`.
    pub fn count(&self, rows: usize) -> usize {
        rows.saturating_sub(self.first).div_ceil(self.step)
    }

    /// The same rows, counted from row `start`.
    fn counted_from(&self, start: usize) -> Self {
        let Self { first, step } = *self;
        Self {
            first: (first + step - start % step) % step,
            step,
        }
    }

    fn contains(&self, row: usize) -> bool {
        row & (self.step - 1) == self.first
    }
}

/// Evaluates matrix `which` (A, B, C) of a circuit for an assignment, one scalar a row into `out`.
///
/// # Errors
///
/// `InvalidAssignment` when the assignment does not fit the circuit; `InvalidArgument` when `out`
/// is not as long as the circuit has rows, or there is no such matrix.
pub fn evaluate_rows(
    circuit: &CompiledCircuit,
    which: usize,
    input: &[Scalar],
    aux: AuxAssignment<'_>,
    out: &mut [Scalar],
) -> Result<()> {
    evaluate_every(circuit, which, EveryRow::ALL, input, aux, out)
}

/// As [`evaluate_rows`] for some of the rows, which `out` has room for.
///
/// # Errors
///
/// As there, and `InvalidArgument` for a step that is not allowed.
pub fn evaluate_every(
    circuit: &CompiledCircuit,
    which: usize,
    every: EveryRow,
    input: &[Scalar],
    aux: AuxAssignment<'_>,
    out: &mut [Scalar],
) -> Result<()> {
    circuit.check_witness(input, aux.len())?;
    let invalid = |message| Error::new(ErrorKind::InvalidArgument, message);
    if which >= 3 {
        return Err(invalid(format!("matrix {which} of 3")));
    }
    let EveryRow { first, step } = every;
    if !step.is_power_of_two() || step > BLOCK_ROWS || first >= step {
        return Err(invalid(format!("rows from {first} in steps of {step}")));
    }
    let rows = every.count(circuit.shape().rows);
    if out.len() != rows {
        return Err(invalid(format!(
            "room for {} rows, the circuit has {rows}",
            out.len()
        )));
    }
    match aux {
        AuxAssignment::Scalars(aux) => evaluate(circuit, which, every, input, aux, out),
        AuxAssignment::Compact(aux) => evaluate(circuit, which, every, input, aux, out),
    }
    Ok(())
}

/// Where a term's auxiliary value comes from.
trait AuxValues: Sync {
    fn value(&self, i: usize) -> AuxValue;
}

impl AuxValues for [Scalar] {
    #[inline]
    fn value(&self, i: usize) -> AuxValue {
        AuxValue::Full(self[i])
    }
}

impl AuxValues for CompactAux {
    #[inline]
    fn value(&self, i: usize) -> AuxValue {
        if self.full().get(i) {
            AuxValue::Full(self.values()[self.full().rank(i)])
        } else {
            AuxValue::Bit(self.ones().get(i))
        }
    }
}

fn evaluate(
    circuit: &CompiledCircuit,
    which: usize,
    every: EveryRow,
    input: &[Scalar],
    aux: &(impl AuxValues + ?Sized),
    out: &mut [Scalar],
) {
    let mut parts = Vec::new();
    let mut left = out;
    for piece in circuit.pieces() {
        for copy in 0..piece.copies() {
            let every = every.counted_from(piece.first_row(copy));
            let (out, rest) = left.split_at_mut(every.count(piece.rows()));
            left = rest;
            parts.push((&piece.matrices()[which], piece.shift(copy), every, out));
        }
    }
    parts.into_par_iter().for_each(|(rows, shift, every, out)| {
        out.par_chunks_mut(BLOCK_ROWS / every.step)
            .enumerate()
            .with_min_len(BLOCKS_PER_TASK)
            .for_each(|(block, out)| {
                let mut sums = RowSums {
                    coefficients: circuit.coefficients(),
                    input,
                    aux,
                    out: out.iter_mut(),
                    every,
                    sum: Scalar::ZERO,
                    units: 0,
                };
                rows.visit(block, shift, &mut sums);
            });
    });
}

/// Sums the terms of the current row; `units` counts the ones among them.
struct RowSums<'a, V: ?Sized> {
    coefficients: &'a [Scalar],
    input: &'a [Scalar],
    aux: &'a V,
    out: std::slice::IterMut<'a, Scalar>,
    every: EveryRow,
    sum: Scalar,
    units: i64,
}

impl<V: AuxValues + ?Sized> RowVisitor for RowSums<'_, V> {
    #[inline(always)]
    fn wants(&self, row: usize) -> bool {
        self.every.contains(row)
    }

    #[inline(always)]
    fn term(&mut self, column: u32, coefficient: u32) {
        let column = column as usize;
        let value = match column.checked_sub(self.input.len()) {
            Some(aux) => self.aux.value(aux),
            None if column == 0 => AuxValue::Bit(true),
            None => AuxValue::Full(self.input[column]),
        };
        match (value, coefficient) {
            (AuxValue::Bit(false), _) => {}
            (AuxValue::Bit(true), COEFFICIENT_ONE) => self.units += 1,
            (AuxValue::Bit(true), COEFFICIENT_MINUS_ONE) => self.units -= 1,
            (AuxValue::Bit(true), other) => self.sum += self.coefficients[other as usize],
            (AuxValue::Full(value), COEFFICIENT_ONE) => self.sum += value,
            (AuxValue::Full(value), COEFFICIENT_MINUS_ONE) => self.sum -= value,
            (AuxValue::Full(value), other) => {
                self.sum += value * self.coefficients[other as usize];
            }
        }
    }

    #[inline(always)]
    fn end_row(&mut self, _: usize) {
        match self.units {
            0 => {}
            1 => self.sum += Scalar::ONE,
            units if units > 0 => self.sum += Scalar::from(units as u64),
            units => self.sum -= Scalar::from(units.unsigned_abs()),
        }
        if let Some(out) = self.out.next() {
            *out = self.sum;
        }
        self.sum = Scalar::ZERO;
        self.units = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::repeat_tests::{repeated, repeating};
    use crate::circuit::testing::{RandomCircuit, TestRng};
    use crate::circuit::{synthesize, Witness};

    fn check_equal(circuit: RandomCircuit) {
        let compiled = CompiledCircuit::record(circuit.clone()).unwrap();
        check_rows(&compiled, synthesize(circuit).unwrap());
    }

    fn check_rows(compiled: &CompiledCircuit, Witness { input, aux }: Witness) {
        let scalars: Vec<Scalar> = (0..aux.len()).map(|i| aux.get(i)).collect();
        let witness = Witness {
            input: input.clone(),
            aux: aux.clone(),
        };
        let slow = compiled.evaluate(&witness).unwrap();
        for (which, slow) in slow.iter().enumerate() {
            for aux in [
                AuxAssignment::Compact(&aux),
                AuxAssignment::Scalars(&scalars),
            ] {
                let mut fast = vec![Scalar::from(7); slow.len()];
                evaluate_rows(compiled, which, &input, aux, &mut fast).unwrap();
                assert!(fast == *slow, "matrix {which}");
                for (first, step) in [(0, 2), (1, 2), (3, 4), (63, 64)] {
                    let every = EveryRow { first, step };
                    let mut fast = vec![Scalar::from(7); every.count(slow.len())];
                    evaluate_every(compiled, which, every, &input, aux, &mut fast).unwrap();
                    let slow = slow.iter().skip(first).step_by(step);
                    assert!(fast.iter().eq(slow), "matrix {which}, {every:?}");
                }
            }
        }
    }

    #[test]
    fn rows_equal_the_slow_evaluation() {
        let rng = TestRng::from_environment();
        for rows in [0, 1, 2, 63, 64, 65, 1000, 10_000] {
            for (inputs, aux) in [(1, 0), (1, 1), (5, 300), (70, 5000)] {
                check_equal(RandomCircuit {
                    rng: rng.clone(),
                    inputs,
                    aux,
                    rows,
                    terms: 6,
                    long_row: 900,
                });
            }
        }
    }

    #[test]
    fn rows_of_a_repeated_block_equal_the_slow_evaluation() {
        let rng = TestRng::from_environment();
        for sizes in [[[1, 0, 0], [1, 3, 1]], [[4, 30, 63], [2, 300, 257]]] {
            for copies in [1, 2, 5] {
                let circuit = repeating(&rng, sizes, 6, copies);
                let compiled = repeated(&circuit).unwrap();
                check_rows(&compiled, synthesize(circuit).unwrap());
            }
        }
    }

    #[test]
    fn wide_blocks_equal_the_slow_evaluation() {
        check_equal(RandomCircuit {
            rng: TestRng::from_environment(),
            inputs: 3,
            aux: 400_000,
            rows: 70,
            terms: 400,
            long_row: 300,
        });
    }

    #[test]
    fn arguments_that_do_not_fit_are_refused_with_the_numbers() {
        let circuit = RandomCircuit {
            rng: TestRng::from_environment(),
            inputs: 2,
            aux: 3,
            rows: 4,
            terms: 3,
            long_row: 3,
        };
        let compiled = CompiledCircuit::record(circuit.clone()).unwrap();
        let Witness { input, aux } = synthesize(circuit).unwrap();
        let refusal = |which, input: &[Scalar], rows: usize| {
            let aux = AuxAssignment::Compact(&aux);
            let mut out = vec![Scalar::ZERO; rows];
            evaluate_rows(&compiled, which, input, aux, &mut out)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(refusal(3, &input, 6), "matrix 3 of 3");
        for (first, step) in [(0, 0), (0, 3), (2, 2), (0, 128)] {
            let aux = AuxAssignment::Compact(&aux);
            let every = EveryRow { first, step };
            let error = evaluate_every(&compiled, 0, every, &input, aux, &mut []).unwrap_err();
            assert_eq!(
                error.message(),
                format!("rows from {first} in steps of {step}")
            );
        }
        assert_eq!(refusal(0, &input, 5), "room for 5 rows, the circuit has 6");
        assert_eq!(
            refusal(0, &input[..1], 6),
            "the assignment has 1 inputs, the circuit 2"
        );
    }
}
