// SPDX-License-Identifier: MIT OR Apache-2.0
//! The keys of aggregation, kept in memory by the context: making them takes longer than using
//! them.

use bellperson::groth16::aggregate::ProverSRS;
use bellperson::groth16::{prepare_verifying_key, PreparedVerifyingKey};
use blstrs::Bls12;
use cuzk_prover::cancel::Cancel;
use cuzk_prover::schedule::{Context, Kept};
use cuzk_prover::srs::VerifyingKey;
use cuzk_prover::{Error, Result};
use sha2::{Digest, Sha256};

use super::powers::PowersFile;

/// Entries of the table that bellperson makes for each point of a key.
const TABLE: u64 = 255;

/// Does `work` with the key for aggregating `n` proofs, a power of two, with `bytes` of memory
/// beside it.
///
/// Errors: those of [`PowersFile`], `OutOfMemory`, `Cancelled`, and those of the work.
pub fn with_prover_key<R: Send>(
    context: &Context,
    n: usize,
    bytes: u64,
    cancel: &Cancel,
    work: impl FnOnce(&ProverSRS<Bls12>) -> Result<R> + Send,
) -> Result<R> {
    let file = PowersFile::open(context.parameter_folder())?;
    let kept = Kept {
        name: format!("{} for {n} proofs", file.path().display()),
        state: file.identity().to_owned(),
        // Tables of 4 n points of G1 and 2 n of G2, and the commitment keys.
        bytes: n as u64 * (TABLE * (4 * 96 + 2 * 192) + 2 * 96 + 2 * 192),
        make: Box::new(move || file.prover_key(n)),
    };
    context.with_kept(kept, bytes, cancel, work)
}

/// Does `work` with a verifying key as bellperson wants it, with `bytes` of memory beside it.
///
/// Errors: `OutOfMemory`, and those of the work.
pub fn with_prepared_key<R: Send>(
    context: &Context,
    key: &VerifyingKey,
    bytes: u64,
    work: impl FnOnce(&PreparedVerifyingKey<Bls12>) -> Result<R> + Send,
) -> Result<R> {
    let digest = Sha256::digest(key.to_bytes()?);
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let prepare = || {
        Ok::<_, Error>(prepare_verifying_key(&bellperson::groth16::VerifyingKey {
            alpha_g1: key.alpha_g1,
            beta_g1: key.beta_g1,
            beta_g2: key.beta_g2,
            gamma_g2: key.gamma_g2,
            delta_g1: key.delta_g1,
            delta_g2: key.delta_g2,
            ic: key.ic.clone(),
        }))
    };
    let kept = Kept {
        name: "a verifying key".to_owned(),
        state: digest,
        // Tables and copies of the inputs' points, and five points with their lines.
        bytes: key.ic.len() as u64 * (TABLE * 96 + 96 + 144) + (100 << 10),
        make: Box::new(prepare),
    };
    context.with_kept(kept, bytes, &Cancel::default(), work)
}
