// SPDX-License-Identifier: MIT OR Apache-2.0
//! Groth16 over BLS12-381 for circuits of the bellperson family, on GPUs or on the CPU.
//!
//! The way of the data: a [`circuit`] is recorded once into a compiled form; a witness in compact
//! form goes to a [`backend`], which evaluates the rows, computes the quotient `h` and the five
//! sums over the [`srs`]; [`groth16`] joins the sums with the blinding scalars into a proof and
//! verifies it; [`schedule`] owns contexts, budgets and queues.

pub mod backend;
pub mod cancel;
pub mod circuit;
pub mod cpu;
pub mod curve;
pub mod device;
pub mod error;
pub mod gpu;
pub mod groth16;
pub mod log;
pub mod room;
pub mod schedule;
pub mod srs;
pub mod timing;

pub use error::{Error, ErrorKind, Result};
