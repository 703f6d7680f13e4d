// SPDX-License-Identifier: MIT OR Apache-2.0

//! The native witness is the circuit's own, value for value.

mod common;

use blstrs::Scalar;
use common::c1::{Fixture, INTERACTIVE};
use common::synthetic;
use common::witness::{first_difference, synthesized};
use cuzk::filecoin::kinds::{Shape, TreeShape};
use cuzk::filecoin::synthetic::SyntheticC1;
use cuzk::filecoin::witness::{NativeWitness, Sector};
use cuzk::filecoin::C1;
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

type VanillaProof = Proof<SectorShape2KiB, Sha256Hasher>;

fn vanilla_proofs(fixture: &Fixture) -> Vec<VanillaProof> {
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
