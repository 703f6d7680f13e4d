// SPDX-License-Identifier: MIT OR Apache-2.0
//! Made-up Commit-1 outputs: **for development only**.
//!
//! Nothing is sealed and no sector is stored; the circuit and the vanilla verification see only
//! the labels and paths that they are given, so a few thousand nodes with made-up subtrees around
//! them do. The proofs of such an output are true, of a replica that nobody has. A C1 output of
//! 32 GiB takes seconds and megabytes this way.
//!
//! The order matters, as each value is hashed into the next: data and comm_d, the replica id, the
//! challenges and their parents, the columns layer by layer, the encoded nodes, the trees over
//! columns and replica, comm_r. Challenges that depend on comm_r (synthetic and non-interactive
//! proofs) cannot be made so.

mod document;
mod sector;
mod tree;

use std::collections::BTreeMap;
use std::io::Write;

use cuzk_prover::{Error, ErrorKind, Result};
use storage_proofs_core::api_version::ApiVersion;

use super::c1::Node;
use super::kinds::{SealProof, Shape, Variant};
use document::Document;
pub use document::Proof;

/// The actor whose sector it is.
pub const ACTOR_ID: u64 = 1000;

/// What kind of sector to make up.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The circuit of a partition.
    pub shape: Shape,
    /// Partitions.
    pub partitions: usize,
    /// What sets the graph and the replica ids of this kind of proof apart.
    pub porep_id: Node,
    /// The version of the graph.
    pub api_version: ApiVersion,
}

impl Plan {
    /// The plan for a registered proof.
    ///
    /// Errors: `Unsupported` for a proof whose challenges depend on comm_r.
    pub fn new(proof: SealProof) -> Result<Self> {
        match proof.variant() {
            Variant::V1 | Variant::V1_1 => Ok(Self {
                shape: proof.shape(),
                partitions: proof.partitions(),
                porep_id: proof.porep_id(),
                api_version: proof.api_version(),
            }),
            Variant::Synthetic | Variant::NonInteractive => Err(Error::new(
                ErrorKind::Unsupported,
                format!("{proof} chooses its challenges by comm_r and cannot be made up"),
            )),
        }
    }
}

/// A made-up sector and the vanilla proofs of all its partitions.
#[derive(Debug)]
pub struct SyntheticC1 {
    /// [`ACTOR_ID`] as unsigned LEB128, followed by zeros.
    pub prover_id: Node,
    /// The sector's number.
    pub sector_number: u64,
    /// Randomness of the replica id.
    pub ticket: Node,
    /// Randomness of the challenges.
    pub seed: Node,
    /// Commitment to the data.
    pub comm_d: Node,
    /// Commitment to the replica.
    pub comm_r: Node,
    /// What the labels are derived from.
    pub replica_id: Node,
    /// The proofs of each partition's challenges; they serialise as those of storage-proofs-porep.
    pub partitions: Vec<Vec<Proof>>,
}

impl SyntheticC1 {
    /// Makes up a sector; all that is random about it follows from `seed`.
    pub fn new(plan: &Plan, seed: u64) -> Result<Self> {
        sector::synthesize(plan, seed)
    }

    /// Writes the Commit-1 output as filecoin-proofs-api would, for the registered proof that the
    /// plan was made from.
    pub fn write(&self, proof: SealProof, writer: impl Write) -> Result<()> {
        let tag = format!("StackedDrg{}V1", proof.sector_size());
        let document = Document {
            registered_proof: proof.name(),
            vanilla_proofs: BTreeMap::from([(tag, &self.partitions[..])]),
            comm_r: self.comm_r,
            comm_d: self.comm_d,
            replica_id: self.replica_id,
            seed: self.seed,
            ticket: self.ticket,
        };
        serde_json::to_writer(writer, &document)
            .map_err(|e| Error::new(ErrorKind::Io, format!("writing a C1 output: {e}")))
    }
}
