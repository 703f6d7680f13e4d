// SPDX-License-Identifier: MIT OR Apache-2.0
//! Aggregation: the proofs of many partitions, of one sector or of several, as one short proof.
//!
//! The scheme is SnarkPack (Gailly, Maller, Nitulescu, ePrint 2021/529) and the implementation
//! bellperson's, which Filecoin's verifiers use. What is Filecoin's own is here: the last proof is
//! repeated up to a power of two, and the transcript takes the SHA-256 of every sector's seed and
//! comm_r in turn, of comm_r alone for non-interactive proofs, which have no use for a seed.

mod keys;
mod powers;
mod sectors;
mod setup;
mod snarkpack;

use std::path::Path;

use cuzk_prover::cancel::Cancel;
use cuzk_prover::groth16::{PreparedKey, Proof};
use cuzk_prover::schedule::Context;
use cuzk_prover::srs::VerifyingKey;
use cuzk_prover::{Error, ErrorKind, Result};

use super::c1::Head;
use super::c2::{check_inputs, verifying_key, Statement};
use super::kinds::PARTITION_PROOF_BYTES;
use super::params::aggregation_file;
use powers::PowersFile;
use sectors::Sectors;
pub use setup::{insecure_aggregation_setup, write_insecure_powers, SETUP_POWERS};
pub use snarkpack::aggregate_bytes;

/// Filecoin's registered aggregations. They differ in what the transcript takes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregation {
    /// SnarkPack, version 1.
    SnarkPackV1,
    /// SnarkPack, version 2: that of non-interactive proofs.
    SnarkPackV2,
}

impl Aggregation {
    /// The aggregation with Filecoin's number, 0 or 1.
    pub fn from_number(number: i64) -> Result<Self> {
        match number {
            0 => Ok(Aggregation::SnarkPackV1),
            1 => Ok(Aggregation::SnarkPackV2),
            _ => Err(Error::new(
                ErrorKind::InvalidArgument,
                format!(
                    "registered aggregation {number} is unknown: 0 is SnarkPackV1, 1 is \
                     SnarkPackV2"
                ),
            )),
        }
    }
}

/// Bytes of an aggregate of sectors of one kind, and whether they can be aggregated.
///
/// Errors: those of [`aggregate`] that do not need the proofs.
pub fn aggregate_length(statements: &[Statement]) -> Result<usize> {
    Sectors::new(statements)?.aggregate_bytes()
}

/// Aggregates the partitions' proofs of sectors of one kind: 192 bytes a partition, the sectors in
/// the order of their statements. C2 proofs of interactive sectors are such proofs; of
/// non-interactive ones these are the circuit proofs.
///
/// The proofs and the aggregate are verified, unless the context was told not to verify.
///
/// Errors: `InvalidArgument` for no sectors, sectors of several kinds, too many, proofs of another
/// length, statements that no sector has, and for a proof that is not valid, naming its sector;
/// `ParametersNotFound`, `InvalidSrs` and `Io` for verifying key and the file for aggregation;
/// `OutOfMemory` with the sizes; `SelfCheckFailed`.
pub fn aggregate(
    context: &Context,
    aggregation: Aggregation,
    statements: &[Statement],
    proofs: &[u8],
) -> Result<Vec<u8>> {
    let sectors = Sectors::new(statements)?;
    sectors.aggregate_bytes()?;
    let proofs = context.run(|| sectors.read_proofs(proofs))?;
    let cancel = Cancel::default();
    if !context.info()?.self_verification {
        return combine(context, aggregation, &sectors, &proofs, &cancel);
    }
    let key = verifying_key(context.parameter_folder(), sectors.kind().sector_size())?;
    context.run(|| sectors.check_proofs(&PreparedKey::new(&key), &proofs))?;
    let bytes = combine(context, aggregation, &sectors, &proofs, &cancel)?;
    self_check(context, &key, aggregation, &sectors, &bytes)?;
    Ok(bytes)
}

