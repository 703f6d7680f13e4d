// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Poseidon gadget: what neptune's legacy circuit (`neptune::circuit`) allocates.
//!
//! Its schedule is the optimised one: round keys pushed back through the linear layers so that
//! they are added after each S-box, and one sparse matrix a partial round. For each S-box it
//! allocates the input (unless that is a variable already, as the preimage is), its square, its
//! fourth power, and the output with the round key. The capacity element's first S-box is a
//! constant. The digest is the second element.

use blstrs::Scalar;
use cuzk_prover::curve::sum_of_products;
use ff::Field;
use filecoin_hashers::{
    POSEIDON_CONSTANTS_11, POSEIDON_CONSTANTS_2, POSEIDON_CONSTANTS_4, POSEIDON_CONSTANTS_8,
};
use neptune::poseidon::PoseidonConstants;
use neptune::Arity;

use super::sink::Sink;

/// The widest state: eleven labels and the capacity element.
const WIDTH: usize = 12;

/// A permutation's constants.
pub struct Poseidon {
    width: usize,
    half_full_rounds: usize,
    /// What is added to each element before the first S-box.
    first_keys: Vec<Scalar>,
    /// What is added after each S-box, in the order of the S-boxes; none in the last round.
    keys: Vec<Scalar>,
    capacity: Scalar,
    /// The columns of the MDS matrix, one after the other: an element of the product is the
    /// state times a column.
    dense: Vec<Scalar>,
    /// The same of the matrix before the partial rounds.
    before_sparse: Vec<Scalar>,
    sparse: Vec<Sparse>,
}

/// A matrix that is the identity but for its first column and its first row.
struct Sparse {
    /// The first column, with which the state's product is the new first element.
    column: Vec<Scalar>,
    /// The first row without its first element: what each other element gains of the first.
    row: Vec<Scalar>,
}

impl Poseidon {
    /// The permutation that hashes `arity` elements; those of 2, 4, 8 (trees) and 2, 11
    /// (columns) are in use.
    pub fn new(arity: usize) -> Option<Self> {
        match arity {
            2 => Some(Self::from_constants(&POSEIDON_CONSTANTS_2)),
            4 => Some(Self::from_constants(&POSEIDON_CONSTANTS_4)),
            8 => Some(Self::from_constants(&POSEIDON_CONSTANTS_8)),
            11 => Some(Self::from_constants(&POSEIDON_CONSTANTS_11)),
            _ => None,
        }
    }

    fn from_constants<A: Arity<Scalar>>(constants: &PoseidonConstants<Scalar, A>) -> Self {
        let width = constants.width();
        let (first_keys, keys) = constants.compressed_round_constants.split_at(width);
        let quintic = |x: Scalar| x.square().square() * x;
        Self {
            width,
            half_full_rounds: constants.half_full_rounds,
            first_keys: first_keys.to_vec(),
            keys: keys.to_vec(),
            capacity: quintic(constants.domain_tag + first_keys[0]) + keys[0],
            dense: transposed(&constants.mds_matrices.m),
            before_sparse: transposed(&constants.pre_sparse_matrix),
            sparse: constants
                .sparse_matrixes
                .iter()
                .map(|matrix| Sparse {
                    column: matrix.w_hat.clone(),
                    row: matrix.v_rest.clone(),
                })
                .collect(),
        }
    }

    /// Number of elements hashed.
    pub fn arity(&self) -> usize {
        self.width - 1
    }

    /// Hashes `preimage`, whose elements are variables already; as many as the arity.
    pub fn hash(&self, preimage: &[Scalar], sink: &mut impl Sink) -> Scalar {
        let mut all = [Scalar::ZERO; WIDTH];
        let state = &mut all[..self.width];
        let mut keys = self.keys.iter();
        let mut key = || keys.next().copied().unwrap_or(Scalar::ZERO);

        state[0] = self.capacity;
        key();
        for ((element, input), first_key) in state[1..]
            .iter_mut()
            .zip(preimage)
            .zip(&self.first_keys[1..])
        {
            *element = quintic(*input + first_key, key(), sink);
        }
        for _ in 1..self.half_full_rounds {
            self.mix(&self.dense, state);
            full_round(state, &mut key, sink);
        }
        self.mix(&self.before_sparse, state);
        for matrix in &self.sparse {
            sink.full(state[0]);
            let first = quintic(state[0], key(), sink);
            state[0] = first;
            let product = dot(&matrix.column, state);
            for (element, factor) in state[1..].iter_mut().zip(&matrix.row) {
                *element = sum_of_products(element, &[first], &[*factor]);
            }
            state[0] = product;
        }
        for _ in 0..self.half_full_rounds {
            full_round(state, &mut key, sink);
            self.mix(&self.dense, state);
        }
        sink.full(state[1]);
        state[1]
    }

    fn mix(&self, matrix: &[Scalar], state: &mut [Scalar]) {
        let mut product = [Scalar::ZERO; WIDTH];
        for (element, row) in product.iter_mut().zip(matrix.chunks_exact(self.width)) {
            *element = dot(row, state);
        }
        state.copy_from_slice(&product[..self.width]);
    }
}

fn full_round(state: &mut [Scalar], key: &mut impl FnMut() -> Scalar, sink: &mut impl Sink) {
    for element in state {
        sink.full(*element);
        *element = quintic(*element, key(), sink);
    }
}

/// The S-box without its input: `x^2`, `x^4` and `x^5 + key` are allocated.
fn quintic(x: Scalar, key: Scalar, sink: &mut impl Sink) -> Scalar {
    let square = x.square();
    let fourth = square.square();
    let output = fourth * x + key;
    sink.full(square);
    sink.full(fourth);
    sink.full(output);
    output
}

fn dot(row: &[Scalar], state: &[Scalar]) -> Scalar {
    sum_of_products(&Scalar::ZERO, row, state)
}

fn transposed(matrix: &[Vec<Scalar>]) -> Vec<Scalar> {
    (0..matrix.len())
        .flat_map(|column| matrix.iter().map(move |row| row[column]))
        .collect()
}
