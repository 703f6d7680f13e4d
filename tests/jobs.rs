// SPDX-License-Identifier: MIT OR Apache-2.0
//! Jobs: results by request, progress, cancelling, priorities, callbacks, and ends in any order.

mod chain;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{mpsc, Arc, Mutex};
use std::time::{Duration, Instant};

use chain::faulty::{Fault, Faulty};
use chain::fixture::*;
use cuzk_prover::cancel::Cancel;
use cuzk_prover::groth16::{Proof, PROOF_BYTES};
use cuzk_prover::schedule::{
    Context, Job, JobOptions, Partition, Phase, Priority, Progress, Request, Source, Srs,
    SrsOptions,
};
use cuzk_prover::timing::Timings;
use cuzk_prover::{Error, ErrorKind, Result};

type Order = Arc<Mutex<Vec<&'static str>>>;

/// Some partitions of the chain; its result is their proofs' bytes.
struct Chains {
    srs: Srs,
    partitions: usize,
    fault: RequestFault,
    /// Says when it is dropped.
    dropped: Option<Arc<AtomicBool>>,
    /// Where each partition writes the name once it has the device.
    order: Option<(&'static str, Order)>,
}

#[derive(Clone, Copy, PartialEq)]
enum RequestFault {
    None,
    Plan,
    Explained,
    PanicInExplain,
    PanicInPlan,
    PanicInFinish,
    PanicInDrop,
}

impl Chains {
    fn new(srs: &Srs, partitions: usize) -> Self {
        Self {
            srs: srs.clone(),
            partitions,
            fault: RequestFault::None,
            dropped: None,
            order: None,
        }
    }

    fn with(mut self, fault: RequestFault) -> Self {
        self.fault = fault;
        self
    }

    fn named(mut self, name: &'static str, order: &Order) -> Self {
        self.order = Some((name, order.clone()));
        self
    }

    fn partition(&self) -> Partition<'static> {
        let mut partition = partition(&self.srs);
        if let (Source::Circuit { witness, .. }, Some((name, order))) =
            (&mut partition.source, self.order.clone())
        {
            let make = std::mem::replace(witness, Box::new(|_, _, _| unreachable!()));
            *witness = Box::new(move |circuit, cancel, timings| {
                order.lock().unwrap().push(name);
                make(circuit, cancel, timings)
            });
        }
        partition
    }

    fn boxed(self) -> Box<dyn Request> {
        Box::new(self)
    }
}

impl Request for Chains {
    fn plan(
        &mut self,
        _: &Context,
        cancel: &Cancel,
        timings: &mut Timings,
    ) -> Result<Vec<Partition<'static>>> {
        cancel.check()?;
        match self.fault {
            RequestFault::Plan | RequestFault::Explained | RequestFault::PanicInExplain => {
                return Err(Error::new(ErrorKind::InvalidC1, "not a seal"));
            }
            RequestFault::PanicInPlan => panic!("plan {}", 1),
            _ => {}
        }
        timings.parse += Duration::from_nanos(5);
        Ok((0..self.partitions).map(|_| self.partition()).collect())
    }

    fn finish(&mut self, _: &Context, proofs: &[Proof], _: &mut Timings) -> Result<Vec<u8>> {
        assert!(self.fault != RequestFault::PanicInFinish, "finish {}", 2);
        Ok(proofs.iter().flat_map(|proof| proof.to_bytes()).collect())
    }

    fn explain(&self, _: &Context, error: Error) -> Error {
        assert!(self.fault != RequestFault::PanicInExplain, "explain {}", 4);
        match self.fault {
            RequestFault::Explained => error.context("explained"),
            _ => error,
        }
    }
}

impl Drop for Chains {
    fn drop(&mut self) {
        if let Some(dropped) = &self.dropped {
            dropped.store(true, Ordering::SeqCst);
        }
        assert!(self.fault != RequestFault::PanicInDrop, "drop {}", 3);
    }
}

fn start(context: &Context, requests: Vec<Box<dyn Request>>) -> Job {
    context.start(requests, JobOptions::default()).unwrap()
}

