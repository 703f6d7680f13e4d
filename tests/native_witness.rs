// SPDX-License-Identifier: MIT OR Apache-2.0

//! The native witness is the circuit's own, value for value.

mod common;

use blstrs::Scalar;
use common::c1::{Fixture, INTERACTIVE};
use common::witness::{first_difference, synthesized};
use cuzk::filecoin::witness::{NativeWitness, Sector};
use cuzk::filecoin::C1;
use filecoin_hashers::sha256::Sha256Hasher;
use filecoin_proofs::constants::SectorShape2KiB;
use filecoin_proofs::parameters::setup_params;
use storage_proofs_porep::stacked::Proof;

type VanillaProof = Proof<SectorShape2KiB, Sha256Hasher>;

fn vanilla_proofs(fixture: &Fixture) -> Vec<VanillaProof> {
    let document: serde_json::Value = serde_json::from_slice(&fixture.c1).unwrap();
    let proofs = &document["vanilla_proofs"]["StackedDrg2KiBV1"][0];
    serde_json::from_value(proofs.clone()).unwrap()
}

#[test]
fn real_2kib_witnesses_are_the_circuits() {
    for case in INTERACTIVE {
        let fixture = Fixture::load(case);
        let c1 = C1::parse(&fixture.c1).unwrap();
        let native = NativeWitness::new(c1.proof().shape()).unwrap();
        let sector = Sector::from(c1.head());
        let witness = native.partition(&sector, &c1.partitions()[0]).unwrap();

        let setup = setup_params(&fixture.sector.registered_proof.as_v1_config()).unwrap();
        let proofs = vanilla_proofs(&fixture);
        let expected =
            synthesized::<SectorShape2KiB>(&setup, &sector, fixture.sector.seed, &proofs);
        assert_eq!(expected.aux.len(), 2_685_673);
        assert_eq!(native.aux_len(), expected.aux.len());
        assert_eq!(witness.input, expected.input, "{case}");
        assert_eq!(
            first_difference(&witness.aux, &expected.aux),
            None,
            "{case}"
        );
    }
}

#[test]
fn a_difference_is_seen() {
    use cuzk_prover::circuit::CompactAux;

    let aux: Vec<Scalar> = (0..200).map(|i| Scalar::from(i % 3)).collect();
    let compact = CompactAux::from_scalars(&aux);
    assert_eq!(first_difference(&compact, &compact), None);
    for i in [0, 1, 2, 63, 64, 199] {
        let mut other = aux.clone();
        other[i] += Scalar::from(1);
        let other = CompactAux::from_scalars(&other);
        assert_eq!(first_difference(&compact, &other), Some(i));
    }
    let shorter = CompactAux::from_scalars(&aux[..199]);
    assert_eq!(first_difference(&compact, &shorter), Some(199));
}
