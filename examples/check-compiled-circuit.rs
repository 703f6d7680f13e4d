// SPDX-License-Identifier: MIT OR Apache-2.0

//! Loads the compiled circuit of a partition that the library carries, and compares every row with
//! the whole circuit as it is synthesized; shows that other coefficients are noticed.
//!
//!     cargo run --release --example check-compiled-circuit -- --sector-size 32GiB
//!
//! At 32 GiB the whole circuit takes minutes of one core and little memory; `--no-circuit` leaves
//! the comparison out. `--make` also compiles the circuit anew from those of one and of two
//! challenges, and compares the saved forms. `--evaluate` also makes the native witness of a made-up
//! sector, measures how long its rows take, checks that they hold, and shows that a changed bit and
//! two swapped challenges do not: at 32 GiB in 3.5 GB of memory.

#[path = "../tests/common/witness.rs"]
#[allow(dead_code)]
mod witness;

use std::process::ExitCode;
use std::time::Instant;

use cuzk::filecoin::synthetic::{Plan, SyntheticC1};
use cuzk::filecoin::witness::{NativeWitness, Sector};
use cuzk::filecoin::{porep, SealProof, SectorSize, Variant, C1};
use cuzk::{Error, ErrorKind, Result};
use cuzk_prover::backend::AuxAssignment;
use cuzk_prover::circuit::{CompiledCircuit, Witness};
use cuzk_prover::cpu::evaluate::{evaluate_every, EveryRow};
use cuzk_prover::curve::Scalar;
use ff::Field;
use witness::flipped;

struct Options {
    sector_size: SectorSize,
    circuit: bool,
    make: bool,
    evaluate: bool,
}

fn main() -> ExitCode {
    match options().and_then(|options| check(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("check-compiled-circuit: {error}");
            ExitCode::FAILURE
        }
    }
}

fn check(options: &Options) -> Result<()> {
    let shape = options.sector_size.shape();
    println!("{}: {shape:?}", options.sector_size);
    println!("{} threads", rayon::current_num_threads());
    let saved = porep::saved(options.sector_size);
    println!("saved form: {} bytes", saved.len());
    let compiled = timed("load", || porep::load(options.sector_size))?;
    describe(&compiled);
    if options.make {
        let made = timed("compile", || porep::compile(&shape))?;
        if made.save() != saved {
            return Err(different("the saved form of the circuit compiled anew"));
        }
        println!("equal: the saved forms; most memory {}", status("VmHWM:"));
    }
    if options.evaluate {
        evaluate(options.sector_size, &compiled)?;
    }
    if options.circuit {
        timed("compare with the whole circuit", || {
            porep::check(&shape, &compiled)
        })?;
        println!(
            "equal: {} rows, coefficients and densities",
            compiled.shape().rows
        );
        let changed = with_another_coefficient(saved);
        if CompiledCircuit::load(&changed, MOST_BYTES).is_ok() {
            return Err(different("the digest of a changed saved form"));
        }
        let changed = CompiledCircuit::load_unverified(&changed, MOST_BYTES)?;
        match porep::check(&shape, &changed) {
            Ok(()) => return Err(different("a circuit with another coefficient")),
            Err(refusal) => println!("another coefficient is noticed: {refusal}"),
        }
    }
    println!("peak memory: {}", status("VmHWM:"));
    Ok(())
}

/// More than any circuit takes.
const MOST_BYTES: u64 = 1 << 30;

/// The saved form with one bit of its first coefficient behind one and minus one changed.
fn with_another_coefficient(saved: &[u8]) -> Vec<u8> {
    let mut changed = saved.to_vec();
    // Behind a head of 44 bytes come three numbers, whose last bytes are below 128, and the
    // coefficient's length.
    let mut at = 44;
    for _ in 0..3 {
        at += 1 + saved[at..].iter().take_while(|byte| **byte >= 128).count();
    }
    changed[at + 1] ^= 64;
    changed
}

/// The error of something that a check should have noticed, or that should have been equal.
fn different(what: &str) -> Error {
    Error::new(
        ErrorKind::SelfCheckFailed,
        format!("{what} is not as it should be"),
    )
}

