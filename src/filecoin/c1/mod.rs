// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the output of Commit-1 and checks everything that C2 relies on, before any work.
//!
//! Two forms are accepted: the JSON of `SealCommitPhase1Output` of filecoin-proofs-api (100 kB for
//! a sector of 2 KiB, 50 MB for 32 GiB), and the same in base64 inside
//! `{"SectorNum":n,"Phase1Out":"...","SectorSize":n}`. Whatever the bytes are, the answer is a
//! value that the circuit can take or one `InvalidC1` error naming the field.

mod check;
mod json;

use base64::engine::general_purpose::STANDARD as BASE64;
use base64::Engine;
use cuzk_prover::{room, Error, ErrorKind, Result};
use serde::de::{Deserialize, IgnoredAny};

use super::kinds::{SealProof, SectorSize};
pub use json::{Challenge, Column, ColumnProof, MerkleProof, Node, PathElement};
use json::{Document, Partitions, Text};
pub(super) use json::{List, Path, ProofData};

/// What a Commit-1 output says about its sector, without the proofs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The kind of proof.
    pub proof: SealProof,
    /// Commitment to the replica, a canonical field element other than zero.
    pub comm_r: Node,
    /// Commitment to the data, a canonical field element other than zero.
    pub comm_d: Node,
    /// What the labels were derived from, a canonical field element.
    pub replica_id: Node,
    /// Randomness of the challenges, not zero.
    pub seed: Node,
    /// Randomness of the replica id.
    pub ticket: Node,
    /// The sector's number, where the document is wrapped and says it.
    pub sector_number: Option<u64>,
}

impl Head {
    /// Reads the head alone: the proofs are skipped, not read.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let (head, _) = read::<IgnoredAny>(bytes)?;
        Ok(head)
    }

    /// Checks the commitments: canonical where they are field elements, not zero where
    /// filecoin-proofs refuses zero.
    pub fn check(&self) -> Result<()> {
        check::head(self)
    }

    /// As [`Head::check`], but the seed may be zero.
    pub fn check_commitments(&self) -> Result<()> {
        check::commitments(self)
    }
}

/// A Commit-1 output that the circuit can take: counts, lengths, indices and field elements are
/// those of the registered proof.
#[derive(Clone, Debug)]
pub struct C1 {
    head: Head,
    partitions: Vec<Vec<Challenge>>,
}

impl C1 {
    /// Reads and checks a whole output.
    ///
    /// Errors: `InvalidC1`, naming the field; `OutOfMemory`.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let (head, partitions) = read::<Partitions>(bytes)?;
        let partitions = partitions.0.into_iter().map(|list| list.0).collect();
        let c1 = Self { head, partitions };
        check::partitions(&c1)?;
        Ok(c1)
    }

    /// All but the proofs.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// The kind of proof.
    pub fn proof(&self) -> SealProof {
        self.head.proof
    }

    /// The challenges of each partition.
    pub fn partitions(&self) -> &[Vec<Challenge>] {
        &self.partitions
    }

    /// The challenges of partition `k`.
    ///
    /// Errors: `InvalidArgument` for a partition that is not there.
    pub fn partition(&self, k: usize) -> Result<&[Challenge]> {
        self.partitions.get(k).map(Vec::as_slice).ok_or_else(|| {
            Error::new(
                ErrorKind::InvalidArgument,
                format!(
                    "partition {k} of {}, it has {} partitions",
                    self.proof(),
                    self.partitions.len()
                ),
            )
        })
    }
}

fn invalid(text: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidC1, text)
}