fn assert_proved(job: &Job, request: usize, partitions: usize) {
    let outcome = job.outcome(request).unwrap();
    let bytes = outcome.result.as_ref().unwrap();
    assert_eq!(bytes.len(), partitions * PROOF_BYTES);
    assert_eq!(outcome.partitions.len(), partitions);
    for bytes in bytes.chunks(PROOF_BYTES) {
        assert_verifies(&Proof::from_bytes(bytes).unwrap());
    }
}

#[test]
fn one_bad_request_does_not_fail_its_neighbours() {
    let context = context();
    let srs = open(&context);
    let requests = [
        (2, RequestFault::None),
        (1, RequestFault::Plan),
        (1, RequestFault::PanicInPlan),
        (1, RequestFault::PanicInFinish),
        (1, RequestFault::PanicInDrop),
        (0, RequestFault::None),
        (3, RequestFault::None),
        (1, RequestFault::Explained),
        (1, RequestFault::PanicInExplain),
    ];
    let requests = requests.map(|(n, fault)| Chains::new(&srs, n).with(fault).boxed());
    let job = start(&context, requests.into());
    assert_eq!(job.requests(), 9);
    assert!(job.wait(None).unwrap());
    for (request, partitions) in [(0, 2), (4, 1), (5, 0), (6, 3)] {
        assert_proved(&job, request, partitions);
    }
    let failed = [
        (1, ErrorKind::InvalidC1, "not a seal"),
        (2, ErrorKind::Internal, "plan 1"),
        (3, ErrorKind::Internal, "finish 2"),
        (7, ErrorKind::InvalidC1, "explained: not a seal"),
        (8, ErrorKind::Internal, "explain 4"),
    ];
    for (request, kind, text) in failed {
        let error = job.outcome(request).unwrap().result.as_ref().unwrap_err();
        assert_eq!(error.kind(), kind);
        assert!(error.to_string().ends_with(text), "{error}");
    }
    assert!(job.outcome(9).is_none());
    let expected = Progress {
        phase: Phase::Done,
        requests_done: 9,
        requests_total: 9,
        partitions_done: 7,
        partitions_total: 7,
    };
    assert_eq!(job.progress().unwrap(), expected);
    let timings = job.outcome(0).unwrap().timings;
    assert_eq!(timings.parse, Duration::from_nanos(5));
    assert!(timings.total >= timings.msm_h + timings.verify);
}

#[test]
fn a_request_on_the_calling_thread_has_the_same_outcome() {
    let context = context();
    let srs = open(&context);
    let cancel = Cancel::default();
    let mut request = Chains::new(&srs, 2);
    let outcome = context
        .perform(&mut request, Priority::Normal, &cancel)
        .unwrap();
    assert_eq!(outcome.result.unwrap().len(), 2 * PROOF_BYTES);
    let mut request = Chains::new(&srs, 2).with(RequestFault::PanicInPlan);
    let outcome = context
        .perform(&mut request, Priority::Normal, &cancel)
        .unwrap();
    assert!(outcome.result.unwrap_err().to_string().ends_with("plan 1"));
}

#[test]
fn waiting_ends_in_time_and_a_cancelled_job_within_a_partition() {
    let backend = Faulty::new();
    let context = Context::with_backend(options(), backend.clone()).unwrap();
    let srs = open(&context);
    let job = start(&context, vec![Chains::new(&srs, 1).boxed()]);
    assert!(job.wait(None).unwrap());
    assert_proved(&job, 0, 1);

    backend.set(Fault::WaitForCancel);
    let requests = (0..3).map(|_| Chains::new(&srs, 2).boxed()).collect();
    let job = start(&context, requests);
    let begin = Instant::now();
    assert!(!job.wait(Some(Duration::from_millis(40))).unwrap());
    assert!(begin.elapsed() >= Duration::from_millis(40));
    assert!(!job.wait(Some(Duration::ZERO)).unwrap());
    assert!(job.outcome(0).is_none());
    job.cancel().unwrap();
    assert!(job.wait(None).unwrap());
    for request in 0..3 {
        let error = job.outcome(request).unwrap().result.as_ref().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled);
    }
    let progress = job.progress().unwrap();
    assert_eq!((progress.partitions_done, progress.requests_done), (0, 3));
    assert_eq!(context.info().unwrap().used.host, resident_bytes(&context));
}

