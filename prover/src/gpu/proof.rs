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
use super::queries::{sum_all, BegunQuery, PendingQuery, QueryPart, PIECE};
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

/// The sums over the queries that the witness goes with, on their way to the host, each with the
/// mark behind it.
struct WitnessSums {
    l: (PendingQuery<G1>, Event),
    a: (PendingQuery<G1>, Event),
    b_g1: (PendingQuery<G1>, Event),
    b_g2: (PendingQuery<G2>, Event),
}

impl WitnessSums {
    /// Waits for the sums and reads them.
    fn wait(&self, work: &Work<'_, '_>) -> Result<Sums> {
        let queue = |query, done: &Event| -> Result<&Compute> {
            done.wait("summing the witness")?;
            Ok(&work.queues[work.queue_of(query)])
        };
        Ok(Sums {
            h: G1Projective::identity(),
            a: self.a.0.value(queue(1, &self.a.1)?),
            b_g1: self.b_g1.0.value(queue(2, &self.b_g1.1)?),
            l: self.l.0.value(queue(0, &self.l.1)?),
            b_g2: self.b_g2.0.value(queue(3, &self.b_g2.1)?),
        })
    }
}

/// What the time between two marks was spent on.
#[derive(Clone, Copy)]
enum Phase {
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
    /// The main queue, then one for each query.
    pub(super) queues: &'w mut [Compute],
    pub(super) current: &'w Current<'w>,
    pub(super) uploads: &'w Uploads<'a>,
    pub(super) plan: &'w Plan,
    pub(super) cancel: &'w Cancel,
}

impl Work<'_, '_> {
    /// The main queue.
    fn main(&mut self) -> &mut Compute {
        &mut self.queues[0]
    }

    /// Lets the main queue wait for what was uploaded.
    fn arrived(&mut self, arrival: &Arrival, timings: &mut Timings) -> Result<()> {
        timings.upload += arrival.time;
        timings.bytes_up += arrival.bytes;
        arrival.order(self.main().stream())
    }

    /// The queue of a query.
    fn queue_of(&self, query: usize) -> usize {
        match self.plan.side_by_side {
            true => 1 + query,
            false => 0,
        }
    }

    /// Queues the lists of one query.
    ///
    /// # Safety
    /// As `BegunQuery::new`.
    unsafe fn begin<'q>(
        &mut self,
        witness: &DeviceWitness<'_>,
        query: usize,
        part: QueryPart<'q>,
        clock: &mut Clock,
    ) -> Result<BegunQuery<'q>> {
        let queue = self.queue_of(query);
        clock.start(self, queue)?;
        // SAFETY: promised by the caller.
        unsafe { BegunQuery::new(&mut self.queues[queue], self.current, witness, part) }
    }

    /// Queues the sum over one query.
    ///
    /// # Safety
    /// As `BegunQuery::finish`.
    unsafe fn finish<G: Group>(
        &mut self,
        witness: &DeviceWitness<'_>,
        query: usize,
        begun: BegunQuery<'_>,
        clock: &mut Clock,
        phase: Phase,
    ) -> Result<(PendingQuery<G>, Event)> {
        let (current, scratch, cancel) = (self.current, self.plan.scratch, self.cancel);
        let queue = self.queue_of(query);
        let compute = &mut self.queues[queue];
        // SAFETY: promised by the caller.
        let sum = unsafe { begun.finish(compute, current, witness, scratch, cancel)? };
        clock.lap(self, queue, phase)?;
        let done = self.queues[queue].stream().mark(current)?;
        Ok((sum, done))
    }
}

/// When each queue's phases start and end, read once all is done.
#[derive(Default)]
struct Clock {
    /// Where the present phase of each queue started.
    starts: [Option<Event>; 5],
    laps: Vec<(Phase, Event, Event)>,
}

impl Clock {
    /// Starts a phase of a queue.
    fn start(&mut self, work: &Work<'_, '_>, queue: usize) -> Result<()> {
        self.starts[queue] = Some(work.queues[queue].stream().mark(work.current)?);
        Ok(())
    }

