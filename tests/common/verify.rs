// SPDX-License-Identifier: MIT OR Apache-2.0

//! Verification of C2 proofs by filecoin-proofs' own `verify_seal`.
//!
//! How it finds its verifying key (storage-proofs-core 19.1, `parameter_cache.rs`):
//!
//! - The file is `v28-<id>.vk` in the folder `FIL_PROOFS_PARAMETER_CACHE` (otherwise
//!   `/var/tmp/filecoin-proof-parameters/`). The id is
//!   `stacked-proof-of-replication-merkletree-poseidon_hasher-<arities>-sha256_hasher-<hash>`,
//!   where the hash is SHA-256, in hex, of a text that names the number of nodes, the degrees, the
//!   layers, the challenges a partition and the tree. Neither the version of the proof nor its
//!   features enter: all kinds of one sector size share their files.
//!   `tests/vectors/parameters/names.json` lists them.
//! - Only the `.vk` is needed. Without a readable one, the key is taken from the `.params` and
//!   written to the `.vk`; with a damaged one that write fails, since the file exists.
//!   The `.meta` is never read.
//! - Digests (`parameters.json`: first 16 bytes of BLAKE2b-512) are compared only when
//!   `FIL_PROOFS_VERIFY_PRODUCTION_PARAMS` is true, which it is not unless set; then the key of a
//!   development setup is refused (with a message that no `.params` was found, if there is none).
//!   Otherwise any key in the right format is taken.
//! - The key stays in memory by sector size, so a file replaced later has no effect.

use std::path::Path;

use filecoin_proofs_api::seal::verify_seal;

use super::c1::Fixture;
use super::filecoin::use_parameters;

/// Whether filecoin-proofs accepts `proof` for the fixture's sector, under the verifying key of
/// the 2 KiB circuit in `params_dir`.
///
/// The folder is the process's first and only one (see [`use_parameters`]): one folder a test
/// program. An error is anything but a yes or no: no key, a malformed proof, another folder.
pub fn verify_seal_2kib(
    proof: &[u8],
    fixture: &Fixture,
    params_dir: &Path,
) -> Result<bool, String> {
    use_parameters(params_dir)?;
    let sector = &fixture.sector;
    if sector.sector_size != 2048 {
        return Err(format!(
            "{} has a sector of {} bytes",
            fixture.case, sector.sector_size
        ));
    }
    verify_seal(
        sector.registered_proof,
        sector.comm_r,
        sector.comm_d,
        sector.prover_id,
        sector.sector_number.into(),
        sector.ticket,
        sector.seed,
        proof,
    )
    .map_err(|e| format!("{e:#}"))
}
