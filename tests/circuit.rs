// SPDX-License-Identifier: MIT OR Apache-2.0

//! The compiled form of the real 2 KiB PoRep circuit, against its own linear combinations.

mod common;
#[path = "../prover/src/circuit/testing.rs"]
#[allow(dead_code)]
mod testing;

use common::c1::{Fixture, V1, V1_1};
use common::porep::{blank_circuit_2kib, circuit_2kib};
use cuzk_prover::backend::AuxAssignment;
use cuzk_prover::circuit::{synthesize, Bitmap, CircuitShape, CompactAux, CompiledCircuit};
use cuzk_prover::cpu::evaluate::evaluate_rows;
use cuzk_prover::srs::SrsShape;
use ff::Field;
use testing::EvaluatingSystem;

#[test]
fn the_2kib_circuit_compiles_to_its_known_numbers_within_100_mb() {
    let fixture = Fixture::load(V1_1);
    let blank = CompiledCircuit::record(blank_circuit_2kib(&fixture)).unwrap();
    assert_eq!(
        blank.shape(),
        CircuitShape {
            rows: 2_687_921 + 40,
            inputs: 40,
            aux: 2_685_673,
            nonzeros: blank.shape().nonzeros,
        }
    );
    assert_eq!(blank.log_domain(), 22);
    let nonzeros: usize = blank.shape().nonzeros.iter().sum();
    let bytes = blank.bytes();
    println!(
        "2 KiB: {:?} non-zeros, {bytes} bytes, {:.3} bytes a non-zero, {} coefficients",
        blank.shape().nonzeros,
        bytes as f64 / nonzeros as f64,
        blank.coefficients().len()
    );
    assert!(bytes <= 100_000_000, "{bytes} bytes");

    // Values change nothing, and neither does the version.
    for case in [V1_1, V1] {
        let with_values = CompiledCircuit::record(circuit_2kib(&Fixture::load(case))).unwrap();
        assert!(with_values == blank, "{case}");
    }
}

#[test]
fn rows_of_the_2kib_circuit_equal_its_linear_combinations() {
    let circuit = circuit_2kib(&Fixture::load(V1_1));
    let reference = EvaluatingSystem::run(circuit.clone());
    let compiled = CompiledCircuit::record(circuit.clone()).unwrap();
    let witness = synthesize(circuit).unwrap();

    assert!(witness.input == reference.input);
    assert!(witness.aux == CompactAux::from_scalars(&reference.aux));
    assert_eq!(compiled.shape().nonzeros, reference.nonzeros);
    let bitmap = |bits: &[bool]| bits.iter().copied().collect::<Bitmap>();
    assert!(*compiled.a_aux_density() == bitmap(&reference.a_aux_density));
    assert!(*compiled.b_input_density() == bitmap(&reference.b_input_density));
    assert!(*compiled.b_aux_density() == bitmap(&reference.b_aux_density));
    let b = 1 + compiled.b_aux_density().count_ones();
    assert_eq!(
        compiled.srs_shape(),
        SrsShape {
            ic: 40,
            h: (1 << 22) - 1,
            l: 2_685_673,
            a: 40 + compiled.a_aux_density().count_ones(),
            b_g1: b,
            b_g2: b,
        }
    );

    let slow = compiled.evaluate(&witness).unwrap();
    for (which, slow) in slow.iter().enumerate() {
        assert!(*slow == reference.rows[which], "matrix {which}");
        let mut fast = vec![blstrs::Scalar::ONE; compiled.shape().rows];
        let aux = AuxAssignment::Compact(&witness.aux);
        evaluate_rows(&compiled, which, &witness.input, aux, &mut fast).unwrap();
        assert!(fast == *slow, "matrix {which}");
    }
    let [a, b, c] = slow;
    assert!((0..a.len()).all(|row| a[row] * b[row] == c[row]));
}
