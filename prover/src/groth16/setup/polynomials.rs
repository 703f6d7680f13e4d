// SPDX-License-Identifier: MIT OR Apache-2.0
//! The polynomials of a circuit at a point: Lagrange values, and transposed products with them.

use std::ops::Range;

use blstrs::Scalar;
use ff::{Field, PrimeField};
use rayon::prelude::*;

use crate::circuit::{
    CompiledCircuit, Piece, RowVisitor, Shift, SparseRows, BLOCK_ROWS, COEFFICIENT_MINUS_ONE,
    COEFFICIENT_ONE,
};

/// Rows whose inversions are shared.
const LAGRANGE_BATCH: usize = 1024;
/// Columns that a worker takes at a time, at least.
const SLAB: usize = 4096;
/// Blocks of rows that a worker takes at a time.
const BLOCKS: usize = 256;

/// The first `rows` Lagrange polynomials of the domain of 2^`log_domain` points, at `tau`.
///
/// L_i(tau) = Z(tau) / n * w^i / (tau - w^i), where w generates the domain of n points and
/// `vanishing` is Z(tau) = tau^n - 1, which is not zero.
pub fn lagrange_values(
    tau: Scalar,
    vanishing: Scalar,
    log_domain: u32,
    rows: usize,
) -> Vec<Scalar> {
    let generator = domain_generator(log_domain);
    let scale = (0..log_domain).fold(vanishing, |scale, _| scale * Scalar::TWO_INV);
    let mut values = vec![Scalar::ZERO; rows];
    values
        .par_chunks_mut(LAGRANGE_BATCH)
        .enumerate()
        .for_each(|(batch, values)| {
            let mut power = generator.pow_vartime([(batch * LAGRANGE_BATCH) as u64]);
            let mut product = Scalar::ONE;
            let mut powers = Vec::with_capacity(values.len());
            // First the products of all denominators before each one, then, with the inverse of
            // the product of all, the values from the last to the first.
            for value in values.iter_mut() {
                *value = product;
                product *= tau - power;
                powers.push(power);
                power *= generator;
            }
            // No denominator is zero: tau^n is not one.
            let mut inverse = product.invert().unwrap_or(Scalar::ZERO) * scale;
            for (value, power) in values.iter_mut().zip(powers).rev() {
                *value *= inverse * power;
                inverse *= tau - power;
            }
        });
    values
}

/// The generator of the domain of 2^`log_domain` points that bellperson uses.
fn domain_generator(log_domain: u32) -> Scalar {
    (log_domain..Scalar::S).fold(Scalar::ROOT_OF_UNITY, |root, _| root.square())
}

/// For each column j of matrix `which` the sum over its rows of entry(i, j) * `weights[i]`.
///
/// Workers take ranges of columns and look only at blocks of rows that may touch them: nearly all
/// columns of a block lie close together. Column 0, the constant one, has entries everywhere; it
/// is summed apart, by rows.
pub fn transposed_product(
    circuit: &CompiledCircuit,
    which: usize,
    weights: &[Scalar],
) -> Vec<Scalar> {
    let shape = circuit.shape();
    let mut sums = vec![Scalar::ZERO; shape.inputs + shape.aux];
    let slab = sums
        .len()
        .div_ceil(4 * rayon::current_num_threads())
        .max(SLAB);
    let coefficients = circuit.coefficients();
    let copies = || {
        let of_piece = |piece| (0..Piece::copies(piece)).map(move |copy| (piece, copy));
        circuit.pieces().iter().flat_map(of_piece)
    };
    sums.par_chunks_mut(slab)
        .enumerate()
        .for_each(|(index, sums)| {
            // Columns of a compiled circuit fit 32 bits.
            let first = (index * slab) as u32;
            let columns = first.max(1)..first + sums.len() as u32;
            for (piece, copy) in copies() {
                let matrix = &piece.matrices()[which];
                ColumnSums {
                    coefficients,
                    weights: &weights[piece.first_row(copy)..],
                    columns: columns.clone(),
                    first,
                    sums: &mut *sums,
                    row: 0,
                }
                .visit_all(matrix, piece.shift(copy), 0..matrix.blocks().len());
            }
        });
    if let Some(one) = sums.first_mut() {
        let tasks: Vec<_> = copies()
            .flat_map(|(piece, copy)| {
                let blocks = piece.matrices()[which].blocks().len();
                let range = move |start| start..blocks.min(start + BLOCKS);
                (0..blocks)
                    .step_by(BLOCKS)
                    .map(move |start| (piece, copy, range(start)))
            })
            .collect();
        *one = tasks
            .into_par_iter()
            .map(|(piece, copy, blocks)| {
                let mut sum = [Scalar::ZERO];
                ColumnSums {
                    coefficients,
                    weights: &weights[piece.first_row(copy)..],
                    columns: 0..1,
                    first: 0,
                    sums: &mut sum,
                    row: 0,
                }
                .visit_all(&piece.matrices()[which], piece.shift(copy), blocks);
                sum[0]
            })
            .sum();
    }
    sums
}

