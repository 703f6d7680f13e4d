// SPDX-License-Identifier: MIT OR Apache-2.0
//! Circuits for tests, and a constraint system that evaluates them on its own.

use bellpepper_core::{
    Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable,
};
use blstrs::Scalar;
use ff::Field;

type Synthesis<T> = std::result::Result<T, SynthesisError>;

/// A small generator of test data (SplitMix64).
#[derive(Clone, Debug)]
pub(crate) struct TestRng(u64);

impl TestRng {
    /// Seeded by `CUZK_TEST_SEED` or by 1; prints the seed, which a failed test shows.
    pub fn from_environment() -> Self {
        let seed = std::env::var("CUZK_TEST_SEED")
            .ok()
            .and_then(|seed| seed.parse().ok())
            .unwrap_or(1);
        println!("CUZK_TEST_SEED={seed}");
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    pub fn scalar(&mut self) -> Scalar {
        let shift = Scalar::from(u64::MAX) + Scalar::ONE;
        (0..4).fold(Scalar::ZERO, |sum, _| {
            sum * shift + Scalar::from(self.next())
        })
    }

    /// Zeros, ones and their neighbours as often as anything else.
    pub fn edge_scalar(&mut self) -> Scalar {
        match self.below(8) {
            0 => Scalar::ZERO,
            1 | 2 => Scalar::ONE,
            3 => -Scalar::ONE,
            4 => Scalar::from(2),
            5 => Scalar::from(2).pow_vartime([self.next() % 255]),
            6 => -Scalar::from(self.next()),
            _ => self.scalar(),
        }
    }
}

/// Rows over variables near and far, with all edge coefficients; not satisfied by its values.
#[derive(Clone, Debug)]
pub(crate) struct RandomCircuit {
    pub rng: TestRng,
    pub inputs: usize,
    pub aux: usize,
    pub rows: usize,
    /// Terms of a row, at most.
    pub terms: usize,
    /// Terms of one row in the middle.
    pub long_row: usize,
}

impl RandomCircuit {
    fn row(
        &self,
        rng: &mut TestRng,
        variables: &[Variable],
        terms: usize,
    ) -> LinearCombination<Scalar> {
        let mut row = LinearCombination::zero();
        let here = rng.below(variables.len());
        for _ in 0..terms {
            let variable = match rng.below(4) {
                0 => Variable::new_unchecked(Index::Input(0)),
                1 => variables[rng.below(variables.len())],
                _ => variables[(here + rng.below(50)) % variables.len()],
            };
            let coefficient = rng.edge_scalar();
            row = row + (coefficient, variable);
            if rng.below(16) == 0 {
                row = row - (coefficient, variable);
            }
        }
        row
    }

    /// Appends so many inputs and the auxiliary variables to `variables`.
    fn allocate<CS: ConstraintSystem<Scalar>>(
        &self,
        cs: &mut CS,
        values: &mut TestRng,
        inputs: usize,
        variables: &mut Vec<Variable>,
    ) -> Synthesis<()> {
        for _ in 0..inputs {
            let value = values.edge_scalar();
            variables.push(cs.alloc_input(|| "", || Ok(value))?);
        }
        for _ in 0..self.aux {
            let value = values.edge_scalar();
            variables.push(cs.alloc(|| "", || Ok(value))?);
        }
        Ok(())
    }

    fn enforce<CS: ConstraintSystem<Scalar>>(
        &self,
        cs: &mut CS,
        rng: &mut TestRng,
        variables: &[Variable],
    ) {
        for i in 0..self.rows {
            let terms = match i == self.rows / 2 {
                true => [self.long_row, 1, 0],
                false => [0; 3].map(|_| rng.below(self.terms + 1)),
            };
            let [a, b, c] = terms.map(|terms| self.row(rng, variables, terms));
            cs.enforce(|| "", |_| a, |_| b, |_| c);
        }
    }
}

impl Circuit<Scalar> for RandomCircuit {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Synthesis<()> {
        let mut rng = self.rng.clone();
        let mut variables = vec![CS::one()];
        self.allocate(cs, &mut rng, self.inputs - 1, &mut variables)?;
        self.enforce(cs, &mut rng, &variables);
        Ok(())
    }
}

/// A prelude, then the same rows over and over, each time over variables of their own and of the
/// prelude; not satisfied by its values.
#[derive(Clone, Debug)]
pub(crate) struct RepeatingCircuit {
    pub rng: TestRng,
    /// Its inputs count the constant one.
    pub prelude: RandomCircuit,
    pub block: RandomCircuit,
    pub copies: usize,
}

impl Circuit<Scalar> for RepeatingCircuit {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Synthesis<()> {
        let mut values = self.rng.clone();
        let mut prelude = vec![CS::one()];
        self.prelude
            .allocate(cs, &mut values, self.prelude.inputs - 1, &mut prelude)?;
        self.prelude
            .enforce(cs, &mut self.prelude.rng.clone(), &prelude);
        for _ in 0..self.copies {
            let mut variables = prelude.clone();
            self.block
                .allocate(cs, &mut values, self.block.inputs, &mut variables)?;
            self.block
                .enforce(cs, &mut self.block.rng.clone(), &variables);
        }
        Ok(())
    }
}

/// A circuit some of whose linear combinations are replaced: `alter` is given the row, the matrix
/// and the combination.
#[derive(Clone, Debug)]
pub(crate) struct Altered<C, F> {
    pub circuit: C,
    pub alter: F,
}

impl<C, F> Circuit<Scalar> for Altered<C, F>
where
    C: Circuit<Scalar>,
    F: Fn(usize, usize, LinearCombination<Scalar>) -> LinearCombination<Scalar> + Sync,
{
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Synthesis<()> {
        let alter = &self.alter;
        let mut system = AlteringSystem { cs, alter, row: 0 };
        self.circuit.synthesize(&mut system)
    }
}

struct AlteringSystem<'a, CS, F> {
    cs: &'a mut CS,
    alter: &'a F,
    row: usize,
}

