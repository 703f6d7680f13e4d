// SPDX-License-Identifier: MIT OR Apache-2.0

//! Compares the native witness of a whole partition with the circuit's own, and times it.
//!
//!     cargo run --release --example check-native-witness -- --sector-size 32GiB
//!
//! The sector is made up (`--seed`), or read from a Commit-1 output (`--c1`). At 32 GiB the
//! circuit's closures need most of a minute of one core; `--no-circuit` leaves the comparison out
//! and only times the native witness.

#[path = "../tests/common/witness.rs"]
#[allow(dead_code)]
mod witness;

use std::process::ExitCode;
use std::time::Instant;

use cuzk::filecoin::synthetic::{Plan, SyntheticC1};
use cuzk::filecoin::witness::{NativeWitness, Sector};
use cuzk::filecoin::{porep, SealProof, SectorSize, Variant, C1};
use cuzk::{Error, ErrorKind, Result};
use witness::{first_difference, flipped};

struct Options {
    sector_size: SectorSize,
    variant: Variant,
    seed: u64,
    c1: Option<String>,
    partition: usize,
    runs: usize,
    circuit: bool,
}

fn main() -> ExitCode {
    match options().and_then(|options| check(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("check-native-witness: {error}");
            ExitCode::FAILURE
        }
    }
}

fn check(options: &Options) -> Result<()> {
    let json = match &options.c1 {
        Some(path) => {
            std::fs::read(path).map_err(|e| Error::io(std::path::Path::new(path), "reading", &e))?
        }
        None => made_up(options)?,
    };
    let c1 = timed("parse C1", || C1::parse(&json))?;
    println!("registered proof: {}", c1.proof());
    drop(json);

    let k = options.partition;
    let challenges = c1.partitions().get(k).ok_or_else(|| {
        let text = format!("no partition {k}, there are {}", c1.partitions().len());
        Error::new(ErrorKind::InvalidArgument, text)
    })?;
    let sector = Sector::from(c1.head());
    let native = timed("prepare the shape", || {
        NativeWitness::new(c1.proof().shape())
    })?;
    println!("auxiliary variables of a partition: {}", native.aux_len());

    let before = peak_memory();
    let witness = native.partition(&sector, challenges)?;
    if let (Some(before), Some(after)) = (before, peak_memory()) {
        println!("peak memory before and after the first witness: {before} and {after} MiB");
    }
    let cpu_before = cpu_seconds();
    let mut times: Vec<f64> = (0..options.runs)
        .map(|_| {
            let start = Instant::now();
            native
                .partition(&sector, challenges)
                .map(|_| start.elapsed().as_secs_f64())
        })
        .collect::<Result<_>>()?;
    times.sort_by(f64::total_cmp);
    if let Some(median) = times.get(times.len() / 2) {
        let threads = rayon::current_num_threads();
        println!(
            "native witness: median of {} runs {:.1} ms on {threads} threads",
            times.len(),
            1e3 * median
        );
    }
    if let (Some(before), Some(after), 1..) = (cpu_before, cpu_seconds(), times.len()) {
        let each = 1e3 * (after - before) / times.len() as f64;
        println!("CPU time of a native witness: mean {each:.0} ms");
    }
    println!(
        "full values: {} of {}",
        witness.aux.values().len(),
        witness.aux.len()
    );
    if !options.circuit {
        return Ok(());
    }

    let expected = timed("the circuit's closures", || porep::synthesize(&c1, k))?;
    if witness.input != expected.input {
        return Err(differs("public inputs"));
    }
    if witness.input[1..] != porep::public_inputs(c1.head(), k)? {
        return Err(differs("public inputs and what a verifier derives"));
    }
    if let Some(i) = first_difference(&witness.aux, &expected.aux) {
        return Err(differs(&format!("auxiliary value {i}")));
    }
    println!(
        "equal: {} inputs, {} values",
        witness.input.len(),
        witness.aux.len()
    );

    for i in [0, witness.aux.len() / 2, witness.aux.len() - 1] {
        let seen = first_difference(&flipped(&witness.aux, i), &expected.aux);
        if seen != Some(i) {
            return Err(differs(&format!("a flipped value {i} was not noticed, it")));
        }
    }
    let mut swapped = challenges.to_vec();
    swapped.swap(0, 1);
    if native.partition(&sector, &swapped)?.input == expected.input {
        return Err(differs("two swapped challenges were not noticed, they"));
    }
    println!("a flipped first, middle or last value and two swapped challenges are noticed");
    Ok(())
}

/// A made-up Commit-1 output.
fn made_up(options: &Options) -> Result<Vec<u8>> {
    let proof = SealProof::new(options.variant, options.sector_size);
    let plan = Plan::new(proof)?;
    let c1 = timed("make up C1", || SyntheticC1::new(&plan, options.seed))?;
    let mut json = Vec::new();
    timed("write C1", || c1.write(proof, &mut json))?;
    println!("C1 output: {} bytes", json.len());
    Ok(json)
}

fn differs(what: &str) -> Error {
    Error::new(ErrorKind::SelfCheckFailed, format!("{what} differ"))
}

fn timed<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let start = Instant::now();
    let result = work()?;
    println!("{what}: {:.3} s", start.elapsed().as_secs_f64());
    Ok(result)
}

/// CPU time of this process so far, to a hundredth of a second; Linux only.
fn cpu_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // After the name in parentheses: user and system time are the 12th and 13th fields.
    let fields = stat.rsplit(')').next()?.split_whitespace();
    let ticks: Vec<u32> = fields
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse().ok())
        .collect();
    Some(f64::from(ticks.iter().sum::<u32>()) / 100.0)
}

/// The most memory that this process had, in MiB; Linux only.
fn peak_memory() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib / 1024)
}

fn options() -> Result<Options> {
    let mut options = Options {
        sector_size: SectorSize::Kib2,
        variant: Variant::V1_1,
        seed: 1,
        c1: None,
        partition: 0,
        runs: 5,
        circuit: true,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let mut value = || {
            let text = format!("{name} needs a value");
            arguments
                .next()
                .ok_or_else(|| Error::new(ErrorKind::InvalidArgument, text))
        };
        match name.as_str() {
            "--sector-size" => options.sector_size = SectorSize::parse(&value()?)?,
            "--v1" => options.variant = Variant::V1,
            "--seed" => options.seed = number(&name, &value()?)?,
            "--c1" => options.c1 = Some(value()?),
            "--partition" => options.partition = number(&name, &value()?)? as usize,
            "--runs" => options.runs = number(&name, &value()?)? as usize,
            "--no-circuit" => options.circuit = false,
            _ => {
                let text = format!("unknown argument {name}");
                return Err(Error::new(ErrorKind::InvalidArgument, text));
            }
        }
    }
    Ok(options)
}

fn number(name: &str, text: &str) -> Result<u64> {
    text.parse().map_err(|_| {
        Error::new(
            ErrorKind::InvalidArgument,
            format!("{name}: {text} is no number"),
        )
    })
}
