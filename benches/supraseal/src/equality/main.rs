// SPDX-License-Identifier: MIT OR Apache-2.0
//! The same proofs, bit for bit: cuzk on the GPU and on the CPU, supraseal-c2 on the GPU, and
//! bellperson's own prover, for the same r and s, on random circuits and circuits on the edges.
//!
//!     supraseal-equality [first case [end]]
//!
//! A process that the peer ends takes no other case with it: the cases run in a process of their
//! own, which is started again behind the one that it died in. A peer's proof that does not verify
//! is told from one that verifies and differs. Ends with 1 when a proof of cuzk's does not verify
//! or is not bellperson's, or a valid one of the peer's is another.

mod circuit;
#[path = "../peer.rs"]
mod peer;

use std::io::{BufRead, BufReader, Write};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Duration;

use bellperson::groth16 as reference;
use blstrs::Bls12;
use circuit::{Density, Edge, Values, DENSITIES, VALUES};
use cuzk_prover::backend::{Assignment, AuxAssignment, Backend, Cancel, Rows};
use cuzk_prover::circuit::{synthesize, CompiledCircuit};
use cuzk_prover::cpu::CpuBackend;
use cuzk_prover::curve::Scalar;
use cuzk_prover::gpu::{self, GpuBackend, GpuOptions};
use cuzk_prover::groth16::setup::{write_parameters, SetupPaths};
use cuzk_prover::groth16::{prove, PreparedKey, Proof};
use cuzk_prover::srs::{Checks, ParameterFile};
use cuzk_prover::timing::Timings;
use ff::Field;
use peer::Peer;
use rand_core::SeedableRng;
use rand_xorshift::XorShiftRng;

/// Device memory left to the peer.
const PEER_BYTES: u64 = 15 << 30;

/// A case that takes longer hangs.
const LONGEST: Duration = Duration::from_secs(120);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |text: &String| -> usize { text.parse().expect("a number") };
    match arguments.first().map(String::as_str) {
        Some("--work") => {
            work(number(&arguments[1]), number(&arguments[2]));
            ExitCode::SUCCESS
        }
        _ => {
            let first = arguments.first().map_or(0, number);
            let end = arguments.get(1).map_or(usize::MAX, number);
            watch(first, end.min(cases().len()))
        }
    }
}

/// Every case, in an order that never changes with one seed.
fn cases() -> Vec<Edge> {
    let seed = std::env::var("CUZK_TEST_SEED").ok();
    let seed: u64 = seed.and_then(|text| text.parse().ok()).unwrap_or(0x5eed);
    let mut cases = Vec::new();
    let mut case = |rows: usize, inputs: usize, aux: usize, density, values| {
        let seed = seed.wrapping_add(cases.len() as u64);
        let inputs = inputs.min(rows - 1);
        cases.push(Edge {
            rows,
            inputs,
            aux,
            density,
            values,
            seed,
        });
    };
    // Around powers of two, and far below the next; one input only where that is all there is.
    for rows in [2, 3, 5, 63, 64, 65, 700, 1023, 1024, 1025] {
        for density in DENSITIES {
            for (i, values) in VALUES.into_iter().enumerate() {
                case(rows, 1 + i % 3 * 20, rows + i, density, values);
            }
        }
    }
    for rows in [(1 << 16) - 1, 1 << 16, (1 << 16) + 1, 100_000, 1 << 18] {
        case(rows, 328, rows * 96 / 100, Density::Half, Values::Random);
        case(rows, 1, rows * 96 / 100, Density::Half, Values::Bits);
        case(rows, 41, rows, Density::Full, Values::Mixed);
    }
    cases
}

