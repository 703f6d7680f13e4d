// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sums of a witness over the queries l, a and b: ones as plain sums, the rest as products.
//!
//! Where the parameters lie on the device, each query is one piece. Where they stream from the
//! host, pieces of the variables take turns in two buffers: one arrives while the other is used.

use group::Group as _;

use super::compute::{Compute, Slot};
use super::context::Current;
use super::kernels;
use super::memory::{copy_from_device, copy_on_device, copy_to_device, PinnedBuffer};
use super::msm::{Group, Msm, PendingMsm, PendingSum, Scalars, Terms};
use super::srs::{Points, Query};
use super::stream::{Event, Stream};
use super::witness::{DeviceWitness, Inputs};
use crate::backend::Cancel;
use crate::circuit::Bitmap;
use crate::Result;

/// Variables of a piece where parameters stream: 400 MB of G1 points at most.
pub(super) const PIECE: u64 = 1 << 22;

/// One query's part of a witness.
pub(super) struct QueryPart<'a> {
    pub(super) query: &'a Query,
    /// Which variables have points; all of them, if none.
    pub(super) density: Option<(&'a Bitmap, u64)>,
    /// The inputs with points, which come first in the query.
    pub(super) inputs: Option<&'a Inputs>,
}

/// A query's sum on its way to the host.
pub(super) struct PendingQuery<G> {
    ones: PendingSum<G>,
    rest: PendingMsm<G>,
}

/// Some of the variables, and their points.
struct Piece {
    first: u64,
    n: u64,
    /// The number of the piece's first point in the query, and how many points the piece has, the
    /// inputs' included.
    first_point: u64,
    points: u64,
    /// How many of them are the inputs'.
    inputs: u64,
}

impl<G: Group> PendingQuery<G> {
    /// The sum, once the stream is done.
    pub(super) fn value(&self, compute: &Compute) -> G::Projective {
        let mut sum = G::Projective::identity();
        self.ones.add_to(compute, &mut sum);
        self.rest.add_to(compute, &mut sum);
        sum
    }
}

impl QueryPart<'_> {
    fn inputs(&self) -> u64 {
        self.inputs.map_or(0, Inputs::len)
    }

    /// The pieces, of which the first has the inputs' points too.
    fn pieces(&self, n: u64) -> Vec<Piece> {
        let step = match self.query.points() {
            Points::Device(_) => n.max(1),
            Points::Host(_) => PIECE,
        };
        let rank = |variable: u64| match self.density {
            Some((density, _)) => density.rank(variable as usize) as u64,
            None => variable,
        };
        let piece = |first: u64| {
            let size = step.min(n - first);
            let inputs = if first == 0 { self.inputs() } else { 0 };
            Piece {
                first,
                n: size,
                first_point: self.inputs() - inputs + rank(first),
                points: inputs + rank(first + size) - rank(first),
                inputs,
            }
        };
        // No variables make one empty piece, for the inputs.
        (0..n.max(1)).step_by(step as usize).map(piece).collect()
    }
}

/// A query whose lists are on their way.
pub(super) struct BegunQuery<'a> {
    part: QueryPart<'a>,
    pieces: Vec<Piece>,
    lists: Lists,
    counts: Slot,
}

impl<'a> BegunQuery<'a> {
    /// Queues the lists of ones and of others, and the copy of their lengths to the host.
    ///
    /// # Safety
    /// The witness is on the device once the stream gets there, and stays until it is done.
    pub(super) unsafe fn new(
        compute: &mut Compute,
        current: &Current<'_>,
        witness: &DeviceWitness<'_>,
        part: QueryPart<'a>,
    ) -> Result<Self> {
        let pieces = part.pieces(witness.n());
        let counts = compute.slot(8 * pieces.len())?;
        compute.clear(counts, 8 * pieces.len());
        let lists = Lists::take(compute, current, witness, &part, &pieces)?;
        for (i, piece) in pieces.iter().enumerate() {
            // SAFETY: the witness is there by the caller's promise; lists are used in stream
            // order.
            unsafe {
                lists.split(compute, current, witness, &part, piece, Some((counts, i)))?;
            }
        }
        Ok(Self {
            part,
            pieces,
            lists,
            counts,
        })
    }

