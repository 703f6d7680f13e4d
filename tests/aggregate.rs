// SPDX-License-Identifier: MIT OR Apache-2.0

//! Aggregates against filecoin-proofs' own aggregation and verification, over proofs by the
//! trapdoor. `tests/non_interactive.rs` aggregates real ones.

mod common;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use bellperson::groth16::aggregate::GenericSRS;
use blstrs::{Bls12, G1Projective, G2Projective, Scalar};
use common::c1::{Fixture, NON_INTERACTIVE};
use common::filecoin::use_parameters;
use common::trapdoor::Trapdoor;
use common::verify::verify_seal_2kib;
use cuzk::filecoin::aggregate::{
    aggregate, largest_aggregate, verify_aggregate, write_insecure_powers,
};
use cuzk::filecoin::c2::{self, Request, Statement};
use cuzk::filecoin::params::aggregation_file;
use cuzk::filecoin::{Aggregation, SealProof, SectorSize, Variant};
use cuzk::{Error, ErrorKind, Result};
use cuzk_prover::backend::BackendChoice;
use cuzk_prover::curve::hash_to_scalars;
use cuzk_prover::schedule::{Context, Options};
use ff::Field;
use filecoin_proofs_api::seal::{
    aggregate_seal_commit_proofs, get_seal_inputs, verify_aggregate_seal_commit_proofs,
    SealCommitPhase2Output,
};
use filecoin_proofs_api::{RegisteredAggregationProof, RegisteredSealProof};
use group::{Curve, Group};

const BOTH: [Aggregation; 2] = [Aggregation::SnarkPackV1, Aggregation::SnarkPackV2];

/// A folder with the trapdoor's verifying key and powers for 32 proofs, the only one of this
/// process that filecoin-proofs reads.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap().keep();
        Trapdoor::new().write_verifying_key(&folder);
        write_insecure_powers(&[3; 32], &aggregation_file(&folder), 64).unwrap();
        use_parameters(&folder).unwrap();
        folder
    })
}

fn context_on(folder: &Path, self_verification: bool) -> Context {
    Context::new(Options {
        backend: Some(BackendChoice::Cpu),
        parameter_folder: Some(folder.to_owned()),
        self_verification,
        ..Options::default()
    })
    .unwrap()
}

fn context() -> &'static Context {
    static CONTEXT: OnceLock<Context> = OnceLock::new();
    CONTEXT.get_or_init(|| context_on(folder(), true))
}

/// A made-up sector of a kind; statements need no sealing.
fn sector(variant: Variant, number: u8) -> Statement {
    let node = |start: u8| std::array::from_fn(|i| start.wrapping_add(i as u8) & 0x3f);
    Statement {
        proof: SealProof::new(variant, SectorSize::Kib2),
        comm_r: node(number),
        comm_d: node(number.wrapping_add(9)),
        prover_id: [number; 32],
        sector_number: 1000 + u64::from(number),
        ticket: node(number.wrapping_add(50)),
        seed: node(number.wrapping_add(77)),
    }
}

fn sectors(variant: Variant, count: u8) -> Vec<Statement> {
    (1..=count).map(|number| sector(variant, number)).collect()
}

/// The proofs of all partitions of a sector.
fn proofs_of(statement: &Statement) -> Vec<u8> {
    let inputs = statement.public_inputs().unwrap();
    let salted = inputs.iter().zip(statement.sector_number..);
    salted
        .flat_map(|(inputs, salt)| Trapdoor::new().proof_bytes(inputs, salt))
        .collect()
}

fn proofs_of_all(statements: &[Statement]) -> Vec<u8> {
    statements.iter().flat_map(proofs_of).collect()
}

fn registered(proof: SealProof) -> RegisteredSealProof {
    serde_json::from_value(proof.name().into()).unwrap()
}

fn registered_aggregation(aggregation: Aggregation) -> RegisteredAggregationProof {
    match aggregation {
        Aggregation::SnarkPackV1 => RegisteredAggregationProof::SnarkPackV1,
        Aggregation::SnarkPackV2 => RegisteredAggregationProof::SnarkPackV2,
    }
}

/// filecoin-proofs' aggregate of the same proofs.
fn peer_aggregate(aggregation: Aggregation, statements: &[Statement]) -> Vec<u8> {
    let outputs: Vec<_> = statements
        .iter()
        .map(|statement| SealCommitPhase2Output {
            proof: proofs_of(statement),
        })
        .collect();
    aggregate_seal_commit_proofs(
        registered(statements[0].proof),
        registered_aggregation(aggregation),
        &statements.iter().map(|s| s.comm_r).collect::<Vec<_>>(),
        &statements.iter().map(|s| s.seed).collect::<Vec<_>>(),
        &outputs,
    )
    .unwrap()
}

