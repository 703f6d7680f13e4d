// SPDX-License-Identifier: MIT OR Apache-2.0
//! Verification of seal proofs, with keys from the context's parameter folder.

use std::path::Path;

use cuzk_prover::curve::Scalar;
use cuzk_prover::groth16::{verify_batch, Proof};
use cuzk_prover::schedule::Context;
use cuzk_prover::srs::{ParameterFile, VerifyingKey};
use cuzk_prover::{Error, ErrorKind, Result};

use super::Statement;
use crate::filecoin::aggregate::{verify_aggregate, Aggregation};
use crate::filecoin::kinds::{SealProof, SectorSize, PARTITION_PROOF_BYTES};
use crate::filecoin::params::{say_how_to_get, ParameterFiles};

/// The verifying key of a sector size: that of its `.vk` file, or without one that at the head of
/// its `.params` file.
///
/// Errors: `ParametersNotFound`, naming the file and how to get it; `InvalidSrs`; `Io`.
pub fn verifying_key(folder: &Path, size: SectorSize) -> Result<VerifyingKey> {
    let files = ParameterFiles::new(folder, size)?;
    let not_found = |error: &Error| error.kind() == ErrorKind::ParametersNotFound;
    match VerifyingKey::read(&files.verifying_key) {
        Err(error) if not_found(&error) => match ParameterFile::open(&files.params) {
            Ok(params) => Ok(params.verifying_key().clone()),
            Err(other) if not_found(&other) => Err(say_how_to_get(error, size)),
            Err(other) => Err(other),
        },
        read => read,
    }
}

/// Whether a proof is valid for a statement, under the verifying key in the context's parameter
/// folder; an aggregate also under the powers there.
///
/// Errors: those of [`verifying_key`] and [`verify_with_key`], and for an aggregate those of
/// [`verify_aggregate`].
pub fn verify(context: &Context, statement: &Statement, proof: &[u8]) -> Result<bool> {
    check_length(statement.proof, proof)?;
    if statement.proof.is_aggregate() {
        let sector = std::slice::from_ref(statement);
        return verify_aggregate(context, Aggregation::SnarkPackV2, sector, proof);
    }
    let size = statement.proof.sector_size();
    let key = verifying_key(context.parameter_folder(), size)?;
    context.run(|| verify_with_key(&key, statement, proof))
}

/// Whether a proof is valid for a statement under a key. Bytes that are no points of the groups
/// make it not valid.
///
/// Works on rayon's current pool.
///
/// Errors: `InvalidArgument` for a proof of another length, or a statement with commitments that
/// no sector has; `InvalidSrs` for a key of another circuit; `Unsupported` for a kind of proof
/// that is an aggregate.
pub fn verify_with_key(key: &VerifyingKey, statement: &Statement, proof: &[u8]) -> Result<bool> {
    if statement.proof.is_aggregate() {
        return Err(Error::new(
            ErrorKind::Unsupported,
            format!(
                "a proof of {} is an aggregate: a verifying key alone does not verify it",
                statement.proof
            ),
        ));
    }
    check_length(statement.proof, proof)?;
    let inputs = statement.public_inputs()?;
    check_inputs(key, statement.proof, &inputs)?;
    let proofs: Result<Vec<Proof>> = proof
        .chunks(PARTITION_PROOF_BYTES)
        .map(Proof::from_bytes)
        .collect();
    match proofs {
        Ok(proofs) => {
            let inputs: Vec<&[_]> = inputs.iter().map(Vec::as_slice).collect();
            verify_batch(key, &inputs, &proofs)
        }
        Err(_) => Ok(false),
    }
}

/// The error `InvalidSrs` for a key of another circuit, by the number of public inputs.
pub fn check_inputs(key: &VerifyingKey, proof: SealProof, inputs: &[Vec<Scalar>]) -> Result<()> {
    let needed = inputs.first().map_or(0, Vec::len) + 1;
    if key.ic.len() != needed {
        return Err(Error::new(
            ErrorKind::InvalidSrs,
            format!(
                "the verifying key is for {} inputs, the circuit of {proof} has {needed}",
                key.ic.len()
            ),
        ));
    }
    Ok(())
}

/// The error `InvalidArgument` for bytes that are no proof of this kind by their number.
pub fn check_length(proof: SealProof, bytes: &[u8]) -> Result<()> {
    if bytes.len() == proof.proof_bytes() {
        return Ok(());
    }
    let needed = match proof.is_aggregate() {
        true => format!("{} bytes, being an aggregate", proof.proof_bytes()),
        false => format!(
            "{} partitions of {PARTITION_PROOF_BYTES}",
            proof.partitions()
        ),
    };
    Err(Error::new(
        ErrorKind::InvalidArgument,
        format!(
            "the proof has {} bytes, {proof} needs {needed}",
            bytes.len()
        ),
    ))
}
