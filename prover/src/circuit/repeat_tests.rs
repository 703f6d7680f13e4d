// SPDX-License-Identifier: MIT OR Apache-2.0
//! Circuits that keep a repeated block once, against the recording of all their rows.

use bellpepper_core::{Index, LinearCombination, Variable};
use blstrs::Scalar;
use ff::Field;

use super::testing::{Altered, RandomCircuit, RepeatingCircuit, TestRng};
use super::*;
use crate::{ErrorKind, Result};

/// Inputs, auxiliary variables and rows of the prelude, then of the block.
pub(crate) type Sizes = [[usize; 3]; 2];

const SIZES: Sizes = [[4, 30, 20], [2, 100, 150]];

pub(crate) fn repeating(
    rng: &TestRng,
    sizes: Sizes,
    terms: usize,
    copies: usize,
) -> RepeatingCircuit {
    let [prelude, block] = sizes.map(|[inputs, aux, rows]| RandomCircuit {
        rng: rng.clone(),
        inputs,
        aux,
        rows,
        terms,
        long_row: 300,
    });
    RepeatingCircuit {
        rng: rng.clone(),
        prelude,
        block,
        copies,
    }
}

pub(crate) fn repeated(circuit: &RepeatingCircuit) -> Result<CompiledCircuit> {
    let of = |copies| {
        CompiledCircuit::record(RepeatingCircuit {
            copies,
            ..circuit.clone()
        })
    };
    CompiledCircuit::repeated(&of(1)?, &of(2)?, circuit.copies)
}

fn check_equal(circuit: RepeatingCircuit) -> CompiledCircuit {
    let full = CompiledCircuit::record(circuit.clone()).unwrap();
    let repeated = repeated(&circuit).unwrap();
    assert_eq!(repeated.shape(), full.shape());
    assert_eq!(repeated.srs_shape(), full.srs_shape());
    assert!(repeated == full);
    repeated.check(circuit.clone()).unwrap();
    full.check(circuit.clone()).unwrap();
    let witness = synthesize(circuit).unwrap();
    assert!(repeated.evaluate(&witness).unwrap() == full.evaluate(&witness).unwrap());
    assert_eq!(
        repeated.first_unsatisfied_row(&witness).unwrap(),
        full.first_unsatisfied_row(&witness).unwrap()
    );
    repeated
}

#[test]
fn a_repeated_block_equals_the_recording_of_all_rows() {
    let rng = TestRng::from_environment();
    for prelude in [[1, 0, 0], [1, 1, 0], [1, 1, 1], [4, 30, 63], [3, 70, 65]] {
        for block in [[0, 1, 1], [1, 0, 1], [1, 40, 63], [0, 64, 64], [5, 90, 129]] {
            for copies in [1, 2, 3, 7] {
                check_equal(repeating(&rng, [prelude, block], 6, copies));
            }
        }
    }
}

#[test]
fn blocks_of_both_forms_move_their_columns() {
    let rng = TestRng::from_environment();
    // Many far columns of both kinds, then more than a block has codes for.
    for (terms, long, wide) in [(3, 200_000, false), (400, 400_000, true)] {
        let sizes = [[3, 2000, 10], [2, long, 140]];
        let circuit = check_equal(repeating(&rng, sizes, terms, 3));
        let matrices = circuit.pieces().iter().flat_map(Piece::matrices);
        let mut blocks = matrices.flat_map(SparseRows::blocks);
        assert_eq!(blocks.any(|block| block.form == BlockForm::Wide), wide);
    }
}

#[test]
fn the_memory_is_that_of_one_block() {
    let rng = TestRng::from_environment();
    let bytes = |copies| {
        let circuit = repeating(&rng, [[4, 300, 200], [2, 10_000, 10_000]], 6, copies);
        repeated(&circuit).unwrap().bytes()
    };
    // The densities grow by three bits a variable, ranks included.
    assert!(bytes(50) < 2 * bytes(1));
}

/// The circuit with the first coefficient of a row, if it has terms, raised by one.
fn with_another_coefficient<C>(
    circuit: C,
    wanted: usize,
    which: usize,
) -> Altered<
    C,
    impl Fn(usize, usize, LinearCombination<Scalar>) -> LinearCombination<Scalar> + Sync + Clone,
> {
    Altered {
        circuit,
        alter: move |row, matrix, lc: LinearCombination<Scalar>| {
            let term = match (row, matrix) == (wanted, which) {
                true => lc.iter().next().map(|term| term.0),
                false => None,
            };
            match term {
                Some(variable) => lc + variable,
                None => lc,
            }
        },
    }
}

/// The circuit with variables of copy `i` instead of those of the later copy `j` in every row.
fn with_another_copy(
    circuit: RepeatingCircuit,
    i: usize,
    j: usize,
) -> Altered<
    RepeatingCircuit,
    impl Fn(usize, usize, LinearCombination<Scalar>) -> LinearCombination<Scalar> + Sync + Clone,
> {
    let (prelude, block) = (circuit.prelude.aux, circuit.block.aux);
    let swapped = move |aux: usize| match aux.checked_sub(prelude).map(|own| own / block) {
        Some(copy) if copy == j => aux - (j - i) * block,
        _ => aux,
    };
    Altered {
        circuit,
        alter: move |_, _, lc: LinearCombination<Scalar>| {
            lc.iter()
                .fold(LinearCombination::zero(), |lc, (variable, coefficient)| {
                    let variable = match variable.get_unchecked() {
                        Index::Aux(aux) => Variable::new_unchecked(Index::Aux(swapped(aux))),
                        Index::Input(_) => variable,
                    };
                    lc + (*coefficient, variable)
                })
        },
    }
}

