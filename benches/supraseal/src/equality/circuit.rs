// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random circuits on the edges: any number of rows, densities and values, satisfied by design.

use bellpepper_core::{Circuit, ConstraintSystem, LinearCombination, SynthesisError, Variable};
use cuzk_prover::curve::Scalar;
use ff::Field;
use rand_core::{RngCore, SeedableRng};
use rand_xorshift::XorShiftRng;

/// Which auxiliary variables stand in A and in B.
#[derive(Clone, Copy, Debug)]
pub enum Density {
    Empty,
    Half,
    Full,
}

/// What the variables are.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    Zeros,
    Ones,
    MinusOnes,
    Bits,
    Random,
    Mixed,
}

pub const DENSITIES: [Density; 3] = [Density::Empty, Density::Half, Density::Full];
pub const VALUES: [Values; 6] = [
    Values::Zeros,
    Values::Ones,
    Values::MinusOnes,
    Values::Bits,
    Values::Random,
    Values::Mixed,
];

/// A circuit with its witness. Every row is a b = c with random combinations of the variables; a
/// multiple of one in C makes it hold, so another witness has another circuit.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Rows in all, those of the inputs included.
    pub rows: usize,
    /// Inputs, the constant one included; fewer than the rows.
    pub inputs: usize,
    pub aux: usize,
    pub density: Density,
    pub values: Values,
    pub seed: u64,
}

/// What is summed up for one row of a matrix, and its value.
struct Sum {
    terms: LinearCombination<Scalar>,
    value: Scalar,
}

impl Sum {
    fn add(&mut self, (variable, value): (Variable, Scalar), coefficient: Scalar) {
        let terms = std::mem::replace(&mut self.terms, LinearCombination::zero());
        self.terms = terms + (coefficient, variable);
        self.value += coefficient * value;
    }
}

impl Edge {
    fn value(&self, random: &mut XorShiftRng) -> Scalar {
        match self.values {
            Values::Zeros => Scalar::ZERO,
            Values::Ones => Scalar::ONE,
            Values::MinusOnes => -Scalar::ONE,
            Values::Bits => Scalar::from(u64::from(random.next_u32() & 1)),
            Values::Random => Scalar::random(random),
            Values::Mixed => match random.next_u32() % 5 {
                0 => Scalar::ZERO,
                1 => Scalar::ONE,
                2 => -Scalar::ONE,
                3 => Scalar::from(u64::from(random.next_u32())),
                _ => Scalar::random(random),
            },
        }
    }
}

impl Circuit<Scalar> for Edge {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let mut random = XorShiftRng::seed_from_u64(self.seed);
        let one = (CS::one(), Scalar::ONE);
        let mut inputs = vec![one];
        for _ in 1..self.inputs {
            let value = self.value(&mut random);
            inputs.push((cs.alloc_input(|| "input", || Ok(value))?, value));
        }
        let rows = self.rows - self.inputs;
        let empty = || Sum {
            terms: LinearCombination::zero(),
            value: Scalar::ZERO,
        };
        // A and B of each row have a multiple of one, or another input's, from the start.
        let mut sums: Vec<[Sum; 3]> = (0..rows).map(|_| [empty(), empty(), empty()]).collect();
        for [a, b, _] in &mut sums {
            let pick = |random: &mut XorShiftRng| random.next_u32() as usize % inputs.len();
            a.add(inputs[pick(&mut random)], Scalar::random(&mut random));
            b.add(inputs[pick(&mut random)], Scalar::random(&mut random));
        }
        for _ in 0..self.aux {
            let value = self.value(&mut random);
            let variable = (cs.alloc(|| "aux", || Ok(value))?, value);
            let dice = random.next_u32();
            let dense = match self.density {
                Density::Empty => [false, false],
                Density::Half => [dice & 1 == 0, dice & 2 == 0],
                Density::Full => [true, true],
            };
            // In C always: a variable that is in no row has no parameters.
            for (matrix, is_in) in [dense[0], dense[1], true].into_iter().enumerate() {
                let row = random.next_u32() as usize % rows;
                let coefficient = Scalar::random(&mut random);
                if is_in {
                    sums[row][matrix].add(variable, coefficient);
                }
            }
        }
        for [a, b, mut c] in sums {
            let missing = a.value * b.value - c.value;
            c.add(one, missing);
            cs.enforce(|| "row", |_| a.terms, |_| b.terms, |_| c.terms);
        }
        Ok(())
    }
}
