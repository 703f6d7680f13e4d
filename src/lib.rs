// SPDX-License-Identifier: MIT OR Apache-2.0
//! Filecoin's Commit-2 proofs (C2) of sealed sectors, on GPUs or on the CPU.
//!
//! [`filecoin`] turns the output of Commit-1 into a C2 proof on top of `cuzk_prover`, which knows
//! nothing of Filecoin. The same functions stand behind the C ABI and the program `cuzk`.

pub mod filecoin;

pub use cuzk_prover::{Error, ErrorKind, Result};
