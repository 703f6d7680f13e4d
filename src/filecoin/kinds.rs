// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registered seal proofs: numbers, names, sector sizes, and what each fixes about its proofs.
//!
//! All of it is written down here rather than asked of filecoin-proofs, whose tables are shared by
//! the whole process and may be changed by other users of it; tests compare the two.

use std::fmt;

use cuzk_prover::{Error, ErrorKind, Result};
use storage_proofs_core::api_version::{ApiFeature, ApiVersion};

use super::aggregate::aggregate_bytes;

/// Bytes of one partition's Groth16 proof: compressed a, b, c.
pub const PARTITION_PROOF_BYTES: usize = 192;

/// Parents of a node within its layer.
pub const DRG_PARENTS: usize = 6;
/// Parents of a node in the layer before.
pub const EXP_PARENTS: usize = 8;

/// The sector sizes that have registered proofs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SectorSize {
    /// 2 KiB, for tests.
    Kib2,
    /// 8 MiB, for tests.
    Mib8,
    /// 512 MiB, for tests.
    Mib512,
    /// 32 GiB.
    Gib32,
    /// 64 GiB.
    Gib64,
}

impl SectorSize {
    /// All of them, ascending.
    pub const ALL: [SectorSize; 5] = [
        SectorSize::Kib2,
        SectorSize::Mib8,
        SectorSize::Mib512,
        SectorSize::Gib32,
        SectorSize::Gib64,
    ];

    /// The size in bytes, padding included.
    pub fn bytes(self) -> u64 {
        match self {
            SectorSize::Kib2 => 2 << 10,
            SectorSize::Mib8 => 8 << 20,
            SectorSize::Mib512 => 512 << 20,
            SectorSize::Gib32 => 32 << 30,
            SectorSize::Gib64 => 64 << 30,
        }
    }

    /// The usual way to write it, as in the names of the proofs.
    pub fn name(self) -> &'static str {
        match self {
            SectorSize::Kib2 => "2KiB",
            SectorSize::Mib8 => "8MiB",
            SectorSize::Mib512 => "512MiB",
            SectorSize::Gib32 => "32GiB",
            SectorSize::Gib64 => "64GiB",
        }
    }

    /// Reads a size written as in [`SectorSize::name`], in any case and with or without a space,
    /// or as a number of bytes.
    pub fn parse(text: &str) -> Result<Self> {
        let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        SectorSize::ALL
            .into_iter()
            .find(|size| {
                plain.eq_ignore_ascii_case(size.name()) || plain.parse() == Ok(size.bytes())
            })
            .ok_or_else(|| {
                Error::new(
                    ErrorKind::InvalidArgument,
                    format!("sector size {text:?} is none of 2KiB, 8MiB, 512MiB, 32GiB and 64GiB"),
                )
            })
    }

    /// The circuit of one partition, the same for all kinds of seal proofs of this size.
    pub fn shape(self) -> Shape {
        let nodes_log2 = self.bytes().trailing_zeros() - 5;
        let (layers, challenges) = match self {
            SectorSize::Kib2 | SectorSize::Mib8 | SectorSize::Mib512 => (2, 2),
            SectorSize::Gib32 | SectorSize::Gib64 => (11, 18),
        };
        Shape {
            nodes_log2,
            layers,
            challenges,
            tree: match self {
                SectorSize::Kib2 | SectorSize::Mib8 | SectorSize::Mib512 => TreeShape::Base,
                SectorSize::Gib32 => TreeShape::Sub8,
                SectorSize::Gib64 => TreeShape::Top2,
            },
        }
    }
}

impl fmt::Display for SectorSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Arities of the trees over columns and replica (trees C and R) above their base of eight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TreeShape {
    /// Eight on every level (8-0-0).
    Base,
    /// Eight subtrees at the top (8-8-0).
    Sub8,
    /// Two halves of eight subtrees (8-8-2).
    Top2,
}

/// What fixes the circuit of one partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The sector has 2 to this power nodes of 32 bytes.
    pub nodes_log2: u32,
    /// Layers of labels.
    pub layers: usize,
    /// Challenges in a partition.
    pub challenges: usize,
    /// The trees over columns and replica.
    pub tree: TreeShape,
}

impl Shape {
    /// Nodes of the sector.
    pub fn nodes(&self) -> u64 {
        1 << self.nodes_log2
    }

