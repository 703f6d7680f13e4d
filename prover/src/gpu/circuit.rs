// SPDX-License-Identifier: MIT OR Apache-2.0
//! A compiled circuit on the device.

use std::sync::Arc;

use super::compute::Compute;
use super::context::Current;
use super::kernels::{self, StoredRows};
use super::memory::fill;
use super::pool::{Lease, Pool};
use super::upload::{scalar_bytes, word_bytes, Order};
use super::witness::DeviceWitness;
use crate::circuit::{Block, CompiledCircuit, Piece, Shift, SparseRows};
use crate::Result;

/// The rows and coefficients of one circuit. Kept by the queue from proof to proof.
pub(super) struct DeviceCircuit {
    /// Which circuit it is, once it was uploaded.
    id: Option<u64>,
    pieces: Vec<DevicePiece>,
    rows: usize,
    coefficients: Lease,
}

/// Consecutive rows; `copies` times those that are stored.
struct DevicePiece {
    matrices: [DeviceRows; 3],
    first_row: u64,
    rows: u32,
    copies: u32,
    stride: Shift,
}

struct DeviceRows {
    blocks: Lease,
    words: Lease,
}

/// Bytes that a circuit takes on the device.
pub(super) fn circuit_bytes(circuit: &CompiledCircuit) -> u64 {
    let rows = |matrix: &SparseRows| size_of_val(matrix.blocks()) + size_of_val(matrix.words());
    let matrices = circuit.pieces().iter().flat_map(Piece::matrices);
    (matrices.map(rows).sum::<usize>() + size_of_val(circuit.coefficients())) as u64
}

impl DeviceCircuit {
    /// Takes memory for a circuit. It is there once `orders` are carried out.
    pub(super) fn take(
        current: &Current<'_>,
        pool: &Arc<Pool>,
        circuit: &CompiledCircuit,
    ) -> Result<Self> {
        let take = |bytes: usize| pool.take(current, bytes as u64, "the compiled circuit");
        let rows = |matrix: &SparseRows| -> Result<DeviceRows> {
            Ok(DeviceRows {
                blocks: take(size_of_val(matrix.blocks()))?,
                words: take(size_of_val(matrix.words()))?,
            })
        };
        let piece = |piece: &Piece| -> Result<DevicePiece> {
            let [a, b, c] = piece.matrices();
            // A compiled circuit's rows fit 32 bits, copies included.
            Ok(DevicePiece {
                matrices: [rows(a)?, rows(b)?, rows(c)?],
                first_row: piece.first_row(0) as u64,
                rows: piece.rows() as u32,
                copies: piece.copies() as u32,
                stride: piece.stride(),
            })
        };
        Ok(Self {
            id: None,
            pieces: circuit.pieces().iter().map(piece).collect::<Result<_>>()?,
            rows: circuit.shape().rows,
            coefficients: take(size_of_val(circuit.coefficients()))?,
        })
    }

    /// Whether this is that circuit.
    pub(super) fn is(&self, circuit: &CompiledCircuit) -> bool {
        self.id == Some(circuit.id())
    }

    /// Says that the orders were carried out.
    pub(super) fn arrived(&mut self, circuit: &CompiledCircuit) {
        self.id = Some(circuit.id());
    }

    /// The copies that fill the memory.
    pub(super) fn orders<'a>(&self, circuit: &'a CompiledCircuit) -> Vec<Order<'a>> {
        let mut orders = vec![Order {
            source: scalar_bytes(circuit.coefficients()),
            address: self.coefficients.address(),
        }];
        let matrices = circuit.pieces().iter().flat_map(Piece::matrices);
        let taken = self.pieces.iter().flat_map(|piece| &piece.matrices);
        for (matrix, rows) in matrices.zip(taken) {
            orders.push(Order {
                source: block_bytes(matrix.blocks()),
                address: rows.blocks.address(),
            });
            orders.push(Order {
                source: word_bytes(matrix.words()),
                address: rows.words.address(),
            });
        }
        orders
    }

    /// Queues the rows of matrix `which` for a witness into `n` scalars, zeros past the last row.
    ///
    /// # Safety
    /// Circuit and witness are there once the stream gets there, and stay until it is done; `out`
    /// has room for `n` scalars, which are no fewer than the rows.
    pub(super) unsafe fn evaluate(
        &self,
        compute: &Compute,
        which: usize,
        witness: &DeviceWitness<'_>,
        out: u64,
        n: u64,
    ) -> Result<()> {
        let (inputs, n_inputs) = witness.inputs();
        let ranks = witness.full_ranks();
        for piece in &self.pieces {
            let matrix = &piece.matrices[which];
            let rows = StoredRows {
                blocks: matrix.blocks.at(0),
                words: matrix.words.at(0),
                rows: piece.rows,
                copies: piece.copies,
                own_inputs: piece.stride.own_inputs,
                own_aux: piece.stride.own_aux,
                input_stride: piece.stride.input,
                aux_stride: piece.stride.aux,
            };
            let out = out + 32 * piece.first_row;
            // SAFETY: promised by the caller; blocks and words are a circuit's own, and the rows
            // are read before the launcher returns.
            let code = unsafe {
                kernels::cuzk_launch_evaluate(
                    compute.stream().as_ptr(),
                    &rows,
                    self.coefficients.at(0),
                    inputs as _,
                    n_inputs as u32,
                    witness.value_at(0) as _,
                    witness.ones_at(0) as _,
                    witness.full_at(0) as _,
                    ranks as _,
                    out as _,
                )
            };
            compute.check(code, "evaluating the rows")?;
        }
        let used = 32 * self.rows;
        let rest = 32 * n as usize - used;
        let context = compute.pool().context();
        // SAFETY: promised by the caller; the launches above write the scalars before.
        unsafe { fill(context, out + used as u64, 0, rest, compute.stream()) }
    }
}

/// The bytes of blocks as they lie in memory.
fn block_bytes(blocks: &[Block]) -> &[u8] {
    const _: () = assert!(size_of::<Block>() == 16);
    // SAFETY: a block is 8 + 4 + 2 + 2 bytes without padding.
    unsafe { std::slice::from_raw_parts(blocks.as_ptr().cast(), size_of_val(blocks)) }
}
