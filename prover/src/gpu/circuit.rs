// SPDX-License-Identifier: MIT OR Apache-2.0
//! A compiled circuit on the device.

use std::sync::Arc;

use super::compute::Compute;
use super::context::Current;
use super::kernels;
use super::pool::{Lease, Pool};
use super::upload::{scalar_bytes, word_bytes, Order};
use super::witness::DeviceWitness;
use crate::circuit::{Block, CompiledCircuit, SparseRows};
use crate::Result;

/// The matrices and coefficients of one circuit. Kept by the queue from proof to proof.
pub(super) struct DeviceCircuit {
    /// Which circuit it is, once it was uploaded.
    id: Option<u64>,
    matrices: [DeviceRows; 3],
    coefficients: Lease,
}

struct DeviceRows {
    n_blocks: u32,
    blocks: Lease,
    words: Lease,
}

/// Bytes that a circuit takes on the device.
pub(super) fn circuit_bytes(circuit: &CompiledCircuit) -> u64 {
    let rows = |matrix: &SparseRows| size_of_val(matrix.blocks()) + size_of_val(matrix.words());
    let matrices: usize = circuit.matrices().iter().map(rows).sum();
    (matrices + size_of_val(circuit.coefficients())) as u64
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
                n_blocks: matrix.blocks().len() as u32,
                blocks: take(size_of_val(matrix.blocks()))?,
                words: take(size_of_val(matrix.words()))?,
            })
        };
        let [a, b, c] = circuit.matrices();
        Ok(Self {
            id: None,
            matrices: [rows(a)?, rows(b)?, rows(c)?],
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
        for (matrix, rows) in circuit.matrices().iter().zip(&self.matrices) {
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
    /// has room for `n` scalars.
    pub(super) unsafe fn evaluate(
        &self,
        compute: &Compute,
        which: usize,
        witness: &DeviceWitness<'_>,
        out: u64,
        n: u64,
    ) -> Result<()> {
        let rows = &self.matrices[which];
        let (inputs, n_inputs) = witness.inputs();
        let ranks = witness.full_ranks();
        // SAFETY: promised by the caller; blocks and words are a circuit's own.
        let code = unsafe {
            kernels::cuzk_launch_evaluate(
                compute.stream().as_ptr(),
                rows.blocks.at(0),
                rows.n_blocks,
                rows.words.at(0),
                self.coefficients.at(0),
                inputs as _,
                n_inputs as u32,
                witness.value_at(0) as _,
                witness.ones_at(0) as _,
                witness.full_at(0) as _,
                ranks as _,
                n,
                out as _,
            )
        };
        compute.check(code, "evaluating the rows")
    }
}

/// The bytes of blocks as they lie in memory.
fn block_bytes(blocks: &[Block]) -> &[u8] {
    const _: () = assert!(size_of::<Block>() == 16);
    // SAFETY: a block is 8 + 4 + 2 + 2 bytes without padding.
    unsafe { std::slice::from_raw_parts(blocks.as_ptr().cast(), size_of_val(blocks)) }
}
