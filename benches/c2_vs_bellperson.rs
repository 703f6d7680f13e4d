// SPDX-License-Identifier: MIT OR Apache-2.0

//! One PoRep partition of a real 2 KiB sector, proved by this library and by bellperson.
//!
//! Same circuit, parameters, blinding scalars and machine; runs alternate, each in a process of
//! its own so that its peak memory is its own. Both read the parameters while they prove, from a
//! file in the system's cache: this library a query at a time into its own memory, which it keeps,
//! bellperson through a mapping, as filecoin-proofs lets it. Both clocks run from the finished
//! witness to the proof. The two proofs must be equal. The same proof with all parameters in memory
//! before it starts, as in a process that proves many sectors, has a column of its own. Time of all
//! threads together is given beside the time on the clock, since other work on the machine
//! lengthens it less.
//!
//! `cargo bench --bench c2_vs_bellperson [-- ROUNDS]`; ROUNDS is 1 unless given. The parameters
//! are insecure development parameters, made once (a minute or two) and kept in the folder that
//! CUZK_BENCH_DIR names, else in `cuzk-bench` in the system's folder for temporary files.

#[path = "../tests/common/mod.rs"]
mod common;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use bellpepper_core::{Circuit, ConstraintSystem, SynthesisError};
use bellperson::groth16 as peer;
use blstrs::{Bls12, Scalar};
use common::c1::{Fixture, V1_1};
use common::porep::{blank_circuit_2kib, circuit_2kib};
use cuzk_prover::backend::{Assignment, AuxAssignment, Cancel, Rows};
use cuzk_prover::circuit::{synthesize, CompiledCircuit};
use cuzk_prover::cpu::CpuBackend;
use cuzk_prover::groth16::setup::{write_parameters, SetupPaths};
use cuzk_prover::groth16::{prove, Proof};
use cuzk_prover::srs::{Checks, HostSrs, ParameterFile, ResidentSrs};
use cuzk_prover::timing::Timings;

const OURS: &str = "cuzk";
const RESIDENT: &str = "resident";
const PEER: &str = "bellperson";

fn blinding() -> (Scalar, Scalar) {
    (Scalar::from(0x1234_5678), Scalar::from(0x9abc_def0))
}

/// Both clocks: that on the wall, and the time of this process's threads together.
#[derive(Clone, Copy)]
struct Clocks {
    wall: Instant,
    cpu: Duration,
}

impl Clocks {
    fn start() -> Self {
        Self {
            wall: Instant::now(),
            cpu: cpu_time(),
        }
    }
}

/// What a child process measured; it travels as one line of words.
struct Run {
    wall: Duration,
    cpu: Duration,
    peak_bytes: u64,
    proof: String,
}

impl Run {
    fn print(start: Clocks, proof: &Proof) {
        let (wall, cpu) = (start.wall.elapsed(), cpu_time() - start.cpu);
        let peak = resident_bytes("VmHWM");
        let proof = hex::encode(proof.to_bytes());
        println!("{} {} {peak} {proof}", wall.as_nanos(), cpu.as_nanos());
    }

    fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let mut number = || words.next()?.parse().ok();
        Some(Self {
            wall: Duration::from_nanos(number()?),
            cpu: Duration::from_nanos(number()?),
            peak_bytes: number()?,
            proof: words.next()?.into(),
        })
    }
}

fn cpu_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: writes the one timespec that it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Memory resident in this process: VmRSS now, VmHWM at most so far.
fn resident_bytes(which: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux's /proc");
    let line = status
        .lines()
        .find(|line| line.starts_with(which))
        .expect("a line of /proc/self/status");
    let kib: u64 = line
        .split_whitespace()
        .nth(1)
        .and_then(|n| n.parse().ok())
        .expect("a number");
    kib * 1024
}

fn parameters() -> PathBuf {
    let folder = std::env::var_os("CUZK_BENCH_DIR")
        .map_or_else(|| std::env::temp_dir().join("cuzk-bench"), PathBuf::from);
    folder.join("2kib.params")
}

fn make_parameters(path: &Path) {
    eprintln!(
        "making insecure development parameters in {}",
        path.display()
    );
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("the folder of parameters");
    let circuit = CompiledCircuit::record(blank_circuit_2kib(&Fixture::load(V1_1)));
    let paths = SetupPaths {
        params: path.into(),
        vk: path.with_extension("vk"),
        meta: None,
    };
    let circuit = circuit.expect("the circuit of 2 KiB");
    write_parameters(&circuit, &[7; 32], &paths, &mut |_| ()).expect("development parameters");
}

