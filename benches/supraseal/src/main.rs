// SPDX-License-Identifier: MIT OR Apache-2.0
//! The same circuits on the same GPU, by cuzk and by supraseal-c2, in turns; every proof of both
//! is verified.
//!
//!     supraseal-comparison [sizes, such as 16,20,24,27] [--rounds N] [--batches N,N] [--locked|--only-locked]
//!
//! With --locked the batches are measured again with the callers' vectors page-locked, which is the
//! peer's best case; with --only-locked they are measured so alone.

#[path = "../../../prover/tests/common/memory_file.rs"]
mod memory_file;
mod peer;
#[path = "../../../prover/tests/common/synthetic.rs"]
mod synthetic;

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use cuzk_prover::backend::{Backend, Cancel, Generator, Multiplier, ResidentSrs};
use cuzk_prover::curve::Scalar;
use cuzk_prover::gpu::{self, GpuBackend, GpuOptions};
use cuzk_prover::groth16::{prove, PreparedKey, Proof};
use cuzk_prover::srs::{Checks, ParameterFile};
use cuzk_prover::timing::Timings;
use ff::Field;

use memory_file::memory_file;
use peer::Peer;
use synthetic::Synthetic;

/// Device memory left to the peer.
const PEER_BYTES: u64 = 15 << 30;

fn main() {
    let (mut sizes, mut rounds, mut batches, mut locked) =
        (vec![16, 20], 5, vec![4, 10], &[false][..]);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || -> usize {
            let text = arguments.next().expect("a number after the option");
            text.parse().expect("a number")
        };
        match argument.as_str() {
            "--rounds" => rounds = number(),
            "--batches" => batches = numbers(&arguments.next().expect("numbers such as 4,10")),
            "--locked" => locked = &[false, true],
            "--only-locked" => locked = &[true],
            list => sizes = numbers(list),
        }
    }
    let devices = match gpu::select(None) {
        Ok(devices) => devices,
        Err(error) => return println!("skipped: {error}"),
    };
    let options = GpuOptions {
        device_bytes: Some(devices[0].free_bytes.saturating_sub(PEER_BYTES)),
        ..GpuOptions::default()
    };
    let device = GpuBackend::open(&devices[0], &options).expect("a device");
    for log_n in sizes {
        compare(&device, log_n as u32, rounds, &batches, locked);
    }
}

fn numbers(list: &str) -> Vec<usize> {
    list.split(',')
        .map(|n| n.parse().expect("numbers such as 16,20"))
        .collect()
}

