// SPDX-License-Identifier: MIT OR Apache-2.0
//! The five secret scalars of a development setup.

use blstrs::Scalar;
use ff::Field;

use crate::curve::hash_to_scalars;
use crate::{Error, ErrorKind, Result};

/// Separates this use of the hash from all others. A change makes other parameters of each seed.
const DOMAIN: &[u8] = b"CUZK-INSECURE-DEVELOPMENT-SETUP-V1";

/// What a ceremony would have to forget: who knows these scalars can prove anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Secrets {
    /// Where the circuit's polynomials are evaluated.
    pub tau: Scalar,
    /// Shifts A.
    pub alpha: Scalar,
    /// Shifts B.
    pub beta: Scalar,
    /// Divides what the public inputs contribute.
    pub gamma: Scalar,
    /// Divides what the prover contributes.
    pub delta: Scalar,
}

impl Secrets {
    /// Derives the scalars from a seed: `hash_to_field` of RFC 9380 with
    /// `expand_message_xmd` over SHA-256, L = 48, five elements in the order tau, alpha, beta,
    /// gamma, delta, the domain `CUZK-INSECURE-DEVELOPMENT-SETUP-V1`, the seed as the message.
    pub fn derive(seed: &[u8; 32]) -> Self {
        let [tau, alpha, beta, gamma, delta] = hash_to_scalars(seed, DOMAIN);
        Self {
            tau,
            alpha,
            beta,
            gamma,
            delta,
        }
    }

    /// Z(tau) = tau^n - 1 for a domain of n = 2^`log_domain` points, and the inverses of gamma
    /// and delta.
    ///
    /// # Errors
    ///
    /// `InvalidArgument` when one of them is zero or none.
    pub fn inverses(&self, log_domain: u32) -> Result<(Scalar, Scalar, Scalar)> {
        let vanishing = self.tau.pow_vartime([1u64 << log_domain]) - Scalar::ONE;
        let inverses: Option<(Scalar, Scalar)> =
            Option::from(self.gamma.invert()).zip(Option::from(self.delta.invert()));
        match inverses {
            Some((gamma, delta))
                if ![vanishing, self.tau, self.alpha, self.beta].contains(&Scalar::ZERO) =>
            {
                Ok((vanishing, gamma, delta))
            }
            _ => Err(Error::new(
                ErrorKind::InvalidArgument,
                "the setup's secrets are no good: one is zero, or tau is in the domain",
            )),
        }
    }
}
