// SPDX-License-Identifier: MIT OR Apache-2.0

//! The C1 outputs in `tests/vectors/c1`: the exact bytes, and what a caller of C2 knows besides.

use std::path::{Path, PathBuf};

use filecoin_proofs_api::RegisteredSealProof;
use serde::{Deserialize, Serialize};

/// Names of all cases, interactive proofs first.
pub const CASES: [&str; 4] = [V1, V1_1, SYNTHETIC, NON_INTERACTIVE];
/// The cases whose C2 output is one Groth16 proof a partition; the other one is aggregated.
pub const INTERACTIVE: [&str; 3] = [V1, V1_1, SYNTHETIC];

pub const V1: &str = "2kib-v1";
pub const V1_1: &str = "2kib-v1_1";
pub const SYNTHETIC: &str = "2kib-v1_1-synthetic";
pub const NON_INTERACTIVE: &str = "2kib-v1_2-non-interactive";

/// The sector behind a C1 output, as `<case>.sector.json` keeps it: byte strings are hex.
///
/// All but the first five fields can be read from the C1 output too; they are written out so that
/// a reader of that output has something to be compared with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sector {
    pub registered_proof: RegisteredSealProof,
    /// Bytes of the sector, padding included.
    pub sector_size: u64,
    pub sector_number: u64,
    pub actor_id: u64,
    /// The actor id as unsigned LEB128, followed by zeros.
    #[serde(with = "hex::serde")]
    pub prover_id: [u8; 32],
    pub partitions: usize,
    pub challenges_per_partition: usize,
    #[serde(with = "hex::serde")]
    pub ticket: [u8; 32],
    #[serde(with = "hex::serde")]
    pub seed: [u8; 32],
    #[serde(with = "hex::serde")]
    pub comm_r: [u8; 32],
    #[serde(with = "hex::serde")]
    pub comm_d: [u8; 32],
    #[serde(with = "hex::serde")]
    pub replica_id: [u8; 32],
}

/// One case: a C1 output and its sector.
#[derive(Clone, Debug)]
pub struct Fixture {
    pub case: &'static str,
    /// `SealCommitPhase1Output` of filecoin-proofs-api, as serde_json writes it.
    pub c1: Vec<u8>,
    pub sector: Sector,
}

impl Fixture {
    /// Reads one of [`CASES`].
    pub fn load(case: &'static str) -> Fixture {
        let c1 = read(&c1_path(case));
        let sector = serde_json::from_slice(&read(&sector_path(case)))
            .unwrap_or_else(|e| panic!("{}: {e}", sector_path(case).display()));
        Fixture { case, c1, sector }
    }

    /// The same C1 output in the form that benchmarks pass around: base64 inside a JSON object.
    pub fn wrapped(&self) -> Vec<u8> {
        format!(
            r#"{{"SectorNum":{},"Phase1Out":"{}","SectorSize":{}}}"#,
            self.sector.sector_number,
            base64(&self.c1),
            self.sector.sector_size
        )
        .into_bytes()
    }
}

pub fn c1_path(case: &str) -> PathBuf {
    vectors().join("c1").join(format!("{case}.json"))
}

pub fn sector_path(case: &str) -> PathBuf {
    vectors().join("c1").join(format!("{case}.sector.json"))
}

/// The folder of all vectors.
pub fn vectors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors")
}

/// Base64 with the standard alphabet and padding (RFC 4648, section 4).
pub fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let mut padded = [0; 4];
        padded[1..=group.len()].copy_from_slice(group);
        let bits = u32::from_be_bytes(padded);
        for digit in 0..4 {
            text.push(if digit <= group.len() {
                ALPHABET[(bits >> (18 - 6 * digit)) as usize & 63] as char
            } else {
                '='
            });
        }
    }
    text
}

fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}
