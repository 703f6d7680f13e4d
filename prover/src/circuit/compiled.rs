// SPDX-License-Identifier: MIT OR Apache-2.0
//! A circuit in compiled form: the rows of its three matrices, its coefficients and its densities.

use std::sync::atomic::{AtomicU64, Ordering};

use bellpepper_core::Circuit;
use blstrs::Scalar;

use super::piece::Piece;
use super::record::Recorder;
use super::Bitmap;
use crate::srs::SrsShape;
use crate::Result;

/// The index of the coefficient one in every circuit's table.
pub const COEFFICIENT_ONE: u32 = 0;
/// The index of the coefficient minus one in every circuit's table.
pub const COEFFICIENT_MINUS_ONE: u32 = 1;

/// The numbers of a circuit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CircuitShape {
    /// Constraints, and the row `input * 0 = 0` that the proof system adds for every input.
    pub rows: usize,
    /// Public inputs, the constant one included.
    pub inputs: usize,
    /// Auxiliary variables.
    pub aux: usize,
    /// Terms of A, B and C with a non-zero coefficient.
    pub nonzeros: [usize; 3],
}

/// How the rows of a compiled circuit were had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// From the circuit itself.
    Recorded,
    /// From a saved form.
    Saved,
}

impl Origin {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Origin::Recorded => "recorded",
            Origin::Saved => "saved",
        }
    }
}

/// A circuit recorded once; its rows can be evaluated for any witness.
///
/// Columns count the inputs first, the constant one being column 0; auxiliary variable `j` is
/// column `inputs + j`. The last rows are `input_i * 0 = 0`, one for each input in order.
///
/// The rows lie in pieces. A recorded circuit is one piece; one that was found to repeat a block
/// ([`CompiledCircuit::repeated`]) stores the block once. Circuits are equal when all their rows
/// are, whatever their form.
#[derive(Clone, Debug)]
pub struct CompiledCircuit {
    pub(super) id: u64,
    pub(super) origin: Origin,
    pub(super) shape: CircuitShape,
    pub(super) pieces: Vec<Piece>,
    pub(super) coefficients: Vec<Scalar>,
    pub(super) a_aux_density: Bitmap,
    pub(super) b_input_density: Bitmap,
    pub(super) b_aux_density: Bitmap,
}

impl CompiledCircuit {
    /// Records a circuit; the closures that would compute its values are not called.
    ///
    /// # Errors
    ///
    /// `InvalidAssignment` when the circuit's synthesis fails, with its cause; `Unsupported` when
    /// it has more variables or rows than 31 bits count.
    pub fn record(circuit: impl Circuit<Scalar>) -> Result<Self> {
        Recorder::record(circuit)
    }

    /// A number that no other circuit of this process has, clones apart.
    pub(super) fn next_id() -> u64 {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        NEXT.fetch_add(1, Ordering::Relaxed)
    }

    /// The number that it and its clones have and no other circuit of this process: backends know
    /// by it what they have on their device.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// How its rows were had.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// Its numbers.
    pub fn shape(&self) -> CircuitShape {
        self.shape
    }

    /// The smallest k for which 2^k rows hold the circuit's.
    pub fn log_domain(&self) -> u32 {
        self.shape.rows.next_power_of_two().trailing_zeros()
    }

    /// Points in each section of a parameter file for this circuit.
    pub fn srs_shape(&self) -> SrsShape {
        let b = self.b_input_density.count_ones() + self.b_aux_density.count_ones();
        SrsShape {
            ic: self.shape.inputs,
            h: (1 << self.log_domain()) - 1,
            l: self.shape.aux,
            a: self.shape.inputs + self.a_aux_density.count_ones(),
            b_g1: b,
            b_g2: b,
        }
    }

    /// Its rows, in order. No piece is without rows.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Its coefficients, no two the same; one and minus one come first, whether used or not.
    pub fn coefficients(&self) -> &[Scalar] {
        &self.coefficients
    }

    /// Which auxiliary variables have a term in A.
    pub fn a_aux_density(&self) -> &Bitmap {
        &self.a_aux_density
    }

    /// Which inputs have a term in B.
    pub fn b_input_density(&self) -> &Bitmap {
        &self.b_input_density
    }

    /// Which auxiliary variables have a term in B.
    pub fn b_aux_density(&self) -> &Bitmap {
        &self.b_aux_density
    }

    /// Memory that it takes, in bytes.
    pub fn bytes(&self) -> usize {
        let bitmaps = [
            &self.a_aux_density,
            &self.b_input_density,
            &self.b_aux_density,
        ];
        let bitmap_bytes =
            |bitmap: &&Bitmap| size_of_val(bitmap.words()) + size_of_val(bitmap.ranks());
        self.pieces.iter().map(Piece::bytes).sum::<usize>()
            + self.coefficients.capacity() * size_of::<Scalar>()
            + bitmaps.iter().map(bitmap_bytes).sum::<usize>()
            + size_of::<Self>()
    }
}
