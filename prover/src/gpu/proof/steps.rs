// SPDX-License-Identifier: MIT OR Apache-2.0
//! The steps of a proof: each queues work on one queue and marks its start and end.

use std::sync::Mutex;

use group::Group as _;

use super::{Means, Proof, Work};
use crate::backend::Sums;
use crate::curve::G1Projective;
use crate::gpu::compute::{Compute, Queueing};
use crate::gpu::context::Current;
use crate::gpu::feed::QueryPart;
use crate::gpu::msm::{Group, PendingMsm, G1, G2};
use crate::gpu::pool::Pool;
use crate::gpu::queries::{sum_all, sum_query, Counts, PendingQuery};
use crate::gpu::queues::lock;
use crate::gpu::quotient::{Evaluations, RowSource};
use crate::gpu::results::Results;
use crate::gpu::stream::Event;
use crate::gpu::upload::Arrival;
use crate::gpu::witness::DeviceWitness;
use crate::timing::Timings;
use crate::{Error, ErrorKind, Result};

/// What the time between two marks was spent on.
#[derive(Clone, Copy)]
pub(super) enum Phase {
    MsmL,
    MsmA,
    MsmBG1,
    MsmBG2,
    Evaluate,
    Ntt,
    MsmH,
}

/// A phase's start and end in a queue.
pub(super) struct Lap {
    phase: Phase,
    start: Event,
    pub(super) end: Event,
}

/// A query, and the ones and others of each of its pieces.
pub(super) type Step<'q> = (Phase, QueryPart<'q>, &'q [(u64, u64)]);

/// The sums over l, a and b on their way to the host.
pub(super) struct PendingSums {
    l: (PendingQuery<G1>, Lap),
    a: (PendingQuery<G1>, Lap),
    b_g1: (PendingQuery<G1>, Lap),
    b_g2: (PendingQuery<G2>, Lap),
}

/// The quotient's coefficients: where, and when they are there.
pub(super) struct Quotient {
    coefficients: u64,
    pub(super) there: Event,
}

impl Lap {
    /// Adds the time, once it is over.
    pub(super) fn read(&self, timings: &mut Timings) -> Result<()> {
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
    pub(super) fn read(self, results: &Results, laps: &mut Vec<Lap>) -> Result<Sums> {
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
pub(super) fn lap<T>(
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

pub(super) fn count_upload(arrival: &Arrival, timings: &mut Timings) {
    timings.upload += arrival.time;
    timings.bytes_up += arrival.bytes;
}

impl<'a> Proof<'a> {
    /// The parts of the queries l, a, b_g1 and b_g2.
    pub(super) fn parts(&self, witness: &DeviceWitness<'a>) -> [QueryPart<'a>; 4] {
        let part = |query, density, inputs| QueryPart {
            query,
            density,
            inputs,
            piece: self.pieces.queries,
        };
        let part_of_b = |query| QueryPart {
            piece: self.pieces.b,
            ..part(
                query,
                Some(witness.b_density()),
                Some(witness.inputs_in_b()),
            )
        };
        let (srs, in_a) = (self.srs, Some(witness.inputs_in_a()));
        [
            part(srs.l(), None, None),
            part(srs.a(), Some(witness.a_density()), in_a),
            part_of_b(srs.b_g1()),
            part_of_b(srs.b_g2()),
        ]
    }

    /// Sorts the witness into bits and others, and counts both in the pieces of l, a and b.
    ///
    /// # Safety
    /// As `compute`.
    pub(super) unsafe fn count(
        &self,
        means: Means<'_>,
        current: &Current<'_>,
        (witness, arrival): (&DeviceWitness<'a>, &Arrival),
        results: &mut Results,
    ) -> Result<[Vec<(u64, u64)>; 3]> {
        let parts = self.parts(witness);
        let mut compute = lock(&means.queues.urgent);
        arrival.order(compute.stream())?;
        witness.classify(&compute)?;
        let mut queueing = Queueing {
            compute: &mut compute,
            results: &mut *results,
            current,
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
        let done = compute.stream().mark(current)?;
        drop(compute);
        done.wait("sorting the witness")?;
        self.cancel.check()?;
        Ok(counts.map(|counts| counts.read(results)))
    }

    /// Queues the sum over one query.
    ///
    /// # Safety
    /// As `compute`, the witness counted.
    pub(super) unsafe fn queue_query<G: Group>(
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
    pub(super) unsafe fn sum_alone<G: Group>(
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
    pub(super) fn steps<'s>(
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

    /// Queues the sums over l, a and b, one after the other.
    ///
    /// # Safety
    /// As `compute`, the witness counted.
    pub(super) unsafe fn queue_queries(
        &self,
        (queue, scratch): (&Mutex<Compute>, u64),
        current: &Current<'_>,
        results: &mut Results,
        witness: &DeviceWitness<'a>,
        counts: &[Vec<(u64, u64)>; 3],
    ) -> Result<PendingSums> {
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

    /// Queues the quotient, a vector at a time as they arrive or are evaluated.
    ///
    /// # Safety
    /// As `compute`; the witness, if the rows are evaluated from it, is there once the main queue
    /// gets there.
    pub(super) unsafe fn queue_quotient(
        &self,
        work: &Work<'_, 'a>,
        evaluations: &mut Evaluations<'a>,
        witness: Option<&DeviceWitness<'a>>,
        timings: &mut Timings,
    ) -> Result<(Quotient, Vec<Lap>)> {
        let (main, current, cancel) = (&work.means.queues.main, work.current, self.cancel);
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
    pub(super) unsafe fn queue_h(
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
                piece: self.pieces.h,
            };
            let scalars = quotient.coefficients;
            // SAFETY: the queue waits for the coefficients, and the caller keeps them.
            unsafe { sum_all(&mut queueing, &part, scalars, scratch) }
        })
    }
}

pub(super) fn value_of_h(sum: &PendingMsm<G1>, results: &Results) -> G1Projective {
    let mut value = G1Projective::identity();
    sum.add_to(results, &mut value);
    value
}
