// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sums of a witness over the queries l, a and b: ones as plain sums, the rest as products.
//!
//! Where the parameters lie on the device, each query is one piece. Where they stream from the
//! host, the ones are summed piece by piece, and the products' terms collected from all of them.

use group::Group as _;

use super::compute::{Compute, Queueing};
use super::feed::{Collected, Feed, QueryPart};
use super::kernels;
use super::memory::{copy_from_device, copy_on_device};
use super::msm::{Group, Msm, PendingMsm, PendingSum, RunningSum, Scalars, Terms};
use super::pieces::Piece;
use super::results::{Results, Slot};
use super::witness::{DeviceWitness, Inputs};
use crate::Result;

/// A query's sum on its way to the host.
pub(super) struct PendingQuery<G> {
    ones: PendingSum<G>,
    rest: PendingMsm<G>,
}

impl<G: Group> PendingQuery<G> {
    /// The sum, once the stream is done.
    pub(super) fn value(&self, results: &Results) -> G::Projective {
        let mut sum = G::Projective::identity();
        self.ones.add_to(results, &mut sum);
        self.rest.add_to(results, &mut sum);
        sum
    }
}

/// How many ones and how many others each piece of a query has, on the way to the host.
pub(super) struct Counts {
    slot: Slot,
    pieces: usize,
}

impl Counts {
    /// Queues counting.
    ///
    /// # Safety
    /// The witness is on the device once the stream gets there, and stays until it is done.
    pub(super) unsafe fn queue(
        queueing: &mut Queueing<'_>,
        witness: &DeviceWitness<'_>,
        part: &QueryPart<'_>,
    ) -> Result<Self> {
        let pieces = part.pieces(witness.n());
        let slot = queueing.results.slot(8 * pieces.len())?;
        queueing.results.zero(slot, 8 * pieces.len());
        let largest = pieces.iter().map(|piece| piece.n).max().unwrap_or(0);
        let split = Split::take(queueing, largest)?;
        for (i, piece) in pieces.iter().enumerate() {
            // SAFETY: promised by the caller; the slot has room for all pieces and is read once
            // the stream is done.
            unsafe {
                split.launch(queueing.compute, witness, part, piece, [0; 3])?;
                if piece.n > 0 {
                    let to = queueing.results.at(slot).cast::<u8>().add(8 * i);
                    let context = queueing.current.context();
                    copy_from_device(context, to, split.counts, 8, queueing.compute.stream())?;
                }
            }
        }
        let pieces = pieces.len();
        Ok(Self { slot, pieces })
    }

    /// Ones and others of each piece, once the stream is done.
    pub(super) fn read(&self, results: &Results) -> Vec<(u64, u64)> {
        results.pairs(self.slot, self.pieces)
    }
}

/// Queues the sum over one query, whose pieces have these ones and others.
///
/// # Safety
/// The witness is on the device once the stream gets there; it and the query's points stay until
/// the stream is done.
pub(super) unsafe fn sum_query<G: Group>(
    queueing: &mut Queueing<'_>,
    witness: &DeviceWitness<'_>,
    part: &QueryPart<'_>,
    counts: &[(u64, u64)],
    scratch: u64,
) -> Result<PendingQuery<G>> {
    let pieces = part.pieces(witness.n());
    let lists = Lists::take(queueing, part, &pieces, counts)?;
    let of_pieces = pieces.iter().zip(counts);
    let of_pieces = of_pieces.map(|(piece, (_, rest))| piece.inputs + rest);
    let mut feed = Feed::new(queueing, part, &pieces)?;
    let mut sums = match part.streams() {
        true => QuerySums::Growing {
            ones: RunningSum::new(queueing)?,
            rest: Collected::take::<G>(queueing, part, of_pieces.clone())?,
        },
        false => QuerySums::AtOnce {
            ones: PendingSum::new(),
        },
    };
    let most = match &sums {
        QuerySums::Growing { rest, .. } => rest.most(),
        QuerySums::AtOnce { .. } => of_pieces.max().unwrap_or(0),
    };
    let mut msm = Msm::<G>::new(queueing, most, scratch)?;
    for (piece, (n_ones, n_rest)) in pieces.iter().zip(counts) {
        queueing.cancel.check()?;
        // SAFETY: promised by the caller; lists are used in the order of the stream, and the
        // feed's points are there in that order and stay until `used`.
        unsafe {
            let own = [lists.ones, lists.rest, lists.sources];
            lists
                .split
                .launch(queueing.compute, witness, part, piece, own)?;
            if let (Some(inputs), true) = (part.inputs, piece.inputs > 0) {
                lists.append(queueing, witness, inputs, *n_rest)?;
            }
            let points = feed.points(queueing, part, piece)?;
            let of_ones = Terms {
                points,
                indices: lists.ones,
                n: *n_ones,
            };
            let of_rest = Terms {
                points,
                indices: lists.rest,
                n: n_rest + piece.inputs,
            };
            let scalars = Scalars {
                values: witness.value_at(piece.first),
                sources: lists.sources,
                montgomery: true,
            };
            match &mut sums {
                QuerySums::Growing { ones, rest } => {
                    ones.add(queueing, of_ones)?;
                    rest.add(queueing, &mut msm, of_rest, scalars)?;
                }
                QuerySums::AtOnce { ones } => {
                    ones.add(queueing, of_ones)?;
                    msm.add(queueing, of_rest, scalars)?;
                }
            }
        }
        feed.used(queueing)?;
    }
    let ones = match sums {
        QuerySums::Growing { ones, mut rest } => {
            // SAFETY: as above; the terms are the queue's own.
            unsafe { rest.multiply(queueing, &mut msm)? };
            ones.finish(queueing)?
        }
        QuerySums::AtOnce { ones } => ones,
    };
    let rest = msm.finish();
    Ok(PendingQuery { ones, rest })
}

