// SPDX-License-Identifier: MIT OR Apache-2.0

//! Proofs of a small circuit through the C ABI, verified by bellperson; and the files that the C
//! tests prove with.

mod circuit;

use std::path::{Path, PathBuf};

/// Where the C tests look for the small circuit.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(".cache/small-circuit")
}

#[test]
fn files_for_the_c_tests_are_written() {
    circuit::write_files(&folder());
    let file = cuzk_prover::srs::ParameterFile::open(&folder().join("small.params")).unwrap();
    let compiled = cuzk_prover::circuit::CompiledCircuit::record(circuit::Chain::new(1)).unwrap();
    file.check_shape(&compiled.srs_shape()).unwrap();
}
