// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parameters on the device: read from the file, decoded and checked there.
//!
//! Several threads read pieces of the file into page-locked buffers; the device fetches them,
//! turns the bytes into points in place and checks them. Where the device has too little memory,
//! the decoded points go back to page-locked host memory and stream through the device for each
//! proof.

use std::any::Any;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use super::context::Current;
use super::memory::{copy_from_device, copy_to_device, fill, PinnedBuffer};
use super::pool::{Lease, Pool};
use super::stream::{Event, Stream};
use super::{kernels, plan};
use crate::backend::{Cancel, ResidentSrs};
use crate::srs::{Checks, ParameterFile, Section, SrsShape, VerifyingKey};
use crate::{Error, ErrorKind, Result};

/// Bytes of a piece of the file: whole points of either group.
const PIECE: usize = 6 << 20;

/// Threads that read: one copies 5 to 10 GB/s from the page cache, the bus takes 55.
const MAX_THREADS: usize = 12;

/// The sections that are proved with, in the file's order.
const QUERIES: [Section; 5] = [
    Section::H,
    Section::L,
    Section::A,
    Section::BG1,
    Section::BG2,
];

/// Where the points of a query lie.
pub(super) enum Points {
    /// In device memory.
    Device(Lease),
    /// In page-locked host memory.
    Host(PinnedBuffer),
}

/// The affine points of one query, in blst's form.
pub(super) struct Query {
    points: Points,
    n: usize,
    point_bytes: usize,
}

/// Parameters of one circuit on one device.
pub(super) struct GpuSrs {
    pool: Arc<Pool>,
    shape: SrsShape,
    verifying_key: VerifyingKey,
    queries: [Query; 5],
}

impl Query {
    /// Where the points lie.
    pub(super) fn points(&self) -> &Points {
        &self.points
    }

    /// Number of points.
    pub(super) fn n(&self) -> usize {
        self.n
    }

    /// Bytes of a point.
    pub(super) fn point_bytes(&self) -> usize {
        self.point_bytes
    }

    fn bytes(&self) -> u64 {
        (self.n * self.point_bytes) as u64
    }
}

impl GpuSrs {
    /// Reads the queries of a file; the points stay on the device when the budget leaves room
    /// for proving beside them.
    ///
    /// Errors: `InvalidSrs` with file, section and index of the first bad point of a section,
    /// `OutOfDeviceMemory`, `OutOfMemory`, `DeviceFailed`, `Io`, `Cancelled`.
    pub(super) fn load(
        pool: &Arc<Pool>,
        file: &ParameterFile,
        checks: Checks,
        cancel: &Cancel,
    ) -> Result<Self> {
        let shape = *file.shape();
        let current = pool.context().enter()?;
        let resident = plan::fits_resident(&shape, pool.available());
        let query = |section: Section| -> Result<Query> {
            let n = file.section(section).points;
            let point_bytes = section.point_bytes();
            let bytes = n * point_bytes;
            let points = match resident {
                true => {
                    Points::Device(pool.take_lasting(&current, bytes as u64, section.name())?)
                }
                false => Points::Host(PinnedBuffer::new(&current, bytes, section.name())?),
            };
            Ok(Query {
                points,
                n,
                point_bytes,
            })
        };
        let srs = Self {
            pool: pool.clone(),
            shape,
            verifying_key: file.verifying_key().clone(),
            queries: [
                query(Section::H)?,
                query(Section::L)?,
                query(Section::A)?,
                query(Section::BG1)?,
                query(Section::BG2)?,
            ],
        };
        srs.read(&current, file, checks, cancel)?;
        file.check_unchanged()?;
        Ok(srs)
    }

    /// The h query.
    pub(super) fn h(&self) -> &Query {
        &self.queries[0]
    }

    /// The l query.
    pub(super) fn l(&self) -> &Query {
        &self.queries[1]
    }

    /// The a query.
    pub(super) fn a(&self) -> &Query {
        &self.queries[2]
    }

    /// The b query in G1.
    pub(super) fn b_g1(&self) -> &Query {
        &self.queries[3]
    }

