// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cuzk setup`.

use std::time::Instant;

use cuzk::filecoin::{insecure_setup, SectorSize};
use cuzk::{Error, ErrorKind, Result};

use crate::args::{ContextArgs, SetupArgs};
use crate::report::{self, bar, say, seconds};
use crate::Outcome;

pub fn run(args: &SetupArgs) -> Result<Outcome> {
    let size = args.sector_size;
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
    say!("INSECURE parameters, for development only: whoever has the seed can forge proofs");

    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&args.seed.to_le_bytes());
    let start = Instant::now();
    let bar = bar(
        0,
        "{elapsed_precise} [{bar:30}] {percent}% of {len} points, {eta} left",
    );
    let result = context.run(|| {
        let (folder, multiplier) = (context.parameter_folder(), context.multiplier());
        insecure_setup(size, &seed, folder, multiplier, &mut |progress| {
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
    for path in [files.params, files.verifying_key, files.metadata] {
        report::print(&path.display().to_string())?;
    }
    Ok(Outcome::Done)
}
