// SPDX-License-Identifier: MIT OR Apache-2.0
//! Filecoin's Commit-2 proofs (C2) of sealed sectors, on GPUs or on the CPU.
//!
//! [`filecoin`] turns the output of Commit-1 into a C2 proof on top of `cuzk_prover`, which knows
//! nothing of Filecoin. [`ffi`] is the C ABI over both, described by include/cuzk.h; the program
//! `cuzk` stands on the same functions.

pub mod ffi;
pub mod filecoin;

pub use cuzk_prover::{Error, ErrorKind, Result};