impl<CS, F> ConstraintSystem<Scalar> for AlteringSystem<'_, CS, F>
where
    CS: ConstraintSystem<Scalar>,
    F: Fn(usize, usize, LinearCombination<Scalar>) -> LinearCombination<Scalar> + Sync,
{
    type Root = Self;

    fn alloc<V, A, AR>(&mut self, name: A, value: V) -> Synthesis<Variable>
    where
        V: FnOnce() -> Synthesis<Scalar>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.cs.alloc(name, value)
    }

    fn alloc_input<V, A, AR>(&mut self, name: A, value: V) -> Synthesis<Variable>
    where
        V: FnOnce() -> Synthesis<Scalar>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.cs.alloc_input(name, value)
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, name: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        let (row, alter) = (self.row, self.alter);
        self.cs.enforce(
            name,
            |lc| alter(row, 0, a(lc)),
            |lc| alter(row, 1, b(lc)),
            |lc| alter(row, 2, c(lc)),
        );
        self.row += 1;
    }

    fn push_namespace<NR, N>(&mut self, _: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
    }

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Self::Root {
        self
    }
}

/// Evaluates each linear combination by bellpepper's own means, as the circuit makes it.
#[derive(Debug, Default)]
pub(crate) struct EvaluatingSystem {
    pub input: Vec<Scalar>,
    pub aux: Vec<Scalar>,
    pub rows: [Vec<Scalar>; 3],
    pub nonzeros: [usize; 3],
    pub a_aux_density: Vec<bool>,
    pub b_input_density: Vec<bool>,
    pub b_aux_density: Vec<bool>,
}

impl EvaluatingSystem {
    /// Runs a circuit and appends the rows for its inputs.
    pub fn run(circuit: impl Circuit<Scalar>) -> Self {
        let mut system = Self::default();
        system.alloc_input(|| "", || Ok(Scalar::ONE)).unwrap();
        circuit.synthesize(&mut system).unwrap();
        for input in 0..system.input.len() {
            let variable = Variable::new_unchecked(Index::Input(input));
            system.enforce(|| "", |lc| lc + variable, |lc| lc, |lc| lc);
        }
        system
    }
}

impl ConstraintSystem<Scalar> for EvaluatingSystem {
    type Root = Self;

    fn alloc<F, A, AR>(&mut self, _: A, f: F) -> Synthesis<Variable>
    where
        F: FnOnce() -> Synthesis<Scalar>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.aux.push(f()?);
        self.a_aux_density.push(false);
        self.b_aux_density.push(false);
        Ok(Variable::new_unchecked(Index::Aux(self.aux.len() - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, f: F) -> Synthesis<Variable>
    where
        F: FnOnce() -> Synthesis<Scalar>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.input.push(f()?);
        self.b_input_density.push(false);
        Ok(Variable::new_unchecked(Index::Input(self.input.len() - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        let rows = [
            a(LinearCombination::zero()),
            b(LinearCombination::zero()),
            c(LinearCombination::zero()),
        ];
        for (which, row) in rows.iter().enumerate() {
            self.rows[which].push(row.eval(&self.input, &self.aux));
            for (variable, coefficient) in row.iter() {
                if *coefficient == Scalar::ZERO {
                    continue;
                }
                self.nonzeros[which] += 1;
                match (which, variable.get_unchecked()) {
                    (0, Index::Aux(aux)) => self.a_aux_density[aux] = true,
                    (1, Index::Input(input)) => self.b_input_density[input] = true,
                    (1, Index::Aux(aux)) => self.b_aux_density[aux] = true,
                    _ => {}
                }
            }
        }
    }

    fn push_namespace<NR, N>(&mut self, _: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
    }

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Self::Root {
        self
    }
}
