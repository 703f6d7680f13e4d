// SPDX-License-Identifier: MIT OR Apache-2.0
//! The structured reference string of a circuit: Filecoin's parameter and verifying key files,
//! their layout and checks.

mod key;
mod shape;

pub use key::VerifyingKey;
pub use shape::SrsShape;
