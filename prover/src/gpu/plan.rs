// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a proof fits into device memory: how much at a time, and what to do with less.

use crate::srs::SrsShape;

/// Scratch for a multi-scalar multiplication below which it is not worth starting.
const LEAST_SCRATCH: u64 = 64 << 20;

/// Scratch that keeps a large multiplication near its full speed.
const GOOD_SCRATCH: u64 = 4 << 30;

/// Scratch of the largest multiplication up to which a proof is small.
const SMALL_SCRATCH: u64 = 6 << 30;

/// Device memory that one proof needs, in bytes, by what it is for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Needs {
    /// The witness, its bitmaps and the densities.
    pub(super) witness: u64,
    /// Of it, what the rows are evaluated from.
    pub(super) witness_of_rows: u64,
    /// The lists of points to sum.
    pub(super) lists: u64,
    /// The three vectors of evaluations.
    pub(super) evaluations: u64,
    /// The transforms' table.
    pub(super) table: u64,
    /// Pieces of l, a and b that stream from the host, and what is collected from them.
    pub(super) stream: u64,
    /// Pieces of h that do.
    pub(super) stream_h: u64,
    /// Scratch of the multiplication over h at full speed.
    pub(super) scratch: u64,
    /// Scratch of the largest other multiplication at full speed.
    pub(super) other_scratch: u64,
}

/// What of one proof is on the device together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phases {
    /// Everything.
    One,
    /// The evaluations; then the quotient with the witness.
    Two,
    /// The evaluations, the quotient, the witness, each alone.
    Three,
}

/// How one proof is to use the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// Proofs whose vectors are on the device at a time: with two, one uploads while the other
    /// computes.
    pub(super) lanes: usize,
    /// What is on the device together.
    pub(super) phases: Phases,
    /// Whether the sums over different queries are computed side by side: small ones leave most
    /// of the device idle.
    pub(super) side_by_side: bool,
    /// Whether there is room to sum over l, a and b while the quotient is computed.
    pub(super) queries_early: bool,
    /// Whether there is room to bring the first pieces of h meanwhile.
    pub(super) h_early: bool,
    /// The most scratch of the multiplication over h.
    pub(super) scratch: u64,
    /// The most scratch of any other. With two lanes it is another's: one proof's sum over h
    /// goes on beside the next one's other sums and transforms.
    pub(super) other_scratch: u64,
}

impl Plan {
    /// The best plan for `free` bytes, which may still prove too large.
    pub(super) fn choose(needs: &Needs, free: u64) -> Self {
        let lane = needs.witness + needs.evaluations;
        let shared = needs.lists + needs.table + needs.stream + needs.stream_h;
        // Every multiplication of a small proof fits the least.
        let full = needs.scratch.max(LEAST_SCRATCH);
        let good = full.min(GOOD_SCRATCH);
        let other = needs.other_scratch.clamp(LEAST_SCRATCH, GOOD_SCRATCH);
        if 2 * lane + shared + full + other <= free {
            let side_by_side = full <= SMALL_SCRATCH && 2 * (lane + shared + full) <= free;
            return Self {
                lanes: 2,
                phases: Phases::One,
                side_by_side,
                queries_early: true,
                h_early: true,
                scratch: full,
                other_scratch: if side_by_side { full } else { other },
            };
        }
        let alone = |phases, scratch, other_scratch| Self {
            lanes: 1,
            phases,
            side_by_side: false,
            queries_early: phases == Phases::One,
            h_early: phases == Phases::One,
            scratch,
            other_scratch,
        };
        if lane + shared + good <= free {
            let scratch = full.min(free - lane - shared);
            return alone(Phases::One, scratch, scratch);
        }
        let quotient = needs.evaluations / 3 + needs.stream_h;
        let left = free.saturating_sub(needs.evaluations / 3 + needs.witness + shared);
        if left >= 4 * LEAST_SCRATCH && needs.first() <= free {
            let other = other.min(left / 4);
            let queries = needs.lists + needs.stream + other;
            let queries_early = needs.witness_of_rows > 0 && needs.first() + queries <= free;
            // What comes while something is queued takes the place of a vector of the quotient.
            let (queries, most) = match queries_early {
                true => (queries, needs.evaluations / 3),
                false => (0, left - other),
            };
            let scratch = full.min(left - other).min(most);
            let h_early = needs.first() + queries + needs.stream_h + scratch <= free;
            return Self {
                queries_early,
                h_early,
                ..alone(Phases::Two, scratch, other)
            };
        }
        let most = quotient.max(needs.witness + shared - needs.stream_h);
        let scratch = free.saturating_sub(most).clamp(LEAST_SCRATCH, full);
        alone(Phases::Three, scratch, scratch)
    }

    /// The plan to try when memory ran out under this one.
    pub(super) fn smaller(&self) -> Option<Self> {
        let least = self.scratch.min(self.other_scratch);
        let phases = match self.phases {
            _ if self.lanes > 1 => Phases::One,
            Phases::One => Phases::Two,
            Phases::Two => Phases::Three,
            Phases::Three if least <= LEAST_SCRATCH => return None,
            Phases::Three => {
                let least = (least / 2).max(LEAST_SCRATCH);
                return Some(Self {
                    scratch: least,
                    other_scratch: least,
                    ..*self
                });
            }
        };
        let scratch = match phases {
            // Half of it for each of both sums.
            Phases::Two => (self.scratch / 2).max(LEAST_SCRATCH),
            _ => self.scratch,
        };
        Some(Self {
            lanes: 1,
            phases,
            side_by_side: false,
            queries_early: phases == Phases::One,
            h_early: phases == Phases::One,
            scratch,
            other_scratch: scratch,
        })
    }
}

