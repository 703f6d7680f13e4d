// SPDX-License-Identifier: MIT OR Apache-2.0

//! Witnesses as the circuit's own closures make them.

use cuzk::filecoin::witness::Sector;
use cuzk_prover::circuit::{synthesize, AuxValue, Bitmap, CompactAux, Witness};
use cuzk_prover::curve::Scalar;
use filecoin_hashers::poseidon::PoseidonHasher;
use filecoin_hashers::sha256::{Sha256Domain, Sha256Hasher};
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_core::merkle::MerkleTreeTrait;
use storage_proofs_core::proof::ProofScheme;
use storage_proofs_porep::stacked::{
    Proof, PublicInputs, SetupParams, StackedCompound, StackedDrg, Tau,
};

/// The witness of a partition; its public inputs are those that a verifier derives.
pub fn synthesized<Tree: 'static + MerkleTreeTrait<Hasher = PoseidonHasher>>(
    setup: &SetupParams,
    sector: &Sector,
    seed: [u8; 32],
    partition: usize,
    proofs: &Vec<Proof<Tree, Sha256Hasher>>,
) -> Witness {
    let params = StackedDrg::<Tree, Sha256Hasher>::setup(setup).unwrap();
    let inputs = PublicInputs {
        replica_id: sector.replica_id.into(),
        seed: Some(seed),
        tau: Some(Tau {
            comm_d: Sha256Domain(sector.comm_d),
            comm_r: sector.comm_r.into(),
        }),
        k: None,
    };
    let partition = Some(partition);
    let circuit = StackedCompound::circuit(&inputs, (), proofs, &params, partition).unwrap();
    let witness = synthesize(circuit).unwrap();
    let public =
        StackedCompound::<Tree, Sha256Hasher>::generate_public_inputs(&inputs, &params, partition)
            .unwrap();
    assert_eq!(witness.input[1..], public);
    witness
}

/// The first variable with another value, however it is stored, or the shorter length.
pub fn first_difference(a: &CompactAux, b: &CompactAux) -> Option<usize> {
    let same_length = (a.len() != b.len()).then(|| a.len().min(b.len()));
    values(a)
        .zip(values(b))
        .position(|(a, b)| a != b)
        .or(same_length)
}

fn values(aux: &CompactAux) -> impl Iterator<Item = AuxValue> + '_ {
    let mut full = aux.values().iter();
    (0..aux.len()).map(move |i| match aux.full().get(i) {
        true => match full.next() {
            Some(value) if *value == 0.into() => AuxValue::Bit(false),
            Some(value) if *value == 1.into() => AuxValue::Bit(true),
            Some(value) => AuxValue::Full(*value),
            None => panic!("variable {i} has no value"),
        },
        false => AuxValue::Bit(aux.ones().get(i)),
    })
}

/// The values with another one at `i`: the other bit, or two more.
pub fn flipped(aux: &CompactAux, i: usize) -> CompactAux {
    let mut values = aux.values().to_vec();
    let mut ones = aux.ones().words().to_vec();
    if aux.full().get(i) {
        values[aux.full().rank(i)] += Scalar::from(2);
    } else {
        ones[i / 64] ^= 1 << (i % 64);
    }
    let ones = Bitmap::from_words(ones, aux.len());
    CompactAux::from_parts(ones, aux.full().clone(), values).expect("parts that fit")
}
