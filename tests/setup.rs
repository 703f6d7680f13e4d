// SPDX-License-Identifier: MIT OR Apache-2.0

//! Development parameters, against bellperson's own generator, reader, prover and verifier.

use std::path::{Path, PathBuf};

use bellperson::groth16::{
    create_random_proof, generate_parameters, prepare_verifying_key, verify_proof, Parameters,
    VerifyingKey,
};
use bellperson::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::{Bls12, G1Projective, G2Projective, Scalar};
use cuzk_prover::circuit::CompiledCircuit;
use cuzk_prover::groth16::setup::{
    write_parameters, write_parameters_with, Secrets, SetupMeta, SetupPaths, SetupProgress,
    SetupReport,
};
use cuzk_prover::srs::ParameterFile;
use cuzk_prover::ErrorKind;
use ff::Field;
use group::Group;
use rand_core::OsRng;
use storage_proofs_core::parameter_cache::CacheEntryMetadata;

/// Bits, full values, variables that are missing in A or in B, zero and merged terms, an input in
/// B; `steps` sets the number of rows, which is five a step and five more.
#[derive(Clone)]
struct Mixed {
    steps: usize,
    loose_variable: bool,
}

impl Mixed {
    fn new(steps: usize) -> Self {
        Self {
            steps,
            loose_variable: false,
        }
    }

    /// Its public input.
    fn output(&self) -> Scalar {
        (0..self.steps).fold(Scalar::from(3), |x, i| {
            let bit = Scalar::from(i as u64 % 2);
            (x + bit.double() + bit) * (x - Scalar::ONE)
        })
    }
}

impl Circuit<Scalar> for Mixed {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let one = CS::one();
        let three = Scalar::from(3);
        let mut value = three;
        let mut x = cs.alloc(|| "", || Ok(value))?;
        for i in 0..self.steps {
            let bit_value = Scalar::from(i as u64 % 2);
            let bit = cs.alloc(|| "", || Ok(bit_value))?;
            cs.enforce(|| "", |lc| lc + bit, |lc| lc + one - bit, |lc| lc);

            let next_value = (value + three * bit_value) * (value - Scalar::ONE);
            let next = cs.alloc(|| "", || Ok(next_value))?;
            cs.enforce(
                || "",
                |lc| lc + (three, bit) + x + (Scalar::ZERO, next),
                |lc| lc + x - one,
                |lc| lc + next,
            );

            // Only in C, then only in B, with terms that cancel.
            let square = cs.alloc(|| "", || Ok(value * value))?;
            cs.enforce(|| "", |lc| lc + x, |lc| lc + x, |lc| lc + square);
            let factor = cs.alloc(|| "", || Ok(value.double()))?;
            cs.enforce(
                || "",
                |lc| lc + one + square - square,
                |lc| lc + factor,
                |lc| lc + x + x,
            );
            // No terms at all.
            cs.enforce(|| "", |lc| lc, |lc| lc, |lc| lc);
            (x, value) = (next, next_value);
        }
        let y = cs.alloc_input(|| "", || Ok(value))?;
        cs.enforce(|| "", |lc| lc + x, |lc| lc + one, |lc| lc + y);
        let y_squared = cs.alloc(|| "", || Ok(value * value))?;
        cs.enforce(|| "", |lc| lc + y, |lc| lc + y, |lc| lc + y_squared);
        cs.enforce(|| "", |lc| lc + one, |lc| lc + one, |lc| lc + one);
        if self.loose_variable {
            cs.alloc(|| "", || Ok(Scalar::ONE))?;
        }
        Ok(())
    }
}

fn paths(folder: &Path) -> SetupPaths {
    SetupPaths {
        params: folder.join("x.params"),
        vk: folder.join("x.vk"),
        meta: Some(SetupMeta {
            path: folder.join("x.meta"),
            sector_size: 2048,
        }),
    }
}

fn set_up(circuit: Mixed, seed: u8, folder: &Path) -> SetupReport {
    let circuit = CompiledCircuit::record(circuit).unwrap();
    write_parameters(&circuit, &[seed; 32], &paths(folder), &mut |_| {}).unwrap()
}

fn names(folder: &Path) -> Vec<PathBuf> {
    let mut names: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into())
        .collect();
    names.sort();
    names
}

#[test]
fn parameters_equal_those_of_bellperson_for_the_same_secrets() {
    // 5 to 130 rows: the domain's sizes from 8 to 256, and 65 and 130 rows beside 64 and 128.
    for steps in [0, 1, 2, 3, 11, 12, 25] {
        let secrets = Secrets::derive(&[steps as u8; 32]);
        let expected = generate_parameters::<Bls12, _>(
            Mixed::new(steps),
            G1Projective::generator(),
            G2Projective::generator(),
            secrets.alpha,
            secrets.beta,
            secrets.gamma,
            secrets.delta,
            secrets.tau,
        )
        .unwrap();
        let folder = tempfile::tempdir().unwrap();
        let circuit = CompiledCircuit::record(Mixed::new(steps)).unwrap();
        assert_eq!(circuit.shape().rows, 5 * steps + 5);
        let paths = paths(folder.path());
        let report = write_parameters_with(&circuit, &secrets, &paths, None, &mut |_| {}).unwrap();

        let read = Parameters::<Bls12>::read(std::fs::File::open(&paths.params).unwrap(), true);
        let read = read.unwrap();
        assert!(read.vk == expected.vk, "{steps} steps");
        assert!(read.h == expected.h, "{steps} steps");
        assert!(read.l == expected.l, "{steps} steps");
        assert!(read.a == expected.a, "{steps} steps");
        assert!(read.b_g1 == expected.b_g1, "{steps} steps");
        assert!(read.b_g2 == expected.b_g2, "{steps} steps");
        assert_eq!(report.shape, circuit.srs_shape());

        let mut bytes = Vec::new();
        expected.write(&mut bytes).unwrap();
        assert!(std::fs::read(&paths.params).unwrap() == bytes);
        assert_eq!(report.params_bytes, bytes.len() as u64);
        bytes.clear();
        expected.vk.write(&mut bytes).unwrap();
        assert!(std::fs::read(&paths.vk).unwrap() == bytes);
    }
}

