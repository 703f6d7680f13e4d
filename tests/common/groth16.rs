// SPDX-License-Identifier: MIT OR Apache-2.0

//! Small circuits with bellperson's parameters, proved by this library.

use bellpepper_core::{Circuit, ConstraintSystem, LinearCombination, SynthesisError, Variable};
use bellperson::groth16 as peer;
use blstrs::{Bls12, Scalar};
use cuzk_prover::backend::{Assignment, AuxAssignment, Cancel, Rows};
use cuzk_prover::circuit::{synthesize, CompiledCircuit, Witness};
use cuzk_prover::cpu::CpuBackend;
use cuzk_prover::groth16::{prove, Proof};
use cuzk_prover::srs::{HostSrs, VerifyingKey};
use cuzk_prover::timing::Timings;
use ff::Field;
use rand_core::SeedableRng;
use rand_xorshift::XorShiftRng;

/// A generator whose seed is printed and can be given in CUZK_TEST_SEED.
pub fn rng() -> XorShiftRng {
    let seed = std::env::var("CUZK_TEST_SEED")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0x5eed);
    println!("CUZK_TEST_SEED={seed}");
    XorShiftRng::seed_from_u64(seed)
}

/// A chain of squares and products from a secret start, bits, and the chain's end as inputs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sample {
    /// Links y = (x + i)^2: variables in A and B.
    pub squares: usize,
    /// Links y = (3 x + 1) * 1: variables in A alone.
    pub products: usize,
    /// Constraints bit * (1 - bit) = 0.
    pub bits: usize,
    /// Public inputs beside the constant one, all equal to the chain's end.
    pub inputs: usize,
    /// The secret, when there is to be a witness.
    pub start: Option<u64>,
}

fn value(value: Option<Scalar>) -> Result<Scalar, SynthesisError> {
    value.ok_or(SynthesisError::AssignmentMissing)
}

impl Sample {
    fn links(&self) -> impl Iterator<Item = (bool, u64)> {
        let products = (0..self.products as u64).map(|i| (false, i));
        (0..self.squares as u64).map(|i| (true, i)).chain(products)
    }

    /// The public inputs that belong to the secret.
    pub fn public(&self) -> Vec<Scalar> {
        let start = Scalar::from(self.start.unwrap_or_default());
        let end = self.links().fold(start, |x, (square, i)| match square {
            true => (x + Scalar::from(i)).square(),
            false => x * Scalar::from(3) + Scalar::ONE,
        });
        vec![end; self.inputs]
    }
}

impl Circuit<Scalar> for Sample {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let mut x_value = self.start.map(Scalar::from);
        let mut x = cs.alloc(|| "start", || value(x_value))?;
        let first = x;
        for (square, i) in self.links() {
            let y_value = x_value.map(|x| match square {
                true => (x + Scalar::from(i)).square(),
                false => x * Scalar::from(3) + Scalar::ONE,
            });
            let y = cs.alloc(|| "y", || value(y_value))?;
            // A term whose coefficient is zero: neither prover may count it.
            let nothing = LinearCombination::zero() + (Scalar::ZERO, first);
            if square {
                let factor = LinearCombination::zero() + x + (Scalar::from(i), CS::one());
                cs.enforce(
                    || "square",
                    |_| factor.clone(),
                    |_| factor.clone() + &nothing,
                    |lc| lc + y,
                );
            } else {
                cs.enforce(
                    || "product",
                    |lc| lc + (Scalar::from(3), x) + CS::one(),
                    |lc| lc + CS::one() + &nothing,
                    |lc| lc + y,
                );
            }
            (x, x_value) = (y, y_value);
        }
        for i in 0..self.bits {
            let bit_value = self.start.map(|start| Scalar::from(start >> (i % 5) & 1));
            let bit = cs.alloc(|| "bit", || value(bit_value))?;
            cs.enforce(|| "bit", |lc| lc + bit, |lc| lc + CS::one() - bit, |lc| lc);
        }
        for _ in 0..self.inputs {
            let input: Variable = cs.alloc_input(|| "input", || value(x_value))?;
            cs.enforce(|| "end", |lc| lc + x, |lc| lc + CS::one(), |lc| lc + input);
        }
        Ok(())
    }
}

/// A circuit with bellperson's parameters, which this library proves with.
pub struct Subject {
    pub sample: Sample,
    pub parameters: peer::Parameters<Bls12>,
    pub srs: HostSrs,
    pub circuit: CompiledCircuit,
}

/// Which way the assignment comes to the prover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A packed witness and the compiled circuit.
    Compact,
    /// Evaluated rows and one scalar a variable.
    Given,
}

impl Subject {
    pub fn new(sample: Sample, random: &mut XorShiftRng) -> Self {
        let parameters = peer::generate_random_parameters::<Bls12, _, _>(sample, random).unwrap();
        let srs = HostSrs::from_parts(
            key(&parameters.vk),
            parameters.h.to_vec(),
            parameters.l.to_vec(),
            parameters.a.to_vec(),
            parameters.b_g1.to_vec(),
            parameters.b_g2.to_vec(),
        )
        .unwrap();
        Self {
            sample,
            parameters,
            srs,
            circuit: CompiledCircuit::record(sample).unwrap(),
        }
    }

    pub fn witness(&self, start: u64) -> Witness {
        synthesize(Sample {
            start: Some(start),
            ..self.sample
        })
        .unwrap()
    }

    pub fn prove(&self, witness: &Witness, form: Form, r: Scalar, s: Scalar) -> Proof {
        let [a, b, c] = self.circuit.evaluate(witness).unwrap();
        let scalars: Vec<Scalar> = (0..witness.aux.len()).map(|i| witness.aux.get(i)).collect();
        let compact = form == Form::Compact;
        let rows = Rows::Given {
            a: &a,
            b: &b,
            c: &c,
        };
        let assignment = Assignment {
            rows: if compact {
                Rows::Compiled(&self.circuit)
            } else {
                rows
            },
            input: &witness.input,
            aux: if compact {
                AuxAssignment::Compact(&witness.aux)
            } else {
                AuxAssignment::Scalars(&scalars)
            },
            a_aux_density: self.circuit.a_aux_density(),
            b_input_density: self.circuit.b_input_density(),
            b_aux_density: self.circuit.b_aux_density(),
        };
        let cancel = Cancel::default();
        let mut timings = Timings::default();
        prove(
            &CpuBackend,
            &self.srs,
            &assignment,
            r,
            s,
            &cancel,
            &mut timings,
        )
        .unwrap()
    }
}

/// bellperson's verifying key as ours.
pub fn key(vk: &peer::VerifyingKey<Bls12>) -> VerifyingKey {
    VerifyingKey {
        alpha_g1: vk.alpha_g1,
        beta_g1: vk.beta_g1,
        beta_g2: vk.beta_g2,
        gamma_g2: vk.gamma_g2,
        delta_g1: vk.delta_g1,
        delta_g2: vk.delta_g2,
        ic: vk.ic.clone(),
    }
}

/// Our proof as bellperson's.
pub fn to_peer(proof: &Proof) -> peer::Proof<Bls12> {
    peer::Proof {
        a: proof.a,
        b: proof.b,
        c: proof.c,
    }
}
