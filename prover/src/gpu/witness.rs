// SPDX-License-Identifier: MIT OR Apache-2.0
//! A witness on the device: its values, its bitmaps, and which points belong to its inputs.

use super::compute::Compute;
use super::context::Current;
use super::kernels;
use super::pool::{Lease, Pool};
use super::upload::{scalar_bytes, word_bytes, Order};
use crate::backend::{Assignment, AuxAssignment};
use crate::circuit::Bitmap;
use crate::Result;

use std::sync::Arc;

/// Offsets in a witness's memory are multiples of this.
const ALIGN: u64 = 256;

/// The inputs that have points in a query: the points come first in it.
pub(super) struct Inputs {
    points: Vec<u32>,
    /// Where their values lie, counted from the first value of the witness.
    sources: Vec<u32>,
    points_at: u64,
    sources_at: u64,
}

/// What the uploads of a witness are made from; lives as long as they do.
pub(super) struct Layout<'a> {
    assignment: &'a Assignment<'a>,
    /// Auxiliary values stored in full: all of them, or those of a compact witness.
    values: u64,
    ones_at: u64,
    full_at: u64,
    full_ranks_at: u64,
    a_density_at: u64,
    b_density_at: u64,
    in_a: Inputs,
    in_b: Inputs,
    bytes: u64,
}

/// A witness in device memory.
pub(super) struct DeviceWitness<'a> {
    layout: &'a Layout<'a>,
    address: u64,
    _lease: Lease,
}

impl Inputs {
    fn new(inputs: impl Iterator<Item = usize>, values: u64, at: &mut u64) -> Self {
        let sources: Vec<u32> = inputs.map(|input| (values + input as u64) as u32).collect();
        let points: Vec<u32> = (0..sources.len() as u32).collect();
        Self {
            points_at: place(at, 4 * points.len() as u64),
            sources_at: place(at, 4 * sources.len() as u64),
            points,
            sources,
        }
    }

    /// How many.
    pub(super) fn len(&self) -> u64 {
        self.points.len() as u64
    }
}

/// Sets bytes aside and gives their offset.
fn place(at: &mut u64, bytes: u64) -> u64 {
    let offset = *at;
    *at = (offset + bytes).next_multiple_of(ALIGN);
    offset
}

impl<'a> Layout<'a> {
    /// Where everything of this assignment's witness goes.
    pub(super) fn new(assignment: &'a Assignment<'a>) -> Self {
        let values = match assignment.aux {
            AuxAssignment::Scalars(aux) => aux.len(),
            AuxAssignment::Compact(aux) => aux.values().len(),
        } as u64;
        let bitmap = 8 * assignment.aux.len().div_ceil(64) as u64;
        let mut at = 0;
        place(&mut at, 32 * (values + assignment.input.len() as u64));
        Self {
            assignment,
            values,
            ones_at: place(&mut at, bitmap),
            full_at: place(&mut at, bitmap),
            full_ranks_at: place(&mut at, 4 * assignment.aux.len().div_ceil(512) as u64),
            a_density_at: place(&mut at, bitmap),
            b_density_at: place(&mut at, bitmap),
            in_a: Inputs::new(0..assignment.input.len(), values, &mut at),
            in_b: Inputs::new(assignment.b_input_density.ones(), values, &mut at),
            bytes: at,
        }
    }

    /// Bytes of device memory.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The most values that are not bits, as far as the host knows.
    pub(super) fn most_full(&self) -> u64 {
        self.values
    }

    /// The most ones, as far as the host knows.
    pub(super) fn most_ones(&self) -> u64 {
        match self.assignment.aux {
            AuxAssignment::Scalars(aux) => aux.len() as u64,
            AuxAssignment::Compact(aux) => aux.ones().count_ones() as u64,
        }
    }

    /// Takes the memory.
    pub(super) fn take(
        &'a self,
        current: &Current<'_>,
        pool: &Arc<Pool>,
    ) -> Result<DeviceWitness<'a>> {
        let lease = pool.take(current, self.bytes, "the witness")?;
        Ok(DeviceWitness {
            layout: self,
            address: lease.address(),
            _lease: lease,
        })
    }
}

