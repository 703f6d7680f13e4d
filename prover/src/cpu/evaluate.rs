// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rows of a compiled circuit for a witness, straight from its packed form.
//!
//! No vector of one scalar a variable is made. Coefficients one and minus one of bits are counted
//! and enter a row once. Other coefficients of bits are added with the bit as a mask, without a
//! jump that half of the bits would take, and the sum is reduced once a row. Only a full value with
//! another coefficient costs a product.

use blstrs::Scalar;
use rayon::prelude::*;

use super::fr::{negate_integer, Fr};

use crate::backend::AuxAssignment;
use crate::circuit::{
    CompactAux, CompiledCircuit, RowVisitor, BLOCK_ROWS, COEFFICIENT_MINUS_ONE, COEFFICIENT_ONE,
};
use crate::{room, Error, ErrorKind, Result};

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
        AuxAssignment::Scalars(aux) => {
            evaluate(circuit, which, every, input, &Fr::slice(aux), out);
        }
        AuxAssignment::Compact(aux) => {
            evaluate(circuit, which, every, input, &CompactValues::new(aux)?, out);
        }
    }
    Ok(())
}

/// The value of a variable.
enum Value<'a> {
    /// Zero or one.
    Bit(u64),
    Full(&'a Fr),
}

/// Where a term's auxiliary value comes from.
trait AuxValues: Sync {
    fn value(&self, i: usize) -> Value<'_>;
}

impl AuxValues for &[Fr] {
    #[inline(always)]
    fn value(&self, i: usize) -> Value<'_> {
        Value::Full(&self[i])
    }
}

/// A compact assignment with a rank for every word: without a processor's own count of ones, those
/// of eight words would cost more than a product.
struct CompactValues<'a> {
    ones: &'a [u64],
    full: &'a [u64],
    ranks: Vec<u32>,
    values: &'a [Fr],
}

impl<'a> CompactValues<'a> {
    fn new(aux: &'a CompactAux) -> Result<Self> {
        let full = aux.full().words();
        let rank = |ones: &mut u32, word: &u64| {
            let before = *ones;
            *ones += word.count_ones();
            Some(before)
        };
        Ok(Self {
            ones: aux.ones().words(),
            full,
            ranks: room::collected(
                "the ranks of the witness",
                full.len(),
                full.iter().scan(0, rank),
            )?,
            values: Fr::slice(aux.values()),
        })
    }
}

impl AuxValues for CompactValues<'_> {
    #[inline(always)]
    fn value(&self, i: usize) -> Value<'_> {
        let (word, bit) = (i / 64, i % 64);
        let full = self.full[word];
        if full >> bit & 1 == 0 {
            return Value::Bit(self.ones[word] >> bit & 1);
        }
        let before = (full & ((1 << bit) - 1)).count_ones();
        Value::Full(&self.values[(self.ranks[word] + before) as usize])
    }
}

fn evaluate(
    circuit: &CompiledCircuit,
    which: usize,
    every: EveryRow,
    input: &[Scalar],
    aux: &impl AuxValues,
    out: &mut [Scalar],
) {
    let units = Units::new();
    let mut parts = Vec::new();
    let mut left = Fr::slice_mut(out);
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
                    coefficients: Fr::slice(circuit.coefficients()),
                    input: Fr::slice(input),
                    aux,
                    out: out.iter_mut(),
                    every,
                    sum: Sum::default(),
                    units: 0,
                    of_units: &units,
                };
                rows.visit(block, shift, &mut sums);
            });
    });
}

/// The integers of at most so many are looked up.
const MOST_UNITS: i64 = 64;

/// Small integers as scalars.
struct Units([Fr; 2 * MOST_UNITS as usize + 1]);

impl Units {
    fn new() -> Self {
        let mut units = [Fr::default(); 2 * MOST_UNITS as usize + 1];
        for (unit, n) in units.iter_mut().zip(-MOST_UNITS..) {
            *unit = Self::convert(n);
        }
        Self(units)
    }

    fn convert(n: i64) -> Fr {
        let absolute = Scalar::from(n.unsigned_abs());
        Fr::new(&if n < 0 { -absolute } else { absolute })
    }

    #[inline(always)]
    fn get(&self, n: i64) -> Fr {
        let known = usize::try_from(n + MOST_UNITS)
            .ok()
            .and_then(|at| self.0.get(at));
        known.copied().unwrap_or_else(|| Self::convert(n))
    }
}

/// A sum of scalars that is not reduced: four limbs, and how often they overflowed.
#[derive(Clone, Copy, Default)]
struct Sum([u64; 5]);

impl Sum {
    /// Adds those bits of a value of at most r that are set in the mask.
    #[inline(always)]
    fn add(&mut self, value: &[u64; 4], mask: u64) {
        let mut carry = false;
        for (sum, limb) in self.0.iter_mut().zip(value) {
            let (first, one) = sum.overflowing_add(limb & mask);
            let (second, other) = first.overflowing_add(u64::from(carry));
            (*sum, carry) = (second, one | other);
        }
        self.0[4] += u64::from(carry);
    }
}

/// Sums the terms of the current row; `units` counts the ones among them.
struct RowSums<'a, V> {
    coefficients: &'a [Fr],
    input: &'a [Fr],
    aux: &'a V,
    out: std::slice::IterMut<'a, Fr>,
    every: EveryRow,
    sum: Sum,
    units: i64,
    of_units: &'a Units,
}

impl<V: AuxValues> RowVisitor for RowSums<'_, V> {
    #[inline(always)]
    fn wants(&self, row: usize) -> bool {
        self.every.contains(row)
    }

    #[inline(always)]
    fn term(&mut self, column: u32, coefficient: u32) {
        let column = column as usize;
        let value = match column.checked_sub(self.input.len()) {
            Some(aux) => self.aux.value(aux),
            None if column == 0 => Value::Bit(1),
            None => Value::Full(&self.input[column]),
        };
        match (value, coefficient) {
            (Value::Bit(bit), COEFFICIENT_ONE) => self.units += bit as i64,
            (Value::Bit(bit), COEFFICIENT_MINUS_ONE) => self.units -= bit as i64,
            (Value::Bit(bit), other) => {
                let coefficient = self.coefficients[other as usize].limbs();
                self.sum.add(coefficient, bit.wrapping_neg());
            }
            (Value::Full(value), COEFFICIENT_ONE) => self.sum.add(value.limbs(), u64::MAX),
            (Value::Full(value), COEFFICIENT_MINUS_ONE) => {
                self.sum.add(&negate_integer(value.limbs()), u64::MAX);
            }
            (Value::Full(value), other) => {
                let product = value.mul(&self.coefficients[other as usize]);
                self.sum.add(product.limbs(), u64::MAX);
            }
        }
    }

    #[inline(always)]
    fn end_row(&mut self, _: usize) {
        let Sum([a, b, c, d, overflows]) = std::mem::take(&mut self.sum);
        // An overflow is 2^256, which is how one looks in Montgomery form.
        let mut sum = self.of_units.get(self.units + overflows as i64);
        if a | b | c | d != 0 {
            sum = sum.add(&Fr::reduced([a, b, c, d]));
        }
        if let Some(out) = self.out.next() {
            *out = sum;
        }
        self.units = 0;
    }
}

#[cfg(test)]
mod tests {
    use ff::Field;

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
