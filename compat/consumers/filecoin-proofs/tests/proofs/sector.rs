// SPDX-License-Identifier: MIT OR Apache-2.0
//! A sector of 2 KiB, really sealed.

use std::fs::{create_dir, File};
use std::path::PathBuf;

use anyhow::Result;
use filecoin_proofs_api::seal::{
    add_piece, seal_commit_phase1, seal_pre_commit_phase1, seal_pre_commit_phase2,
    SealCommitPhase1Output,
};
use filecoin_proofs_api::{Commitment, PieceInfo, SectorId, UnpaddedBytesAmount};
use tempfile::TempDir;

use crate::parameters::SEAL;

pub const PROVER: [u8; 32] = {
    let mut id = [0; 32];
    (id[0], id[1]) = (0xe8, 0x07);
    id
};
pub const TICKET: [u8; 32] = [1; 32];
pub const SEED: [u8; 32] = [2; 32];

pub struct Sector {
    folder: TempDir,
    pub number: SectorId,
    pub comm_r: Commitment,
    pub comm_d: Commitment,
    pieces: Vec<PieceInfo>,
}

/// Bytes that fill a sector, as its owner counts them.
fn data(number: u64) -> Vec<u8> {
    (0..2032)
        .map(|i| (i as u64 * (number + 3) % 251) as u8)
        .collect()
}

impl Sector {
    /// Seals data that depend on the number.
    pub fn seal(number: u64) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let path = |name: &str| folder.path().join(name);
        create_dir(path("cache"))?;
        File::create(path("replica"))?;
        let (pieces, staged) = stage(path("staged"), number)?;
        let phase1 = seal_pre_commit_phase1(
            SEAL,
            path("cache"),
            staged,
            path("replica"),
            PROVER,
            number.into(),
            TICKET,
            &pieces,
        )?;
        let sealed = seal_pre_commit_phase2(phase1, path("cache"), path("replica"))?;
        Ok(Self {
            number: number.into(),
            comm_r: sealed.comm_r,
            comm_d: sealed.comm_d,
            pieces,
            folder,
        })
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Stages other data for an update; the file and its pieces.
    pub fn stage_update(&self) -> Result<(Vec<PieceInfo>, PathBuf)> {
        stage(self.path("new-data"), u64::from(self.number) + 1000)
    }

    pub fn commit_phase1(&self) -> Result<SealCommitPhase1Output> {
        let sealed = filecoin_proofs_api::seal::SealPreCommitPhase2Output {
            registered_proof: SEAL,
            comm_r: self.comm_r,
            comm_d: self.comm_d,
        };
        seal_commit_phase1(
            self.path("cache"),
            self.path("replica"),
            PROVER,
            self.number,
            TICKET,
            SEED,
            sealed,
            &self.pieces,
        )
    }
}

fn stage(path: PathBuf, number: u64) -> Result<(Vec<PieceInfo>, PathBuf)> {
    let data = data(number);
    let size = UnpaddedBytesAmount(data.len() as u64);
    let file = File::create_new(&path)?;
    let (piece, _) = add_piece(SEAL, &data[..], &file, size, &[])?;
    Ok((vec![piece], path))
}
