// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether many points are all in the subgroup of prime order, faster than one by one.
//!
//! A point outside the subgroup has a component of small order. Of all subsets of some points of
//! the curve with such a point among them, at least half have a sum outside the subgroup: adding
//! or removing that point changes the component. So the sums of `SUBSETS` random subsets are
//! checked instead of the points: points outside go unnoticed with probability 2^-64 at most.
//! Eight subsets are summed in one pass: each point goes into one of 256 buckets by eight random
//! bits, and subset `k` is the buckets whose number has bit `k`. A pass costs one affine addition
//! a point (six multiplications) against about a thousand multiplications of a single check.

use blst::{
    blst_p1, blst_p1_add_or_double, blst_p1_affine, blst_p1_in_g1, blst_p1s_add, blst_p2,
    blst_p2_add_or_double, blst_p2_affine, blst_p2_in_g2, blst_p2s_add,
};
use rand_core::RngCore;

use super::{AffinePoint, G1Affine, G2Affine};

/// Random subsets whose sums are checked: the exponent of the chance to miss.
const SUBSETS: usize = 64;
/// Subsets that one pass over the points sums.
const DIGIT_BITS: usize = 8;
const BUCKETS: usize = 1 << DIGIT_BITS;
/// Below this many points a check each is cheaper than the sums of the buckets.
const BATCH_FROM: usize = 2048;

/// Points to hand to one call: enough that the buckets' sums amortise their inversions.
pub const SUBGROUP_BATCH: usize = 1 << 16;

/// Sums of points, for the batched check.
pub trait SubgroupSum: AffinePoint {
    /// A sum, not normalised; the default is infinity.
    type Sum: Copy + Default;

    /// The sum of affine points.
    fn sum(points: &[&Self]) -> Self::Sum;
    /// The sum of two sums.
    fn add(a: &Self::Sum, b: &Self::Sum) -> Self::Sum;
    /// Whether a sum is in the subgroup; infinity is.
    fn contains(sum: &Self::Sum) -> bool;
}

macro_rules! subgroup_sum {
    ($affine:ty, $raw_affine:ty, $raw:ty, $sum:ident, $add:ident, $contains:ident) => {
        impl SubgroupSum for $affine {
            type Sum = $raw;

            fn sum(points: &[&Self]) -> Self::Sum {
                let mut sum = <$raw>::default();
                if !points.is_empty() {
                    // SAFETY: the affine type is a transparent wrapper of blst's, references are
                    // pointers that are not null, and there are as many as the length says.
                    unsafe {
                        $sum(
                            &mut sum,
                            points.as_ptr().cast::<*const $raw_affine>(),
                            points.len(),
                        )
                    };
                }
                sum
            }

            fn add(a: &Self::Sum, b: &Self::Sum) -> Self::Sum {
                let mut sum = <$raw>::default();
                // SAFETY: reads two points and writes one, all alive.
                unsafe { $add(&mut sum, a, b) };
                sum
            }

            fn contains(sum: &Self::Sum) -> bool {
                // SAFETY: reads one point, which the reference keeps alive.
                unsafe { $contains(sum) }
            }
        }
    };
}

subgroup_sum!(
    G1Affine,
    blst_p1_affine,
    blst_p1,
    blst_p1s_add,
    blst_p1_add_or_double,
    blst_p1_in_g1
);
subgroup_sum!(
    G2Affine,
    blst_p2_affine,
    blst_p2,
    blst_p2s_add,
    blst_p2_add_or_double,
    blst_p2_in_g2
);

/// The first of some points of the curve that is outside the subgroup of prime order.
///
/// `random` picks the subsets; who made the points must not be able to foresee it.
pub fn first_outside_subgroup<P: SubgroupSum>(
    points: &[P],
    random: &mut impl RngCore,
) -> Option<usize> {
    if points.len() >= BATCH_FROM && random_subsets_are_inside(points, random) {
        return None;
    }
    points.iter().position(|point| !point.in_subgroup())
}