/// Adds up the entries of some columns.
struct ColumnSums<'a> {
    coefficients: &'a [Scalar],
    /// The weights of the rows, from the matrix's first on.
    weights: &'a [Scalar],
    columns: Range<u32>,
    /// The column of the first sum.
    first: u32,
    sums: &'a mut [Scalar],
    row: usize,
}

impl ColumnSums<'_> {
    fn visit_all(&mut self, matrix: &SparseRows, shift: Shift, blocks: Range<usize>) {
        for block in blocks {
            if matrix.block(block, shift).may_touch(&self.columns) {
                self.row = block * BLOCK_ROWS;
                matrix.visit(block, shift, self);
            }
        }
    }
}

impl RowVisitor for ColumnSums<'_> {
    #[inline(always)]
    fn term(&mut self, column: u32, coefficient: u32) {
        if !self.columns.contains(&column) {
            return;
        }
        let weight = self.weights[self.row];
        let sum = &mut self.sums[(column - self.first) as usize];
        match coefficient {
            COEFFICIENT_ONE => *sum += weight,
            COEFFICIENT_MINUS_ONE => *sum -= weight,
            other => *sum += weight * self.coefficients[other as usize],
        }
    }

    #[inline(always)]
    fn end_row(&mut self, row: usize) {
        self.row = row + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::repeat_tests::{repeated, repeating};
    use crate::circuit::testing::{RandomCircuit, TestRng};

    #[test]
    fn lagrange_values_interpolate() {
        // sum_i f(w^i) L_i(tau) = f(tau) for f = x^k of any degree below n.
        let tau = Scalar::from(0x1234_5678_9abc_def1);
        for log_domain in [0, 1, 2, 5, 11] {
            let n = 1usize << log_domain;
            let vanishing = tau.pow_vartime([n as u64]) - Scalar::ONE;
            let values = lagrange_values(tau, vanishing, log_domain, n);
            let generator = domain_generator(log_domain);
            for k in [0, 1, n / 2, n - 1] {
                let step = generator.pow_vartime([k as u64]);
                let (sum, _) = values
                    .iter()
                    .fold((Scalar::ZERO, Scalar::ONE), |(sum, power), value| {
                        (sum + *value * power, power * step)
                    });
                if k < n {
                    assert_eq!(sum, tau.pow_vartime([k as u64]), "2^{log_domain}, x^{k}");
                }
            }
            for rows in [0, 1, n / 2, n] {
                let some = lagrange_values(tau, vanishing, log_domain, rows.min(n));
                assert_eq!(some, values[..rows.min(n)]);
            }
        }
    }

    fn check_products(circuit: &CompiledCircuit, rng: &mut TestRng) {
        let shape = circuit.shape();
        let weights: Vec<Scalar> = (0..shape.rows).map(|_| rng.scalar()).collect();
        for which in 0..3 {
            let mut expected = vec![Scalar::ZERO; shape.inputs + shape.aux];
            for (row, weight) in circuit.rows(which, 0..shape.rows).zip(&weights) {
                for (column, coefficient) in row {
                    expected[column as usize] +=
                        circuit.coefficients()[coefficient as usize] * weight;
                }
            }
            assert!(transposed_product(circuit, which, &weights) == expected);
        }
    }

    #[test]
    fn transposed_products_equal_the_sum_over_rows() {
        let mut rng = TestRng::from_environment();
        for (inputs, aux, rows, terms) in [
            (1, 0, 0, 1),
            (3, 5, 70, 6),
            (20, 20_000, 3000, 6),
            (3, 400_000, 70, 400),
        ] {
            let circuit = CompiledCircuit::record(RandomCircuit {
                rng: rng.clone(),
                inputs,
                aux,
                rows,
                terms,
                long_row: 700,
            })
            .unwrap();
            check_products(&circuit, &mut rng);
        }
    }

    #[test]
    fn transposed_products_of_a_repeated_block_equal_the_sum_over_rows() {
        let mut rng = TestRng::from_environment();
        for copies in [1, 2, 5] {
            let circuit = repeating(&rng, [[4, 300, 70], [2, 5000, 3000]], 6, copies);
            check_products(&repeated(&circuit).unwrap(), &mut rng);
        }
    }
}
