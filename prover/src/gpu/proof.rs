// SPDX-License-Identifier: MIT OR Apache-2.0
//! One proof's way through the device.

use std::sync::Arc;

use group::Group as _;

use super::circuit::circuit_bytes;
use super::compute::Compute;
use super::context::Current;
use super::kernels::{self, MsmPlan};
use super::msm::{Group, PendingMsm, G1, G2};
use super::plan::{Needs, Plan};
use super::pool::Pool;
use super::queries::{sum_all, sum_query, PendingQuery, QueryPart, PIECE};
use super::quotient::{evaluation_bytes, Evaluations, RowSource};
use super::srs::{GpuSrs, Points};
use super::stream::Event;
use super::upload::{Arrival, Uploads};
use super::witness::{DeviceWitness, Layout};
use crate::backend::{Assignment, Cancel, ResidentSrs, Rows, Sums};
use crate::curve::G1Projective;
use crate::timing::Timings;
use crate::Result;

/// An assignment and its parameters.
pub(super) struct Proof<'a> {
    srs: &'a GpuSrs,
    layout: Layout<'a>,
    rows: RowSource<'a>,
    cancel: &'a Cancel,
}

/// The device memory of one proof.
pub(super) struct ProofMemory<'a> {
    witness: DeviceWitness<'a>,
    evaluations: Evaluations<'a>,
}

/// The sums over the queries that the witness goes with, on their way to the host.
struct WitnessSums {
    l: PendingQuery<G1>,
    a: PendingQuery<G1>,
    b_g1: PendingQuery<G1>,
    b_g2: PendingQuery<G2>,
}

/// What the time between two marks was spent on.
#[derive(Clone, Copy)]
enum Phase {
    /// Waiting for uploads.
    Wait,
    MsmL,
    MsmA,
    MsmBG1,
    MsmBG2,
    Evaluate,
    Ntt,
    MsmH,
}

/// What a proof is computed with.
pub(super) struct Work<'w, 'a> {
    pub(super) compute: &'w mut Compute,
    pub(super) current: &'w Current<'w>,
    pub(super) uploads: &'w Uploads<'a>,
    pub(super) plan: &'w Plan,
    pub(super) cancel: &'w Cancel,
}

impl Work<'_, '_> {
    /// Lets the stream wait for what was uploaded.
    fn arrived(&self, arrival: &Arrival, timings: &mut Timings) -> Result<()> {
        timings.upload += arrival.time;
        timings.bytes_up += arrival.bytes;
        arrival.order(self.compute.stream())
    }

    /// Queues the sum over one query.
    ///
    /// # Safety
    /// As `sum_query`.
    unsafe fn sum<G: Group>(
        &mut self,
        witness: &DeviceWitness<'_>,
        part: &QueryPart<'_>,
        clock: &mut Clock,
        phase: Phase,
    ) -> Result<PendingQuery<G>> {
        let scratch = self.plan.scratch;
        // SAFETY: promised by the caller.
        let sum = unsafe {
            sum_query(
                self.compute,
                self.current,
                witness,
                part,
                scratch,
                self.cancel,
            )?
        };
        clock.lap(self, phase)?;
        Ok(sum)
    }
}

/// Marks between the phases, read once the stream is done.
struct Clock {
    last: Event,
    laps: Vec<(Phase, Event)>,
}

impl Clock {
    fn start(work: &Work<'_, '_>) -> Result<Self> {
        Ok(Self {
            last: work.compute.stream().mark(work.current)?,
            laps: Vec::new(),
        })
    }

    fn lap(&mut self, work: &Work<'_, '_>, phase: Phase) -> Result<()> {
        self.laps
            .push((phase, work.compute.stream().mark(work.current)?));
        Ok(())
    }

    fn read(self, timings: &mut Timings) -> Result<()> {
        let mut last = &self.last;
        for (phase, mark) in &self.laps {
            let time = mark.since(last)?;
            last = mark;
            let field = match phase {
                Phase::Wait => continue,
                Phase::MsmL => &mut timings.msm_l,
                Phase::MsmA => &mut timings.msm_a,
                Phase::MsmBG1 => &mut timings.msm_b_g1,
                Phase::MsmBG2 => &mut timings.msm_b_g2,
                Phase::Evaluate => &mut timings.constraint_evaluation,
                Phase::Ntt => &mut timings.ntt,
                Phase::MsmH => &mut timings.msm_h,
            };
            *field += time;
            timings.device_busy += time;
        }
        Ok(())
    }
}

