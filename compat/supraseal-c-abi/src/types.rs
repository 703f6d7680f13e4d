// SPDX-License-Identifier: MIT OR Apache-2.0
//! What crosses the boundary, in supraseal-c2's layouts.

use std::ffi::{c_char, c_void};
use std::mem::offset_of;

use cuzk_supraseal::{Assignment, PROOF_BYTES, SCALAR_BYTES};

/// What a call came to, returned by value.
///
/// code is 0 or an errno:
///
///   EINVAL           a null, a size or a value that does not fit; a parameter
///                    file with wrong contents
///   ENOENT, EIO      no parameter file; reading it failed
///   ENOMEM           host or device memory: the text says which, with needed
///                    and present
///   ENODEV           a GPU was asked for and none can be used
///   EREMOTEIO        a device call failed
///   EBADMSG          a proof did not verify, twice
///   EPERM            the call came from a forked child of the process that
///                    uses the library
///   ENOTRECOVERABLE  a fault of the library
///
/// Ownership: message is null, always so when code is 0, or one line of text
/// in malloc's memory that is yours: end it with free().
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct supraseal_c2_error {
    /// 0 or an errno.
    pub code: i32,
    /// The cause, or null.
    pub message: *mut c_char,
}

/// A handle of proving parameters: one pointer, null when it holds none.
///
/// It does not pin memory: what is resident is a cache under a byte budget
/// below all handles, loaded again when it is used.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SRS {
    /// For the library.
    pub ptr: *const c_void,
}

/// A scalar: four 64-bit limbs, the least first, in Montgomery form, below the
/// modulus; as blst_fr.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct supraseal_c2_fr {
    /// The limbs.
    pub limbs: [u64; 4],
}

/// A proof: three affine points in Montgomery form, as blst_p1_affine,
/// blst_p2_affine and blst_p1_affine.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct supraseal_c2_proof {
    /// a, in G1: x and y, six limbs each.
    pub a: [u64; 12],
    /// b, in G2: x and y, two times six limbs each.
    pub b: [u64; 24],
    /// c, in G1.
    pub c: [u64; 12],
}

/// Everything of one proof but its parameters and blinding scalars: 17 words.
///
/// Bit i of a density is bit i mod 64 of word i / 64; its popcount is the
/// number of ones. Inputs start with the constant one.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct supraseal_c2_assignment {
    /// Auxiliary variables with a point in the a query.
    pub a_aux_density: *const u64,
    /// Its bits: one for each auxiliary variable.
    pub a_aux_bit_len: usize,
    /// Its ones.
    pub a_aux_popcount: usize,
    /// Inputs with points in the b queries.
    pub b_inp_density: *const u64,
    /// Its bits: one for each input.
    pub b_inp_bit_len: usize,
    /// Its ones.
    pub b_inp_popcount: usize,
    /// Auxiliary variables with points in the b queries.
    pub b_aux_density: *const u64,
    /// Its bits: one for each auxiliary variable.
    pub b_aux_bit_len: usize,
    /// Its ones.
    pub b_aux_popcount: usize,
    /// A times the assignment: one scalar for each row. The rows that bind
    /// the inputs, input i times zero is zero, stand at the end.
    pub a: *const supraseal_c2_fr,
    /// B times the assignment.
    pub b: *const supraseal_c2_fr,
    /// C times the assignment.
    pub c: *const supraseal_c2_fr,
    /// Rows of each of a, b and c.
    pub abc_size: usize,
    /// The inputs, the constant one first.
    pub inp_assignment_data: *const supraseal_c2_fr,
    /// Number of inputs.
    pub inp_assignment_size: usize,
    /// The auxiliary variables.
    pub aux_assignment_data: *const supraseal_c2_fr,
    /// Number of auxiliary variables.
    pub aux_assignment_size: usize,
}

const _: () = assert!(size_of::<supraseal_c2_error>() == 16);
const _: () = assert!(offset_of!(supraseal_c2_error, message) == 8);
const _: () = assert!(size_of::<SRS>() == 8);
const _: () = assert!(size_of::<supraseal_c2_fr>() == SCALAR_BYTES);
const _: () = assert!(size_of::<supraseal_c2_proof>() == PROOF_BYTES);
const _: () = assert!(offset_of!(supraseal_c2_proof, b) == 96);
const _: () = assert!(offset_of!(supraseal_c2_proof, c) == 288);

/// A structure of the same layout, which the prover's side takes.
pub(super) type Given = Assignment<supraseal_c2_fr>;

const _: () = assert!(size_of::<supraseal_c2_assignment>() == 17 * 8);
const _: () = assert!(size_of::<Given>() == 17 * 8);
const _: () = assert!(offset_of!(supraseal_c2_assignment, a) == 72 && offset_of!(Given, a) == 72);
const _: () = assert!(
    offset_of!(supraseal_c2_assignment, abc_size) == 96 && offset_of!(Given, abc_size) == 96
);
const _: () = assert!(
    offset_of!(supraseal_c2_assignment, inp_assignment_data) == 104
        && offset_of!(Given, inp_assignment_data) == 104
);
const _: () = assert!(
    offset_of!(supraseal_c2_assignment, aux_assignment_size) == 128
        && offset_of!(Given, aux_assignment_size) == 128
);
