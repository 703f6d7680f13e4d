// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use cuzk::filecoin::{SealProof, SectorSize};
use cuzk::Result;
use cuzk_prover::backend::BackendChoice;
use cuzk_prover::schedule::{Context, Options};

use crate::input::{parse_actor, parse_bytes, parse_node, parse_proof, parse_size};

/// Filecoin's Commit-2 (C2) seal proofs, on GPUs or on the CPU.
#[derive(Parser)]
#[command(
    name = "cuzk",
    version,
    after_help = "Exit status: 0 done, or the proof is valid; 1 failed, the reason is on standard \
                  error; 2 wrong command line; 3 verify found the proof not valid, or doctor \
                  found a problem."
)]
pub struct Program {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Shows the build, the devices, the budgets and which parameter files are there
    Info(InfoArgs),
    /// Looks for what would keep proofs from being made, and says what to do about it
    Doctor(DoctorArgs),
    /// Makes parameters from a seed: INSECURE, for development only
    Setup(SetupArgs),
    /// Proves the output of Commit-1, of one sector or of several
    Prove(ProveArgs),
    /// Verifies a proof
    Verify(VerifyArgs),
    /// Measures witness generation, the prover and the whole of Commit-2
    Bench(BenchArgs),
    /// Writes the compiled circuit of a sector size in its saved form, which the library carries
    #[command(name = "compile-circuit")]
    Compile(CompileArgs),
    /// Writes the Commit-1 output of a MADE-UP sector, for development only
    #[command(name = "synthesize-c1")]
    Synthesize(SynthesizeArgs),
}

/// Where the work runs and with what.
#[derive(Args, Clone, Debug, Default)]
pub struct ContextArgs {
    /// Folder of the parameter files [default: $FIL_PROOFS_PARAMETER_CACHE, else
    /// /var/tmp/filecoin-proof-parameters/]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// What proves [default: $CUZK_BACKEND, else auto]
    #[arg(long, value_enum)]
    pub backend: Option<BackendArg>,
    /// Threads on the CPU [default: one a processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Most host memory to take, such as 16GiB [default: most of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub host_memory: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BackendArg {
    Auto,
    Cpu,
    Cuda,
}

impl ContextArgs {
    /// For work that needs no device.
    pub fn on_cpu(dir: Option<PathBuf>) -> Self {
        Self {
            dir,
            backend: Some(BackendArg::Cpu),
            ..Self::default()
        }
    }

    /// Makes the context; what is not given comes from the environment.
    pub fn open(&self) -> Result<Context> {
        Context::new(Options {
            backend: self.backend.map(|backend| match backend {
                BackendArg::Auto => BackendChoice::Auto,
                BackendArg::Cpu => BackendChoice::Cpu,
                BackendArg::Cuda => BackendChoice::Cuda,
            }),
            threads: self.threads,
            host_bytes: self.host_memory,
            parameter_folder: self.dir.clone(),
            ..Options::default()
        })
    }
}

#[derive(Args)]
pub struct InfoArgs {
    #[command(flatten)]
    pub context: ContextArgs,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct DoctorArgs {
    #[command(flatten)]
    pub context: ContextArgs,
    /// Sector sizes that must be provable, separated by commas [default: those with files]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, value_delimiter = ',')]
    pub sector_size: Vec<SectorSize>,
    /// Read the parameter files in full and compare their digests with the published ones
    #[arg(long)]
    pub digest: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct CompileArgs {
    /// Sector size: 2KiB, 8MiB, 512MiB, 32GiB or 64GiB
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub sector_size: SectorSize,
    /// Write it to this file
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
}

#[derive(Args)]
pub struct SetupArgs {
    /// Sector size: 2KiB, 8MiB, 512MiB, 32GiB or 64GiB; the file for aggregation is made too unless
    /// it is there
    #[arg(
        long,
        value_name = "SIZE",
        value_parser = parse_size,
        required_unless_present = "aggregation"
    )]
    pub sector_size: Option<SectorSize>,
    /// Make nothing but the file for aggregation, which serves all sector sizes
    #[arg(long, conflicts_with = "sector_size")]
    pub aggregation: bool,
    /// The same seed makes the same parameters; whoever knows it can forge proofs under them
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Folder to write to; needed for 32GiB and 64GiB, where Filecoin's own parameters belong
    /// [default: as for prove]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// What makes the points [default: $CUZK_BACKEND, else auto]
    #[arg(long, value_enum)]
    pub backend: Option<BackendArg>,
}

#[derive(Args)]
pub struct SynthesizeArgs {
    /// Sector size: 2KiB, 8MiB, 512MiB, 32GiB or 64GiB
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub sector_size: SectorSize,
    /// The same seed makes the same output
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// The first version of the proof instead of V1_1
    #[arg(long)]
    pub v1: bool,
    /// File to write; 40 MB at 32GiB
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
}

