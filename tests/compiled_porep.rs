// SPDX-License-Identifier: MIT OR Apache-2.0

//! The PoRep circuit of several challenges, compiled from those of one and of two, is the whole
//! circuit row for row.

mod common;
#[path = "../prover/src/circuit/testing.rs"]
#[allow(dead_code)]
mod testing;

use bellpepper_core::{Index, LinearCombination, Variable};
use blstrs::Scalar;
use common::synthetic;
use cuzk::filecoin::kinds::{Shape, TreeShape};
use cuzk::filecoin::porep::{check, compile, load, record_all, saved};
use cuzk::filecoin::synthetic::SyntheticC1;
use cuzk::filecoin::witness::NativeWitness;
use cuzk::filecoin::SectorSize;
use cuzk::ErrorKind;
use cuzk_prover::backend::AuxAssignment;
use cuzk_prover::circuit::{CompiledCircuit, Piece, Witness};
use cuzk_prover::cpu::evaluate::evaluate_rows;
use ff::Field;
use filecoin_hashers::sha256::Sha256Hasher;
use filecoin_proofs::constants::SectorShape16KiB;
use storage_proofs_core::api_version::ApiVersion;
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_core::proof::ProofScheme;
use storage_proofs_porep::stacked::{StackedCircuit, StackedCompound, StackedDrg};
use testing::Altered;

fn shape(nodes_log2: u32, tree: TreeShape, challenges: usize) -> Shape {
    Shape {
        nodes_log2,
        layers: 2,
        challenges,
        tree,
    }
}

/// The piece that is there once for each challenge.
fn block(compiled: &CompiledCircuit) -> &Piece {
    let mut repeated = compiled.pieces().iter().filter(|piece| piece.copies() > 1);
    let block = repeated.next().expect("a block that is repeated");
    assert!(repeated.next().is_none());
    block
}

fn compiled_is_the_whole_circuit(shape: Shape) {
    let compiled = compile(&shape).unwrap();
    assert_eq!(block(&compiled).copies(), shape.challenges);
    let full = record_all(&shape).unwrap();
    assert_eq!(compiled.shape(), full.shape());
    assert_eq!(compiled.srs_shape(), full.srs_shape());
    assert!(compiled == full);
    assert!(compiled.bytes() * shape.challenges < full.bytes() * 3 / 2);
    drop(full);

    // Each challenge of a made-up sector holds, and the fast evaluation is the slow one.
    let c1 = SyntheticC1::new(&synthetic::plan(shape, 1, ApiVersion::V1_1_0), 7).unwrap();
    let Witness { input, aux } = NativeWitness::new(shape)
        .unwrap()
        .partition(
            &synthetic::sector(&c1),
            &synthetic::challenges(&c1.partitions[0]),
        )
        .unwrap();
    let [a, b, c] = [0, 1, 2].map(|which| {
        let mut rows = vec![Scalar::ZERO; compiled.shape().rows];
        let aux = AuxAssignment::Compact(&aux);
        evaluate_rows(&compiled, which, &input, aux, &mut rows).unwrap();
        rows
    });
    assert_eq!((0..a.len()).find(|&row| a[row] * b[row] != c[row]), None);
    let slow = compiled.evaluate(&Witness { input, aux }).unwrap();
    assert!(slow == [a, b, c]);
}

#[test]
fn tree_shape_8_challenges_repeat() {
    compiled_is_the_whole_circuit(shape(6, TreeShape::Base, 3));
}

#[test]
fn tree_shape_8_8_challenges_repeat() {
    compiled_is_the_whole_circuit(shape(9, TreeShape::Sub8, 4));
}

#[test]
fn tree_shape_8_8_2_challenges_repeat() {
    compiled_is_the_whole_circuit(shape(10, TreeShape::Top2, 3));
}

/// Of the large ones `cuzk compile-circuit` says so, in half a minute each.
#[test]
fn the_library_carries_the_circuits_as_compiled() {
    for size in [SectorSize::Kib2, SectorSize::Mib8, SectorSize::Mib512] {
        let shape = size.shape();
        let compiled = compile(&shape).unwrap();
        assert!(
            compiled.save() == saved(size),
            "{size}: make circuits makes them anew"
        );
        assert!(load(size).unwrap() == compiled);
    }
}

/// What is carried is one block a challenge and small.
#[test]
fn all_circuits_load_from_a_saved_form_of_some_hundred_kilobytes() {
    for size in SectorSize::ALL {
        let circuit = load(size).unwrap();
        assert_eq!(block(&circuit).copies(), size.shape().challenges, "{size}");
        assert!(saved(size).len() < 300_000 && circuit.bytes() < 300_000_000);
    }
}

/// The whole circuit of the 16 KiB shape with changed linear combinations.
fn altered<F>(shape: Shape, alter: F) -> Altered<StackedCircuit<SectorShape16KiB, Sha256Hasher>, F>
where
    F: Fn(usize, usize, LinearCombination<Scalar>) -> LinearCombination<Scalar> + Sync,
{
    let setup = synthetic::setup_params(&synthetic::plan(shape, 1, ApiVersion::V1_1_0));
    let params = StackedDrg::<SectorShape16KiB, Sha256Hasher>::setup(&setup).unwrap();
    let circuit = StackedCompound::<SectorShape16KiB, Sha256Hasher>::blank_circuit(&params);
    Altered { circuit, alter }
}

#[test]
fn another_coefficient_and_a_swapped_challenge_are_noticed() {
    let shape = shape(9, TreeShape::Sub8, 3);
    let compiled = compile(&shape).unwrap();
    check(&shape, &compiled).unwrap();
    let refusal = |error: cuzk::Error| {
        assert_eq!(error.kind(), ErrorKind::SelfCheckFailed);
        error.message().to_string()
    };
    let block = block(&compiled);

    // A coefficient one more, in the middle of the third challenge.
    let wanted = block.first_row(2) + block.rows() / 2;
    let circuit = altered(shape, |row, which, lc: LinearCombination<Scalar>| {
        let term = lc.iter().next().map(|term| term.0);
        match term {
            Some(variable) if (row, which) == (wanted, 0) => lc + variable,
            _ => lc,
        }
    });
    let text = refusal(compiled.check(circuit).unwrap_err());
    assert!(text.starts_with(&format!("row {wanted} of A: ")), "{text}");

    // The third challenge's rows over the first one's variables.
    let stride = block.stride();
    let (first, of_one) = (
        (stride.own_aux - stride.inputs) as usize,
        stride.aux as usize,
    );
    let swapped = |aux: usize| match aux.checked_sub(first).map(|own| own / of_one) {
        Some(2) => aux - 2 * of_one,
        _ => aux,
    };
    let circuit = altered(shape, |_, _, lc: LinearCombination<Scalar>| {
        let zero = LinearCombination::zero();
        lc.iter().fold(zero, |lc, (variable, coefficient)| {
            let variable = match variable.get_unchecked() {
                Index::Aux(aux) => Variable::new_unchecked(Index::Aux(swapped(aux))),
                Index::Input(_) => variable,
            };
            lc + (*coefficient, variable)
        })
    });
    let text = refusal(compiled.check(circuit).unwrap_err());
    let third = block.first_row(2)..block.first_row(2) + 10;
    assert!(
        third
            .clone()
            .any(|row| text.starts_with(&format!("row {row} of "))),
        "{text}"
    );
}
