// SPDX-License-Identifier: MIT OR Apache-2.0
//! How the queries are cut where their points stream from the host.
//!
//! Pieces take turns in two buffers: one arrives while the other is used.

/// The most points of a piece of l or a: 400 MB. Their sums are far quicker than the bus, larger
/// pieces gain nothing.
const MOST: u64 = 1 << 22;

/// The most points of a piece of h: 800 MB. A multiplication of so many terms is nearly as fast a
/// term as a larger one.
const MOST_OF_H: u64 = 1 << 23;

/// Pieces start at multiples of so many variables: whole blocks of a bitmap's ranks.
const STEP: u64 = 512;

/// The most variables of a piece for each point that it may have: lists are sized by points, the
/// scratch that makes them by variables.
const MOST_VARIABLES: u64 = 8;

/// The most points of a piece where parameters stream.
#[derive(Clone, Copy)]
pub(super) struct PieceSizes {
    /// Of l and a.
    pub(super) queries: u64,
    /// Of b in either group: the points in G2 take twice the bytes, and both have the same pieces.
    pub(super) b: u64,
    pub(super) h: u64,
}

/// Some of the variables, and their points.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) first: u64,
    pub(super) n: u64,
    /// The number of the piece's first point in the query, and how many points the piece has, the
    /// inputs' included.
    pub(super) first_point: u64,
    pub(super) points: u64,
    /// How many of them are the inputs'.
    pub(super) inputs: u64,
}

impl PieceSizes {
    /// Two buffers for h and two for the others, each pair in an eighth of the budget.
    pub(super) fn of_budget(budget: u64) -> Self {
        let fitting = |most: u64| (budget / 16 / 96).clamp(1 << 13, most);
        let queries = fitting(MOST);
        Self {
            queries,
            b: queries / 2,
            h: fitting(MOST_OF_H),
        }
    }

    /// The most variables of a piece of l, a or b.
    pub(super) fn variables(&self) -> u64 {
        MOST_VARIABLES * self.queries
    }
}

/// Cuts `n` variables, of which `rank(i)` before number i have points, into pieces of at most
/// `most` points, or of `STEP` variables where those have more. The first has the inputs' points
/// too; no variables make one empty piece, for the inputs.
pub(super) fn cut(n: u64, most: u64, inputs: u64, rank: impl Fn(u64) -> u64) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut first = 0;
    loop {
        let own_inputs = if first == 0 { inputs } else { 0 };
        let room = most.saturating_sub(own_inputs);
        let before = rank(first);
        // The largest number of steps whose points fit, by bisection.
        let steps = (n - first).div_ceil(STEP);
        let most_steps = most.saturating_mul(MOST_VARIABLES) / STEP;
        let (mut fits, mut too_many) = (1, steps.min(most_steps).max(1) + 1);
        while too_many - fits > 1 {
            let steps = fits + (too_many - fits) / 2;
            match rank(n.min(first + steps * STEP)) - before <= room {
                true => fits = steps,
                false => too_many = steps,
            }
        }
        let end = n.min(first + fits * STEP);
        pieces.push(Piece {
            first,
            n: end - first,
            first_point: inputs - own_inputs + before,
            points: own_inputs + rank(end) - before,
            inputs: own_inputs,
        });
        first = end;
        if first >= n {
            return pieces;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every variable and point once, in order, and no piece larger than it may be.
    fn check(n: u64, most: u64, inputs: u64, rank: impl Fn(u64) -> u64) -> Vec<Piece> {
        let pieces = cut(n, most, inputs, &rank);
        let (mut variables, mut points) = (0, 0);
        for piece in &pieces {
            assert_eq!((piece.first, piece.first_point), (variables, points));
            assert_eq!(piece.first % STEP, 0);
            assert!(piece.n <= STEP.max(most.saturating_mul(MOST_VARIABLES)));
            assert!(piece.points <= most.max(STEP + piece.inputs), "{piece:?}");
            variables += piece.n;
            points += piece.points;
        }
        assert_eq!((variables, points), (n, inputs + rank(n)));
        assert_eq!(pieces.iter().map(|piece| piece.inputs).sum::<u64>(), inputs);
        pieces
    }

    #[test]
    fn pieces_cover_everything_once_and_fit() {
        for n in [0, 1, 511, 512, 513, 4096, 100_000] {
            for most in [1, 512, 513, 8192, u64::MAX] {
                for inputs in [0, 1, 300, 10_000] {
                    check(n, most, inputs, |i| i);
                    check(n, most, inputs, |i| i / 4);
                    check(n, most, inputs, |_| 0);
                    // All points in the last fifth.
                    check(n, most, inputs, |i| i.saturating_sub(n - n / 5));
                }
            }
        }
    }

    #[test]
    fn thin_queries_have_larger_pieces() {
        let dense = check(1 << 20, 1 << 14, 40, |i| i).len();
        let thin = check(1 << 20, 1 << 14, 40, |i| i / 4).len();
        assert!(dense >= 64 && thin <= dense / 4 + 1, "{dense}, {thin}");
        assert_eq!(check(1 << 20, u64::MAX, 40, |i| i).len(), 1);
    }

    #[test]
    fn buffers_follow_the_budget() {
        let large = PieceSizes::of_budget(16 << 30);
        assert_eq!(
            (large.queries, large.b, large.h),
            (1 << 22, 1 << 21, 1 << 23)
        );
        let small = PieceSizes::of_budget(64 << 20);
        assert!(2 * 96 * (small.queries + small.h) <= 16 << 20);
        assert_eq!(PieceSizes::of_budget(1).queries, 1 << 13);
    }
}
