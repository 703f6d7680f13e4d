// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether an assignment fits its parameters: every size and density, before any work is done.

use crate::backend::{Assignment, Rows};
use crate::curve::Scalar;
use crate::srs::SrsShape;
use crate::{Error, ErrorKind, Result};

/// The lengths of an assignment's arrays and the ones of its densities: what the parameters say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lengths {
    /// Public inputs, the constant one included.
    pub inputs: usize,
    /// Auxiliary variables.
    pub aux: usize,
    /// Rows of each of a, b and c.
    pub rows: usize,
    /// Bits of the three densities.
    pub a_aux_density: usize,
    /// Those over the inputs.
    pub b_input_density: usize,
    /// Those over the auxiliary variables in B.
    pub b_aux_density: usize,
    /// Ones of the three densities.
    pub a_aux_ones: usize,
    /// Those over the inputs.
    pub b_input_ones: usize,
    /// Those over the auxiliary variables in B.
    pub b_aux_ones: usize,
}

/// Compares the lengths of an assignment, and how many ones its densities are said to have, with
/// the parameters' sections. Nothing of the arrays is looked at: a caller's lengths are checked by
/// this before its arrays are read.
///
/// # Errors
///
/// `InvalidAssignment` that names the first thing that does not fit, with the numbers needed and
/// present.
pub fn check_lengths(lengths: &Lengths, shape: &SrsShape) -> Result<()> {
    fits("inputs", shape.ic, lengths.inputs)?;
    fits("auxiliary variables", shape.l, lengths.aux)?;
    check_rows(lengths.rows, shape)?;
    let densities = [
        ("a_aux_density", lengths.a_aux_density, lengths.aux),
        ("b_input_density", lengths.b_input_density, lengths.inputs),
        ("b_aux_density", lengths.b_aux_density, lengths.aux),
    ];
    for (name, present, needed) in densities {
        if present != needed {
            return Err(invalid(format!(
                "{name} has {present} bits, {needed} are needed"
            )));
        }
    }
    let a = lengths.inputs.checked_add(lengths.a_aux_ones);
    let b = lengths.b_input_ones.checked_add(lengths.b_aux_ones);
    let a_from = "the inputs and the popcount of a_aux_density";
    let b_from = "the popcounts of b_input_density and b_aux_density";
    let queries = [
        ("a query", a_from, shape.a, a),
        ("b query in G1", b_from, shape.b_g1, b),
        ("b query in G2", b_from, shape.b_g2, b),
    ];
    for (query, from, points, variables) in queries {
        if Some(points) != variables {
            let named = variables.map_or("too many".to_string(), |n| n.to_string());
            return Err(invalid(format!(
                "the {query} has {points} points, {from} name {named} variables"
            )));
        }
    }
    Ok(())
}

/// Compares every size of an assignment with the parameters' sections.
///
/// # Errors
///
/// As [`check_lengths`], for rows of different lengths, and for a first input that is not one.
pub fn check_assignment(assignment: &Assignment<'_>, shape: &SrsShape) -> Result<()> {
    let inputs = assignment.input.len();
    let aux = assignment.aux.len();
    let rows = match assignment.rows {
        Rows::Given { a, b, c } => {
            if a.len() != b.len() || a.len() != c.len() {
                return Err(invalid(format!(
                    "the rows of a, b and c are {}, {} and {}, equal numbers are needed",
                    a.len(),
                    b.len(),
                    c.len()
                )));
            }
            a.len()
        }
        Rows::Compiled(circuit) => {
            circuit.check_witness(assignment.input, aux)?;
            circuit.shape().rows
        }
    };
    let lengths = Lengths {
        inputs,
        aux,
        rows,
        a_aux_density: assignment.a_aux_density.len(),
        b_input_density: assignment.b_input_density.len(),
        b_aux_density: assignment.b_aux_density.len(),
        a_aux_ones: assignment.a_aux_density.count_ones(),
        b_input_ones: assignment.b_input_density.count_ones(),
        b_aux_ones: assignment.b_aux_density.count_ones(),
    };
    check_lengths(&lengths, shape)?;
    if assignment.input.first() != Some(&Scalar::from(1)) {
        return Err(invalid("input 0 is not one".into()));
    }
    Ok(())
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::InvalidAssignment, message)
}

fn fits(what: &str, needed: usize, present: usize) -> Result<()> {
    if needed == present {
        return Ok(());
    }
    Err(invalid(format!(
        "the assignment has {present} {what}, the parameters need {needed}"
    )))
}

