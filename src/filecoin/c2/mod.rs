// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commit-2: from a Commit-1 output to a proof that the chain accepts, and its verification.

mod request;
mod statement;

pub use request::{check, info, Info, Request};
pub use statement::Statement;