    /// Ends the phase; the queue's next one starts where it ends.
    fn lap(&mut self, work: &Work<'_, '_>, queue: usize, phase: Phase) -> Result<()> {
        let end = work.queues[queue].stream().mark(work.current)?;
        if let Some(start) = self.starts[queue].take() {
            self.laps.push((phase, start, end));
        }
        self.start(work, queue)
    }

    fn read(self, timings: &mut Timings) -> Result<()> {
        for (phase, start, end) in &self.laps {
            let field = match phase {
                Phase::MsmL => &mut timings.msm_l,
                Phase::MsmA => &mut timings.msm_a,
                Phase::MsmBG1 => &mut timings.msm_b_g1,
                Phase::MsmBG2 => &mut timings.msm_b_g2,
                Phase::Evaluate => &mut timings.constraint_evaluation,
                Phase::Ntt => &mut timings.ntt,
                Phase::MsmH => &mut timings.msm_h,
            };
            let time = end.since(start)?;
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
        let (table, scratch) = unsafe {
            let n = shape.h as u64;
            kernels::cuzk_msm_make_plan(&mut plan, 0, n, multiprocessors, usize::MAX);
            let log_n = rows.next_power_of_two().ilog2().max(1);
            (
                kernels::cuzk_ntt_tables_size(log_n) as u64,
                kernels::cuzk_msm_scratch_size(&plan) as u64,
            )
        };
        let streams = matches!(self.srs.h().points(), Points::Host(_));
        // What streams is listed and summed piece by piece.
        let at_once = |n: u64| if streams { n.min(PIECE) } else { n };
        let (ones, full) = (self.layout.most_ones(), self.layout.most_full());
        let sum_scratch = [shape.l, shape.a, shape.b_g1].map(|n| {
            let n = at_once(ones.min(n as u64)) as u32;
            // SAFETY: a function of numbers.
            unsafe { kernels::cuzk_sum_g1_scratch_size(n, multiprocessors) as u64 }
        });
        let b = at_once(ones.min(shape.b_g2 as u64)) as u32;
        // SAFETY: functions of numbers.
        let (of_b, split) = unsafe {
            let aux = at_once(shape.l as u64) as u32;
            (
                kernels::cuzk_sum_g2_scratch_size(b, multiprocessors) as u64,
                kernels::cuzk_split_scratch_size(aux) as u64,
            )
        };
        let sum_scratch = sum_scratch.into_iter().fold(of_b, u64::max);
        let (ones, full) = (at_once(ones), at_once(full));
        let largest = [shape.h, shape.l].map(|n| PIECE.min(n as u64));
        let piece = match streams {
            true => 2 * 192 * largest[0].max(largest[1]),
            false => 0,
        };
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
        work.queues.iter_mut().for_each(Compute::clear_slots);
        let mut clock = Clock::default();
        work.arrived(&witness, timings)?;
        // SAFETY: the stream waits for the witness, which stays in `memory`.
        let sums = unsafe { self.sum_witness(work, &memory.witness, &mut clock)? };
        if work.plan.phased {
            // The witness is done with; the evaluations take its room.
            let current = work.current;
            work.main()
                .stream()
                .finish(current, "summing the witness")?;
            if matches!(self.rows, RowSource::Given(_)) {
                memory.witness.release();
            }
            let pool = work.main().pool().clone();
            memory.evaluations.take(current, &pool)?;
            for orders in memory.evaluations.orders() {
                work.uploads.order(orders)?;
            }
        }
        // SAFETY: the vectors stay in `memory`.
        let h = unsafe { self.sum_quotient(work, memory, &mut clock, timings)? };
        // The host joins the windows of the other sums while the device is at h.
        let current = work.current;
        let of_witness = sums.wait(work)?;
        work.main().stream().finish(current, "proving")?;
        clock.read(timings)?;
        let mut of_h = G1Projective::identity();
        h.add_to(work.main(), &mut of_h);
        Ok(Sums {
            h: of_h,
            ..of_witness
        })
    }

    /// Queues the sums over l, a and b.
    ///
    /// # Safety
    /// The witness is there once the main stream gets there, and stays until all are done.
    unsafe fn sum_witness(
        &self,
        work: &mut Work<'_, '_>,
        witness: &DeviceWitness<'_>,
        clock: &mut Clock,
    ) -> Result<WitnessSums> {
        witness.classify(work.main())?;
        if work.plan.side_by_side {
            let current = work.current;
            let classified = work.main().stream().mark(current)?;
            for queue in &work.queues[1..] {
                queue.stream().wait_for(&classified)?;
            }
        }
        let part = |query, density, inputs| QueryPart {
            query,
            density,
            inputs,
        };
        let (srs, in_b) = (self.srs, Some(witness.inputs_in_b()));
        let a_density = Some(witness.a_density());
        let b_density = Some(witness.b_density());
        let of_l = part(srs.l(), None, None);
        let of_a = part(srs.a(), a_density, Some(witness.inputs_in_a()));
        let of_b_g1 = part(srs.b_g1(), b_density, in_b);
        let of_b_g2 = part(srs.b_g2(), b_density, in_b);
        // SAFETY: promised by the caller; the parameters outlive the proof. On one queue a query
        // is finished before the next one begins, as they share their lists.
        unsafe {
            if work.plan.side_by_side {
                let l = work.begin(witness, 0, of_l, clock)?;
                let a = work.begin(witness, 1, of_a, clock)?;
                let b_g1 = work.begin(witness, 2, of_b_g1, clock)?;
                let b_g2 = work.begin(witness, 3, of_b_g2, clock)?;
                // The longest first.
                let b_g2 = work.finish(witness, 3, b_g2, clock, Phase::MsmBG2)?;
                let l = work.finish(witness, 0, l, clock, Phase::MsmL)?;
                let a = work.finish(witness, 1, a, clock, Phase::MsmA)?;
                let b_g1 = work.finish(witness, 2, b_g1, clock, Phase::MsmBG1)?;
                return Ok(WitnessSums { l, a, b_g1, b_g2 });
            }
            let l = work.begin(witness, 0, of_l, clock)?;
            let l = work.finish(witness, 0, l, clock, Phase::MsmL)?;
            let a = work.begin(witness, 1, of_a, clock)?;
            let a = work.finish(witness, 1, a, clock, Phase::MsmA)?;
            let b_g1 = work.begin(witness, 2, of_b_g1, clock)?;
            let b_g1 = work.finish(witness, 2, b_g1, clock, Phase::MsmBG1)?;
            let b_g2 = work.begin(witness, 3, of_b_g2, clock)?;
            let b_g2 = work.finish(witness, 3, b_g2, clock, Phase::MsmBG2)?;
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
    ) -> Result<PendingMsm<G1>> {
        let (current, cancel, scratch) = (work.current, self.cancel, work.plan.scratch);
        match self.rows {
            RowSource::Given(given) => {
                memory.evaluations.pad(work.main())?;
                for _ in given {
                    let arrival = work.uploads.next(cancel)?;
                    work.arrived(&arrival, timings)?;
                }
            }
            RowSource::Compiled(circuit) => {
                let uploads = work.uploads;
                // SAFETY: the caller finishes the uploads on failure.
                let arrival = unsafe {
                    work.main()
                        .bring_circuit(current, circuit, uploads, cancel)?
                };
                if let Some(arrival) = arrival {
                    timings.upload += arrival.time;
                    timings.bytes_up += arrival.bytes;
                }
                clock.start(work, 0)?;
                // SAFETY: the witness came first in the stream; the caller keeps both.
                unsafe { memory.evaluations.evaluate(work.main(), &memory.witness)? };
                clock.lap(work, 0, Phase::Evaluate)?;
            }
        }
        clock.start(work, 0)?;
        // SAFETY: uploads and padding come first in the stream; the caller keeps the vectors.
        unsafe { memory.evaluations.quotient(work.main(), current)? };
        clock.lap(work, 0, Phase::Ntt)?;
        if work.plan.phased {
            work.main().stream().finish(current, "the quotient")?;
            memory.evaluations.drop_factors();
        }
        let (query, scalars) = (self.srs.h(), memory.evaluations.coefficients());
        // SAFETY: the coefficients come first in the stream, and the caller keeps them.
        let h = unsafe { sum_all(work.main(), current, query, scalars, scratch, cancel)? };
        clock.lap(work, 0, Phase::MsmH)?;
        Ok(h)
    }
}
