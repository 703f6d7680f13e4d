// SPDX-License-Identifier: MIT OR Apache-2.0
//! The evaluations of the rows on the device, and the quotient made of them.

use std::sync::Arc;

use super::compute::Compute;
use super::context::Current;
use super::kernels;
use super::memory::fill;
use super::pool::{Lease, Pool};
use super::upload::{scalar_bytes, Order};
use super::witness::DeviceWitness;
use crate::circuit::CompiledCircuit;
use crate::curve::Scalar;
use crate::Result;

/// Where the rows' evaluations come from.
#[derive(Clone, Copy)]
pub(super) enum RowSource<'a> {
    /// The caller's vectors.
    Given([&'a [Scalar]; 3]),
    /// The device evaluates them.
    Compiled(&'a CompiledCircuit),
}

impl RowSource<'_> {
    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        match self {
            RowSource::Given([a, _, _]) => a.len(),
            RowSource::Compiled(circuit) => circuit.shape().rows,
        }
    }
}

/// The three vectors of evaluations, each of the domain's size.
pub(super) struct Evaluations<'a> {
    rows: RowSource<'a>,
    log_n: u32,
    /// b, c and a, once taken; only b, which then holds the quotient, after `keep_quotient`.
    vectors: Vec<Lease>,
}

/// Bytes of the three vectors for so many rows.
pub(super) fn evaluation_bytes(rows: usize) -> u64 {
    3 * 32 * rows.next_power_of_two() as u64
}

impl<'a> Evaluations<'a> {
    /// The evaluations of a proof, without memory yet.
    pub(super) fn new(rows: RowSource<'a>) -> Self {
        Self {
            rows,
            log_n: rows.len().next_power_of_two().ilog2(),
            vectors: Vec::new(),
        }
    }

    /// Takes the vectors' memory.
    pub(super) fn take(&mut self, current: &Current<'_>, pool: &Arc<Pool>) -> Result<()> {
        for what in [
            "the evaluations of b",
            "the evaluations of c",
            "the evaluations of a",
        ] {
            self.vectors
                .push(pool.take(current, 32 << self.log_n, what)?);
        }
        Ok(())
    }

    /// The vector of a, b or c by its number.
    fn vector(&self, which: usize) -> &Lease {
        &self.vectors[[2, 0, 1][which]]
    }

    /// The copies that fill the vectors up to the last row, a batch a vector; none where the
    /// device evaluates.
    pub(super) fn orders(&self) -> Vec<Vec<Order<'a>>> {
        let RowSource::Given(given) = self.rows else {
            return Vec::new();
        };
        let order = |(which, source): (usize, &'a [Scalar])| {
            vec![Order {
                source: scalar_bytes(source),
                address: self.vector(which).address(),
            }]
        };
        given.into_iter().enumerate().map(order).collect()
    }

    /// Queues zeros for the rest of the domain behind the caller's rows.
    pub(super) fn pad(&self, compute: &Compute) -> Result<()> {
        let used = 32 * self.rows.len();
        let all = 32 << self.log_n;
        for vector in &self.vectors {
            let context = compute.pool().context();
            let address = vector.address() + used as u64;
            // SAFETY: the rest of the vector, which the uploads do not touch.
            unsafe { fill(context, address, 0, all - used, compute.stream())? };
        }
        Ok(())
    }

    /// Queues the evaluation of one matrix's rows of the circuit that was brought to the device.
    ///
    /// # Safety
    /// The witness is there once the stream gets there; it and the vectors stay until it is done.
    pub(super) unsafe fn evaluate(
        &self,
        compute: &Compute,
        which: usize,
        witness: &DeviceWitness<'_>,
    ) -> Result<()> {
        let (circuit, out) = (compute.circuit()?, self.vector(which).address());
        // SAFETY: promised by the caller; a vector holds the domain's scalars.
        unsafe { circuit.evaluate(compute, which, witness, out, 1 << self.log_n) }
    }

    /// Queues what the quotient needs of the vector of a, b or c.
    ///
    /// # Safety
    /// The vector is filled once the stream gets there, and stays until it is done.
    pub(super) unsafe fn begin(
        &self,
        compute: &mut Compute,
        current: &Current<'_>,
        which: usize,
    ) -> Result<()> {
        if self.log_n == 0 {
            return Ok(());
        }
        let tables = compute.tables(current, self.log_n)?;
        let (stream, values) = (compute.stream().as_ptr(), self.vector(which).at(0));
        // SAFETY: promised by the caller; the vector has 2^log_n scalars.
        let code = unsafe {
            kernels::cuzk_launch_quotient_begin(stream, tables, self.log_n, which as i32, values)
        };
        compute.check(code, "the transforms of the quotient")
    }

    /// Queues the quotient's coefficients, plain scalars in natural order, into b's vector.
    ///
    /// # Safety
    /// All three vectors were begun on the stream, and stay until it is done.
    pub(super) unsafe fn end(&self, compute: &mut Compute, current: &Current<'_>) -> Result<()> {
        if self.log_n == 0 {
            return Ok(());
        }
        let tables = compute.tables(current, self.log_n)?;
        // SAFETY: promised by the caller; each vector has 2^log_n scalars.
        let code = unsafe {
            let stream = compute.stream().as_ptr();
            let [a, b, c] = [0, 1, 2].map(|which| self.vector(which).at(0));
            kernels::cuzk_launch_quotient_end(stream, tables, self.log_n, a, b, c, b)
        };
        compute.check(code, "the quotient")
    }

    /// Where the quotient's coefficients lie.
    pub(super) fn coefficients(&self) -> u64 {
        self.vectors[0].address()
    }

    /// Gives all memory back, once the stream is done with it.
    pub(super) fn release(&mut self) {
        self.vectors.clear();
    }

    /// Gives the memory of a and c back, once the stream is done with them.
    pub(super) fn keep_quotient(&mut self) {
        self.vectors.truncate(1);
    }
}
