// SPDX-License-Identifier: MIT OR Apache-2.0
//! Saved circuits come back as they were, and nothing else is taken for one.

use super::super::repeat_tests::{repeated, repeating};
use super::super::testing::{RandomCircuit, TestRng};
use super::*;
use crate::{Error, ErrorKind};

const MOST: u64 = 1 << 24;

fn check_comes_back(circuit: &CompiledCircuit) {
    let saved = circuit.save();
    let loaded = CompiledCircuit::load(&saved, MOST).unwrap();
    assert_eq!(loaded.origin(), Origin::Saved);
    assert_ne!(loaded.id(), circuit.id());
    assert_eq!(loaded.shape(), circuit.shape());
    assert_eq!(loaded.coefficients, circuit.coefficients);
    assert_eq!(loaded.pieces.len(), circuit.pieces.len());
    for (loaded, piece) in loaded.pieces.iter().zip(&circuit.pieces) {
        assert!(loaded.matrices == piece.matrices);
        assert_eq!(loaded.rows, piece.rows);
        assert_eq!(loaded.copies, piece.copies);
        assert_eq!(loaded.stride, piece.stride);
        assert_eq!(loaded.first_row, piece.first_row);
    }
    assert!(loaded == *circuit);
    assert!(loaded.save() == saved);
}

fn random(rng: &TestRng, inputs: usize, aux: usize, rows: usize) -> CompiledCircuit {
    CompiledCircuit::record(RandomCircuit {
        rng: rng.clone(),
        inputs,
        aux,
        rows,
        terms: 6,
        long_row: 900,
    })
    .unwrap()
}

/// A block with inputs and a prelude, three times.
fn small(rng: &TestRng) -> CompiledCircuit {
    repeated(&repeating(rng, [[3, 20, 10], [2, 30, 40]], 4, 3)).unwrap()
}

#[test]
fn recorded_circuits_come_back() {
    let rng = TestRng::from_environment();
    for rows in [0, 1, 2, 63, 64, 65, 3000] {
        for (inputs, aux) in [(1, 0), (1, 1), (5, 300), (70, 5000)] {
            check_comes_back(&random(&rng, inputs, aux, rows));
        }
    }
}

#[test]
fn wide_blocks_come_back() {
    let circuit = RandomCircuit {
        rng: TestRng::from_environment(),
        inputs: 3,
        aux: 400_000,
        rows: 70,
        terms: 400,
        long_row: 300,
    };
    check_comes_back(&CompiledCircuit::record(circuit).unwrap());
}

#[test]
fn repeated_blocks_come_back() {
    let rng = TestRng::from_environment();
    for prelude in [[1, 0, 0], [1, 1, 1], [4, 30, 63], [3, 70, 65]] {
        for block in [[0, 1, 1], [1, 0, 1], [1, 40, 63], [5, 90, 129]] {
            for copies in [2, 7] {
                let circuit = repeating(&rng, [prelude, block], 5, copies);
                check_comes_back(&repeated(&circuit).unwrap());
            }
            // A single copy comes back as rows that are there once.
            let one = repeated(&repeating(&rng, [prelude, block], 5, 1)).unwrap();
            assert!(CompiledCircuit::load(&one.save(), MOST).unwrap() == one);
        }
    }
}

/// What repeats is small: the rows of one gadget in another, a thousand times over.
#[test]
fn repeated_rows_take_no_room() {
    let rng = TestRng::from_environment();
    let circuit = repeating(&rng, [[1, 5, 3], [0, 50, 80]], 4, 1);
    let whole = |copies| {
        CompiledCircuit::record(super::super::testing::RepeatingCircuit {
            copies,
            ..circuit.clone()
        })
        .unwrap()
    };
    let (few, many) = (whole(4), whole(1004));
    check_comes_back(&many);
    assert!(many.save().len() < few.save().len() + 64);
}

fn refusal(loaded: Result<CompiledCircuit>) -> String {
    let error: Error = loaded.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.message().starts_with("saved circuit: "), "{error}");
    error.message()["saved circuit: ".len()..].to_string()
}

