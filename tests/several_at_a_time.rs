// SPDX-License-Identifier: MIT OR Apache-2.0
//! Partitions of one request go to a device as many at a time as it takes, and come out in order.

mod chain;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use blstrs::Scalar;
use chain::fixture::*;
use chain::Chain;
use cuzk_prover::backend::{Assignment, Backend, Memory, Sums};
use cuzk_prover::cancel::Cancel;
use cuzk_prover::circuit::synthesize;
use cuzk_prover::cpu::CpuBackend;
use cuzk_prover::groth16::Proof;
use cuzk_prover::schedule::{Context, Partition, Priority, Source, Srs};
use cuzk_prover::srs::{ResidentSrs, SrsShape};
use cuzk_prover::timing::Timings;
use cuzk_prover::Result;
use ff::Field;

/// A device that takes two proofs at a time, and waits for the second before it ends the first of
/// each pair.
#[derive(Default)]
struct Pair {
    inside: AtomicUsize,
    met: AtomicUsize,
    most: AtomicUsize,
}

impl Backend for Pair {
    fn name(&self) -> &str {
        "pair"
    }

    fn turns(&self) -> usize {
        2
    }

    fn computes_on_host(&self) -> bool {
        false
    }

    fn work_memory(&self, shape: &SrsShape) -> Memory {
        CpuBackend.work_memory(shape)
    }

    fn sums(
        &self,
        srs: &dyn ResidentSrs,
        assignment: &Assignment<'_>,
        cancel: &Cancel,
        timings: &mut Timings,
    ) -> Result<Sums> {
        assert!(
            !std::thread::current()
                .name()
                .unwrap_or("")
                .starts_with("cuzk-0"),
            "a thread of the pool waits for a device"
        );
        let inside = 1 + self.inside.fetch_add(1, Ordering::SeqCst);
        self.most.fetch_max(inside, Ordering::SeqCst);
        let sums = CpuBackend.sums(srs, assignment, cancel, timings);
        let start = Instant::now();
        while self.met.load(Ordering::SeqCst) == 0 && start.elapsed() < Duration::from_secs(20) {
            if self.inside.load(Ordering::SeqCst) > 1 {
                self.met.fetch_add(1, Ordering::SeqCst);
            }
            std::thread::yield_now();
        }
        self.inside.fetch_sub(1, Ordering::SeqCst);
        sums
    }
}

fn partitions(srs: &Srs, n: u64) -> Vec<Partition<'static>> {
    (0..n)
        .map(|i| Partition {
            randomness: Some((Scalar::from(i + 1), Scalar::from(2 * i + 9))),
            ..partition(srs)
        })
        .collect()
}

fn proofs(context: &Context, partitions: Vec<Partition<'static>>) -> Result<Vec<Proof>> {
    let done = |_| ();
    let proved =
        context.prove_partitions(partitions, Priority::Normal, &Cancel::default(), &done)?;
    Ok(proved.iter().map(|proved| proved.proof).collect())
}

#[test]
fn two_partitions_are_on_the_device_at_a_time_and_come_out_in_order() {
    let alone = context();
    let expected = proofs(&alone, partitions(&open(&alone), 7)).unwrap();
    let backend = Arc::new(Pair::default());
    let context = Context::with_backend(options(), backend.clone()).unwrap();
    let srs = open(&context);
    let told = std::cell::RefCell::new(Vec::new());
    let done = |n| told.borrow_mut().push(n);
    let cancel = Cancel::default();
    let proved = context
        .prove_partitions(partitions(&srs, 7), Priority::Normal, &cancel, &done)
        .unwrap();
    let present: Vec<Proof> = proved.iter().map(|proved| proved.proof).collect();
    assert!(present == expected);
    assert_eq!(told.into_inner(), [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(backend.most.load(Ordering::SeqCst), 2);
    let info = context.info().unwrap();
    assert_eq!((info.proofs, info.waiting), (7, 0));
    // What the work took was given back: parameters and circuit are left.
    let residents: u64 = info
        .residents
        .iter()
        .map(|resident| resident.memory.host)
        .sum();
    assert!(residents > srs.memory().host);
    assert_eq!(info.used.host, residents);
}

#[test]
fn the_first_failure_is_told_and_ends_the_request() {
    let context = Context::with_backend(options(), Arc::new(Pair::default())).unwrap();
    let srs = open(&context);
    let mut all = partitions(&srs, 8);
    for wrong in [2, 3] {
        all[wrong].source = Source::Circuit {
            circuit: chain_circuit(),
            witness: Box::new(|_, _, _| {
                let mut witness = synthesize(Chain { steps: STEPS })?;
                witness.input[1] += Scalar::ONE;
                Ok(witness)
            }),
            witness_bytes: 0,
        };
    }
    let error = proofs(&context, all).unwrap_err().to_string();
    let named = ["partition 2 of 8: row ", "partition 3 of 8: row "];
    assert!(named.iter().any(|text| error.starts_with(text)), "{error}");
    // None was begun after the failures were seen.
    assert!(context.info().unwrap().proofs <= 4);
    assert_eq!(proofs(&context, partitions(&srs, 3)).unwrap().len(), 3);
}
