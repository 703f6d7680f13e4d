// SPDX-License-Identifier: MIT OR Apache-2.0
//! Affine points and the addition of many pairs of them with one shared inversion.
//!
//! An affine addition needs one field inversion, and Montgomery's trick shares it among all
//! additions of a batch: 5 products and 1 square an addition, against 7 and 4 for the mixed
//! Jacobian addition. Every case is handled: a point at infinity on either side, equal points
//! (doubling) and opposite points.

use group::prime::PrimeCurveAffine;
use group::Group;

use super::field::{BaseField, Fp, Fp2};
use crate::curve::{G1Affine, G2Affine, Scalar};
use crate::{room, Result};

/// An affine point as it lies in memory; infinity is all zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Affine<F> {
    pub(super) x: F,
    pub(super) y: F,
}

impl<F: BaseField> Affine<F> {
    /// Whether this is the point at infinity. No point of the curves has x = y = 0.
    #[inline(always)]
    pub fn is_infinity(&self) -> bool {
        self.x.is_zero() & self.y.is_zero()
    }

    /// The negative if asked for, else the point itself.
    #[inline(always)]
    pub fn negated_if(&self, negate: bool) -> Self {
        Self {
            x: self.x,
            y: if negate { self.y.neg() } else { self.y },
        }
    }
}

/// G1 or G2: what the sums need to know of a group.
pub trait Curve: PrimeCurveAffine<Scalar = Scalar> {
    /// The field of the coordinates.
    type Base: BaseField;
    /// The coordinates of many points.
    fn coordinates(points: &[Self]) -> &[Affine<Self::Base>];
    /// The point with these coordinates.
    fn from_coordinates(point: Affine<Self::Base>) -> Self;
}

macro_rules! curve {
    ($affine:ident, $base:ident) => {
        const _: () = assert!(size_of::<$affine>() == size_of::<Affine<$base>>());
        const _: () = assert!(align_of::<$affine>() == align_of::<Affine<$base>>());

        impl Curve for $affine {
            type Base = $base;

            fn coordinates(points: &[Self]) -> &[Affine<$base>] {
                // SAFETY: both types are blst's affine point, x and then y (`repr(transparent)`
                // around it there, `repr(C)` here), of the size and alignment asserted above.
                unsafe { std::slice::from_raw_parts(points.as_ptr().cast(), points.len()) }
            }

            fn from_coordinates(point: Affine<$base>) -> Self {
                // SAFETY: as in `coordinates`.
                unsafe { std::mem::transmute::<Affine<$base>, $affine>(point) }
            }
        }
    };
}

curve!(G1Affine, Fp);
curve!(G2Affine, Fp2);

/// What one addition of a batch has to do.
enum Case<F> {
    /// The sum is the left point.
    Keep,
    /// The sum is the right point.
    Take,
    /// The sum is infinity.
    Vanish,
    /// The points differ; the slope's denominator.
    Chord(F),
    /// The points are equal; the slope's denominator.
    Tangent(F),
}

#[inline(always)]
fn case<F: BaseField>(left: &Affine<F>, right: &Affine<F>) -> Case<F> {
    if left.is_infinity() {
        return Case::Take;
    }
    if right.is_infinity() {
        return Case::Keep;
    }
    let dx = right.x.sub(&left.x);
    if dx.is_zero() {
        if left.y == right.y && !left.y.is_zero() {
            return Case::Tangent(left.y.add(&left.y));
        }
        return Case::Vanish;
    }
    Case::Chord(dx)
}

/// Room for a batch; kept between batches.
#[derive(Default)]
pub struct Scratch<F: BaseField> {
    prefix: Vec<F>,
    sums: Vec<Affine<F>>,
    addends: Vec<Affine<F>>,
    octets: F::Octets,
}

impl<F: BaseField> Scratch<F> {
    /// Room for batches of up to `n` additions, which then ask for none.
    pub fn for_batches_of(n: usize) -> Result<Self> {
        let what = "a batch of additions";
        let together = match size_of::<F::Octets>() {
            0 => 0,
            _ => n,
        };
        Ok(Self {
            prefix: room::list(what, n)?,
            sums: room::list(what, together)?,
            addends: room::list(what, together)?,
            octets: F::octets_for(n)?,
        })
    }
}

/// Shortest batch worth being copied together for adding eight at a time.
const MIN_OCTETS: usize = 64;

/// Adds `addend(k)` to `targets[index(k)]` for all `k < n`; the indices must be distinct.
pub fn add_batch<F: BaseField>(
    targets: &mut [Affine<F>],
    index: impl Fn(usize) -> usize,
    addend: impl Fn(usize) -> Affine<F>,
    n: usize,
    scratch: &mut Scratch<F>,
) {
    let mut done = 0;
    if n >= MIN_OCTETS && size_of::<F::Octets>() != 0 {
        let (sums, addends) = (&mut scratch.sums, &mut scratch.addends);
        sums.clear();
        sums.extend((0..n).map(|k| targets[index(k)]));
        addends.clear();
        addends.extend((0..n).map(&addend));
        done = F::add_octets(&mut scratch.octets, sums, addends);
        for (k, sum) in sums[..done].iter().enumerate() {
            targets[index(k)] = *sum;
        }
    }
    let (index, addend) = (|k| index(done + k), |k| addend(done + k));
    add_singly(targets, index, addend, n - done, &mut scratch.prefix);
}

