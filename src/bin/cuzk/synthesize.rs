// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cuzk synthesize-c1`.

use std::io::BufWriter;

use cuzk::filecoin::synthetic::{Plan, SyntheticC1, ACTOR_ID};
use cuzk::filecoin::{SealProof, Variant};
use cuzk::{Error, Result};

use crate::args::SynthesizeArgs;
use crate::output::OutputFile;
use crate::report::{self, say};
use crate::Outcome;

pub fn run(args: &SynthesizeArgs) -> Result<Outcome> {
    let variant = if args.v1 { Variant::V1 } else { Variant::V1_1 };
    let proof = SealProof::new(variant, args.sector_size);
    let plan = Plan::new(proof)?;
    let failed = |doing| move |e| Error::io(&args.out, doing, &e);
    let file = OutputFile::create(&args.out)?;
    say!("a MADE-UP sector, for development only: nothing is sealed, nobody stores it");

    let c1 = SyntheticC1::new(&plan, args.seed)?;
    let mut writer = BufWriter::new(file);
    c1.write(proof, &mut writer)
        .map_err(|e| e.context(args.out.display()))?;
    let file = writer.into_inner().map_err(|e| e.into_error());
    file.map_err(failed("writing"))?.keep()?;
    report::print(&format!(
        "{proof} --actor-id {ACTOR_ID} --sector-number {}",
        c1.sector_number
    ))?;
    Ok(Outcome::Done)
}