fn resident_bytes(context: &Context) -> u64 {
    let info = context.info().unwrap();
    info.residents
        .iter()
        .map(|resident| resident.memory.host)
        .sum()
}

#[test]
fn dropping_a_running_job_ends_it_and_frees_what_it_was_lent() {
    let backend = Faulty::new();
    let context = Context::with_backend(options(), backend.clone()).unwrap();
    let srs = open(&context);
    backend.set(Fault::WaitForCancel);
    let dropped = Arc::new(AtomicBool::new(false));
    let mut request = Chains::new(&srs, 2);
    request.dropped = Some(dropped.clone());
    let job = start(&context, vec![request.boxed()]);
    while job.progress().unwrap().phase != Phase::Proving {
        std::thread::yield_now();
    }
    drop(job);
    assert!(dropped.load(Ordering::SeqCst));
    assert_eq!(context.info().unwrap().waiting, 0);
    backend.set(Fault::None);
    assert_verifies(&prove(&context, &srs).unwrap());
}

#[test]
fn urgent_jobs_overtake_between_the_partitions_of_others() {
    let backend = Faulty::new();
    let context = Context::with_backend(options(), backend.clone()).unwrap();
    let srs = open(&context);
    // The first partition holds the device until every job waits behind it.
    backend.set(Fault::WaitForCancel);
    let hold = start(&context, vec![Chains::new(&srs, 1).boxed()]);
    while backend.calls() == 0 {
        std::thread::yield_now();
    }
    let order = Order::default();
    let mut jobs = Vec::new();
    let arrivals = [
        ("low", Priority::Low, 2),
        ("normal", Priority::Normal, 2),
        ("critical", Priority::Critical, 2),
        ("high", Priority::High, 1),
    ];
    for (waiting, (name, priority, partitions)) in arrivals.into_iter().enumerate() {
        let options = JobOptions {
            priority,
            ..JobOptions::default()
        };
        let request = Chains::new(&srs, partitions).named(name, &order).boxed();
        jobs.push((context.start(vec![request], options).unwrap(), partitions));
        while context.info().unwrap().waiting != waiting + 1 {
            std::thread::yield_now();
        }
    }
    backend.set(Fault::None);
    drop(hold);
    for (job, partitions) in &jobs {
        assert!(job.wait(None).unwrap());
        assert_proved(job, 0, *partitions);
    }
    assert_eq!(
        *order.lock().unwrap(),
        ["critical", "critical", "high", "normal", "normal", "low", "low"]
    );
}

#[test]
fn callbacks_come_on_their_thread_the_last_progress_before_the_end() {
    let context = context();
    let srs = open(&context);
    let (sender, receiver) = mpsc::channel();
    let sender = Mutex::new(sender);
    let send = Arc::new(move |text: String| {
        let name = std::thread::current().name().unwrap_or("").to_string();
        sender.lock().unwrap().send((name, text)).unwrap();
    });
    let (progress, done) = (send.clone(), send);
    let options = JobOptions {
        on_progress: Some(Arc::new(move |p: Progress| {
            progress(format!(
                "{:?} {}/{}",
                p.phase, p.partitions_done, p.partitions_total
            ));
            // Slower than the work: steps are told together, and the work does not wait.
            std::thread::sleep(Duration::from_millis(5));
        })),
        on_done: Some(Arc::new(move || done("done".to_string()))),
        ..JobOptions::default()
    };
    let job = context
        .start(vec![Chains::new(&srs, 4).boxed()], options)
        .unwrap();
    assert!(job.wait(None).unwrap());
    assert_eq!(job.progress().unwrap().fraction(), 1.0);
    drop(job);
    let told: Vec<(String, String)> = receiver.try_iter().collect();
    assert!(told.iter().all(|(thread, _)| thread == "cuzk-notifier"));
    let texts: Vec<&str> = told.iter().map(|(_, text)| text.as_str()).collect();
    let n = texts.len();
    assert!(n >= 2, "{texts:?}");
    assert_eq!(texts[n - 2..], ["Done 4/4", "done"]);
}

