// SPDX-License-Identifier: MIT OR Apache-2.0
//! A parameter file, an assignment and the ways to prove it, for tests of contexts.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use bellperson::groth16::{prepare_verifying_key, verify_proof, Parameters, PreparedVerifyingKey};
use blstrs::{Bls12, Scalar};
use cuzk_prover::backend::{Assignment, AuxAssignment, BackendChoice, Rows};
use cuzk_prover::cancel::Cancel;
use cuzk_prover::circuit::{synthesize, CompiledCircuit, Witness};
use cuzk_prover::groth16::Proof;
use cuzk_prover::schedule::{
    CircuitHandle, Context, Options, Partition, Priority, Source, Srs, SrsOptions,
};
use cuzk_prover::Result;

use super::{parameters, Chain};

pub const STEPS: usize = 200;

pub struct Fixture {
    pub folder: tempfile::TempDir,
    pub key: PreparedVerifyingKey<Bls12>,
    pub circuit: CompiledCircuit,
    pub witness: Witness,
    pub rows: [Vec<Scalar>; 3],
    pub aux: Vec<Scalar>,
}

pub fn fixture() -> &'static Fixture {
    static FIXTURE: OnceLock<Fixture> = OnceLock::new();
    FIXTURE.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let parameters = parameters(STEPS, 1);
        write(&folder.path().join("chain.params"), &parameters);
        let circuit = CompiledCircuit::record(Chain { steps: STEPS }).unwrap();
        let witness = synthesize(Chain { steps: STEPS }).unwrap();
        Fixture {
            folder,
            key: prepare_verifying_key(&parameters.vk),
            rows: circuit.evaluate(&witness).unwrap(),
            aux: (0..witness.aux.len()).map(|i| witness.aux.get(i)).collect(),
            circuit,
            witness,
        }
    })
}

fn write(path: &Path, parameters: &Parameters<Bls12>) {
    let mut bytes = Vec::new();
    parameters.write(&mut bytes).unwrap();
    std::fs::write(path, bytes).unwrap();
}

pub fn path() -> PathBuf {
    fixture().folder.path().join("chain.params")
}

pub fn options() -> Options {
    Options {
        backend: Some(BackendChoice::Cpu),
        threads: Some(2),
        ..Options::default()
    }
}

pub fn context() -> Context {
    Context::new(options()).unwrap()
}

pub fn open(context: &Context) -> Srs {
    context
        .open_srs(&path(), &SrsOptions::default(), &Cancel::default())
        .unwrap()
}

pub fn given() -> Assignment<'static> {
    let fixture = fixture();
    Assignment {
        rows: Rows::Given {
            a: &fixture.rows[0],
            b: &fixture.rows[1],
            c: &fixture.rows[2],
        },
        input: &fixture.witness.input,
        aux: AuxAssignment::Scalars(&fixture.aux),
        a_aux_density: fixture.circuit.a_aux_density(),
        b_input_density: fixture.circuit.b_input_density(),
        b_aux_density: fixture.circuit.b_aux_density(),
    }
}

pub fn chain_circuit() -> CircuitHandle {
    CircuitHandle {
        name: "chain".to_string(),
        bytes: 100_000,
        saved: None,
        record: Arc::new(|| CompiledCircuit::record(Chain { steps: STEPS })),
    }
}

pub fn partition(srs: &Srs) -> Partition<'static> {
    Partition {
        srs: srs.clone(),
        source: Source::Circuit {
            circuit: chain_circuit(),
            witness: Box::new(|_, _, _| synthesize(Chain { steps: STEPS })),
            witness_bytes: 10_000,
        },
        randomness: None,
    }
}

pub fn prove(context: &Context, srs: &Srs) -> Result<Proof> {
    let proved = context.prove(srs, &[given()], None, Priority::Normal, &Cancel::default())?;
    Ok(proved[0].proof)
}

pub fn prove_partitions(context: &Context, partitions: Vec<Partition<'_>>) -> Result<Vec<Proof>> {
    let cancel = Cancel::default();
    let proved = context.prove_partitions(partitions, Priority::Normal, &cancel, &|_| ())?;
    Ok(proved.iter().map(|proved| proved.proof).collect())
}

/// Verifies by bellperson, from the proof's bytes.
pub fn assert_verifies(proof: &Proof) {
    let bytes = proof.to_bytes();
    let theirs = bellperson::groth16::Proof::<Bls12>::read(&bytes[..]).unwrap();
    let fixture = fixture();
    assert!(verify_proof(&fixture.key, &theirs, &fixture.witness.input[1..]).unwrap());
}