    /// The b query in G2.
    pub(super) fn b_g2(&self) -> &Query {
        &self.queries[4]
    }

    /// The memory that it takes its own from.
    pub(super) fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    /// Fills the queries from the file.
    fn read(
        &self,
        current: &Current<'_>,
        file: &ParameterFile,
        checks: Checks,
        cancel: &Cancel,
    ) -> Result<()> {
        let context = current.context();
        let tasks = self.tasks();
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let mut threads = threads.min(MAX_THREADS).min(tasks.len());
        if self.is_streamed() {
            // Each reader has device memory to decode in, from a budget that is small.
            let most = self.pool.available() / 2 / (2 * PIECE as u64);
            threads = threads.min(most as usize);
        }
        let threads = threads.max(1);
        let faults = self
            .pool
            .take(current, 8 * QUERIES.len() as u64, "faults of points")?;
        let mut results = PinnedBuffer::new(current, 8 * QUERIES.len(), "faults of points")?;
        let stream = Stream::new(current)?;
        // SAFETY: the memory is the lease's, and the stream is waited for at once.
        unsafe { fill(context, faults.address(), 0xff, 8 * QUERIES.len(), &stream)? };
        stream.finish(current, "preparing to read parameters")?;

        let next = AtomicUsize::new(0);
        let reader = || -> Result<()> {
            let current = context.enter()?;
            let mut reader = Reader::new(&current, self, file, checks, &faults)?;
            let done = (|| {
                while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    cancel.check()?;
                    reader.read(&current, task)?;
                }
                Ok(())
            })();
            // The buffers must outlive the copies, also those before a failure.
            reader
                .stream
                .finish(&current, "decoding parameters")
                .and(done)
        };
        std::thread::scope(|scope| {
            let readers: Vec<_> = (0..threads).map(|_| scope.spawn(reader)).collect();
            let failed = || {
                Error::new(
                    ErrorKind::Internal,
                    "a thread that reads parameters panicked",
                )
            };
            let ends: Vec<Result<()>> = readers
                .into_iter()
                .map(|reader| reader.join().unwrap_or_else(|_| Err(failed())))
                .collect();
            ends.into_iter().collect::<Result<()>>()
        })?;

        // SAFETY: both memories live until the stream is waited for below.
        unsafe {
            let bytes = 8 * QUERIES.len();
            copy_from_device(context, results.at(0), faults.address(), bytes, &stream)?;
        }
        stream.finish(current, "checking parameters")?;
        let found = results.as_mut_slice();
        for (section, index) in QUERIES.into_iter().zip(found.chunks_exact(8)) {
            let index = u64::from_le_bytes(index.try_into().unwrap_or([0xff; 8]));
            if index != u64::MAX {
                return Err(file.refused_point(section, index as usize));
            }
        }
        Ok(())
    }

    /// Whether the points stay in host memory.
    fn is_streamed(&self) -> bool {
        let host = |query: &Query| matches!(query.points, Points::Host(_));
        self.queries.iter().any(host)
    }

    /// The pieces of all queries.
    fn tasks(&self) -> Vec<(usize, Range<usize>)> {
        let mut tasks = Vec::new();
        for (which, query) in self.queries.iter().enumerate() {
            let piece = PIECE / query.point_bytes;
            for first in (0..query.n).step_by(piece) {
                tasks.push((which, first..query.n.min(first + piece)));
            }
        }
        tasks
    }
}

/// What one thread reads with: two halves of a buffer, one being filled while the device works
/// on the other.
struct Reader<'r> {
    srs: &'r GpuSrs,
    file: &'r ParameterFile,
    checks: Checks,
    faults: &'r Lease,
    bytes: PinnedBuffer,
    /// Where points are decoded that stay in host memory.
    decoded: Option<Lease>,
    stream: Stream,
    done: [Event; 2],
    turn: usize,
}

