// SPDX-License-Identifier: MIT OR Apache-2.0
//! The buckets of one window, or of a range of it: filled by batches of affine additions, then
//! reduced to their weighted sum. And sums without scalars, by the same batches.

use group::Group;

use crate::cpu::affine::{add_batch, halve, projective, small_multiple, Affine, Curve, Scratch};
use crate::cpu::field::BaseField;
use crate::{room, Result};

/// Additions that share one inversion: enough that the inversion (about 60 products) adds little,
/// few enough that points, buckets and partial products of a batch stay in a core's own cache.
const BATCH: usize = 1024;

/// Lanes of the reduction, each summing its own run of buckets; one batch a step.
const LANES: usize = 512;

/// Buckets with the additions that wait for them.
///
/// A batch may name each bucket once. A point whose bucket is already named is put off to a later
/// batch, and once a full batch of points is put off they are first added up among themselves,
/// bucket by bucket. So the cost stays one addition a point for every distribution of digits.
pub struct Buckets<F: BaseField> {
    points: Vec<Affine<F>>,
    named: Vec<u64>,
    batch: Vec<(u32, Affine<F>)>,
    put_off: Vec<(u32, Affine<F>)>,
    /// For adding up what is put off: the right points, where their sums go, and the left ones.
    addends: Vec<Affine<F>>,
    targets: Vec<usize>,
    left: Vec<Affine<F>>,
    scratch: Scratch<F>,
}

impl<F: BaseField> Buckets<F> {
    /// `len` empty buckets for up to `terms` points, with all memory that filling and reducing
    /// them takes.
    pub fn new(len: usize, terms: usize) -> Result<Self> {
        let what = "a thread's part of a multi-scalar multiplication";
        let most = BATCH.min(terms);
        let lanes = lanes(len);
        Ok(Self {
            points: room::filled(what, len, Affine::default())?,
            named: room::filled(what, len.div_ceil(64), 0)?,
            batch: room::list(what, most)?,
            put_off: room::list(what, most)?,
            addends: room::list(what, lanes.max(most / 2))?,
            targets: room::list(what, most / 2)?,
            left: room::list(what, lanes.max(most / 2))?,
            scratch: Scratch::for_batches_of(lanes.max(most))?,
        })
    }

    /// Adds a point to a bucket, now or with a later batch.
    #[inline(always)]
    pub fn push(&mut self, bucket: u32, point: Affine<F>) {
        let (word, bit) = (bucket as usize / 64, 1u64 << (bucket % 64));
        if self.named[word] & bit != 0 {
            self.put_off.push((bucket, point));
            if self.put_off.len() == BATCH {
                self.merge_put_off();
            }
            return;
        }
        self.named[word] |= bit;
        prefetch(&self.points[bucket as usize]);
        self.batch.push((bucket, point));
        if self.batch.len() == BATCH {
            self.flush();
            self.retry_put_off();
        }
    }

    /// Does the additions of the batch.
    fn flush(&mut self) {
        let batch = &self.batch;
        add_batch(
            &mut self.points,
            |k| batch[k].0 as usize,
            |k| batch[k].1,
            batch.len(),
            &mut self.scratch,
        );
        for (bucket, _) in batch {
            self.named[*bucket as usize / 64] = 0;
        }
        self.batch.clear();
    }

    /// Names the buckets of points put off, as far as they are free now.
    fn retry_put_off(&mut self) {
        let (named, batch) = (&mut self.named, &mut self.batch);
        self.put_off.retain(|&(bucket, point)| {
            let (word, bit) = (bucket as usize / 64, 1u64 << (bucket % 64));
            let free = named[word] & bit == 0;
            if free {
                named[word] |= bit;
                batch.push((bucket, point));
            }
            !free
        });
    }

