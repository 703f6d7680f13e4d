// SPDX-License-Identifier: MIT OR Apache-2.0

//! The files in `tests/vectors` are what their README says. `CUZK_BLESS=1` writes them anew.

mod common;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use common::c1::{base64, c1_path, sector_path, vectors, Fixture, Sector, CASES};
use common::seal::{prover_id, seal};
use filecoin_proofs::constants::DefaultTreeHasher;
use filecoin_proofs_api::seal::{SealCommitPhase1Output, VanillaSealProof};
use filecoin_proofs_api::{get_parameter_data, get_verifying_key_data, RegisteredSealProof};
use storage_proofs_porep::stacked::generate_replica_id;

#[test]
fn sealing_again_gives_the_same_bytes() {
    for sealed in sealed_again() {
        let case = sealed.case;
        let kept = Fixture::load(case);
        assert!(
            kept.c1 == sealed.c1,
            "{case}: the C1 output differs from the one kept"
        );
        assert_eq!(kept.sector, sealed.sector, "{case}");
    }
}

#[test]
fn a_sector_file_says_what_its_c1_output_says() {
    if bless() {
        sealed_again();
    }
    for case in CASES {
        let Fixture { c1, sector, .. } = Fixture::load(case);
        let output: SealCommitPhase1Output = serde_json::from_slice(&c1).unwrap();
        let VanillaSealProof::StackedDrg2KiBV1(partitions) = &output.vanilla_proofs else {
            panic!("{case}: not a sector of 2 KiB");
        };
        for partition in partitions {
            assert_eq!(partition.len(), sector.challenges_per_partition, "{case}");
        }
        let expected = Sector {
            registered_proof: output.registered_proof,
            sector_size: output.registered_proof.sector_size().0,
            sector_number: sector.sector_number,
            actor_id: sector.actor_id,
            prover_id: prover_id(sector.actor_id),
            partitions: usize::from(output.registered_proof.partitions()),
            challenges_per_partition: 2,
            ticket: output.ticket,
            seed: output.seed,
            comm_r: output.comm_r,
            comm_d: output.comm_d,
            replica_id: output.replica_id.into(),
        };
        assert_eq!(sector, expected, "{case}");
        assert_eq!(partitions.len(), sector.partitions, "{case}");

        // The output names neither prover nor sector; its replica id depends on both.
        let replica_id = generate_replica_id::<DefaultTreeHasher, _>(
            &sector.prover_id,
            sector.sector_number,
            &sector.ticket,
            sector.comm_d,
            &sector.registered_proof.as_v1_config().porep_id,
        );
        assert_eq!(replica_id, output.replica_id, "{case}");
    }
}

#[test]
fn prover_ids_are_leb128() {
    let prefix = |actor_id| {
        let id = prover_id(actor_id);
        let len = 32 - id.iter().rev().take_while(|b| **b == 0).count();
        id[..len].to_vec()
    };
    assert_eq!(prefix(0), [0; 0]);
    assert_eq!(prefix(127), [0x7f]);
    assert_eq!(prefix(128), [0x80, 0x01]);
    assert_eq!(prefix(1000), [0xe8, 0x07]);
    assert_eq!(prefix(624_485), [0xe5, 0x8e, 0x26]);
    assert_eq!(
        prefix(u64::MAX),
        [255, 255, 255, 255, 255, 255, 255, 255, 255, 1]
    );
}

#[test]
fn base64_gives_the_answers_of_rfc_4648() {
    let answers = [
        ("", ""),
        ("f", "Zg=="),
        ("fo", "Zm8="),
        ("foo", "Zm9v"),
        ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ];
    for (plain, encoded) in answers {
        assert_eq!(base64(plain.as_bytes()), encoded);
    }
}

#[test]
fn parameter_names_are_those_of_filecoin_proofs() {
    #[derive(Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
    struct Files {
        number: usize,
        /// Name of the files without their extension.
        stem: String,
        /// Digests of the production files.
        params_digest: String,
        vk_digest: String,
    }

    let names: BTreeMap<String, Files> = REGISTERED_PROOFS
        .iter()
        .enumerate()
        .map(|(number, proof)| {
            let id = proof.circuit_identifier().unwrap();
            let files = Files {
                number,
                stem: format!("v28-{id}"),
                params_digest: get_parameter_data(&id).unwrap().digest.clone(),
                vk_digest: get_verifying_key_data(&id).unwrap().digest.clone(),
            };
            (format!("{proof:?}"), files)
        })
        .collect();

    let path = vectors().join("parameters/names.json");
    if bless() {
        let text = serde_json::to_string_pretty(&names).unwrap() + "\n";
        std::fs::write(&path, text).unwrap();
    }
    let kept: BTreeMap<String, Files> =
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!(kept, names);
}

/// In the order of their numbers, 0 to 19.
const REGISTERED_PROOFS: [RegisteredSealProof; 20] = {
    use RegisteredSealProof::*;
    [
        StackedDrg2KiBV1,
        StackedDrg8MiBV1,
        StackedDrg512MiBV1,
        StackedDrg32GiBV1,
        StackedDrg64GiBV1,
        StackedDrg2KiBV1_1,
        StackedDrg8MiBV1_1,
        StackedDrg512MiBV1_1,
        StackedDrg32GiBV1_1,
        StackedDrg64GiBV1_1,
        StackedDrg2KiBV1_1_Feat_SyntheticPoRep,
        StackedDrg8MiBV1_1_Feat_SyntheticPoRep,
        StackedDrg512MiBV1_1_Feat_SyntheticPoRep,
        StackedDrg32GiBV1_1_Feat_SyntheticPoRep,
        StackedDrg64GiBV1_1_Feat_SyntheticPoRep,
        StackedDrg2KiBV1_2_Feat_NonInteractivePoRep,
        StackedDrg8MiBV1_2_Feat_NonInteractivePoRep,
        StackedDrg512MiBV1_2_Feat_NonInteractivePoRep,
        StackedDrg32GiBV1_2_Feat_NonInteractivePoRep,
        StackedDrg64GiBV1_2_Feat_NonInteractivePoRep,
    ]
};

/// Seals every case, once in this process; when blessing, these become the fixtures.
fn sealed_again() -> &'static [Fixture] {
    static SEALED: OnceLock<Vec<Fixture>> = OnceLock::new();
    SEALED.get_or_init(|| {
        let sealed: Vec<Fixture> = CASES.iter().map(|case| seal(case)).collect();
        if bless() {
            for Fixture { case, c1, sector } in &sealed {
                let sector = serde_json::to_string_pretty(sector).unwrap() + "\n";
                std::fs::write(c1_path(case), c1).unwrap();
                std::fs::write(sector_path(case), sector).unwrap();
            }
        }
        sealed
    })
}

fn bless() -> bool {
    std::env::var_os("CUZK_BLESS").is_some_and(|v| v == "1")
}