/// Runs the cases in other processes and sums their verdicts up.
fn watch(first: usize, end: usize) -> ExitCode {
    let program = std::env::current_exe().expect("this program's path");
    let (mut next, mut equal, mut wrong, mut invalid, mut died) = (first, 0, 0, 0, 0);
    while next < end {
        let mut child = Command::new(&program)
            .args(["--work", &next.to_string(), &end.to_string()])
            .stdout(Stdio::piped())
            .spawn()
            .expect("this program again");
        let output = child.stdout.take().expect("a pipe");
        let mut at_the_peer = false;
        for line in BufReader::new(output).lines() {
            let line = line.expect("text");
            if line == "the peer" {
                at_the_peer = true;
                continue;
            }
            println!("{line}");
            let verdict = line.rsplit(": ").next().unwrap_or_default();
            match verdict {
                EQUAL => equal += 1,
                _ if verdict.starts_with(INVALID) => invalid += 1,
                SKIPPED => return ExitCode::SUCCESS,
                _ => wrong += 1,
            }
            at_the_peer = false;
            next += 1;
        }
        let status = child.wait().expect("how it ended");
        if next < end {
            let by = if at_the_peer { "supraseal-c2" } else { "cuzk" };
            println!("{}: THE PROCESS ENDED IN {by}: {status}", name(next));
            died += usize::from(at_the_peer);
            wrong += usize::from(!at_the_peer);
            next += 1;
        }
    }
    println!(
        "{} cases: {equal} equal, {invalid} where supraseal-c2's proof does not verify, {died} where \
         it ended the process, {wrong} wrong",
        end - first
    );
    ExitCode::from(u8::from(wrong > 0))
}

const EQUAL: &str = "equal";
const INVALID: &str = "the peer's is not valid";
const SKIPPED: &str = "no GPU, skipped";

fn name(index: usize) -> String {
    let case = cases()[index];
    format!(
        "case {index}, {} rows, {} inputs, {} variables, density {:?}, values {:?}",
        case.rows, case.inputs, case.aux, case.density, case.values
    )
}

/// Compares the provers on the cases, a line each.
fn work(first: usize, end: usize) {
    let devices = match gpu::select(None) {
        Ok(devices) => devices,
        Err(error) => return println!("{error}: {SKIPPED}"),
    };
    let options = GpuOptions {
        device_bytes: Some(devices[0].free_bytes.saturating_sub(PEER_BYTES)),
        ..GpuOptions::default()
    };
    let device = GpuBackend::open(&devices[0], &options).expect("a device");
    let folder = std::env::temp_dir().join(format!("supraseal-equality-{}", std::process::id()));
    std::fs::create_dir(&folder).expect("a scratch folder");
    let done = Arc::new(AtomicUsize::new(0));
    std::thread::spawn({
        let done = done.clone();
        move || end_when_nothing_moves(&done)
    });
    for (index, case) in cases().into_iter().enumerate().take(end).skip(first) {
        println!("{}: {}", name(index), compare(&device, &case, &folder));
        done.fetch_add(1, Ordering::Relaxed);
    }
    std::fs::remove_dir_all(&folder).expect("removing the scratch folder");
}

/// Ends the process when a case hangs; the watching one goes on behind it.
fn end_when_nothing_moves(done: &AtomicUsize) {
    let mut before = usize::MAX;
    loop {
        let now = done.load(Ordering::Relaxed);
        if now == before {
            eprintln!("nothing moved for {LONGEST:?}");
            std::process::abort();
        }
        before = now;
        std::thread::sleep(LONGEST);
    }
}

