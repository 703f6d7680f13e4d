// SPDX-License-Identifier: MIT OR Apache-2.0
//! The compiled form and the packed witness against a system that evaluates as it goes.

use bellpepper_core::{Circuit, ConstraintSystem, Index, SynthesisError, Variable};
use blstrs::Scalar;
use ff::Field;

use super::testing::{EvaluatingSystem, RandomCircuit, TestRng};
use super::*;
use crate::ErrorKind;

fn forms(circuit: &CompiledCircuit, form: BlockForm) -> usize {
    let matrices = circuit.pieces().iter().flat_map(Piece::matrices);
    let blocks = matrices.flat_map(SparseRows::blocks);
    blocks.filter(|block| block.form == form).count()
}

fn check_equal(circuit: RandomCircuit) -> CompiledCircuit {
    let reference = EvaluatingSystem::run(circuit.clone());
    let compiled = CompiledCircuit::record(circuit.clone()).unwrap();
    let witness = synthesize(circuit).unwrap();

    assert_eq!(witness.input, reference.input);
    assert_eq!(witness.aux, CompactAux::from_scalars(&reference.aux));
    let shape = compiled.shape();
    assert_eq!(shape.rows, reference.rows[0].len());
    assert_eq!(shape.inputs, reference.input.len());
    assert_eq!(shape.aux, reference.aux.len());
    assert_eq!(shape.nonzeros, reference.nonzeros);
    let bitmap = |bits: &[bool]| bits.iter().copied().collect::<Bitmap>();
    assert_eq!(*compiled.a_aux_density(), bitmap(&reference.a_aux_density));
    assert_eq!(
        *compiled.b_input_density(),
        bitmap(&reference.b_input_density)
    );
    assert_eq!(*compiled.b_aux_density(), bitmap(&reference.b_aux_density));
    assert!(compiled.evaluate(&witness).unwrap() == reference.rows);
    compiled
}

#[test]
fn compiled_rows_equal_the_linear_combinations_at_all_edge_sizes() {
    let rng = TestRng::from_environment();
    for rows in [0, 1, 2, 63, 64, 65, 127, 128, 129, 1000] {
        for (inputs, aux) in [(1, 0), (1, 1), (2, 7), (5, 300), (70, 64)] {
            let compiled = check_equal(RandomCircuit {
                rng: rng.clone(),
                inputs,
                aux,
                rows,
                terms: 6,
                long_row: 900,
            });
            assert_eq!(compiled.shape().rows, rows + inputs);
            let domain = 1usize << compiled.log_domain();
            assert!(domain >= rows + inputs && domain / 2 < rows + inputs);
            assert_eq!(forms(&compiled, BlockForm::Wide), 0);
        }
    }
}

#[test]
fn a_block_with_more_far_columns_than_codes_is_kept_wide() {
    let compiled = check_equal(RandomCircuit {
        rng: TestRng::from_environment(),
        inputs: 3,
        aux: 400_000,
        rows: 70,
        terms: 400,
        long_row: 300,
    });
    assert!(forms(&compiled, BlockForm::Wide) > 0);
    assert!(forms(&compiled, BlockForm::Narrow) > 0);
}

/// `rows` rows, each the sum of the same `terms` variables; or one term a row, its coefficient
/// the row's number plus two.
enum Many {
    Terms { rows: usize, terms: usize },
    Coefficients { rows: usize },
}

impl Circuit<Scalar> for Many {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let (rows, terms) = match self {
            Many::Terms { rows, terms } => (rows, terms),
            Many::Coefficients { rows } => (rows, 1),
        };
        let variables = (0..terms)
            .map(|_| cs.alloc(|| "", || Ok(Scalar::ONE)))
            .collect::<Result<Vec<_>, _>>()?;
        for row in 0..rows as u64 {
            let coefficient = match self {
                Many::Terms { .. } => Scalar::ONE,
                Many::Coefficients { .. } => Scalar::from(row + 2),
            };
            let sum = |lc| variables.iter().fold(lc, |lc, x| lc + (coefficient, *x));
            cs.enforce(|| "", sum, |lc| lc, |lc| lc);
        }
        Ok(())
    }
}

#[test]
fn a_block_with_more_terms_than_sixteen_bits_count_is_kept_wide() {
    // 64 x 1,023 = 65,472 terms fit, 64 x 1,024 = 65,536 do not.
    for (terms, wide) in [(1023, 0), (1024, 1)] {
        let many = || Many::Terms { rows: 64, terms };
        let compiled = CompiledCircuit::record(many()).unwrap();
        assert_eq!(forms(&compiled, BlockForm::Wide), wide);
        let [a, ..] = compiled.evaluate(&synthesize(many()).unwrap()).unwrap();
        assert!(a[..64]
            .iter()
            .all(|value| *value == Scalar::from(terms as u64)));
    }
}

#[test]
fn coefficient_indices_beyond_sixteen_bits_are_kept() {
    let many = || Many::Coefficients { rows: 70_000 };
    let compiled = CompiledCircuit::record(many()).unwrap();
    assert_eq!(compiled.coefficients().len(), 70_002);
    assert!(forms(&compiled, BlockForm::Wide) > 0);
    let [a, ..] = compiled.evaluate(&synthesize(many()).unwrap()).unwrap();
    for (i, value) in a[..70_000].iter().enumerate() {
        assert_eq!(*value, Scalar::from(i as u64 + 2));
    }
}