    /// Adds up points put off until each bucket has one, and gives these to the buckets.
    fn merge_put_off(&mut self) {
        self.flush();
        let (batch, put_off) = (&mut self.batch, &mut self.put_off);
        let (addends, targets, left) = (&mut self.addends, &mut self.targets, &mut self.left);
        put_off.sort_unstable_by_key(|(bucket, _)| *bucket);
        loop {
            batch.clear();
            addends.clear();
            targets.clear();
            for (bucket, point) in put_off.drain(..) {
                match batch.last() {
                    Some((last, _)) if *last == bucket && targets.last() != Some(&batch.len()) => {
                        addends.push(point);
                        targets.push(batch.len());
                    }
                    _ => batch.push((bucket, point)),
                }
            }
            if targets.is_empty() {
                self.flush();
                return;
            }
            left.clear();
            left.extend(targets.iter().map(|at| batch[at - 1].1));
            let n = left.len();
            add_batch(left, |k| k, |k| addends[k], n, &mut self.scratch);
            for (at, sum) in targets.iter().zip(&*left) {
                batch[at - 1].1 = *sum;
            }
            std::mem::swap(batch, put_off);
        }
    }

    /// The sum over all buckets b of (`first` + b + 1) times the bucket.
    pub fn weighted_sum<C: Curve<Base = F>>(mut self, first: u64) -> C::Curve {
        self.merge_put_off();
        // Lane l sums buckets l * run to (l + 1) * run from the top: `plain` is their sum and
        // `weighted` the sum weighted by 1, 2, ..., run.
        let len = self.points.len();
        let lanes = lanes(len);
        let run = len.div_ceil(lanes);
        let (plain, weighted) = (&mut self.left, &mut self.addends);
        for sums in [&mut *plain, &mut *weighted] {
            sums.clear();
            sums.resize(lanes, Affine::default());
        }
        let points = &self.points;
        for step in (0..run).rev() {
            let bucket = |lane: usize| points.get(lane * run + step).copied().unwrap_or_default();
            add_batch(plain, |k| k, bucket, lanes, &mut self.scratch);
            add_batch(weighted, |k| k, |k| plain[k], lanes, &mut self.scratch);
        }
        // sum_l weighted_l + run * sum_l l * plain_l + first * sum_l plain_l
        let mut total = C::Curve::identity();
        let mut by_lane = C::Curve::identity();
        let mut result = C::Curve::identity();
        for lane in (0..lanes).rev() {
            by_lane += total;
            total += C::from_coordinates(plain[lane]);
            result += C::from_coordinates(weighted[lane]);
        }
        result + small_multiple(&by_lane, run as u64) + small_multiple(&total, first)
    }
}

/// Lanes that reduce so many buckets.
fn lanes(len: usize) -> usize {
    LANES.min(len.div_ceil(8)).max(1)
}

/// Asks the processor to fetch a bucket that a batch will change.
#[inline(always)]
fn prefetch<T>(at: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_mm_prefetch, _MM_HINT_T0};
        let start = std::ptr::from_ref(at).cast::<i8>();
        for line in (0..size_of::<T>()).step_by(64) {
            // SAFETY: a prefetch reads nothing that the program could see and cannot fault; the
            // address lies within `at`.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.add(line)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

/// A sum of points without scalars, taken up by halving lists of them.
pub struct PlainSum<F: BaseField> {
    list: Vec<Affine<F>>,
    scratch: Scratch<F>,
}

impl<F: BaseField> PlainSum<F> {
    /// The empty sum, with all memory that it takes.
    pub fn new() -> Result<Self> {
        Ok(Self {
            list: room::list("a thread's sum of points", 2 * BATCH)?,
            scratch: Scratch::for_batches_of(BATCH)?,
        })
    }

    /// Adds a point.
    #[inline(always)]
    pub fn push(&mut self, point: Affine<F>) {
        self.list.push(point);
        if self.list.len() == 2 * BATCH {
            halve(&mut self.list, &mut self.scratch);
        }
    }

    /// The sum.
    pub fn finish<C: Curve<Base = F>>(mut self) -> C::Curve {
        while self.list.len() > 1 {
            halve(&mut self.list, &mut self.scratch);
        }
        self.list
            .pop()
            .map_or(C::Curve::identity(), projective::<C>)
    }
}
