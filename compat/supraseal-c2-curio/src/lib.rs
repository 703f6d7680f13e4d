// SPDX-License-Identifier: MIT OR Apache-2.0
//! cuzk with the interface of the fork of supraseal-c2 that Curio's daemon is built on:
//!
//! ```toml
//! [patch.crates-io]
//! supraseal-c2 = { path = ".../compat/supraseal-c2-curio" }
//! ```
//!
//! Beside proofs at once there are proofs in two steps, locks for GPUs that the caller makes, and
//! a choice of the device. The functions panic on error, as their signatures ask for; the payload
//! is a `&'static str` with the cause. Handles are numbers: one that has ended, or is none, is
//! such an error and no fault of memory.

#[cfg(not(cuzk_cuda))]
mod host_memory;

use std::ffi::c_void;
use std::ptr::null_mut;

use cuzk_supraseal::{fail, prove, start, write_proofs, Batch, Circuits, Error};
pub use cuzk_supraseal::{Assignment, SRS};

/// The error of [`SRS::try_new`].
pub mod cuda {
    pub use cuzk_supraseal::Error;
}

/// Makes one proof for each circuit; all have the densities of the first.
///
/// `gpu_mtx` is null or a lock of [`alloc_gpu_mutex`], held during the call. `gpu_index` names a
/// device by its index among those that are used; -1 leaves the choice to the library.
///
/// # Panics
///
/// When a size does not fit the others or the parameters, and when proving fails.
#[allow(clippy::too_many_arguments)]
#[allow(clippy::not_unsafe_ptr_arg_deref)]
pub fn generate_groth16_proof<S, D, PR>(
    ntt_a_scalars: &[*const S],
    ntt_b_scalars: &[*const S],
    ntt_c_scalars: &[*const S],
    ntt_scalars_actual_size: usize,
    input_assignments: &[*const S],
    aux_assignments: &[*const S],
    input_assignments_size: usize,
    aux_assignments_size: usize,
    a_aux_density_bv: &[D],
    b_g1_input_density_bv: &[D],
    b_g1_aux_density_bv: &[D],
    a_aux_total_density: usize,
    b_g1_input_total_density: usize,
    b_g1_aux_total_density: usize,
    num_circuits: usize,
    r_s: &[S],
    s_s: &[S],
    proofs: &mut [PR],
    srs: &SRS,
    gpu_mtx: *mut c_void,
    gpu_index: i32,
) {
    let circuits = Circuits {
        a: ntt_a_scalars,
        b: ntt_b_scalars,
        c: ntt_c_scalars,
        rows: ntt_scalars_actual_size,
        inputs: input_assignments,
        aux: aux_assignments,
        inputs_len: input_assignments_size,
        aux_len: aux_assignments_size,
        a_aux_density: a_aux_density_bv,
        b_input_density: b_g1_input_density_bv,
        b_aux_density: b_g1_aux_density_bv,
        ones: [
            a_aux_total_density,
            b_g1_input_total_density,
            b_g1_aux_total_density,
        ],
        n: num_circuits,
    };
    let made = circuits
        .assignments()
        .and_then(|provers| prove_into(&provers, r_s, s_s, proofs, srs, gpu_mtx, gpu_index));
    if let Err(error) = made {
        fail(error);
    }
}

/// Makes one proof for each assignment.
///
/// # Panics
///
/// When a size does not fit the parameters, and when proving fails.
pub fn generate_groth16_proofs<S, PR>(
    provers: &[Assignment<S>],
    r_s: &[S],
    s_s: &[S],
    proofs: &mut [PR],
    srs: &SRS,
) {
    if let Err(error) = prove_into(provers, r_s, s_s, proofs, srs, null_mut(), -1) {
        fail(error);
    }
}

fn prove_into<S, PR>(
    provers: &[Assignment<S>],
    r_s: &[S],
    s_s: &[S],
    proofs: &mut [PR],
    srs: &SRS,
    gpu_mtx: *mut c_void,
    gpu_index: i32,
) -> Result<(), Error> {
    let batch = Batch::new(provers, r_s, s_s)?;
    batch.check_room(proofs)?;
    // SAFETY: the signatures cannot say it: pointers lead to as many elements as the sizes say,
    // and nobody changes or frees them during the call.
    let made = unsafe { prove(&batch, srs, gpu_mtx, gpu_index)? };
    write_proofs(&made, proofs)
}