fn random_subsets_are_inside<P: SubgroupSum>(points: &[P], random: &mut impl RngCore) -> bool {
    let mut digits = vec![0u8; points.len()];
    let mut sorted: Vec<&P> = points.iter().collect();
    (0..SUBSETS / DIGIT_BITS).all(|_| {
        random.fill_bytes(&mut digits);
        let mut ends = [0usize; BUCKETS];
        for digit in &digits {
            ends[usize::from(*digit)] += 1;
        }
        let mut end = 0;
        for count in &mut ends {
            let start = end;
            end += *count;
            *count = start;
        }
        for (point, digit) in points.iter().zip(&digits) {
            let place = &mut ends[usize::from(*digit)];
            sorted[*place] = point;
            *place += 1;
        }
        let mut start = 0;
        let mut subsets = [P::Sum::default(); DIGIT_BITS];
        for (bucket, end) in ends.iter().enumerate() {
            let sum = P::sum(&sorted[start..*end]);
            start = *end;
            for (bit, subset) in subsets.iter_mut().enumerate() {
                if bucket >> bit & 1 == 1 {
                    *subset = P::add(subset, &sum);
                }
            }
        }
        subsets.iter().all(P::contains)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::{G1Projective, Scalar};
    use group::prime::PrimeCurveAffine;
    use group::{Curve, Group};
    use rand_core::OsRng;

    /// A point of the curve outside the subgroup, found by trying abscissas.
    fn outside<P: AffinePoint>(compressed_bytes: usize, read: impl Fn(&[u8]) -> Option<P>) -> P {
        (1..=255u8)
            .find_map(|x| {
                let mut bytes = vec![0u8; compressed_bytes];
                bytes[0] = 0x80;
                bytes[compressed_bytes - 1] = x;
                read(&bytes).filter(|point| !point.in_subgroup())
            })
            .unwrap()
    }

    fn finds_the_one_outside<P>(inside: impl Fn(u64) -> P, outside: P)
    where
        P: SubgroupSum + std::fmt::Debug,
    {
        assert!(outside.on_curve() && !outside.in_subgroup());
        for n in [
            0usize,
            1,
            2,
            BATCH_FROM - 1,
            BATCH_FROM,
            BATCH_FROM + 1,
            5000,
        ] {
            // Few different points, so that equal ones meet in a bucket; infinity among them.
            let mut points: Vec<P> = (0..n).map(|i| inside(i as u64 % 17)).collect();
            assert_eq!(
                first_outside_subgroup(&points, &mut OsRng),
                None,
                "{n} points"
            );
            for place in [0, n / 2, n.saturating_sub(1)] {
                if place < n {
                    let point = std::mem::replace(&mut points[place], outside);
                    assert_eq!(first_outside_subgroup(&points, &mut OsRng), Some(place));
                    points[place] = point;
                }
            }
        }
    }

    #[test]
    fn a_g1_point_outside_the_subgroup_is_found() {
        let table: Vec<G1Affine> = (0..17u64)
            .map(|i| (G1Affine::generator() * Scalar::from(i)).to_affine())
            .collect();
        let outside = outside(48, |bytes| {
            let bytes: [u8; 48] = bytes.try_into().unwrap();
            G1Affine::from_compressed_unchecked(&bytes).into()
        });
        finds_the_one_outside(|i| table[i as usize], outside);
    }

    #[test]
    fn a_g2_point_outside_the_subgroup_is_found() {
        let table: Vec<G2Affine> = (0..17u64)
            .map(|i| (G2Affine::generator() * Scalar::from(i)).to_affine())
            .collect();
        let outside = outside(96, |bytes| {
            let bytes: [u8; 96] = bytes.try_into().unwrap();
            G2Affine::from_compressed_unchecked(&bytes).into()
        });
        finds_the_one_outside(|i| table[i as usize], outside);
    }

    #[test]
    fn a_component_of_order_three_is_found() {
        // (0, 2) on y^2 = x^3 + 4. Of the components of small order this one is the hardest to
        // see, as every third multiple of it vanishes.
        let mut bytes = [0u8; 96];
        bytes[95] = 2;
        let part = G1Affine::from_bytes_unchecked(&bytes);
        assert!(!part.is_infinity() && part.on_curve() && !part.in_subgroup());
        assert!(bool::from(
            (G1Projective::from(part).double() + part).is_identity()
        ));
        let generator = G1Affine::generator();
        let mut points = vec![generator; 4000];
        points[1234] = part;
        assert_eq!(first_outside_subgroup(&points, &mut OsRng), Some(1234));
        // Two that cancel each other in the sum of all.
        points[3999] = -part;
        assert_eq!(first_outside_subgroup(&points, &mut OsRng), Some(1234));
    }
}
