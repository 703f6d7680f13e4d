// SPDX-License-Identifier: MIT OR Apache-2.0
//! In what order a proof's steps are queued, by how large it is and how much memory there is.

use super::steps::{count_upload, value_of_h, Lap, Quotient};
use super::{Means, Proof, ProofMemory, Work};
use crate::backend::Sums;
use crate::curve::G1Projective;
use crate::gpu::msm::{G1, G2};
use crate::gpu::plan::Phases;
use crate::gpu::queues::lock;
use crate::gpu::quotient::Evaluations;
use crate::gpu::results::{ProofResults, Results};
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
        let Means { queues, pool, plan } = work.means;
        let with = |query: usize| (&queues.queries[query], &**pool, plan.other_scratch);
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
                let (queue, scratch) = (&queues.h, plan.scratch);
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
        let Means { queues, plan, .. } = work.means;
        let queue = match plan.lanes > 1 {
            true => &queues.h,
            false => &queues.main,
        };
        // SAFETY: promised by the caller.
        let (sums, h, mut laps) = unsafe {
            let main = (&queues.main, plan.other_scratch);
            let sums =
                self.queue_queries(main, work.current, &mut results.main, witness, counts)?;
            let (at, mut laps) = self.queue_quotient(work, evaluations, Some(witness), timings)?;
            let (current, scratch) = (work.current, plan.scratch);
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

    /// All sums where memory is scarce or the parameters stream. Each part begins as early as there
    /// is room for it: the sums over l, a and b beside the quotient, or once only b is left of its
    /// vectors, or after the sum over h.
    ///
    /// # Safety
    /// As `compute`.
    pub(super) unsafe fn all_in_phases(
        &'a self,
        work: &Work<'_, 'a>,
        memory: &mut ProofMemory<'a>,
        results: &mut ProofResults,
        mut arrival: Option<Arrival>,
        timings: &mut Timings,
    ) -> Result<(Sums, Vec<Lap>)> {
        let means = work.means;
        if let (Some(witness), Some(arrival)) = (&memory.witness, &arrival) {
            count_upload(arrival, timings);
            arrival.order(lock(&means.queues.main).stream())?;
            if means.plan.queries_early {
                let evaluations = &mut memory.evaluations;
                // SAFETY: promised by the caller.
                return unsafe {
                    self.queries_first(work, (witness, arrival), evaluations, results, timings)
                };
            }
        }
        let (witness, evaluations) = (&mut memory.witness, &mut memory.evaluations);
        // SAFETY: the queue waits for the witness if the rows need it.
        let (quotient, mut laps) =
            unsafe { self.queue_quotient(work, evaluations, witness.as_ref(), timings)? };
        let for_h = &mut results.h;
        // SAFETY: the caller keeps the coefficients.
        let mut sum_of_h = || unsafe { self.sum_of_h(means, for_h, &quotient) };
        let of_queries = (&mut results.counts, &mut results.main);
        let ((h, lap), (sums, others)) = if means.plan.phases == Phases::Three {
            quotient.there.wait("the quotient")?;
            evaluations.keep_quotient();
            lock(&means.queues.main).release(work.current)?;
            let h = sum_of_h()?;
            // Everything else goes before the witness comes.
            evaluations.release();
            means.queues.release(work.current)?;
            let witness = self.bring_witness(work, witness, &mut arrival, timings)?;
            // SAFETY: promised by the caller; the witness stays in `memory`.
            (h, unsafe {
                self.sums_of_queries(means, witness, of_queries)?
            })
        } else {
            std::thread::scope(|scope| {
                let quotient_alone = |evaluations: &mut Evaluations<'a>| {
                    quotient.there.wait("the quotient")?;
                    evaluations.keep_quotient();
                    Ok::<_, Error>(())
                };
                if !means.plan.h_early {
                    quotient_alone(evaluations)?;
                    // Nothing is queued that this could wait for, and what comes has other sizes.
                    means.pool.trim();
                }
                // Queueing many pieces takes as long as they do, so it has a thread.
                let h = scope.spawn(sum_of_h);
                quotient_alone(evaluations)?;
                let witness = self.bring_witness(work, witness, &mut arrival, timings)?;
                // SAFETY: as above.
                let sums = unsafe { self.sums_of_queries(means, witness, of_queries) };
                Ok::<_, Error>((joined(h.join())?, sums?))
            })?
        };
        laps.push(lap);
        laps.extend(others);
        Ok((Sums { h, ..sums }, laps))
    }

    /// The sums over l, a and b from the start, beside the quotient and the sum over h.
    ///
    /// # Safety
    /// As `compute`; the main queue waits for the witness.
    unsafe fn queries_first(
        &self,
        work: &Work<'_, 'a>,
        (witness, arrival): (&DeviceWitness<'a>, &Arrival),
        evaluations: &mut Evaluations<'a>,
        results: &mut ProofResults,
        timings: &mut Timings,
    ) -> Result<(Sums, Vec<Lap>)> {
        let means = work.means;
        let of_queries = (&mut results.counts, &mut results.main);
        std::thread::scope(|scope| {
            // SAFETY: promised by the caller.
            let queries = scope.spawn(move || unsafe {
                self.sums_of_queries(means, (witness, arrival), of_queries)
            });
            // SAFETY: promised by the caller.
            let (quotient, mut laps) =
                unsafe { self.queue_quotient(work, evaluations, Some(witness), timings)? };
            if !means.plan.h_early {
                quotient.there.wait("the quotient")?;
                evaluations.keep_quotient();
            }
            // SAFETY: the caller keeps the coefficients.
            let (h, lap) = unsafe { self.sum_of_h(means, &mut results.h, &quotient)? };
            laps.push(lap);
            let (sums, others) = joined(queries.join())?;
            laps.extend(others);
            Ok((Sums { h, ..sums }, laps))
        })
    }

    /// The sum over h, waited for.
    ///
    /// # Safety
    /// The coefficients stay until the queue is done.
    unsafe fn sum_of_h(
        &self,
        means: Means<'_>,
        results: &mut Results,
        quotient: &Quotient,
    ) -> Result<(G1Projective, Lap)> {
        let current = means.pool.context().enter()?;
        let (queue, scratch) = (&means.queues.h, means.plan.scratch);
        // SAFETY: promised by the caller.
        let (sum, lap) = unsafe { self.queue_h(queue, &current, results, quotient, scratch)? };
        lap.end.wait("proving")?;
        Ok((value_of_h(&sum, results), lap))
    }

    /// The sums over l, a and b on the urgent queue, waited for.
    ///
    /// # Safety
    /// As `compute`.
    unsafe fn sums_of_queries(
        &self,
        means: Means<'_>,
        (witness, arrival): (&DeviceWitness<'a>, &Arrival),
        (counts, results): (&mut Results, &mut Results),
    ) -> Result<(Sums, Vec<Lap>)> {
        let current = means.pool.context().enter()?;
        let queue = (&means.queues.urgent, means.plan.other_scratch);
        let mut laps = Vec::new();
        // SAFETY: promised by the caller.
        let sums = unsafe {
            let found = self.count(means, &current, (witness, arrival), counts)?;
            self.queue_queries(queue, &current, results, witness, &found)?
        };
        Ok((sums.read(results, &mut laps)?, laps))
    }

    /// The witness on its way to the device, if it is not there yet.
    fn bring_witness<'m>(
        &'a self,
        work: &Work<'_, 'a>,
        witness: &'m mut Option<DeviceWitness<'a>>,
        arrival: &'m mut Option<Arrival>,
        timings: &mut Timings,
    ) -> Result<(&'m DeviceWitness<'a>, &'m Arrival)> {
        let witness = match witness {
            Some(witness) => witness,
            none => none.insert(self.layout.take(work.current, work.means.pool)?),
        };
        let arrival = match arrival {
            Some(arrival) => arrival,
            none => {
                work.uploads.order(witness.orders())?;
                let arrival = none.insert(work.uploads.next(self.cancel)?);
                count_upload(arrival, timings);
                arrival
            }
        };
        Ok((witness, arrival))
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
