// SPDX-License-Identifier: MIT OR Apache-2.0
//! The JSON of a Commit-1 output, as `SealCommitPhase1Output` of filecoin-proofs-api writes it.
//!
//! These are types of our own, because filecoin-proofs' fields cannot be inspected before its
//! circuit panics over them. What the circuit does not use is skipped: the parents' labels in
//! `labeling_proofs` repeat those of the columns, and so does `encoding_proof`. Every list is
//! bounded, so that memory follows from the largest sector and not from the input. Paths are
//! complete here, so made-up documents are written with the same types.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use crate::filecoin::kinds::{SectorSize, DRG_PARENTS, EXP_PARENTS};

/// 32 bytes: a hash, a label or a field element, little-endian.
pub type Node = [u8; 32];

/// The most partitions of any seal proof.
const MAX_PARTITIONS: usize = 126;
/// The most challenges in a partition.
const MAX_CHALLENGES: usize = 18;
/// The most layers of labels.
const MAX_LAYERS: usize = 11;
/// The most levels of a tree: that over the data of 64 GiB.
const MAX_LEVELS: usize = 31;
/// The most siblings on a level.
const MAX_SIBLINGS: usize = 7;

/// Either form of the document: the output itself, or wrapped as benchmarks pass it around.
///
/// `P` is what is read of the partitions' proofs: everything, or nothing.
#[derive(Deserialize)]
pub struct Document<'a, P> {
    #[serde(borrow)]
    pub registered_proof: Option<Text<'a>>,
    pub vanilla_proofs: Option<VanillaProofs<P>>,
    pub comm_r: Option<Node>,
    pub comm_d: Option<Node>,
    pub replica_id: Option<Node>,
    pub seed: Option<Node>,
    pub ticket: Option<Node>,

    #[serde(rename = "SectorNum")]
    pub sector_number: Option<u64>,
    #[serde(rename = "SectorSize")]
    pub sector_size: Option<u64>,
    /// Base64 of the output itself.
    #[serde(borrow, rename = "Phase1Out")]
    pub phase1_out: Option<Text<'a>>,
}

/// A text where it lies in the document; a copy only when it has escapes, which none of those
/// wanted has. (serde copies every `Option<Cow<str>>`: a second Phase1Out of 70 MB.)
#[derive(Deserialize)]
pub struct Text<'a>(#[serde(borrow)] pub Cow<'a, str>);

/// The proofs, tagged by the sector size alone: the tag says V1 for every version.
#[derive(Deserialize)]
#[allow(clippy::enum_variant_names)] // Named as in the document.
pub enum VanillaProofs<P> {
    StackedDrg2KiBV1(P),
    StackedDrg8MiBV1(P),
    StackedDrg512MiBV1(P),
    StackedDrg32GiBV1(P),
    StackedDrg64GiBV1(P),
}

impl<P> VanillaProofs<P> {
    pub fn into_parts(self) -> (SectorSize, P) {
        match self {
            VanillaProofs::StackedDrg2KiBV1(proofs) => (SectorSize::Kib2, proofs),
            VanillaProofs::StackedDrg8MiBV1(proofs) => (SectorSize::Mib8, proofs),
            VanillaProofs::StackedDrg512MiBV1(proofs) => (SectorSize::Mib512, proofs),
            VanillaProofs::StackedDrg32GiBV1(proofs) => (SectorSize::Gib32, proofs),
            VanillaProofs::StackedDrg64GiBV1(proofs) => (SectorSize::Gib64, proofs),
        }
    }
}

/// One list of challenges a partition.
pub type Partitions = List<List<Challenge, MAX_CHALLENGES>, MAX_PARTITIONS>;

/// What is known of one challenged node.
#[derive(Clone, Debug, Deserialize)]
pub struct Challenge {
    pub comm_d_proofs: MerkleProof,
    pub comm_r_last_proof: MerkleProof,
    pub replica_column_proofs: ReplicaColumns,
    pub labeling_proofs: List<Labeling, MAX_LAYERS>,
}

/// The columns of the challenged node and of its parents.
#[derive(Clone, Debug, Deserialize)]
pub struct ReplicaColumns {
    pub c_x: ColumnProof,
    pub drg_parents: List<ColumnProof, DRG_PARENTS>,
    pub exp_parents: List<ColumnProof, EXP_PARENTS>,
}

/// The labels of one node on all layers, and the path from their hash to comm_c.
#[derive(Clone, Debug, Deserialize)]
pub struct ColumnProof {
    pub column: Column,
    pub inclusion_proof: MerkleProof,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Column {
    pub index: u32,
    pub rows: List<Node, MAX_LAYERS>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Labeling {
    pub layer_index: u32,
    pub node: u64,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct MerkleProof {
    pub data: ProofData,
}

/// A path from a leaf to a root, in one, two or three pieces by the shape of the tree.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub enum ProofData {
    Single {
        root: Node,
        leaf: Node,
        path: Path,
    },
    Sub {
        base_proof: Path,
        sub_proof: Path,
        root: Node,
        leaf: Node,
    },
    Top {
        base_proof: Path,
        sub_proof: Path,
        top_proof: Path,
        root: Node,
        leaf: Node,
    },
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Path {
    pub path: List<PathElement, MAX_LEVELS>,
}

/// One level of a path: the siblings, and where among them the node before stands.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct PathElement {
    pub hashes: List<Node, MAX_SIBLINGS>,
    pub index: u64,
}

impl MerkleProof {
    pub fn root(&self) -> &Node {
        match &self.data {
            ProofData::Single { root, .. }
            | ProofData::Sub { root, .. }
            | ProofData::Top { root, .. } => root,
        }
    }

    pub fn leaf(&self) -> &Node {
        match &self.data {
            ProofData::Single { leaf, .. }
            | ProofData::Sub { leaf, .. }
            | ProofData::Top { leaf, .. } => leaf,
        }
    }

    /// The pieces of the path with their names, from the leaf to the root.
    pub fn pieces(&self) -> Vec<(&'static str, &[PathElement])> {
        match &self.data {
            ProofData::Single { path, .. } => vec![("Single.path", &path.path)],
            ProofData::Sub {
                base_proof,
                sub_proof,
                ..
            } => vec![
                ("Sub.base_proof", &base_proof.path),
                ("Sub.sub_proof", &sub_proof.path),
            ],
            ProofData::Top {
                base_proof,
                sub_proof,
                top_proof,
                ..
            } => vec![
                ("Top.base_proof", &base_proof.path),
                ("Top.sub_proof", &sub_proof.path),
                ("Top.top_proof", &top_proof.path),
            ],
        }
    }

    /// All levels, from the leaf to the root.
    pub fn levels(&self) -> impl Iterator<Item = &PathElement> {
        self.pieces()
            .into_iter()
            .flat_map(|(_, elements)| elements.iter())
    }
}

/// A list of at most `MAX` elements.
#[derive(Clone, Debug, Serialize)]
pub struct List<T, const MAX: usize>(pub Vec<T>);

impl<T, const MAX: usize> std::ops::Deref for List<T, MAX> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize> Deserialize<'de> for List<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ListVisitor(PhantomData))
    }
}

struct ListVisitor<T, const MAX: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for ListVisitor<T, MAX> {
    type Value = List<T, MAX>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of at most {MAX} elements")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = elements.next_element()? {
            if list.len() == MAX {
                return Err(A::Error::custom(format_args!(
                    "more than {MAX} elements, the most of any seal proof"
                )));
            }
            list.push(element);
        }
        Ok(List(list))
    }
}