    /// Waits for the lengths and queues the sum.
    ///
    /// # Safety
    /// As for `new`, with the same queue and witness; the query's points stay too.
    pub(super) unsafe fn finish<G: Group>(
        self,
        compute: &mut Compute,
        current: &Current<'_>,
        witness: &DeviceWitness<'_>,
        scratch: u64,
        cancel: &Cancel,
    ) -> Result<PendingQuery<G>> {
        let Self {
            part,
            pieces,
            lists,
            counts,
        } = self;
        compute.stream().finish(current, "sorting the witness")?;
        cancel.check()?;
        let counts: Vec<(u64, u64)> = (0..pieces.len())
            .map(|i| compute.counts(counts, i))
            .collect();
        let rest = counts.iter().map(|(_, rest)| rest).sum::<u64>() + part.inputs();

        let mut feed = Feed::new(compute, current, &part, &pieces)?;
        let mut ones = PendingSum::new();
        let mut msm = Msm::<G>::new(compute, current, rest, scratch)?;
        for (piece, (n_ones, n_rest)) in pieces.iter().zip(counts) {
            cancel.check()?;
            // SAFETY: as above; the feed's points are there in stream order and stay until
            // `used`.
            unsafe {
                if pieces.len() > 1 {
                    lists.split(compute, current, witness, &part, piece, None)?;
                }
                if let (Some(inputs), true) = (part.inputs, piece.inputs > 0) {
                    lists.append(compute, current, witness, inputs, n_rest)?;
                }
                let points = feed.points(compute, current, &part, piece)?;
                let of_ones = Terms {
                    points,
                    indices: lists.ones,
                    n: n_ones,
                };
                ones.add(compute, current, of_ones)?;
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
                msm.add(compute, of_rest, scalars)?;
            }
            feed.used(compute, current)?;
        }
        let rest = msm.finish(compute)?;
        feed.finish(current)?;
        Ok(PendingQuery { ones, rest })
    }
}

/// The lists of one piece: device addresses.
struct Lists {
    ones: u64,
    rest: u64,
    sources: u64,
    scratch: u64,
    counts: u64,
}

impl Lists {
    fn take(
        compute: &mut Compute,
        current: &Current<'_>,
        witness: &DeviceWitness<'_>,
        part: &QueryPart<'_>,
        pieces: &[Piece],
    ) -> Result<Self> {
        let largest = pieces.iter().map(|piece| piece.n).max().unwrap_or(0);
        let ones = witness.most_ones().min(largest);
        let rest = witness.most_full().min(largest) + part.inputs();
        // SAFETY: a function of a number.
        let scratch = unsafe { kernels::cuzk_split_scratch_size(largest as u32) } as u64;
        let [ones, rest, sources] = compute.lists(current, [4 * ones, 4 * rest, 4 * rest])?;
        let counts = compute.split(current, scratch.next_multiple_of(256) + 8)?;
        Ok(Self {
            ones,
            rest,
            sources,
            scratch: counts + 256,
            counts,
        })
    }

    /// Queues the lists of a piece, and the copy of their lengths into a slot.
    ///
    /// # Safety
    /// As `sum_query`.
    unsafe fn split(
        &self,
        compute: &Compute,
        current: &Current<'_>,
        witness: &DeviceWitness<'_>,
        part: &QueryPart<'_>,
        piece: &Piece,
        slot: Option<(Slot, usize)>,
    ) -> Result<()> {
        if piece.n == 0 {
            return Ok(());
        }
        let density = part.density.map_or(0, |(_, at)| at + piece.first / 8);
        // SAFETY: bitmaps cover the piece, whose first variable is a multiple of 64; lists and
        // scratch were sized for the largest piece.
        unsafe {
            let code = kernels::cuzk_launch_split(
                compute.stream().as_ptr(),
                self.scratch as _,
                piece.n as u32,
                witness.ones_at(piece.first) as _,
                witness.full_at(piece.first) as _,
                density as _,
                piece.inputs as u32,
                i32::from(witness.compact()),
                self.ones as _,
                self.rest as _,
                self.sources as _,
                self.counts as _,
            );
            compute.check(code, "listing the witness's ones and values")?;
            if let Some((slot, i)) = slot {
                let to = compute.slot_at(slot).cast::<u8>().add(8 * i);
                copy_from_device(current.context(), to, self.counts, 8, compute.stream())?;
            }
        }
        Ok(())
    }

