// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cuzk compile-circuit`.

use std::time::Instant;

use cuzk::filecoin::porep;
use cuzk::Result;

use crate::args::{CompileArgs, ContextArgs};
use crate::output;
use crate::report::{self, bytes, say, seconds};
use crate::Outcome;

pub fn run(args: &CompileArgs) -> Result<Outcome> {
    let size = args.sector_size;
    let context = ContextArgs::on_cpu(None).open()?;
    let start = Instant::now();
    let circuit = context.run(|| porep::compile(&size.shape()))?;
    say!(
        "{} rows compiled to {} in {}",
        circuit.shape().rows,
        bytes(circuit.bytes() as u64),
        seconds(start.elapsed())
    );
    let saved = circuit.save();
    output::write(&args.out, &saved)?;
    let same = match saved == porep::saved(size) {
        true => "the same as",
        false => "not the same as",
    };
    say!("{same} the one that this library carries");
    report::print(&format!("{}: {} bytes", args.out.display(), saved.len()))?;
    Ok(Outcome::Done)
}
