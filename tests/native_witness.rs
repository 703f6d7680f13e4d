// SPDX-License-Identifier: MIT OR Apache-2.0

//! The native witness is the circuit's own, value for value.

mod common;

use blstrs::Scalar;
use common::c1::{Fixture, INTERACTIVE};
use common::synthetic;
use common::witness::{first_difference, synthesized};
use cuzk::filecoin::c1::Challenge;
use cuzk::filecoin::kinds::{Shape, TreeShape};
use cuzk::filecoin::synthetic::SyntheticC1;
use cuzk::filecoin::witness::{NativeWitness, Sector};
use cuzk::filecoin::{SectorSize, C1};
use cuzk::ErrorKind;
use cuzk_prover::circuit::CompactAux;
use filecoin_hashers::poseidon::PoseidonHasher;
use filecoin_hashers::sha256::Sha256Hasher;
use filecoin_proofs::constants::{
    SectorShape16KiB, SectorShape2KiB, SectorShape32KiB, SectorShapeBase,
};
use filecoin_proofs::parameters::setup_params;
use storage_proofs_core::api_version::ApiVersion;
use storage_proofs_core::merkle::MerkleTreeTrait;
use storage_proofs_porep::stacked::Proof;

fn vanilla_proofs(fixture: &Fixture) -> Vec<Proof<SectorShape2KiB, Sha256Hasher>> {
    let document: serde_json::Value = serde_json::from_slice(&fixture.c1).unwrap();
    let proofs = &document["vanilla_proofs"]["StackedDrg2KiBV1"][0];
    serde_json::from_value(proofs.clone()).unwrap()
}

#[test]
fn real_2kib_witnesses_are_the_circuits() {
    for case in INTERACTIVE {
        let fixture = Fixture::load(case);
        let c1 = C1::parse(&fixture.c1).unwrap();
        let native = NativeWitness::new(c1.proof().shape()).unwrap();
        let sector = Sector::from(c1.head());
        let witness = native.partition(&sector, &c1.partitions()[0]).unwrap();

        let setup = setup_params(&fixture.sector.registered_proof.as_v1_config()).unwrap();
        let proofs = vanilla_proofs(&fixture);
        let seed = fixture.sector.seed;
        let expected = synthesized::<SectorShape2KiB>(&setup, &sector, seed, 0, &proofs);
        assert_eq!(expected.aux.len(), 2_685_673);
        assert_eq!(native.aux_len(), expected.aux.len());
        assert_eq!(witness.input, expected.input, "{case}");
        assert_eq!(
            first_difference(&witness.aux, &expected.aux),
            None,
            "{case}"
        );
    }
}

/// Compares all partitions of a made-up sector.
fn made_up_witnesses_are_the_circuits<Tree>(
    nodes_log2: u32,
    tree: TreeShape,
    layers: usize,
    api_version: ApiVersion,
) where
    Tree: 'static + MerkleTreeTrait<Hasher = PoseidonHasher>,
{
    let shape = Shape {
        nodes_log2,
        layers,
        challenges: 2,
        tree,
    };
    let plan = synthetic::plan(shape, 1, api_version);
    let c1 = SyntheticC1::new(&plan, 7).unwrap();
    let sector = synthetic::sector(&c1);
    let native = NativeWitness::new(shape).unwrap();
    for (k, proofs) in c1.partitions.iter().enumerate() {
        let witness = native
            .partition(&sector, &synthetic::challenges(proofs))
            .unwrap();
        let proofs = synthetic::vanilla_proofs::<Tree>(proofs);
        let setup = synthetic::setup_params(&plan);
        let expected = synthesized(&setup, &sector, c1.seed, k, &proofs);
        assert_eq!(native.aux_len(), expected.aux.len());
        assert_eq!(witness.input, expected.input);
        assert_eq!(first_difference(&witness.aux, &expected.aux), None);
    }
}

#[test]
fn tree_shape_8_witnesses_are_the_circuits() {
    use TreeShape::Base;
    made_up_witnesses_are_the_circuits::<SectorShapeBase>(6, Base, 11, ApiVersion::V1_1_0);
    made_up_witnesses_are_the_circuits::<SectorShapeBase>(9, Base, 2, ApiVersion::V1_0_0);
}

