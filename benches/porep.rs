// SPDX-License-Identifier: MIT OR Apache-2.0

//! What a PoRep partition costs before the multi-scalar multiplications: its witness, its compiled
//! circuit made and loaded; and the whole of C2 at 2 KiB with both, beside C2 through
//! filecoin-proofs' circuit with all rows recorded and the witness by its closures.
//!
//! `cargo bench --bench porep [-- SECTOR_SIZE [ROUNDS]]`; 32GiB and 3 unless given. Every
//! measurement runs in a process of its own, so that its peak memory is its own; the two ways of
//! C2 alternate, and each starts with nothing loaded. Figures are medians of the rounds. The
//! 2 KiB parameters are those in FIL_PROOFS_PARAMETER_CACHE or the folder of Filecoin's programs;
//! `make parameters` makes development parameters in target/tmp/parameters. Linux only.

#[path = "../tests/common/mod.rs"]
mod common;

use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};

use common::c1::{Fixture, V1_1};
use cuzk::filecoin::c2::{self, Request, WitnessMethod};
use cuzk::filecoin::synthetic::{Plan, SyntheticC1};
use cuzk::filecoin::witness::{NativeWitness, Sector};
use cuzk::filecoin::{porep, SealProof, SectorSize, Variant, C1};
use cuzk::{Error, ErrorKind, Result};
use cuzk_prover::backend::BackendChoice;
use cuzk_prover::schedule::{Context, Options};

/// What a child process measured; it travels as one line of numbers.
#[derive(Clone, Copy, Debug)]
struct Run {
    wall: Duration,
    cpu: Duration,
    /// The most memory beside what was resident before.
    peak: u64,
    /// The size of what was made.
    bytes: u64,
}

impl Run {
    /// Does `work` so many times and takes the median times, and the peak of the first.
    fn measure(times: usize, mut work: impl FnMut() -> Result<u64>) -> Result<Self> {
        let before = reset_peak()?;
        let mut runs: Vec<Self> = Vec::new();
        for _ in 0..times {
            let (wall, cpu) = (Instant::now(), cpu_time());
            let bytes = work()?;
            runs.push(Self {
                wall: wall.elapsed(),
                cpu: cpu_time() - cpu,
                peak: match runs.first() {
                    None => status("VmHWM:")?.saturating_sub(before),
                    Some(first) => first.peak,
                },
                bytes,
            });
        }
        Ok(Self::median(&runs))
    }

    fn median(runs: &[Self]) -> Self {
        fn middle<T: Ord + Copy>(runs: &[Run], of: impl Fn(&Run) -> T) -> T {
            let mut values: Vec<T> = runs.iter().map(of).collect();
            values.sort();
            values[values.len() / 2]
        }
        Self {
            wall: middle(runs, |run| run.wall),
            cpu: middle(runs, |run| run.cpu),
            peak: middle(runs, |run| run.peak),
            bytes: middle(runs, |run| run.bytes),
        }
    }

    fn print(&self) {
        let [wall, cpu] = [self.wall, self.cpu].map(|time| time.as_nanos());
        println!("{wall} {cpu} {} {}", self.peak, self.bytes);
    }

    fn parse(line: &str) -> Option<Self> {
        let mut numbers = line.split_whitespace().map(|word| word.parse().ok());
        let mut number = || numbers.next()?;
        Some(Self {
            wall: Duration::from_nanos(number()?),
            cpu: Duration::from_nanos(number()?),
            peak: number()?,
            bytes: number()?,
        })
    }
}

/// The time of this process's threads together.
fn cpu_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: writes the one timespec that it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn failed(text: impl Into<String>) -> Error {
    Error::new(ErrorKind::Internal, text)
}

/// An entry of this process's status, in bytes.
fn status(name: &str) -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    Ok(1024 * kib.ok_or_else(|| failed(format!("no {name} in /proc/self/status")))?)
}

/// Lets the most resident memory be counted from here, and says what is resident.
fn reset_peak() -> Result<u64> {
    std::fs::write("/proc/self/clear_refs", "5")
        .map_err(|error| failed(format!("/proc/self/clear_refs: {error}")))?;
    status("VmRSS:")
}

/// The Commit-1 output of a made-up sector.
fn made_up(size: SectorSize) -> Result<C1> {
    let proof = SealProof::new(Variant::V1_1, size);
    let mut json = Vec::new();
    SyntheticC1::new(&Plan::new(proof)?, 1)?.write(proof, &mut json)?;
    C1::parse(&json)
}

fn native(size: SectorSize, times: usize) -> Result<Run> {
    let c1 = made_up(size)?;
    let native = NativeWitness::new(c1.proof().shape())?;
    let sector = Sector::from(c1.head());
    Run::measure(times, || {
        let witness = black_box(native.partition(&sector, &c1.partitions()[0])?);
        let aux = &witness.aux;
        let bitmaps = [aux.ones(), aux.full()];
        let bits = bitmaps.map(|map| size_of_val(map.words()) + size_of_val(map.ranks()));
        Ok((bits.iter().sum::<usize>() + size_of_val(aux.values())) as u64)
    })
}

