// SPDX-License-Identifier: MIT OR Apache-2.0
//! Proofs, at once and in two steps, and the locks for GPUs.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use cuzk_supraseal::{array, prove, start, write_proofs, Batch, Error};

use super::boundary::{boundary, ending};
use super::srs::opened;
use super::types::{
    supraseal_c2_assignment, supraseal_c2_error, supraseal_c2_fr, supraseal_c2_proof, Given, SRS,
};

/// The arrays of a call.
///
/// # Safety
/// `provers`, `r_s` and `s_s` are null or point to `n` elements that stay during the call.
unsafe fn batch<'a>(
    provers: *const supraseal_c2_assignment,
    n: usize,
    r_s: *const supraseal_c2_fr,
    s_s: *const supraseal_c2_fr,
) -> Result<Batch<'a>, Error> {
    // SAFETY: the caller's contract; the layouts are asserted to be equal.
    unsafe {
        let provers: &[Given] = array("provers", provers.cast(), n)?;
        Batch::new(provers, array("r_s", r_s, n)?, array("s_s", s_s, n)?)
    }
}

/// Room for `n` proofs.
///
/// # Safety
/// `proofs` is null or points to room for `n` proofs that nobody else uses while the result lives.
unsafe fn room<'a>(
    proofs: *mut supraseal_c2_proof,
    n: usize,
) -> Result<&'a mut [MaybeUninit<supraseal_c2_proof>], Error> {
    let place: *mut MaybeUninit<supraseal_c2_proof> = proofs.cast();
    // SAFETY: the caller's contract; MaybeUninit promises nothing about what is there.
    unsafe {
        array("proofs_out", place.cast_const(), n)?;
        Ok(match n {
            0 => &mut [],
            _ => std::slice::from_raw_parts_mut(place, n),
        })
    }
}

/// Proves num_circuits assignments whose rows the caller evaluated.
///
/// provers, r_s, s_s and proofs_out have num_circuits elements. r_s and s_s
/// blind the proofs. Each proof is verified before it is given out. Two more
/// arguments, a lock and a device, which one fork of supraseal-c2 passes here,
/// are ignored.
///
/// Errors: EINVAL naming the assignment and what does not fit the parameters
/// or is not below the modulus, with both numbers, before any work is started,
/// and for rows that satisfy nothing; EBADMSG; EIO when the parameters must be
/// read again; ENOMEM; EREMOTEIO; EPERM.
#[no_mangle]
pub unsafe extern "C" fn generate_groth16_proofs_c(
    provers: *const supraseal_c2_assignment,
    num_circuits: usize,
    r_s: *const supraseal_c2_fr,
    s_s: *const supraseal_c2_fr,
    proofs_out: *mut supraseal_c2_proof,
    srs: *const SRS,
) -> supraseal_c2_error {
    boundary(|| {
        // SAFETY: the header asks for arrays of num_circuits elements, for pointers in provers
        // that lead to as many elements as the sizes say, and for a handle.
        unsafe {
            let proofs = room(proofs_out, num_circuits)?;
            let batch = batch(provers, num_circuits, r_s, s_s)?;
            let made = prove(&batch, opened(srs)?, std::ptr::null_mut(), -1)?;
            write_proofs(&made, proofs)
        }
    })
}

/// Begins to prove num_circuits assignments, and returns when the rows a, b
/// and c may be changed and freed.
///
/// As generate_groth16_proofs_c(). The arrays provers, r_s and s_s are copied;
/// inputs, auxiliary variables and densities are lent until the handle has
/// ended. gpu_mtx is null or a lock of create_gpu_mutex(), held during the
/// call. gpu_index names a device by its index among those that are used; -1
/// leaves the choice to the library, and without GPUs the CPU takes the place
/// of each. pending_out is null when the call fails.
///
/// Ownership: the handle is yours; end it with finalize_groth16_proof_c() or
/// destroy_pending_proof().
///
/// Errors: as above, those of proving when they are known by then; EINVAL also
/// for a lock that is none and a device that is not there.
#[no_mangle]
pub unsafe extern "C" fn generate_groth16_proofs_start_c(
    provers: *const supraseal_c2_assignment,
    num_circuits: usize,
    r_s: *const supraseal_c2_fr,
    s_s: *const supraseal_c2_fr,
    srs: *const SRS,
    gpu_mtx: *mut c_void,
    gpu_index: i32,
    pending_out: *mut *mut c_void,
) -> supraseal_c2_error {
    boundary(|| {
        if pending_out.is_null() {
            return Err(Error::invalid("pending_out is null"));
        }
        // SAFETY: not null, and a place for a pointer; the rest as in generate_groth16_proofs_c().
        unsafe {
            pending_out.write(std::ptr::null_mut());
            let batch = batch(provers, num_circuits, r_s, s_s)?;
            let pending = start(&batch, opened(srs)?, gpu_mtx, gpu_index)?;
            pending_out.write(cuzk_supraseal::keep(pending));
        }
        Ok(())
    })
}

/// Waits for the proofs of a handle, which ends, whatever comes of it.
///
/// proofs_out has room for as many proofs as were started.
///
/// Errors: EINVAL for a handle that is none or has ended, and for null; those
/// of proving.
#[no_mangle]
pub unsafe extern "C" fn finalize_groth16_proof_c(
    pending: *mut c_void,
    proofs_out: *mut supraseal_c2_proof,
) -> supraseal_c2_error {
    boundary(|| {
        let pending = cuzk_supraseal::finalize(pending)?;
        // SAFETY: the header asks for room for as many proofs as were started.
        let proofs = unsafe { room(proofs_out, pending.proofs())? };
        write_proofs(&pending.finish()?, proofs)
    })
}

/// Cancels the proofs of a handle, which ends, and waits until nothing that
/// was lent is used any more. Null, and what is no handle, is left alone.
#[no_mangle]
pub extern "C" fn destroy_pending_proof(pending: *mut c_void) {
    ending(|| cuzk_supraseal::destroy(pending));
}

/// Makes a lock for one GPU: a proof that is given it holds it while it uses
/// the device. Never null.
///
/// Ownership: the lock is yours; end it with destroy_gpu_mutex().
#[no_mangle]
pub extern "C" fn create_gpu_mutex() -> *mut c_void {
    let mut mutex = std::ptr::null_mut();
    ending(|| mutex = cuzk_supraseal::create_gpu_mutex());
    mutex
}

/// Ends a lock; proofs that hold it finish. Null, and what is no lock, is left
/// alone.
#[no_mangle]
pub extern "C" fn destroy_gpu_mutex(mutex: *mut c_void) {
    ending(|| cuzk_supraseal::destroy_gpu_mutex(mutex));
}
