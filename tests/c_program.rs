// SPDX-License-Identifier: MIT OR Apache-2.0

//! A C program proves a real sector through libcuzk.so, and filecoin-proofs accepts the proof.
//!
//! `make demo` has run the program already: it names the proof's file in `CUZK_PROOF`.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::c1::{c1_path, Fixture, V1_1};
use common::parameters::development_parameters;
use common::verify::verify_seal_2kib;

#[test]
fn filecoin_proofs_accepts_the_proof_of_a_c_program() {
    let fixture = Fixture::load(V1_1);
    let parameters = development_parameters();
    let file = match std::env::var_os("CUZK_PROOF") {
        Some(file) => PathBuf::from(file),
        None => prove_in_c(&fixture, &parameters),
    };
    let proof = std::fs::read(file).unwrap();
    assert_eq!(verify_seal_2kib(&proof, &fixture, &parameters), Ok(true));
}

fn prove_in_c(fixture: &Fixture, parameters: &Path) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = root.join(".cache/test.proof");
    run(Command::new("make")
        .args(["-s", "library"])
        .current_dir(root));
    run(Command::new("make")
        .args(["-s", "-C", "ffi-tests", "prove"])
        .current_dir(root));
    run(Command::new(root.join(".cache/ffi-tests/shared/prove"))
        .arg(c1_path(V1_1))
        .arg(fixture.sector.sector_number.to_string())
        .arg(fixture.sector.actor_id.to_string())
        .arg(&file)
        .env("FIL_PROOFS_PARAMETER_CACHE", parameters));
    file
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
}