#[test]
fn a_job_outlives_its_handles_and_may_be_dropped_by_its_own_callback() {
    let (sender, receiver) = mpsc::channel();
    let sender = Mutex::new(sender);
    let kept: Arc<Mutex<Option<Job>>> = Arc::default();
    let job = {
        let context = context();
        let srs = open(&context);
        let kept = kept.clone();
        let options = JobOptions {
            on_done: Some(Arc::new(move || {
                // Waits until the starter has put the job here.
                let job = loop {
                    if let Some(job) = kept.lock().unwrap().take() {
                        break job;
                    }
                    std::thread::yield_now();
                };
                let proved = job.outcome(0).is_some_and(|outcome| outcome.result.is_ok());
                drop(job);
                sender.lock().unwrap().send(proved).unwrap();
            })),
            ..JobOptions::default()
        };
        context
            .start(vec![Chains::new(&srs, 1).boxed()], options)
            .unwrap()
    };
    *kept.lock().unwrap() = Some(job);
    assert!(receiver.recv().unwrap());
}

/// A proof that waits, with its turn, for memory that was evicted under others; and one of these
/// that waits for a turn to load it.
#[test]
fn loading_while_others_prove_and_evict_does_not_end_in_a_deadlock() {
    let context = context();
    let on_demand = SrsOptions {
        on_demand: true,
        ..SrsOptions::default()
    };
    let srs = context
        .open_srs(&path(), &on_demand, &Cancel::default())
        .unwrap();
    let (entered, inside) = mpsc::channel();
    let (open_gate, gate) = mpsc::channel::<()>();
    let mut held = partition(&srs);
    if let Source::Circuit { witness, .. } = &mut held.source {
        let make = std::mem::replace(witness, Box::new(|_, _, _| unreachable!()));
        *witness = Box::new(move |circuit, cancel, timings| {
            entered.send(()).unwrap();
            gate.recv().unwrap();
            make(circuit, cancel, timings)
        });
    }
    let waiting = |n: u64| {
        while context.info().unwrap().waiting as u64 != n {
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    let ended = AtomicUsize::new(0);
    let cancel = Cancel::default();
    let overslept = std::thread::scope(|scope| {
        scope.spawn(|| {
            prove_partitions(&context, vec![held]).unwrap();
            ended.fetch_add(1, Ordering::SeqCst);
        });
        inside.recv().unwrap();
        scope.spawn(|| {
            // Cancelled where it would wait forever, so that the test ends.
            let _ = srs.load(&cancel);
            ended.fetch_add(1, Ordering::SeqCst);
        });
        waiting(1);
        let urgent = JobOptions {
            priority: Priority::Critical,
            ..JobOptions::default()
        };
        let job = context
            .start(vec![Chains::new(&srs, 1).boxed()], urgent)
            .unwrap();
        waiting(2);
        srs.evict().unwrap();
        open_gate.send(()).unwrap();
        let in_time = job.wait(Some(Duration::from_secs(60))).unwrap();
        cancel.cancel();
        assert!(job.wait(None).unwrap());
        assert_proved(&job, 0, 1);
        !in_time
    });
    assert!(!overslept, "the proof waited until loading was cancelled");
    assert_eq!(ended.load(Ordering::SeqCst), 2);
}

#[test]
fn eight_threads_of_mixed_jobs_on_one_context_all_prove() {
    let context = context();
    let srs = open(&context);
    let proved = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for thread in 0..8usize {
            let (context, srs, proved) = (&context, &srs, &proved);
            scope.spawn(move || {
                for round in 0..4usize {
                    let n = 1 + (thread + round) % 3;
                    let job = start(context, vec![Chains::new(srs, n).boxed()]);
                    match (thread + round) % 4 {
                        0 => job.cancel().unwrap(),
                        1 => srs.evict().unwrap(),
                        _ => {}
                    }
                    assert!(job.wait(None).unwrap());
                    let outcome = job.outcome(0).unwrap();
                    match &outcome.result {
                        Ok(_) => {
                            assert_proved(&job, 0, n);
                            proved.fetch_add(n, Ordering::SeqCst);
                        }
                        Err(error) => assert_eq!(error.kind(), ErrorKind::Cancelled),
                    }
                }
            });
        }
    });
    let info = context.info().unwrap();
    assert_eq!(info.waiting, 0);
    assert_eq!(info.failures, 0);
    assert!(info.proofs >= proved.load(Ordering::SeqCst) as u64);
    assert_eq!(info.used.host, resident_bytes(&context));
}
