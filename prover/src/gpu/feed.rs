// SPDX-License-Identifier: MIT OR Apache-2.0
//! How points come to the sums: where they lie, or piece by piece from the host, and the terms of
//! multiplications that outlive their piece.

use super::compute::Queueing;
use super::kernels;
use super::memory::PinnedBuffer;
use super::msm::{Group, Msm, Scalars, Terms};
use super::pieces::{cut, Piece};
use super::srs::{Points, Query};
use super::witness::Inputs;
use crate::circuit::Bitmap;
use crate::Result;

/// One query's part of a witness.
#[derive(Clone, Copy)]
pub(super) struct QueryPart<'a> {
    pub(super) query: &'a Query,
    /// Which variables have points; all of them, if none.
    pub(super) density: Option<(&'a Bitmap, u64)>,
    /// The inputs with points, which come first in the query.
    pub(super) inputs: Option<&'a Inputs>,
    /// The most points of a piece, if the query streams.
    pub(super) piece: u64,
}

impl QueryPart<'_> {
    pub(super) fn inputs(&self) -> u64 {
        self.inputs.map_or(0, Inputs::len)
    }

    /// Whether the points come from the host.
    pub(super) fn streams(&self) -> bool {
        matches!(self.query.points(), Points::Host(_))
    }

    /// The pieces of `n` variables.
    pub(super) fn pieces(&self, n: u64) -> Vec<Piece> {
        let most = match self.streams() {
            true => self.piece,
            false => u64::MAX,
        };
        cut(n, most, self.inputs(), |variable| match self.density {
            Some((density, _)) => density.rank(variable as usize) as u64,
            None => variable,
        })
    }
}

/// Brings the points of piece after piece.
pub(super) enum Feed<'a> {
    /// They are all on the device, from this address on.
    Resident(u64),
    /// They come from the host into two buffers in turn.
    Streamed(&'a PinnedBuffer),
}

impl<'a> Feed<'a> {
    pub(super) fn new(
        queueing: &mut Queueing<'_>,
        part: &QueryPart<'a>,
        pieces: &[Piece],
    ) -> Result<Self> {
        let host = match part.query.points() {
            Points::Device(points) => return Ok(Feed::Resident(points.address())),
            Points::Host(host) => host,
        };
        let largest = pieces.iter().map(|piece| piece.points).max().unwrap_or(0);
        let bytes = largest * part.query.point_bytes() as u64;
        queueing.compute.make_buffers(queueing.current, bytes)?;
        Ok(Feed::Streamed(host))
    }

    /// Where the piece's first point lies once the stream gets there; the numbers in the lists
    /// count from it.
    ///
    /// # Safety
    /// The query stays until the copies are done.
    pub(super) unsafe fn points(
        &mut self,
        queueing: &mut Queueing<'_>,
        part: &QueryPart<'_>,
        piece: &Piece,
    ) -> Result<u64> {
        match self {
            Feed::Resident(address) => Ok(*address),
            Feed::Streamed(host) => {
                let size = part.query.point_bytes() as u64;
                let from = host.at((piece.first_point * size) as usize);
                let bytes = (piece.points * size) as usize;
                // SAFETY: the points lie there; the buffers were sized for the largest piece.
                unsafe { queueing.compute.fetch(queueing.current, from, bytes) }
            }
        }
    }

    /// Says that everything with the last points is queued.
    pub(super) fn used(&mut self, queueing: &mut Queueing<'_>) -> Result<()> {
        match self {
            Feed::Resident(_) => Ok(()),
            Feed::Streamed(_) => queueing.compute.fetched_was_used(queueing.current),
        }
    }
}

/// Terms of a multiplication gathered from pieces, so that one multiplication serves many: small
/// ones leave most of the device idle.
pub(super) struct Collected {
    points: u64,
    scalars: u64,
    /// How many there are, and may be.
    n: u64,
    most: u64,
}

impl Collected {
    /// Memory for the terms of a query whose pieces have so many; for as many as half a piece may
    /// have points, or the largest piece's, if all are more.
    pub(super) fn take<G: Group>(
        queueing: &mut Queueing<'_>,
        part: &QueryPart<'_>,
        of_pieces: impl Iterator<Item = u64> + Clone,
    ) -> Result<Self> {
        let point_bytes = size_of::<G::Affine>() as u64;
        let largest = of_pieces.clone().max().unwrap_or(0);
        let most = of_pieces.sum::<u64>().min(part.piece / 2).max(largest);
        let bytes = [point_bytes * most, 32 * most];
        let [points, scalars] = queueing.compute.collected(queueing.current, bytes)?;
        Ok(Self {
            points,
            scalars,
            n: 0,
            most,
        })
    }

    /// The most terms of one multiplication.
    pub(super) fn most(&self) -> u64 {
        self.most
    }

    /// Queues copying the terms and their scalars; multiplies those present first, if all would
    /// be too many.
    ///
    /// # Safety
    /// As `Msm::add`. The terms are listed, and are no more than those of the largest piece.
    pub(super) unsafe fn add<G: Group>(
        &mut self,
        queueing: &mut Queueing<'_>,
        msm: &mut Msm<G>,
        terms: Terms,
        scalars: Scalars,
    ) -> Result<()> {
        if self.n + terms.n > self.most {
            // SAFETY: promised by the caller.
            unsafe { self.multiply(queueing, msm)? };
        }
        let point_bytes = size_of::<G::Affine>() as u64;
        let compute = &*queueing.compute;
        // SAFETY: the memory has room for the terms; the rest is promised by the caller.
        let code = unsafe {
            kernels::cuzk_launch_collect(
                compute.stream().as_ptr(),
                terms.points as _,
                point_bytes as u32,
                terms.indices as _,
                scalars.values as _,
                scalars.sources as _,
                terms.n as u32,
                (self.points + point_bytes * self.n) as _,
                (self.scalars + 32 * self.n) as _,
            )
        };
        compute.check(code, "collecting the terms of a multiplication")?;
        self.n += terms.n;
        Ok(())
    }

    /// Queues the multiplication of the terms present.
    ///
    /// # Safety
    /// As `Msm::add`.
    pub(super) unsafe fn multiply<G: Group>(
        &mut self,
        queueing: &mut Queueing<'_>,
        msm: &mut Msm<G>,
    ) -> Result<()> {
        let terms = Terms {
            points: self.points,
            indices: 0,
            n: self.n,
        };
        let scalars = Scalars {
            values: self.scalars,
            sources: 0,
            montgomery: true,
        };
        self.n = 0;
        // SAFETY: promised by the caller; what overwrites the terms is queued behind.
        unsafe { msm.add(queueing, terms, scalars) }
    }
}