#[test]
fn other_bytes_are_refused_with_the_cause() {
    let saved = small(&TestRng::from_environment()).save();
    for at in 0..saved.len() {
        let mut changed = saved.clone();
        changed[at] ^= 1 << (at % 8);
        let text = refusal(CompiledCircuit::load(&changed, MOST));
        let expected = match at {
            0..8 => " bytes that do not start as a saved circuit",
            8..12 => " of the format, this library reads 1",
            _ => "the digest is not that of the contents",
        };
        assert!(text.ends_with(expected), "byte {at}: {text}");
    }
    for len in 0..saved.len() {
        refusal(CompiledCircuit::load(&saved[..len], MOST));
        refusal(CompiledCircuit::load_unverified(&saved[..len], MOST));
    }
    let mut longer = saved.clone();
    longer.push(0);
    refusal(CompiledCircuit::load(&longer, MOST));
    assert_eq!(
        refusal(CompiledCircuit::load_unverified(&longer, MOST)),
        "1 bytes are left over"
    );
}

/// Whatever is accepted can be walked over without leaving its variables and coefficients.
fn check_walks(circuit: &CompiledCircuit) {
    let shape = circuit.shape();
    let columns = shape.inputs + shape.aux;
    for which in 0..3 {
        let mut terms = 0;
        for row in circuit.rows(which, 0..shape.rows) {
            let mut last = None;
            for (column, coefficient) in row {
                assert!((column as usize) < columns && last < Some(column));
                assert!((coefficient as usize) < circuit.coefficients().len());
                (last, terms) = (Some(column), terms + 1);
            }
        }
        assert_eq!(terms, shape.nonzeros[which]);
    }
}

#[test]
fn changed_contents_are_refused_or_safe() {
    let mut rng = TestRng::from_environment();
    let circuits = [small(&rng), random(&rng, 3, 40, 50)];
    let (mut refused, mut accepted) = (0, 0);
    for circuit in &circuits {
        let saved = circuit.save();
        for _ in 0..4000 {
            let mut changed = saved.clone();
            for _ in 0..1 + rng.below(3) {
                let at = HEAD + rng.below(changed.len() - HEAD);
                match rng.below(4) {
                    0 => changed[at] = rng.next() as u8,
                    1 => changed[at] ^= 1 << rng.below(8),
                    2 => drop(changed.remove(at)),
                    _ => changed.insert(at, rng.next() as u8),
                }
            }
            match CompiledCircuit::load_unverified(&changed, MOST) {
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
                    refused += 1;
                }
                Ok(circuit) => {
                    check_walks(&circuit);
                    accepted += 1;
                }
            }
        }
    }
    assert!(refused > accepted && accepted > 0, "{refused}, {accepted}");
}

/// The bytes of a body with an empty head, which is not checked.
fn of_body(numbers: &[u64]) -> Vec<u8> {
    let mut saved = MAGIC.to_vec();
    saved.extend_from_slice(&VERSION.to_le_bytes());
    saved.extend_from_slice(&[0; DIGEST]);
    for &number in numbers {
        put_number(&mut saved, number);
    }
    saved
}

#[test]
fn small_files_cannot_ask_for_much_memory() {
    let load = |numbers: &[u64]| refusal(CompiledCircuit::load_unverified(&of_body(numbers), MOST));
    let too_much = "it would take more memory than the 16777216 bytes that are allowed";
    let most = (1 << 31) - 2;
    // Variables.
    assert_eq!(load(&[1, most]), too_much);
    assert_eq!(
        load(&[2, most]),
        "2147483646 auxiliary variables before byte 6, 0 to 2147483645 are allowed"
    );
    // A piece of so many rows without terms: a new token of a new class, then copies of it.
    let rows = (1 << 31) - 1;
    let copy = (rows - 1) << 2 | program::COPY;
    assert_eq!(load(&[1, 0, 0, 1, rows, 1, 0, 0, 0, 0, copy, 1]), too_much);
    // A row of so many terms.
    assert_eq!(load(&[1, 0, 0, 1, 1, 1, 0, 1 << 30]), too_much);
    // Coefficients that are not there.
    assert!(load(&[1, 0, 1 << 30]).starts_with("1 bytes are needed at byte"));
    // More copies than rows can be counted.
    assert!(load(&[1, 0, 0, 1, 2, (1 << 30) + 1]).starts_with("1073741825 copies before byte"));
    // Copies with more variables than there are.
    assert!(load(&[1, 5, 0, 1, 1, 3, 1, 3, 0, 1]).starts_with("1 own auxiliary variables before"));
}