fn compare(device: &GpuBackend, case: &Edge, folder: &Path) -> String {
    let paths = SetupPaths {
        params: folder.join("params"),
        vk: folder.join("vk"),
        meta: None,
    };
    let circuit = CompiledCircuit::record(*case).expect("the circuit");
    assert_eq!(circuit.shape().rows, case.rows, "rows of the circuit");
    write_parameters(&circuit, &[7; 32], &paths, &mut |_| ()).expect("parameters");
    let witness = synthesize(*case).expect("the witness");
    let [a, b, c] = circuit.evaluate(&witness).expect("rows");
    let aux: Vec<Scalar> = (0..witness.aux.len()).map(|i| witness.aux.get(i)).collect();
    let assignment = Assignment {
        rows: Rows::Given {
            a: &a,
            b: &b,
            c: &c,
        },
        input: &witness.input,
        aux: AuxAssignment::Scalars(&aux),
        a_aux_density: circuit.a_aux_density(),
        b_input_density: circuit.b_input_density(),
        b_aux_density: circuit.b_aux_density(),
    };
    let mut random = XorShiftRng::seed_from_u64(case.seed);
    let (other_r, other_s) = (Scalar::random(&mut random), Scalar::random(&mut random));
    // As one batch, as the peer's callers prove: on the edges and at random.
    let r = [Scalar::ZERO, Scalar::ONE, -Scalar::ONE, other_r];
    let s = [Scalar::ZERO, -Scalar::ONE, Scalar::ONE, other_s];

    let ours = |backend: &dyn Backend| -> Vec<Proof> {
        let file = ParameterFile::open(&paths.params).expect("the parameter file");
        let srs = backend.load_srs(&file, Checks::Curve, &Cancel::default());
        let srs = srs.expect("parameters");
        let one = |(r, s): (&Scalar, &Scalar)| {
            let (cancel, mut timings) = (Cancel::default(), Timings::default());
            prove(backend, &*srs, &assignment, *r, *s, &cancel, &mut timings).expect("a proof")
        };
        r.iter().zip(&s).map(one).collect()
    };
    let by_gpu = ours(device);
    let by_cpu = ours(&CpuBackend);
    let parameters = std::fs::read(&paths.params).expect("the parameter file");
    let parameters = reference::Parameters::<Bls12>::read(&parameters[..], false);
    let by_bellperson = reference::create_proof_batch::<Bls12, _, _>(
        vec![*case; r.len()],
        &parameters.expect("bellperson's parameters"),
        r.to_vec(),
        s.to_vec(),
    )
    .expect("bellperson's proofs");
    let by_bellperson: Vec<Proof> = by_bellperson
        .iter()
        .map(|proof| Proof {
            a: proof.a,
            b: proof.b,
            c: proof.c,
        })
        .collect();
    println!("the peer");
    std::io::stdout().flush().expect("standard output");
    let by_peer = catch_unwind(AssertUnwindSafe(|| {
        Peer::open(paths.params.clone()).prove(&assignment, &r, &s)
    }));

    let file = ParameterFile::open(&paths.params).expect("the parameter file");
    let key = PreparedKey::new(file.verifying_key());
    let valid = |proof: &Proof| key.verify(&witness.input[1..], proof).expect("a verdict");
    for path in [&paths.params, &paths.vk] {
        std::fs::remove_file(path).expect("removing parameters");
    }
    if !by_gpu.iter().all(valid) {
        return "CUZK'S PROOF DOES NOT VERIFY".to_string();
    }
    for (who, others) in [("its CPU's", &by_cpu), ("bellperson's", &by_bellperson)] {
        if let Some(parts) = differing(&by_gpu, others) {
            return format!("CUZK'S ON THE GPU DIFFERS FROM {who}, in {parts}");
        }
    }
    let by_peer = match by_peer {
        Ok(proofs) => proofs,
        Err(_) => return format!("{INVALID}, it panicked"),
    };
    match differing(&by_gpu, &by_peer) {
        None => EQUAL.to_string(),
        Some(parts) => match by_peer.iter().all(valid) {
            true => format!("SUPRASEAL-C2'S IS VALID AND ANOTHER, in {parts}"),
            false => format!("{INVALID}, other in {parts}"),
        },
    }
}

/// The numbers of the proofs and the parts in which they differ, by their bytes.
fn differing(proofs: &[Proof], others: &[Proof]) -> Option<String> {
    let parts = |(i, (proof, other)): (usize, (&Proof, &Proof))| {
        if proof.to_bytes() == other.to_bytes() && proof == other {
            return None;
        }
        let parts = [
            ("a", proof.a != other.a),
            ("b", proof.b != other.b),
            ("c", proof.c != other.c),
        ];
        let names = parts.iter().filter(|part| part.1).map(|part| part.0);
        Some(format!("{i}{}", names.collect::<String>()))
    };
    let differing: Vec<String> = proofs
        .iter()
        .zip(others)
        .enumerate()
        .filter_map(parts)
        .collect();
    (!differing.is_empty()).then(|| differing.join(" "))
}
