// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sectors of an aggregate: what may be aggregated, and what their proofs state.

use cuzk_prover::curve::Scalar;
use cuzk_prover::groth16::{PreparedKey, Proof};
use cuzk_prover::{Error, ErrorKind, Result};
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::{aggregate_bytes, Statement, PARTITION_PROOF_BYTES};
use crate::filecoin::c1::{Head, Node};
use crate::filecoin::kinds::SealProof;
use crate::filecoin::porep;

/// The most non-interactive sectors of an aggregate, as filecoin-proofs has it (FIP-0092).
const MOST_NON_INTERACTIVE: usize = 65;
/// The most proofs of an aggregate: filecoin-proofs reads no more powers.
const MOST_PROOFS: usize = 1 << 14;

/// Sectors of one kind, at least one.
#[derive(Debug)]
pub struct Sectors {
    kind: SealProof,
    heads: Vec<Head>,
    /// The sectors' numbers, for messages.
    numbers: Vec<u64>,
}

impl Sectors {
    /// Checks that sectors can be aggregated.
    ///
    /// Errors: `InvalidArgument`.
    pub fn new(statements: &[Statement]) -> Result<Self> {
        let first = statements
            .first()
            .ok_or_else(|| invalid("no sectors: an aggregate has one at least".into()))?;
        let heads = statements.iter().enumerate().map(|(i, statement)| {
            if statement.proof != first.proof {
                return Err(invalid(format!(
                    "statement {i} is of {}, the first is of {}: an aggregate has one kind",
                    statement.proof, first.proof
                )));
            }
            statement
                .head()
                .map_err(|error| error.context(format_args!("statement {i}")))
        });
        Ok(Self {
            kind: first.proof,
            heads: heads.collect::<Result<_>>()?,
            numbers: statements.iter().map(|s| s.sector_number).collect(),
        })
    }

    /// The sector of a Commit-1 output.
    pub fn of_head(head: &Head) -> Self {
        Self {
            kind: head.proof,
            heads: vec![head.clone()],
            numbers: head.sector_number.into_iter().collect(),
        }
    }

    /// The kind of the sectors' proofs.
    pub fn kind(&self) -> SealProof {
        self.kind
    }

    /// Partitions of all sectors.
    pub fn partitions(&self) -> usize {
        self.heads.len() * self.kind.partitions()
    }

    /// Bytes of the sectors' aggregate.
    ///
    /// Errors: `InvalidArgument` for too many sectors.
    pub fn aggregate_bytes(&self) -> Result<usize> {
        let count = self.heads.len();
        if self.kind.is_aggregate() && count > MOST_NON_INTERACTIVE {
            return Err(invalid(format!(
                "{count} sectors of {}, an aggregate has at most {MOST_NON_INTERACTIVE}",
                self.kind
            )));
        }
        if self.partitions() > MOST_PROOFS {
            return Err(invalid(format!(
                "{count} sectors of {} have {} partitions, an aggregate has at most {MOST_PROOFS}",
                self.kind,
                self.partitions()
            )));
        }
        Ok(aggregate_bytes(self.partitions()))
    }

    /// Reads the partitions' proofs, 192 bytes each, sector after sector.
    ///
    /// Errors: `InvalidArgument` for another length or bytes that are no proof.
    pub fn read_proofs(&self, bytes: &[u8]) -> Result<Vec<Proof>> {
        let needed = self.partitions() * PARTITION_PROOF_BYTES;
        if bytes.len() != needed {
            return Err(invalid(format!(
                "the proofs have {} bytes, {} sectors of {} have {needed}: {} partitions of \
                 {PARTITION_PROOF_BYTES} each",
                bytes.len(),
                self.heads.len(),
                self.kind,
                self.kind.partitions()
            )));
        }
        bytes
            .par_chunks(PARTITION_PROOF_BYTES)
            .enumerate()
            .map(|(i, bytes)| {
                Proof::from_bytes(bytes).map_err(|error| error.context(self.place(i)))
            })
            .collect()
    }

    /// Verifies every proof.
    ///
    /// Errors: `InvalidArgument` naming the sector and the partition of the first that is not
    /// valid.
    pub fn check_proofs(&self, key: &PreparedKey, proofs: &[Proof]) -> Result<()> {
        let inputs = self.public_inputs()?;
        let all: Vec<&[Scalar]> = inputs.iter().map(Vec::as_slice).collect();
        if key.verify_batch(&all, proofs)? {
            return Ok(());
        }
        for (i, (inputs, proof)) in inputs.iter().zip(proofs).enumerate() {
            if !key.verify(inputs, proof)? {
                return Err(invalid(format!(
                    "{}: the proof is not valid",
                    self.place(i)
                )));
            }
        }
        Err(Error::new(
            ErrorKind::Internal,
            format!(
                "{} proofs are valid one by one and not together",
                proofs.len()
            ),
        ))
    }

