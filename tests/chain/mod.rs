// SPDX-License-Identifier: MIT OR Apache-2.0
//! A small circuit and its parameters by bellperson.

// Every test program compiles this folder and uses a part of it.
#![allow(dead_code)]

pub mod faulty;
pub mod fixture;

use bellpepper_core::{Circuit, ConstraintSystem, SynthesisError};
use bellperson::groth16::{generate_parameters, Parameters};
use blstrs::{Bls12, G1Projective, G2Projective, Scalar};
use ff::Field;
use group::Group;

/// A chain of multiplications by small constants and squarings, with one public output.
pub struct Chain {
    /// Multiplications, each with one auxiliary variable.
    pub steps: usize,
}

impl Circuit<Scalar> for Chain {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let mut value = Scalar::from(3u64);
        let mut variable = cs.alloc(|| "start", || Ok(value))?;
        for step in 0..self.steps {
            let (next, b) = if step % 3 == 0 {
                (value.square(), None)
            } else {
                let factor = Scalar::from(step as u64 + 2);
                (value * factor, Some(factor))
            };
            let product = cs.alloc(|| format!("step {step}"), || Ok(next))?;
            cs.enforce(
                || format!("step {step} is right"),
                |lc| lc + variable,
                |lc| match b {
                    Some(factor) => lc + (factor, CS::one()),
                    None => lc + variable,
                },
                |lc| lc + product,
            );
            (value, variable) = (next, product);
        }
        let output = cs.alloc_input(|| "output", || Ok(value))?;
        cs.enforce(
            || "output is right",
            |lc| lc + variable,
            |lc| lc + CS::one(),
            |lc| lc + output,
        );
        Ok(())
    }
}

/// Parameters with secrets that come from the seed.
pub fn parameters(steps: usize, seed: u64) -> Parameters<Bls12> {
    let secret = |i: u64| Scalar::from(seed + i).pow_vartime([5]);
    generate_parameters::<Bls12, _>(
        Chain { steps },
        G1Projective::generator(),
        G2Projective::generator(),
        secret(1),
        secret(2),
        secret(3),
        secret(4),
        secret(5),
    )
    .unwrap()
}
