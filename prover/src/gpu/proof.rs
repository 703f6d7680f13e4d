// SPDX-License-Identifier: MIT OR Apache-2.0
//! One proof's way through the device.

use std::sync::{Arc, Mutex};

use group::Group as _;

use super::circuit::circuit_bytes;
use super::compute::{Compute, Queueing};
use super::context::Current;
use super::kernels::{self, MsmPlan};
use super::msm::{Group, PendingMsm, G1, G2};
use super::plan::{Needs, Phases, Plan};
use super::pool::Pool;
use super::queries::{piece, sum_all, sum_query, Counts, PendingQuery, QueryPart};
use super::queues::{lock, Queues};
use super::quotient::{evaluation_bytes, Evaluations, RowSource};
use super::results::{ProofResults, Results};
use super::srs::{GpuSrs, Points};
use super::stream::Event;
use super::upload::{Arrival, Uploads};
use super::witness::{DeviceWitness, Layout};
use crate::backend::{Assignment, Cancel, ResidentSrs, Rows, Sums};
use crate::curve::G1Projective;
use crate::timing::Timings;
use crate::{Error, ErrorKind, Result};

/// An assignment and its parameters.
pub(super) struct Proof<'a> {
    srs: &'a GpuSrs,
    layout: Layout<'a>,
    rows: RowSource<'a>,
    cancel: &'a Cancel,
    /// Variables of a piece where parameters stream.
    piece: u64,
}

/// The device memory of one proof.
pub(super) struct ProofMemory<'a> {
    /// Taken later where it is not needed first and would not fit.
    witness: Option<DeviceWitness<'a>>,
    evaluations: Evaluations<'a>,
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

/// A phase's start and end in a queue.
struct Lap {
    phase: Phase,
    start: Event,
    end: Event,
}

/// A query, and the ones and others of each of its pieces.
type Step<'q> = (Phase, QueryPart<'q>, &'q [(u64, u64)]);

/// The sums over l, a and b on their way to the host.
struct PendingSums {
    l: (PendingQuery<G1>, Lap),
    a: (PendingQuery<G1>, Lap),
    b_g1: (PendingQuery<G1>, Lap),
    b_g2: (PendingQuery<G2>, Lap),
}

/// The quotient's coefficients: where, and when they are there.
struct Quotient {
    coefficients: u64,
    there: Event,
}

/// What a proof is computed with.
pub(super) struct Work<'w, 'a> {
    pub(super) queues: &'w Queues,
    pub(super) pool: &'w Arc<Pool>,
    pub(super) current: &'w Current<'w>,
    pub(super) uploads: &'w Uploads<'a>,
    pub(super) plan: &'w Plan,
}

impl Lap {
    /// Adds the time, once it is over.
    fn read(&self, timings: &mut Timings) -> Result<()> {
        let field = match self.phase {
            Phase::MsmL => &mut timings.msm_l,
            Phase::MsmA => &mut timings.msm_a,
            Phase::MsmBG1 => &mut timings.msm_b_g1,
            Phase::MsmBG2 => &mut timings.msm_b_g2,
            Phase::Evaluate => &mut timings.constraint_evaluation,
            Phase::Ntt => &mut timings.ntt,
            Phase::MsmH => &mut timings.msm_h,
        };
        let time = self.end.since(&self.start)?;
        *field += time;
        timings.device_busy += time;
        Ok(())
    }
}

impl PendingSums {
    /// Waits for the sums and reads them; the one over h is left out.
    fn read(self, results: &Results, laps: &mut Vec<Lap>) -> Result<Sums> {
        self.b_g2.1.end.wait("summing the witness")?;
        let sums = Sums {
            h: G1Projective::identity(),
            l: self.l.0.value(results),
            a: self.a.0.value(results),
            b_g1: self.b_g1.0.value(results),
            b_g2: self.b_g2.0.value(results),
        };
        laps.extend([self.l.1, self.a.1, self.b_g1.1, self.b_g2.1]);
        Ok(sums)
    }
}