#[test]
fn tree_shape_8_8_witnesses_are_the_circuits() {
    use TreeShape::Sub8;
    made_up_witnesses_are_the_circuits::<SectorShape16KiB>(9, Sub8, 2, ApiVersion::V1_0_0);
    made_up_witnesses_are_the_circuits::<SectorShape16KiB>(9, Sub8, 11, ApiVersion::V1_1_0);
}

#[test]
fn tree_shape_8_8_2_witnesses_are_the_circuits() {
    use TreeShape::Top2;
    made_up_witnesses_are_the_circuits::<SectorShape32KiB>(10, Top2, 2, ApiVersion::V1_1_0);
    made_up_witnesses_are_the_circuits::<SectorShape32KiB>(10, Top2, 11, ApiVersion::V1_0_0);
}

#[test]
fn a_difference_is_seen() {
    let aux: Vec<Scalar> = (0..200).map(|i| Scalar::from(i % 3)).collect();
    let compact = CompactAux::from_scalars(&aux);
    assert_eq!(first_difference(&compact, &compact), None);
    for i in [0, 1, 2, 63, 64, 199] {
        let mut other = aux.clone();
        other[i] += Scalar::from(1);
        let other = CompactAux::from_scalars(&other);
        assert_eq!(first_difference(&compact, &other), Some(i));
    }
    let shorter = CompactAux::from_scalars(&aux[..199]);
    assert_eq!(first_difference(&compact, &shorter), Some(199));
}

/// The error for the 2 KiB fixture's partition with one change made in its JSON.
fn error_after(change: impl FnOnce(&mut serde_json::Value)) -> cuzk::Error {
    let fixture = Fixture::load(INTERACTIVE[1]);
    let head = C1::parse(&fixture.c1).unwrap();
    let mut document: serde_json::Value = serde_json::from_slice(&fixture.c1).unwrap();
    let partition = &mut document["vanilla_proofs"]["StackedDrg2KiBV1"][0];
    change(partition);
    let challenges: Vec<Challenge> = serde_json::from_value(partition.clone()).unwrap();
    let native = NativeWitness::new(head.proof().shape()).unwrap();
    native
        .partition(&Sector::from(head.head()), &challenges)
        .unwrap_err()
}

#[test]
fn malformed_challenges_are_errors() {
    let modulus = {
        let mut bytes = serde_json::to_value((-Scalar::from(1)).to_bytes_le()).unwrap();
        bytes[0] = 1.into();
        bytes
    };
    let column = "/1/replica_column_proofs/drg_parents/3";
    let parent_path = format!("{column}/inclusion_proof/data/Single/path/path");
    let replica_path = "/1/comm_r_last_proof/data/Single/path/path";
    let data_path = "/1/comm_d_proofs/data/Single/path/path";
    let shorter = |value: &mut serde_json::Value| {
        value.as_array_mut().unwrap().pop();
    };
    let place = |place: &str| format!("challenge 1: {place}");
    for (at, expected) in [
        (String::new(), "1 challenges, 2 needed".to_owned()),
        (
            "/1/replica_column_proofs/drg_parents".into(),
            place("drg_parents: 5 present, 6 needed"),
        ),
        (
            "/1/replica_column_proofs/exp_parents".into(),
            place("exp_parents: 7 present, 8 needed"),
        ),
        (
            "/1/labeling_proofs".into(),
            place("labeling_proofs: 1 present, 2 needed"),
        ),
        (
            format!("{column}/column/rows"),
            place("drg_parents[3]: column: 1 present, 2 needed"),
        ),
        (
            parent_path.clone(),
            place("drg_parents[3]: inclusion_proof: 1 present, 2 needed"),
        ),
        (
            format!("{replica_path}/1/hashes"),
            place("comm_r_last_proof: 7 present, 8 needed"),
        ),
        (
            data_path.into(),
            place("comm_d_proofs: 5 present, 6 needed"),
        ),
        (
            format!("{data_path}/2/hashes"),
            place("comm_d_proofs: 1 present, 2 needed"),
        ),
    ] {
        let error = error_after(|partition| shorter(partition.pointer_mut(&at).expect(&at)));
        assert_eq!(error.kind(), ErrorKind::InvalidC1, "{at}");
        assert_eq!(error.message(), expected, "{at}");
    }
    for (at, value) in [
        (format!("{parent_path}/0/index"), 8.into()),
        (format!("{data_path}/0/index"), 2.into()),
        (format!("{data_path}/0/index"), u64::MAX.into()),
        (format!("{column}/column/rows/0"), modulus.clone()),
        (format!("{parent_path}/0/hashes/6"), modulus.clone()),
        ("/0/comm_d_proofs/data/Single/leaf".into(), modulus.clone()),
        ("/0/comm_r_last_proof/data/Single/root".into(), modulus),
    ] {
        let error = error_after(|partition| *partition.pointer_mut(&at).expect(&at) = value);
        assert_eq!(error.kind(), ErrorKind::InvalidC1, "{at}");
        let said = ["index", "modulus"]
            .iter()
            .any(|word| error.message().contains(word));
        assert!(said, "{at}: {error}");
    }
}

