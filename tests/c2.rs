// SPDX-License-Identifier: MIT OR Apache-2.0

//! Real 2 KiB sectors from Commit-1 to a proof that filecoin-proofs accepts.

mod common;

use std::sync::{Mutex, OnceLock};

use common::c1::{Fixture, INTERACTIVE, NON_INTERACTIVE, V1, V1_1};
use common::parameters::development_parameters;
use common::verify::verify_seal_2kib;
use cuzk::filecoin::c2::{self, Phase, Progress, Request, Statement, WitnessMethod};
use cuzk::filecoin::params::ParameterFiles;
use cuzk::filecoin::{Head, SealProof, SectorSize, Variant};
use cuzk::ErrorKind;
use cuzk_prover::backend::BackendChoice;
use cuzk_prover::schedule::{Context, Options};
use cuzk_prover::srs::VerifyingKey;
use serde_json::{json, Value};

/// One context for all tests, so that the parameters are loaded once.
fn context() -> &'static Context {
    static CONTEXT: OnceLock<Context> = OnceLock::new();
    CONTEXT.get_or_init(|| {
        Context::new(Options {
            backend: Some(BackendChoice::Cpu),
            parameter_folder: Some(development_parameters()),
            ..Options::default()
        })
        .expect("a context on the CPU")
    })
}

fn request(fixture: &Fixture) -> Request {
    let sector = &fixture.sector;
    Request::new(&fixture.c1, &sector.prover_id, sector.sector_number).expect("a fixture")
}

fn statement(fixture: &Fixture) -> Statement {
    let head = Head::parse(&fixture.c1).expect("a fixture");
    Statement::of(
        &head,
        &fixture.sector.prover_id,
        fixture.sector.sector_number,
    )
}

#[test]
fn filecoin_proofs_accepts_our_proofs() {
    let context = context();
    for case in INTERACTIVE {
        let fixture = Fixture::load(case);
        let seen = Mutex::new(Vec::new());
        let progress = |progress: Progress| seen.lock().unwrap().push(progress);
        let output = c2::prove(
            context,
            &request(&fixture),
            &c2::Options {
                progress: Some(&progress),
                ..Default::default()
            },
        )
        .unwrap_or_else(|error| panic!("{case}: {error}"));
        assert_eq!(output.proof.len(), 192);
        assert_eq!(output.partitions.len(), 1);
        assert_eq!(output.backend, "cpu");

        let folder = development_parameters();
        assert_eq!(
            verify_seal_2kib(&output.proof, &fixture, &folder),
            Ok(true),
            "{case}"
        );
        assert!(c2::verify(context, &statement(&fixture), &output.proof).unwrap());

        let t = output.timings;
        for (name, time) in t.phases() {
            let none = ["queue", "upload", "device_busy"].contains(&name);
            assert!(none || !time.is_zero(), "{case}: {name} took no time");
        }
        let expected = [
            (Phase::Parameters, 0),
            (Phase::Queue, 0),
            (Phase::Witness, 0),
            (Phase::Prove, 0),
            (Phase::Done, 1),
        ];
        let expected = expected.map(|(phase, done)| Progress {
            phase,
            done,
            total: 1,
        });
        assert_eq!(seen.into_inner().unwrap(), expected);
    }
}

