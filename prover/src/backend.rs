// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a device must do: keep parameters, turn an assignment into the quotient and the five sums.

pub use crate::cancel::Cancel;
pub use crate::srs::ResidentSrs;

use crate::circuit::{Bitmap, CompactAux, CompiledCircuit};
use crate::curve::{G1Projective, G2Projective, Scalar};
use crate::timing::Timings;
use crate::Result;

/// The auxiliary part of an assignment.
#[derive(Clone, Copy)]
pub enum AuxAssignment<'a> {
    /// One scalar a variable, as callers of the low-level interface bring it.
    Scalars(&'a [Scalar]),
    /// Bits and full values.
    Compact(&'a CompactAux),
}

impl AuxAssignment<'_> {
    /// Number of auxiliary variables.
    pub fn len(&self) -> usize {
        match self {
            AuxAssignment::Scalars(aux) => aux.len(),
            AuxAssignment::Compact(aux) => aux.len(),
        }
    }

    /// Whether there are no auxiliary variables.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Where the evaluations of the constraint rows come from.
#[derive(Clone, Copy)]
pub enum Rows<'a> {
    /// The caller evaluated them: one scalar a row, rows for the inputs included.
    Given {
        /// A times the assignment.
        a: &'a [Scalar],
        /// B times the assignment.
        b: &'a [Scalar],
        /// C times the assignment.
        c: &'a [Scalar],
    },
    /// The backend evaluates the rows of this circuit.
    Compiled(&'a CompiledCircuit),
}

/// Everything of one proof but its parameters and its blinding scalars.
#[derive(Clone, Copy)]
pub struct Assignment<'a> {
    /// The evaluations of the rows.
    pub rows: Rows<'a>,
    /// The public inputs, constant one first.
    pub input: &'a [Scalar],
    /// The auxiliary variables.
    pub aux: AuxAssignment<'a>,
    /// Which auxiliary variables have a point in the a query.
    pub a_aux_density: &'a Bitmap,
    /// Which inputs have points in the b queries.
    pub b_input_density: &'a Bitmap,
    /// Which auxiliary variables have points in the b queries.
    pub b_aux_density: &'a Bitmap,
}

/// The five sums over the queries, each with its inputs' part, before blinding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sums {
    /// Coefficients of the quotient (a b - c) / Z over the h query.
    pub h: G1Projective,
    /// Auxiliary variables over the l query.
    pub l: G1Projective,
    /// Inputs and auxiliary variables over the a query.
    pub a: G1Projective,
    /// Over the b query in G1.
    pub b_g1: G1Projective,
    /// Over the b query in G2.
    pub b_g2: G2Projective,
}

/// A device that proves: the CPU or a GPU.
pub trait Backend: Send + Sync {
    /// The name in timings and reports: "cpu", or "cuda" with the device.
    fn name(&self) -> &str;

    /// The five sums of one assignment. Sizes were checked against the parameters before.
    ///
    /// Adds to the phases of `timings` that it performs; ends early with `Cancelled`.
    fn sums(
        &self,
        srs: &dyn ResidentSrs,
        assignment: &Assignment<'_>,
        cancel: &Cancel,
        timings: &mut Timings,
    ) -> Result<Sums>;
}
