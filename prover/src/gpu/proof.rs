// SPDX-License-Identifier: MIT OR Apache-2.0
//! One proof's way through the device.

mod orders;
mod steps;

use std::sync::Arc;

use super::circuit::circuit_bytes;
use super::context::Current;
use super::kernels::{self, MsmPlan};
use super::msm::{Group as _, G1, G2};
use super::pieces::PieceSizes;
use super::plan::{Needs, Phases, Plan};
use super::pool::Pool;
use super::queues::Queues;
use super::quotient::{evaluation_bytes, Evaluations, RowSource};
use super::results::ProofResults;
use super::srs::{GpuSrs, Points};
use super::upload::{Arrival, Uploads};
use super::witness::{DeviceWitness, Layout};
use crate::backend::{Assignment, Cancel, ResidentSrs, Rows, Sums};
use crate::timing::Timings;
use crate::Result;

use steps::count_upload;

/// An assignment and its parameters.
pub(super) struct Proof<'a> {
    srs: &'a GpuSrs,
    layout: Layout<'a>,
    rows: RowSource<'a>,
    cancel: &'a Cancel,
    pieces: PieceSizes,
}

/// The device memory of one proof.
pub(super) struct ProofMemory<'a> {
    /// Taken later where it is not needed first and would not fit.
    witness: Option<DeviceWitness<'a>>,
    evaluations: Evaluations<'a>,
}

/// What a proof is computed with, on any thread.
#[derive(Clone, Copy)]
pub(super) struct Means<'w> {
    pub(super) queues: &'w Queues,
    pub(super) pool: &'w Arc<Pool>,
    pub(super) plan: &'w Plan,
}

/// The same on the proof's own thread.
pub(super) struct Work<'w, 'a> {
    pub(super) means: Means<'w>,
    pub(super) current: &'w Current<'w>,
    pub(super) uploads: &'w Uploads<'a>,
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
            pieces: PieceSizes::of_budget(srs.pool().budget()),
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
        let (streams, pieces) = (self.streams(), &self.pieces);
        // What streams is listed, summed and multiplied piece by piece.
        let at_once = |n: u64, piece: u64| if streams { n.min(piece) } else { n };
        let ones = at_once(self.layout.most_ones(), pieces.queries);
        let full = self.layout.most_full().min(shape.l as u64);
        let (listed, multiplied) = (
            at_once(full, pieces.queries),
            at_once(full, pieces.queries / 2),
        );
        // SAFETY: a function of a number.
        let split = unsafe {
            let aux = at_once(shape.l as u64, pieces.variables()) as u32;
            kernels::cuzk_split_scratch_size(aux) as u64
        };
        let sum_scratch = match streams {
            true => G1::running_size(multiprocessors).max(G2::running_size(multiprocessors)),
            false => {
                let of_g1 = ones.min(shape.l.max(shape.a).max(shape.b_g1) as u64) as u32;
                let of_g2 = ones.min(shape.b_g2 as u64) as u32;
                G1::sum_scratch(of_g1, multiprocessors).max(G2::sum_scratch(of_g2, multiprocessors))
            }
        } as u64;
        // Two buffers of pieces, and the terms collected from them.
        let (stream, stream_h) = match streams {
            true => {
                let largest = pieces.queries.min(shape.l as u64);
                let of_h = pieces.h.min(shape.h as u64);
                (2 * 96 * largest + (96 + 32) * multiplied, 2 * 96 * of_h)
            }
            false => (0, 0),
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
            lists: 4 * ones + 8 * listed + 2 * split + sum_scratch,
            evaluations: evaluation_bytes(rows),
            table: table + circuit,
            stream,
            stream_h,
            scratch: scratch(at_once(shape.h as u64, pieces.h)),
            other_scratch: scratch(multiplied),
        }
    }

    /// Whether the parameters come from the host.
    fn streams(&self) -> bool {
        matches!(self.srs.h().points(), Points::Host(_))
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
            match (work.means.plan.phases, witness, memory.witness.take()) {
                (Phases::One, Some(arrival), Some(witness)) if !self.streams() => {
                    let witness = memory.witness.insert(witness);
                    let evaluations = &mut memory.evaluations;
                    count_upload(&arrival, timings);
                    let (means, current) = (work.means, work.current);
                    let counts =
                        self.count(means, current, (witness, &arrival), &mut results.counts)?;
                    match means.plan.side_by_side {
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
}