    /// Arity of each level of trees C and R, from the leaves to the root.
    pub fn tree_arities(&self) -> Vec<usize> {
        let top: &[usize] = match self.tree {
            TreeShape::Base => &[],
            TreeShape::Sub8 => &[8],
            TreeShape::Top2 => &[8, 2],
        };
        let top_bits: u32 = top.iter().map(|arity| arity.trailing_zeros()).sum();
        let base_levels = (self.nodes_log2 - top_bits) / 3;
        let mut arities = vec![8; base_levels as usize];
        arities.extend_from_slice(top);
        arities
    }

    /// Arity of each level of the tree over the data (tree D).
    pub fn data_tree_arities(&self) -> Vec<usize> {
        vec![2; self.nodes_log2 as usize]
    }
}

/// The versions of the seal proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// The first version, whose graph truncates the expander's parents.
    V1,
    /// The corrected graph.
    V1_1,
    /// Challenges drawn from a synthetic set, so that the layers can be deleted before Commit-1.
    Synthetic,
    /// Challenges without randomness from the chain; the proof is an aggregate.
    NonInteractive,
}

/// A registered seal proof, as Filecoin numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SealProof {
    variant: Variant,
    sector_size: SectorSize,
}

const VARIANTS: [Variant; 4] = [
    Variant::V1,
    Variant::V1_1,
    Variant::Synthetic,
    Variant::NonInteractive,
];

impl SealProof {
    /// The proof of a version and a sector size.
    pub fn new(variant: Variant, sector_size: SectorSize) -> Self {
        Self {
            variant,
            sector_size,
        }
    }

    /// All twenty, by number.
    pub fn all() -> impl Iterator<Item = SealProof> {
        VARIANTS
            .into_iter()
            .flat_map(|variant| SectorSize::ALL.map(|size| SealProof::new(variant, size)))
    }

    /// The proof with a number, 0 to 19.
    pub fn from_number(number: u64) -> Result<Self> {
        SealProof::all()
            .find(|proof| proof.number() == number)
            .ok_or_else(|| {
                Error::new(
                    ErrorKind::InvalidArgument,
                    format!("registered seal proof {number} is unknown, 0 to 19 are known"),
                )
            })
    }

    /// The proof with a name such as "StackedDrg32GiBV1_1".
    pub fn from_name(name: &str) -> Option<Self> {
        SealProof::all().find(|proof| proof.name() == name)
    }

    /// Filecoin's number for it.
    pub fn number(self) -> u64 {
        5 * self.variant as u64 + self.sector_size as u64
    }

    /// Its name, as Commit-1 writes it.
    pub fn name(self) -> String {
        let variant = match self.variant {
            Variant::V1 => "V1",
            Variant::V1_1 => "V1_1",
            Variant::Synthetic => "V1_1_Feat_SyntheticPoRep",
            Variant::NonInteractive => "V1_2_Feat_NonInteractivePoRep",
        };
        format!("StackedDrg{}{variant}", self.sector_size)
    }

    /// The version.
    pub fn variant(self) -> Variant {
        self.variant
    }

    /// The sector size.
    pub fn sector_size(self) -> SectorSize {
        self.sector_size
    }

    /// The circuit of one partition.
    pub fn shape(self) -> Shape {
        self.sector_size.shape()
    }

    /// Partitions of a proof.
    pub fn partitions(self) -> usize {
        use SectorSize::*;
        match (self.variant, self.sector_size) {
            (Variant::NonInteractive, Kib2 | Mib8 | Mib512) => 13,
            (Variant::NonInteractive, Gib32 | Gib64) => 126,
            (_, Kib2 | Mib8 | Mib512) => 1,
            (_, Gib32 | Gib64) => 10,
        }
    }

    /// Whether its C2 proof is an aggregate of the partitions' proofs: of version 2, with the last
    /// one repeated up to a power of two.
    pub fn is_aggregate(self) -> bool {
        self.variant == Variant::NonInteractive
    }

    /// Bytes of the partitions' proofs: 192 each.
    pub fn circuit_proofs_bytes(self) -> usize {
        self.partitions() * PARTITION_PROOF_BYTES
    }

    /// Bytes of a C2 proof: those of the partitions' proofs, or of their aggregate.
    pub fn proof_bytes(self) -> usize {
        match self.is_aggregate() {
            true => aggregate_bytes(self.partitions()),
            false => self.circuit_proofs_bytes(),
        }
    }

