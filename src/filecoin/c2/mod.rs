// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commit-2: from a Commit-1 output to a proof that the chain accepts, and its verification.

mod job;
mod prove;
mod request;
mod statement;
mod verify;
mod witness;

pub use job::JobRequest;
pub use prove::{
    assemble, memory_needed, prove, prove_partition, warm_up, Options, Output, Phase, Progress,
};
pub use request::{check, info, Info, Request};
pub use statement::Statement;
pub(super) use verify::check_inputs;
pub use verify::{verify, verify_with_key, verifying_key};
pub use witness::{synthesize, WitnessMethod};
