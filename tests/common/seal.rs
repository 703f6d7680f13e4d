// SPDX-License-Identifier: MIT OR Apache-2.0

//! Makes the C1 fixtures: really seals a small sector with filecoin-proofs-api, from inputs that
//! are fixed, so that the same bytes come out every time.

use std::path::Path;

use filecoin_proofs_api::seal::{
    add_piece, clear_cache, generate_synth_proofs, seal_commit_phase1, seal_pre_commit_phase1,
    seal_pre_commit_phase2, VanillaSealProof,
};
use filecoin_proofs_api::{ApiFeature, RegisteredSealProof, UnpaddedBytesAmount};

use super::c1::{Fixture, Sector, NON_INTERACTIVE, SYNTHETIC, V1, V1_1};
use super::filecoin::{scratch, use_parameters};

/// The fixed choices behind a case.
struct Recipe {
    case: &'static str,
    registered_proof: RegisteredSealProof,
    sector_number: u64,
    actor_id: u64,
    /// Start of the pseudo-random bytes: first the data, then the ticket, then the seed.
    start: u64,
}

/// Actor ids of one, two and four bytes; a sector number above 2^32.
const RECIPES: [Recipe; 4] = [
    Recipe {
        case: V1,
        registered_proof: RegisteredSealProof::StackedDrg2KiBV1,
        sector_number: 1,
        actor_id: 127,
        start: 1,
    },
    Recipe {
        case: V1_1,
        registered_proof: RegisteredSealProof::StackedDrg2KiBV1_1,
        sector_number: 42,
        actor_id: 1000,
        start: 2,
    },
    Recipe {
        case: SYNTHETIC,
        registered_proof: RegisteredSealProof::StackedDrg2KiBV1_1_Feat_SyntheticPoRep,
        sector_number: (1 << 32) + 5,
        actor_id: 3_000_000,
        start: 3,
    },
    Recipe {
        case: NON_INTERACTIVE,
        registered_proof: RegisteredSealProof::StackedDrg2KiBV1_2_Feat_NonInteractivePoRep,
        sector_number: 7,
        actor_id: 1001,
        start: 4,
    },
];

/// Seals the sector of a case and returns its C1 output.
pub fn seal(case: &str) -> Fixture {
    use_parameters(&scratch().join("no-parameters")).expect("settings of filecoin-proofs");
    let recipe = RECIPES
        .iter()
        .find(|r| r.case == case)
        .expect("a known case");
    let folder = tempfile::tempdir().expect("a temporary folder");
    seal_in(folder.path(), recipe).unwrap_or_else(|e| panic!("sealing {case}: {e:#}"))
}

fn seal_in(folder: &Path, recipe: &Recipe) -> anyhow::Result<Fixture> {
    let registered_proof = recipe.registered_proof;
    let sector_size = registered_proof.sector_size().0;
    let sector_id = recipe.sector_number.into();
    let prover_id = prover_id(recipe.actor_id);

    let data_size = UnpaddedBytesAmount(sector_size / 128 * 127);
    let mut bytes = SplitMix64(recipe.start);
    let data = bytes.take(data_size.0 as usize);
    let ticket: [u8; 32] = bytes.take(32).try_into().expect("32 bytes");
    let seed: [u8; 32] = bytes.take(32).try_into().expect("32 bytes");

    let cache = folder.join("cache");
    let staged = folder.join("staged");
    let replica = folder.join("replica");
    std::fs::create_dir(&cache)?;
    std::fs::File::create(&replica)?;
    let staged_file = std::fs::File::create_new(&staged)?;
    let (piece, _) = add_piece(registered_proof, &data[..], &staged_file, data_size, &[])?;
    let pieces = [piece];

    let phase1 = seal_pre_commit_phase1(
        registered_proof,
        &cache,
        &staged,
        &replica,
        prover_id,
        sector_id,
        ticket,
        &pieces,
    )?;
    let pre_commit = seal_pre_commit_phase2(phase1, &cache, &replica)?;
    if registered_proof.feature_enabled(ApiFeature::SyntheticPoRep) {
        let pre_commit = pre_commit.clone();
        generate_synth_proofs(
            &cache, &replica, prover_id, sector_id, ticket, pre_commit, &pieces,
        )?;
        // As a storage provider does: C1 then has only the stored synthetic proofs to choose from.
        clear_cache(&cache)?;
    }
    let output = seal_commit_phase1(
        &cache, &replica, prover_id, sector_id, ticket, seed, pre_commit, &pieces,
    )?;

    let VanillaSealProof::StackedDrg2KiBV1(partitions) = &output.vanilla_proofs else {
        anyhow::bail!("vanilla proofs of another sector size than 2 KiB");
    };
    let sector = Sector {
        registered_proof,
        sector_size,
        sector_number: recipe.sector_number,
        actor_id: recipe.actor_id,
        prover_id,
        partitions: partitions.len(),
        challenges_per_partition: partitions[0].len(),
        ticket,
        seed,
        comm_r: output.comm_r,
        comm_d: output.comm_d,
        replica_id: output.replica_id.into(),
    };
    Ok(Fixture {
        case: recipe.case,
        c1: serde_json::to_vec(&output)?,
        sector,
    })
}

/// The prover id of a Filecoin actor: its id as unsigned LEB128, followed by zeros.
pub fn prover_id(actor_id: u64) -> [u8; 32] {
    let mut prover_id = [0; 32];
    let mut rest = actor_id;
    for byte in &mut prover_id {
        *byte = (rest & 0x7f) as u8;
        rest >>= 7;
        if rest == 0 {
            break;
        }
        *byte |= 0x80;
    }
    prover_id
}

/// Steele, Lea and Flood's generator: eight bytes a step, little-endian, easy to write anywhere.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// The next `n` bytes, a multiple of eight.
    fn take(&mut self, n: usize) -> Vec<u8> {
        (0..n / 8).flat_map(|_| self.next().to_le_bytes()).collect()
    }
}