    /// The public inputs of every partition, without the constant one, sector after sector.
    pub fn public_inputs(&self) -> Result<Vec<Vec<Scalar>>> {
        let per_sector = self.kind.partitions();
        (0..self.partitions())
            .into_par_iter()
            .map(|i| porep::public_inputs(&self.heads[i / per_sector], i % per_sector))
            .collect()
    }

    /// What the transcript takes in from outside of the proofs.
    pub fn transcript(&self) -> Node {
        let mut hash = Sha256::new();
        for head in &self.heads {
            if !self.kind.is_aggregate() {
                hash.update(head.seed);
            }
            hash.update(head.comm_r);
        }
        hash.finalize().into()
    }

    /// Where a proof is, for messages.
    fn place(&self, i: usize) -> String {
        let (sector, partition) = (i / self.kind.partitions(), i % self.kind.partitions());
        match self.numbers.get(sector) {
            Some(number) => format!("statement {sector}, sector {number}, partition {partition}"),
            None => format!("partition {partition}"),
        }
    }
}

fn invalid(text: String) -> Error {
    Error::new(ErrorKind::InvalidArgument, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filecoin::{SectorSize, Variant};

    fn statement(variant: Variant, sector_size: SectorSize) -> Statement {
        Statement {
            proof: SealProof::new(variant, sector_size),
            comm_r: [1; 32],
            comm_d: [2; 32],
            prover_id: [3; 32],
            sector_number: 77,
            ticket: [4; 32],
            seed: [5; 32],
        }
    }

    fn of(variant: Variant, sector_size: SectorSize, count: usize) -> Result<usize> {
        let statements = vec![statement(variant, sector_size); count];
        Sectors::new(&statements)?.aggregate_bytes()
    }

    #[test]
    fn as_many_sectors_as_filecoin_allows_can_be_aggregated() {
        use SectorSize::{Gib32, Kib2};
        for (variant, size, count, proofs) in [
            (Variant::V1_1, Kib2, 1, 1),
            (Variant::V1_1, Kib2, 2, 2),
            (Variant::V1_1, Gib32, 819, 8190),
            (Variant::V1, Gib32, 1638, 16_380),
            (Variant::NonInteractive, Kib2, 1, 13),
            (Variant::NonInteractive, Gib32, 65, 8190),
        ] {
            assert_eq!(of(variant, size, count).unwrap(), aggregate_bytes(proofs));
        }
        for (variant, size, count, text) in [
            (
                Variant::V1,
                Kib2,
                0,
                "no sectors: an aggregate has one at least",
            ),
            (
                Variant::NonInteractive,
                Kib2,
                66,
                "66 sectors of StackedDrg2KiBV1_2_Feat_NonInteractivePoRep, an aggregate has at \
                 most 65",
            ),
            (
                Variant::V1_1,
                Gib32,
                1639,
                "1639 sectors of StackedDrg32GiBV1_1 have 16390 partitions, an aggregate has at \
                 most 16384",
            ),
        ] {
            let error = of(variant, size, count).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument);
            assert_eq!(error.message(), text);
        }
    }

    #[test]
    fn statements_that_do_not_go_together_are_refused() {
        let one = statement(Variant::V1_1, SectorSize::Kib2);
        let other = statement(Variant::V1, SectorSize::Kib2);
        let error = Sectors::new(&[one.clone(), other]).unwrap_err();
        assert_eq!(
            error.message(),
            "statement 1 is of StackedDrg2KiBV1, the first is of StackedDrg2KiBV1_1: an aggregate \
             has one kind"
        );
        let mut zero = one.clone();
        zero.comm_r = [0; 32];
        let error = Sectors::new(&[one, zero]).unwrap_err();
        assert_eq!(error.message(), "statement 1: comm_r is zero");
    }

    #[test]
    fn proofs_are_read_by_sector_and_partition() {
        let statements = vec![statement(Variant::NonInteractive, SectorSize::Kib2); 2];
        let sectors = Sectors::new(&statements).unwrap();
        let error = sectors.read_proofs(&[0; 191]).unwrap_err();
        assert_eq!(
            error.message(),
            "the proofs have 191 bytes, 2 sectors of StackedDrg2KiBV1_2_Feat_NonInteractivePoRep \
             have 4992: 13 partitions of 192 each"
        );
        let error = sectors.read_proofs(&[0; 4992]).unwrap_err();
        assert!(
            error.message().starts_with("statement ") && error.message().contains("point a"),
            "{error}"
        );
        assert_eq!(
            sectors.place(14),
            "statement 1, sector 77, partition 1".to_owned()
        );
    }

    #[test]
    fn only_interactive_transcripts_take_the_seed() {
        let of = |variant, seed| {
            let mut statement = statement(variant, SectorSize::Kib2);
            statement.seed = [seed; 32];
            Sectors::new(&[statement]).unwrap().transcript()
        };
        assert_ne!(of(Variant::V1_1, 1), of(Variant::V1_1, 2));
        assert_eq!(
            of(Variant::NonInteractive, 1),
            of(Variant::NonInteractive, 0)
        );
    }
}
