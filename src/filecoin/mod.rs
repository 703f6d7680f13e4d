// SPDX-License-Identifier: MIT OR Apache-2.0
//! Filecoin's seal proofs: from the output of Commit-1 to a verified C2 proof.
//!
//! Nothing here goes through the caches and settings of filecoin-proofs, which are shared by the
//! whole process and read files and variables of their own: types and circuits come from there,
//! parameters, verifying keys and proofs are this project's.

pub mod aggregate;
pub mod c1;
pub mod c2;
pub mod kinds;
pub mod params;
pub mod porep;
mod prover_id;
mod setup;
pub mod synthetic;
mod vanilla;
pub mod witness;

pub use aggregate::{insecure_aggregation_setup, Aggregation};
pub use c1::{Head, C1};
pub use kinds::{SealProof, SectorSize, Variant};
pub use prover_id::prover_id_from_actor;
pub use setup::insecure_setup;