fn ours(path: &Path, resident: bool) {
    let fixture = Fixture::load(V1_1);
    let circuit = CompiledCircuit::record(blank_circuit_2kib(&fixture)).expect("the circuit");
    let witness = synthesize(circuit_2kib(&fixture)).expect("a witness");
    let file = ParameterFile::open(path).expect("the parameter file");
    let cancel = Cancel::default();
    let srs = HostSrs::on_demand(&file, Checks::Structure);
    if resident {
        srs.load(&cancel).expect("parameters");
    }
    eprintln!(
        "  {} MB resident, {} at most, before the proof",
        resident_bytes("VmRSS") >> 20,
        resident_bytes("VmHWM") >> 20
    );
    let start = Clocks::start();
    let assignment = Assignment {
        rows: Rows::Compiled(&circuit),
        input: &witness.input,
        aux: AuxAssignment::Compact(&witness.aux),
        a_aux_density: circuit.a_aux_density(),
        b_input_density: circuit.b_input_density(),
        b_aux_density: circuit.b_aux_density(),
    };
    let (r, s) = blinding();
    let mut timings = Timings::default();
    let proof = prove(&CpuBackend, &srs, &assignment, r, s, &cancel, &mut timings);
    let proof = proof.expect("a proof");
    Run::print(start, &proof);
    eprintln!(
        "  parameters {:.2?}, rows {:.2?}, transforms {:.2?}, h {:.2?}, l {:.2?}, a {:.2?}, \
         b_g1 {:.2?}, b_g2 {:.2?}",
        timings.parameter_load,
        timings.constraint_evaluation,
        timings.ntt,
        timings.msm_h,
        timings.msm_l,
        timings.msm_a,
        timings.msm_b_g1,
        timings.msm_b_g2
    );
}

/// Notes when the synthesis of a circuit ends: bellperson's prover starts with it.
struct Noted<'a, C>(C, &'a OnceLock<Clocks>);

impl<C: Circuit<Scalar>> Circuit<Scalar> for Noted<'_, C> {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let result = self.0.synthesize(cs);
        self.1.get_or_init(Clocks::start);
        result
    }
}

fn theirs(path: &Path) {
    let fixture = Fixture::load(V1_1);
    let parameters =
        peer::Parameters::<Bls12>::build_mapped_parameters(path.into(), false).expect("parameters");
    let end_of_synthesis = OnceLock::new();
    let circuit = Noted(circuit_2kib(&fixture), &end_of_synthesis);
    let (r, s) = blinding();
    let proof = peer::create_proof(circuit, &parameters, r, s).expect("a proof");
    let proof = Proof {
        a: proof.a,
        b: proof.b,
        c: proof.c,
    };
    Run::print(*end_of_synthesis.get().expect("a synthesis"), &proof);
}

fn run_child(side: &str, path: &Path) -> Run {
    let program = std::env::current_exe().expect("this program's path");
    let output = Command::new(program)
        .args(["--side", side])
        .arg(path)
        .stderr(std::process::Stdio::inherit())
        .output()
        .expect("a child process");
    let text = String::from_utf8_lossy(&output.stdout);
    let run = text.lines().find_map(Run::parse);
    run.unwrap_or_else(|| panic!("{side} ended with {} and printed {text:?}", output.status))
}

fn median<T: Ord + Copy>(mut values: Vec<T>) -> T {
    values.sort();
    values[values.len() / 2]
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let Some(at) = args.iter().position(|arg| arg == "--side") {
        let path = Path::new(&args[at + 2]);
        match args[at + 1].as_str() {
            OURS => ours(path, false),
            RESIDENT => ours(path, true),
            _ => theirs(path),
        }
        return;
    }
    let rounds = args
        .iter()
        .find_map(|arg| arg.parse().ok())
        .unwrap_or(1)
        .max(1);
    let path = parameters();
    if !path.exists() {
        make_parameters(&path);
    }
    let (mut ours, mut resident, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
    for round in 1..=rounds {
        eprintln!("round {round} of {rounds}");
        ours.push(run_child(OURS, &path));
        resident.push(run_child(RESIDENT, &path));
        theirs.push(run_child(PEER, &path));
    }
    let same = ours
        .iter()
        .chain(&resident)
        .chain(&theirs)
        .all(|run| run.proof == ours[0].proof);
    assert!(
        same,
        "the proofs of the same witness and blinding scalars differ"
    );

    type Clock = fn(&Run) -> Duration;
    let seconds =
        |runs: &[Run], clock: Clock| median(runs.iter().map(clock).collect()).as_secs_f64();
    let peak = |runs: &[Run]| median(runs.iter().map(|run| run.peak_bytes).collect()) as f64 / 1e9;
    println!(
        "PoRep 2 KiB, one partition, {} threads, medians of {rounds}",
        threads()
    );
    println!("{:<24}{RESIDENT:>13}{OURS:>13}{PEER:>13}{:>8}", "", "ratio");
    let clocks: [(&str, Clock); 2] = [
        ("witness to proof", |run| run.wall),
        ("the same, all threads", |run| run.cpu),
    ];
    for (name, clock) in clocks {
        let [kept, a, b] = [&resident, &ours, &theirs].map(|runs| seconds(runs, clock));
        println!(
            "{name:<24}{kept:>11.2} s{a:>11.2} s{b:>11.2} s{:>8.2}",
            b / a
        );
    }
    let [kept, a, b] = [&resident, &ours, &theirs].map(|runs| peak(runs));
    let name = "peak resident memory";
    println!(
        "{name:<24}{kept:>10.2} GB{a:>10.2} GB{b:>10.2} GB{:>8.2}",
        a / b
    );
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
