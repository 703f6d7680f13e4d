// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the host does before a proof, on the real 2 KiB circuit: record it, make the witness
//! through its closures, evaluate its rows; and the development setup.
//!
//! `cargo bench --bench circuit` measures all but the setup, `-- setup` the setup alone, whose
//! peak memory is then the process's. Files go to Cargo's scratch folder and are removed.

use std::path::Path;
use std::time::Instant;

use cuzk::filecoin::{porep, SectorSize, C1};
use cuzk::Result;
use cuzk_prover::backend::AuxAssignment;
use cuzk_prover::circuit::CompiledCircuit;
use cuzk_prover::cpu::evaluate::evaluate_rows;
use cuzk_prover::curve::Scalar;
use cuzk_prover::groth16::setup::{write_parameters, SetupPaths};
use ff::Field;

/// Each figure is the best of this many runs.
const RUNS: usize = 3;

fn main() -> Result<()> {
    println!("{} threads", rayon::current_num_threads());
    if std::env::args().any(|argument| argument == "setup") {
        setup()
    } else {
        evaluate()
    }
}

/// Runs `work` a few times, prints its best time and returns its last result.
fn best<T>(what: &str, mut work: impl FnMut() -> Result<T>) -> Result<T> {
    let mut run = || {
        let start = Instant::now();
        work().map(|result| (start.elapsed().as_secs_f64(), result))
    };
    let mut best = run()?;
    for _ in 1..RUNS {
        let again = run()?;
        best = (best.0.min(again.0), again.1);
    }
    println!("{what}: {:.3} s", best.0);
    Ok(best.1)
}

fn evaluate() -> Result<()> {
    let circuit = best("record", || porep::record_all(&SectorSize::Kib2.shape()))?;
    describe(&circuit);
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/c1");
    let file = vectors.join("2kib-v1_1.json");
    let bytes = std::fs::read(&file).map_err(|error| cuzk::Error::io(&file, "reading", &error))?;
    let c1 = C1::parse(&bytes)?;
    let witness = best("witness through closures", || porep::synthesize(&c1, 0))?;
    let slow = best("rows, term by term", || circuit.evaluate(&witness))?;
    let mut fast = [(); 3].map(|()| vec![Scalar::ZERO; circuit.shape().rows]);
    best("rows, from the packed witness", || {
        let aux = AuxAssignment::Compact(&witness.aux);
        for (which, out) in fast.iter_mut().enumerate() {
            evaluate_rows(&circuit, which, &witness.input, aux, out)?;
        }
        Ok(())
    })?;
    println!("equal: {}", slow == fast);
    Ok(())
}

fn setup() -> Result<()> {
    let circuit = porep::load(SectorSize::Kib2)?;
    describe(&circuit);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let name = |extension| folder.join(format!("bench-{}.{extension}", std::process::id()));
    let paths = SetupPaths {
        params: name("params"),
        vk: name("vk"),
        meta: None,
    };
    println!("peak memory before: {}", peak_memory());
    let start = Instant::now();
    let report = write_parameters(&circuit, &[1; 32], &paths, &mut |_| {})?;
    println!("setup: {:.3} s", start.elapsed().as_secs_f64());
    println!("{:?}, {} bytes", report.shape, report.params_bytes);
    println!("peak memory: {}", peak_memory());
    for path in [&paths.params, &paths.vk] {
        std::fs::remove_file(path).map_err(|error| cuzk::Error::io(path, "removing", &error))?;
    }
    Ok(())
}

fn describe(circuit: &CompiledCircuit) {
    let shape = circuit.shape();
    let nonzeros: usize = shape.nonzeros.iter().sum();
    println!(
        "{shape:?}: {} bytes, {:.3} bytes a non-zero",
        circuit.bytes(),
        circuit.bytes() as f64 / nonzeros as f64
    );
}

/// The most memory that this process has had, as the system says it.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.unwrap_or("unknown").trim().to_string()
}
