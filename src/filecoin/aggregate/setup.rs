// SPDX-License-Identifier: MIT OR Apache-2.0
//! Powers for aggregation from a seed: INSECURE.
//!
//! Whoever knows the seed knows alpha and beta and can make an aggregate of nothing. Filecoin's
//! own come from two public ceremonies.

use std::path::{Path, PathBuf};

use blstrs::{G1Affine, G2Affine, Scalar};
use cuzk_prover::cpu::affine::Curve;
use cuzk_prover::cpu::fixed_base::{FixedBase, FIXED_BASE_BATCH};
use cuzk_prover::curve::hash_to_scalars;
use cuzk_prover::srs::PendingFile;
use cuzk_prover::{Error, ErrorKind, Result};
use ff::Field;
use rayon::prelude::*;

use crate::filecoin::params::aggregation_file;

/// Powers of a development file: enough for aggregates of 8,192 proofs, as many as a message to
/// the chain may have.
pub const SETUP_POWERS: usize = 2 * 8192;

/// Separates these scalars from others made of the same seed.
const DOMAIN: &[u8] = b"CUZK-INSECURE-DEVELOPMENT-SNARKPACK-V1";

/// Makes the INSECURE file for aggregation (5 MB) in a folder, which is made if it is not there;
/// the same seed makes the same file. Works on rayon's current pool.
///
/// Errors: `InvalidArgument` when there is one, `Io`.
pub fn insecure_aggregation_setup(seed: &[u8; 32], folder: &Path) -> Result<PathBuf> {
    std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, "creating", &e))?;
    let path = aggregation_file(folder);
    write_insecure_powers(seed, &path, SETUP_POWERS)?;
    Ok(path)
}

/// Writes an INSECURE file with the first `powers` powers of alpha and beta, which are
/// `hash_to_field` of RFC 9380 with `expand_message_xmd` over SHA-256, L = 48, the domain
/// `CUZK-INSECURE-DEVELOPMENT-SNARKPACK-V1` and the seed as the message.
///
/// Errors: `InvalidArgument` when the file exists or a count has more than 32 bits, `Io`.
pub fn write_insecure_powers(seed: &[u8; 32], path: &Path, powers: usize) -> Result<()> {
    let count = u32::try_from(powers).map_err(|_| {
        Error::new(
            ErrorKind::InvalidArgument,
            format!("{powers} powers, a file counts {}", u32::MAX),
        )
    })?;
    let secrets: [Scalar; 2] = hash_to_scalars(seed, DOMAIN);
    let exponents = secrets.map(|secret| {
        std::iter::successors(Some(Scalar::ONE), |power| Some(power * secret))
            .take(powers)
            .collect::<Vec<_>>()
    });
    let mut file = PendingFile::create(path)?;
    let mut write = |points: Vec<u8>| {
        file.write(&count.to_be_bytes())?;
        file.write(&points)
    };
    for exponents in &exponents {
        write(multiples::<G1Affine>(exponents))?;
    }
    for exponents in &exponents {
        write(multiples::<G2Affine>(exponents))?;
    }
    file.keep()
}

/// The generator's multiples, compressed.
fn multiples<C: Curve>(scalars: &[Scalar]) -> Vec<u8> {
    let generator = FixedBase::new(C::generator(), scalars.len());
    let batches: Vec<Vec<u8>> = scalars
        .par_chunks(FIXED_BASE_BATCH)
        .map(|scalars| {
            let points = generator.multiples(scalars);
            points
                .iter()
                .flat_map(|point| point.to_bytes().as_ref().to_vec())
                .collect()
        })
        .collect();
    batches.concat()
}
