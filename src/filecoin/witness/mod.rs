// SPDX-License-Identifier: MIT OR Apache-2.0
//! The witness of the PoRep circuit, made straight from vanilla proofs.
//!
//! The circuit of storage-proofs-porep makes a witness by running closures, one a variable. This
//! makes the same one, variable for variable, from the same gadgets written over whole words and
//! field elements, in compact form and on all cores. The gadgets carry no tables of what is
//! allocated: constants are folded where the circuit folds them, and the number of variables a
//! challenge is found by the same code, run once without storing.
//!
//! While it goes it compares what the circuit constrains to be equal, so a vanilla proof that
//! does not satisfy the circuit is an error here, and not a proof that nobody accepts.

mod challenge;
mod element;
mod path;
mod poseidon;
mod proof;
mod sha256;
mod sink;
#[cfg(test)]
mod tests;
mod word;

use blstrs::Scalar;
use cuzk_prover::circuit::{Bitmap, CompactAux, Witness};
use cuzk_prover::{room, Error, ErrorKind, Result};
use ff::Field;
use rayon::prelude::*;

use challenge::{Hashers, Outcome, Shared};
use proof::Challenge;
use sink::{Count, Head, Writer};

use super::c1;
use super::kinds::Shape;

/// What is proved: the sector that all partitions and challenges are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sector {
    /// Canonical field elements, little-endian, as in a C1 output.
    pub replica_id: c1::Node,
    pub comm_d: c1::Node,
    pub comm_r: c1::Node,
}

impl From<&c1::Head> for Sector {
    fn from(head: &c1::Head) -> Self {
        Self {
            replica_id: head.replica_id,
            comm_d: head.comm_d,
            comm_r: head.comm_r,
        }
    }
}

/// Makes witnesses of PoRep circuits of one shape.
pub struct NativeWitness {
    shape: Shape,
    hashers: Hashers,
    prelude: Count,
    challenge: Count,
}

impl NativeWitness {
    /// Prepares for circuits of `shape`: the hashes' constants, and what a challenge allocates.
    /// Takes as long as a challenge does.
    ///
    /// Errors: `Unsupported` for a shape that is none of a PoRep circuit.
    pub fn new(shape: Shape) -> Result<Self> {
        check_shape(&shape)?;
        let hashers = Hashers::new(&shape).ok_or_else(|| internal("a hash without constants"))?;
        let (mut prelude, mut challenge) = (Count::default(), Count::default());
        let shared = Shared::default();
        challenge::prelude(&shared, &hashers, &mut prelude);
        challenge::challenge(&Challenge::blank(&shape), &shared, &hashers, &mut challenge);
        Ok(Self {
            shape,
            hashers,
            prelude,
            challenge,
        })
    }

    /// The circuits' shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Number of auxiliary variables of a partition.
    pub fn aux_len(&self) -> usize {
        self.prelude.variables + self.shape.challenges * self.challenge.variables
    }

