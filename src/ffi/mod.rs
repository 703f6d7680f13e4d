// SPDX-License-Identifier: MIT OR Apache-2.0
//! The C ABI: every function, type and constant of include/cuzk.h, which is generated from here.
//!
//! No logic: an entry point checks, converts, calls one function of the prover or of the Filecoin
//! part and converts back, inside [`boundary`]. Types carry their C names, so that one search
//! finds both sides. The order of the modules is the order of the header.
#![allow(non_camel_case_types)]
// The comments are for C readers; the header's introduction says what every pointer must be.
#![allow(clippy::missing_safety_doc)]

mod arguments;
mod boundary;
mod struct_size;

// Which library this is.
pub mod version;

// What a call came to.
pub mod status;

// The devices of this machine.
pub mod device;

// What a context is made with.
pub mod options;

// Contexts.
pub mod context;

// Parameter files.
pub mod srs;

// Scalars, points and proofs in memory.
pub mod proof;

// What callers with evaluated rows bring.
pub mod assignment;

// Where time went.
pub mod timings;

// Any circuit, its rows evaluated.
pub mod prove;

// Filecoin's seal proofs.
pub mod c2;

// Their aggregation.
pub mod aggregate;

// Work in the background.
pub mod job;
pub mod job_result;

// Jobs of either kind.
pub mod c2_job;
pub mod lent;

// For development only.
pub mod development;
