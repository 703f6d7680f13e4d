// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which parts of a block of memory are free.

/// The free parts of a block, in order; neighbours are one.
#[derive(Debug)]
pub(super) struct Ranges {
    size: u64,
    /// Start and length.
    free: Vec<(u64, u64)>,
}

impl Ranges {
    /// A block that is all free.
    pub(super) fn new(size: u64) -> Self {
        Self {
            size,
            free: vec![(0, size)],
        }
    }

    /// Bytes of the block.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Whether nothing of it is taken.
    pub(super) fn is_free(&self) -> bool {
        self.free == [(0, self.size)]
    }

    /// The length of the smallest free part that holds `size` bytes.
    pub(super) fn best(&self, size: u64) -> Option<u64> {
        let lengths = self.free.iter().map(|(_, length)| *length);
        lengths.filter(|length| *length >= size).min()
    }

    /// Takes `size` bytes of the smallest free part that holds them, and gives their start.
    pub(super) fn take(&mut self, size: u64) -> Option<u64> {
        let best = self.best(size)?;
        let at = self.free.iter().position(|(_, length)| *length == best)?;
        let (start, length) = self.free[at];
        match length == size {
            true => {
                self.free.remove(at);
            }
            false => self.free[at] = (start + size, length - size),
        }
        Some(start)
    }

    /// Gives back what `take` gave.
    pub(super) fn give(&mut self, start: u64, size: u64) {
        let at = self.free.partition_point(|(other, _)| *other < start);
        self.free.insert(at, (start, size));
        let joins = |a: (u64, u64), b: (u64, u64)| a.0 + a.1 == b.0;
        if at + 1 < self.free.len() && joins(self.free[at], self.free[at + 1]) {
            self.free[at].1 += self.free[at + 1].1;
            self.free.remove(at + 1);
        }
        if at > 0 && joins(self.free[at - 1], self.free[at]) {
            self.free[at - 1].1 += self.free[at].1;
            self.free.remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Ranges;

    #[test]
    fn the_smallest_part_that_fits_is_taken() {
        let mut ranges = Ranges::new(100);
        assert!(ranges.is_free());
        let taken: Vec<_> = [10, 30, 10, 20, 10].map(|n| ranges.take(n)).to_vec();
        assert_eq!(taken, [0, 10, 40, 50, 70].map(Some));
        ranges.give(10, 30);
        ranges.give(50, 20);
        // Free: 30 at 10, 20 at 50, 20 at 80.
        assert_eq!(ranges.best(20), Some(20));
        assert_eq!(ranges.best(25), Some(30));
        assert_eq!(ranges.best(31), None);
        assert_eq!(ranges.take(31), None);
        assert_eq!(ranges.take(15), Some(50));
        assert_eq!(ranges.take(25), Some(10));
    }

    #[test]
    fn what_comes_back_in_any_order_is_one_block_again() {
        let orders = [
            [0, 1, 2, 3],
            [3, 2, 1, 0],
            [1, 3, 0, 2],
            [2, 0, 3, 1],
            [1, 2, 0, 3],
        ];
        for order in orders {
            let mut ranges = Ranges::new(64);
            let starts = [16; 4].map(|n| ranges.take(n).expect("room"));
            assert_eq!((ranges.best(1), ranges.is_free()), (None, false));
            for which in order {
                ranges.give(starts[which], 16);
            }
            assert!(ranges.is_free(), "{order:?}: {ranges:?}");
            assert_eq!(ranges.size(), 64);
        }
    }
}
