// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parameters for development: insecure, and said to be.

use std::ffi::c_void;

use cuzk_prover::groth16::setup::SetupProgress;

use super::arguments::{required, slice};
use super::boundary::boundary;
use super::context::cuzk_context;
use super::options::User;
use super::status::{cuzk_error, cuzk_status};
use crate::filecoin::{insecure_setup, SealProof};

/// INSECURE: makes parameters for development from a seed of 32 bytes.
///
/// Whoever knows the seed can prove anything under these parameters; they are
/// for tests on small sectors only. Writes the files of the registered
/// proof's sector size (.params, .vk, .meta, named as Filecoin does) into the
/// context's parameter folder, which is made when missing, and the file for
/// aggregation (.srs), which serves all sizes, unless it is there; files that
/// are there are never replaced. The same seed makes the same files. progress
/// is null or gets the part done, from 0 to 1, on a thread of the context.
///
/// Errors: CUZK_STATUS_INVALID_ARGUMENT, also when a file is there already;
/// CUZK_STATUS_IO.
#[no_mangle]
pub unsafe extern "C" fn cuzk_dev_setup(
    context: Option<&cuzk_context>,
    registered_proof: u32,
    seed: *const u8,
    progress: Option<unsafe extern "C" fn(user: *mut c_void, fraction: f64)>,
    progress_user: *mut c_void,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    let user = User(progress_user);
    boundary(error_out, move || {
        let context = &required(context, "context")?.context;
        // SAFETY: the header asks for 32 bytes.
        let bytes = unsafe { slice(seed, 32, "seed")? };
        let mut seed = [0; 32];
        seed.copy_from_slice(bytes);
        let size = SealProof::from_number(registered_proof.into())?.sector_size();
        let folder = context.parameter_folder();
        context.run(|| {
            let mut report = |at: SetupProgress| {
                if let Some(progress) = progress {
                    let fraction = at.done as f64 / at.total.max(1) as f64;
                    // SAFETY: the caller gave function and pointer for this.
                    unsafe { progress(user.pointer(), fraction) };
                }
            };
            insecure_setup(size, &seed, folder, context.multiplier(), &mut report).map(drop)
        })
    })
}
