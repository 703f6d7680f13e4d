// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a seal proof states, as its verifiers know it.

use cuzk_prover::curve::Scalar;
use cuzk_prover::{Error, ErrorKind, Result};
use rayon::prelude::*;

use crate::filecoin::c1::{Head, Node};
use crate::filecoin::kinds::SealProof;
use crate::filecoin::porep;

/// That a prover has encoded some data, in this replica, as this sector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The kind of proof.
    pub proof: SealProof,
    /// Commitment to the replica.
    pub comm_r: Node,
    /// Commitment to the data.
    pub comm_d: Node,
    /// The prover.
    pub prover_id: Node,
    /// The sector's number.
    pub sector_number: u64,
    /// Randomness of the replica id.
    pub ticket: Node,
    /// Randomness of the challenges.
    pub seed: Node,
}

impl Statement {
    /// What a Commit-1 output is to prove for a prover and sector.
    pub fn of(head: &Head, prover_id: &Node, sector_number: u64) -> Self {
        Self {
            proof: head.proof,
            comm_r: head.comm_r,
            comm_d: head.comm_d,
            prover_id: *prover_id,
            sector_number,
            ticket: head.ticket,
            seed: head.seed,
        }
    }

    /// The head of the Commit-1 output that goes with it.
    ///
    /// Errors: `InvalidArgument` for commitments that no sector has, and for a seed of zero where
    /// the proof depends on it.
    pub fn head(&self) -> Result<Head> {
        let replica_id = porep::replica_id(
            self.proof,
            &self.prover_id,
            self.sector_number,
            &self.ticket,
            &self.comm_d,
        );
        let head = Head {
            proof: self.proof,
            comm_r: self.comm_r,
            comm_d: self.comm_d,
            replica_id,
            seed: self.seed,
            ticket: self.ticket,
            sector_number: None,
        };
        match self.proof.is_aggregate() {
            true => head.check_commitments(),
            false => head.check(),
        }
        .map_err(|error| Error::new(ErrorKind::InvalidArgument, error.message()))?;
        Ok(head)
    }

    /// The public inputs of every partition, without the constant one.
    pub fn public_inputs(&self) -> Result<Vec<Vec<Scalar>>> {
        let head = self.head()?;
        (0..self.proof.partitions())
            .into_par_iter()
            .map(|k| porep::public_inputs(&head, k))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filecoin::{prover_id_from_actor, SectorSize, Variant};
    use filecoin_proofs::constants::{SectorShapeBase, SectorShapeSub8, SectorShapeTop2};
    use filecoin_proofs_api::RegisteredSealProof;

    fn statement(proof: SealProof) -> Statement {
        let node = |start: u8| std::array::from_fn(|i| start.wrapping_add(i as u8) & 0x3f);
        Statement {
            proof,
            comm_r: node(1),
            comm_d: node(70),
            prover_id: prover_id_from_actor(1000),
            sector_number: 9,
            ticket: node(5),
            seed: node(9),
        }
    }

    /// filecoin-proofs' own public inputs.
    fn expected(statement: &Statement) -> Vec<Vec<Scalar>> {
        let registered: RegisteredSealProof =
            serde_json::from_value(statement.proof.name().into()).unwrap();
        let config = registered.as_v1_config();
        macro_rules! inputs {
            ($tree:ty) => {
                filecoin_proofs::get_seal_inputs::<$tree>(
                    &config,
                    statement.comm_r,
                    statement.comm_d,
                    statement.prover_id,
                    statement.sector_number.into(),
                    statement.ticket,
                    statement.seed,
                )
            };
        }
        match statement.proof.sector_size() {
            SectorSize::Kib2 | SectorSize::Mib8 | SectorSize::Mib512 => inputs!(SectorShapeBase),
            SectorSize::Gib32 => inputs!(SectorShapeSub8),
            SectorSize::Gib64 => inputs!(SectorShapeTop2),
        }
        .unwrap()
    }

    #[test]
    fn public_inputs_are_those_of_filecoin_proofs() {
        for proof in SealProof::all() {
            let statement = statement(proof);
            let inputs = statement.public_inputs().unwrap();
            assert_eq!(inputs.len(), proof.partitions());
            assert_eq!(inputs, expected(&statement), "{proof}");
        }
    }

    #[test]
    fn commitments_that_no_sector_has_are_refused() {
        let proof = SealProof::new(Variant::V1_1, SectorSize::Kib2);
        for (field, value) in [
            ("comm_r", [0xff; 32]),
            ("comm_d", [0xff; 32]),
            ("comm_r", [0; 32]),
            ("comm_d", [0; 32]),
            ("seed", [0; 32]),
        ] {
            let mut statement = statement(proof);
            *match field {
                "comm_r" => &mut statement.comm_r,
                "comm_d" => &mut statement.comm_d,
                _ => &mut statement.seed,
            } = value;
            let error = statement.public_inputs().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument);
            assert!(error.message().starts_with(field), "{error}");
        }
        // What a non-interactive proof does not depend on may be anything.
        let mut seedless = statement(SealProof::new(Variant::NonInteractive, SectorSize::Kib2));
        seedless.seed = [0; 32];
        assert!(seedless.public_inputs().is_ok());
    }
}
