// SPDX-License-Identifier: MIT OR Apache-2.0
//! Many multiples of the generators: what parameters for development are made of.

use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use group::prime::PrimeCurveAffine;

use super::context::Current;
use super::kernels;
use super::memory::{copy_from_device, copy_to_device, PinnedBuffer};
use super::pool::{Lease, Pool};
use super::stream::Stream;
use super::upload::scalar_bytes;
use crate::backend::{Generator, PointSink};
use crate::curve::{G1Affine, G2Affine, Scalar};
use crate::{Error, ErrorKind, Result};

/// Points of one thread's turn.
const PIECE: usize = 1 << 17;

/// Threads that bring scalars and take points away.
const MAX_THREADS: usize = 8;

/// The bytes of a generator in affine form.
fn bytes_of(generator: Generator) -> Vec<u8> {
    let mut bytes = vec![0u8; generator.point_bytes()];
    let (g1, g2) = (G1Affine::generator(), G2Affine::generator());
    let from: *const u8 = match generator {
        Generator::G1 => (&raw const g1).cast(),
        Generator::G2 => (&raw const g2).cast(),
    };
    // SAFETY: an affine point has that many bytes (asserted in `curve`).
    unsafe { std::ptr::copy_nonoverlapping(from, bytes.as_mut_ptr(), bytes.len()) };
    bytes
}

/// Hands the encoded multiples of a generator by all scalars to `sink`, piece by piece with the
/// number of the piece's first scalar; from several threads and in no order.
pub(super) fn multiples(
    pool: &Arc<Pool>,
    generator: Generator,
    scalars: &[Scalar],
    sink: &PointSink<'_>,
) -> Result<()> {
    let current = pool.context().enter()?;
    let table = make_table(&current, pool, generator)?;
    let next = AtomicUsize::new(0);
    let work = || -> Result<()> {
        let current = pool.context().enter()?;
        let mut worker = Worker::new(&current, pool, generator)?;
        loop {
            let first = PIECE * next.fetch_add(1, Ordering::Relaxed);
            if first >= scalars.len() {
                return Ok(());
            }
            let piece = &scalars[first..scalars.len().min(first + PIECE)];
            sink(first, worker.multiply(&current, &table, piece)?)?;
        }
    };
    let threads = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(MAX_THREADS);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let failed = || {
            Error::new(
                ErrorKind::Internal,
                "a thread that makes multiples panicked",
            )
        };
        let ends: Vec<Result<()>> = workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or_else(|_| Err(failed())))
            .collect();
        ends.into_iter().collect()
    })
}

fn make_table(current: &Current<'_>, pool: &Arc<Pool>, generator: Generator) -> Result<Lease> {
    let context = current.context();
    let bytes = bytes_of(generator);
    // SAFETY: functions of nothing.
    let size = unsafe {
        match generator {
            Generator::G1 => kernels::cuzk_multiples_g1_table_size(),
            Generator::G2 => kernels::cuzk_multiples_g2_table_size(),
        }
    };
    let table = pool.take(current, size as u64, "the table of multiples")?;
    let point = pool.take(current, bytes.len() as u64, "a generator")?;
    let mut host = PinnedBuffer::new(current, bytes.len(), "a generator")?;
    host.as_mut_slice()[..bytes.len()].copy_from_slice(&bytes);
    let stream = Stream::new(current)?;
    // SAFETY: the stream is waited for before any of the memory goes; the table has its size.
    let queued = unsafe {
        copy_to_device(context, point.address(), host.at(0), bytes.len(), &stream).and_then(|()| {
            let (stream, point, table) = (stream.as_ptr(), point.at(0), table.at(0));
            let code = match generator {
                Generator::G1 => kernels::cuzk_launch_multiples_g1_table(stream, point, table),
                Generator::G2 => kernels::cuzk_launch_multiples_g2_table(stream, point, table),
            };
            context.check_launch(code, "the table of multiples")
        })
    };
    stream
        .finish(current, "the table of multiples")
        .and(queued)?;
    Ok(table)
}

/// What one thread works with.
struct Worker {
    generator: Generator,
    scalars: Lease,
    points: Lease,
    host: PinnedBuffer,
    stream: Stream,
}

impl Worker {
    fn new(current: &Current<'_>, pool: &Arc<Pool>, generator: Generator) -> Result<Self> {
        let size = PIECE * generator.point_bytes();
        Ok(Self {
            generator,
            scalars: pool.take(current, 32 * PIECE as u64, "scalars of multiples")?,
            points: pool.take(current, size as u64, "multiples")?,
            host: PinnedBuffer::new(current, size, "multiples")?,
            stream: Stream::new(current)?,
        })
    }

    fn multiply(
        &mut self,
        current: &Current<'_>,
        table: &Lease,
        scalars: &[Scalar],
    ) -> Result<&[u8]> {
        let bytes = scalar_bytes(scalars);
        self.host.as_mut_slice()[..bytes.len()].copy_from_slice(bytes);
        let queued = self.queue(current, table, scalars.len());
        self.stream.finish(current, "multiples").and(queued)?;
        let size = scalars.len() * self.generator.point_bytes();
        Ok(&self.host.as_mut_slice()[..size])
    }

    fn queue(&self, current: &Current<'_>, table: &Lease, n: usize) -> Result<()> {
        let context = current.context();
        let stream = self.stream.as_ptr();
        let (scalars, points) = (self.scalars.at(0), self.points.at(0));
        let size = n * self.generator.point_bytes();
        let table = table.at(0).cast_const();
        let n = n as u32;
        // SAFETY: the worker's memory holds a piece, and its caller waits for the stream.
        unsafe {
            let from = self.host.at(0);
            copy_to_device(
                context,
                self.scalars.address(),
                from,
                32 * n as usize,
                &self.stream,
            )?;
            let launch = |code| context.check_launch(code, "multiples");
            let scalars: *const c_void = scalars.cast_const();
            match self.generator {
                Generator::G1 => {
                    launch(kernels::cuzk_launch_multiples_g1(
                        stream, table, scalars, n, points,
                    ))?;
                    launch(kernels::cuzk_launch_encode_g1(stream, points, n))?;
                }
                Generator::G2 => {
                    launch(kernels::cuzk_launch_multiples_g2(
                        stream, table, scalars, n, points,
                    ))?;
                    launch(kernels::cuzk_launch_encode_g2(stream, points, n))?;
                }
            }
            copy_from_device(context, from, self.points.address(), size, &self.stream)
        }
    }
}
