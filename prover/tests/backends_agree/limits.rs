// SPDX-License-Identifier: MIT OR Apache-2.0
//! Little memory, work that ends early, and what is left behind.

use cuzk_prover::backend::{Assignment, AuxAssignment, Backend, Cancel};
use cuzk_prover::circuit::CompactAux;
use cuzk_prover::cpu::CpuBackend;
use cuzk_prover::curve::Scalar;
use cuzk_prover::gpu::GpuBackend;
use cuzk_prover::groth16::{prove, PreparedKey};
use cuzk_prover::srs::Checks;
use cuzk_prover::timing::Timings;
use cuzk_prover::ErrorKind;

use super::{agree, open, sums, Parameters};
use crate::synthetic::Synthetic;

/// Budgets so small that the parameters stream and the work comes in phases.
pub fn a_small_budget_gives_the_same_sums(device: &GpuBackend) {
    let circuit = Synthetic::new(18, 8);
    let parameters = Parameters::of(&circuit, device);
    let packed = CompactAux::from_scalars(&circuit.aux);
    for bytes in [2000, 700, 400, 300, 200, 130] {
        let small = open(Some(bytes << 20)).expect("a device with a small budget");
        let srs = parameters
            .load(&small, Checks::Curve)
            .expect("device parameters");
        let what = format!("{bytes} MiB, {} on the device", srs.device_bytes());
        println!("{what}");
        agree(&parameters, &small, &*srs, &circuit.assignment(), &what);
        let assignment = Assignment {
            aux: AuxAssignment::Compact(&packed),
            ..circuit.assignment()
        };
        agree(
            &parameters,
            &small,
            &*srs,
            &assignment,
            &format!("{what}, packed"),
        );
        let (free, total) = small.memory().expect("memory");
        println!("{free} of {total} bytes free");
    }
}

pub fn too_small_a_budget_is_an_error_and_leaves_the_device_usable(device: &GpuBackend) {
    let circuit = Synthetic::new(18, 8);
    let parameters = Parameters::of(&circuit, device);
    // The three vectors of the quotient alone take 24 MiB.
    let tiny = open(Some(24 << 20)).expect("a device with a tiny budget");
    let outcome = parameters
        .load(&tiny, Checks::Curve)
        .and_then(|srs| sums(&tiny, &*srs, &circuit.assignment()));
    let error = outcome.expect_err("24 MiB cannot do");
    assert_eq!(error.kind(), ErrorKind::OutOfDeviceMemory, "{error}");
    println!("{error}");
    assert!(!tiny.is_lost());
    let small = Synthetic::new(6, 8);
    let parameters = Parameters::of(&small, device);
    let srs = parameters
        .load(&tiny, Checks::Curve)
        .expect("device parameters");
    match sums(&tiny, &*srs, &small.assignment()) {
        Ok(present) => {
            let expected = sums(&CpuBackend, &parameters.host, &small.assignment());
            assert!(present == expected.expect("sums"));
        }
        Err(error) => assert_eq!(error.kind(), ErrorKind::OutOfDeviceMemory, "{error}"),
    }
}

pub fn cancelled_work_ends_and_leaves_the_device_usable(device: &GpuBackend) {
    let circuit = Synthetic::new(16, 4);
    let parameters = Parameters::of(&circuit, device);
    let srs = parameters
        .load(device, Checks::None)
        .expect("device parameters");
    for milliseconds in [0, 1, 3, 10] {
        let cancel = Cancel::default();
        let outcome = std::thread::scope(|scope| {
            let work = scope.spawn(|| {
                device.sums(
                    &*srs,
                    &circuit.assignment(),
                    &cancel,
                    &mut Timings::default(),
                )
            });
            std::thread::sleep(std::time::Duration::from_millis(milliseconds));
            cancel.cancel();
            work.join().expect("no panic")
        });
        if let Err(error) = outcome {
            assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
        }
        agree(
            &parameters,
            device,
            &*srs,
            &circuit.assignment(),
            "after cancelling",
        );
    }
}

pub fn fifty_proofs_leave_the_memory_as_two_do(device: &GpuBackend) {
    let circuit = Synthetic::new(14, 4);
    let parameters = Parameters::of(&circuit, device);
    let srs = parameters
        .load(device, Checks::None)
        .expect("device parameters");
    let mut after_two = 0;
    for proof in 1..=50 {
        sums(device, &*srs, &circuit.assignment()).expect("sums");
        if proof == 2 {
            after_two = device.memory().expect("memory").0;
        }
    }
    let after_fifty = device.memory().expect("memory").0;
    println!("free: {after_two} bytes after 2 proofs, {after_fifty} after 50");
    assert!(after_two.abs_diff(after_fifty) <= 64 << 20);
}

/// Other work takes the device's memory after the budget was agreed: allocations fail, and the
/// proof makes do with what is left.
pub fn memory_that_others_took_is_done_without(_: &GpuBackend) {
    let circuit = Synthetic::new(20, 6);
    let device = open(None).expect("a device");
    let parameters = Parameters::of(&circuit, &device);
    let srs = parameters
        .load(&device, Checks::None)
        .expect("device parameters");
    let expected = sums(&device, &*srs, &circuit.assignment()).expect("sums");
    device.release().expect("giving memory back");
    // Another backend holds copies of other parameters, large ones and then small ones, until it
    // keeps no more on the device: less than a proof's best plan is left.
    let other = open(None).expect("a device");
    let mut held = Vec::new();
    for log_n in [22, 17] {
        let filling = Parameters::of(&Synthetic::new(log_n, 7), &device);
        device.release().expect("giving memory back");
        loop {
            match filling.load(&other, Checks::None) {
                Ok(srs) if srs.device_bytes() > 0 => held.push(srs),
                _ => break,
            }
        }
        other.release().expect("giving memory back");
    }
    let free = device.memory().expect("memory").0;
    println!("{} copies held, {free} bytes free", held.len());
    match sums(&device, &*srs, &circuit.assignment()) {
        Ok(present) => assert!(present == expected),
        Err(error) => assert_eq!(error.kind(), ErrorKind::OutOfDeviceMemory, "{error}"),
    }
    assert!(!device.is_lost());
    drop(held);
    other.release().expect("giving memory back");
    assert!(sums(&device, &*srs, &circuit.assignment()).expect("sums") == expected);
}

/// Ten proofs of page-locked vectors, and ten of others, from two threads each.
pub fn batches_of_ten_verify(device: &GpuBackend) {
    let circuit = Synthetic::new(17, 10);
    let parameters = Parameters::of(&circuit, device);
    let srs = parameters
        .load(device, Checks::None)
        .expect("device parameters");
    let key = PreparedKey::new(srs.verifying_key());
    let ten = || {
        let prove_five = || {
            for i in 0..5u64 {
                let (r, s) = (Scalar::from(i + 3), Scalar::from(i + 40));
                let (cancel, mut timings) = (Cancel::default(), Timings::default());
                let assignment = circuit.assignment();
                let proof = prove(device, &*srs, &assignment, r, s, &cancel, &mut timings);
                let verdict = key.verify(&circuit.input[1..], &proof.expect("a proof"));
                assert!(verdict.expect("a verdict"));
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(prove_five);
            scope.spawn(prove_five);
        });
    };
    ten();
    let vectors = [&circuit.a, &circuit.b, &circuit.c, &circuit.aux];
    let locks: Vec<_> = vectors
        .into_iter()
        .map(|vector| device.page_lock(vector).expect("page-locking"))
        .collect();
    ten();
    drop(locks);
    ten();
}
