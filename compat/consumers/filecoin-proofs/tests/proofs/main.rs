// SPDX-License-Identifier: MIT OR Apache-2.0
//! filecoin-proofs with `cuda-supraseal`, unchanged, proves on cuzk: seals, Window and Winning
//! PoSt, and sector updates, each verified by filecoin-proofs.

mod parameters;
mod sector;

use std::collections::BTreeMap;
use std::fs::{create_dir, File};
use std::time::Instant;

use anyhow::Result;
use filecoin_proofs_api::post::{
    generate_window_post, generate_winning_post, generate_winning_post_sector_challenge,
    verify_window_post, verify_winning_post,
};
use filecoin_proofs_api::seal::{seal_commit_phase2, verify_seal};
use filecoin_proofs_api::update::{
    empty_sector_update_encode_into, generate_empty_sector_update_proof,
    verify_empty_sector_update_proof,
};
use filecoin_proofs_api::{PrivateReplicaInfo, PublicReplicaInfo, RegisteredPoStProof};
use parameters::{ready, ready_to_seal, SEAL, UPDATE, WINDOW, WINNING};
use sector::{Sector, PROVER, SEED, TICKET};

/// Below the modulus, as filecoin-proofs wants it.
const RANDOMNESS: [u8; 32] = [9; 32];

type Private = BTreeMap<filecoin_proofs_api::SectorId, PrivateReplicaInfo>;
type Public = BTreeMap<filecoin_proofs_api::SectorId, PublicReplicaInfo>;

/// Sectors as a PoSt takes them, and as its verifier does.
fn replicas(sectors: &[Sector], proof: RegisteredPoStProof) -> (Private, Public) {
    let private = sectors.iter().map(|sector| {
        let (cache, replica) = (sector.path("cache"), sector.path("replica"));
        let info = PrivateReplicaInfo::new(proof, sector.comm_r, cache, replica);
        (sector.number, info)
    });
    let public = sectors
        .iter()
        .map(|sector| (sector.number, PublicReplicaInfo::new(proof, sector.comm_r)));
    (private.collect(), public.collect())
}

#[test]
fn a_sector_s_commit_phase_2_is_proved_and_verified() -> Result<()> {
    ready();
    let sector = Sector::seal(42)?;
    let output = seal_commit_phase2(sector.commit_phase1()?, PROVER, sector.number)?;
    let verify = |proof: &[u8]| {
        let (comm_r, comm_d) = (sector.comm_r, sector.comm_d);
        verify_seal(
            SEAL,
            comm_r,
            comm_d,
            PROVER,
            sector.number,
            TICKET,
            SEED,
            proof,
        )
    };
    assert!(verify(&output.proof)?);
    let mut wrong = output.proof.clone();
    wrong.copy_within(0..48, 144);
    assert!(!verify(&wrong).unwrap_or(false));
    Ok(())
}

#[test]
fn a_window_post_is_proved_and_verified() -> Result<()> {
    ready();
    // Two sectors a partition: the second partition of three sectors is padded.
    let sectors = (1..=3).map(Sector::seal).collect::<Result<Vec<_>>>()?;
    let (private, public) = replicas(&sectors, WINDOW);
    let proofs = generate_window_post(&RANDOMNESS, &private, PROVER)?;
    let verify = |randomness: &[u8; 32]| {
        let proofs: Vec<_> = proofs
            .iter()
            .map(|(kind, proof)| (*kind, &proof[..]))
            .collect();
        verify_window_post(randomness, &proofs, &public, PROVER)
    };
    assert!(verify(&RANDOMNESS)?);
    assert!(!verify(&[8; 32])?);
    Ok(())
}

#[test]
fn a_winning_post_is_proved_and_verified() -> Result<()> {
    ready();
    let sectors = [Sector::seal(7)?];
    let (private, public) = replicas(&sectors, WINNING);
    let chosen = generate_winning_post_sector_challenge(WINNING, &RANDOMNESS, 1, PROVER)?;
    assert_eq!(chosen, [0]);
    let proofs = generate_winning_post(&RANDOMNESS, &private, PROVER)?;
    assert!(verify_winning_post(
        &RANDOMNESS,
        &proofs[0].1,
        &public,
        PROVER
    )?);
    assert!(!verify_winning_post(
        &[8; 32],
        &proofs[0].1,
        &public,
        PROVER
    )?);
    Ok(())
}

#[test]
fn a_sector_update_is_proved_and_verified() -> Result<()> {
    ready();
    let sector = Sector::seal(5)?;
    let (pieces, staged) = sector.stage_update()?;
    let (new_cache, new_replica) = (sector.path("new-cache"), sector.path("new-replica"));
    create_dir(&new_cache)?;
    // The encoder wants a file of the replica's size there.
    File::create(&new_replica)?.set_len(2048)?;
    let new = empty_sector_update_encode_into(
        UPDATE,
        &new_replica,
        &new_cache,
        sector.path("replica"),
        sector.path("cache"),
        staged,
        &pieces,
    )?;
    let proof = generate_empty_sector_update_proof(
        UPDATE,
        sector.comm_r,
        new.comm_r_new,
        new.comm_d_new,
        sector.path("replica"),
        sector.path("cache"),
        &new_replica,
        &new_cache,
    )?;
    let verify = |comm_d_new| {
        let (old, new) = (sector.comm_r, new.comm_r_new);
        verify_empty_sector_update_proof(UPDATE, &proof.0, old, new, comm_d_new)
    };
    assert!(verify(new.comm_d_new)?);
    assert!(!verify(sector.comm_d)?);
    Ok(())
}

/// A measurement: run with --ignored --nocapture.
#[test]
#[ignore = "a measurement"]
fn commit_phase_2_takes() -> Result<()> {
    ready_to_seal();
    let sector = Sector::seal(42)?;
    for round in 0..4 {
        let phase1 = sector.commit_phase1()?;
        let start = Instant::now();
        seal_commit_phase2(phase1, PROVER, sector.number)?;
        let time = start.elapsed().as_secs_f64() * 1e3;
        // The first loads the parameters.
        if round > 0 {
            println!("{} 2KiB-C2 1 {time:.2}", env!("CARGO_PKG_NAME"));
        }
    }
    Ok(())
}