fn compare(device: &GpuBackend, log_n: u32, rounds: usize, batches: &[usize], locked: &[bool]) {
    let circuit = Synthetic::new(log_n, 1);
    let (file, path) = memory_file();
    let multiply =
        |group: u32,
         scalars: &[Scalar],
         sink: &(dyn Fn(usize, &[u8]) -> cuzk_prover::Result<()> + Sync)| {
            let generator = if group == 2 {
                Generator::G2
            } else {
                Generator::G1
            };
            device.multiples(generator, scalars, sink)
        };
    circuit
        .write_parameters(&file, &multiply)
        .expect("parameters");
    device.release().expect("giving memory back");

    let start = Instant::now();
    let opened = ParameterFile::open(&path).expect("the parameter file");
    let srs = device
        .load_srs(&opened, Checks::Curve, &Cancel::default())
        .expect("parameters");
    let load = start.elapsed();
    let key = PreparedKey::new(srs.verifying_key());
    // All proofs of one prover have the same r and s, so they are equal; one that does not verify
    // tells by its parts what was wrong in it.
    let good: RefCell<HashMap<&str, Proof>> = RefCell::default();
    let check = |proof: &Proof, by: &'static str| {
        let mut good = good.borrow_mut();
        if key.verify(&circuit.input[1..], proof).expect("a verdict") {
            good.insert(by, *proof);
            return;
        }
        let differs = match good.get(by) {
            Some(good) => {
                let parts = [
                    ("a", proof.a != good.a),
                    ("b", proof.b != good.b),
                    ("c", proof.c != good.c),
                ];
                let wrong: Vec<&str> = parts
                    .iter()
                    .filter(|part| part.1)
                    .map(|part| part.0)
                    .collect();
                format!("wrong in {}", wrong.join(", "))
            }
            None => "none verified before".to_string(),
        };
        println!("2^{log_n}: A PROOF BY {by} DOES NOT VERIFY: {differs}");
    };
    let peer = Peer::open(path);
    let by_peer = |n: usize| {
        let scalars = vec![Scalar::from(17).square(); n];
        peer.prove(&circuit.assignment(), &scalars, &scalars)
    };

    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let (mut first, mut alone) = (Duration::ZERO, 0);
    for round in 0..=rounds {
        let start = Instant::now();
        let (proof, timings) = one(device, &*srs, &circuit);
        let time = start.elapsed();
        check(&proof, "cuzk");
        let start = Instant::now();
        let proofs = by_peer(1);
        let peer_time = start.elapsed();
        proofs.iter().for_each(|proof| check(proof, "the peer"));
        // The first round loads the peer's parameters and warms both.
        if round == 0 {
            first = peer_time;
            continue;
        }
        alone = alone.max(timings.peak_device_bytes);
        ours.push(time);
        theirs.push(peer_time);
    }
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let (one, other) = (median(&mut ours), median(&mut theirs));
    println!(
        "2^{log_n}: load: cuzk {:.2} s with every point checked; the peer's first proof {:.2} s",
        load.as_secs_f64(),
        first.as_secs_f64()
    );
    println!("2^{log_n}: one proof: cuzk {:.1} ms (best {:.1}), the peer {:.1} ms (best {:.1}): {:.2} times", ms(one), ms(ours[0]), ms(other), ms(theirs[0]), ms(other) / ms(one));
    for &locked in locked {
        let vectors = [&circuit.a, &circuit.b, &circuit.c, &circuit.aux];
        let _locks: Vec<_> = vectors
            .into_iter()
            .filter(|_| locked)
            .map(|vector| device.page_lock(vector).expect("page-locking"))
            .collect();
        for &batch in batches {
            let start = Instant::now();
            let most = two_threads(device, &*srs, &circuit, batch);
            let ours = start.elapsed() / batch as u32;
            let start = Instant::now();
            let proofs = by_peer(batch);
            let theirs = start.elapsed() / batch as u32;
            proofs.iter().for_each(|proof| check(proof, "the peer"));
            let how = if locked { ", page-locked" } else { "" };
            // A second proof on the device has vectors of its own there.
            let vectors = device.work_memory(&circuit.shape()).device;
            let at_once = 1 + (most.saturating_sub(alone) + vectors / 2) / vectors;
            println!("2^{log_n}: {batch} proofs{how}, {at_once} of cuzk's at once, each: cuzk {:.1} ms, the peer {:.1} ms: {:.2} times", ms(ours), ms(theirs), ms(theirs) / ms(ours));
        }
    }
    drop(peer);
    drop(srs);
    device.release().expect("giving memory back");
}

fn one(device: &GpuBackend, srs: &dyn ResidentSrs, circuit: &Synthetic) -> (Proof, Timings) {
    let (r, s) = (Scalar::from(11), Scalar::from(13));
    let (cancel, mut timings) = (Cancel::default(), Timings::default());
    let proof = prove(
        device,
        srs,
        &circuit.assignment(),
        r,
        s,
        &cancel,
        &mut timings,
    );
    (proof.expect("a proof"), timings)
}

/// Proves from two threads; the most device memory meanwhile.
fn two_threads(
    device: &GpuBackend,
    srs: &dyn ResidentSrs,
    circuit: &Synthetic,
    batch: usize,
) -> u64 {
    let (next, most) = (AtomicUsize::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while next.fetch_add(1, Ordering::Relaxed) < batch {
                    let (_, timings) = one(device, srs, circuit);
                    most.fetch_max(timings.peak_device_bytes, Ordering::Relaxed);
                }
            });
        }
    });
    most.into_inner()
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}
