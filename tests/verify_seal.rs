// SPDX-License-Identifier: MIT OR Apache-2.0

//! The outside verifier that other tests rely on says yes and no when it should.
//!
//! No parameters are needed: whoever knows the secret scalars behind a verifying key can make a
//! proof for any public inputs. (That is why the parameters of a development setup are insecure.)

mod common;

use bellperson::groth16::Proof;
use blstrs::Scalar;
use common::c1::{Fixture, INTERACTIVE, SYNTHETIC, V1};
use common::trapdoor::{bytes, Trapdoor};
use common::verify::verify_seal_2kib;
use filecoin_proofs::constants::SectorShape2KiB;
use filecoin_proofs::get_seal_inputs;

#[test]
fn verify_seal_accepts_true_proofs_only() {
    let folder = tempfile::tempdir().unwrap();
    let secret = Trapdoor::new();
    secret.write_verifying_key(folder.path());

    for case in INTERACTIVE {
        let fixture = Fixture::load(case);
        let verify = |proof: &[u8]| verify_seal_2kib(proof, &fixture, folder.path());

        let proof = secret.proof(&public_inputs(&fixture), 0);
        assert_eq!(verify(&bytes(&proof)), Ok(true), "{case}");

        let negated = Proof {
            c: -proof.c,
            ..proof.clone()
        };
        assert_eq!(verify(&bytes(&negated)), Ok(false), "{case}");

        let other = Fixture::load(if case == V1 { SYNTHETIC } else { V1 });
        let of_another_sector = secret.proof(&public_inputs(&other), 0);
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