impl Needs {
    /// What the evaluations need while they are alone, or with the witness that they are made
    /// from.
    fn first(&self) -> u64 {
        self.evaluations + self.table + self.witness_of_rows
    }
}

/// Bytes of one proof's vectors: the witness in full and the evaluations.
pub(super) fn vectors(shape: &SrsShape) -> u64 {
    3 * 32 * (shape.h as u64 + 1) + 33 * shape.l as u64
}

/// Whether parameters can stay on the device and leave room for one proof in phases.
pub(super) fn fits_resident(shape: &SrsShape, available: u64) -> bool {
    let (rows, aux) = (shape.h as u64 + 1, shape.l as u64);
    // The evaluations with the transforms' table, then the witness in full with its lists.
    let first = 3 * 32 * rows + (64 << 20);
    let last = 32 * aux + 8 * aux;
    // Small multiplications take up to 4 kB a term at full speed, large ones 210 bytes.
    let scratch = GOOD_SCRATCH.min(4096 * rows + LEAST_SCRATCH);
    shape.affine_bytes() + first.max(last) + scratch <= available
}

#[cfg(test)]
mod tests {
    use super::*;

    const GB: u64 = 1_000_000_000;

    /// A 32 GiB partition with evaluations given.
    const POREP: Needs = Needs {
        witness: 4_300_000_000,
        witness_of_rows: 0,
        lists: GB,
        evaluations: 12_900_000_000,
        table: 100_000_000,
        stream: 0,
        stream_h: 0,
        scratch: 20 * GB,
        other_scratch: 4 * GB,
    };

    /// The same with parameters that stream and so come in pieces.
    const STREAMED: Needs = Needs {
        lists: 200_000_000,
        stream: 1_400_000_000,
        stream_h: 1_600_000_000,
        scratch: 1_800_000_000,
        other_scratch: 400_000_000,
        ..POREP
    };

    const POREP_SRS: SrsShape = SrsShape {
        ic: 328,
        h: (1 << 27) - 1,
        l: 130_169_893,
        a: 129_753_620,
        b_g1: 33_112_282,
        b_g2: 33_112_282,
    };

    #[test]
    fn the_plan_follows_the_memory() {
        let large = Plan::choose(&POREP, 80 * GB);
        assert_eq!((large.lanes, large.phases), (2, Phases::One));
        assert_eq!(large.scratch, POREP.scratch);
        let middle = Plan::choose(&POREP, 30 * GB);
        assert_eq!((middle.lanes, middle.phases), (1, Phases::One));
        assert!(middle.scratch <= 30 * GB - 18_300_000_000);
        let small = Plan::choose(&POREP, 16 * GB);
        assert_eq!(small.phases, Phases::Two);
        assert!(small.scratch + small.other_scratch <= 16 * GB - 9_700_000_000);
        let long_lists = Needs {
            lists: 6 * GB,
            ..POREP
        };
        assert_eq!(Plan::choose(&long_lists, 14 * GB).phases, Phases::Three);
    }

    #[test]
    fn what_streams_starts_as_early_as_there_is_room() {
        // Evaluations given: the witness has no room beside them, the first pieces of h have.
        let given = Plan::choose(&STREAMED, 17_179_869_184);
        assert_eq!(given.phases, Phases::Two);
        assert_eq!((given.queries_early, given.h_early), (false, true));
        assert_eq!(given.scratch, STREAMED.scratch);
        // Rows evaluated from a witness of bits.
        let compact = Needs {
            witness: 90_000_000,
            witness_of_rows: 90_000_000,
            ..STREAMED
        };
        let compact = Plan::choose(&compact, 17_179_869_184);
        assert_eq!(compact.phases, Phases::Two);
        assert_eq!((compact.queries_early, compact.h_early), (true, false));
        let roomy = Plan::choose(&STREAMED, 24 * GB);
        assert_eq!((roomy.lanes, roomy.phases), (1, Phases::One));
        assert!(roomy.queries_early && roomy.h_early);
        let scarce = Plan::choose(&STREAMED, 13_300_000_000);
        assert_eq!(scarce.phases, Phases::Two);
        assert!(!scarce.queries_early && !scarce.h_early);
    }

    #[test]
    fn running_out_leads_to_ever_smaller_plans_and_ends() {
        let mut plan = Plan::choose(&POREP, 100 * GB);
        let mut steps = 0;
        while let Some(smaller) = plan.smaller() {
            assert!(smaller != plan && smaller.scratch <= plan.scratch);
            plan = smaller;
            steps += 1;
            assert!(steps < 64);
        }
        assert_eq!(plan.phases, Phases::Three);
        assert_eq!(plan.scratch, LEAST_SCRATCH);
    }

    #[test]
    fn parameters_stay_on_large_devices_only() {
        assert!(fits_resident(&POREP_SRS, 135 * GB));
        assert!(fits_resident(&POREP_SRS, 80 * GB));
        assert!(!fits_resident(&POREP_SRS, 48 * GB));
        assert!(!fits_resident(&POREP_SRS, 24 * GB));
    }
}