#[test]
fn proofs_of_anything_else_are_refused() {
    let context = context();
    let fixture = Fixture::load(V1_1);
    let proof = c2::prove(context, &request(&fixture), &Default::default())
        .unwrap()
        .proof;
    let valid = |statement: &Statement, proof: &[u8]| c2::verify(context, statement, proof);
    let right = statement(&fixture);
    assert!(valid(&right, &proof).unwrap());

    type Change = fn(&mut Statement);
    let changes: [(&str, Change); 7] = [
        ("prover", |s| s.prover_id[0] ^= 1),
        ("sector", |s| s.sector_number += 1),
        ("ticket", |s| s.ticket[31] ^= 1),
        ("seed", |s| s.seed[0] ^= 1),
        ("comm_r", |s| s.comm_r[0] ^= 1),
        ("comm_d", |s| s.comm_d[0] ^= 1),
        ("kind", |s| {
            s.proof = SealProof::new(Variant::Synthetic, s.proof.sector_size())
        }),
    ];
    for (name, change) in changes {
        let mut wrong = right.clone();
        change(&mut wrong);
        assert!(!valid(&wrong, &proof).unwrap(), "{name}");
    }
    // A flipped bit anywhere: no point any more, or another one.
    for bit in (0..192 * 8).step_by(61) {
        let mut flipped = proof.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(!valid(&right, &flipped).unwrap(), "bit {bit}");
    }
    for length in [0, 191, 193, 384] {
        let mut bytes = proof.clone();
        bytes.resize(length, 0);
        let error = valid(&right, &bytes).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.message().contains(&length.to_string()), "{error}");
    }
}

#[test]
fn partitions_are_proved_alone_and_joined() {
    let context = context();
    let fixture = Fixture::load(V1);
    let request = request(&fixture);
    let options = c2::Options {
        witness: WitnessMethod::Closures,
        ..Default::default()
    };
    let one = c2::prove_partition(context, &request, 0, &options).unwrap();
    assert_eq!(one.witness, WitnessMethod::Closures);
    let joined = c2::assemble(context, &request, &[&one.proof]).unwrap();
    assert_eq!(joined, one.proof);
    assert!(c2::verify(context, &statement(&fixture), &joined).unwrap());

    let refused = |proofs: &[&[u8]], needed: &str| {
        let error = c2::assemble(context, &request, proofs).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.message().contains(needed), "{error}");
    };
    refused(&[], "0 proofs of partitions, StackedDrg2KiBV1 needs 1");
    refused(&[&one.proof, &one.proof], "2 proofs of partitions");
    refused(&[&one.proof[..191]], "partition 0: a proof is 192 bytes");
    // A and C changed places: points that are valid, and no proof.
    let p = &one.proof;
    let swapped = [&p[144..], &p[48..144], &p[..48]].concat();
    refused(&[&swapped], "the proof of partition 0 is not valid");

    let error = c2::prove_partition(context, &request, 1, &options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.message().contains("partition 1 of"), "{error}");
}

/// An output that can be read and whose second challenge does not hold.
fn with_a_wrong_hash(fixture: &Fixture) -> Vec<u8> {
    let mut document: Value = serde_json::from_slice(&fixture.c1).unwrap();
    let byte = document
        .pointer_mut(
            "/vanilla_proofs/StackedDrg2KiBV1/0/1/comm_d_proofs/data/Single/path/path/2/hashes/0/0",
        )
        .unwrap();
    *byte = json!(byte.as_u64().unwrap() ^ 1);
    document.to_string().into_bytes()
}

#[test]
fn values_that_do_not_hold_are_named() {
    let context = context();
    let fixture = Fixture::load(V1_1);
    let c1 = with_a_wrong_hash(&fixture);
    let sector = &fixture.sector;
    let request = Request::new(&c1, &sector.prover_id, sector.sector_number)
        .expect("its shape, challenges and roots are right");
    let error = c2::prove(context, &request, &Default::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidC1, "{error}");
    assert!(error.message().contains("vanilla_proofs[0]"), "{error}");
    assert!(error.message().contains("challenge 1"), "{error}");
}

