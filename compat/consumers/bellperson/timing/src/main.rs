// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long bellperson with `cuda-supraseal` takes, for one proof and for ten at once.
//!
//!     consumer-bench FOLDER [sizes, such as 16,18,20] [rounds]
//!
//! The same source is built twice: here on cuzk, in benches/supraseal on supraseal-c2 itself. Both
//! use the parameters in FOLDER, which the first makes. A line for each call: the program, the
//! rows, the proofs, and milliseconds a proof from the synthesized circuits to the proofs, as
//! bellperson's own log has them. bellperson verifies every proof; ends with 1 if one is not valid.

// The other circuits are for the tests.
#[allow(dead_code)]
#[path = "../../../circuits.rs"]
mod circuits;

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use bellperson::groth16::{
    create_proof_batch, prepare_verifying_key, verify_proof, PreparedVerifyingKey,
    SuprasealParameters, VerifyingKey,
};
use blstrs::{Bls12, Scalar};
use circuits::Sample;
use cuzk_prover::circuit::CompiledCircuit;
use cuzk_prover::groth16::setup::{write_parameters, SetupPaths};
use ff::Field;

const PROGRAM: &str = env!("CARGO_BIN_NAME");
const BATCH: usize = 10;

/// When bellperson's prover began, and how long its last call took.
struct Clock(Mutex<(Option<Instant>, Duration)>);

static CLOCK: Clock = Clock(Mutex::new((None, Duration::ZERO)));

impl log::Log for Clock {
    fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
        metadata.target().starts_with("bellperson")
    }

    fn log(&self, record: &log::Record<'_>) {
        let now = Instant::now();
        let text = record.args().to_string();
        let mut clock = self.0.lock().expect("nobody panics with it");
        if text == "starting proof timer" {
            clock.0 = Some(now);
        } else if text.starts_with("prover time") {
            clock.1 = now - clock.0.take().expect("the prover's beginning");
        }
    }

    fn flush(&self) {}
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = Path::new(arguments.first().expect("a folder for parameters"));
    let sizes = arguments.get(1).map_or("16,18,20", String::as_str);
    let rounds = arguments.get(2).map_or(3, |n| n.parse().expect("a number"));
    log::set_logger(&CLOCK).expect("the only logger");
    log::set_max_level(log::LevelFilter::Info);
    let mut valid = true;
    for size in sizes.split(',') {
        let size: u32 = size.parse().expect("sizes such as 16,18,20");
        valid &= measure(folder, size, rounds);
    }
    ExitCode::from(u8::from(!valid))
}

/// A cipher of just under 2^size rows: two a round, and those of two inputs.
fn cipher(size: u32, secret: Option<u64>) -> Sample {
    Sample::Mimc {
        rounds: (1 << (size - 1)) - 2,
        secret: secret.map(|n| (Scalar::from(n), Scalar::from(n).square() - Scalar::ONE)),
    }
}

/// The size's parameter file, made if it is missing.
fn parameters(folder: &Path, size: u32) -> std::path::PathBuf {
    let paths = SetupPaths {
        params: folder.join(format!("cipher-{size}.params")),
        vk: folder.join(format!("cipher-{size}.vk")),
        meta: None,
    };
    if !paths.params.exists() {
        let circuit = CompiledCircuit::record(cipher(size, None)).expect("the circuit");
        write_parameters(&circuit, &[0; 32], &paths, &mut |_| ()).expect("parameters");
    }
    paths.params
}

fn measure(folder: &Path, size: u32, rounds: usize) -> bool {
    let path = parameters(folder, size);
    // The file begins with the verifying key.
    let file = BufReader::new(File::open(&path).expect("the parameters"));
    let key = VerifyingKey::<Bls12>::read(file).expect("the verifying key");
    let key = prepare_verifying_key(&key);
    let parameters = SuprasealParameters::<Bls12>::new(path).expect("the parameters");
    let mut valid = true;
    // The first proof loads the parameters.
    valid &= prove(&parameters, &key, size, 1).1;
    for n in [1, BATCH] {
        for _ in 0..rounds {
            let (time, all_valid) = prove(&parameters, &key, size, n);
            let each = time.as_secs_f64() * 1e3 / n as f64;
            println!("{PROGRAM} 2^{size} {n} {each:.2}");
            valid &= all_valid;
        }
    }
    valid
}

/// Proves n circuits in one call: the prover's time, and whether all proofs are valid.
fn prove(
    parameters: &SuprasealParameters<Bls12>,
    key: &PreparedVerifyingKey<Bls12>,
    size: u32,
    n: usize,
) -> (Duration, bool) {
    let circuits: Vec<Sample> = (1..=n as u64).map(|i| cipher(size, Some(i))).collect();
    let inputs: Vec<_> = circuits.iter().map(Sample::inputs).collect();
    let scalars = |first: u64| (first..).take(n).map(Scalar::from).collect::<Vec<_>>();
    let (r, s) = (scalars(1 << 40), scalars(1 << 50));
    let proofs = create_proof_batch::<Bls12, _>(circuits, parameters, r, s).expect("proofs");
    let time = CLOCK.0.lock().expect("nobody panics with it").1;
    let bad = proofs
        .iter()
        .zip(&inputs)
        .filter(|(proof, inputs)| !verify_proof(key, proof, inputs).expect("a verdict"))
        .count();
    if bad > 0 {
        println!("{PROGRAM} 2^{size}: {bad} OF {n} PROOFS ARE NOT VALID");
    }
    (time, bad == 0)
}
