// SPDX-License-Identifier: MIT OR Apache-2.0
//! A constraint system that keeps only a circuit's values, in compact form.

use std::cell::OnceCell;

use bellpepper_core::{
    Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable,
};
use blstrs::Scalar;
use ff::Field;

use super::bitmap::append_bits;
use super::record::synthesis_error;
use super::{Bitmap, CompactAux, Witness};
use crate::Result;

/// Runs a circuit's closures and keeps its values, constant one first among the inputs.
///
/// # Errors
///
/// `InvalidAssignment` with the cause when the circuit cannot compute its values.
pub fn synthesize(circuit: impl Circuit<Scalar>) -> Result<Witness> {
    let mut witness = WitnessSystem::new();
    witness
        .alloc_input(|| "", || Ok(Scalar::ONE))
        .and_then(|_| circuit.synthesize(&mut witness))
        .map_err(|error| synthesis_error(&error))?;
    Ok(witness.finish())
}

/// Inputs in full, auxiliary values packed as they come.
///
/// A witness generator in the sense of bellpepper: gadgets may hand over or fill whole slices of
/// values and skip their constraints. Slices that were lent out to be filled wait unpacked, at
/// the end, until the next use.
struct WitnessSystem {
    inputs: Vec<Scalar>,
    aux: PackedAux,
    /// Values after those in `aux`, lent out by `allocate_empty` and not yet packed.
    lent: Vec<Scalar>,
    /// All auxiliary values as scalars, for who asks to see them so; emptied by any change.
    unpacked: OnceCell<Vec<Scalar>>,
}

/// Auxiliary values on their way into bitmaps.
#[derive(Default)]
struct PackedAux {
    ones: Vec<u64>,
    full: Vec<u64>,
    values: Vec<Scalar>,
    len: usize,
}

impl PackedAux {
    fn push(&mut self, value: Scalar) {
        let bit = self.len % 64;
        if bit == 0 {
            self.ones.push(0);
            self.full.push(0);
        }
        self.len += 1;
        if value == Scalar::ZERO {
            return;
        }
        let words = if value == Scalar::ONE {
            &mut self.ones
        } else {
            self.values.push(value);
            &mut self.full
        };
        if let Some(last) = words.last_mut() {
            *last |= 1 << bit;
        }
    }

    fn append(&mut self, other: &PackedAux) {
        append_bits(&mut self.ones, self.len, &other.ones, other.len);
        append_bits(&mut self.full, self.len, &other.full, other.len);
        self.values.extend_from_slice(&other.values);
        self.len += other.len;
    }

    fn finish(self) -> CompactAux {
        let ones = Bitmap::from_words(self.ones, self.len);
        let full = Bitmap::from_words(self.full, self.len);
        // The parts fit by construction: `push` sets a bit in one bitmap at most, and in `full`
        // together with a value.
        CompactAux::from_parts(ones, full, self.values).unwrap_or_default()
    }
}

impl WitnessSystem {
    /// The packed values, with what was lent out packed too.
    fn aux_mut(&mut self) -> &mut PackedAux {
        self.unpacked.take();
        for value in self.lent.drain(..) {
            self.aux.push(value);
        }
        &mut self.aux
    }

    fn finish(mut self) -> Witness {
        let aux = std::mem::take(self.aux_mut());
        Witness {
            input: self.inputs,
            aux: aux.finish(),
        }
    }
}

/// Adds `n` zeros to `values` and lends them out.
fn lend(values: &mut Vec<Scalar>, n: usize) -> &mut [Scalar] {
    let start = values.len();
    values.resize(start + n, Scalar::ZERO);
    &mut values[start..]
}

impl ConstraintSystem<Scalar> for WitnessSystem {
    type Root = Self;

    /// Without the constant one: who makes a system allocates it, as for bellperson's prover.
    fn new() -> Self {
        Self {
            inputs: Vec::new(),
            aux: PackedAux::default(),
            lent: Vec::new(),
            unpacked: OnceCell::new(),
        }
    }

    fn alloc<F, A, AR>(&mut self, _: A, f: F) -> std::result::Result<Variable, SynthesisError>
    where
        F: FnOnce() -> std::result::Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        let value = f()?;
        let aux = self.aux_mut();
        aux.push(value);
        Ok(Variable::new_unchecked(Index::Aux(aux.len - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, f: F) -> std::result::Result<Variable, SynthesisError>
    where
        F: FnOnce() -> std::result::Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.inputs.push(f()?);
        Ok(Variable::new_unchecked(Index::Input(self.inputs.len() - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, _: LA, _: LB, _: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
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

    fn is_extensible() -> bool {
        true
    }

    /// Appends another system's values; its first input is the constant one and is left out.
    fn extend(&mut self, other: &Self) {
        self.inputs.extend(other.inputs.iter().skip(1).copied());
        let aux = self.aux_mut();
        aux.append(&other.aux);
        for value in &other.lent {
            aux.push(*value);
        }
    }

    fn is_witness_generator(&self) -> bool {
        true
    }

    fn extend_inputs(&mut self, new_inputs: &[Scalar]) {
        self.inputs.extend_from_slice(new_inputs);
    }

    fn extend_aux(&mut self, new_aux: &[Scalar]) {
        let aux = self.aux_mut();
        for value in new_aux {
            aux.push(*value);
        }
    }

    fn allocate_empty(&mut self, aux_n: usize, inputs_n: usize) -> (&mut [Scalar], &mut [Scalar]) {
        self.aux_mut();
        (
            lend(&mut self.lent, aux_n),
            lend(&mut self.inputs, inputs_n),
        )
    }

    fn allocate_empty_inputs(&mut self, n: usize) -> &mut [Scalar] {
        lend(&mut self.inputs, n)
    }

    fn allocate_empty_aux(&mut self, n: usize) -> &mut [Scalar] {
        self.aux_mut();
        lend(&mut self.lent, n)
    }

    fn inputs_slice(&self) -> &[Scalar] {
        &self.inputs
    }

    fn aux_slice(&self) -> &[Scalar] {
        self.unpacked.get_or_init(|| {
            let mut full = self.aux.values.iter();
            let bit = |words: &[u64], i: usize| words[i / 64] >> (i % 64) & 1 == 1;
            (0..self.aux.len)
                .map(|i| match (bit(&self.aux.ones, i), bit(&self.aux.full, i)) {
                    (true, _) => Scalar::ONE,
                    (_, true) => full.next().copied().unwrap_or(Scalar::ZERO),
                    _ => Scalar::ZERO,
                })
                .chain(self.lent.iter().copied())
                .collect()
        })
    }
}