/// Fails in the way that it is told to.
enum Broken {
    NoValue,
    Unallocated,
}

impl Circuit<Scalar> for Broken {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        match self {
            Broken::NoValue => Err(SynthesisError::AssignmentMissing),
            Broken::Unallocated => {
                let stray = Variable::new_unchecked(Index::Aux(3));
                cs.enforce(|| "", |lc| lc + stray, |lc| lc, |lc| lc);
                Ok(())
            }
        }
    }
}

#[test]
fn a_broken_circuit_is_refused_with_its_cause() {
    let error = CompiledCircuit::record(Broken::NoValue).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidAssignment);
    assert_eq!(
        error.message(),
        "synthesis of the circuit: an assignment for a variable could not be computed"
    );
    assert_eq!(
        synthesize(Broken::NoValue).unwrap_err().kind(),
        ErrorKind::InvalidAssignment
    );
    let error = CompiledCircuit::record(Broken::Unallocated).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidAssignment);
    assert_eq!(
        error.message(),
        "row 0 names Variable(Aux(3)), 0 are allocated"
    );
}

#[test]
fn a_witness_that_does_not_fit_is_refused_with_the_numbers() {
    let circuit = RandomCircuit {
        rng: TestRng::from_environment(),
        inputs: 2,
        aux: 3,
        rows: 4,
        terms: 3,
        long_row: 3,
    };
    let compiled = CompiledCircuit::record(circuit.clone()).unwrap();
    let good = synthesize(circuit).unwrap();
    let with = |input: Vec<Scalar>, aux: usize| Witness {
        input,
        aux: CompactAux::from_scalars(&vec![Scalar::ONE; aux]),
    };
    for (witness, message) in [
        (
            with(vec![Scalar::ONE], 3),
            "the assignment has 1 inputs, the circuit 2",
        ),
        (
            with(good.input.clone(), 4),
            "the assignment has 4 auxiliary values, the circuit 3",
        ),
        (with(vec![Scalar::ZERO; 2], 3), "input 0 is not one"),
    ] {
        let error = compiled.evaluate(&witness).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidAssignment);
        assert_eq!(error.message(), message);
    }
}

/// Fills its values through every hook that a witness generator offers, where there is one, and
/// through allocations where there is none.
#[derive(Clone)]
struct Hooks(Vec<Scalar>);

impl Circuit<Scalar> for Hooks {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let values = self.0;
        if !cs.is_witness_generator() {
            for value in values.iter().chain(&values).chain(&values).chain(&values) {
                cs.alloc(|| "", || Ok(*value))?;
            }
            cs.alloc_input(|| "", || Ok(values[0]))?;
            cs.alloc_input(|| "", || Ok(values[1]))?;
            return Ok(());
        }
        cs.extend_aux(&values);
        let (aux, inputs) = cs.allocate_empty(values.len(), 1);
        aux.copy_from_slice(&values);
        inputs[0] = values[0];
        cs.extend_inputs(&values[1..2]);
        assert_eq!(cs.aux_slice(), [&values[..], &values].concat());
        assert_eq!(cs.inputs_slice(), [Scalar::ONE, values[0], values[1]]);
        for (i, value) in values.iter().enumerate() {
            let variable = cs.alloc(|| "", || Ok(*value))?;
            assert_eq!(variable.get_unchecked(), Index::Aux(2 * values.len() + i));
        }
        if CS::is_extensible() {
            let mut part = CS::new();
            part.alloc_input(|| "", || Ok(Scalar::ONE))?;
            part.extend_aux(&values[..1]);
            part.allocate_empty_aux(values.len() - 1)
                .copy_from_slice(&values[1..]);
            cs.extend(&part);
        }
        assert_eq!(cs.aux_slice(), values.repeat(4));
        Ok(())
    }
}

#[test]
fn the_hooks_of_a_witness_generator_keep_order_and_values() {
    let mut rng = TestRng::from_environment();
    for len in [2, 63, 64, 65, 200] {
        let values: Vec<Scalar> = (0..len).map(|_| rng.edge_scalar()).collect();
        let circuit = Hooks(values);
        let reference = EvaluatingSystem::run(circuit.clone());
        let witness = synthesize(circuit).unwrap();
        assert_eq!(witness.input, reference.input);
        assert_eq!(witness.aux, CompactAux::from_scalars(&reference.aux));
    }
}

#[test]
fn the_first_unsatisfied_row_is_named() {
    struct Squares([u64; 3]);
    impl Circuit<Scalar> for Squares {
        fn synthesize<CS: ConstraintSystem<Scalar>>(
            self,
            cs: &mut CS,
        ) -> Result<(), SynthesisError> {
            for square in self.0 {
                let root = cs.alloc(|| "", || Ok(Scalar::from(3)))?;
                let square = cs.alloc(|| "", || Ok(Scalar::from(square)))?;
                cs.enforce(|| "", |lc| lc + root, |lc| lc + root, |lc| lc + square);
            }
            Ok(())
        }
    }
    let row = |squares: [u64; 3]| {
        let compiled = CompiledCircuit::record(Squares(squares)).unwrap();
        compiled
            .first_unsatisfied_row(&synthesize(Squares(squares)).unwrap())
            .unwrap()
    };
    assert_eq!(row([9, 9, 9]), None);
    assert_eq!(row([9, 8, 9]), Some(1));
}