    /// What sets this proof's graph and replica ids apart from those of the others: the number in
    /// eight little-endian bytes, then zeros.
    pub fn porep_id(self) -> [u8; 32] {
        let mut id = [0; 32];
        id[..8].copy_from_slice(&self.number().to_le_bytes());
        id
    }

    pub(crate) fn api_version(self) -> ApiVersion {
        match self.variant {
            Variant::V1 => ApiVersion::V1_0_0,
            Variant::V1_1 => ApiVersion::V1_1_0,
            Variant::Synthetic | Variant::NonInteractive => ApiVersion::V1_2_0,
        }
    }

    pub(crate) fn api_features(self) -> Vec<ApiFeature> {
        match self.variant {
            Variant::V1 | Variant::V1_1 => Vec::new(),
            Variant::Synthetic => vec![ApiFeature::SyntheticPoRep],
            Variant::NonInteractive => vec![ApiFeature::NonInteractivePoRep],
        }
    }
}

impl fmt::Display for SealProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use filecoin_proofs::parameters::setup_params;
    use filecoin_proofs_api::RegisteredSealProof;

    fn registered(proof: SealProof) -> RegisteredSealProof {
        serde_json::from_value(proof.name().into()).expect("filecoin-proofs-api knows the name")
    }

    #[test]
    fn every_kind_is_what_filecoin_proofs_says() {
        for (number, proof) in SealProof::all().enumerate() {
            assert_eq!(proof.number(), number as u64);
            assert_eq!(SealProof::from_number(number as u64).unwrap(), proof);
            assert_eq!(SealProof::from_name(&proof.name()), Some(proof));

            let registered = registered(proof);
            let config = registered.as_v1_config();
            assert_eq!(registered.sector_size().0, proof.sector_size().bytes());
            assert_eq!(usize::from(registered.partitions()), proof.partitions());
            assert_eq!(
                registered.single_partition_proof_len(),
                PARTITION_PROOF_BYTES
            );
            assert_eq!(config.porep_id, proof.porep_id());
            assert_eq!(config.api_version, proof.api_version());
            assert_eq!(config.api_features, proof.api_features());

            let setup = setup_params(&config).unwrap();
            let shape = proof.shape();
            assert_eq!(setup.nodes as u64, shape.nodes());
            assert_eq!(setup.num_layers, shape.layers);
            assert_eq!(setup.degree, DRG_PARENTS);
            assert_eq!(setup.expansion_degree, EXP_PARENTS);
            assert_eq!(
                setup.challenges.num_challenges_per_partition(),
                shape.challenges
            );
        }
        assert_eq!(SealProof::all().count(), 20);
        assert!(SealProof::from_number(20).is_err());
        assert!(SealProof::from_name("StackedDrg2KiBV2").is_none());
    }

    #[test]
    fn tree_levels_cover_the_sector() {
        for size in SectorSize::ALL {
            let shape = size.shape();
            let product = |arities: Vec<usize>| arities.iter().map(|a| *a as u64).product::<u64>();
            assert_eq!(product(shape.tree_arities()), shape.nodes(), "{size}");
            assert_eq!(product(shape.data_tree_arities()), shape.nodes(), "{size}");
        }
        assert_eq!(SectorSize::Gib32.shape().tree_arities().len(), 10);
        assert_eq!(SectorSize::Gib64.shape().tree_arities().len(), 11);
    }

    #[test]
    fn sizes_are_read_in_the_usual_spellings() {
        for text in ["32GiB", "32gib", "32 GiB", "34359738368"] {
            assert_eq!(SectorSize::parse(text).unwrap(), SectorSize::Gib32);
        }
        for text in ["", "32", "32GB", "-1", "4KiB", "99999999999999999999"] {
            let error = SectorSize::parse(text).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument);
            assert!(error.message().contains(&format!("{text:?}")), "{error}");
        }
    }

    #[test]
    fn only_non_interactive_proofs_are_aggregates() {
        for proof in SealProof::all() {
            let circuit_proofs = 192 * proof.partitions();
            assert_eq!(proof.circuit_proofs_bytes(), circuit_proofs);
            let expected = match (proof.number(), proof.partitions()) {
                (15.., 13) => 14_164,
                (15.., _) => 23_092,
                _ => circuit_proofs,
            };
            assert_eq!(proof.proof_bytes(), expected);
            assert_eq!(proof.is_aggregate(), proof.number() >= 15);
        }
    }
}
