// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cuzk prove`: one sector, or several of which a bad one does not fail the others.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use std::time::Instant;

use cuzk::filecoin::c2::{self, Output, Progress, Request};
use cuzk::filecoin::Head;
use cuzk::{Error, ErrorKind, Result};
use cuzk_prover::circuit::Origin;
use cuzk_prover::schedule::Context;
use serde_json::{json, Value};

use crate::args::{ProveArgs, ProverArgs};
use crate::input::{self, hex};
use crate::output;
use crate::report::{self, say, seconds, timings_json, timings_table, SectorLines};
use crate::Outcome;

pub fn run(args: &ProveArgs) -> Result<Outcome> {
    match args.c1.as_slice() {
        [path] => one(args, path),
        paths => several(args, paths),
    }
}

/// One sector: its timings on standard error, its proof or all of it as JSON on standard output.
fn one(args: &ProveArgs, path: &Path) -> Result<Outcome> {
    let sector_number = numbers(args, 1)?[0];
    let request = asked(args, path, sector_number)?;
    let proof = request.proof();
    let context = args.context.open()?;
    say!(
        "{proof}, sector {}, {} partitions on {}",
        number_of(&request),
        proof.partitions(),
        context.info()?.backends.join(", ")
    );
    let out = match &args.out_dir {
        Some(folder) => Some(proof_path(folder, path)),
        None => args.out.clone(),
    };

    let lines = SectorLines::new(1);
    let line = lines.begin(0, "", proof.partitions());
    let result = prove(&context, &request, &|progress| line.show(progress));
    line.clear();
    let output = result?;

    say!("{}", timings_table(&output.timings).trim_end());
    say!(
        "proof of {} bytes, verified, in {}; {} witness, {} circuit",
        output.proof.len(),
        seconds(output.timings.total),
        output.witness.name(),
        output.circuit.map_or("no", Origin::name)
    );
    if let Some(path) = &out {
        output::write(path, &output.proof)?;
        say!("written to {}", path.display());
    }
    if args.json {
        report::print_json(&document(&request, &output))?;
    } else if out.is_none() {
        report::print(&hex(&output.proof))?;
    }
    Ok(Outcome::Done)
}

/// What became of one of several sectors.
struct Finished {
    sector_number: Option<u64>,
    result: Result<Value>,
}

/// Several sectors: a line on standard error for each as it ends, and a summary. Standard output
/// gets the sector number and the proof in hex, or everything as one JSON document.
fn several(args: &ProveArgs, paths: &[PathBuf]) -> Result<Outcome> {
    let numbers = numbers(args, paths.len())?;
    if args.out.is_some() {
        return Err(invalid(format!(
            "--out names one file, {} C1 outputs were given: name a folder with --out-dir",
            paths.len()
        )));
    }
    if let Some(folder) = &args.out_dir {
        check_names(folder, paths)?;
    }
    let start = Instant::now();
    let context = args.context.open()?;
    say!(
        "{} sectors on {}",
        paths.len(),
        context.info()?.backends.join(", ")
    );

    let lines = SectorLines::new(paths.len());
    let next = AtomicUsize::new(0);
    let finished: Vec<Mutex<Option<Finished>>> = paths.iter().map(|_| Mutex::new(None)).collect();
    let work = || loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        let (Some(path), Some(slot)) = (paths.get(index), finished.get(index)) else {
            return;
        };
        let done = sector(args, &context, &lines, (index, path), numbers[index]);
        if let Ok(mut slot) = slot.lock() {
            *slot = Some(done);
        }
    };
    std::thread::scope(|scope| {
        let others = args.at_once.min(paths.len()).saturating_sub(1);
        for _ in 0..others {
            scope.spawn(work);
        }
        work();
    });

    let mut sectors = Vec::with_capacity(paths.len());
    let mut failed = 0;
    for (path, slot) in paths.iter().zip(finished) {
        let done = slot.into_inner().ok().flatten();
        let done = done.ok_or_else(|| {
            let text = format!("{}: it was not reached", path.display());
            Error::new(ErrorKind::Internal, text)
        })?;
        failed += usize::from(done.result.is_err());
        sectors.push(entry(path, done));
    }
    let proved = sectors.len() - failed;
    say!(
        "{proved} of {} proved, {failed} failed, in {}",
        sectors.len(),
        seconds(start.elapsed())
    );
    if args.json {
        let document = json!({ "proved": proved, "failed": failed, "sectors": sectors });
        report::print_json(&document)?;
    }
    match failed {
        0 => Ok(Outcome::Done),
        _ => Ok(Outcome::SomeFailed),
    }
}

