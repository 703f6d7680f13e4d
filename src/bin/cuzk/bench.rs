// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cuzk bench`.

use std::time::{Duration, Instant};

use cuzk::filecoin::c2::{self, Request, WitnessMethod};
use cuzk::Result;
use cuzk_prover::schedule::Context;
use serde_json::{json, Map, Value};

use crate::args::{BenchArgs, What};
use crate::input;
use crate::prove::request_of;
use crate::report::{self, median, say, seconds, table};
use crate::Outcome;

pub fn run(args: &BenchArgs) -> Result<Outcome> {
    let bytes = input::read(&args.c1)?;
    let request = request_from(args, &bytes)?;
    let context = args.context.open()?;
    let backend = context.info()?.backends.join(", ");
    say!(
        "{}, {} partitions on {backend}, {} runs",
        request.proof(),
        request.proof().partitions(),
        args.runs
    );
    // Parameters and circuit are loaded before anything is measured.
    if args.what.iter().any(|what| *what != What::Witness) {
        c2::warm_up(&context, request.proof(), &Default::default())?;
    }

    let mut measured = Vec::new();
    for what in &args.what {
        for (name, work) in works(*what, args, &context, &request, &bytes) {
            let times: Vec<Duration> = (0..args.runs).map(|_| work()).collect::<Result<_>>()?;
            measured.push((name, times));
        }
    }

    if args.json {
        let runs = |times: &[Duration]| -> Vec<u64> {
            times.iter().map(|time| time.as_nanos() as u64).collect()
        };
        let members: Map<String, Value> = measured
            .iter()
            .map(|(name, times)| {
                let value = json!({
                    "median_nanoseconds": median(times).as_nanos() as u64,
                    "runs_nanoseconds": runs(times),
                });
                ((*name).to_owned(), value)
            })
            .collect();
        report::print_json(&json!({
            "registered_proof": request.proof().name(),
            "backend": backend,
            "measurements": members,
        }))?;
    } else {
        let rows: Vec<_> = measured
            .iter()
            .map(|(name, times)| ((*name).to_owned(), seconds(median(times))))
            .collect();
        report::print(table(&rows).trim_end())?;
    }
    Ok(Outcome::Done)
}

fn request_from(args: &BenchArgs, bytes: &[u8]) -> Result<Request> {
    request_of(&args.prover, &args.c1, args.sector_number, bytes)
}

type Work<'a> = Box<dyn Fn() -> Result<Duration> + 'a>;

/// The measurements of one choice, by name; each call of one is a run.
fn works<'a>(
    what: What,
    args: &'a BenchArgs,
    context: &'a Context,
    request: &'a Request,
    bytes: &'a [u8],
) -> Vec<(&'static str, Work<'a>)> {
    match what {
        What::Witness => vec![
            (
                "witness of a partition",
                Box::new(|| witness_time(context, request, WitnessMethod::Native)),
            ),
            (
                "the same through the circuit's closures",
                Box::new(|| witness_time(context, request, WitnessMethod::Closures)),
            ),
        ],
        What::Prover => vec![(
            "witness to proof of a partition",
            Box::new(|| {
                let output = c2::prove_partition(context, request, 0, &Default::default())?;
                let t = output.timings;
                Ok(t.total - t.witness.min(t.total))
            }),
        )],
        What::C2 => vec![(
            "whole C2, bytes to verified proof",
            Box::new(|| {
                let start = Instant::now();
                c2::prove(context, &request_from(args, bytes)?, &Default::default())?;
                Ok(start.elapsed())
            }),
        )],
    }
}

fn witness_time(context: &Context, request: &Request, method: WitnessMethod) -> Result<Duration> {
    context.run(|| {
        let start = Instant::now();
        c2::synthesize(request, 0, method)?;
        Ok(start.elapsed())
    })
}