#[test]
fn parameters_that_are_missing_or_mixed_up_are_refused_before_proving() {
    let parameters = development_parameters();
    let folder = tempfile::tempdir().unwrap();
    let context = Context::new(Options {
        backend: Some(BackendChoice::Cpu),
        parameter_folder: Some(folder.path().to_owned()),
        ..Options::default()
    })
    .unwrap();
    let fixture = Fixture::load(V1_1);
    let request = request(&fixture);
    let refused = |kind: ErrorKind, needed: &str| {
        let error = c2::prove(&context, &request, &Default::default()).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.message().contains(needed), "{error}");
    };
    refused(
        ErrorKind::ParametersNotFound,
        "cuzk setup --sector-size 2KiB",
    );
    let error = c2::verify(&context, &statement(&fixture), &[0; 192]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ParametersNotFound, "{error}");
    assert!(error.message().contains(".vk: no such file"), "{error}");

    let there = ParameterFiles::new(&parameters, SectorSize::Kib2).unwrap();
    let here = ParameterFiles::new(folder.path(), SectorSize::Kib2).unwrap();
    std::os::unix::fs::symlink(&there.params, &here.params).unwrap();
    // Without a key of its own, the one in the parameters serves.
    assert!(!c2::verify(&context, &statement(&fixture), &[0; 192]).unwrap());
    let mut key = VerifyingKey::read(&there.verifying_key).unwrap();
    key.ic.swap(1, 2);
    std::fs::write(&here.verifying_key, key.to_bytes().unwrap()).unwrap();
    refused(ErrorKind::InvalidSrs, "has another verifying key than");
    key.ic.pop();
    std::fs::write(&here.verifying_key, key.to_bytes().unwrap()).unwrap();
    let error = c2::verify(&context, &statement(&fixture), &[0; 192]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidSrs, "{error}");
}

#[test]
fn work_is_cancelled() {
    let context = context();
    let options = c2::Options::default();
    options.cancel.cancel();
    let request = request(&Fixture::load(V1));
    let error = c2::prove(context, &request, &options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
}

#[test]
fn aggregates_are_not_verified_by_a_key_alone() {
    let statement = statement(&Fixture::load(NON_INTERACTIVE));
    let key = c2::verifying_key(&development_parameters(), SectorSize::Kib2).unwrap();
    let error = c2::verify_with_key(&key, &statement, &[0; 14_164]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    assert!(!c2::verify(context(), &statement, &[0; 14_164]).unwrap());
}

#[test]
fn a_job_proves_what_it_can_and_says_what_it_cannot() {
    let context = context();
    c2::warm_up(
        context,
        statement(&Fixture::load(V1)).proof,
        &Default::default(),
    )
    .unwrap();
    let residents = context.info().unwrap().residents;
    assert!(residents.iter().any(|r| r.name.ends_with(".params")));
    assert!(residents.iter().any(|r| r.name.starts_with("stacked-")));
    let loads = context.info().unwrap().resident_counts.loads;

    let fixture = Fixture::load(V1);
    let sector = &fixture.sector;
    let job_request = |c1: Vec<u8>| -> Box<dyn cuzk_prover::schedule::Request> {
        Box::new(c2::JobRequest::new(
            c1,
            sector.prover_id,
            sector.sector_number,
            WitnessMethod::Native,
        ))
    };
    // Of an interactive kind circuit proofs are the proof.
    let circuit_proofs = c2::JobRequest::for_circuit_proofs(
        fixture.wrapped(),
        sector.sector_number,
        WitnessMethod::Native,
    );
    let requests = vec![
        job_request(fixture.c1[..1000].to_vec()),
        Box::new(circuit_proofs),
        job_request(with_a_wrong_hash(&fixture)),
    ];
    let job = context.start(requests, Default::default()).unwrap();
    assert!(job.wait(None).unwrap());
    let cut = job.outcome(0).unwrap().result.as_ref().unwrap_err();
    assert_eq!(cut.kind(), ErrorKind::InvalidC1, "{cut}");
    let proof = job.outcome(1).unwrap().result.as_ref().unwrap();
    assert!(c2::verify(context, &statement(&fixture), proof).unwrap());
    assert!(!job.outcome(1).unwrap().timings.parse.is_zero());
    // All was in memory: what the first proof takes, every later one takes too.
    assert_eq!(context.info().unwrap().resident_counts.loads, loads);
    let wrong = job.outcome(2).unwrap().result.as_ref().unwrap_err();
    assert_eq!(wrong.kind(), ErrorKind::InvalidC1, "{wrong}");
    assert!(wrong.message().contains("challenge 1"), "{wrong}");
}