/// Proves one of several sectors and says so.
fn sector(
    args: &ProveArgs,
    context: &Context,
    lines: &SectorLines,
    (index, path): (usize, &Path),
    number: Option<u64>,
) -> Finished {
    let start = Instant::now();
    let name = path.display().to_string();
    let mut sector_number = number;
    let mut attempt = || -> Result<Value> {
        let request = asked(args, path, number)?;
        let number = number_of(&request);
        sector_number = Some(number);
        let line = lines.begin(index, &name, request.proof().partitions());
        let output = prove(context, &request, &|progress| line.show(progress));
        line.clear();
        let output = output?;
        match &args.out_dir {
            Some(folder) => output::write(&proof_path(folder, path), &output.proof)?,
            None if args.json => {}
            None => report::print(&format!("{number} {}", hex(&output.proof)))?,
        }
        Ok(document(&request, &output))
    };
    let result = attempt();
    let sector = match sector_number {
        Some(number) => format!("sector {number}"),
        None => "sector unknown".to_owned(),
    };
    lines.end(match &result {
        Ok(_) => format!(
            "{}/{} {name}: {sector}, proved in {}",
            index + 1,
            lines.total(),
            seconds(start.elapsed())
        ),
        Err(error) => format!(
            "{}/{} {name}: {sector}, failed: {}",
            index + 1,
            lines.total(),
            without_name(error.message(), &name)
        ),
    });
    Finished {
        sector_number,
        result,
    }
}

/// An error's text without the file's name in front, where the line has it already.
fn without_name<'a>(message: &'a str, name: &str) -> &'a str {
    let rest = message.strip_prefix(name);
    rest.and_then(|rest| rest.strip_prefix(": "))
        .unwrap_or(message)
}

/// A sector's place in the JSON of several.
fn entry(path: &Path, done: Finished) -> Value {
    let mut document = match done.result {
        Ok(document) => document,
        Err(error) => json!({
            "sector_number": done.sector_number,
            "error": error.message(),
            "status": cuzk::ffi::status::name(error.kind()),
        }),
    };
    document["file"] = json!(path.display().to_string());
    document
}

fn prove(
    context: &Context,
    request: &Request,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Output> {
    c2::prove(
        context,
        request,
        &c2::Options {
            progress: Some(progress),
            ..Default::default()
        },
    )
}

/// The sector numbers given: none, or one for each C1 output.
fn numbers(args: &ProveArgs, outputs: usize) -> Result<Vec<Option<u64>>> {
    match args.sector_number.len() {
        0 => Ok(vec![None; outputs]),
        given if given == outputs => Ok(args.sector_number.iter().copied().map(Some).collect()),
        given => Err(invalid(format!(
            "{given} sector numbers for {outputs} C1 outputs: give one for each, in their order, \
             or none"
        ))),
    }
}

/// Where the proof of a C1 output goes in a folder.
fn proof_path(folder: &Path, c1: &Path) -> PathBuf {
    let mut name = c1.file_name().unwrap_or("stdin".as_ref()).to_owned();
    if c1 == Path::new("-") {
        name = "stdin".into();
    }
    name.push(".proof");
    folder.join(name)
}

/// Refuses C1 outputs whose proofs would replace each other, before anything is proved.
fn check_names(folder: &Path, paths: &[PathBuf]) -> Result<()> {
    if !folder.is_dir() {
        return Err(invalid(format!(
            "--out-dir {}: no such folder",
            folder.display()
        )));
    }
    let mut seen = HashSet::new();
    for path in paths {
        let target = proof_path(folder, path);
        if !seen.insert(target.clone()) {
            return Err(invalid(format!(
                "two proofs would be written to {}: give each C1 output a name of its own",
                target.display()
            )));
        }
    }
    Ok(())
}

fn document(request: &Request, output: &Output) -> Value {
    let statement = request.statement();
    json!({
        "registered_proof": request.proof().name(),
        "sector_number": number_of(request),
        "prover_id": statement.map(|statement| hex(&statement.prover_id)),
        "proof": hex(&output.proof),
        "backend": output.backend,
        "witness": output.witness.name(),
        "circuit": output.circuit.map(Origin::name),
        "timings": timings_json(&output.timings),
        "partitions": output.partitions.iter().map(timings_json).collect::<Vec<_>>(),
    })
}

/// The number of the sector, which every request here states.
fn number_of(request: &Request) -> u64 {
    let statement = request.statement();
    statement.map_or(0, |statement| statement.sector_number)
}

/// What is to be proved of a Commit-1 output.
fn asked(args: &ProveArgs, path: &Path, sector_number: Option<u64>) -> Result<Request> {
    let request = request(&args.prover, path, sector_number)?;
    Ok(match args.circuit_proofs {
        true => request.into_circuit_proofs(),
        false => request,
    })
}

/// Reads a Commit-1 output and finds out whose it is.
pub fn request(prover: &ProverArgs, path: &Path, sector_number: Option<u64>) -> Result<Request> {
    request_of(prover, path, sector_number, &input::read(path)?)
}

pub fn request_of(
    prover: &ProverArgs,
    path: &Path,
    sector_number: Option<u64>,
    bytes: &[u8],
) -> Result<Request> {
    let in_file = |error: Error| error.context(path.display());
    let prover_id = input::prover_id(prover.actor_id, prover.prover_id)?;
    let sector_number = match sector_number {
        Some(number) => number,
        None => Head::parse(bytes)
            .and_then(|head| input::sector_number(None, &head))
            .map_err(in_file)?,
    };
    Request::new(bytes, &prover_id, sector_number).map_err(in_file)
}

fn invalid(text: String) -> Error {
    Error::new(ErrorKind::InvalidArgument, text)
}
