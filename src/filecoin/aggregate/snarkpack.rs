// SPDX-License-Identifier: MIT OR Apache-2.0
//! SnarkPack by bellperson: from this project's proofs to aggregates in bytes, and back.

use bellperson::groth16::aggregate::{
    aggregate_proofs, verify_aggregate_proof, AggregateProof, AggregateVersion, ProverSRS,
    VerifierSRS,
};
use bellperson::groth16::{self as peer, PreparedVerifyingKey};
use bellperson::SynthesisError;
use blstrs::Bls12;
use cuzk_prover::curve::{Scalar, G1_COMPRESSED_BYTES, G2_COMPRESSED_BYTES};
use cuzk_prover::groth16::Proof;
use cuzk_prover::{Error, ErrorKind, Result};
use rand_core::OsRng;

use super::{padded, Aggregation};

/// Bytes of an element of the target group, compressed.
const GT_BYTES: usize = 6 * G1_COMPRESSED_BYTES;

/// Bytes of an aggregate of `proofs` proofs: five elements of the target group, the sum of all C
/// and the number of proofs; for each halving ten elements of the target group and two points of
/// G1; the last A, B and C, the two commitment keys and an opening for each half of them.
pub fn aggregate_bytes(proofs: usize) -> usize {
    let halvings = padded(proofs).trailing_zeros() as usize;
    let head = 5 * GT_BYTES + G1_COMPRESSED_BYTES + size_of::<u32>();
    let halving = 10 * GT_BYTES + 2 * G1_COMPRESSED_BYTES;
    let tail = 6 * G1_COMPRESSED_BYTES + 5 * G2_COMPRESSED_BYTES;
    head + halvings * halving + tail
}

/// Memory that aggregating takes beside its key, roughly: a few copies of proofs and key, and the
/// tables of the sums over C.
pub fn work_bytes(n: usize) -> u64 {
    let tables = 2 * 255 * 96;
    n as u64 * (tables + 8 * 1024)
}

/// Memory that verifying takes beside its keys: the public inputs, twice.
pub fn verify_bytes(n: usize, inputs: usize) -> u64 {
    2 * (n * inputs * size_of::<Scalar>()) as u64
}

/// Aggregates proofs, the last one repeated up to the number that the key is for.
pub fn aggregate(
    key: &ProverSRS<Bls12>,
    aggregation: Aggregation,
    transcript: &[u8; 32],
    proofs: &[Proof],
) -> Result<Vec<u8>> {
    let mut all: Vec<peer::Proof<Bls12>> = proofs
        .iter()
        .map(|proof| peer::Proof {
            a: proof.a,
            b: proof.b,
            c: proof.c,
        })
        .collect();
    if let Some(last) = all.last().cloned() {
        all.resize(padded(all.len()), last);
    }
    let aggregate = aggregate_proofs(key, transcript, &all, aggregation.version())
        .map_err(|error| unexpected("aggregating", &error))?;
    let mut bytes = Vec::with_capacity(aggregate_bytes(all.len()));
    aggregate
        .write(&mut bytes)
        .map_err(|error| unexpected("writing the aggregate", &error))?;
    Ok(bytes)
}

/// Whether an aggregate is valid for the public inputs of the partitions; those of the last one
/// are repeated as the proofs were.
pub fn verify(
    powers: &VerifierSRS<Bls12>,
    key: &PreparedVerifyingKey<Bls12>,
    aggregation: Aggregation,
    transcript: &[u8; 32],
    mut inputs: Vec<Vec<Scalar>>,
    mut bytes: &[u8],
) -> Result<bool> {
    let Ok(aggregate) = AggregateProof::<Bls12>::read(&mut bytes) else {
        return Ok(false);
    };
    let n = padded(inputs.len());
    if !bytes.is_empty() || aggregate.tmipp.gipa.nproofs as usize != n {
        return Ok(false);
    }
    if let Some(last) = inputs.last().cloned() {
        inputs.resize(n, last);
    }
    let version = aggregation.version();
    match verify_aggregate_proof(powers, key, OsRng, &inputs, &aggregate, transcript, version) {
        Ok(valid) => Ok(valid),
        Err(SynthesisError::MalformedProofs(_)) => Ok(false),
        Err(error) => Err(unexpected("verifying the aggregate", &error)),
    }
}

impl Aggregation {
    fn version(self) -> AggregateVersion {
        match self {
            Aggregation::SnarkPackV1 => AggregateVersion::V1,
            Aggregation::SnarkPackV2 => AggregateVersion::V2,
        }
    }
}

fn unexpected(doing: &str, error: &dyn std::fmt::Display) -> Error {
    Error::new(ErrorKind::Internal, format!("{doing}: {error}"))
}
