// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be said and refused before any proving.

use std::sync::Arc;
use std::time::{Duration, Instant};

use cuzk_prover::{Error, ErrorKind, Result};

use super::Statement;
use crate::filecoin::c1::{Head, Node, C1};
use crate::filecoin::kinds::SealProof;
use crate::filecoin::{porep, vanilla};

/// What a Commit-1 output asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// The kind of proof.
    pub proof: SealProof,
    /// Partitions of the proof, each a Groth16 proof of its own.
    pub partitions: usize,
    /// Bytes of the proof.
    pub proof_bytes: usize,
    /// The circuit's name in the parameter cache.
    pub circuit: String,
    /// The sector's number, where the output says it.
    pub sector_number: Option<u64>,
}

/// Reads what a Commit-1 output asks for. The proofs in it are skipped.
///
/// Errors: `InvalidC1`.
pub fn info(c1: &[u8]) -> Result<Info> {
    let head = Head::parse(c1)?;
    Ok(Info {
        proof: head.proof,
        partitions: head.proof.partitions(),
        proof_bytes: head.proof.proof_bytes(),
        circuit: porep::cache_identifier(head.proof.sector_size())?,
        sector_number: head.sector_number,
    })
}

/// Checks that a Commit-1 output is of this prover and sector: the replica id that they give with
/// the output's ticket and comm_d must be the output's. The proofs in it are skipped.
///
/// Errors: `InvalidC1` for an output that cannot be read, `InvalidArgument` for one of another
/// prover or sector.
pub fn check(c1: &[u8], prover_id: &Node, sector_number: u64) -> Result<()> {
    check_head(&Head::parse(c1)?, prover_id, sector_number)
}

/// Compares a sector's number with that of a wrapped output.
fn check_number(head: &Head, sector_number: u64) -> Result<()> {
    match head.sector_number.filter(|n| *n != sector_number) {
        Some(present) => Err(Error::new(
            ErrorKind::InvalidArgument,
            format!("sector number {sector_number}, the C1 output is of sector {present}"),
        )),
        None => Ok(()),
    }
}

