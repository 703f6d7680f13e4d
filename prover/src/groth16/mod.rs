// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Groth16 proof system: from an assignment and a structured reference string to a proof.
//!
//! Groth, "On the Size of Pairing-based Non-interactive Arguments", ePrint 2016/260.

mod assignment;
mod given;
mod proof;
mod prover;
pub mod setup;
mod verifier;

pub use assignment::{check_assignment, check_lengths, Lengths};
pub use given::{canonical_scalars, GivenAssignment, GivenPlaces, Limbs};
pub use proof::{Proof, PROOF_AFFINE_BYTES, PROOF_BYTES};
pub use prover::prove;
pub use verifier::{verify, verify_batch, PreparedKey};