/// Reads either form of the document, with as much of the proofs as `P` takes.
fn read<P: for<'de> Deserialize<'de>>(bytes: &[u8]) -> Result<(Head, P)> {
    let outer: Document<'_, P> = document(bytes)?;
    let Some(Text(text)) = &outer.phase1_out else {
        if outer.registered_proof.is_none() && outer.sector_number.is_some() {
            return Err(missing("Phase1Out"));
        }
        return head(outer);
    };
    if outer.registered_proof.is_some() || outer.vanilla_proofs.is_some() {
        return Err(invalid(
            "C1 output has both Phase1Out and fields of a plain output",
        ));
    }
    let most = base64::decoded_len_estimate(text.len());
    let mut inner = room::list("the decoded Phase1Out", most)?;
    BASE64
        .decode_vec(text.as_bytes(), &mut inner)
        .map_err(|error| invalid(format!("Phase1Out is not base64: {error}")))?;
    let (mut head, proofs) = read_plain::<P>(&inner).map_err(|error| error.context("Phase1Out"))?;
    if let Some(size) = outer.sector_size {
        let needed = head.proof.sector_size().bytes();
        if size != needed {
            return Err(invalid(format!(
                "SectorSize is {size}, {} needs {needed}",
                head.proof
            )));
        }
    }
    head.sector_number = outer.sector_number;
    Ok((head, proofs))
}

fn read_plain<P: for<'de> Deserialize<'de>>(bytes: &[u8]) -> Result<(Head, P)> {
    head(document(bytes)?)
}

/// Parses JSON; only when that failed does it run again with its place recorded.
fn document<'a, P: Deserialize<'a>>(bytes: &'a [u8]) -> Result<Document<'a, P>> {
    serde_json::from_slice(bytes).map_err(|plain| {
        let mut json = serde_json::Deserializer::from_slice(bytes);
        let traced: std::result::Result<Document<'a, P>, _> =
            serde_path_to_error::deserialize(&mut json);
        match traced {
            Err(error) if error.path().iter().next().is_some() => invalid(format!(
                "C1 output: {}: {}",
                error.path(),
                shortened(&error.inner().to_string())
            )),
            _ => invalid(format!("C1 output: {}", shortened(&plain.to_string()))),
        }
    })
}

/// The text without its middle if it is long: it may quote a string of the document.
fn shortened(text: &str) -> String {
    const HEAD: usize = 160;
    const TAIL: usize = 60;
    let count = text.chars().count();
    if count <= HEAD + TAIL {
        return text.to_owned();
    }
    let head: String = text.chars().take(HEAD).collect();
    let tail: String = text.chars().skip(count - TAIL).collect();
    format!("{head}...{tail}")
}

fn missing(field: &str) -> Error {
    invalid(format!("C1 output: {field} is missing"))
}

fn head<P>(document: Document<'_, P>) -> Result<(Head, P)> {
    let Text(name) = document
        .registered_proof
        .ok_or_else(|| missing("registered_proof"))?;
    let proof = SealProof::from_name(&name).ok_or_else(|| {
        invalid(format!(
            "registered_proof {:?} is unknown",
            shortened(&name)
        ))
    })?;
    let (tag, proofs) = document
        .vanilla_proofs
        .ok_or_else(|| missing("vanilla_proofs"))?
        .into_parts();
    if tag != proof.sector_size() {
        return Err(wrong_tag(tag, proof));
    }
    let head = Head {
        proof,
        comm_r: document.comm_r.ok_or_else(|| missing("comm_r"))?,
        comm_d: document.comm_d.ok_or_else(|| missing("comm_d"))?,
        replica_id: document.replica_id.ok_or_else(|| missing("replica_id"))?,
        seed: document.seed.ok_or_else(|| missing("seed"))?,
        ticket: document.ticket.ok_or_else(|| missing("ticket"))?,
        sector_number: None,
    };
    head.check()?;
    Ok((head, proofs))
}

fn wrong_tag(tag: SectorSize, proof: SealProof) -> Error {
    invalid(format!(
        "vanilla_proofs are those of a {tag} sector (StackedDrg{tag}V1), registered_proof {proof} \
         needs {}",
        proof.sector_size()
    ))
}

#[cfg(test)]
mod tests;