/// Queues work on a queue, which is locked meanwhile and no longer.
fn lap<T>(
    queue: &Mutex<Compute>,
    current: &Current<'_>,
    phase: Phase,
    work: impl FnOnce(&mut Compute) -> Result<T>,
) -> Result<(T, Lap)> {
    let mut compute = lock(queue);
    let start = compute.stream().mark(current)?;
    let value = work(&mut compute)?;
    let end = compute.stream().mark(current)?;
    Ok((value, Lap { phase, start, end }))
}

fn count_upload(arrival: &Arrival, timings: &mut Timings) {
    timings.upload += arrival.time;
    timings.bytes_up += arrival.bytes;
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
            piece: piece(srs.pool().budget()),
        }
    }

    /// The memory that it would best have.
    pub(super) fn needs(&self, multiprocessors: i32) -> Needs {
        let shape = self.srs.shape();
        let rows = self.rows.len();
        let scratch = |n: u64| {
            let mut plan = MsmPlan::default();
            // SAFETY: functions of numbers; the plan is written first.
            unsafe {
                kernels::cuzk_msm_make_plan(&mut plan, 0, n, multiprocessors, usize::MAX);
                kernels::cuzk_msm_scratch_size(&plan) as u64
            }
        };
        let log_n = rows.next_power_of_two().ilog2().max(1);
        // SAFETY: a function of a number.
        let table = unsafe { kernels::cuzk_ntt_tables_size(log_n) as u64 };
        let streams = matches!(self.srs.h().points(), Points::Host(_));
        // What streams is listed and summed piece by piece.
        let at_once = |n: u64| if streams { n.min(self.piece) } else { n };
        let (ones, full) = (self.layout.most_ones(), self.layout.most_full());
        let other_scratch = scratch(full.min(shape.l as u64));
        let sum_scratch = [shape.l, shape.a, shape.b_g1].map(|n| {
            let n = at_once(ones.min(n as u64)) as u32;
            // SAFETY: a function of a number.
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
        let largest = [shape.h, shape.l].map(|n| self.piece.min(n as u64));
        let piece = match streams {
            true => 2 * 96 * largest[0].max(largest[1]),
            false => 0,
        };
        let circuit = match self.rows {
            RowSource::Given(_) => 0,
            RowSource::Compiled(circuit) => circuit_bytes(circuit),
        };
        let witness = self.layout.bytes();
        Needs {
            witness,
            witness_of_rows: match self.rows {
                RowSource::Given(_) => 0,
                RowSource::Compiled(_) => witness,
            },
            lists: 4 * ones + 8 * full + 2 * split + sum_scratch,
            evaluations: evaluation_bytes(rows),
            table: table + circuit,
            stream: piece,
            scratch: scratch(shape.h as u64),
            other_scratch,
        }
    }

    /// Whether the witness is brought before the rows.
    fn witness_first(&self, plan: &Plan) -> bool {
        plan.phases == Phases::One || matches!(self.rows, RowSource::Compiled(_))
    }

    /// Takes the memory of the first phase.
    pub(super) fn take(
        &'a self,
        current: &Current<'_>,
        pool: &Arc<Pool>,
        plan: &Plan,
    ) -> Result<ProofMemory<'a>> {
        let mut evaluations = Evaluations::new(self.rows);
        evaluations.take(current, pool)?;
        let witness = match self.witness_first(plan) {
            true => Some(self.layout.take(current, pool)?),
            false => None,
        };
        Ok(ProofMemory {
            witness,
            evaluations,
        })
    }

    /// Orders the uploads of the memory taken, and waits for the witness if it is among them.
    pub(super) fn start(
        &self,
        memory: &ProofMemory<'a>,
        uploads: &Uploads<'a>,
    ) -> Result<Option<Arrival>> {
        if let Some(witness) = &memory.witness {
            uploads.order(witness.orders())?;
        }
        for orders in memory.evaluations.orders() {
            uploads.order(orders)?;
        }
        let next = || uploads.next(self.cancel);
        memory.witness.as_ref().map(|_| next()).transpose()
    }

    /// Queues everything, waits for it, and reads the sums.
    ///
    /// # Safety
    /// `witness` is what `start` returned. On failure all queues and the uploads must be finished
    /// before `memory` and `results` are dropped or used again.
    pub(super) unsafe fn compute(
        &'a self,
        work: &Work<'_, 'a>,
        memory: &mut ProofMemory<'a>,
        results: &mut ProofResults,
        witness: Option<Arrival>,
        timings: &mut Timings,
    ) -> Result<Sums> {
        // SAFETY: promised by the caller.
        let (sums, laps) = unsafe {
            match (work.plan.phases, witness, memory.witness.take()) {
                (Phases::One, Some(arrival), Some(witness)) => {
                    let witness = memory.witness.insert(witness);
                    let evaluations = &mut memory.evaluations;
                    let counts =
                        self.count(work, witness, &mut results.counts, arrival, timings)?;
                    match work.plan.side_by_side {
                        true => self.all_side_by_side(
                            work,
                            (witness, evaluations),
                            results,
                            &counts,
                            timings,
                        )?,
                        false => self.all_in_turn(
                            work,
                            (witness, evaluations),
                            results,
                            &counts,
                            timings,
                        )?,
                    }
                }
                (_, arrival, witness) => {
                    memory.witness = witness;
                    self.all_in_phases(work, memory, results, arrival, timings)?
                }
            }
        };
        laps.iter().try_for_each(|lap| lap.read(timings))?;
        Ok(sums)
    }

    /// The parts of the queries l, a, b_g1 and b_g2.
    fn parts(&self, witness: &DeviceWitness<'a>) -> [QueryPart<'a>; 4] {
        let part = |query, density, inputs| QueryPart {
            query,
            density,
            inputs,
            piece: self.piece,
        };
        let (srs, in_b) = (self.srs, Some(witness.inputs_in_b()));
        let (a_density, b_density) = (witness.a_density(), witness.b_density());
        [
            part(srs.l(), None, None),
            part(srs.a(), Some(a_density), Some(witness.inputs_in_a())),
            part(srs.b_g1(), Some(b_density), in_b),
            part(srs.b_g2(), Some(b_density), in_b),
        ]
    }

    /// Sorts the witness into bits and others, and counts both in the pieces of l, a and b.
    ///
    /// # Safety
    /// As `compute`.
    unsafe fn count(
        &self,
        work: &Work<'_, 'a>,
        witness: &DeviceWitness<'a>,
        results: &mut Results,
        arrival: Arrival,
        timings: &mut Timings,
    ) -> Result<[Vec<(u64, u64)>; 3]> {
        count_upload(&arrival, timings);
        let parts = self.parts(witness);
        let mut compute = lock(&work.queues.counts);
        arrival.order(compute.stream())?;
        witness.classify(&compute)?;
        let mut queueing = Queueing {
            compute: &mut compute,
            results: &mut *results,
            current: work.current,
            cancel: self.cancel,
        };
        // SAFETY: promised by the caller; the witness comes first in the queue.
        let counts = unsafe {
            [
                Counts::queue(&mut queueing, witness, &parts[0])?,
                Counts::queue(&mut queueing, witness, &parts[1])?,
                Counts::queue(&mut queueing, witness, &parts[2])?,
            ]
        };
        let done = compute.stream().mark(work.current)?;
        drop(compute);
        done.wait("sorting the witness")?;
        self.cancel.check()?;
        Ok(counts.map(|counts| counts.read(results)))
    }

    /// Queues the sum over one query.
    ///
    /// # Safety
    /// As `compute`, the witness counted.
    unsafe fn queue_query<G: Group>(
        &self,
        queue: &Mutex<Compute>,
        current: &Current<'_>,
        results: &mut Results,
        witness: &DeviceWitness<'a>,
        (phase, part, counts): Step<'_>,
        scratch: u64,
    ) -> Result<(PendingQuery<G>, Lap)> {
        lap(queue, current, phase, |compute| {
            let mut queueing = Queueing {
                compute,
                results,
                current,
                cancel: self.cancel,
            };
            // SAFETY: promised by the caller.
            unsafe { sum_query(&mut queueing, witness, &part, counts, scratch) }
        })
    }

    /// The same, waited for.
    ///
    /// # Safety
    /// As `queue_query`.
    unsafe fn sum_alone<G: Group>(
        &self,
        work: (&Mutex<Compute>, &Pool, u64),
        results: &mut Results,
        witness: &DeviceWitness<'a>,
        step: Step<'_>,
    ) -> Result<(G::Projective, Lap)> {
        let (queue, pool, scratch) = work;
        let current = pool.context().enter()?;
        // SAFETY: promised by the caller.
        let (pending, lap) =
            unsafe { self.queue_query::<G>(queue, &current, results, witness, step, scratch)? };
        lap.end.wait("summing the witness")?;
        Ok((pending.value(results), lap))
    }

    /// The four queries.
    fn steps<'s>(
        &self,
        witness: &DeviceWitness<'a>,
        [l, a, b]: &'s [Vec<(u64, u64)>; 3],
    ) -> [Step<'s>; 4]
    where
        'a: 's,
    {
        let parts = self.parts(witness);
        [
            (Phase::MsmL, parts[0], l),
            (Phase::MsmA, parts[1], a),
            (Phase::MsmBG1, parts[2], b),
            (Phase::MsmBG2, parts[3], b),
        ]
    }

    /// All sums, those over the queries on queues of their own: small ones leave most of the
    /// device idle. Much of their time is the host's, so each has a thread too.
    ///
    /// # Safety
    /// As `compute`, the witness counted.
    unsafe fn all_side_by_side(
        &self,
        work: &Work<'_, 'a>,
        (witness, evaluations): (&DeviceWitness<'a>, &mut Evaluations<'a>),
        results: &mut ProofResults,
        counts: &[Vec<(u64, u64)>; 3],
        timings: &mut Timings,
    ) -> Result<(Sums, Vec<Lap>)> {
        let steps = self.steps(witness, counts);
        let with = |query: usize| {
            let (queues, scratch) = (&work.queues.queries, work.plan.other_scratch);
            (&queues[query], &**work.pool, scratch)
        };
        let (of_l, of_a, of_b_g1, of_b_g2) = (with(0), with(1), with(2), with(3));
        let [for_l, for_a, for_b_g1, for_b_g2] = &mut results.queries;
        std::thread::scope(|scope| {
            // SAFETY (of all four): promised by the caller.
            let b_g2 = scope.spawn(move || unsafe {
                self.sum_alone::<G2>(of_b_g2, for_b_g2, witness, steps[3])
            });
            let l = scope
                .spawn(move || unsafe { self.sum_alone::<G1>(of_l, for_l, witness, steps[0]) });
            let a = scope
                .spawn(move || unsafe { self.sum_alone::<G1>(of_a, for_a, witness, steps[1]) });
            let b_g1 = scope.spawn(move || unsafe {
                self.sum_alone::<G1>(of_b_g1, for_b_g1, witness, steps[2])
            });
            // SAFETY: promised by the caller.
            let (h, mut laps) = unsafe {
                let witness = Some(witness);
                let (at, mut laps) = self.queue_quotient(work, evaluations, witness, timings)?;
                let (queue, scratch) = (&work.queues.h, work.plan.scratch);
                let (h, lap) = self.queue_h(queue, work.current, &mut results.h, &at, scratch)?;
                lap.end.wait("proving")?;
                laps.push(lap);
                (h, laps)
            };
            let h = value_of_h(&h, &results.h);
            let (l, lap_l) = joined(l.join())?;
            let (a, lap_a) = joined(a.join())?;
            let (b_g1, lap_b_g1) = joined(b_g1.join())?;
            let (b_g2, lap_b_g2) = joined(b_g2.join())?;
            laps.extend([lap_l, lap_a, lap_b_g1, lap_b_g2]);
            let sums = Sums {
                h,
                l,
                a,
                b_g1,
                b_g2,
            };
            Ok((sums, laps))
        })
    }

    /// Queues the sums over l, a and b, one after the other.
    ///
    /// # Safety
    /// As `compute`, the witness counted.
    unsafe fn queue_queries(
        &self,
        work: &Work<'_, 'a>,
        results: &mut Results,
        witness: &DeviceWitness<'a>,
        counts: &[Vec<(u64, u64)>; 3],
    ) -> Result<PendingSums> {
        let (queue, current) = (&work.queues.main, work.current);
        let scratch = work.plan.other_scratch;
        let [l, a, b_g1, b_g2] = self.steps(witness, counts);
        // SAFETY: promised by the caller.
        unsafe {
            Ok(PendingSums {
                l: self.queue_query(queue, current, results, witness, l, scratch)?,
                a: self.queue_query(queue, current, results, witness, a, scratch)?,
                b_g1: self.queue_query(queue, current, results, witness, b_g1, scratch)?,
                b_g2: self.queue_query(queue, current, results, witness, b_g2, scratch)?,
            })
        }
    }

    /// All sums, one after the other. With two lanes the sum over h has a queue of its own: the
    /// next proof's other work goes on beside it.
    ///
    /// # Safety
    /// As `compute`, the witness counted.
    unsafe fn all_in_turn(
        &self,
        work: &Work<'_, 'a>,
        (witness, evaluations): (&DeviceWitness<'a>, &mut Evaluations<'a>),
        results: &mut ProofResults,
        counts: &[Vec<(u64, u64)>; 3],
        timings: &mut Timings,
    ) -> Result<(Sums, Vec<Lap>)> {
        let queue = match work.plan.lanes > 1 {
            true => &work.queues.h,
            false => &work.queues.main,
        };
        // SAFETY: promised by the caller.
        let (sums, h, mut laps) = unsafe {
            let sums = self.queue_queries(work, &mut results.main, witness, counts)?;
            let (at, mut laps) = self.queue_quotient(work, evaluations, Some(witness), timings)?;
            let (current, scratch) = (work.current, work.plan.scratch);
            let (h, lap) = self.queue_h(queue, current, &mut results.h, &at, scratch)?;
            laps.push(lap);
            (sums, h, laps)
        };
        // The host joins the windows of the other sums while the device is at h.
        let mut sums = sums.read(&results.main, &mut laps)?;
        laps.iter().try_for_each(|lap| lap.end.wait("proving"))?;
        sums.h = value_of_h(&h, &results.h);
        Ok((sums, laps))
    }

    /// All sums where memory is scarce: first the quotient, then the witness in the room of a and
    /// c, beside the sum over h or after it.
    ///
    /// # Safety
    /// As `compute`.
    unsafe fn all_in_phases(
        &'a self,
        work: &Work<'_, 'a>,
        memory: &mut ProofMemory<'a>,
        results: &mut ProofResults,
        arrival: Option<Arrival>,
        timings: &mut Timings,
    ) -> Result<(Sums, Vec<Lap>)> {
        let ProofMemory {
            witness,
            evaluations,
        } = memory;
        let (current, plan) = (work.current, work.plan);
        if let Some(arrival) = &arrival {
            arrival.order(lock(&work.queues.main).stream())?;
        }
        // SAFETY: the queue waits for the witness if the rows need it.
        let (at, mut laps) =
            unsafe { self.queue_quotient(work, evaluations, witness.as_ref(), timings)? };
        at.there.wait("the quotient")?;
        evaluations.keep_quotient();
        let ProofResults {
            counts, main, h, ..
        } = results;
        let (queue, pool) = (&work.queues.h, &**work.pool);
        // Queueing many pieces takes as long as they do, so it has a thread.
        let mut sum_of_h = || -> Result<(G1Projective, Lap)> {
            let current = pool.context().enter()?;
            // SAFETY: the coefficients are there, and the caller keeps them.
            let (sum, lap) = unsafe { self.queue_h(queue, &current, h, &at, plan.scratch)? };
            lap.end.wait("proving")?;
            Ok((value_of_h(&sum, h), lap))
        };
        let of_witness = || -> Result<(Sums, Vec<Lap>)> {
            let witness = match witness {
                Some(witness) => witness,
                none => none.insert(self.layout.take(current, work.pool)?),
            };
            let arrival = match arrival {
                Some(arrival) => arrival,
                None => {
                    work.uploads.order(witness.orders())?;
                    work.uploads.next(self.cancel)?
                }
            };
            let mut laps = Vec::new();
            // SAFETY: the witness stays in `memory`.
            let sums = unsafe {
                let found = self.count(work, witness, counts, arrival, timings)?;
                self.queue_queries(work, main, witness, &found)?
            };
            Ok((sums.read(main, &mut laps)?, laps))
        };
        let ((of_h, lap), (sums, others)) = match plan.phases {
            Phases::Three => {
                let of_h = sum_of_h()?;
                // Everything else goes before the witness comes.
                evaluations.release();
                work.queues.release(current)?;
                (of_h, of_witness()?)
            }
            _ => std::thread::scope(|scope| {
                let of_h = scope.spawn(sum_of_h);
                let sums = of_witness();
                Ok::<_, Error>((joined(of_h.join())?, sums?))
            })?,
        };
        laps.push(lap);
        laps.extend(others);
        Ok((Sums { h: of_h, ..sums }, laps))
    }

    /// Queues the quotient, a vector at a time as they arrive or are evaluated.
    ///
    /// # Safety
    /// As `compute`; the witness, if the rows are evaluated from it, is there once the main queue
    /// gets there.
    unsafe fn queue_quotient(
        &self,
        work: &Work<'_, 'a>,
        evaluations: &mut Evaluations<'a>,
        witness: Option<&DeviceWitness<'a>>,
        timings: &mut Timings,
    ) -> Result<(Quotient, Vec<Lap>)> {
        let (main, current, cancel) = (&work.queues.main, work.current, self.cancel);
        let mut laps = Vec::new();
        match self.rows {
            RowSource::Given(_) => evaluations.pad(&lock(main))?,
            RowSource::Compiled(circuit) => {
                let none = || Error::new(ErrorKind::Internal, "rows without a witness");
                let witness = witness.ok_or_else(none)?;
                let evaluate = |compute: &mut Compute| {
                    // SAFETY: the caller finishes the uploads on failure.
                    let arrival =
                        unsafe { compute.bring_circuit(current, circuit, work.uploads, cancel)? };
                    if let Some(arrival) = arrival {
                        count_upload(&arrival, timings);
                    }
                    // SAFETY: the witness is there; the caller keeps it and the vectors.
                    (0..3).try_for_each(|which| unsafe {
                        evaluations.evaluate(compute, which, witness)
                    })
                };
                laps.push(lap(main, current, Phase::Evaluate, evaluate)?.1);
            }
        }
        for which in 0..3 {
            if matches!(self.rows, RowSource::Given(_)) {
                let arrival = work.uploads.next(cancel)?;
                count_upload(&arrival, timings);
                arrival.order(lock(main).stream())?;
            }
            let begin = |compute: &mut Compute| {
                // SAFETY: the queue waits for the vector; the caller keeps it.
                unsafe { evaluations.begin(compute, current, which) }
            };
            laps.push(lap(main, current, Phase::Ntt, begin)?.1);
        }
        let end = |compute: &mut Compute| {
            // SAFETY: all were begun on this queue; the caller keeps them.
            unsafe { evaluations.end(compute, current) }
        };
        laps.push(lap(main, current, Phase::Ntt, end)?.1);
        let quotient = Quotient {
            coefficients: evaluations.coefficients(),
            there: lock(main).stream().mark(current)?,
        };
        Ok((quotient, laps))
    }

    /// Queues the sum over h, behind the quotient.
    ///
    /// # Safety
    /// The coefficients stay until the queue is done.
    unsafe fn queue_h(
        &self,
        queue: &Mutex<Compute>,
        current: &Current<'_>,
        results: &mut Results,
        quotient: &Quotient,
        scratch: u64,
    ) -> Result<(PendingMsm<G1>, Lap)> {
        lock(queue).stream().wait_for(&quotient.there)?;
        lap(queue, current, Phase::MsmH, |compute| {
            let mut queueing = Queueing {
                compute,
                results,
                current,
                cancel: self.cancel,
            };
            let part = QueryPart {
                query: self.srs.h(),
                density: None,
                inputs: None,
                piece: self.piece,
            };
            let scalars = quotient.coefficients;
            // SAFETY: the queue waits for the coefficients, and the caller keeps them.
            unsafe { sum_all(&mut queueing, &part, scalars, scratch) }
        })
    }
}

fn value_of_h(sum: &PendingMsm<G1>, results: &Results) -> G1Projective {
    let mut value = G1Projective::identity();
    sum.add_to(results, &mut value);
    value
}

/// What a thread of a proof came to.
fn joined<T>(end: std::thread::Result<Result<T>>) -> Result<T> {
    end.unwrap_or_else(|_| {
        Err(Error::new(
            ErrorKind::Internal,
            "a thread that queues a sum panicked",
        ))
    })
}
