// SPDX-License-Identifier: MIT OR Apache-2.0

//! Small circuits: our proofs against bellperson's prover and verifier, and the other way round.

mod common;

use bellperson::groth16 as peer;
use blstrs::{Bls12, G1Affine, G2Affine, Scalar};
use common::groth16::{key, rng, to_peer, Form, Sample, Subject};
use cuzk_prover::groth16::{verify, verify_batch, Proof};
use ff::Field;
use group::prime::PrimeCurveAffine;

/// Shapes of circuits, with the number of rows that each has.
fn samples() -> Vec<(&'static str, Sample, usize)> {
    let sample = |squares, products, bits, inputs| Sample {
        squares,
        products,
        bits,
        inputs,
        start: None,
    };
    vec![
        ("one constraint", sample(1, 0, 0, 0), 2),
        ("one constraint and an input", sample(0, 0, 0, 1), 3),
        (
            "squares: every variable in A and B",
            sample(61, 0, 0, 1),
            64,
        ),
        ("one row more than a power of two", sample(62, 0, 0, 1), 65),
        ("one row less than a power of two", sample(60, 0, 0, 1), 63),
        ("no auxiliary variable in B", sample(0, 100, 0, 1), 103),
        ("only the constant one is public", sample(10, 10, 10, 0), 31),
        ("many inputs", sample(3, 0, 0, 300), 604),
        ("bits", sample(20, 20, 500, 2), 545),
        ("a mix", sample(700, 300, 1000, 5), 2011),
    ]
}

#[test]
fn proofs_are_bellpersons_bit_for_bit() {
    let mut random = rng();
    for (name, sample, rows) in samples() {
        let subject = Subject::new(sample, &mut random);
        assert_eq!(subject.circuit.shape().rows, rows, "{name}");
        for start in [0, 1, 0x1234_5678_9abc] {
            let witness = subject.witness(start);
            let sample = Sample {
                start: Some(start),
                ..sample
            };
            let (r, s) = (Scalar::random(&mut random), Scalar::random(&mut random));
            let theirs = peer::create_proof(sample, &subject.parameters, r, s).unwrap();
            for form in [Form::Compact, Form::Given] {
                let ours = subject.prove(&witness, form, r, s);
                assert_eq!(to_peer(&ours), theirs, "{name}, start {start}, {form:?}");
            }
        }
    }
}

#[test]
fn each_verifier_accepts_the_others_proofs_and_no_changed_ones() {
    let mut random = rng();
    for (name, sample, _) in samples() {
        let subject = Subject::new(sample, &mut random);
        let start = 77;
        let sample = Sample {
            start: Some(start),
            ..sample
        };
        let (r, s) = (Scalar::random(&mut random), Scalar::random(&mut random));
        let ours = subject.prove(&subject.witness(start), Form::Compact, r, s);
        let theirs = peer::create_random_proof(sample, &subject.parameters, &mut random).unwrap();
        let theirs = Proof {
            a: theirs.a,
            b: theirs.b,
            c: theirs.c,
        };
        let public = sample.public();
        let prepared = peer::prepare_verifying_key(&subject.parameters.vk);
        let key = key(&subject.parameters.vk);
        // Both verifiers' answer, through the 192 bytes.
        let verdict = |public: &[Scalar], proof: &Proof| {
            let bytes = proof.to_bytes();
            let by_us = verify(&key, public, &Proof::from_bytes(&bytes).unwrap()).unwrap();
            let read = peer::Proof::<Bls12>::read(&bytes[..]).unwrap();
            let by_them = peer::verify_proof(&prepared, &read, public).unwrap();
            assert_eq!(by_us, by_them, "{name}: the verifiers disagree");
            by_us
        };
        assert!(verdict(&public, &ours), "{name}: our proof");
        assert!(verdict(&public, &theirs), "{name}: bellperson's proof");
        let changed = [
            Proof { a: -ours.a, ..ours },
            Proof { b: -ours.b, ..ours },
            Proof { c: -ours.c, ..ours },
            Proof {
                a: theirs.a,
                ..ours
            },
            Proof {
                b: theirs.b,
                ..ours
            },
            Proof {
                c: theirs.c,
                ..ours
            },
            Proof {
                a: ours.c,
                c: ours.a,
                ..ours
            },
            Proof {
                a: G1Affine::generator(),
                b: G2Affine::generator(),
                c: G1Affine::generator(),
            },
        ];
        for (i, proof) in changed.iter().enumerate() {
            assert!(!verdict(&public, proof), "{name}: change {i}");
        }
        for i in [0, public.len().saturating_sub(1)] {
            if let Some(input) = public.get(i) {
                let mut changed = public.clone();
                changed[i] = input + Scalar::ONE;
                assert!(!verdict(&changed, &ours), "{name}: input {i}");
            }
        }
        let one_more = [public.as_slice(), &[Scalar::ZERO]].concat();
        let error = verify(&key, &one_more, &ours).unwrap_err();
        let message = format!(
            "{} public inputs, the verifying key has {} and one for the constant",
            public.len() + 1,
            public.len()
        );
        assert_eq!(error.message(), message);
    }
}

