// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many points each section of a parameter file holds.

use crate::{Error, ErrorKind, Result};

use super::layout::COUNT_BYTES;
use super::VerifyingKey;

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

    /// Bytes of a parameter file with these points.
    pub fn file_bytes(&self) -> u64 {
        let key = VerifyingKey::file_bytes(self.ic);
        let queries = SrsShape { ic: 0, ..*self }.affine_bytes();
        key + 5 * COUNT_BYTES + queries
    }

    /// The counts in the file's order, with the sections' names.
    fn counts(&self) -> [(&'static str, usize); 6] {
        [
            ("ic", self.ic),
            ("h query", self.h),
            ("l query", self.l),
            ("a query", self.a),
            ("b_g1 query", self.b_g1),
            ("b_g2 query", self.b_g2),
        ]
    }

    /// Checks that some circuit can have these counts: the h query is one short of a power of
    /// two that has room for a row of each input; the a query has all inputs and at most all
    /// variables; the b queries agree and have at most all variables.
    pub fn check(&self) -> Result<()> {
        let invalid = |message: String| Err(Error::new(ErrorKind::InvalidSrs, message));
        let domain = self.h + 1;
        let variables = self.ic + self.l;
        if !domain.is_power_of_two() {
            return invalid(format!(
                "h query has {} points, one less than a power of two is needed",
                self.h
            ));
        }
        if self.ic == 0 {
            return invalid("ic has no points, the constant one needs one".to_string());
        }
        if self.ic > domain {
            return invalid(format!(
                "ic has {} points, the domain of {domain} rows that the h query is for has room \
                 for {domain} inputs",
                self.ic
            ));
        }
        if self.a < self.ic || self.a > variables {
            return invalid(format!(
                "a query has {} points, {} inputs and {} auxiliary variables need {} to \
                 {variables}",
                self.a, self.ic, self.l, self.ic
            ));
        }
        if self.b_g1 != self.b_g2 {
            return invalid(format!(
                "b_g1 query has {} points and b_g2 query {}, they must be equal",
                self.b_g1, self.b_g2
            ));
        }
        if self.b_g1 > variables {
            return invalid(format!(
                "b_g1 query has {} points, {} inputs and {} auxiliary variables need at most \
                 {variables}",
                self.b_g1, self.ic, self.l
            ));
        }
        Ok(())
    }

    /// Checks that these are the counts of a circuit, whose own are `circuit`.
    pub fn check_equal(&self, circuit: &SrsShape) -> Result<()> {
        for ((name, present), (_, needed)) in self.counts().into_iter().zip(circuit.counts()) {
            if present != needed {
                return Err(Error::new(
                    ErrorKind::InvalidSrs,
                    format!("{name} has {present} points, the circuit needs {needed}"),
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: SrsShape = SrsShape {
        ic: 3,
        h: 15,
        l: 7,
        a: 9,
        b_g1: 4,
        b_g2: 4,
    };

    #[test]
    fn counts_of_no_circuit_are_refused_with_the_numbers() {
        assert!(GOOD.check().is_ok());
        let refused = |shape: SrsShape| shape.check().unwrap_err().to_string();
        assert_eq!(
            refused(SrsShape { h: 14, ..GOOD }),
            "h query has 14 points, one less than a power of two is needed"
        );
        assert!(refused(SrsShape { h: 1, ..GOOD }).starts_with("ic has 3 points, the domain of 2"));
        assert!(refused(SrsShape { ic: 0, ..GOOD }).contains("ic has no points"));
        assert!(refused(SrsShape { a: 2, ..GOOD }).contains("a query has 2 points"));
        assert!(refused(SrsShape { a: 11, ..GOOD }).contains("need 3 to 10"));
        assert!(refused(SrsShape { b_g2: 5, ..GOOD }).contains("b_g1 query has 4 points and b_g2"));
        let wide = SrsShape {
            b_g1: 11,
            b_g2: 11,
            ..GOOD
        };
        assert!(refused(wide).contains("at most 10"));
    }

    #[test]
    fn another_circuit_s_counts_are_refused_by_section() {
        assert!(GOOD.check_equal(&GOOD).is_ok());
        let circuit = SrsShape { l: 8, ..GOOD };
        assert_eq!(
            GOOD.check_equal(&circuit).unwrap_err().to_string(),
            "l query has 7 points, the circuit needs 8"
        );
    }
}
