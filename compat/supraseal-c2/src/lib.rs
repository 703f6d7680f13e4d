// SPDX-License-Identifier: MIT OR Apache-2.0
//! cuzk with the interface of supraseal-c2 0.1.2, for bellperson 0.26 and 0.27:
//!
//! ```toml
//! [patch.crates-io]
//! supraseal-c2 = { path = ".../compat/supraseal-c2" }
//! ```
//!
//! The functions panic on error, as their signatures ask for; the payload is a `&'static str` with
//! the cause. Sizes are compared with the parameters before any work is started.

use std::ptr::null_mut;

use cuzk_supraseal::{fail, prove, write_proofs, Batch, Circuits};
pub use cuzk_supraseal::{Assignment, SRS};

/// The error of [`SRS::try_new`].
pub mod cuda {
    pub use cuzk_supraseal::Error;
}

/// Makes one proof for each circuit; all have the densities of the first.
///
/// # Panics
///
/// When a size does not fit the others or the parameters, and when proving fails.
#[allow(clippy::too_many_arguments)]
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
    match circuits.assignments() {
        Ok(assignments) => generate_groth16_proofs(&assignments, r_s, s_s, proofs, srs),
        Err(error) => fail(error),
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
    let made = Batch::new(provers, r_s, s_s).and_then(|batch| {
        batch.check_room(proofs)?;
        // SAFETY: the signature cannot say it: pointers lead to as many elements as the sizes say,
        // and nobody changes or frees them during the call.
        let made = unsafe { prove(&batch, srs, null_mut(), -1)? };
        write_proofs(&made, proofs)
    });
    if let Err(error) = made {
        fail(error);
    }
}