impl<'a> Proof<'a> {
    pub(super) fn new(srs: &'a GpuSrs, assignment: &'a Assignment<'a>, cancel: &'a Cancel) -> Self {
        let rows = match assignment.rows {
            Rows::Given { a, b, c } => RowSource::Given([a, b, c]),
            Rows::Compiled(circuit) => RowSource::Compiled(circuit),
        };
        Self {
            srs,
            layout: Layout::new(assignment),
            rows,
            cancel,
        }
    }

    /// What ends it early.
    pub(super) fn cancel(&self) -> &'a Cancel {
        self.cancel
    }

    /// The memory that it would best have.
    pub(super) fn needs(&self, multiprocessors: i32) -> Needs {
        let shape = self.srs.shape();
        let rows = self.rows.len();
        let mut plan = MsmPlan::default();
        // SAFETY: functions of numbers; the plan is written first.
        let (table, scratch, split) = unsafe {
            let n = shape.h as u64;
            kernels::cuzk_msm_make_plan(&mut plan, 0, n, multiprocessors, usize::MAX);
            let log_n = rows.next_power_of_two().ilog2().max(1);
            (
                kernels::cuzk_ntt_tables_size(log_n) as u64,
                kernels::cuzk_msm_scratch_size(&plan) as u64,
                kernels::cuzk_split_scratch_size(shape.l as u32) as u64,
            )
        };
        let (ones, full) = (self.layout.most_ones(), self.layout.most_full());
        let sums = [shape.l, shape.a, shape.b_g1].map(|n| {
            // SAFETY: a function of numbers.
            unsafe { kernels::cuzk_sum_g1_scratch_size(n as u32, multiprocessors) as u64 }
        });
        let sum_scratch = sums.into_iter().max().unwrap_or(0);
        let streams = matches!(self.srs.h().points(), Points::Host(_));
        let piece = if streams { 2 * 192 * PIECE } else { 0 };
        let circuit = match self.rows {
            RowSource::Given(_) => 0,
            RowSource::Compiled(circuit) => circuit_bytes(circuit),
        };
        Needs {
            witness: self.layout.bytes(),
            lists: 4 * ones + 8 * full + split + sum_scratch,
            evaluations: evaluation_bytes(rows),
            table: table + circuit,
            stream: piece,
            scratch,
        }
    }

    /// Takes the memory of the first phase, or of both.
    pub(super) fn take(
        &'a self,
        current: &Current<'_>,
        pool: &Arc<Pool>,
        plan: &Plan,
    ) -> Result<ProofMemory<'a>> {
        let mut evaluations = Evaluations::new(self.rows);
        if !plan.phased {
            evaluations.take(current, pool)?;
        }
        Ok(ProofMemory {
            witness: self.layout.take(current, pool)?,
            evaluations,
        })
    }

    /// Orders the uploads of the memory taken, and waits for the first: the witness.
    pub(super) fn start(
        &self,
        memory: &ProofMemory<'a>,
        uploads: &Uploads<'a>,
        plan: &Plan,
    ) -> Result<Arrival> {
        uploads.order(memory.witness.orders())?;
        if !plan.phased {
            for orders in memory.evaluations.orders() {
                uploads.order(orders)?;
            }
        }
        uploads.next(self.cancel)
    }

    /// Queues everything, waits for it, and reads the sums.
    ///
    /// # Safety
    /// The witness's upload has been waited for by `start`. On failure the stream and the uploads
    /// must be finished before `memory` is dropped.
    pub(super) unsafe fn compute(
        &self,
        work: &mut Work<'_, 'a>,
        memory: &mut ProofMemory<'a>,
        witness: Arrival,
        timings: &mut Timings,
    ) -> Result<Sums> {
        work.compute.clear_slots();
        let mut clock = Clock::start(work)?;
        work.arrived(&witness, timings)?;
        clock.lap(work, Phase::Wait)?;
        // SAFETY: the stream waits for the witness, which stays in `memory`.
        let sums = unsafe { self.sum_witness(work, &memory.witness, &mut clock)? };
        if work.plan.phased {
            // The witness is done with; the evaluations take its room.
            work.compute
                .stream()
                .finish(work.current, "summing the witness")?;
            if matches!(self.rows, RowSource::Given(_)) {
                memory.witness.release();
            }
            let pool = work.compute.pool().clone();
            memory.evaluations.take(work.current, &pool)?;
            for orders in memory.evaluations.orders() {
                work.uploads.order(orders)?;
            }
        }
        // SAFETY: the vectors stay in `memory`.
        let h = unsafe { self.sum_quotient(work, memory, &mut clock, timings)? };
        work.compute.stream().finish(work.current, "proving")?;
        clock.read(timings)?;
        let mut of_h = G1Projective::identity();
        if let Some(h) = h {
            of_h += h.value(work.compute);
        }
        Ok(Sums {
            h: of_h,
            l: sums.l.value(work.compute),
            a: sums.a.value(work.compute),
            b_g1: sums.b_g1.value(work.compute),
            b_g2: sums.b_g2.value(work.compute),
        })
    }

    /// Queues the sums over l, a and b.
    ///
    /// # Safety
    /// The witness is there once the stream gets there, and stays until it is done.
    unsafe fn sum_witness(
        &self,
        work: &mut Work<'_, '_>,
        witness: &DeviceWitness<'_>,
        clock: &mut Clock,
    ) -> Result<WitnessSums> {
        witness.classify(work.compute)?;
        let part = |query, density, inputs| QueryPart {
            query,
            density,
            inputs,
        };
        let (srs, in_b) = (self.srs, Some(witness.inputs_in_b()));
        let of_l = part(srs.l(), None, None);
        let of_a = part(
            srs.a(),
            Some(witness.a_density()),
            Some(witness.inputs_in_a()),
        );
        let of_b_g1 = part(srs.b_g1(), Some(witness.b_density()), in_b);
        let of_b_g2 = part(srs.b_g2(), Some(witness.b_density()), in_b);
        // SAFETY: promised by the caller; the parameters outlive the proof.
        unsafe {
            let l = work.sum(witness, &of_l, clock, Phase::MsmL)?;
            let a = work.sum(witness, &of_a, clock, Phase::MsmA)?;
            let b_g1 = work.sum(witness, &of_b_g1, clock, Phase::MsmBG1)?;
            let b_g2 = work.sum(witness, &of_b_g2, clock, Phase::MsmBG2)?;
            Ok(WitnessSums { l, a, b_g1, b_g2 })
        }
    }

    /// Queues the quotient and its sum over h, behind the uploads of the evaluations.
    ///
    /// # Safety
    /// The memory stays until the stream is done. On failure the uploads are finished before
    /// anything else is done.
    unsafe fn sum_quotient(
        &self,
        work: &mut Work<'_, 'a>,
        memory: &mut ProofMemory<'a>,
        clock: &mut Clock,
        timings: &mut Timings,
    ) -> Result<Option<PendingMsm<G1>>> {
        let evaluations = &mut memory.evaluations;
        match self.rows {
            RowSource::Given(given) => {
                evaluations.pad(work.compute)?;
                for _ in given {
                    let arrival = work.uploads.next(self.cancel)?;
                    work.arrived(&arrival, timings)?;
                }
                clock.lap(work, Phase::Wait)?;
            }
            RowSource::Compiled(circuit) => {
                let (compute, uploads) = (&mut *work.compute, work.uploads);
                // SAFETY: the caller finishes the uploads on failure.
                let arrival =
                    unsafe { compute.bring_circuit(work.current, circuit, uploads, self.cancel)? };
                if let Some(arrival) = arrival {
                    timings.upload += arrival.time;
                    timings.bytes_up += arrival.bytes;
                }
                clock.lap(work, Phase::Wait)?;
                // SAFETY: the witness came first in the stream; the caller keeps both.
                unsafe { evaluations.evaluate(work.compute, &memory.witness)? };
                clock.lap(work, Phase::Evaluate)?;
            }
        }
        // SAFETY: uploads and padding come first in the stream; the caller keeps the vectors.
        unsafe { evaluations.quotient(work.compute, work.current)? };
        clock.lap(work, Phase::Ntt)?;
        if work.plan.phased {
            work.compute.stream().finish(work.current, "the quotient")?;
            evaluations.drop_factors();
        }
        let (query, scalars) = (self.srs.h(), evaluations.coefficients());
        let (compute, current, scratch) = (&mut *work.compute, work.current, work.plan.scratch);
        // SAFETY: the coefficients come first in the stream, and the caller keeps them.
        let h = unsafe { sum_all(compute, current, query, scalars, scratch, self.cancel)? };
        clock.lap(work, Phase::MsmH)?;
        Ok(h)
    }
}
