// SPDX-License-Identifier: MIT OR Apache-2.0
//! libsupraseal_c2.so: the C symbols of supraseal-c2, of both generations as far as one library can
//! serve them. include/supraseal_c2.h is generated from here.
//!
//! No logic: an entry point checks pointers, calls cuzk-supraseal and converts back. The symbols
//! live in a library of their own: a program that links libcuzk and an archive with its own
//! `create_SRS` must not be rerouted.
#![allow(non_camel_case_types)]
// The comments are for C readers; the header's introduction says what every pointer must be.
#![allow(clippy::missing_safety_doc)]

mod boundary;

// What crosses the boundary.
pub mod types;

// Parameters.
pub mod srs;

// Proofs.
pub mod prove;