/// Whether an aggregate is valid for sectors in this order, under verifying key and powers in the
/// context's parameter folder. Bytes that are no group elements make it not valid.
///
/// Errors: as [`aggregate`] for the statements and the files; `InvalidArgument` for an aggregate
/// of another length.
pub fn verify_aggregate(
    context: &Context,
    aggregation: Aggregation,
    statements: &[Statement],
    aggregate: &[u8],
) -> Result<bool> {
    let sectors = Sectors::new(statements)?;
    let needed = sectors.aggregate_bytes()?;
    if aggregate.len() != needed {
        return Err(Error::new(
            ErrorKind::InvalidArgument,
            format!(
                "the aggregate has {} bytes, that of {} sectors of {} has {needed}",
                aggregate.len(),
                statements.len(),
                sectors.kind()
            ),
        ));
    }
    let key = verifying_key(context.parameter_folder(), sectors.kind().sector_size())?;
    verify_with_key(context, &key, aggregation, &sectors, aggregate)
}

/// The most proofs of an aggregate, a power of two, that the file for aggregation in a folder
/// serves. Its counts are read and its points are not.
///
/// Errors: `ParametersNotFound`, `Io`; `InvalidSrs` when it is shorter than its counts say, or has
/// too few powers for any aggregate.
pub fn largest_aggregate(folder: &Path) -> Result<usize> {
    PowersFile::open(folder)?.largest_aggregate()
}

/// Joins the partitions' proofs of one sector, each verified before, into the C2 proof of a kind
/// that is an aggregate.
pub(super) fn aggregate_sector(
    context: &Context,
    head: &Head,
    proofs: &[Proof],
    cancel: &Cancel,
) -> Result<Vec<u8>> {
    combine(
        context,
        Aggregation::SnarkPackV2,
        &Sectors::of_head(head),
        proofs,
        cancel,
    )
}

/// Verifies what [`aggregate_sector`] made; the error `SelfCheckFailed` if it is not valid.
pub(super) fn check_sector(
    context: &Context,
    key: &VerifyingKey,
    head: &Head,
    aggregate: &[u8],
) -> Result<()> {
    let sectors = Sectors::of_head(head);
    self_check(context, key, Aggregation::SnarkPackV2, &sectors, aggregate)
}

/// Brings into memory what aggregates of one sector of a kind need.
pub(super) fn warm_up(context: &Context, partitions: usize, cancel: &Cancel) -> Result<()> {
    keys::with_prover_key(context, padded(partitions), 0, cancel, |_| Ok(()))
}

fn combine(
    context: &Context,
    aggregation: Aggregation,
    sectors: &Sectors,
    proofs: &[Proof],
    cancel: &Cancel,
) -> Result<Vec<u8>> {
    let n = padded(proofs.len());
    let transcript = sectors.transcript();
    let bytes = snarkpack::work_bytes(n);
    keys::with_prover_key(context, n, bytes, cancel, |key| {
        snarkpack::aggregate(key, aggregation, &transcript, proofs)
    })
}

fn self_check(
    context: &Context,
    key: &VerifyingKey,
    aggregation: Aggregation,
    sectors: &Sectors,
    aggregate: &[u8],
) -> Result<()> {
    if verify_with_key(context, key, aggregation, sectors, aggregate)? {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::SelfCheckFailed,
        format!(
            "an aggregate of valid proofs of {} does not verify: the powers in {} do not belong \
             together",
            sectors.kind(),
            aggregation_file(context.parameter_folder()).display()
        ),
    ))
}

fn verify_with_key(
    context: &Context,
    key: &VerifyingKey,
    aggregation: Aggregation,
    sectors: &Sectors,
    aggregate: &[u8],
) -> Result<bool> {
    let n = padded(sectors.partitions());
    let file = PowersFile::open(context.parameter_folder())?;
    let powers = context.run(|| file.verifier_key(n))?;
    let work = snarkpack::verify_bytes(n, key.ic.len());
    keys::with_prepared_key(context, key, work, |prepared| {
        let inputs = sectors.public_inputs()?;
        check_inputs(key, sectors.kind(), &inputs)?;
        let transcript = sectors.transcript();
        snarkpack::verify(
            &powers,
            prepared,
            aggregation,
            &transcript,
            inputs,
            aggregate,
        )
    })
}

/// Proofs in the aggregate of some: a power of two, and two at least.
fn padded(proofs: usize) -> usize {
    proofs.max(2).next_power_of_two()
}
