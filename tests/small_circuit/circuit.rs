// SPDX-License-Identifier: MIT OR Apache-2.0

//! A circuit of some hundred rows with every kind of variable, its parameters made by bellperson,
//! and its assignment as callers of the low-level interface bring it, kept in files for C.

use std::path::Path;

use bellpepper_core::{Circuit, ConstraintSystem, LinearCombination, SynthesisError, Variable};
use bellperson::groth16::{generate_parameters, Parameters};
use blstrs::{Bls12, G1Projective, G2Projective, Scalar};
use cuzk::ffi::assignment::cuzk_assignment;
use cuzk_prover::circuit::{synthesize, CompiledCircuit};
use cuzk_prover::curve::montgomery_limbs;
use ff::Field;
use group::Group;

/// Steps of the chain x -> x (x + i), and as many bits.
const STEPS: usize = 150;

/// Knows an x that the chain takes to the public output, and bits that spell nothing.
#[derive(Clone)]
pub struct Chain {
    x: Scalar,
}

impl Chain {
    pub fn new(x: u64) -> Self {
        Self { x: Scalar::from(x) }
    }

    /// The value after all steps: the public input beside the constant one.
    pub fn output(&self) -> Scalar {
        (0..STEPS as u64).fold(self.x, |x, i| x * (x + Scalar::from(i)))
    }
}

impl Circuit<Scalar> for Chain {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let one = || LinearCombination::from_variable(CS::one());
        let of = |variable: Variable| LinearCombination::from_variable(variable);
        let output = cs.alloc_input(|| "output", || Ok(self.output()))?;
        let mut value = self.x;
        let mut x = cs.alloc(|| "x", || Ok(value))?;
        // In C only: a variable without a point in the a and b queries.
        let square = cs.alloc(|| "square", || Ok(value.square()))?;
        cs.enforce(|| "square", |_| of(x), |_| of(x), |_| of(square));
        for i in 0..STEPS as u64 {
            let step = Scalar::from(i);
            value *= value + step;
            let next = cs.alloc(|| format!("x{i}"), || Ok(value))?;
            cs.enforce(
                || format!("step {i}"),
                |_| of(x),
                |_| of(x) + (step, CS::one()),
                |_| of(next),
            );
            let bit = cs.alloc(|| format!("bit {i}"), || Ok(Scalar::from((i % 3) & 1)))?;
            cs.enforce(
                || format!("bit {i} is one"),
                |_| of(bit),
                |_| one() - bit,
                |lc| lc,
            );
            x = next;
        }
        cs.enforce(|| "output", |_| of(x), |_| one(), |_| of(output));
        Ok(())
    }
}

/// The chain's parameters: by bellperson, always the same.
pub fn parameters() -> Parameters<Bls12> {
    let [alpha, beta, gamma, delta, tau] = [2, 3, 5, 7, 1_000_003].map(Scalar::from);
    generate_parameters(
        Chain::new(1),
        G1Projective::generator(),
        G2Projective::generator(),
        alpha,
        beta,
        gamma,
        delta,
        tau,
    )
    .unwrap()
}

/// The assignment of a chain, as plain memory.
pub struct SmallAssignment {
    pub a_aux_density: Vec<u64>,
    pub b_inp_density: Vec<u64>,
    pub b_aux_density: Vec<u64>,
    pub popcounts: [usize; 3],
    /// a, b, c, inputs and auxiliary variables, in Montgomery form.
    pub scalars: [Vec<[u64; 4]>; 5],
}

impl SmallAssignment {
    pub fn new(chain: Chain) -> Self {
        let circuit = CompiledCircuit::record(chain.clone()).unwrap();
        let witness = synthesize(chain).unwrap();
        let [a, b, c] = circuit.evaluate(&witness).unwrap();
        let aux: Vec<Scalar> = (0..witness.aux.len()).map(|i| witness.aux.get(i)).collect();
        let densities = [
            circuit.a_aux_density(),
            circuit.b_input_density(),
            circuit.b_aux_density(),
        ];
        let limbs = |scalars: &[Scalar]| scalars.iter().map(montgomery_limbs).collect();
        Self {
            a_aux_density: densities[0].words().to_vec(),
            b_inp_density: densities[1].words().to_vec(),
            b_aux_density: densities[2].words().to_vec(),
            popcounts: densities.map(|density| density.count_ones()),
            scalars: [
                limbs(&a),
                limbs(&b),
                limbs(&c),
                limbs(&witness.input),
                limbs(&aux),
            ],
        }
    }

    /// As the C ABI takes it; it points into this.
    pub fn assignment(&self) -> cuzk_assignment {
        let [a, b, c, input, aux] = &self.scalars;
        let [a_aux_popcount, b_inp_popcount, b_aux_popcount] = self.popcounts;
        cuzk_assignment {
            a_aux_density: self.a_aux_density.as_ptr(),
            a_aux_bit_len: aux.len(),
            a_aux_popcount,
            b_inp_density: self.b_inp_density.as_ptr(),
            b_inp_bit_len: input.len(),
            b_inp_popcount,
            b_aux_density: self.b_aux_density.as_ptr(),
            b_aux_bit_len: aux.len(),
            b_aux_popcount,
            a: a.as_ptr().cast(),
            b: b.as_ptr().cast(),
            c: c.as_ptr().cast(),
            abc_size: a.len(),
            inp_assignment_data: input.as_ptr().cast(),
            inp_assignment_size: input.len(),
            aux_assignment_data: aux.as_ptr().cast(),
            aux_assignment_size: aux.len(),
        }
    }

    /// As the C tests read it, in 64-bit words: rows, inputs, auxiliary variables and the three
    /// popcounts, then the densities, then the scalars.
    fn words(&self) -> Vec<u64> {
        let [a, _, _, input, aux] = &self.scalars;
        let counts = [a.len(), input.len(), aux.len()];
        let head = counts.into_iter().chain(self.popcounts);
        let densities = [
            &self.a_aux_density,
            &self.b_inp_density,
            &self.b_aux_density,
        ];
        head.map(|count| count as u64)
            .chain(densities.into_iter().flatten().copied())
            .chain(self.scalars.iter().flatten().flatten().copied())
            .collect()
    }
}

/// Writes `small.params` and `small.assignment` into a folder.
pub fn write_files(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    let mut bytes = Vec::new();
    parameters().write(&mut bytes).unwrap();
    std::fs::write(folder.join("small.params"), bytes).unwrap();
    let words = SmallAssignment::new(Chain::new(3)).words();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    std::fs::write(folder.join("small.assignment"), bytes).unwrap();
}