fn describe(compiled: &CompiledCircuit) {
    let shape = compiled.shape();
    let nonzeros: usize = shape.nonzeros.iter().sum();
    println!("{shape:?}");
    for piece in compiled.pieces() {
        let stride = piece.stride();
        println!(
            "{} rows, {} times, strides {} inputs and {} auxiliary variables",
            piece.rows(),
            piece.copies(),
            stride.input,
            stride.aux
        );
    }
    let stored: usize = compiled
        .pieces()
        .iter()
        .flat_map(|piece| piece.matrices())
        .map(|matrix| matrix.nonzeros())
        .sum();
    let bytes = compiled.bytes();
    println!(
        "{} coefficients, {nonzeros} non-zeros, {stored} stored; {bytes} bytes: {:.3} a non-zero, \
         {:.3} a stored one",
        compiled.coefficients().len(),
        bytes as f64 / nonzeros as f64,
        bytes as f64 / stored as f64
    );
    println!("memory now {}, most {}", status("VmRSS:"), status("VmHWM:"));
}

/// Measures the rows of a made-up sector's first partition.
fn evaluate(size: SectorSize, compiled: &CompiledCircuit) -> Result<()> {
    let proof = SealProof::new(Variant::V1_1, size);
    let mut json = Vec::new();
    SyntheticC1::new(&Plan::new(proof)?, 1)?.write(proof, &mut json)?;
    let c1 = C1::parse(&json)?;
    drop(json);
    let native = NativeWitness::new(c1.proof().shape())?;
    let (sector, challenges) = (Sector::from(c1.head()), &c1.partitions()[0]);
    let Witness { input, aux } = timed("native witness", || native.partition(&sector, challenges))?;
    // A quarter of the rows at a time: at 32 GiB all three vectors would be 12.5 GB.
    let step = 4;
    let mut seconds = [0.0; 2];
    for first in 0..step {
        let every = EveryRow { first, step };
        let rows = every.count(compiled.shape().rows);
        let mut values = [(); 3].map(|()| vec![Scalar::ZERO; rows]);
        let (start, cpu) = (Instant::now(), cpu_seconds());
        for (which, values) in values.iter_mut().enumerate() {
            evaluate_every(
                compiled,
                which,
                every,
                &input,
                AuxAssignment::Compact(&aux),
                values,
            )?;
        }
        seconds[0] += start.elapsed().as_secs_f64();
        seconds[1] += cpu_seconds() - cpu;
        let [a, b, c] = values;
        if let Some(row) = (0..rows).find(|&row| a[row] * b[row] != c[row]) {
            return Err(Error::new(
                ErrorKind::SelfCheckFailed,
                format!("row {} does not hold", first + row * step),
            ));
        }
    }
    let [wall, cpu] = seconds;
    println!("rows a, b, c from the packed witness, in quarters: {wall:.2} s, {cpu:.2} s of CPU");
    println!("a b = c holds on every row");

    // In the middle of the first challenge, so that the slow evaluation gets there soon.
    let bit = aux.len() / challenges.len() / 2;
    let mut swapped = challenges.to_vec();
    swapped.swap(0, 1);
    let others = [
        (format!("value {bit} changed"), flipped(&aux, bit)),
        (
            "the first two challenges swapped".to_string(),
            native.partition(&sector, &swapped)?.aux,
        ),
    ];
    for (what, aux) in others {
        let input = input.clone();
        match compiled.first_unsatisfied_row(&Witness { input, aux })? {
            Some(row) => println!("{what}: row {row} does not hold"),
            None => return Err(different(&what)),
        }
    }
    Ok(())
}

fn timed<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let result = work()?;
    println!(
        "{what}: {:.2} s, {:.2} s of CPU",
        start.elapsed().as_secs_f64(),
        cpu_seconds() - cpu
    );
    Ok(result)
}

/// CPU time of this process so far, to a hundredth of a second; Linux only, elsewhere zero.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name in parentheses: user and system time are the 12th and 13th fields.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(11).take(2);
    ticks
        .filter_map(|field| field.parse::<u32>().ok())
        .sum::<u32>() as f64
        / 100.0
}

/// An entry of this process's status; Linux only.
fn status(name: &str) -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.unwrap_or("unknown").trim().to_string()
}

fn options() -> Result<Options> {
    let invalid = |text| Error::new(ErrorKind::InvalidArgument, text);
    let mut options = Options {
        sector_size: SectorSize::Kib2,
        circuit: true,
        make: false,
        evaluate: false,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        match name.as_str() {
            "--sector-size" => {
                let size = arguments
                    .next()
                    .ok_or_else(|| invalid(format!("{name} needs a value")))?;
                options.sector_size = SectorSize::parse(&size)?;
            }
            "--no-circuit" => options.circuit = false,
            "--make" => options.make = true,
            "--evaluate" => options.evaluate = true,
            _ => return Err(invalid(format!("unknown argument {name}"))),
        }
    }
    Ok(options)
}
