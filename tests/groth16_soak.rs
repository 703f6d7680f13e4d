// SPDX-License-Identifier: MIT OR Apache-2.0

//! Many proofs in one process, which does nothing else, so that its memory can be watched.

mod common;

use bellperson::groth16 as peer;
use blstrs::Scalar;
use common::groth16::{rng, to_peer, Form, Sample, Subject};
use ff::Field;

/// Resident memory of this process in bytes.
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: usize = statm.split_whitespace().nth(1).unwrap().parse().unwrap();
    pages * 4096
}

/// One test, since others in the process would use memory and threads too.
#[test]
fn a_thousand_proofs_verify_and_memory_stays_flat_and_threads_share_a_backend() {
    const PROOFS: u64 = 1000;
    const WARM_UP: u64 = 100;
    let mut random = rng();
    let sample = Sample {
        squares: 60,
        products: 20,
        bits: 40,
        inputs: 2,
        start: None,
    };
    let subject = Subject::new(sample, &mut random);
    let prepared = peer::prepare_verifying_key(&subject.parameters.vk);
    let verified = |start: u64, r, s| {
        let witness = subject.witness(start);
        let form = if start % 2 == 0 {
            Form::Compact
        } else {
            Form::Given
        };
        let proof = subject.prove(&witness, form, r, s);
        let public = &witness.input[1..];
        let valid = peer::verify_proof(&prepared, &to_peer(&proof), public).unwrap();
        assert!(valid, "proof {start}");
        proof
    };

    let mut warm = 0;
    for start in 0..PROOFS {
        if start == WARM_UP {
            warm = resident();
        }
        verified(
            start,
            Scalar::random(&mut random),
            Scalar::random(&mut random),
        );
    }
    let growth = resident().saturating_sub(warm);
    println!("{warm} bytes resident after {WARM_UP} proofs, {growth} more after {PROOFS}");
    assert!(
        growth < 8 << 20,
        "{growth} bytes more after {PROOFS} proofs"
    );

    let (r, s) = (Scalar::from(5), Scalar::from(7));
    let expected: Vec<_> = (0..10).map(|start| verified(start, r, s)).collect();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for (start, expected) in expected.iter().enumerate() {
                    assert_eq!(verified(start as u64, r, s), *expected, "proof {start}");
                }
            });
        }
    });
}