/// How a query's pieces add up, beside the multiplication of the rest.
enum QuerySums<G: Group> {
    /// There is one piece.
    AtOnce { ones: PendingSum<G> },
    /// They come and go.
    Growing {
        ones: RunningSum<G>,
        rest: Collected,
    },
}

/// Device memory for the split of a piece.
struct Split {
    counts: u64,
    scratch: u64,
}

impl Split {
    /// For pieces of at most `n` variables.
    fn take(queueing: &mut Queueing<'_>, n: u64) -> Result<Self> {
        // SAFETY: a function of a number.
        let bytes = unsafe { kernels::cuzk_split_scratch_size(n as u32) } as u64;
        let counts = queueing.compute.split(queueing.current, bytes + 256)?;
        Ok(Self {
            counts,
            scratch: counts + 256,
        })
    }

    /// Queues the lists of a piece - ones, others and where their values lie - and their lengths;
    /// without lists, the lengths alone.
    ///
    /// # Safety
    /// The witness is there once the stream gets there, and the lists have room.
    unsafe fn launch(
        &self,
        compute: &Compute,
        witness: &DeviceWitness<'_>,
        part: &QueryPart<'_>,
        piece: &Piece,
        [ones, rest, sources]: [u64; 3],
    ) -> Result<()> {
        if piece.n == 0 {
            return Ok(());
        }
        let density = part.density.map_or(0, |(_, at)| at + piece.first / 8);
        // SAFETY: bitmaps cover the piece, whose first variable is a multiple of 64; the scratch
        // was sized for the largest piece, the rest is promised by the caller.
        let code = unsafe {
            kernels::cuzk_launch_split(
                compute.stream().as_ptr(),
                self.scratch as _,
                piece.n as u32,
                witness.ones_at(piece.first) as _,
                witness.full_at(piece.first) as _,
                density as _,
                piece.inputs as u32,
                i32::from(witness.compact()),
                ones as _,
                rest as _,
                sources as _,
                self.counts as _,
            )
        };
        compute.check(code, "listing the witness's ones and values")
    }
}

/// The lists of one piece: device addresses.
struct Lists {
    ones: u64,
    rest: u64,
    sources: u64,
    split: Split,
}

impl Lists {
    fn take(
        queueing: &mut Queueing<'_>,
        part: &QueryPart<'_>,
        pieces: &[Piece],
        counts: &[(u64, u64)],
    ) -> Result<Self> {
        let largest = pieces.iter().map(|piece| piece.n).max().unwrap_or(0);
        let ones = counts.iter().map(|(ones, _)| *ones).max().unwrap_or(0);
        let rest = counts.iter().map(|(_, rest)| *rest).max().unwrap_or(0) + part.inputs();
        let split = Split::take(queueing, largest)?;
        let bytes = [4 * ones, 4 * rest, 4 * rest];
        let [ones, rest, sources] = queueing.compute.lists(queueing.current, bytes)?;
        Ok(Self {
            ones,
            rest,
            sources,
            split,
        })
    }

    /// Queues the inputs behind the `n` others of the rest.
    ///
    /// # Safety
    /// The witness is there once the stream gets there; the lists are those of the first piece.
    unsafe fn append(
        &self,
        queueing: &Queueing<'_>,
        witness: &DeviceWitness<'_>,
        inputs: &Inputs,
        n: u64,
    ) -> Result<()> {
        let (points, sources) = witness.inputs_at(inputs);
        let bytes = 4 * inputs.len() as usize;
        let (context, stream) = (queueing.current.context(), queueing.compute.stream());
        // SAFETY: the lists have room for the inputs behind all others.
        unsafe {
            copy_on_device(context, self.rest + 4 * n, points, bytes, stream)?;
            copy_on_device(context, self.sources + 4 * n, sources, bytes, stream)
        }
    }
}

/// Queues the products of scalars 0, 1, 2, ... and the points of a whole query.
///
/// # Safety
/// The scalars are there once the stream gets there and stay until it is done; so does the query.
pub(super) unsafe fn sum_all<G: Group>(
    queueing: &mut Queueing<'_>,
    part: &QueryPart<'_>,
    scalars: u64,
    scratch: u64,
) -> Result<PendingMsm<G>> {
    let query = part.query;
    let pieces = part.pieces(query.n() as u64);
    let mut feed = Feed::new(queueing, part, &pieces)?;
    let largest = pieces.iter().map(|piece| piece.n).max().unwrap_or(0);
    let mut msm = Msm::<G>::new(queueing, largest, scratch)?;
    for piece in &pieces {
        queueing.cancel.check()?;
        // SAFETY: promised by the caller.
        unsafe {
            let points = feed.points(queueing, part, piece)?;
            let terms = Terms {
                points,
                indices: 0,
                n: piece.n,
            };
            let scalars = Scalars {
                values: scalars + 32 * piece.first,
                sources: 0,
                montgomery: false,
            };
            msm.add(queueing, terms, scalars)?;
        }
        feed.used(queueing)?;
    }
    Ok(msm.finish())
}
