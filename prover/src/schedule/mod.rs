// SPDX-License-Identifier: MIT OR Apache-2.0
//! Contexts: the devices, memory, threads and caches that proofs are made with, and whose turn
//! it is.

mod context;
mod job;
mod kept;
mod memory;
mod notifier;
mod options;
mod partitions;
mod pool;
mod prove;
mod queue;
mod random;
mod residents;
mod srs;

pub use context::{Context, ContextInfo};
pub use job::{Job, JobOptions, Outcome, Phase, Progress, Request};
pub use kept::Kept;
pub use options::{Options, DEFAULT_PARAMETER_FOLDER};
pub use prove::{CircuitHandle, Lender, Partition, Proved, Source, WitnessSource};
pub use queue::Priority;
pub use random::random_scalar;
pub use residents::{ResidentCounts, ResidentInfo};
pub use srs::{Srs, SrsOptions};