/// What filecoin-proofs says of an aggregate.
fn peer_verify(
    aggregation: Aggregation,
    statements: &[Statement],
    bytes: &[u8],
) -> std::result::Result<bool, String> {
    let inputs = statements.iter().flat_map(|statement| {
        get_seal_inputs(
            registered(statement.proof),
            statement.comm_r,
            statement.comm_d,
            statement.prover_id,
            statement.sector_number.into(),
            statement.ticket,
            statement.seed,
        )
        .unwrap()
    });
    verify_aggregate_seal_commit_proofs(
        registered(statements[0].proof),
        registered_aggregation(aggregation),
        bytes.to_vec(),
        &statements.iter().map(|s| s.comm_r).collect::<Vec<_>>(),
        &statements.iter().map(|s| s.seed).collect::<Vec<_>>(),
        inputs.collect(),
    )
    .map_err(|error| format!("{error:#}"))
}

#[test]
fn aggregates_are_those_of_filecoin_proofs() {
    folder();
    for (variant, counts) in [
        (Variant::V1, &[1, 2][..]),
        (Variant::V1_1, &[3, 4, 5]),
        (Variant::NonInteractive, &[1, 2]),
    ] {
        for &count in counts {
            for aggregation in BOTH {
                let statements = sectors(variant, count);
                let proofs = proofs_of_all(&statements);
                let ours = aggregate(context(), aggregation, &statements, &proofs).unwrap();
                let case = format!("{count} sectors of {variant:?} by {aggregation:?}");
                assert!(ours == peer_aggregate(aggregation, &statements), "{case}");
                assert_eq!(
                    peer_verify(aggregation, &statements, &ours),
                    Ok(true),
                    "{case}"
                );
                let valid = verify_aggregate(context(), aggregation, &statements, &ours);
                assert!(valid.unwrap(), "{case}");
            }
        }
    }
}

#[test]
fn aggregates_of_anything_else_are_not_valid_here_and_there() {
    folder();
    let right = sectors(Variant::V1_1, 3);
    let version = Aggregation::SnarkPackV2;
    let bytes = aggregate(context(), version, &right, &proofs_of_all(&right)).unwrap();
    let refused = |aggregation, statements: &[Statement], bytes: &[u8], what: &str| {
        let ours = verify_aggregate(context(), aggregation, statements, bytes);
        assert!(!ours.unwrap(), "{what}");
        // An error where filecoin-proofs cannot read it.
        let theirs = peer_verify(aggregation, statements, bytes);
        assert!(theirs != Ok(true), "{what}");
    };
    refused(
        Aggregation::SnarkPackV1,
        &right,
        &bytes,
        "the other version",
    );
    let mut swapped = right.clone();
    swapped.swap(0, 1);
    refused(version, &swapped, &bytes, "another order");
    type Change = fn(&mut Statement);
    let changes: [(&str, Change); 6] = [
        ("prover", |s| s.prover_id[0] ^= 1),
        ("sector", |s| s.sector_number += 1),
        ("ticket", |s| s.ticket[31] ^= 1),
        ("seed", |s| s.seed[0] ^= 1),
        ("comm_r", |s| s.comm_r[0] ^= 1),
        ("comm_d", |s| s.comm_d[0] ^= 1),
    ];
    for (what, change) in changes {
        let mut wrong = right.clone();
        change(&mut wrong[1]);
        refused(version, &wrong, &bytes, what);
    }
    // The fourth proof is the third once more: a sector of its own it is not.
    refused(
        version,
        &sectors(Variant::V1_1, 4),
        &bytes,
        "a fourth sector",
    );
    for bit in (0..bytes.len() * 8).step_by(6007) {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        refused(version, &right, &flipped, &format!("bit {bit} flipped"));
    }
    refused(version, &right, &vec![0; bytes.len()], "zeros");
    refused(version, &right, &vec![0xff; bytes.len()], "ones");
    // Where the number of proofs is written.
    let at = 5 * 288 + 48;
    assert_eq!(bytes[at..at + 4], 4u32.to_le_bytes());
    for number in [0, 1, 2, 3, 8, 1 << 20, u32::MAX] {
        let mut changed = bytes.clone();
        changed[at..at + 4].copy_from_slice(&number.to_le_bytes());
        let valid = verify_aggregate(context(), version, &right, &changed);
        assert!(!valid.unwrap(), "{number} proofs");
    }
}