#[test]
fn a_false_witness_gives_a_proof_that_fails() {
    let mut random = rng();
    let sample = Sample {
        squares: 50,
        bits: 20,
        inputs: 1,
        ..Default::default()
    };
    let subject = Subject::new(sample, &mut random);
    let mut witness = subject.witness(3);
    witness.input[1] += Scalar::ONE;
    let proof = subject.prove(&witness, Form::Compact, Scalar::ONE, Scalar::ONE);
    let key = key(&subject.parameters.vk);
    assert!(!verify(&key, &witness.input[1..], &proof).unwrap());
}

#[test]
fn batches_are_valid_when_all_their_proofs_are() {
    let mut random = rng();
    let sample = Sample {
        squares: 30,
        inputs: 2,
        ..Default::default()
    };
    let subject = Subject::new(sample, &mut random);
    let key = key(&subject.parameters.vk);
    let (mut proofs, mut inputs) = (Vec::new(), Vec::new());
    for start in 0..5 {
        let witness = subject.witness(start);
        let (r, s) = (Scalar::random(&mut random), Scalar::random(&mut random));
        proofs.push(subject.prove(&witness, Form::Compact, r, s));
        inputs.push(witness.input[1..].to_vec());
    }
    for n in 0..=proofs.len() {
        let lists: Vec<&[Scalar]> = inputs[..n].iter().map(Vec::as_slice).collect();
        assert!(
            verify_batch(&key, &lists, &proofs[..n]).unwrap(),
            "{n} proofs"
        );
        for bad in 0..n {
            let mut proofs = proofs[..n].to_vec();
            proofs[bad].c = -proofs[bad].c;
            assert!(
                !verify_batch(&key, &lists, &proofs).unwrap(),
                "{bad} of {n}"
            );
        }
        if n > 1 {
            let mut lists = lists.clone();
            lists.swap(0, 1);
            assert!(!verify_batch(&key, &lists, &proofs[..n]).unwrap());
        }
    }
    let lists: Vec<&[Scalar]> = inputs.iter().map(Vec::as_slice).collect();
    let error = verify_batch(&key, &lists[1..], &proofs).unwrap_err();
    assert_eq!(error.message(), "4 lists of inputs for 5 proofs");
    let mut short = lists.clone();
    short[3] = &short[3][1..];
    let error = verify_batch(&key, &short, &proofs).unwrap_err();
    assert!(
        error.message().starts_with("proof 3: 1 public inputs"),
        "{error}"
    );
}

#[test]
fn keys_with_points_at_infinity_are_judged_as_bellperson_does() {
    let mut random = rng();
    let sample = Sample {
        squares: 5,
        inputs: 1,
        ..Default::default()
    };
    let subject = Subject::new(sample, &mut random);
    let witness = subject.witness(9);
    let proof = subject.prove(&witness, Form::Compact, Scalar::ONE, Scalar::ONE);
    let vk = &subject.parameters.vk;
    let (none_g1, none_g2) = (G1Affine::identity(), G2Affine::identity());
    let mut keys = vec![vk.clone(); 5];
    keys[0].alpha_g1 = none_g1;
    keys[1].beta_g2 = none_g2;
    keys[2].gamma_g2 = none_g2;
    keys[3].delta_g2 = none_g2;
    keys[4].ic = vec![none_g1; 2];
    for (i, vk) in keys.iter().enumerate() {
        let public = &witness.input[1..];
        let by_us = verify(&key(vk), public, &proof).unwrap();
        let prepared = peer::prepare_verifying_key(vk);
        let by_them = peer::verify_proof(&prepared, &to_peer(&proof), public).unwrap();
        assert_eq!(by_us, by_them, "key {i}");
        assert!(!by_us, "key {i}");
        assert!(
            !verify_batch(&key(vk), &[public], &[proof]).unwrap(),
            "key {i}"
        );
    }
}