#[test]
fn challenges_that_do_not_satisfy_the_circuit_are_errors() {
    let data_path = "/1/comm_d_proofs/data/Single";
    let columns = "/1/replica_column_proofs";
    let of_c_x = format!("{columns}/c_x/inclusion_proof/data/Single");
    for (at, expected) in [
        (
            format!("{data_path}/leaf/0"),
            "comm_d path leads to another root",
        ),
        (
            format!("{data_path}/path/path/3/hashes/0/7"),
            "comm_d path leads to another root",
        ),
        (
            format!("{columns}/exp_parents/1/column/rows/0/0"),
            "comm_c path of parent 7 leads to another root",
        ),
        (
            "/1/labeling_proofs/0/node".into(),
            "comm_r_last path leads to another root",
        ),
        (
            "/1/comm_r_last_proof/data/Single/path/path/1/hashes/2/0".into(),
            "comm_r_last path leads to another root",
        ),
        (
            format!("{of_c_x}/path/path/0/hashes/0/0"),
            "comm_c path leads to another root",
        ),
        (
            format!("{of_c_x}/root/0"),
            "another comm_c than the first challenge's",
        ),
        (
            "/1/comm_r_last_proof/data/Single/root/0".into(),
            "another comm_r_last than the first challenge's",
        ),
    ] {
        let error = error_after(|partition| {
            let byte = partition.pointer_mut(&at).expect(&at);
            *byte = (byte.as_u64().unwrap() ^ 1).into();
        });
        assert_eq!(error.kind(), ErrorKind::InvalidC1, "{at}");
        assert_eq!(error.message(), format!("challenge 1: {expected}"), "{at}");
    }
}

#[test]
fn sectors_that_do_not_fit_are_errors() {
    let fixture = Fixture::load(INTERACTIVE[0]);
    let c1 = C1::parse(&fixture.c1).unwrap();
    let native = NativeWitness::new(c1.proof().shape()).unwrap();
    let sector = Sector::from(c1.head());
    let mut comm_r = sector.comm_r;
    comm_r[0] ^= 1;
    for (sector, expected) in [
        (Sector { comm_r, ..sector }, "comm_r is not the hash"),
        (
            Sector {
                comm_d: [0xff; 32],
                ..sector
            },
            "comm_d: a value is not below",
        ),
        (
            Sector {
                replica_id: [0xff; 32],
                ..sector
            },
            "replica id: a value is not below",
        ),
    ] {
        let error = native.partition(&sector, &c1.partitions()[0]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidC1);
        assert!(error.message().contains(expected), "{error}");
    }
}

#[test]
fn shapes_without_a_circuit_are_unsupported() {
    let shape = SectorSize::Kib2.shape();
    for shape in [
        Shape {
            nodes_log2: 0,
            ..shape
        },
        Shape {
            nodes_log2: 7,
            ..shape
        },
        Shape {
            nodes_log2: 9,
            tree: TreeShape::Top2,
            ..shape
        },
        Shape {
            nodes_log2: u32::MAX,
            ..shape
        },
        Shape { layers: 3, ..shape },
        Shape {
            challenges: 0,
            ..shape
        },
    ] {
        let error = NativeWitness::new(shape).map(|_| ()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{shape:?}");
    }
}