#[test]
fn a_non_interactive_proof_is_joined_of_its_partitions() {
    folder();
    let fixture = Fixture::load(NON_INTERACTIVE);
    let of = &fixture.sector;
    let request = Request::new(&fixture.c1, &of.prover_id, of.sector_number).unwrap();
    let statement = request.statement().unwrap().clone();
    let apart = proofs_of(&statement);
    let partitions: Vec<&[u8]> = apart.chunks(192).collect();
    let joined = c2::assemble(context(), &request, &partitions).unwrap();
    assert_eq!(joined.len(), 14_164);
    assert_eq!(verify_seal_2kib(&joined, &fixture, folder()), Ok(true));
    assert!(c2::verify(context(), &statement, &joined).unwrap());
    let as_aggregate = std::slice::from_ref(&statement);
    let version = Aggregation::SnarkPackV2;
    assert!(verify_aggregate(context(), version, as_aggregate, &joined).unwrap());

    // The seed is not looked at, the rest is.
    let mut other = statement.clone();
    other.seed = [0; 32];
    assert!(c2::verify(context(), &other, &joined).unwrap());
    other.sector_number += 1;
    assert!(!c2::verify(context(), &other, &joined).unwrap());
    let error = c2::verify(context(), &statement, &joined[1..]).unwrap_err();
    assert_eq!(
        error.message(),
        "the proof has 14163 bytes, StackedDrg2KiBV1_2_Feat_NonInteractivePoRep needs 14164 \
         bytes, being an aggregate"
    );

    // The partitions one after the other, for whoever aggregates sectors.
    let apart_request = request.clone().into_circuit_proofs();
    assert!(c2::assemble(context(), &apart_request, &partitions).unwrap() == apart);

    let refused = |partitions: &[&[u8]], needed: &str| {
        let error = c2::assemble(context(), &request, partitions).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.message().contains(needed), "{error}");
    };
    refused(&partitions[1..], "12 proofs of partitions");
    let mut mixed = partitions.clone();
    mixed.swap(4, 5);
    refused(&mixed, "the proof of partition 4 is not valid");
}

fn text_of<T: std::fmt::Debug>(result: Result<T>, kind: ErrorKind) -> String {
    let error: Error = result.unwrap_err();
    assert_eq!(error.kind(), kind, "{error}");
    error.message().to_owned()
}

#[test]
fn proofs_that_are_not_valid_are_named() {
    let statements = sectors(Variant::NonInteractive, 2);
    let version = Aggregation::SnarkPackV1;
    let good = proofs_of_all(&statements);
    let refusal = |proofs: &[u8]| {
        let result = aggregate(context(), version, &statements, proofs);
        text_of(result, ErrorKind::InvalidArgument)
    };
    let mut foreign = good.clone();
    let (first, second) = foreign.split_at_mut(14 * 192);
    first[13 * 192..].copy_from_slice(&second[..192]);
    assert_eq!(
        refusal(&foreign),
        "statement 1, sector 1002, partition 0: the proof is not valid"
    );
    let mut broken = good.clone();
    broken[25 * 192] ^= 0x40;
    assert!(
        refusal(&broken).starts_with("statement 1, sector 1002, partition 12: point a"),
        "{}",
        refusal(&broken)
    );
    assert!(refusal(&good[192..]).starts_with("the proofs have 4800 bytes, 2 sectors of"));

    // Who does not want verification gets what was asked for.
    let unchecked = context_on(folder(), false);
    let bytes = aggregate(&unchecked, version, &statements, &foreign).unwrap();
    assert!(!verify_aggregate(&unchecked, version, &statements, &bytes).unwrap());

    let short = verify_aggregate(context(), version, &statements, &bytes[1..]);
    assert_eq!(
        text_of(short, ErrorKind::InvalidArgument),
        "the aggregate has 17139 bytes, that of 2 sectors of \
         StackedDrg2KiBV1_2_Feat_NonInteractivePoRep has 17140"
    );
}