fn check_head(head: &Head, prover_id: &Node, sector_number: u64) -> Result<()> {
    check_number(head, sector_number)?;
    let id = porep::replica_id(
        head.proof,
        prover_id,
        sector_number,
        &head.ticket,
        &head.comm_d,
    );
    if id != head.replica_id {
        return Err(Error::new(
            ErrorKind::InvalidArgument,
            format!(
                "the C1 output is not of sector {sector_number} of prover {}: they give replica \
                 id {}, it has {}",
                hex(prover_id),
                hex(&id),
                hex(&head.replica_id)
            ),
        ));
    }
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A Commit-1 output that can be proved: read, checked against its registered proof and against
/// itself, and found to be of its prover and sector. Clones share it.
#[derive(Clone, Debug)]
pub struct Request {
    c1: Arc<C1>,
    statement: Option<Statement>,
    circuit_proofs: bool,
    parse: Duration,
}

impl Request {
    /// Reads and checks everything that can be checked before proving; a copy of what is needed is
    /// kept, in about a sixth of the output's bytes.
    ///
    /// Errors: `InvalidC1` naming the field; `InvalidArgument` for an output of another prover or
    /// sector.
    pub fn new(c1: &[u8], prover_id: &Node, sector_number: u64) -> Result<Self> {
        let start = Instant::now();
        let c1 = C1::parse(c1)?;
        check_head(c1.head(), prover_id, sector_number)?;
        let statement = Statement::of(c1.head(), prover_id, sector_number);
        Self::consistent(c1, Some(statement), start)
    }

    /// The same for circuit proofs: those of the partitions one after the other, also of a kind
    /// whose proof is their aggregate, so that several sectors can be aggregated. They are for the
    /// output's replica id, whoever its prover is.
    ///
    /// Errors: `InvalidC1` naming the field; `InvalidArgument` when the output says that it is of
    /// another sector.
    pub fn for_circuit_proofs(c1: &[u8], sector_number: u64) -> Result<Self> {
        let start = Instant::now();
        let c1 = C1::parse(c1)?;
        check_number(c1.head(), sector_number)?;
        Ok(Self::consistent(c1, None, start)?.into_circuit_proofs())
    }

    fn consistent(c1: C1, statement: Option<Statement>, start: Instant) -> Result<Self> {
        vanilla::check_consistency(&c1)?;
        Ok(Self {
            c1: Arc::new(c1),
            statement,
            circuit_proofs: false,
            parse: start.elapsed(),
        })
    }

    /// The same request, for circuit proofs.
    #[must_use]
    pub fn into_circuit_proofs(mut self) -> Self {
        self.circuit_proofs = true;
        self
    }

    /// The output.
    pub fn c1(&self) -> &C1 {
        &self.c1
    }

    /// The kind of proof.
    pub fn proof(&self) -> SealProof {
        self.c1.proof()
    }

    /// What the proof will state; nothing for circuit proofs of whoever's sector.
    pub fn statement(&self) -> Option<&Statement> {
        self.statement.as_ref()
    }

    /// Whether the partitions' proofs are to be aggregated.
    pub fn aggregates(&self) -> bool {
        self.proof().is_aggregate() && !self.circuit_proofs
    }

    /// Bytes of what was asked for.
    pub fn output_bytes(&self) -> usize {
        match self.circuit_proofs {
            true => self.proof().circuit_proofs_bytes(),
            false => self.proof().proof_bytes(),
        }
    }

    /// Time that reading and checking took.
    pub fn parse_time(&self) -> Duration {
        self.parse
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filecoin::prover_id_from_actor;
    use base64::engine::general_purpose::STANDARD as BASE64;
    use base64::Engine;

    const V1_1: &[u8] = include_bytes!("../../../tests/vectors/c1/2kib-v1_1.json");
    const NON_INTERACTIVE: &[u8] =
        include_bytes!("../../../tests/vectors/c1/2kib-v1_2-non-interactive.json");

    #[test]
    fn info_names_proof_and_circuit() {
        let info = info(V1_1).unwrap();
        assert_eq!(info.proof.name(), "StackedDrg2KiBV1_1");
        assert_eq!((info.partitions, info.proof_bytes), (1, 192));
        assert!(info.circuit.starts_with("stacked-proof-of-replication-"));
        assert_eq!(info.sector_number, None);
        let other = super::info(NON_INTERACTIVE).unwrap();
        assert_eq!((other.partitions, other.proof_bytes), (13, 14_164));
        assert_eq!(other.circuit, info.circuit);
        assert!(super::info(b"{}").is_err());
    }

    #[test]
    fn outputs_of_another_prover_or_sector_are_refused() {
        let prover = prover_id_from_actor(1000);
        check(V1_1, &prover, 42).unwrap();
        for (prover, sector) in [
            (prover, 43),
            (prover_id_from_actor(1001), 42),
            (prover_id_from_actor(0), 0),
        ] {
            let error = check(V1_1, &prover, sector).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument);
            let needed = format!("not of sector {sector} of prover ");
            assert!(error.message().contains(&needed), "{error}");
            let error = Request::new(V1_1, &prover, sector).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        }
    }

    #[test]
    fn requests_say_what_they_state() {
        let prover = prover_id_from_actor(1000);
        let request = Request::new(V1_1, &prover, 42).unwrap();
        let head = Head::parse(V1_1).unwrap();
        assert_eq!(request.proof(), head.proof);
        assert_eq!(request.statement().unwrap().head().unwrap(), head);
        assert_eq!(request.output_bytes(), 192);
        assert!(!request.aggregates());
    }

    #[test]
    fn circuit_proofs_need_no_prover() {
        let whole = Request::new(NON_INTERACTIVE, &prover_id_from_actor(1001), 7).unwrap();
        assert_eq!((whole.aggregates(), whole.output_bytes()), (true, 14_164));
        let apart = whole.into_circuit_proofs();
        assert_eq!(
            (apart.aggregates(), apart.output_bytes()),
            (false, 13 * 192)
        );
        assert!(apart.statement().is_some());

        let anyones = Request::for_circuit_proofs(NON_INTERACTIVE, 99).unwrap();
        assert_eq!(anyones.output_bytes(), 13 * 192);
        assert!(anyones.statement().is_none());
        let text = BASE64.encode(V1_1);
        let wrapped = format!(r#"{{"SectorNum":42,"Phase1Out":"{text}","SectorSize":2048}}"#);
        Request::for_circuit_proofs(wrapped.as_bytes(), 42).unwrap();
        let error = Request::for_circuit_proofs(wrapped.as_bytes(), 43).unwrap_err();
        assert_eq!(
            error.message(),
            "sector number 43, the C1 output is of sector 42"
        );
    }
}
