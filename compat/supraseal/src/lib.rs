// SPDX-License-Identifier: MIT OR Apache-2.0
//! What stands in supraseal-c2's place, on cuzk-prover: the process's context, counted handles of
//! parameters, assignments as pointers and sizes, proofs at once or in two steps, and the locks
//! that callers make.
//!
//! Two packages named supraseal-c2 (for bellperson, and for Curio's fork) and libsupraseal_c2.so
//! give it their signatures and add nothing else. Nothing here panics on what a caller brings:
//! every size is compared with the parameters before any work is started.

mod assignment;
mod context;
mod error;
mod gpu_mutex;
mod legacy;
mod pending;
mod prove;
mod registry;
mod srs;

pub use assignment::{array, Assignment, SCALAR_BYTES};
pub use error::{catch, fail, Error};
pub use gpu_mutex::{create_gpu_mutex, destroy_gpu_mutex};
pub use legacy::Circuits;
pub use pending::{destroy, finalize, keep, Pending};
pub use prove::{prove, start, write_proofs, Batch, PROOF_BYTES};
pub use srs::SRS;
