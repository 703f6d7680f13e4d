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
use crate::report::{self, median, say, seconds};
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
    // Each result is shown when it is there: some take minutes, and may be stopped.
    let show = |name: &str, time: Duration| match args.json {
        true => Ok(()),
        false => report::print(&format!("  {name:<38}  {:>10}", seconds(time))),
    };
    // Parameters and circuit are loaded once, before anything else is measured.
    if args.what.iter().any(What::proves) {
        let start = Instant::now();
        c2::warm_up(&context, request.proof(), &Default::default())?;
        show("loading parameters and circuit", start.elapsed())?;
    }

    let mut measured = Vec::new();
    for what in &args.what {
        let (name, work) = work(*what, args, &context, &request, &bytes);
        let times: Vec<Duration> = (0..args.runs).map(|_| work()).collect::<Result<_>>()?;
        show(name, median(&times))?;
        measured.push((name, times));
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
    }
    Ok(Outcome::Done)
}

fn request_from(args: &BenchArgs, bytes: &[u8]) -> Result<Request> {
    request_of(&args.prover, &args.c1, args.sector_number, bytes)
}

type Work<'a> = Box<dyn Fn() -> Result<Duration> + 'a>;

/// A measurement and its name; each call of it is a run.
fn work<'a>(
    what: What,
    args: &'a BenchArgs,
    context: &'a Context,
    request: &'a Request,
    bytes: &'a [u8],
) -> (&'static str, Work<'a>) {
    match what {
        What::Witness => (
            "witness of a partition",
            Box::new(|| witness_time(context, request, WitnessMethod::Native)),
        ),
        What::Closures => (
            "the same through the circuit's closures",
            Box::new(|| witness_time(context, request, WitnessMethod::Closures)),
        ),
        What::Prover => (
            "witness to proof of a partition",
            Box::new(|| {
                let output = c2::prove_partition(context, request, 0, &Default::default())?;
                let t = output.timings;
                Ok(t.total - t.witness.min(t.total))
            }),
        ),
        What::C2 => (
            "whole C2, bytes to verified proof",
            Box::new(|| {
                let start = Instant::now();
                c2::prove(context, &request_from(args, bytes)?, &Default::default())?;
                Ok(start.elapsed())
            }),
        ),
    }
}

fn witness_time(context: &Context, request: &Request, method: WitnessMethod) -> Result<Duration> {
    context.run(|| {
        let start = Instant::now();
        c2::synthesize(request, 0, method)?;
        Ok(start.elapsed())
    })
}
