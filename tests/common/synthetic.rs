// SPDX-License-Identifier: MIT OR Apache-2.0

//! Made-up sectors of any shape, as filecoin-proofs' types and as ours.

use cuzk::filecoin::c1::Challenge;
use cuzk::filecoin::kinds::{Shape, DRG_PARENTS, EXP_PARENTS};
use cuzk::filecoin::synthetic::{self, Plan, SyntheticC1};
use cuzk::filecoin::witness::Sector;
use filecoin_hashers::sha256::Sha256Hasher;
use storage_proofs_core::api_version::ApiVersion;
use storage_proofs_core::merkle::MerkleTreeTrait;
use storage_proofs_porep::stacked::{Challenges, Proof, SetupParams};

/// A plan for a kind of proof that is not registered.
pub fn plan(shape: Shape, partitions: usize, api_version: ApiVersion) -> Plan {
    Plan {
        shape,
        partitions,
        porep_id: [0x55; 32],
        api_version,
    }
}

pub fn setup_params(plan: &Plan) -> SetupParams {
    SetupParams {
        nodes: plan.shape.nodes() as usize,
        degree: DRG_PARENTS,
        expansion_degree: EXP_PARENTS,
        porep_id: plan.porep_id,
        challenges: Challenges::new_interactive(plan.shape.challenges),
        num_layers: plan.shape.layers,
        api_version: plan.api_version,
        api_features: Vec::new(),
    }
}

pub fn sector(c1: &SyntheticC1) -> Sector {
    Sector {
        replica_id: c1.replica_id,
        comm_d: c1.comm_d,
        comm_r: c1.comm_r,
    }
}

/// The challenges of a partition as a reader of its JSON finds them.
pub fn challenges(proofs: &[synthetic::Proof]) -> Vec<Challenge> {
    serde_json::from_value(serde_json::to_value(proofs).unwrap()).unwrap()
}

/// The same as filecoin-proofs reads them.
pub fn vanilla_proofs<Tree: 'static + MerkleTreeTrait>(
    proofs: &[synthetic::Proof],
) -> Vec<Proof<Tree, Sha256Hasher>> {
    serde_json::from_value(serde_json::to_value(proofs).unwrap()).unwrap()
}
