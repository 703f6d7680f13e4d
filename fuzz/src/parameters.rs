// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parameter and verifying key files: the input is a way to check and a file.

use blstrs::Scalar;
use cuzk_prover::backend::{Assignment, AuxAssignment, Cancel, Rows};
use cuzk_prover::cpu::CpuBackend;
use cuzk_prover::groth16::{prove, PreparedKey};
use cuzk_prover::srs::{Checks, HostSrs, ParameterFile, VerifyingKey};
use cuzk_prover::timing::Timings;
use cuzk_prover::{ErrorKind, Result};

use crate::small::{folder, small};
use crate::Input;

/// Opens, loads and proves as far as the file lets it. A file that passes the strictest checks and
/// has the right key must give a proof that verifies only if it is the right file.
pub fn run(input: &[u8]) {
    let mut input = Input(input);
    let checks = match input.byte() % 5 {
        0 => Checks::None,
        1 => Checks::Structure,
        2 => Checks::Curve,
        3 => Checks::CurveAndSubgroup,
        _ => return expect(VerifyingKey::from_bytes(input.0).map(drop)),
    };
    expect(prove_with(input.0, checks));
}

/// The file of the small circuit behind each way to check it: where a search starts.
pub fn seeds() -> Vec<Vec<u8>> {
    let file = &small().bytes;
    let key = VerifyingKey::file_bytes(2) as usize;
    let whole = (0..4).map(|checks| [&[checks], &file[..]].concat());
    whole.chain([[&[4], &file[..key]].concat()]).collect()
}

fn expect(result: Result<()>) {
    if let Err(error) = result {
        let good = matches!(
            error.kind(),
            ErrorKind::InvalidSrs | ErrorKind::InvalidAssignment
        );
        assert!(good, "{:?}: {error}", error.kind());
        assert!(!error.message().contains('\n'), "{error}");
    }
}

fn prove_with(bytes: &[u8], checks: Checks) -> Result<()> {
    let small = small();
    let path = folder().join(format!("{:?}.params", std::thread::current().id()));
    std::fs::write(&path, bytes).expect("a file for the input");
    let cancel = Cancel::default();
    let file = ParameterFile::open(&path)?;
    file.check_shape(&small.circuit.srs_shape())?;
    let srs = HostSrs::load(&file, checks, &cancel)?;
    let assignment = Assignment {
        rows: Rows::Compiled(&small.circuit),
        input: &small.witness.input,
        aux: AuxAssignment::Compact(&small.witness.aux),
        a_aux_density: small.circuit.a_aux_density(),
        b_input_density: small.circuit.b_input_density(),
        b_aux_density: small.circuit.b_aux_density(),
    };
    let (r, s) = (Scalar::from(5), Scalar::from(7));
    let mut timings = Timings::default();
    let proof = prove(&CpuBackend, &srs, &assignment, r, s, &cancel, &mut timings)?;
    let valid = PreparedKey::new(file.verifying_key()).verify(&small.witness.input[1..], &proof)?;
    if bytes == small.bytes {
        assert!(valid, "the proof under good parameters is not valid");
    }
    Ok(())
}
