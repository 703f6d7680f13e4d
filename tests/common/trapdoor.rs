// SPDX-License-Identifier: MIT OR Apache-2.0

//! Proofs for any public inputs of the 2 KiB circuit, by whoever knows the secret scalars behind
//! the verifying key: what verifiers do with proofs can be tested without making real ones.

use std::path::Path;

use bellperson::groth16::{Proof, VerifyingKey};
use blstrs::{Bls12, G1Affine, G1Projective, G2Affine, G2Projective, Scalar};
use cuzk::filecoin::params::ParameterFiles;
use cuzk::filecoin::SectorSize;
use ff::Field;
use group::{Curve, Group};

/// The scalars behind a verifying key of the 2 KiB circuit: 40 inputs, the constant one included.
pub struct Trapdoor {
    alpha: Scalar,
    beta: Scalar,
    gamma: Scalar,
    delta: Scalar,
    ic: Vec<Scalar>,
}

impl Trapdoor {
    pub fn new() -> Trapdoor {
        Trapdoor {
            alpha: Scalar::from(2),
            beta: Scalar::from(3),
            gamma: Scalar::from(5),
            delta: Scalar::from(7),
            ic: (11..51).map(Scalar::from).collect(),
        }
    }

    /// Writes the verifying key into a parameter folder, as that of sectors of 2 KiB.
    pub fn write_verifying_key(&self, folder: &Path) {
        let files = ParameterFiles::new(folder, SectorSize::Kib2).unwrap();
        let mut key = Vec::new();
        self.verifying_key().write(&mut key).unwrap();
        std::fs::write(files.verifying_key, key).unwrap();
    }

    fn verifying_key(&self) -> VerifyingKey<Bls12> {
        VerifyingKey {
            alpha_g1: g1(self.alpha),
            beta_g1: g1(self.beta),
            beta_g2: g2(self.beta),
            gamma_g2: g2(self.gamma),
            delta_g1: g1(self.delta),
            delta_g2: g2(self.delta),
            ic: self.ic.iter().map(|k| g1(*k)).collect(),
        }
    }

    /// Solves a b = alpha beta + (ic_0 + sum x_i ic_i) gamma + c delta for c; `salt` makes a and b.
    pub fn proof(&self, inputs: &[Scalar], salt: u64) -> Proof<Bls12> {
        assert_eq!(inputs.len() + 1, self.ic.len());
        let (a, b) = (Scalar::from(101 + salt), Scalar::from(103 + 5 * salt));
        let weighted: Scalar = inputs.iter().zip(&self.ic[1..]).map(|(x, k)| x * k).sum();
        let public = (self.ic[0] + weighted) * self.gamma;
        let c = (a * b - self.alpha * self.beta - public) * self.delta.invert().unwrap();
        Proof {
            a: g1(a),
            b: g2(b),
            c: g1(c),
        }
    }

    /// The bytes of a proof.
    pub fn proof_bytes(&self, inputs: &[Scalar], salt: u64) -> Vec<u8> {
        bytes(&self.proof(inputs, salt))
    }
}

pub fn bytes(proof: &Proof<Bls12>) -> Vec<u8> {
    let mut bytes = Vec::new();
    proof.write(&mut bytes).unwrap();
    bytes
}

fn g1(scalar: Scalar) -> G1Affine {
    (G1Projective::generator() * scalar).to_affine()
}

fn g2(scalar: Scalar) -> G2Affine {
    (G2Projective::generator() * scalar).to_affine()
}
