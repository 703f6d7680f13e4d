// SPDX-License-Identifier: MIT OR Apache-2.0

//! Checks a made-up Commit-1 output of any sector size: that the vanilla verification accepts all
//! partitions, and that the circuit's rows hold for every challenge of the first one.
//!
//!     cargo run --release --example check-synthetic-c1 -- 32GiB [seed]
//!
//! The circuit of a partition is that of one challenge over and over, so the rows are those of
//! the circuit with a single challenge, checked for each challenge in turn.

#[path = "../tests/common/synthetic.rs"]
#[allow(dead_code)]
mod synthetic;

use std::process::ExitCode;
use std::time::Instant;

use cuzk::filecoin::kinds::{Shape, TreeShape};
use cuzk::filecoin::synthetic::{Plan, SyntheticC1};
use cuzk::filecoin::witness::NativeWitness;
use cuzk::filecoin::{SealProof, SectorSize, Variant};
use cuzk::{Error, ErrorKind, Result};
use cuzk_prover::circuit::CompiledCircuit;
use filecoin_hashers::poseidon::PoseidonHasher;
use filecoin_hashers::sha256::{Sha256Domain, Sha256Hasher};
use filecoin_proofs::constants::{SectorShapeBase, SectorShapeSub8, SectorShapeTop2};
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_core::drgraph::Graph;
use storage_proofs_core::merkle::MerkleTreeTrait;
use storage_proofs_core::proof::ProofScheme;
use storage_proofs_porep::stacked::{PublicInputs, StackedCompound, StackedDrg, Tau};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("check-synthetic-c1: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let size = SectorSize::parse(&arguments.next().unwrap_or_else(|| "2KiB".into()))?;
    let seed = match arguments.next() {
        Some(text) => text.parse().map_err(|_| {
            Error::new(
                ErrorKind::InvalidArgument,
                format!("seed {text} is no number"),
            )
        })?,
        None => 1,
    };
    for variant in [Variant::V1, Variant::V1_1] {
        let proof = SealProof::new(variant, size);
        match proof.shape().tree {
            TreeShape::Base => check::<SectorShapeBase>(proof, seed)?,
            TreeShape::Sub8 => check::<SectorShapeSub8>(proof, seed)?,
            TreeShape::Top2 => check::<SectorShapeTop2>(proof, seed)?,
        }
    }
    Ok(())
}

fn check<Tree>(proof: SealProof, seed: u64) -> Result<()>
where
    Tree: 'static + MerkleTreeTrait<Hasher = PoseidonHasher>,
{
    println!("{proof}, seed {seed}");
    let mut plan = Plan::new(proof)?;
    let c1 = timed("  made up", || SyntheticC1::new(&plan, seed))?;

    let setup = |plan: &Plan| {
        StackedDrg::<Tree, Sha256Hasher>::setup(&synthetic::setup_params(plan)).map_err(foreign)
    };
    let params = setup(&plan)?;
    let inputs = PublicInputs {
        replica_id: c1.replica_id.into(),
        seed: Some(c1.seed),
        tau: Some(Tau {
            comm_d: Sha256Domain(c1.comm_d),
            comm_r: c1.comm_r.into(),
        }),
        k: None,
    };
    timed("  vanilla verification", || {
        for (k, proofs) in c1.partitions.iter().enumerate() {
            let proofs = synthetic::vanilla_proofs::<Tree>(proofs);
            let challenges = inputs.challenges(&params.challenges, params.graph.size(), Some(k));
            for (i, (proof, challenge)) in proofs.iter().zip(challenges).enumerate() {
                if !proof.verify(&params, &inputs, challenge, &params.graph) {
                    return Err(refused(format!(
                        "challenge {i} of partition {k} is refused"
                    )));
                }
            }
        }
        Ok(())
    })?;

    plan.shape = Shape {
        challenges: 1,
        ..plan.shape
    };
    let params = setup(&plan)?;
    let circuit = timed("  one challenge's circuit", || {
        CompiledCircuit::record(StackedCompound::<Tree, Sha256Hasher>::blank_circuit(
            &params,
        ))
    })?;
    let native = NativeWitness::new(plan.shape)?;
    let sector = synthetic::sector(&c1);
    let challenges = synthetic::challenges(&c1.partitions[0]);
    timed("  rows of the first partition", || {
        for (i, challenge) in challenges.iter().enumerate() {
            let witness = native.partition(&sector, std::slice::from_ref(challenge))?;
            if let Some(row) = circuit.first_unsatisfied_row(&witness)? {
                return Err(refused(format!(
                    "row {row} does not hold for challenge {i}"
                )));
            }
        }
        Ok(())
    })?;
    let rows = circuit.shape();
    println!(
        "  accepted: {} partitions; {rows:?} holds",
        c1.partitions.len()
    );
    Ok(())
}

fn timed<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let start = Instant::now();
    let result = work()?;
    println!("{what}: {:.2} s", start.elapsed().as_secs_f64());
    Ok(result)
}

fn refused(text: String) -> Error {
    Error::new(ErrorKind::SelfCheckFailed, text)
}

fn foreign(error: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Internal, format!("{error:#}"))
}
