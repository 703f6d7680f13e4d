// SPDX-License-Identifier: MIT OR Apache-2.0

//! What several test programs share: the C1 fixtures, how they were sealed, and verification by
//! filecoin-proofs, an implementation that is not ours.

// Every test program compiles this folder and uses a part of it.
#![allow(dead_code)]

pub mod c1;
pub mod filecoin;
pub mod groth16;
pub mod parameters;
pub mod porep;
pub mod program;
pub mod seal;
pub mod synthetic;
pub mod trapdoor;
pub mod verify;
pub mod witness;