impl<'a> DeviceWitness<'a> {
    /// The copies that fill the memory.
    pub(super) fn orders(&self) -> Vec<Order<'a>> {
        let layout = self.layout;
        let assignment = layout.assignment;
        let order = |source: &'a [u8], offset: u64| Order {
            source,
            address: self.address + offset,
        };
        let mut orders = vec![
            order(scalar_bytes(assignment.input), 32 * layout.values),
            order(
                word_bytes(assignment.a_aux_density.words()),
                layout.a_density_at,
            ),
            order(
                word_bytes(assignment.b_aux_density.words()),
                layout.b_density_at,
            ),
        ];
        for inputs in [&layout.in_a, &layout.in_b] {
            orders.push(order(word_bytes(&inputs.points), inputs.points_at));
            orders.push(order(word_bytes(&inputs.sources), inputs.sources_at));
        }
        match assignment.aux {
            AuxAssignment::Scalars(aux) => orders.push(order(scalar_bytes(aux), 0)),
            AuxAssignment::Compact(aux) => {
                orders.push(order(scalar_bytes(aux.values()), 0));
                orders.push(order(word_bytes(aux.ones().words()), layout.ones_at));
                orders.push(order(word_bytes(aux.full().words()), layout.full_at));
                orders.push(order(word_bytes(aux.full().ranks()), layout.full_ranks_at));
            }
        }
        orders
    }

    /// Queues making the bitmaps, when the values came in full. Behind the upload.
    pub(super) fn classify(&self, compute: &Compute) -> Result<()> {
        if self.compact() {
            return Ok(());
        }
        let (ones, full) = (self.at(self.layout.ones_at), self.at(self.layout.full_at));
        let n = self.n() as u32;
        // SAFETY: values and bitmaps are parts of the witness's memory, of these sizes.
        let code = unsafe {
            let stream = compute.stream().as_ptr();
            let values = self.at(0) as usize as *const std::ffi::c_void;
            kernels::cuzk_launch_classify(stream, values, n, ones as _, full as _)
        };
        compute.check(code, "sorting the witness into bits and values")
    }

    /// Number of auxiliary variables.
    pub(super) fn n(&self) -> u64 {
        self.layout.assignment.aux.len() as u64
    }

    /// Whether only the values that are no bits are stored.
    pub(super) fn compact(&self) -> bool {
        matches!(self.layout.assignment.aux, AuxAssignment::Compact(_))
    }

    /// Where the value of a variable lies, or would: the first not before it, in a compact witness.
    pub(super) fn value_at(&self, variable: u64) -> u64 {
        let index = match self.layout.assignment.aux {
            AuxAssignment::Scalars(_) => variable,
            AuxAssignment::Compact(aux) => aux.full().rank(variable as usize) as u64,
        };
        self.at(32 * index)
    }

    /// The bitmap of ones from a variable on, which is a multiple of 64.
    pub(super) fn ones_at(&self, variable: u64) -> u64 {
        self.at(self.layout.ones_at + variable / 8)
    }

    /// The bitmap of values that are no bits.
    pub(super) fn full_at(&self, variable: u64) -> u64 {
        self.at(self.layout.full_at + variable / 8)
    }

    /// The number of values before every 512th variable; 0 where every variable has its value.
    pub(super) fn full_ranks(&self) -> u64 {
        match self.compact() {
            true => self.at(self.layout.full_ranks_at),
            false => 0,
        }
    }

    /// Where the inputs' values lie, and how many there are.
    pub(super) fn inputs(&self) -> (u64, usize) {
        let layout = self.layout;
        (self.at(32 * layout.values), layout.assignment.input.len())
    }

    /// The density of the a query, on the host and on the device.
    pub(super) fn a_density(&self) -> (&'a Bitmap, u64) {
        let density = self.layout.assignment.a_aux_density;
        (density, self.at(self.layout.a_density_at))
    }

    /// The density of the b queries.
    pub(super) fn b_density(&self) -> (&'a Bitmap, u64) {
        let density = self.layout.assignment.b_aux_density;
        (density, self.at(self.layout.b_density_at))
    }

    /// The inputs of the a query.
    pub(super) fn inputs_in_a(&self) -> &'a Inputs {
        &self.layout.in_a
    }

    /// The inputs of the b queries.
    pub(super) fn inputs_in_b(&self) -> &'a Inputs {
        &self.layout.in_b
    }

    /// Where the points' numbers and the values' places of a query's inputs lie.
    pub(super) fn inputs_at(&self, inputs: &Inputs) -> (u64, u64) {
        (self.at(inputs.points_at), self.at(inputs.sources_at))
    }

    fn at(&self, offset: u64) -> u64 {
        self.address + offset
    }
}