    /// The witness of one partition: public inputs, the constant one first, and the auxiliary
    /// assignment.
    ///
    /// Works on rayon's current pool, one challenge at a time a thread.
    ///
    /// Errors: `OutOfMemory`; `InvalidC1` when a challenge has not the shape's lengths, a value is not
    /// canonical, or a constraint of the circuit does not hold.
    pub fn partition(&self, sector: &Sector, challenges: &[c1::Challenge]) -> Result<Witness> {
        let needed = self.shape.challenges;
        let first = match challenges.first() {
            Some(first) if challenges.len() == needed => first,
            _ => {
                let present = challenges.len();
                return Err(invalid(format!("{present} challenges, {needed} needed")));
            }
        };
        let first = Challenge::read(first, &self.shape).map_err(|e| e.context("challenge 0"))?;
        let shared = Shared {
            replica_id: proof::element("replica id", &sector.replica_id)?,
            comm_d: proof::element("comm_d", &sector.comm_d)?.value(),
            comm_r: proof::element("comm_r", &sector.comm_r)?.value(),
            comm_c: first.comm_c,
            comm_r_last: first.comm_r_last,
        };

        let words = self.aux_len().div_ceil(64);
        let what = "the witness";
        let (mut ones, mut full) = (room::filled(what, words, 0)?, room::filled(what, words, 0)?);
        let count = self.prelude.full + needed * self.challenge.full;
        let mut values = room::filled(what, count, Scalar::ZERO)?;
        let mut writers = self.writers(&mut ones, &mut full, &mut values);

        let mut input = vec![Scalar::ONE];
        let mut sink = writers.remove(0);
        let outcome = challenge::prelude(&shared, &self.hashers, &mut sink);
        input.extend(accepted(outcome)?);
        sink.finish()
            .ok_or_else(|| internal("the prelude has another length"))?;

        let done: Vec<(Vec<Scalar>, Head)> = writers
            .into_par_iter()
            .zip(challenges)
            .map(|(mut sink, challenge)| {
                let challenge = Challenge::read(challenge, &self.shape)?;
                if challenge.comm_c != shared.comm_c {
                    return Err(invalid("another comm_c than the first challenge's"));
                }
                if challenge.comm_r_last != shared.comm_r_last {
                    return Err(invalid("another comm_r_last than the first challenge's"));
                }
                let outcome = challenge::challenge(&challenge, &shared, &self.hashers, &mut sink);
                let inputs = accepted(outcome)?;
                let head = sink
                    .finish()
                    .ok_or_else(|| internal("it has another length"))?;
                Ok((inputs, head))
            })
            .enumerate()
            .map(|(i, done)| done.map_err(|e| e.context(format!("challenge {i}"))))
            .collect::<Result<_>>()?;

        for (i, (inputs, head)) in done.into_iter().enumerate() {
            input.extend(inputs);
            let start = self.start(i);
            if start % 64 != 0 {
                ones[start / 64] |= head.ones;
                full[start / 64] |= head.full;
            }
        }
        let bits = self.aux_len();
        let aux = CompactAux::from_parts(
            Bitmap::try_from_words(ones, bits)?,
            Bitmap::try_from_words(full, bits)?,
            values,
        )
        .ok_or_else(|| internal("the parts of a witness do not fit"))?;
        Ok(Witness { input, aux })
    }

    /// The first variable of a challenge.
    fn start(&self, challenge: usize) -> usize {
        self.prelude.variables + challenge * self.challenge.variables
    }

    /// Splits the assignment into the prelude's part and the challenges'.
    fn writers<'a>(
        &self,
        mut ones: &'a mut [u64],
        mut full: &'a mut [u64],
        mut values: &'a mut [Scalar],
    ) -> Vec<Writer<'a>> {
        let mut start = 0;
        let challenges = std::iter::repeat_n(self.challenge, self.shape.challenges);
        std::iter::once(self.prelude)
            .chain(challenges)
            .map(|count| {
                let end = start + count.variables;
                let words = end.div_ceil(64) - start.div_ceil(64);
                let phase = (start % 64) as u32;
                start = end;
                Writer::new(
                    phase,
                    split_off(&mut ones, words),
                    split_off(&mut full, words),
                    split_off(&mut values, count.full),
                )
            })
            .collect()
    }
}

fn check_shape(shape: &Shape) -> Result<()> {
    let whole_trees = || {
        let arities = shape.tree_arities();
        arities.iter().map(|arity| arity.ilog2()).sum::<u32>() == shape.nodes_log2
    };
    if (6..64).contains(&shape.nodes_log2)
        && whole_trees()
        && matches!(shape.layers, 2 | 11)
        && shape.challenges > 0
    {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Unsupported,
        format!("no PoRep circuit has the shape {shape:?}"),
    ))
}

fn split_off<'a, T>(rest: &mut &'a mut [T], n: usize) -> &'a mut [T] {
    let (first, others) = std::mem::take(rest).split_at_mut(n);
    *rest = others;
    first
}

fn accepted(outcome: Outcome) -> Result<Vec<Scalar>> {
    match outcome.wrong {
        None => Ok(outcome.inputs),
        Some(what) => Err(invalid(what)),
    }
}

fn invalid(what: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidC1, what)
}

fn internal(what: &str) -> Error {
    Error::new(ErrorKind::Internal, what)
}
