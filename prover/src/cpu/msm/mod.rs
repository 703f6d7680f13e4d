// SPDX-License-Identifier: MIT OR Apache-2.0
//! Multi-scalar multiplication: Pippenger's buckets with signed digits and batched affine
//! additions, and the split of a witness into zeros, ones and the rest.
//!
//! The work of a sum is cut into tasks of one window and one range of its buckets. A task reads
//! the digit of every scalar (a few nanoseconds) and adds the points whose digit falls into its
//! range, so tasks share nothing and nothing is merged. Each thread that works holds the buckets
//! of one range, at most [`RANGE`] points (3.1 MB in G1, 6.3 MB in G2), and about 1 MB beside.

mod buckets;
mod digits;
mod split;

use group::Group;
use rayon::prelude::*;

pub use digits::{Recoded, Windows, MAX_WIDTH};
pub use split::{aux_sum, compact, input_sum};

use self::buckets::Buckets;
use super::affine::{Affine, Curve};
use crate::backend::Cancel;
use crate::curve::Scalar;
use crate::{room, Result};

/// Most buckets of a task.
pub const RANGE: usize = 1 << 15;

/// Up to here, doubling and adding point by point is cheaper than windows.
const FEW: usize = 16;

/// Scalars read ahead of their points by a task.
const BLOCK: usize = 1 << 12;

/// The sum of `scalars[i] * points[i]`, over as many terms as both have.
pub fn msm<C: Curve>(points: &[C], scalars: &[Scalar], cancel: &Cancel) -> Result<C::Curve> {
    let n = points.len().min(scalars.len());
    indexed_msm(points, |i| i, &scalars[..n], cancel)
}

/// As [`msm`] for scalars that are not needed any more: takes no memory for another form of them.
pub fn msm_of_owned<C: Curve>(
    points: &[C],
    scalars: Vec<Scalar>,
    cancel: &Cancel,
) -> Result<C::Curve> {
    let n = points.len().min(scalars.len());
    if n <= FEW {
        return msm(points, &scalars, cancel);
    }
    let windows = Windows::for_terms(n);
    let recoded = windows.recode_in_place(scalars);
    recoded_msm(points, |i| i, &recoded[..n], windows, cancel)
}

/// The sum of `scalars[i] * points[index(i)]`.
pub fn indexed_msm<C: Curve>(
    points: &[C],
    index: impl Fn(usize) -> usize + Sync,
    scalars: &[Scalar],
    cancel: &Cancel,
) -> Result<C::Curve> {
    if scalars.len() <= FEW {
        let products = scalars.iter().enumerate();
        return Ok(products.map(|(i, scalar)| points[index(i)] * *scalar).sum());
    }
    let windows = Windows::for_terms(scalars.len());
    let recoded = windows.recode(scalars)?;
    recoded_msm(points, index, &recoded, windows, cancel)
}

/// The sum of `scalars[i] * points[index(i)]` for scalars made ready for `windows`.
pub fn recoded_msm<C: Curve>(
    points: &[C],
    index: impl Fn(usize) -> usize + Sync,
    scalars: &[Recoded],
    windows: Windows,
    cancel: &Cancel,
) -> Result<C::Curve> {
    let points = C::coordinates(points);
    let (ranges, len) = ranges(windows, rayon::current_num_threads());
    let tasks = windows.count as usize * ranges;
    let mut sums = room::filled("the sums of the windows", tasks, C::Curve::identity())?;
    sums.par_iter_mut()
        .enumerate()
        .with_max_len(1)
        .try_for_each(|(task, sum)| {
            cancel.check()?;
            let range = Range {
                window: (task / ranges) as u32,
                first: task % ranges * len,
                len,
            };
            *sum = range.sum::<C>(points, &index, scalars, windows)?;
            Result::Ok(())
        })?;
    let by_window = sums.chunks(ranges).rev();
    Ok(by_window.fold(C::Curve::identity(), |sum, ranges| {
        let shifted = (0..windows.width).fold(sum, |sum, _| sum.double());
        shifted + ranges.iter().sum::<C::Curve>()
    }))
}

/// Into how many ranges a window's buckets are cut, and the length of one: at most `RANGE`
/// buckets, and at least four tasks a thread.
fn ranges(windows: Windows, threads: usize) -> (usize, usize) {
    let buckets = windows.buckets();
    let wanted = (4 * threads).div_ceil(windows.count as usize);
    let ranges = wanted
        .max(buckets.div_ceil(RANGE))
        .next_power_of_two()
        .min(buckets);
    (ranges, buckets / ranges)
}

/// A range of the buckets of a window: those of magnitudes `first + 1 ..= first + len`.
struct Range {
    window: u32,
    first: usize,
    len: usize,
}

impl Range {
    /// What the digits of this range contribute to the window's sum.
    fn sum<C: Curve>(
        &self,
        points: &[Affine<C::Base>],
        index: &(impl Fn(usize) -> usize + Sync),
        scalars: &[Recoded],
        windows: Windows,
    ) -> Result<C::Curve> {
        let mut buckets = Buckets::<C::Base>::new(self.len, scalars.len())?;
        // Terms of a block in this range: term, bucket and sign. Written without a branch, since
        // whether a digit falls into the range cannot be predicted. A zero digit wraps around to
        // a bucket past every range.
        let mut entries = room::filled("a block of digits", BLOCK, (0u32, 0u32))?;
        for (block, chunk) in scalars.chunks(BLOCK).enumerate() {
            let mut found = 0;
            for (i, scalar) in chunk.iter().enumerate() {
                let digit = windows.digit(scalar, self.window);
                let bucket = digit.unsigned_abs().wrapping_sub(1 + self.first as u32);
                entries[found] = (i as u32, bucket << 1 | (digit < 0) as u32);
                found += ((bucket as usize) < self.len) as usize;
            }
            for &(i, bucket) in &entries[..found] {
                let point = &points[index(block * BLOCK + i as usize)];
                buckets.push(bucket >> 1, point.negated_if(bucket & 1 == 1));
            }
        }
        Ok(buckets.weighted_sum::<C>(self.first as u64))
    }
}

#[cfg(test)]
mod tests;
