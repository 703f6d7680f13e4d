// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cuzk setup`.

use std::time::Instant;

use cuzk::filecoin::params::aggregation_file;
use cuzk::filecoin::{insecure_aggregation_setup, insecure_setup, SectorSize};
use cuzk::{Error, ErrorKind, Result};

use crate::args::{ContextArgs, SetupArgs};
use crate::report::{self, bar, say, seconds};
use crate::Outcome;

pub fn run(args: &SetupArgs) -> Result<Outcome> {
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&args.seed.to_le_bytes());
    match args.sector_size {
        Some(size) => sector_size(args, size, &seed),
        None => aggregation(args, &seed),
    }
}

fn warn() {
    say!("INSECURE parameters, for development only: whoever has the seed can forge proofs");
}

fn aggregation(args: &SetupArgs, seed: &[u8; 32]) -> Result<Outcome> {
    let context = ContextArgs::on_cpu(args.dir.clone()).open()?;
    warn();
    let folder = context.parameter_folder();
    let path = context.run(|| insecure_aggregation_setup(seed, folder))?;
    report::print(&path.display().to_string())?;
    Ok(Outcome::Done)
}

fn sector_size(args: &SetupArgs, size: SectorSize, seed: &[u8; 32]) -> Result<Outcome> {
    if args.dir.is_none() && matches!(size, SectorSize::Gib32 | SectorSize::Gib64) {
        return Err(Error::new(
            ErrorKind::InvalidArgument,
            format!(
                "insecure parameters of {size} sectors do not go where Filecoin's own belong: \
                 name a folder with --dir"
            ),
        ));
    }
    let context = ContextArgs {
        dir: args.dir.clone(),
        backend: args.backend,
        ..ContextArgs::default()
    };
    let context = context.open()?;
    warn();
    let powers = aggregation_file(context.parameter_folder());
    let had_powers = powers.exists();
    let start = Instant::now();
    let bar = bar(
        0,
        "{elapsed_precise} [{bar:30}] {percent}% of {len} points, {eta} left",
    );
    let result = context.run(|| {
        let (folder, multiplier) = (context.parameter_folder(), context.multiplier());
        insecure_setup(size, seed, folder, multiplier, &mut |progress| {
            bar.set_length(progress.total);
            bar.set_position(progress.done);
        })
    });
    bar.finish_and_clear();
    let (files, setup) = result?;
    say!(
        "{} of insecure parameters in {}",
        report::bytes(setup.params_bytes),
        seconds(start.elapsed())
    );
    let powers = (!had_powers).then_some(powers);
    let made = [files.params, files.verifying_key, files.metadata];
    for path in made.into_iter().chain(powers) {
        report::print(&path.display().to_string())?;
    }
    Ok(Outcome::Done)
}
