// SPDX-License-Identifier: MIT OR Apache-2.0
//! The circuits that consumers prove, for any constraint system of bellpepper's.

use bellpepper_core::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::Scalar;
use ff::Field;

fn known(value: Option<Scalar>) -> Result<Scalar, SynthesisError> {
    value.ok_or(SynthesisError::AssignmentMissing)
}

/// A circuit with its witness, or without.
#[derive(Clone)]
pub enum Sample {
    /// A cipher of the MiMC kind: rounds of l, r = r + (l + c)^3, l, from a secret pair; the last
    /// l is the input. Variables in both, one or none of A and B.
    Mimc {
        rounds: u64,
        secret: Option<(Scalar, Scalar)>,
    },
    /// Zeros that stand in C alone: empty densities, and b queries without a point.
    Empty { variables: usize },
    /// Bits x * x = x, inputs too: full densities.
    Full { bits: u64, value: Option<u64> },
}

/// A value at each round.
fn round_constant(round: u64) -> Scalar {
    Scalar::from(round).square() * Scalar::from(0x9e37_79b9_7f4a_7c15) + Scalar::from(7)
}

impl Sample {
    /// The public inputs of the witness.
    pub fn inputs(&self) -> Vec<Scalar> {
        match self {
            Sample::Mimc { rounds, secret } => {
                let (mut left, mut right) = secret.expect("a witness");
                for round in 0..*rounds {
                    let base = left + round_constant(round);
                    (left, right) = (right + base.square() * base, left);
                }
                vec![left]
            }
            Sample::Empty { .. } => vec![],
            Sample::Full { value, .. } => {
                vec![Scalar::from(value.expect("a witness") & 1); 2]
            }
        }
    }
}

impl Circuit<Scalar> for Sample {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        match self {
            Sample::Mimc { rounds, secret } => {
                let (mut left_value, mut right_value) = (secret.map(|s| s.0), secret.map(|s| s.1));
                let mut left = cs.alloc(|| "left", || known(left_value))?;
                let mut right = cs.alloc(|| "right", || known(right_value))?;
                for round in 0..rounds {
                    let c = round_constant(round);
                    let base = left_value.map(|left| left + c);
                    let square_value = base.map(|base| base.square());
                    let square = cs.alloc(|| "square", || known(square_value))?;
                    cs.enforce(
                        || "square",
                        |lc| lc + left + (c, CS::one()),
                        |lc| lc + left + (c, CS::one()),
                        |lc| lc + square,
                    );
                    let next_value = base
                        .zip(square_value)
                        .zip(right_value)
                        .map(|((base, square), right)| base * square + right);
                    let next = match round + 1 == rounds {
                        true => cs.alloc_input(|| "image", || known(next_value))?,
                        false => cs.alloc(|| "next", || known(next_value))?,
                    };
                    cs.enforce(
                        || "cube",
                        |lc| lc + square,
                        |lc| lc + left + (c, CS::one()),
                        |lc| lc + next - right,
                    );
                    (right, right_value) = (left, left_value);
                    (left, left_value) = (next, next_value);
                }
            }
            Sample::Empty { variables } => {
                for _ in 0..variables {
                    let zero = cs.alloc(|| "zero", || Ok(Scalar::ZERO))?;
                    cs.enforce(|| "zero", |lc| lc, |lc| lc, |lc| lc + zero);
                }
            }
            Sample::Full { bits, value } => {
                let bit = |i: u64| value.map(|value| Scalar::from(value >> (i % 64) & 1));
                cs.enforce(
                    || "one",
                    |lc| lc + CS::one(),
                    |lc| lc + CS::one(),
                    |lc| lc + CS::one(),
                );
                for i in 0..bits {
                    let x = cs.alloc(|| "bit", || known(bit(i)))?;
                    cs.enforce(|| "bit", |lc| lc + x, |lc| lc + x, |lc| lc + x);
                }
                for _ in 0..2 {
                    let x = cs.alloc_input(|| "input", || known(bit(0)))?;
                    cs.enforce(|| "input", |lc| lc + x, |lc| lc + x, |lc| lc + x);
                }
            }
        }
        Ok(())
    }
}
