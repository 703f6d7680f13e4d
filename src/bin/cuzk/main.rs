// SPDX-License-Identifier: MIT OR Apache-2.0
//! The program `cuzk`: Commit-2 proofs from the command line.
//!
//! Results go to standard output, everything about the way there to standard error.

mod args;
mod bench;
mod compile;
mod doctor;
mod info;
mod input;
mod output;
mod prove;
mod report;
mod setup;
mod synthesize;
mod verify;

use std::process::ExitCode;

use clap::Parser;

use args::{Command, Program};
use report::say;

/// What a command that ran to its end has to say.
enum Outcome {
    /// It did what it was asked for.
    Done,
    /// The proof that it was asked about is not valid.
    NotValid,
    /// Something of several did not succeed, which was said.
    SomeFailed,
    /// It found what would keep proofs from being made, and said so.
    Problems,
}

fn main() -> ExitCode {
    let program = Program::parse();
    let outcome = match &program.command {
        Command::Info(args) => info::run(args),
        Command::Doctor(args) => doctor::run(args),
        Command::Setup(args) => setup::run(args),
        Command::Prove(args) => prove::run(args),
        Command::Verify(args) => verify::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Compile(args) => compile::run(args),
        Command::Synthesize(args) => synthesize::run(args),
    };
    match outcome {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::SomeFailed) => ExitCode::FAILURE,
        Ok(Outcome::NotValid | Outcome::Problems) => ExitCode::from(3),
        Err(error) => {
            say!("cuzk: {error}");
            ExitCode::FAILURE
        }
    }
}