/// Begins one proof for each circuit, and returns when a, b and c may be changed and freed; inputs,
/// auxiliary variables and densities must stay until the handle has ended.
///
/// The handle ends with [`finish_groth16_proof`] or [`drop_pending_proof`].
///
/// # Panics
///
/// When a size does not fit the others or the parameters, and when proving has failed by then.
#[allow(clippy::too_many_arguments)]
#[allow(clippy::not_unsafe_ptr_arg_deref)]
pub fn start_groth16_proof<S, D>(
    ntt_a_scalars: &[*const S],
    ntt_b_scalars: &[*const S],
    ntt_c_scalars: &[*const S],
    ntt_scalars_actual_size: usize,
    input_assignments: &[*const S],
    aux_assignments: &[*const S],
    input_assignments_size: usize,
    aux_assignments_size: usize,
    a_aux_density_bv: &[D],
    b_g1_input_density_bv: &[D],
    b_g1_aux_density_bv: &[D],
    a_aux_total_density: usize,
    b_g1_input_total_density: usize,
    b_g1_aux_total_density: usize,
    num_circuits: usize,
    r_s: &[S],
    s_s: &[S],
    srs: &SRS,
    gpu_mtx: *mut c_void,
    gpu_index: i32,
) -> *mut c_void {
    let circuits = Circuits {
        a: ntt_a_scalars,
        b: ntt_b_scalars,
        c: ntt_c_scalars,
        rows: ntt_scalars_actual_size,
        inputs: input_assignments,
        aux: aux_assignments,
        inputs_len: input_assignments_size,
        aux_len: aux_assignments_size,
        a_aux_density: a_aux_density_bv,
        b_input_density: b_g1_input_density_bv,
        b_aux_density: b_g1_aux_density_bv,
        ones: [
            a_aux_total_density,
            b_g1_input_total_density,
            b_g1_aux_total_density,
        ],
        n: num_circuits,
    };
    let started = circuits.assignments().and_then(|provers| {
        let batch = Batch::new(&provers, r_s, s_s)?;
        // SAFETY: the signature cannot say it: pointers lead to as many elements as the sizes say,
        // and stay as the comment above asks for.
        unsafe { start(&batch, srs, gpu_mtx, gpu_index) }
    });
    match started {
        Ok(pending) => cuzk_supraseal::keep(pending),
        Err(error) => fail(error),
    }
}

/// Waits for the proofs of a handle, which ends.
///
/// # Panics
///
/// When the handle is none or has ended, when there is room for another number of proofs, and when
/// proving failed.
#[allow(clippy::not_unsafe_ptr_arg_deref)]
pub fn finish_groth16_proof<PR>(handle: *mut c_void, proofs: &mut [PR]) {
    let made = cuzk_supraseal::finalize(handle).and_then(|pending| pending.finish());
    if let Err(error) = made.and_then(|made| write_proofs(&made, proofs)) {
        fail(error);
    }
}

/// Cancels the proofs of a handle, which ends, and waits until nothing that was lent is used any
/// more. Null, and what is no handle, is left alone.
///
/// # Safety
/// None is needed; the original's signature is kept.
pub unsafe fn drop_pending_proof(handle: *mut c_void) {
    cuzk_supraseal::destroy(handle);
}

/// Makes a lock for one GPU; it ends with [`free_gpu_mutex`].
pub fn alloc_gpu_mutex() -> *mut c_void {
    cuzk_supraseal::create_gpu_mutex()
}

/// Ends a lock; proofs that hold it finish. Null, and what is no lock, is left alone.
///
/// # Safety
/// None is needed; the original's signature is kept.
pub unsafe fn free_gpu_mutex(ptr: *mut c_void) {
    cuzk_supraseal::destroy_gpu_mutex(ptr);
}
