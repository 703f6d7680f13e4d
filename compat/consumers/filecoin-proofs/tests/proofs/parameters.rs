// SPDX-License-Identifier: MIT OR Apache-2.0
//! INSECURE development parameters and keys of each circuit of a 2 KiB sector, by this project's
//! own setup: recording a circuit of bellpepper's is all that it needs.

use std::fs::File;
use std::path::PathBuf;
use std::sync::OnceLock;

use anyhow::{Context, Result};
use bellpepper_core::Circuit;
use blstrs::Scalar;
use cuzk_prover::circuit::CompiledCircuit;
use cuzk_prover::groth16::setup::{write_parameters, SetupPaths};
use filecoin_proofs::parameters::{
    public_params, window_post_public_params, winning_post_public_params,
};
use filecoin_proofs::{DefaultPieceHasher, SectorShape2KiB};
use filecoin_proofs_api::{RegisteredPoStProof, RegisteredSealProof, RegisteredUpdateProof};
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_core::parameter_cache::{
    parameter_cache_params_path, parameter_cache_verifying_key_path, CacheableParameters,
    ParameterSetMetadata,
};
use storage_proofs_porep::stacked::StackedCompound;
use storage_proofs_post::fallback::FallbackPoStCompound;
use storage_proofs_update::{EmptySectorUpdateCompound, PublicParams};

pub const SEAL: RegisteredSealProof = RegisteredSealProof::StackedDrg2KiBV1_1;
pub const WINDOW: RegisteredPoStProof = RegisteredPoStProof::StackedDrgWindow2KiBV1_2;
pub const WINNING: RegisteredPoStProof = RegisteredPoStProof::StackedDrgWinning2KiBV1;
pub const UPDATE: RegisteredUpdateProof = RegisteredUpdateProof::StackedDrg2KiBV1;

/// Settles, once for the process, where filecoin-proofs finds parameters: in the folder
/// CUZK_TEST_PARAMETERS, or among this build's files. Makes those that are missing.
pub fn ready() {
    static DONE: OnceLock<()> = OnceLock::new();
    DONE.get_or_init(|| prepare(true).expect("parameters"));
}

/// As [`ready`], for seal proofs alone.
pub fn ready_to_seal() {
    static DONE: OnceLock<()> = OnceLock::new();
    DONE.get_or_init(|| prepare(false).expect("parameters"));
}

fn prepare(all: bool) -> Result<()> {
    let folder = match std::env::var_os("CUZK_TEST_PARAMETERS") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("parameters"),
    };
    std::env::set_var("FIL_PROOFS_PARAMETER_CACHE", &folder);
    let parents = folder.with_file_name("filecoin-parents");
    std::env::set_var("FIL_PROOFS_PARENT_CACHE", parents);
    std::env::set_var("FIL_PROOFS_VERIFY_PRODUCTION_PARAMS", "false");
    std::fs::create_dir_all(&folder)?;
    // One process at a time makes what is missing.
    let lock = File::create(folder.join("lock"))?;
    lock.lock()?;
    let seal = public_params::<SectorShape2KiB>(&SEAL.as_v1_config())?;
    type Seal = StackedCompound<SectorShape2KiB, DefaultPieceHasher>;
    make::<Seal, _, _>(&seal, Seal::blank_circuit(&seal))?;
    if !all {
        return Ok(());
    }
    let window = window_post_public_params::<SectorShape2KiB>(&WINDOW.as_v1_config())?;
    let winning = winning_post_public_params::<SectorShape2KiB>(&WINNING.as_v1_config())?;
    type Post = FallbackPoStCompound<SectorShape2KiB>;
    make::<Post, _, _>(&window, Post::blank_circuit(&window))?;
    make::<Post, _, _>(&winning, Post::blank_circuit(&winning))?;
    let update = PublicParams::from_sector_size(2048);
    type Update = EmptySectorUpdateCompound<SectorShape2KiB>;
    make::<Update, _, _>(&update, Update::blank_circuit(&update))
}

/// Makes the two files of a circuit, unless they are there.
fn make<K, C, P>(public: &P, blank: C) -> Result<()>
where
    K: CacheableParameters<C, P>,
    C: Circuit<Scalar>,
    P: ParameterSetMetadata,
{
    let id = K::cache_identifier(public);
    let params = parameter_cache_params_path(&id);
    let key = parameter_cache_verifying_key_path(&id);
    if params.exists() && key.exists() {
        return Ok(());
    }
    for path in [&params, &key] {
        if path.exists() {
            std::fs::remove_file(path)?;
        }
    }
    let circuit = CompiledCircuit::record(blank)?;
    println!("{}: {:?}", params.display(), circuit.shape());
    let paths = SetupPaths {
        params: params.clone(),
        vk: key,
        meta: None,
    };
    write_parameters(&circuit, &[0; 32], &paths, &mut |_| ())
        .with_context(|| params.display().to_string())?;
    Ok(())
}
