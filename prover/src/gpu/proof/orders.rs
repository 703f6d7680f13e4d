// SPDX-License-Identifier: MIT OR Apache-2.0
//! In what order a proof's steps are queued, by how large it is and how much memory there is.

use super::steps::{value_of_h, Lap};
use super::{Proof, ProofMemory, Work};
use crate::backend::Sums;
use crate::curve::G1Projective;
use crate::gpu::msm::{G1, G2};
use crate::gpu::plan::Phases;
use crate::gpu::queues::lock;
use crate::gpu::quotient::Evaluations;
use crate::gpu::results::ProofResults;
use crate::gpu::upload::Arrival;
use crate::gpu::witness::DeviceWitness;
use crate::timing::Timings;
use crate::{Error, ErrorKind, Result};

impl<'a> Proof<'a> {
    /// All sums, those over the queries on queues of their own: small ones leave most of the
    /// device idle. Much of their time is the host's, so each has a thread too.
    ///
    /// # Safety
    /// As `compute`, the witness counted.
    pub(super) unsafe fn all_side_by_side(
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

    /// All sums, one after the other. With two lanes the sum over h has a queue of its own: the
    /// next proof's other work goes on beside it.
    ///
    /// # Safety
    /// As `compute`, the witness counted.
    pub(super) unsafe fn all_in_turn(
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
    pub(super) unsafe fn all_in_phases(
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
