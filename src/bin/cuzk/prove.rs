// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cuzk prove`.

use cuzk::filecoin::c2::{self, Request};
use cuzk::filecoin::Head;
use cuzk::{Error, Result};
use serde_json::json;

use crate::args::{ProveArgs, SectorArgs};
use crate::input::{self, hex};
use crate::report::{self, proof_bar, seconds, timings_json, timings_table};
use crate::Outcome;

pub fn run(args: &ProveArgs) -> Result<Outcome> {
    let request = request(&args.sector)?;
    let proof = request.proof();
    let context = args.context.open()?;
    eprintln!(
        "{proof}, sector {}, {} partitions on {}",
        request.statement().sector_number,
        proof.partitions(),
        context.info()?.backends.join(", ")
    );

    let (bar, progress) = proof_bar(proof.partitions());
    let result = c2::prove(
        &context,
        &request,
        &c2::Options {
            progress: Some(&progress),
            ..Default::default()
        },
    );
    bar.finish_and_clear();
    let output = result?;

    eprint!("{}", timings_table(&output.timings));
    eprintln!(
        "proof of {} bytes, verified, in {}",
        output.proof.len(),
        seconds(output.timings.total)
    );
    if let Some(path) = &args.out {
        std::fs::write(path, &output.proof).map_err(|e| Error::io(path, "writing", &e))?;
        eprintln!("written to {}", path.display());
    }
    if args.json {
        let statement = request.statement();
        let document = json!({
            "registered_proof": proof.name(),
            "sector_number": statement.sector_number,
            "prover_id": hex(&statement.prover_id),
            "proof": hex(&output.proof),
            "backend": output.backend,
            "witness": output.witness.name(),
            "timings": timings_json(&output.timings),
            "partitions": output.partitions.iter().map(timings_json).collect::<Vec<_>>(),
        });
        report::print_json(&document)?;
    } else if args.out.is_none() {
        report::print(&hex(&output.proof))?;
    }
    Ok(Outcome::Done)
}

/// Reads the Commit-1 output and finds out whose it is.
pub fn request(args: &SectorArgs) -> Result<Request> {
    let bytes = input::read(&args.c1)?;
    request_of(args, &bytes)
}

pub fn request_of(args: &SectorArgs, bytes: &[u8]) -> Result<Request> {
    let in_file = |error: Error| error.context(args.c1.display());
    let prover_id = input::prover_id(args.actor_id, args.prover_id)?;
    let sector_number = match args.sector_number {
        Some(number) => number,
        None => input::sector_number(None, &Head::parse(bytes).map_err(in_file)?)?,
    };
    Request::new(bytes, &prover_id, sector_number).map_err(in_file)
}
