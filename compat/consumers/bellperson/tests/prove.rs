// SPDX-License-Identifier: MIT OR Apache-2.0
//! bellperson with `cuda-supraseal` proves on cuzk: the same proofs as its own prover, bit for bit,
//! and panics with the cause where the original ended the process.
//!
//! Two versions of bellperson compile this file; `reference` is the other one, without the feature.

#[path = "../../circuits.rs"]
mod circuits;

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::PathBuf;

use bellpepper_core::{Circuit, ConstraintSystem, SynthesisError};
use bellperson::groth16::{self as subject, SuprasealParameters};
use blstrs::{Bls12, Scalar};
use circuits::Sample;
use ff::Field;
use rand_core::SeedableRng;
use rand_xorshift::XorShiftRng;
use reference::groth16 as peer;
use tempfile::TempDir;

fn rng() -> XorShiftRng {
    let seed = std::env::var("CUZK_TEST_SEED").ok();
    let seed = seed.and_then(|text| text.parse().ok()).unwrap_or(0x5eed);
    println!("CUZK_TEST_SEED={seed}");
    XorShiftRng::seed_from_u64(seed)
}

/// A circuit's parameters, as the reference holds them and as a file that the subject opened.
struct Setup {
    folder: TempDir,
    peer: peer::Parameters<Bls12>,
    subject: SuprasealParameters<Bls12>,
    key: subject::PreparedVerifyingKey<Bls12>,
}

impl Setup {
    fn new(blank: Sample, random: &mut XorShiftRng) -> Self {
        let parameters = peer::generate_random_parameters::<Bls12, _, _>(blank, random).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("circuit.params");
        parameters
            .write(BufWriter::new(File::create(&path).unwrap()))
            .unwrap();
        // The file begins with the verifying key.
        let file = BufReader::new(File::open(&path).unwrap());
        let key = subject::VerifyingKey::<Bls12>::read(file).unwrap();
        Self {
            folder,
            peer: parameters,
            subject: SuprasealParameters::new(path).unwrap(),
            key: subject::prepare_verifying_key(&key),
        }
    }

    /// Proves with both, compares, and verifies with both.
    fn compare(&self, witnesses: &[Sample], r: &[Scalar], s: &[Scalar]) {
        let made = subject::create_proof_batch::<Bls12, _>(
            witnesses.to_vec(),
            &self.subject,
            r.to_vec(),
            s.to_vec(),
        )
        .unwrap();
        let expected = peer::create_proof_batch::<Bls12, _, _>(
            witnesses.to_vec(),
            &self.peer,
            r.to_vec(),
            s.to_vec(),
        )
        .unwrap();
        assert_eq!(made.len(), witnesses.len());
        let peer_key = peer::prepare_verifying_key(&self.peer.vk);
        for ((made, expected), witness) in made.iter().zip(&expected).zip(witnesses) {
            assert_eq!(made.a, expected.a);
            assert_eq!(made.b, expected.b);
            assert_eq!(made.c, expected.c);
            let inputs = witness.inputs();
            assert!(subject::verify_proof(&self.key, made, &inputs).unwrap());
            let made = peer::Proof::<Bls12> {
                a: made.a,
                b: made.b,
                c: made.c,
            };
            assert!(peer::verify_proof(&peer_key, &made, &inputs).unwrap());
            let mut wrong = inputs;
            if let Some(input) = wrong.first_mut() {
                *input += Scalar::ONE;
                assert!(!peer::verify_proof(&peer_key, &made, &wrong).unwrap());
            }
        }
    }

    /// One proof for each pair of edges, then all of them as a batch.
    fn compare_all(&self, witnesses: &[Sample], random: &mut XorShiftRng) {
        let edges = [
            Scalar::ZERO,
            Scalar::ONE,
            -Scalar::ONE,
            Scalar::random(&mut *random),
        ];
        for (i, witness) in witnesses.iter().enumerate() {
            let (r, s) = (edges[i % 4], edges[(i + 1) % 4]);
            self.compare(std::slice::from_ref(witness), &[r], &[s]);
        }
        let mut scalars = || -> Vec<Scalar> {
            witnesses
                .iter()
                .map(|_| Scalar::random(&mut *random))
                .collect()
        };
        let (r, s) = (scalars(), scalars());
        self.compare(witnesses, &r, &s);
    }
}

fn mimc(rounds: u64, random: &mut XorShiftRng) -> Sample {
    Sample::Mimc {
        rounds,
        secret: Some((Scalar::random(&mut *random), Scalar::random(random))),
    }
}

#[test]
fn a_cipher_s_proofs_are_the_reference_s() {
    let mut random = rng();
    // Rows: two a round and one an input; one below, at and above a power of two.
    for rounds in [31, 62, 63, 322] {
        let secret = None;
        let setup = Setup::new(Sample::Mimc { rounds, secret }, &mut random);
        let mut witnesses: Vec<Sample> = (0..4).map(|_| mimc(rounds, &mut random)).collect();
        witnesses.push(Sample::Mimc {
            rounds,
            secret: Some((Scalar::ZERO, -Scalar::ONE)),
        });
        setup.compare_all(&witnesses, &mut random);
    }
}

