// SPDX-License-Identifier: MIT OR Apache-2.0
//! Verification: e(A, B) = e(alpha, beta) e(sum_i x_i ic_i, gamma) e(C, delta).

use blst::blst_fp12;
use ff::Field;
use group::prime::PrimeCurveAffine;
use group::Curve;
use rand_core::{OsRng, RngCore};
use rayon::prelude::*;

use super::Proof;
use crate::cancel::Cancel;
use crate::cpu::msm::msm;
use crate::curve::{G1Affine, G1Projective, G2Affine, Scalar};
use crate::srs::VerifyingKey;
use crate::{Error, ErrorKind, Result};

/// A verifying key with what every verification needs of it.
#[derive(Clone, Debug)]
pub struct PreparedKey {
    alpha_g1: G1Affine,
    beta_g2: G2Affine,
    gamma_g2: G2Affine,
    delta_g2: G2Affine,
    ic: Vec<G1Affine>,
    /// e(alpha, beta).
    alpha_beta: blst_fp12,
}

/// Verifies one proof; prepare the key once to verify many.
///
/// # Errors
///
/// As [`PreparedKey::verify`].
pub fn verify(key: &VerifyingKey, inputs: &[Scalar], proof: &Proof) -> Result<bool> {
    PreparedKey::new(key).verify(inputs, proof)
}

/// Verifies many proofs of one circuit together; the answer is whether all are valid.
///
/// # Errors
///
/// As [`PreparedKey::verify_batch`].
pub fn verify_batch(key: &VerifyingKey, inputs: &[&[Scalar]], proofs: &[Proof]) -> Result<bool> {
    PreparedKey::new(key).verify_batch(inputs, proofs)
}

impl PreparedKey {
    /// Prepares a key.
    pub fn new(key: &VerifyingKey) -> Self {
        Self {
            alpha_g1: key.alpha_g1,
            beta_g2: key.beta_g2,
            gamma_g2: key.gamma_g2,
            delta_g2: key.delta_g2,
            ic: key.ic.clone(),
            alpha_beta: miller_loop(&key.alpha_g1, &key.beta_g2).final_exp(),
        }
    }

    /// Number of public inputs that a proof needs, without the constant one.
    pub fn inputs(&self) -> usize {
        self.ic.len().saturating_sub(1)
    }

    /// Whether a proof is valid for the public `inputs`, the constant one left out.
    ///
    /// The proof's points must be in their subgroups, as [`Proof::from_bytes`] makes sure.
    ///
    /// # Errors
    ///
    /// `InvalidArgument` when the number of inputs is not the key's.
    pub fn verify(&self, inputs: &[Scalar], proof: &Proof) -> Result<bool> {
        self.check_inputs(inputs)?;
        let public = self.ic[0] + msm(&self.ic[1..], inputs, &Cancel::default())?;
        let mut product = miller_loop(&proof.a, &proof.b);
        product *= miller_loop(&(-public).to_affine(), &self.gamma_g2);
        product *= miller_loop(&-proof.c, &self.delta_g2);
        Ok(product.final_exp() == self.alpha_beta)
    }

    /// Whether all of some proofs are valid, `inputs[i]` being those of `proofs[i]`.
    ///
    /// The equations are added up with random factors of 128 bits, so a batch with an invalid
    /// proof passes with probability 2^-128 at most. A batch of n costs n + 3 Miller loops and
    /// one final exponentiation instead of 3 n and n.
    ///
    /// # Errors
    ///
    /// `InvalidArgument` when there is not one list of inputs a proof, or a list is not as long
    /// as the key needs.
    pub fn verify_batch(&self, inputs: &[&[Scalar]], proofs: &[Proof]) -> Result<bool> {
        if inputs.len() != proofs.len() {
            return Err(invalid(format!(
                "{} lists of inputs for {} proofs",
                inputs.len(),
                proofs.len()
            )));
        }
        for (i, inputs) in inputs.iter().enumerate() {
            self.check_inputs(inputs)
                .map_err(|error| error.context(format!("proof {i}")))?;
        }
        let factors: Vec<Scalar> = proofs.iter().map(|_| random_factor()).collect();
        let sum: Scalar = factors.iter().sum();
        let mut public = vec![Scalar::ZERO; self.inputs()];
        for (inputs, factor) in inputs.iter().zip(&factors) {
            for (sum, input) in public.iter_mut().zip(*inputs) {
                *sum += *input * factor;
            }
        }
        let cancel = Cancel::default();
        let public = self.ic[0] * sum + msm(&self.ic[1..], &public, &cancel)?;
        let c: Vec<G1Affine> = proofs.iter().map(|proof| proof.c).collect();
        let c = msm(&c, &factors, &cancel)?;
        let of_proofs = proofs
            .par_iter()
            .zip(&factors)
            .map(|(proof, factor)| miller_loop(&(proof.a * *factor).to_affine(), &proof.b));
        let of_key: [(G1Projective, &G2Affine); 3] = [
            (self.alpha_g1 * sum, &self.beta_g2),
            (public, &self.gamma_g2),
            (c, &self.delta_g2),
        ];
        let of_key = of_key
            .par_iter()
            .map(|(p, q)| miller_loop(&(-p).to_affine(), q));
        let product = of_proofs
            .chain(of_key)
            .reduce(blst_fp12::default, |a, b| a * b);
        Ok(product.final_exp() == blst_fp12::default())
    }

    fn check_inputs(&self, inputs: &[Scalar]) -> Result<()> {
        if self.ic.is_empty() || inputs.len() != self.inputs() {
            return Err(invalid(format!(
                "{} public inputs, the verifying key has {} and one for the constant",
                inputs.len(),
                self.inputs()
            )));
        }
        Ok(())
    }
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::InvalidArgument, message)
}

/// A random factor of 128 bits, not zero.
fn random_factor() -> Scalar {
    let mut limbs = [0; 4];
    while limbs == [0; 4] {
        limbs[0] = OsRng.next_u64();
        limbs[1] = OsRng.next_u64();
    }
    Scalar::from(limbs[1]) * Scalar::from(1 << 32).square() + Scalar::from(limbs[0])
}

/// The Miller loop of a pair; one (fp12's default) when either point is infinity, which blst's
/// loop does not provide for.
fn miller_loop(p: &G1Affine, q: &G2Affine) -> blst_fp12 {
    if bool::from(p.is_identity() | q.is_identity()) {
        return blst_fp12::default();
    }
    blst_fp12::miller_loop(q.as_ref(), p.as_ref())
}
