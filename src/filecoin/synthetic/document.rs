// SPDX-License-Identifier: MIT OR Apache-2.0
//! The JSON of a Commit-1 output, complete: what filecoin-proofs-api writes and reads.
//!
//! Reading has types of its own, which skip what the circuit does not use; they have the paths in
//! full, and these are the same here.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::filecoin::c1::{MerkleProof, Node};

/// The document.
#[derive(Debug, Serialize)]
pub struct Document<'a> {
    pub registered_proof: String,
    /// One entry, whose name says the sector size.
    pub vanilla_proofs: BTreeMap<String, &'a [Vec<Proof>]>,
    pub comm_r: Node,
    pub comm_d: Node,
    pub replica_id: Node,
    pub seed: Node,
    pub ticket: Node,
}

/// The vanilla proof of one challenge.
#[derive(Debug, Serialize)]
pub struct Proof {
    pub comm_d_proofs: MerkleProof,
    pub comm_r_last_proof: MerkleProof,
    pub replica_column_proofs: ReplicaColumns,
    pub labeling_proofs: Vec<Labeling>,
    /// That of the last layer again.
    pub encoding_proof: Labeling,
}

#[derive(Debug, Serialize)]
pub struct ReplicaColumns {
    pub c_x: ColumnProof,
    pub drg_parents: Vec<ColumnProof>,
    pub exp_parents: Vec<ColumnProof>,
}

#[derive(Debug, Serialize)]
pub struct ColumnProof {
    pub column: Column,
    pub inclusion_proof: MerkleProof,
}

#[derive(Debug, Serialize)]
pub struct Column {
    pub index: u32,
    pub rows: Vec<Node>,
    /// The place of a type parameter: null.
    pub _h: (),
}

/// What a label is made of.
#[derive(Clone, Debug, Serialize)]
pub struct Labeling {
    pub parents: Vec<Node>,
    pub layer_index: u32,
    pub node: u64,
}