    /// Queues the inputs behind the `n` others of the rest.
    ///
    /// # Safety
    /// As `sum_query`; the lists are those of the first piece.
    unsafe fn append(
        &self,
        compute: &Compute,
        current: &Current<'_>,
        witness: &DeviceWitness<'_>,
        inputs: &Inputs,
        n: u64,
    ) -> Result<()> {
        let (points, sources) = witness.inputs_at(inputs);
        let bytes = 4 * inputs.len() as usize;
        let context = current.context();
        // SAFETY: the lists have room for the inputs behind all others.
        unsafe {
            copy_on_device(context, self.rest + 4 * n, points, bytes, compute.stream())?;
            copy_on_device(
                context,
                self.sources + 4 * n,
                sources,
                bytes,
                compute.stream(),
            )
        }
    }
}

/// Brings the points of piece after piece.
enum Feed<'a> {
    /// They are all on the device, from this address on.
    Resident(u64),
    /// They come from the host into two buffers in turn.
    Streamed {
        host: &'a PinnedBuffer,
        copies: Stream,
        buffers: [u64; 2],
        free: [Option<Event>; 2],
        turn: usize,
    },
}

impl<'a> Feed<'a> {
    fn new(
        compute: &mut Compute,
        current: &Current<'_>,
        part: &QueryPart<'a>,
        pieces: &[Piece],
    ) -> Result<Self> {
        let host = match part.query.points() {
            Points::Device(points) => return Ok(Feed::Resident(points.address())),
            Points::Host(host) => host,
        };
        let largest = pieces.iter().map(|piece| piece.points).max().unwrap_or(0);
        let bytes = largest * part.query.point_bytes() as u64;
        let copies = Stream::new(current)?;
        let buffers = compute.pieces(current, bytes)?;
        // The buffers may still be in use by what is queued.
        copies.wait_for(&compute.stream().mark(current)?)?;
        Ok(Feed::Streamed {
            host,
            copies,
            buffers,
            free: [None, None],
            turn: 0,
        })
    }

    /// Where the piece's first point lies once the stream gets there; the numbers in the lists
    /// count from it.
    ///
    /// # Safety
    /// The query stays until the copies are done.
    unsafe fn points(
        &mut self,
        compute: &Compute,
        current: &Current<'_>,
        part: &QueryPart<'_>,
        piece: &Piece,
    ) -> Result<u64> {
        let (host, copies, buffers, free, turn) = match self {
            Feed::Resident(address) => return Ok(*address),
            Feed::Streamed {
                host,
                copies,
                buffers,
                free,
                turn,
            } => (host, copies, buffers, free, turn),
        };
        let size = part.query.point_bytes() as u64;
        let half = *turn % 2;
        if let Some(free) = &free[half] {
            copies.wait_for(free)?;
        }
        let first = piece.first_point * size;
        let bytes = (piece.points * size) as usize;
        let from = host.at(first as usize);
        // SAFETY: the points lie there; the buffer was sized for the largest piece.
        unsafe { copy_to_device(current.context(), buffers[half], from, bytes, copies)? };
        compute.stream().wait_for(&copies.mark(current)?)?;
        Ok(buffers[half])
    }

    /// Says that everything with the last points is queued.
    fn used(&mut self, compute: &Compute, current: &Current<'_>) -> Result<()> {
        if let Feed::Streamed { free, turn, .. } = self {
            free[*turn % 2] = Some(compute.stream().mark(current)?);
            *turn += 1;
        }
        Ok(())
    }

    /// Waits until the host's points were all copied.
    fn finish(self, current: &Current<'_>) -> Result<()> {
        match self {
            Feed::Resident(_) => Ok(()),
            Feed::Streamed { copies, .. } => copies.finish(current, "streaming parameters"),
        }
    }
}

/// Queues the products of scalars 0, 1, 2, ... and the points of a whole query.
///
/// # Safety
/// The scalars are there once the stream gets there and stay until it is done; so does the query.
pub(super) unsafe fn sum_all<G: Group>(
    compute: &mut Compute,
    current: &Current<'_>,
    query: &Query,
    scalars: u64,
    scratch: u64,
    cancel: &Cancel,
) -> Result<PendingMsm<G>> {
    let part = QueryPart {
        query,
        density: None,
        inputs: None,
    };
    let pieces = part.pieces(query.n() as u64);
    let mut feed = Feed::new(compute, current, &part, &pieces)?;
    let mut msm = Msm::<G>::new(compute, current, query.n() as u64, scratch)?;
    for piece in &pieces {
        cancel.check()?;
        // SAFETY: promised by the caller.
        unsafe {
            let points = feed.points(compute, current, &part, piece)?;
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
            msm.add(compute, terms, scalars)?;
        }
        feed.used(compute, current)?;
    }
    let sum = msm.finish(compute)?;
    feed.finish(current)?;
    Ok(sum)
}
