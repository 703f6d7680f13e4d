// SPDX-License-Identifier: MIT OR Apache-2.0
//! The verifying key of a circuit.

use crate::curve::{G1Affine, G2Affine};

/// The verifying key, as it stands at the head of a parameter file and alone in a `.vk` file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyingKey {
    /// alpha in G1.
    pub alpha_g1: G1Affine,
    /// beta in G1 (needed for C only).
    pub beta_g1: G1Affine,
    /// beta in G2.
    pub beta_g2: G2Affine,
    /// gamma in G2.
    pub gamma_g2: G2Affine,
    /// delta in G1 (needed for A and C only).
    pub delta_g1: G1Affine,
    /// delta in G2.
    pub delta_g2: G2Affine,
    /// (beta a_i + alpha b_i + c_i) / gamma for each public input, the constant one first.
    pub ic: Vec<G1Affine>,
}
