// SPDX-License-Identifier: MIT OR Apache-2.0

//! Has filecoin-proofs' own `verify_seal` check a proof of any sector size, such as one made on a
//! GPU machine that cannot build filecoin-proofs.
//!
//!     FIL_PROOFS_PARAMETER_CACHE=FOLDER cargo run --release --example check-proof -- \
//!         C1 PROOF ACTOR SECTOR
//!
//! PROOF holds the bytes that `cuzk prove --out` writes; FOLDER needs the `.vk` only. A proof with
//! one bit changed must be refused, which is checked too.

use std::process::ExitCode;

use cuzk::filecoin::{prover_id_from_actor, Head};
use filecoin_proofs_api::seal::verify_seal;
use filecoin_proofs_api::RegisteredSealProof;

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("check-proof: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [c1, proof, actor, sector] = &arguments[..] else {
        return Err("usage: check-proof C1 PROOF ACTOR SECTOR".into());
    };
    let head = Head::parse(&std::fs::read(c1)?)?;
    let mut proof = std::fs::read(proof)?;
    let prover_id = prover_id_from_actor(actor.parse()?);
    let sector: u64 = sector.parse()?;
    // The names of both sides are those of Filecoin's registered proofs.
    let kind: RegisteredSealProof = serde_json::from_value(head.proof.to_string().into())?;
    let accepts = |proof: &[u8]| {
        verify_seal(
            kind,
            head.comm_r,
            head.comm_d,
            prover_id,
            sector.into(),
            head.ticket,
            head.seed,
            proof,
        )
    };
    if !accepts(&proof).map_err(|error| format!("{error:#}"))? {
        return Err(format!("filecoin-proofs refuses this proof of {}", head.proof).into());
    }
    // The sign of the last partition's C, so that it stays a point.
    let last = proof.len() - 48;
    proof[last] ^= 0x20;
    if accepts(&proof).unwrap_or(false) {
        return Err("filecoin-proofs accepts a changed proof as well".into());
    }
    println!("filecoin-proofs accepts these {} bytes", proof.len());
    Ok(())
}