#[test]
fn bellperson_proves_and_verifies_with_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let report = set_up(Mixed::new(20), 1, folder.path());
    assert_eq!(
        names(folder.path()),
        ["x.meta", "x.params", "x.vk"].map(PathBuf::from)
    );
    let paths = paths(folder.path());
    let open = |path: &Path| std::fs::File::open(path).unwrap();

    let parameters = Parameters::<Bls12>::read(open(&paths.params), true).unwrap();
    let proof = create_random_proof(Mixed::new(20), &parameters, &mut OsRng).unwrap();
    let key = VerifyingKey::<Bls12>::read(open(&paths.vk)).unwrap();
    let key = prepare_verifying_key(&key);
    let output = Mixed::new(20).output();
    assert!(verify_proof(&key, &proof, &[output]).unwrap());
    assert!(!verify_proof(&key, &proof, &[output + Scalar::ONE]).unwrap());

    let file = ParameterFile::open(&paths.params).unwrap();
    assert_eq!(*file.verifying_key(), report.verifying_key);
    let circuit = CompiledCircuit::record(Mixed::new(20)).unwrap();
    file.check_shape(&circuit.srs_shape()).unwrap();
    file.check_verifying_key(&report.verifying_key, &paths.vk)
        .unwrap();

    let meta: CacheEntryMetadata =
        serde_json::from_slice(&std::fs::read(folder.path().join("x.meta")).unwrap()).unwrap();
    assert_eq!(meta.sector_size, 2048);
}

#[test]
fn one_seed_makes_one_file_on_any_number_of_threads() {
    let make = |seed, threads| {
        let folder = tempfile::tempdir().unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build()
            .unwrap()
            .install(|| set_up(Mixed::new(500), seed, folder.path()));
        std::fs::read(folder.path().join("x.params")).unwrap()
    };
    let one = make(1, 1);
    assert!(one == make(1, 3));
    assert!(one != make(2, 1));
}

#[test]
fn progress_counts_every_point_once() {
    let folder = tempfile::tempdir().unwrap();
    let circuit = CompiledCircuit::record(Mixed::new(30_000)).unwrap();
    let mut reports: Vec<SetupProgress> = Vec::new();
    let paths = paths(folder.path());
    let mut note = |progress| reports.push(progress);
    let shape = write_parameters(&circuit, &[3; 32], &paths, &mut note)
        .unwrap()
        .shape;
    let total = (shape.ic + shape.h + shape.l + shape.a + shape.b_g1 + shape.b_g2) as u64;
    assert_eq!(reports.first().unwrap().done, shape.ic as u64);
    assert_eq!(reports.last().unwrap().done, total);
    assert!(reports.iter().all(|report| report.total == total));
    let steps = reports.windows(2).map(|pair| pair[1].done - pair[0].done);
    assert!(steps.into_iter().all(|step| (1..=1 << 16).contains(&step)));
    assert!(reports.len() > 8);
}

#[test]
fn a_refused_setup_says_why_and_leaves_nothing() {
    let refusal = |circuit: Mixed, paths: &SetupPaths| {
        let circuit = CompiledCircuit::record(circuit).unwrap();
        write_parameters(&circuit, &[1; 32], paths, &mut |_| {}).unwrap_err()
    };
    let folder = tempfile::tempdir().unwrap();
    let paths = paths(folder.path());

    let mut loose = Mixed::new(2);
    loose.loose_variable = true;
    let error = refusal(loose, &paths);
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert_eq!(
        error.message(),
        "auxiliary variable 10 is in no constraint of the circuit"
    );
    assert!(names(folder.path()).is_empty());

    std::fs::write(&paths.vk, b"precious").unwrap();
    let error = refusal(Mixed::new(2), &paths);
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert_eq!(
        error.message(),
        format!("{} exists and is not overwritten", paths.vk.display())
    );
    assert_eq!(names(folder.path()), [PathBuf::from("x.vk")]);
    assert_eq!(std::fs::read(&paths.vk).unwrap(), b"precious");
    std::fs::remove_file(&paths.vk).unwrap();

    let nowhere = SetupPaths {
        meta: Some(SetupMeta {
            path: folder.path().join("missing").join("x.meta"),
            sector_size: 2048,
        }),
        ..paths.clone()
    };
    assert_eq!(refusal(Mixed::new(2), &nowhere).kind(), ErrorKind::Io);
    assert!(names(folder.path()).is_empty());

    let circuit = CompiledCircuit::record(Mixed::new(2)).unwrap();
    let mut secrets = Secrets::derive(&[1; 32]);
    // A point of the domain: every parameter would be zero or undefined.
    secrets.tau = -Scalar::ONE;
    let error = write_parameters_with(&circuit, &secrets, &paths, None, &mut |_| {}).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(names(folder.path()).is_empty());
}
