// SPDX-License-Identifier: MIT OR Apache-2.0
//! A constraint system that records the linear combinations of a circuit.

use std::collections::HashMap;

use bellpepper_core::{
    Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable,
};
use blstrs::Scalar;
use ff::Field;

use super::compiled::{COEFFICIENT_MINUS_ONE, COEFFICIENT_ONE};
use super::pack::{RowsBuilder, AUX};
use super::piece::Piece;
use super::{Bitmap, CircuitShape, CompiledCircuit, Origin};
use crate::curve::montgomery_limbs;
use crate::{Error, ErrorKind, Result};

/// Records rows as bellperson's prover counts them: terms with a zero coefficient are dropped
/// before densities are counted (linear combinations have merged duplicates already).
pub(super) struct Recorder {
    inputs: usize,
    aux: usize,
    rows: usize,
    matrices: [RowsBuilder; 3],
    coefficients: Coefficients,
    a_aux_density: Vec<u64>,
    b_input_density: Vec<u64>,
    b_aux_density: Vec<u64>,
    /// The first row that names a variable which was not allocated before it.
    fault: Option<String>,
}

/// The coefficients seen so far, by their limbs.
struct Coefficients {
    values: Vec<Scalar>,
    indices: HashMap<[u64; 4], u32>,
}

impl Coefficients {
    fn new() -> Self {
        let mut coefficients = Self {
            values: Vec::new(),
            indices: HashMap::new(),
        };
        coefficients.index(&Scalar::ONE);
        coefficients.index(&-Scalar::ONE);
        coefficients
    }

    fn index(&mut self, value: &Scalar) -> u32 {
        let values = &mut self.values;
        *self
            .indices
            .entry(montgomery_limbs(value))
            .or_insert_with(|| {
                values.push(*value);
                values.len() as u32 - 1
            })
    }
}

impl Recorder {
    pub fn record(circuit: impl Circuit<Scalar>) -> Result<CompiledCircuit> {
        let mut recorder = Self::new();
        recorder
            .alloc_input(|| "", || Ok(Scalar::ONE))
            .and_then(|_| circuit.synthesize(&mut recorder))
            .map_err(|error| match error {
                SynthesisError::PolynomialDegreeTooLarge if recorder.is_full() => Error::new(
                    ErrorKind::Unsupported,
                    format!("the circuit has more variables than {} can number", AUX - 1),
                ),
                error => synthesis_error(&error),
            })?;
        for input in 0..recorder.inputs {
            let variable = Variable::new_unchecked(Index::Input(input));
            recorder.enforce(|| "", |lc| lc + variable, |lc| lc, |lc| lc);
        }
        recorder.finish()
    }

    /// Adds one row to matrix `which`.
    fn push_row(&mut self, which: usize, row: &LinearCombination<Scalar>) {
        for (variable, coefficient) in row.iter() {
            let (number, allocated, mark) = match variable.get_unchecked() {
                Index::Input(input) => (input, self.inputs, 0),
                Index::Aux(aux) => (aux, self.aux, AUX),
            };
            if number >= allocated {
                self.fault.get_or_insert_with(|| {
                    format!(
                        "row {} names {variable:?}, {allocated} are allocated",
                        self.rows
                    )
                });
                continue;
            }
            let coefficient = if *coefficient == Scalar::ONE {
                COEFFICIENT_ONE
            } else if *coefficient == Scalar::ZERO {
                continue;
            } else {
                self.coefficients.index(coefficient)
            };
            self.matrices[which].term(number as u32 | mark, coefficient);
            match (which, mark) {
                (0, AUX) => set(&mut self.a_aux_density, number),
                (1, AUX) => set(&mut self.b_aux_density, number),
                (1, _) => set(&mut self.b_input_density, number),
                _ => {}
            }
        }
        self.matrices[which].end_row();
    }

    /// Columns are 32 bits, and one of them is taken while recording.
    fn is_full(&self) -> bool {
        self.inputs + self.aux >= AUX as usize
    }

    fn finish(mut self) -> Result<CompiledCircuit> {
        if let Some(fault) = self.fault {
            return Err(Error::new(ErrorKind::InvalidAssignment, fault));
        }
        if self.rows > 1 << 31 {
            return Err(Error::new(
                ErrorKind::Unsupported,
                format!("the circuit has {} rows, {} at most", self.rows, 1u64 << 31),
            ));
        }
        let inputs = self.inputs as u32;
        let [a, b, c] = self.matrices.map(|matrix| matrix.finish(inputs));
        let matrices = [a?, b?, c?];
        let nonzeros = matrices.each_ref().map(|matrix| matrix.nonzeros());
        let mut coefficients = self.coefficients.values;
        coefficients.shrink_to_fit();
        let bitmap = |words: &mut Vec<u64>, len| {
            words.shrink_to_fit();
            Bitmap::from_words(std::mem::take(words), len)
        };
        Ok(CompiledCircuit {
            id: CompiledCircuit::next_id(),
            origin: Origin::Recorded,
            shape: CircuitShape {
                rows: self.rows,
                inputs: self.inputs,
                aux: self.aux,
                nonzeros,
            },
            pieces: vec![Piece::once(matrices, 0)],
            coefficients,
            a_aux_density: bitmap(&mut self.a_aux_density, self.aux),
            b_input_density: bitmap(&mut self.b_input_density, self.inputs),
            b_aux_density: bitmap(&mut self.b_aux_density, self.aux),
        })
    }
}

/// A synthesis error in this library's words.
pub(super) fn synthesis_error(error: &SynthesisError) -> Error {
    Error::new(
        ErrorKind::InvalidAssignment,
        format!("synthesis of the circuit: {error}"),
    )
}

pub(super) fn set(words: &mut Vec<u64>, bit: usize) {
    if words.len() <= bit / 64 {
        words.resize(bit / 64 + 1, 0);
    }
    words[bit / 64] |= 1 << (bit % 64);
}

impl ConstraintSystem<Scalar> for Recorder {
    type Root = Self;

    fn new() -> Self {
        let coefficients = Coefficients::new();
        debug_assert_eq!(
            coefficients.values[COEFFICIENT_MINUS_ONE as usize],
            -Scalar::ONE
        );
        Self {
            inputs: 0,
            aux: 0,
            rows: 0,
            matrices: [(); 3].map(|()| RowsBuilder::new(0)),
            coefficients,
            a_aux_density: Vec::new(),
            b_input_density: Vec::new(),
            b_aux_density: Vec::new(),
            fault: None,
        }
    }

    fn alloc<F, A, AR>(&mut self, _: A, _: F) -> std::result::Result<Variable, SynthesisError>
    where
        F: FnOnce() -> std::result::Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        if self.is_full() {
            return Err(SynthesisError::PolynomialDegreeTooLarge);
        }
        self.aux += 1;
        Ok(Variable::new_unchecked(Index::Aux(self.aux - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, _: F) -> std::result::Result<Variable, SynthesisError>
    where
        F: FnOnce() -> std::result::Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        if self.is_full() {
            return Err(SynthesisError::PolynomialDegreeTooLarge);
        }
        self.inputs += 1;
        Ok(Variable::new_unchecked(Index::Input(self.inputs - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        let a = a(LinearCombination::zero());
        let b = b(LinearCombination::zero());
        let c = c(LinearCombination::zero());
        for (which, row) in [a, b, c].iter().enumerate() {
            self.push_row(which, row);
        }
        self.rows += 1;
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