#[test]
fn another_coefficient_and_a_swapped_copy_are_noticed() {
    let rng = TestRng::from_environment();
    let circuit = repeating(&rng, SIZES, 6, 5);
    let repeated = repeated(&circuit).unwrap();
    let refusal = |error: crate::Error| {
        assert_eq!(error.kind(), ErrorKind::SelfCheckFailed);
        error.message().to_string()
    };
    let mut noticed = 0;
    for row in [0, 19, 20, 169, 170, 170 + 3 * 150, 20 + 5 * 150 - 1] {
        for which in 0..3 {
            // A row without terms stays as it is.
            if repeated
                .rows(which, row..row + 1)
                .all(|mut row| row.next().is_none())
            {
                continue;
            }
            let altered = with_another_coefficient(circuit.clone(), row, which);
            let text = refusal(repeated.check(altered.clone()).unwrap_err());
            let place = format!("row {row} of {}: ", ["A", "B", "C"][which]);
            assert!(text.starts_with(&place), "{text}");
            assert!(CompiledCircuit::record(altered).unwrap() != repeated);
            noticed += 1;
        }
    }
    assert!(noticed > 10);

    // The fourth copy's rows are 470 to 619.
    let swapped = with_another_copy(circuit, 1, 3);
    let text = refusal(repeated.check(swapped.clone()).unwrap_err());
    assert!(text.starts_with("row 47"), "{text}");
    assert!(CompiledCircuit::record(swapped).unwrap() != repeated);
}

#[test]
fn a_circuit_of_other_numbers_is_noticed() {
    let rng = TestRng::from_environment();
    let circuit = repeating(&rng, SIZES, 6, 3);
    let repeated = repeated(&circuit).unwrap();
    for copies in [2, 4] {
        let error = repeated
            .check(RepeatingCircuit {
                copies,
                ..circuit.clone()
            })
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::SelfCheckFailed);
    }
}

#[test]
fn parts_that_do_not_repeat_are_refused_with_the_row() {
    let rng = TestRng::from_environment();
    let of = |copies| repeating(&rng, SIZES, 6, copies);
    let record = |copies| CompiledCircuit::record(of(copies)).unwrap();
    let (one, two) = (record(1), record(2));
    let text = |result: Result<CompiledCircuit>, kind| {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), kind);
        error.message().to_string()
    };
    let invalid = ErrorKind::InvalidArgument;
    let repeat = CompiledCircuit::repeated;

    // Rows of the prelude, of the first block and of the second, where A has terms.
    let has_terms = |row: &usize| {
        two.rows(0, *row..*row + 1)
            .any(|mut row| row.next().is_some())
    };
    for from in [3, 100, 200] {
        let row = (from..).find(has_terms).unwrap();
        let altered = CompiledCircuit::record(with_another_coefficient(of(2), row, 0)).unwrap();
        assert_eq!(
            text(repeat(&one, &altered, 3), invalid),
            format!("row {row} of A of the circuit for two parts does not repeat that for one")
        );
    }
    assert_eq!(
        text(repeat(&one, &two, 0), invalid),
        "a circuit of 0 equal parts"
    );
    assert_eq!(
        text(repeat(&two, &one, 3), invalid),
        "a circuit of 170 rows, 6 inputs and 130 auxiliary variables does not repeat a part of one \
         of 320 rows, 8 inputs and 230 auxiliary variables"
    );
    assert_eq!(
        text(repeat(&one, &one, 3), invalid),
        "a circuit of 170 rows, 6 inputs and 130 auxiliary variables does not repeat a part of one \
         of 170 rows, 6 inputs and 130 auxiliary variables"
    );
    for copies in [20_000_000, usize::MAX] {
        let text = text(repeat(&one, &two, copies), ErrorKind::Unsupported);
        assert!(
            text.starts_with(&format!("{copies} copies of 150 rows")),
            "{text}"
        );
    }
}

#[test]
fn a_prelude_that_names_the_first_part_is_refused() {
    struct Backwards(usize);
    impl bellpepper_core::Circuit<Scalar> for Backwards {
        fn synthesize<CS: bellpepper_core::ConstraintSystem<Scalar>>(
            self,
            cs: &mut CS,
        ) -> std::result::Result<(), bellpepper_core::SynthesisError> {
            let own: Vec<Variable> = (0..self.0)
                .map(|_| cs.alloc(|| "", || Ok(Scalar::ONE)))
                .collect::<std::result::Result<_, _>>()?;
            cs.enforce(|| "", |lc| lc + own[0], |lc| lc, |lc| lc);
            for own in own {
                cs.enforce(|| "", |lc| lc + own, |lc| lc, |lc| lc);
            }
            Ok(())
        }
    }
    let of = |copies| CompiledCircuit::record(Backwards(copies)).unwrap();
    let error = CompiledCircuit::repeated(&of(1), &of(2), 3).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert_eq!(
        error.message(),
        "row 0 of A comes before the repeated part and names its variables"
    );
}