impl<'r> Reader<'r> {
    fn new(
        current: &Current<'_>,
        srs: &'r GpuSrs,
        file: &'r ParameterFile,
        checks: Checks,
        faults: &'r Lease,
    ) -> Result<Self> {
        let take = || {
            srs.pool
                .take(current, 2 * PIECE as u64, "decoding parameters")
        };
        Ok(Self {
            srs,
            file,
            checks,
            faults,
            bytes: PinnedBuffer::new(current, 2 * PIECE, "reading parameters")?,
            decoded: srs.is_streamed().then(take).transpose()?,
            stream: Stream::new(current)?,
            done: [Event::new(current)?, Event::new(current)?],
            turn: 0,
        })
    }

    fn read(
        &mut self,
        current: &Current<'_>,
        (which, range): &(usize, Range<usize>),
    ) -> Result<()> {
        let context = current.context();
        let query = &self.srs.queries[*which];
        let size = range.len() * query.point_bytes;
        let offset = range.start * query.point_bytes;
        let half = self.turn % 2;
        self.turn += 1;
        self.done[half].wait("decoding parameters")?;
        let staged = half * PIECE;
        let buffer = &mut self.bytes.as_mut_slice()[staged..staged + size];
        self.file
            .read_section(QUERIES[*which], range.start, buffer)?;
        let address = match (&query.points, &self.decoded) {
            (Points::Device(points), _) => points.address() + offset as u64,
            (Points::Host(_), Some(decoded)) => decoded.address() + staged as u64,
            (Points::Host(_), None) => {
                return Err(Error::new(
                    ErrorKind::Internal,
                    "no memory to decode points in",
                ))
            }
        };
        // SAFETY: this half of the buffers is left alone until `done` is reached; the points'
        // memory belongs to the parameters, which outlive the reader, and each piece is written
        // by one reader.
        unsafe {
            copy_to_device(context, address, self.bytes.at(staged), size, &self.stream)?;
            self.decode(current, *which, address, range)?;
            if let Points::Host(points) = &query.points {
                copy_from_device(context, points.at(offset), address, size, &self.stream)?;
            }
        }
        self.stream.record(&self.done[half])
    }

    /// Queues the decoding of a piece in place, and its checks.
    ///
    /// # Safety
    /// `address` holds the bytes of the points in `range` once the stream gets there.
    unsafe fn decode(
        &self,
        current: &Current<'_>,
        which: usize,
        address: u64,
        range: &Range<usize>,
    ) -> Result<()> {
        let checks = match self.checks {
            Checks::None => 0,
            Checks::Structure => 1,
            Checks::Curve | Checks::CurveAndSubgroup => 2,
        };
        let stream = self.stream.as_ptr();
        let points = address as usize as *mut std::ffi::c_void;
        let fault = self.faults.at(8 * which as u64).cast();
        let (n, first) = (range.len() as u32, range.start as u64);
        let g2 = QUERIES[which] == Section::BG2;
        let context = current.context();
        // SAFETY: promised by the caller; the fault's slot is the section's own.
        unsafe {
            let code = match g2 {
                false => kernels::cuzk_launch_decode_g1(stream, points, n, first, checks, fault),
                true => kernels::cuzk_launch_decode_g2(stream, points, n, first, checks, fault),
            };
            context.check_launch(code, "decoding parameters")?;
            if self.checks == Checks::CurveAndSubgroup {
                let code = match g2 {
                    false => kernels::cuzk_launch_subgroup_g1(stream, points, n, first, fault),
                    true => kernels::cuzk_launch_subgroup_g2(stream, points, n, first, fault),
                };
                context.check_launch(code, "checking the subgroup of parameters")?;
            }
        }
        Ok(())
    }
}

impl ResidentSrs for GpuSrs {
    fn shape(&self) -> &SrsShape {
        &self.shape
    }

    fn verifying_key(&self) -> &VerifyingKey {
        &self.verifying_key
    }

    fn host_bytes(&self) -> u64 {
        let host = |query: &&Query| matches!(query.points, Points::Host(_));
        self.queries.iter().filter(host).map(Query::bytes).sum()
    }

    fn device_bytes(&self) -> u64 {
        let device = |query: &&Query| matches!(query.points, Points::Device(_));
        self.queries.iter().filter(device).map(Query::bytes).sum()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
