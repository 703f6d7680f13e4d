// SPDX-License-Identifier: MIT OR Apache-2.0

//! The PoRep circuit of a fixture, built by filecoin-proofs' own types and serde.

use filecoin_hashers::sha256::Sha256Hasher;
use filecoin_proofs::constants::SectorShape2KiB;
use filecoin_proofs::parameters::setup_params;
use filecoin_proofs_api::seal::{SealCommitPhase1Output, VanillaSealProof};
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_core::proof::ProofScheme;
use storage_proofs_porep::stacked::{
    PublicInputs, PublicParams, StackedCircuit, StackedCompound, StackedDrg, Tau,
};

use super::c1::Fixture;

type Circuit = StackedCircuit<SectorShape2KiB, Sha256Hasher>;
type Compound = StackedCompound<SectorShape2KiB, Sha256Hasher>;

fn public_params(fixture: &Fixture) -> PublicParams<SectorShape2KiB> {
    let config = fixture.sector.registered_proof.as_v1_config();
    let setup = setup_params(&config).expect("parameters of a registered proof");
    StackedDrg::<SectorShape2KiB, Sha256Hasher>::setup(&setup).expect("a graph")
}

/// The circuit of the only partition, with its values.
pub fn circuit_2kib(fixture: &Fixture) -> Circuit {
    let output: SealCommitPhase1Output =
        serde_json::from_slice(&fixture.c1).expect("a fixture that filecoin-proofs wrote");
    let VanillaSealProof::StackedDrg2KiBV1(partitions) = &output.vanilla_proofs else {
        panic!("{} is no sector of 2 KiB", fixture.case);
    };
    let inputs = PublicInputs {
        replica_id: output.replica_id,
        tau: Some(Tau {
            comm_d: output.comm_d.into(),
            comm_r: output.comm_r.into(),
        }),
        k: None,
        seed: Some(output.seed),
    };
    let params = public_params(fixture);
    Compound::circuit(&inputs, (), &partitions[0], &params, Some(0)).expect("a circuit")
}

/// The circuit without values, as a setup takes it.
pub fn blank_circuit_2kib(fixture: &Fixture) -> Circuit {
    Compound::blank_circuit(&public_params(fixture))
}
