// SPDX-License-Identifier: MIT OR Apache-2.0

//! The outside verifier that other tests rely on says yes and no when it should.
//!
//! No parameters are needed: whoever knows the secret scalars behind a verifying key can make a
//! proof for any public inputs. (That is why the parameters of a development setup are insecure.)

mod common;

use bellperson::groth16::{Proof, VerifyingKey};
use blstrs::{Bls12, G1Affine, G1Projective, G2Affine, G2Projective, Scalar};
use common::c1::{Fixture, INTERACTIVE, SYNTHETIC, V1};
use common::verify::verify_seal_2kib;
use ff::Field;
use filecoin_proofs::constants::SectorShape2KiB;
use filecoin_proofs::get_seal_inputs;
use group::{Curve, Group};

#[test]
fn verify_seal_accepts_true_proofs_only() {
    let folder = tempfile::tempdir().unwrap();
    let secret = Secret::new();
    let stem = Fixture::load(V1)
        .sector
        .registered_proof
        .circuit_identifier()
        .unwrap();
    let mut key = Vec::new();
    secret.verifying_key().write(&mut key).unwrap();
    std::fs::write(folder.path().join(format!("v28-{stem}.vk")), key).unwrap();

    for case in INTERACTIVE {
        let fixture = Fixture::load(case);
        let verify = |proof: &[u8]| verify_seal_2kib(proof, &fixture, folder.path());

        let proof = secret.proof(&public_inputs(&fixture));
        assert_eq!(verify(&bytes(&proof)), Ok(true), "{case}");

        let negated = Proof {
            c: -proof.c,
            ..proof.clone()
        };
        assert_eq!(verify(&bytes(&negated)), Ok(false), "{case}");

        let other = Fixture::load(if case == V1 { SYNTHETIC } else { V1 });
        let of_another_sector = secret.proof(&public_inputs(&other));
        assert_eq!(verify(&bytes(&of_another_sector)), Ok(false), "{case}");

        assert!(verify(&bytes(&proof)[..191]).is_err(), "{case}");
    }

    let other_folder = tempfile::tempdir().unwrap();
    let error = verify_seal_2kib(&[0; 192], &Fixture::load(V1), other_folder.path()).unwrap_err();
    assert!(error.contains("not from"), "{error}");
}

fn public_inputs(fixture: &Fixture) -> Vec<Scalar> {
    let sector = &fixture.sector;
    let inputs = get_seal_inputs::<SectorShape2KiB>(
        &sector.registered_proof.as_v1_config(),
        sector.comm_r,
        sector.comm_d,
        sector.prover_id,
        sector.sector_number.into(),
        sector.ticket,
        sector.seed,
    );
    let [inputs] = inputs.unwrap().try_into().expect("one partition");
    inputs
}

fn bytes(proof: &Proof<Bls12>) -> Vec<u8> {
    let mut bytes = Vec::new();
    proof.write(&mut bytes).unwrap();
    bytes
}

/// The scalars behind a verifying key of the 2 KiB circuit: 40 inputs, the constant one included.
struct Secret {
    alpha: Scalar,
    beta: Scalar,
    gamma: Scalar,
    delta: Scalar,
    ic: Vec<Scalar>,
}

impl Secret {
    fn new() -> Secret {
        Secret {
            alpha: Scalar::from(2),
            beta: Scalar::from(3),
            gamma: Scalar::from(5),
            delta: Scalar::from(7),
            ic: (11..51).map(Scalar::from).collect(),
        }
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

    /// Solves a b = alpha beta + (ic_0 + sum x_i ic_i) gamma + c delta for c.
    fn proof(&self, inputs: &[Scalar]) -> Proof<Bls12> {
        assert_eq!(inputs.len() + 1, self.ic.len());
        let (a, b) = (Scalar::from(101), Scalar::from(103));
        let weighted: Scalar = inputs.iter().zip(&self.ic[1..]).map(|(x, k)| x * k).sum();
        let public = (self.ic[0] + weighted) * self.gamma;
        let c = (a * b - self.alpha * self.beta - public) * self.delta.invert().unwrap();
        Proof {
            a: g1(a),
            b: g2(b),
            c: g1(c),
        }
    }
}

fn g1(scalar: Scalar) -> G1Affine {
    (G1Projective::generator() * scalar).to_affine()
}

fn g2(scalar: Scalar) -> G2Affine {
    (G2Projective::generator() * scalar).to_affine()
}