#[test]
fn empty_densities_are_fine() {
    let mut random = rng();
    for variables in [1, 5, 64, 100] {
        let sample = Sample::Empty { variables };
        let setup = Setup::new(sample.clone(), &mut random);
        setup.compare_all(&[sample.clone(), sample], &mut random);
    }
}

#[test]
fn full_densities_are_fine() {
    let mut random = rng();
    for bits in [1, 61, 64, 65, 200] {
        let setup = Setup::new(Sample::Full { bits, value: None }, &mut random);
        let witness = |value| Sample::Full {
            bits,
            value: Some(value),
        };
        let witnesses = [
            witness(0),
            witness(u64::MAX),
            witness(0x0123_4567_89ab_cdef),
        ];
        setup.compare_all(&witnesses, &mut random);
    }
}

#[test]
fn random_proofs_are_valid_from_many_threads() {
    let mut random = rng();
    let rounds = 50;
    let secret = None;
    let setup = Setup::new(Sample::Mimc { rounds, secret }, &mut random);
    std::thread::scope(|scope| {
        for seed in 0..4 {
            let setup = &setup;
            scope.spawn(move || {
                let mut random = XorShiftRng::seed_from_u64(seed);
                for _ in 0..3 {
                    let batch: Vec<Sample> = (0..2).map(|_| mimc(rounds, &mut random)).collect();
                    let inputs: Vec<_> = batch.iter().map(Sample::inputs).collect();
                    let proofs =
                        subject::create_random_proof_batch(batch, &setup.subject, &mut random);
                    for (proof, inputs) in proofs.unwrap().iter().zip(&inputs) {
                        assert!(subject::verify_proof(&setup.key, proof, inputs).unwrap());
                    }
                }
            });
        }
    });
}

/// A cipher whose input is not what the rounds make of the secret.
struct Lying(Sample);

impl Circuit<Scalar> for Lying {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let secret = cs.alloc(|| "extra", || Ok(Scalar::from(2)))?;
        cs.enforce(
            || "lie",
            |lc| lc + secret,
            |lc| lc + secret,
            |lc| lc + secret,
        );
        self.0.synthesize(cs)
    }
}

/// The text of a panic, of the one type that filecoin-ffi hands on.
fn panic_text(work: impl FnOnce()) -> &'static str {
    let payload = catch_unwind(AssertUnwindSafe(work)).expect_err("a panic");
    payload.downcast_ref::<&'static str>().expect("static text")
}

#[test]
fn what_cannot_be_proved_is_a_panic_with_its_cause_and_the_process_lives() {
    let mut random = rng();
    let rounds = 20;
    let secret = None;
    let setup = Setup::new(Sample::Mimc { rounds, secret }, &mut random);
    let prove = |sample| {
        let (r, s) = (vec![Scalar::ONE], vec![Scalar::ONE]);
        subject::create_proof_batch::<Bls12, _>(vec![sample], &setup.subject, r, s).unwrap()
    };
    // Parameters of another circuit.
    let longer = mimc(21, &mut random);
    let text = panic_text(|| drop(prove(longer.clone())));
    assert_eq!(
        text,
        "assignment 0: the assignment has 43 auxiliary variables, the parameters need 41"
    );
    // A witness that satisfies nothing.
    let blank = peer::generate_random_parameters::<Bls12, _, _>(
        Lying(Sample::Mimc { rounds, secret }),
        &mut random,
    );
    let path = setup.folder.path().join("lying.params");
    blank
        .unwrap()
        .write(BufWriter::new(File::create(&path).unwrap()))
        .unwrap();
    let parameters = SuprasealParameters::<Bls12>::new(path).unwrap();
    let witness = mimc(rounds, &mut random);
    let text = panic_text(|| {
        let (r, s) = (Scalar::ONE, Scalar::ONE);
        drop(
            subject::create_proof::<Bls12, _, &SuprasealParameters<Bls12>>(
                Lying(witness),
                &parameters,
                r,
                s,
            ),
        );
    });
    assert_eq!(
        text,
        "row 0 of the assignment is not satisfied: a times b is not c"
    );
    // It still proves.
    assert_eq!(prove(mimc(rounds, &mut random)).len(), 1);
}

#[test]
fn a_file_that_cannot_be_opened_is_an_error_that_names_it() {
    let error = |path: &str| {
        let opened = SuprasealParameters::<Bls12>::new(PathBuf::from(path));
        opened.err().unwrap().to_string()
    };
    assert_eq!(
        error("/nowhere/x.params"),
        "/nowhere/x.params: no such file"
    );
    assert_eq!(error("/proc"), "/proc: not a regular file");
}
