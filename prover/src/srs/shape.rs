// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many points each section of a parameter file holds.

/// Points in each section of a parameter file, in the file's order.
///
/// For a domain of `n` rows: `h` has `n - 1` points; `l` one per auxiliary variable; `a` all
/// inputs, then the auxiliary variables with a non-zero in A; `b_g1` and `b_g2` the inputs with a
/// non-zero in B, then such auxiliary variables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SrsShape {
    /// Points of the verifying key, one per public input, the constant one included.
    pub ic: usize,
    /// Points of the h query.
    pub h: usize,
    /// Points of the l query.
    pub l: usize,
    /// Points of the a query.
    pub a: usize,
    /// Points of the b query in G1.
    pub b_g1: usize,
    /// Points of the b query in G2.
    pub b_g2: usize,
}

impl SrsShape {
    /// Bytes that the points take in memory as affine points: 96 in G1, 192 in G2.
    pub fn affine_bytes(&self) -> u64 {
        96 * (self.ic + self.h + self.l + self.a + self.b_g1) as u64 + 192 * self.b_g2 as u64
    }
}
