// SPDX-License-Identifier: MIT OR Apache-2.0

//! Made-up Commit-1 outputs are accepted by the vanilla verification, by our reader, and by every
//! row of the circuit.

mod common;

use common::synthetic::{challenges, plan, sector, setup_params, vanilla_proofs};
use cuzk::filecoin::kinds::{Shape, TreeShape};
use cuzk::filecoin::synthetic::{Plan, SyntheticC1};
use cuzk::filecoin::witness::NativeWitness;
use cuzk::filecoin::{SealProof, SectorSize, Variant, C1};
use cuzk::ErrorKind;
use cuzk_prover::circuit::CompiledCircuit;
use filecoin_hashers::poseidon::PoseidonHasher;
use filecoin_hashers::sha256::{Sha256Domain, Sha256Hasher};
use filecoin_proofs::constants::{SectorShape16KiB, SectorShape32KiB, SectorShapeBase};
use filecoin_proofs_api::seal::SealCommitPhase1Output;
use storage_proofs_core::api_version::ApiVersion;
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_core::merkle::MerkleTreeTrait;
use storage_proofs_core::proof::ProofScheme;
use storage_proofs_porep::stacked::{PublicInputs, StackedCompound, StackedDrg, Tau};

/// Verifies all vanilla proofs of a made-up sector, and each row of the first partition's circuit.
fn accepted<Tree>(plan: &Plan, every_row: bool)
where
    Tree: 'static + MerkleTreeTrait<Hasher = PoseidonHasher>,
{
    let c1 = SyntheticC1::new(plan, 3).unwrap();
    let params = StackedDrg::<Tree, Sha256Hasher>::setup(&setup_params(plan)).unwrap();
    let inputs = PublicInputs {
        replica_id: c1.replica_id.into(),
        seed: Some(c1.seed),
        tau: Some(Tau {
            comm_d: Sha256Domain(c1.comm_d),
            comm_r: c1.comm_r.into(),
        }),
        k: None,
    };
    let all: Vec<_> = c1
        .partitions
        .iter()
        .map(|proofs| vanilla_proofs(proofs))
        .collect();
    assert_eq!(all.len(), plan.partitions);
    assert!(
        StackedDrg::<Tree, Sha256Hasher>::verify_all_partitions(&params, &inputs, &all).unwrap()
    );

    if every_row {
        let native = NativeWitness::new(plan.shape).unwrap();
        let witness = native
            .partition(&sector(&c1), &challenges(&c1.partitions[0]))
            .unwrap();
        let circuit = StackedCompound::<Tree, Sha256Hasher>::blank_circuit(&params);
        let circuit = CompiledCircuit::record(circuit).unwrap();
        assert_eq!(circuit.first_unsatisfied_row(&witness).unwrap(), None);
    }
}

#[test]
fn small_sectors_of_all_tree_shapes_are_accepted() {
    let shape = |nodes_log2, tree, layers| Shape {
        nodes_log2,
        layers,
        challenges: 2,
        tree,
    };
    let plan = |shape, version| plan(shape, 3, version);
    for version in [ApiVersion::V1_0_0, ApiVersion::V1_1_0] {
        let every_row = version == ApiVersion::V1_1_0;
        accepted::<SectorShapeBase>(&plan(shape(6, TreeShape::Base, 2), version), every_row);
        accepted::<SectorShape16KiB>(&plan(shape(9, TreeShape::Sub8, 11), version), false);
        accepted::<SectorShape32KiB>(&plan(shape(10, TreeShape::Top2, 2), version), false);
    }
}

#[test]
fn registered_sectors_up_to_512_mib_are_accepted() {
    for size in [SectorSize::Kib2, SectorSize::Mib8, SectorSize::Mib512] {
        for variant in [Variant::V1, Variant::V1_1] {
            let plan = Plan::new(SealProof::new(variant, size)).unwrap();
            accepted::<SectorShapeBase>(&plan, false);
        }
    }
}

#[test]
fn the_document_is_filecoin_proofs_own() {
    let proof = SealProof::new(Variant::V1_1, SectorSize::Kib2);
    let c1 = SyntheticC1::new(&Plan::new(proof).unwrap(), 9).unwrap();
    let mut json = Vec::new();
    c1.write(proof, &mut json).unwrap();

    let output: SealCommitPhase1Output = serde_json::from_slice(&json).unwrap();
    assert_eq!(serde_json::to_vec(&output).unwrap(), json);

    let ours = C1::parse(&json).unwrap();
    assert_eq!(ours.proof(), proof);
    assert_eq!(ours.head().comm_r, c1.comm_r);
    assert_eq!(ours.partitions().len(), 1);
}

#[test]
fn the_seed_alone_decides() {
    let proof = SealProof::new(Variant::V1, SectorSize::Kib2);
    let json = |seed| {
        let mut json = Vec::new();
        let c1 = SyntheticC1::new(&Plan::new(proof).unwrap(), seed).unwrap();
        c1.write(proof, &mut json).unwrap();
        json
    };
    assert_eq!(json(1), json(1));
    assert_ne!(json(1), json(2));
}

#[test]
fn challenges_that_depend_on_comm_r_are_unsupported() {
    for variant in [Variant::Synthetic, Variant::NonInteractive] {
        let error = Plan::new(SealProof::new(variant, SectorSize::Kib2)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
    }
}
