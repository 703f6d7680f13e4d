// SPDX-License-Identifier: MIT OR Apache-2.0
//! supraseal-c2 as its callers use it: parameters by their path, assignments by pointers.

use std::path::PathBuf;

use cuzk_prover::backend::{self, AuxAssignment, Rows};
use cuzk_prover::circuit::Bitmap;
use cuzk_prover::curve::{G1Affine, G2Affine, Scalar};
use cuzk_prover::groth16::Proof;
use supraseal_c2::{generate_groth16_proofs, Assignment, SRS};

/// supraseal-c2 with its parameters.
pub struct Peer {
    srs: SRS,
}

impl Peer {
    pub fn open(path: PathBuf) -> Self {
        // The peer's library calls blst's assembly; naming it here puts it on the link line.
        // SAFETY: a function of nothing.
        let _ = unsafe { blst::blst_p1_sizeof() };
        let srs = SRS::try_new(path, false)
            .map_err(String::from)
            .expect("the peer's parameters");
        Self { srs }
    }

    /// Proves the same assignment as often as there are pairs of blinding scalars, in one call.
    pub fn prove(&self, given: &backend::Assignment<'_>, r: &[Scalar], s: &[Scalar]) -> Vec<Proof> {
        let provers: Vec<_> = r.iter().map(|_| words(given)).collect();
        let empty = Proof {
            a: G1Affine::default(),
            b: G2Affine::default(),
            c: G1Affine::default(),
        };
        let mut proofs = vec![empty; r.len()];
        generate_groth16_proofs(&provers, r, s, &mut proofs, &self.srs);
        proofs
    }
}

/// The assignment in the peer's words.
fn words(given: &backend::Assignment<'_>) -> Assignment<Scalar> {
    let (Rows::Given { a, b, c }, AuxAssignment::Scalars(aux)) = (&given.rows, &given.aux) else {
        panic!("the peer takes evaluated rows and scalars");
    };
    let place = |density: &Bitmap| density.words().as_ptr().cast();
    Assignment {
        a_aux_density: place(given.a_aux_density),
        a_aux_bit_len: given.a_aux_density.len(),
        a_aux_popcount: given.a_aux_density.count_ones(),
        b_inp_density: place(given.b_input_density),
        b_inp_bit_len: given.b_input_density.len(),
        b_inp_popcount: given.b_input_density.count_ones(),
        b_aux_density: place(given.b_aux_density),
        b_aux_bit_len: given.b_aux_density.len(),
        b_aux_popcount: given.b_aux_density.count_ones(),
        a: a.as_ptr(),
        b: b.as_ptr(),
        c: c.as_ptr(),
        abc_size: a.len(),
        inp_assignment_data: given.input.as_ptr(),
        inp_assignment_size: given.input.len(),
        aux_assignment_data: aux.as_ptr(),
        aux_assignment_size: aux.len(),
    }
}