/// The storage provider whose sectors are proved.
#[derive(Args)]
pub struct ProverArgs {
    /// The storage provider, such as f01000 or 1000
    #[arg(long, value_name = "ID", value_parser = parse_actor, required_unless_present = "prover_id")]
    pub actor_id: Option<u64>,
    /// The storage provider as 32 bytes in hex
    #[arg(long, value_name = "HEX", value_parser = parse_node, conflicts_with = "actor_id")]
    pub prover_id: Option<[u8; 32]>,
}

#[derive(Args)]
pub struct ProveArgs {
    /// Outputs of Commit-1, plain or wrapped; "-" reads standard input. One that cannot be proved
    /// does not fail the others
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    pub c1: Vec<PathBuf>,
    #[command(flatten)]
    pub prover: ProverArgs,
    /// Numbers of the sectors, one for each --c1 in the same order [default: what wrapped outputs
    /// say]
    #[arg(long, value_name = "N", num_args = 1..)]
    pub sector_number: Vec<u64>,
    /// Leave the proofs of the partitions of a non-interactive sector apart instead of aggregating
    /// them
    #[arg(long)]
    pub circuit_proofs: bool,
    /// Write the proof's bytes to this file instead of printing it in hex; for a single sector
    #[arg(long, value_name = "FILE", conflicts_with = "out_dir")]
    pub out: Option<PathBuf>,
    /// Write each proof's bytes into this folder, to the C1 output's name with .proof behind it
    #[arg(long, value_name = "DIR")]
    pub out_dir: Option<PathBuf>,
    /// Sectors in work at a time, each with its own memory
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = parse_at_once)]
    pub at_once: usize,
    /// Print JSON with the proofs and all timings
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub context: ContextArgs,
}

fn parse_at_once(text: &str) -> std::result::Result<usize, String> {
    match text.parse() {
        Ok(number @ 1..=64) => Ok(number),
        _ => Err("1 to 64 sectors can be in work at a time".to_owned()),
    }
}

#[derive(Args)]
pub struct VerifyArgs {
    /// The proof: its bytes, their hex, or what `cuzk prove --json` prints; "-" reads standard
    /// input
    #[arg(long, value_name = "FILE")]
    pub proof: PathBuf,
    /// Take kind, commitments, ticket and seed from this Commit-1 output
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["registered_proof", "comm_r", "comm_d", "ticket", "seed"]
    )]
    pub c1: Option<PathBuf>,
    /// Kind of proof, by name or number
    #[arg(long, value_name = "NAME", value_parser = parse_proof, required_unless_present = "c1")]
    pub registered_proof: Option<SealProof>,
    /// Commitment to the replica, 32 bytes in hex, as are the next three
    #[arg(long, value_name = "HEX", value_parser = parse_node, required_unless_present = "c1")]
    pub comm_r: Option<[u8; 32]>,
    /// Commitment to the data
    #[arg(long, value_name = "HEX", value_parser = parse_node, required_unless_present = "c1")]
    pub comm_d: Option<[u8; 32]>,
    /// Randomness of the replica
    #[arg(long, value_name = "HEX", value_parser = parse_node, required_unless_present = "c1")]
    pub ticket: Option<[u8; 32]>,
    /// Randomness of the challenges
    #[arg(long, value_name = "HEX", value_parser = parse_node, required_unless_present = "c1")]
    pub seed: Option<[u8; 32]>,
    /// The storage provider, such as f01000 or 1000
    #[arg(long, value_name = "ID", value_parser = parse_actor, required_unless_present = "prover_id")]
    pub actor_id: Option<u64>,
    /// The storage provider as 32 bytes in hex
    #[arg(long, value_name = "HEX", value_parser = parse_node, conflicts_with = "actor_id")]
    pub prover_id: Option<[u8; 32]>,
    /// Number of the sector [default: what a wrapped output says]
    #[arg(long, value_name = "N")]
    pub sector_number: Option<u64>,
    /// Folder of the verifying keys [default: as for prove]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

#[derive(Args)]
pub struct BenchArgs {
    /// Output of Commit-1, plain or wrapped; "-" reads standard input
    #[arg(long, value_name = "FILE")]
    pub c1: PathBuf,
    #[command(flatten)]
    pub prover: ProverArgs,
    /// Number of the sector [default: what a wrapped output says]
    #[arg(long, value_name = "N")]
    pub sector_number: Option<u64>,
    /// Runs of each measurement; their medians are shown
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub runs: u32,
    /// What to measure
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [What::Witness, What::Prover, What::C2])]
    pub what: Vec<What>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub context: ContextArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// Making the witness of one partition
    Witness,
    /// The same through the circuit's closures, which takes many times as long
    Closures,
    /// One partition from its witness to its proof
    Prover,
    /// From the bytes of the Commit-1 output to the verified proof
    C2,
}

impl What {
    /// Whether it needs parameters.
    pub fn proves(&self) -> bool {
        matches!(self, What::Prover | What::C2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Program::command().debug_assert();
    }
}
