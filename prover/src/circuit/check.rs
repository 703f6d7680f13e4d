// SPDX-License-Identifier: MIT OR Apache-2.0
//! A constraint system that compares a circuit with a compiled one as it is synthesized.
//!
//! It keeps no rows, so a circuit of any size is checked in little memory.

use bellpepper_core::{
    Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable,
};
use blstrs::Scalar;
use ff::Field;

use super::piece::{Row, Rows};
use super::record::{set, synthesis_error};
use super::repeat::name;
use super::{Bitmap, CircuitShape, CompiledCircuit};
use crate::{Error, ErrorKind, Result};

impl CompiledCircuit {
    /// Compares every row, every coefficient and the densities with a circuit's own; the closures
    /// that would compute its values are not called.
    ///
    /// # Errors
    ///
    /// `SelfCheckFailed` with the first row or the numbers that differ; `InvalidAssignment` when
    /// the circuit's synthesis fails, with its cause.
    pub fn check(&self, circuit: impl Circuit<Scalar>) -> Result<()> {
        let mut comparison = Comparison::new(self);
        let synthesized = comparison
            .alloc_input(|| "", || Ok(Scalar::ONE))
            .and_then(|_| circuit.synthesize(&mut comparison));
        if comparison.fault.is_none() {
            synthesized.map_err(|error| synthesis_error(&error))?;
        }
        for input in 0..comparison.shape.inputs {
            let variable = Variable::new_unchecked(Index::Input(input));
            comparison.enforce(|| "", |lc| lc + variable, |lc| lc, |lc| lc);
        }
        match comparison.finish() {
            None => Ok(()),
            Some(fault) => Err(Error::new(ErrorKind::SelfCheckFailed, fault)),
        }
    }
}

/// What the circuit has had so far, and where the compiled rows stand.
struct Comparison<'a> {
    compiled: &'a CompiledCircuit,
    rows: [Rows<'a>; 3],
    shape: CircuitShape,
    a_aux_density: Vec<u64>,
    b_input_density: Vec<u64>,
    b_aux_density: Vec<u64>,
    /// The first difference; nothing is compared after it.
    fault: Option<String>,
}

impl<'a> Comparison<'a> {
    fn new(compiled: &'a CompiledCircuit) -> Self {
        Self {
            compiled,
            rows: [0, 1, 2].map(|which| compiled.rows(which, 0..compiled.shape.rows)),
            shape: CircuitShape::default(),
            a_aux_density: Vec::new(),
            b_input_density: Vec::new(),
            b_aux_density: Vec::new(),
            fault: None,
        }
    }

    /// Compares a row of matrix `which`, and says what differs.
    fn compare(
        &mut self,
        which: usize,
        mut compiled: Row<'_>,
        row: &LinearCombination<Scalar>,
    ) -> Option<String> {
        for (variable, coefficient) in row.iter() {
            if *coefficient == Scalar::ZERO {
                continue;
            }
            let (allocated, first) = match variable.get_unchecked() {
                Index::Input(_) => (self.shape.inputs.min(self.compiled.shape.inputs), 0),
                Index::Aux(_) => (self.shape.aux, self.compiled.shape.inputs),
            };
            let (Index::Input(number) | Index::Aux(number)) = variable.get_unchecked();
            if number >= allocated {
                return Some(format!("{variable:?} of {allocated}"));
            }
            self.shape.nonzeros[which] += 1;
            match (which, variable.get_unchecked()) {
                (0, Index::Aux(aux)) => set(&mut self.a_aux_density, aux),
                (1, Index::Aux(aux)) => set(&mut self.b_aux_density, aux),
                (1, Index::Input(input)) => set(&mut self.b_input_density, input),
                _ => {}
            }
            let term = compiled.next().map(|(column, index)| {
                (column as usize, self.compiled.coefficients[index as usize])
            });
            if term != Some((first + number, *coefficient)) {
                return Some(format!(
                    "{variable:?} times {coefficient:?}, compiled is {}",
                    term_text(term)
                ));
            }
        }
        let (column, index) = compiled.next()?;
        let term = (column as usize, self.compiled.coefficients[index as usize]);
        Some(format!("no more, compiled is {}", term_text(Some(term))))
    }

    /// The first difference, if there is one.
    fn finish(self) -> Option<String> {
        let compiled = self.compiled;
        if self.fault.is_some() {
            return self.fault;
        }
        if self.shape != compiled.shape {
            return Some(format!(
                "the circuit has {:?}, compiled is {:?}",
                self.shape, compiled.shape
            ));
        }
        let CircuitShape { inputs, aux, .. } = self.shape;
        let densities = [
            (self.a_aux_density, aux, &compiled.a_aux_density, "a aux"),
            (
                self.b_input_density,
                inputs,
                &compiled.b_input_density,
                "b input",
            ),
            (self.b_aux_density, aux, &compiled.b_aux_density, "b aux"),
        ];
        densities
            .into_iter()
            .find_map(|(found, len, compiled, what)| {
                (Bitmap::from_words(found, len) != *compiled)
                    .then(|| format!("the {what} density is not the circuit's"))
            })
    }
}

fn term_text(term: Option<(usize, Scalar)>) -> String {
    match term {
        None => "no more".into(),
        Some((column, coefficient)) => format!("column {column} times {coefficient:?}"),
    }
}

impl ConstraintSystem<Scalar> for Comparison<'_> {
    type Root = Self;

    fn alloc<F, A, AR>(&mut self, _: A, _: F) -> std::result::Result<Variable, SynthesisError>
    where
        F: FnOnce() -> std::result::Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        if self.fault.is_some() {
            return Err(SynthesisError::Unsatisfiable);
        }
        self.shape.aux += 1;
        Ok(Variable::new_unchecked(Index::Aux(self.shape.aux - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, _: F) -> std::result::Result<Variable, SynthesisError>
    where
        F: FnOnce() -> std::result::Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.shape.inputs += 1;
        Ok(Variable::new_unchecked(Index::Input(self.shape.inputs - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        if self.fault.is_some() {
            return;
        }
        let zero = LinearCombination::zero;
        for (which, row) in [a(zero()), b(zero()), c(zero())].iter().enumerate() {
            let difference = match self.rows[which].next() {
                Some(compiled) => self.compare(which, compiled, row),
                None => Some("a row, compiled is none".into()),
            };
            if let Some(difference) = difference {
                self.fault = Some(format!(
                    "row {} of {}: the circuit has {difference}",
                    self.shape.rows,
                    name(which)
                ));
                return;
            }
        }
        self.shape.rows += 1;
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