/// The same, one addition after the other; `prefix` takes the partial products.
fn add_singly<F: BaseField>(
    targets: &mut [Affine<F>],
    index: impl Fn(usize) -> usize,
    addend: impl Fn(usize) -> Affine<F>,
    n: usize,
    prefix: &mut Vec<F>,
) {
    if n == 0 {
        return;
    }
    prefix.clear();
    let mut product = F::one();
    for k in 0..n {
        prefix.push(product);
        if let Case::Chord(denominator) | Case::Tangent(denominator) =
            case(&targets[index(k)], &addend(k))
        {
            product = product.mul(&denominator);
        }
    }
    // The inverse of the product of the first k denominators, k falling.
    let mut inverse = product.inverse();
    for k in (0..n).rev() {
        let target = &mut targets[index(k)];
        let right = addend(k);
        let (numerator, denominator) = match case(target, &right) {
            Case::Keep => continue,
            Case::Take => {
                *target = right;
                continue;
            }
            Case::Vanish => {
                *target = Affine::default();
                continue;
            }
            Case::Chord(denominator) => (right.y.sub(&target.y), denominator),
            Case::Tangent(denominator) => {
                let square = target.x.square();
                (square.add(&square).add(&square), denominator)
            }
        };
        let slope = numerator.mul(&inverse.mul(&prefix[k]));
        inverse = inverse.mul(&denominator);
        let x = slope.square().sub(&target.x).sub(&right.x);
        let y = slope.mul(&target.x.sub(&x)).sub(&target.y);
        *target = Affine { x, y };
    }
}

/// Halves a list of points by adding its back half to its front half; the sum stays.
pub fn halve<F: BaseField>(points: &mut Vec<Affine<F>>, scratch: &mut Scratch<F>) {
    let n = points.len() / 2;
    let rest = points.len() - n;
    let (front, back) = points.split_at_mut(rest);
    add_batch(front, |k| k, |k| back[k], n, scratch);
    points.truncate(rest);
}

/// The point with these coordinates in projective form.
pub fn projective<C: Curve>(point: Affine<C::Base>) -> C::Curve {
    C::from_coordinates(point).to_curve()
}

/// `scalar` times `point` by doubling and adding, for small scalars.
pub fn small_multiple<G: Group>(point: &G, scalar: u64) -> G {
    let mut result = G::identity();
    for bit in (0..64 - scalar.leading_zeros()).rev() {
        result = result.double();
        if scalar >> bit & 1 == 1 {
            result += point;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::G1Projective;
    use group::Curve as _;

    /// All pairs of a few points, among them infinity, equal and opposite ones.
    fn every_case<C: Curve>() {
        let generator = C::generator();
        let mut points = vec![C::identity()];
        for k in 1..5u64 {
            let multiple = (generator * Scalar::from(k)).to_affine();
            points.push(multiple);
            points.push(-multiple);
        }
        let n = points.len();
        let lefts: Vec<C> = (0..n * n).map(|i| points[i / n]).collect();
        let rights: Vec<C> = (0..n * n).map(|i| points[i % n]).collect();
        for len in [
            0,
            1,
            2,
            3,
            n,
            MIN_OCTETS - 1,
            MIN_OCTETS,
            MIN_OCTETS + 1,
            n * n,
        ] {
            let mut sums = C::coordinates(&lefts[..len]).to_vec();
            let addends = C::coordinates(&rights[..len]);
            let mut singly = sums.clone();
            add_batch(
                &mut sums,
                |k| k,
                |k| addends[k],
                len,
                &mut Scratch::default(),
            );
            add_singly(&mut singly, |k| k, |k| addends[k], len, &mut Vec::new());
            assert_eq!(sums, singly);
            for k in 0..len {
                let expected = (lefts[k].to_curve() + rights[k]).to_affine();
                assert_eq!(C::from_coordinates(sums[k]), expected, "pair {k} of {len}");
            }
        }
    }

    #[test]
    fn batches_add_every_kind_of_pair() {
        every_case::<G1Affine>();
        every_case::<G2Affine>();
    }

    #[test]
    fn halving_keeps_the_sum() {
        let generator = G1Projective::generator();
        for len in 0..20u64 {
            let points: Vec<G1Affine> = (0..len)
                .map(|k| (generator * Scalar::from(k / 2)).to_affine())
                .collect();
            let mut list = G1Affine::coordinates(&points).to_vec();
            let mut scratch = Scratch::default();
            while list.len() > 1 {
                halve(&mut list, &mut scratch);
            }
            let sum = list.first().map_or(G1Projective::identity(), |point| {
                projective::<G1Affine>(*point)
            });
            assert_eq!(
                sum,
                points
                    .iter()
                    .map(|point| point.to_curve())
                    .sum::<G1Projective>()
            );
        }
    }

    #[test]
    fn small_multiples_are_multiples() {
        let generator = G1Projective::generator();
        for k in [0, 1, 2, 3, 5, 1 << 20, u64::MAX] {
            assert_eq!(small_multiple(&generator, k), generator * Scalar::from(k));
        }
    }
}