#[test]
fn a_bad_file_of_powers_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = aggregation_file(folder.path());
    Trapdoor::new().write_verifying_key(folder.path());
    let context = context_on(folder.path(), true);
    let statements = sectors(Variant::V1_1, 4);
    let proofs = proofs_of_all(&statements);
    let version = Aggregation::SnarkPackV2;
    let refusal = |kind| text_of(aggregate(&context, version, &statements, &proofs), kind);
    let missing = refusal(ErrorKind::ParametersNotFound);
    assert!(missing.ends_with("cuzk setup --aggregation"), "{missing}");
    // Before any proving: a request for a non-interactive proof finds it out too.
    let fixture = Fixture::load(NON_INTERACTIVE);
    let of = &fixture.sector;
    let request = Request::new(&fixture.c1, &of.prover_id, of.sector_number).unwrap();
    let early = c2::prove(&context, &request, &Default::default());
    assert!(text_of(early, ErrorKind::ParametersNotFound).contains("inner-product"));
    let warm = c2::warm_up(&context, request.proof(), &Default::default());
    assert!(text_of(warm, ErrorKind::ParametersNotFound).contains("inner-product"));

    write_insecure_powers(&[3; 32], &path, 3).unwrap();
    let few = text_of(largest_aggregate(folder.path()), ErrorKind::InvalidSrs);
    assert!(
        few.ends_with("3 powers, an aggregate of 2 proofs needs 4"),
        "{few}"
    );
    std::fs::remove_file(&path).unwrap();
    write_insecure_powers(&[3; 32], &path, 7).unwrap();
    assert_eq!(largest_aggregate(folder.path()).unwrap(), 2);
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes.len(), 4 * 4 + 7 * (2 * 48 + 2 * 96));
    assert_eq!(
        refusal(ErrorKind::InvalidSrs),
        format!(
            "{}: alpha in G1 has 7 powers, an aggregate of 4 proofs needs 8",
            path.display()
        )
    );
    let error = write_insecure_powers(&[3; 32], &path, 7).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);

    std::fs::remove_file(&path).unwrap();
    write_insecure_powers(&[3; 32], &path, 8).unwrap();
    assert_eq!(largest_aggregate(folder.path()).unwrap(), 4);
    let good = std::fs::read(&path).unwrap();
    let with = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        refusal(ErrorKind::InvalidSrs)
    };
    for (length, what) in [
        (
            0,
            "the count of alpha in G1 needs the file's first 4 bytes, it has 0",
        ),
        (
            4,
            "8 powers of alpha in G1 needs the file's first 388 bytes, it has 4",
        ),
        (
            391,
            "the count of beta in G1 needs the file's first 392 bytes, it has 391",
        ),
        (
            good.len() - 1,
            "8 powers of beta in G2 needs the file's first 2320 bytes, it has 2319",
        ),
    ] {
        assert_eq!(with(&good[..length]), format!("{}: {what}", path.display()));
    }
    let mut changed = good.clone();
    changed[0] = 1;
    assert!(with(&changed).contains("alpha in G1 has 16777224 powers"));
    for (at, what) in [
        (4 + 48, "power 1 of alpha in G1 is not a point of its group"),
        (
            392 + 7 * 48,
            "power 7 of beta in G1 is not a point of its group",
        ),
        (780, "power 0 of alpha in G2 is not a point of its group"),
    ] {
        let mut changed = good.clone();
        changed[at + 5] ^= 1;
        assert_eq!(with(&changed), format!("{}: {what}", path.display()));
        let mut infinity = good.clone();
        infinity[at..at + 48].fill(0);
        infinity[at] = 0xc0;
        assert!(with(&infinity).contains(what) || at == 780, "{what}");
    }
    // Points of the group that are no powers of one secret.
    let mut mixed = good.clone();
    let (first, second) = mixed.split_at_mut(4 + 5 * 48);
    first[4 + 4 * 48..].copy_from_slice(&second[..48]);
    std::fs::write(&path, &mixed).unwrap();
    let failed = refusal(ErrorKind::SelfCheckFailed);
    assert!(failed.ends_with("do not belong together"), "{failed}");

    // Good again, and longer than its counts say.
    std::fs::write(&path, [&good[..], &[0; 9]].concat()).unwrap();
    let bytes = aggregate(&context, version, &statements, &proofs).unwrap();
    assert!(verify_aggregate(&context, version, &statements, &bytes).unwrap());
}

#[test]
fn powers_are_what_bellperson_reads() {
    let folder = tempfile::tempdir().unwrap();
    let path = aggregation_file(folder.path());
    for powers in [1usize, 2, 33] {
        let seed = [powers as u8; 32];
        write_insecure_powers(&seed, &path, powers).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let read = GenericSRS::<Bls12>::read(&mut &bytes[..]).unwrap();
        let mut again = Vec::new();
        read.write(&mut again).unwrap();
        assert!(again == bytes);

        let [alpha, beta]: [Scalar; 2] =
            hash_to_scalars(&seed, b"CUZK-INSECURE-DEVELOPMENT-SNARKPACK-V1");
        assert_eq!(read.g_alpha_powers.len(), powers);
        for i in 0..powers {
            let (a, b) = (alpha.pow_vartime([i as u64]), beta.pow_vartime([i as u64]));
            let (g, h) = (G1Projective::generator(), G2Projective::generator());
            assert_eq!(read.g_alpha_powers[i], (g * a).to_affine());
            assert_eq!(read.g_beta_powers[i], (g * b).to_affine());
            assert_eq!(read.h_alpha_powers[i], (h * a).to_affine());
            assert_eq!(read.h_beta_powers[i], (h * b).to_affine());
        }
        std::fs::remove_file(&path).unwrap();
    }
}
