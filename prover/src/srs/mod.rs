// SPDX-License-Identifier: MIT OR Apache-2.0
//! The structured reference string of a circuit: Filecoin's parameter and verifying key files,
//! their layout and checks.
//!
//! A parameter file is big-endian: the verifying key (alpha_g1, beta_g1, beta_g2, gamma_g2,
//! delta_g1, delta_g2, then ic), then the queries h, l, a, b_g1, b_g2. ic and each query are a
//! 32-bit count and as many uncompressed points, 96 bytes in G1 and 192 in G2. A verifying key
//! file is the head of it alone.
//!
//! # What an operator sees
//!
//! Every refusal is one line that starts with the file's path and names the section, where it
//! has one the index of the point, and where sizes differ the bytes needed and present:
//!
//! * no such file: `ParametersNotFound`; a directory, no permission, a disk that fails: `Io`;
//! * a file too short or too long for its own counts, counts that do not belong to one circuit,
//!   a bad point, the wrong digest, parameters of another circuit than asked for: `InvalidSrs`.
//!
//! Sizes and counts are checked before any query is read, and the verifying key at the head is
//! always checked in full. What is checked of the queries is chosen with [`Checks`]. Files are
//! read with pread into the library's own memory and never mapped, so a file that shrinks or a
//! disk that fails is an error and not a signal.

mod checks;
mod fault;
mod file;
mod host;
mod key;
mod layout;
mod resident;
mod shape;
mod write;

pub use checks::Checks;
pub use file::{digest_of, FileIdentity, ParameterFile, DIGEST_BYTES};
pub use host::HostSrs;
pub use key::VerifyingKey;
pub use layout::{Section, SectionSpan};
pub use resident::ResidentSrs;
pub use shape::SrsShape;
pub use write::PendingFile;
