// SPDX-License-Identifier: MIT OR Apache-2.0
//! A circuit's rows evaluated for a witness, as bellperson's provers do it.

use bellpepper_core::{
    Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable,
};
use blstrs::Scalar;
use ff::Field;

/// Bits in whole words, and their ones.
#[derive(Default)]
pub struct Density {
    pub words: Vec<usize>,
    pub len: usize,
    pub ones: usize,
}

impl Density {
    fn push(&mut self) {
        self.len += 1;
        self.words.resize(self.len.div_ceil(64), 0);
    }

    fn set(&mut self, i: usize) {
        let bit = 1 << (i % 64);
        self.ones += usize::from(self.words[i / 64] & bit == 0);
        self.words[i / 64] |= bit;
    }
}

/// Everything that a proof takes beside the parameters and r and s.
#[derive(Default)]
pub struct Rows {
    pub a: Vec<Scalar>,
    pub b: Vec<Scalar>,
    pub c: Vec<Scalar>,
    pub inputs: Vec<Scalar>,
    pub aux: Vec<Scalar>,
    pub a_aux: Density,
    pub b_inputs: Density,
    pub b_aux: Density,
}

impl Rows {
    pub fn new(circuit: impl Circuit<Scalar>) -> Self {
        let mut rows = Self::default();
        rows.alloc_input(|| "one", || Ok(Scalar::ONE)).unwrap();
        circuit.synthesize(&mut rows).unwrap();
        for i in 0..rows.inputs.len() {
            let input = Variable(Index::Input(i));
            rows.enforce(|| "input", |lc| lc + input, |lc| lc, |lc| lc);
        }
        rows
    }

    fn value(&self, sum: &LinearCombination<Scalar>) -> Scalar {
        let value = |index| match index {
            Index::Input(i) => self.inputs[i],
            Index::Aux(i) => self.aux[i],
        };
        sum.iter()
            .map(|(variable, factor)| value(variable.0) * factor)
            .sum()
    }
}

/// The variables with a factor other than zero.
fn used(sum: &LinearCombination<Scalar>) -> impl Iterator<Item = Index> + '_ {
    let used = sum.iter().filter(|(_, factor)| **factor != Scalar::ZERO);
    used.map(|(variable, _)| variable.0)
}

impl ConstraintSystem<Scalar> for Rows {
    type Root = Self;

    fn alloc<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.aux.push(value()?);
        self.a_aux.push();
        self.b_aux.push();
        Ok(Variable(Index::Aux(self.aux.len() - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.inputs.push(value()?);
        self.b_inputs.push();
        Ok(Variable(Index::Input(self.inputs.len() - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        let [a, b] = [a(LinearCombination::zero()), b(LinearCombination::zero())];
        let c = c(LinearCombination::zero());
        for index in used(&a) {
            if let Index::Aux(i) = index {
                self.a_aux.set(i);
            }
        }
        for index in used(&b) {
            match index {
                Index::Input(i) => self.b_inputs.set(i),
                Index::Aux(i) => self.b_aux.set(i),
            }
        }
        self.a.push(self.value(&a));
        self.b.push(self.value(&b));
        self.c.push(self.value(&c));
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