/// The domain of the parameters, h's points and one, must be the smallest that holds the rows.
fn check_rows(rows: usize, shape: &SrsShape) -> Result<()> {
    let domain = rows.checked_next_power_of_two();
    if rows == 0 || domain != shape.h.checked_add(1) {
        return Err(invalid(format!(
            "the assignment has {rows} rows, which do not fit the h query of {} points",
            shape.h
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::AuxAssignment;
    use crate::circuit::Bitmap;

    struct Parts {
        rows: [Vec<Scalar>; 3],
        input: Vec<Scalar>,
        aux: Vec<Scalar>,
        a_aux: Bitmap,
        b_input: Bitmap,
        b_aux: Bitmap,
    }

    impl Parts {
        fn fitting() -> (Self, SrsShape) {
            let one = Scalar::from(1);
            let parts = Self {
                rows: [vec![one; 5], vec![one; 5], vec![one; 5]],
                input: vec![one; 2],
                aux: vec![one; 3],
                a_aux: [true, false, true].into_iter().collect(),
                b_input: [true, false].into_iter().collect(),
                b_aux: [false, false, true].into_iter().collect(),
            };
            let shape = SrsShape {
                ic: 2,
                h: 7,
                l: 3,
                a: 4,
                b_g1: 2,
                b_g2: 2,
            };
            (parts, shape)
        }

        fn check(&self, shape: &SrsShape) -> Result<()> {
            let [a, b, c] = &self.rows;
            let assignment = Assignment {
                rows: Rows::Given { a, b, c },
                input: &self.input,
                aux: AuxAssignment::Scalars(&self.aux),
                a_aux_density: &self.a_aux,
                b_input_density: &self.b_input,
                b_aux_density: &self.b_aux,
            };
            check_assignment(&assignment, shape)
        }
    }

    #[test]
    fn a_fitting_assignment_passes() {
        let (parts, shape) = Parts::fitting();
        parts.check(&shape).unwrap();
    }

    #[test]
    fn whatever_does_not_fit_is_named_with_its_numbers() {
        type Spoil = fn(&mut Parts, &mut SrsShape);
        let spoil: [(Spoil, &str); 14] = [
            (
                |p, _| p.input.truncate(1),
                "the assignment has 1 inputs, the parameters need 2",
            ),
            (|p, _| p.input[0] = Scalar::from(2), "input 0 is not one"),
            (
                |p, _| p.aux.truncate(2),
                "the assignment has 2 auxiliary variables, the parameters need 3",
            ),
            (
                |p, _| p.rows[1].truncate(4),
                "the rows of a, b and c are 5, 4 and 5, equal numbers are needed",
            ),
            (
                |p, _| p.rows[2].truncate(0),
                "the rows of a, b and c are 5, 5 and 0, equal numbers are needed",
            ),
            (
                |p, _| p.rows = Default::default(),
                "the assignment has 0 rows, which do not fit the h query of 7 points",
            ),
            (
                |_, s| s.h = 6,
                "the assignment has 5 rows, which do not fit the h query of 6 points",
            ),
            (
                |_, s| s.h = usize::MAX,
                "the assignment has 5 rows, which do not fit the h query of 18446744073709551615 \
                 points",
            ),
            (
                |p, _| p.a_aux = Bitmap::default(),
                "a_aux_density has 0 bits, 3 are needed",
            ),
            (
                |p, _| p.b_input = p.a_aux.clone(),
                "b_input_density has 3 bits, 2 are needed",
            ),
            (
                |p, _| p.b_aux = p.b_input.clone(),
                "b_aux_density has 2 bits, 3 are needed",
            ),
            (
                |_, s| s.a = 5,
                "the a query has 5 points, the inputs and the popcount of a_aux_density name 4 \
                 variables",
            ),
            (
                |_, s| s.b_g1 = 1,
                "the b query in G1 has 1 points, the popcounts of b_input_density and \
                 b_aux_density name 2 variables",
            ),
            (
                |_, s| s.b_g2 = 3,
                "the b query in G2 has 3 points, the popcounts of b_input_density and \
                 b_aux_density name 2 variables",
            ),
        ];
        for (spoil, message) in spoil {
            let (mut parts, mut shape) = Parts::fitting();
            spoil(&mut parts, &mut shape);
            let error = parts.check(&shape).unwrap_err();
            assert_eq!(error.message(), message);
            assert_eq!(error.kind(), ErrorKind::InvalidAssignment);
        }
    }
}