fn closures(size: SectorSize) -> Result<Run> {
    let c1 = made_up(size)?;
    Run::measure(1, || black_box(porep::synthesize(&c1, 0)).map(|_| 0))
}

/// C2 from the bytes of the Commit-1 output to the verified proof, on the CPU.
fn whole_c2(method: WitnessMethod) -> Result<Run> {
    let fixture = Fixture::load(V1_1);
    let sector = &fixture.sector;
    Run::measure(1, || {
        let context = Context::new(Options {
            backend: Some(BackendChoice::Cpu),
            ..Options::default()
        })?;
        let request = Request::new(&fixture.c1, &sector.prover_id, sector.sector_number)?;
        let options = c2::Options {
            witness: method,
            ..c2::Options::default()
        };
        let output = c2::prove(&context, &request, &options)?;
        let origin = output.circuit.map_or("no", |origin| origin.name());
        eprintln!(
            "  {} witness, {origin} circuit: {:.1?}",
            method.name(),
            output.timings
        );
        Ok(0)
    })
}

/// One measurement, in this process.
fn child(what: &str, size: SectorSize) -> Result<Run> {
    match what {
        "native" => native(size, 21),
        "native 2KiB" => native(SectorSize::Kib2, 201),
        "closures 2KiB" => closures(SectorSize::Kib2),
        "make" => Run::measure(1, || Ok(porep::compile(&size.shape())?.bytes() as u64)),
        "load" => Run::measure(5, || Ok(porep::load(size)?.bytes() as u64)),
        "c2 native" => whole_c2(WitnessMethod::Native),
        "c2 closures" => whole_c2(WitnessMethod::Closures),
        _ => Err(failed(format!("no measurement {what}"))),
    }
}

fn in_child(what: &str, size: SectorSize) -> Result<Run> {
    let program = std::env::current_exe().map_err(|error| failed(error.to_string()))?;
    let output = Command::new(program)
        .args(["--child", what, size.name()])
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|error| failed(format!("{what}: {error}")))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let run = text.lines().find_map(Run::parse);
    run.ok_or_else(|| failed(format!("{what} ended with {}", output.status)))
}

fn load_average() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().unwrap_or("?").to_owned()
}

fn report(size: SectorSize, rounds: usize) -> Result<()> {
    let before = load_average();
    let plan = [
        ("native", format!("native witness of a {size} partition")),
        ("native 2KiB", "native witness of a 2KiB partition".into()),
        (
            "closures 2KiB",
            "the same through the circuit's closures".into(),
        ),
        ("make", format!("compiled {size} circuit: made")),
        ("load", format!("compiled {size} circuit: loaded")),
        (
            "c2 closures",
            "whole 2KiB C2: all rows recorded, closures".into(),
        ),
        (
            "c2 native",
            "whole 2KiB C2: saved circuit, native witness".into(),
        ),
    ];
    let mut runs = vec![Vec::new(); plan.len()];
    for round in 1..=rounds {
        eprintln!("round {round} of {rounds}, load {}", load_average());
        for ((what, _), runs) in plan.iter().zip(&mut runs) {
            runs.push(in_child(what, size)?);
        }
    }
    println!(
        "{} threads, medians of {rounds}, load average {before} before and {} after",
        rayon::current_num_threads(),
        load_average()
    );
    println!("| what | wall | CPU | peak memory | size |\n|---|---|---|---|---|");
    for ((_, name), runs) in plan.iter().zip(&runs) {
        let run = Run::median(runs);
        let [wall, cpu] = [run.wall, run.cpu].map(|time| time.as_secs_f64());
        let bytes = match run.bytes {
            0 => String::new(),
            bytes => format!("{:.1} MB", bytes as f64 / 1e6),
        };
        println!(
            "| {name} | {wall:.3} s | {cpu:.3} s | {:.0} MB | {bytes} |",
            run.peak as f64 / 1e6
        );
    }
    println!("saved form: {} bytes", porep::saved(size).len());
    Ok(())
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, what, size] = &arguments[..] {
        if flag == "--child" {
            child(what, SectorSize::parse(size)?)?.print();
            return Ok(());
        }
    }
    let mut size = SectorSize::Gib32;
    let mut rounds = 3;
    // Cargo adds a flag of its own.
    for argument in arguments
        .iter()
        .filter(|argument| !argument.starts_with("--"))
    {
        match argument.parse() {
            Ok(count) => rounds = std::cmp::max(count, 1),
            Err(_) => size = SectorSize::parse(argument)?,
        }
    }
    report(size, rounds)
}
