// SPDX-License-Identifier: MIT OR Apache-2.0
//! Contexts: proofs through them verify under bellperson, and whatever goes wrong comes out as an
//! error that leaves the context usable.

mod chain;

use std::sync::{mpsc, Arc, Mutex};

use blstrs::Scalar;
use chain::faulty::{Fault, Faulty};
use chain::fixture::*;
use chain::Chain;
use cuzk_prover::backend::{Assignment, AuxAssignment, Backend, BackendChoice, Memory, Rows};
use cuzk_prover::cancel::Cancel;
use cuzk_prover::circuit::{synthesize, Origin};
use cuzk_prover::cpu::CpuBackend;
use cuzk_prover::groth16::Proof;
use cuzk_prover::log::Level;
use cuzk_prover::schedule::{CircuitHandle, Context, Options, Priority, Source, SrsOptions};
use cuzk_prover::srs::{ParameterFile, SrsShape};
use cuzk_prover::{Error, ErrorKind, Result};
use ff::Field;

#[test]
fn given_rows_and_compiled_circuits_prove_what_bellperson_verifies() {
    let context = context();
    let srs = open(&context);
    assert_verifies(&prove(&context, &srs).unwrap());
    let partitions = (0..3).map(|_| partition(&srs)).collect();
    let seen = Mutex::new(Vec::new());
    let proved = context
        .prove_partitions(partitions, Priority::High, &Cancel::default(), &|done| {
            seen.lock().unwrap().push(done);
        })
        .unwrap();
    assert_eq!(*seen.lock().unwrap(), [1, 2, 3]);
    for proved in &proved {
        assert_verifies(&proved.proof);
        assert_eq!(proved.backend, "cpu");
        let timings = &proved.timings;
        assert!(timings.total >= timings.witness + timings.msm_h + timings.verify);
        assert!(timings.witness.as_nanos() > 0 && timings.verify.as_nanos() > 0);
        assert!(timings.peak_host_bytes >= srs.memory().host);
    }
    assert!(proved[0].proof != proved[1].proof, "r and s are not fresh");
    let info = context.info().unwrap();
    assert_eq!(info.proofs, 4);
    assert_eq!(info.failures, 0);
    assert_eq!(info.backends, ["cpu"]);
    assert_eq!(info.reason, "the options asked for the CPU");
    let names: Vec<&str> = info
        .residents
        .iter()
        .map(|info| info.name.as_str())
        .collect();
    assert!(names.contains(&"chain") && names.contains(&&*path().to_string_lossy()));
    assert!(info.residents.iter().all(|resident| resident.in_use == 0));
}

#[test]
fn fixed_randomness_gives_the_same_proof_by_both_ways() {
    let context = context();
    let srs = open(&context);
    let pair = (Scalar::from(5u64), Scalar::from(7u64));
    let cancel = Cancel::default();
    let proved = context
        .prove(
            &srs,
            &[given(), given()],
            Some(&[pair, pair]),
            Priority::Low,
            &cancel,
        )
        .unwrap();
    let mut partition = partition(&srs);
    partition.randomness = Some(pair);
    let compiled = prove_partitions(&context, vec![partition]).unwrap();
    assert!(proved[0].proof == proved[1].proof && proved[0].proof == compiled[0]);
    let outcome = context.prove(&srs, &[given()], Some(&[]), Priority::Low, &cancel);
    let error = outcome.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert_eq!(error.to_string(), "0 pairs of r and s for 1 assignments");
}

#[test]
fn evicted_parameters_are_loaded_again_under_the_live_handle() {
    let context = context();
    let srs = open(&context);
    for round in 0..3 {
        assert!(srs.is_resident().unwrap());
        srs.evict().unwrap();
        assert!(!srs.is_resident().unwrap());
        assert_eq!(context.info().unwrap().used, Memory::default());
        assert_verifies(&prove(&context, &srs).unwrap());
        assert_eq!(context.info().unwrap().resident_counts.loads, round + 2);
    }
    // A file that was replaced is still the handle's own; one that was written to is refused.
    let copy = fixture().folder.path().join("replaced.params");
    std::fs::copy(path(), &copy).unwrap();
    let srs = context
        .open_srs(&copy, &SrsOptions::default(), &Cancel::default())
        .unwrap();
    std::fs::remove_file(&copy).unwrap();
    srs.evict().unwrap();
    assert_verifies(&prove(&context, &srs).unwrap());

    std::fs::copy(path(), &copy).unwrap();
    let srs = context
        .open_srs(&copy, &SrsOptions::default(), &Cancel::default())
        .unwrap();
    srs.evict().unwrap();
    let bytes = std::fs::read(&copy).unwrap();
    std::fs::write(&copy, &bytes[..bytes.len() - 1]).unwrap();
    let error = prove(&context, &srs).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidSrs);
    assert!(error.to_string().contains("replaced.params"), "{error}");
}

#[test]
fn threads_that_open_the_same_file_load_it_once() {
    let context = context();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let srs = open(&context);
                assert_verifies(&prove(&context, &srs).unwrap());
            });
        }
    });
    let info = context.info().unwrap();
    assert_eq!(info.resident_counts.loads, 1);
    assert_eq!(info.proofs, 8);
}

#[test]
fn a_budget_for_one_file_holds_one_and_a_smaller_one_is_refused_with_the_sizes() {
    let second = fixture().folder.path().join("second.params");
    std::fs::copy(path(), &second).unwrap();
    let shape = *ParameterFile::open(&second).unwrap().shape();
    let bytes = CpuBackend.srs_memory(&shape).host;
    let work = 20_000_000;
    let tight = |host_bytes| {
        Context::new(Options {
            host_bytes: Some(host_bytes),
            ..options()
        })
        .unwrap()
    };
    let context = tight(bytes + work);
    let first = open(&context);
    assert_verifies(&prove(&context, &first).unwrap());
    let other = context
        .open_srs(&second, &SrsOptions::default(), &Cancel::default())
        .unwrap();
    assert_verifies(&prove(&context, &first).unwrap());
    assert_verifies(&prove(&context, &other).unwrap());
    let info = context.info().unwrap();
    assert!(info.peak.host <= info.budget.host, "{info:?}");

    let context = tight(bytes - 1);
    let outcome = context.open_srs(&path(), &SrsOptions::default(), &Cancel::default());
    let error = outcome.err().unwrap();
    assert_eq!(error.kind(), ErrorKind::OutOfMemory);
    let text = error.to_string();
    let budget = format!("the budget is {} bytes", bytes - 1);
    assert!(
        text.contains(&format!("needs {bytes} bytes")) && text.contains(&budget),
        "{text}"
    );
    assert_eq!(context.info().unwrap().resident_counts.loads, 0);

    // Enough for the parameters, not for proving with them.
    let context = tight(bytes);
    let srs = open(&context);
    let error = prove(&context, &srs).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfMemory);
    assert!(error.to_string().contains("work "), "{error}");
}

#[test]
fn a_bad_file_is_refused_when_it_is_opened() {
    let context = context();
    let cancel = Cancel::default();
    let bad = fixture().folder.path().join("bad.params");
    let mut bytes = std::fs::read(path()).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&bad, &bytes).unwrap();
    let error = context
        .open_srs(&bad, &SrsOptions::default(), &cancel)
        .err()
        .unwrap();
    assert_eq!(error.kind(), ErrorKind::InvalidSrs);
    assert!(error.to_string().contains("b_g2 query point"), "{error}");
    let with_digest = SrsOptions {
        digest: Some([7; 16]),
        ..SrsOptions::default()
    };
    let error = context
        .open_srs(&path(), &with_digest, &cancel)
        .err()
        .unwrap();
    assert!(error.to_string().contains("digest 0707"), "{error}");
    let other_circuit = SrsOptions {
        shape: Some(SrsShape::default()),
        ..SrsOptions::default()
    };
    let error = context
        .open_srs(&path(), &other_circuit, &cancel)
        .err()
        .unwrap();
    assert!(error.to_string().contains("the circuit needs 0"), "{error}");
    let missing = fixture().folder.path().join("missing.params");
    let error = context
        .open_srs(&missing, &SrsOptions::default(), &cancel)
        .err()
        .unwrap();
    assert_eq!(error.kind(), ErrorKind::ParametersNotFound);
    assert_eq!(context.info().unwrap().used, Memory::default());
}

#[test]
fn parameters_of_another_context_are_refused() {
    let (one, other) = (context(), context());
    let srs = open(&one);
    let error = prove(&other, &srs).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(
        error
            .to_string()
            .ends_with("were opened in another context"),
        "{error}"
    );
    // Both at once, each with its own.
    let others = open(&other);
    std::thread::scope(|scope| {
        scope.spawn(|| (0..5).for_each(|_| assert_verifies(&prove(&one, &srs).unwrap())));
        scope.spawn(|| (0..5).for_each(|_| assert_verifies(&prove(&other, &others).unwrap())));
    });
    // A handle keeps its context alive.
    drop(other);
    assert_verifies(&prove(others.context(), &others).unwrap());
}

#[test]
fn an_assignment_that_does_not_fit_is_refused_before_anything_runs() {
    let context = context();
    let srs = open(&context);
    let short = Assignment {
        aux: AuxAssignment::Scalars(&fixture().aux[1..]),
        ..given()
    };
    let cancel = Cancel::default();
    let error = context.prove(&srs, &[given(), short], None, Priority::Normal, &cancel);
    let error = error.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidAssignment);
    assert!(error.to_string().starts_with("assignment 1: "), "{error}");
    assert_eq!(context.info().unwrap().proofs, 0);
}

#[test]
fn a_false_assignment_is_an_error_that_names_the_row() {
    let context = context();
    let srs = open(&context);
    let fixture = fixture();
    let mut c = fixture.rows[2].clone();
    c[17] += Scalar::ONE;
    let assignment = Assignment {
        rows: Rows::Given {
            a: &fixture.rows[0],
            b: &fixture.rows[1],
            c: &c,
        },
        ..given()
    };
    let cancel = Cancel::default();
    let outcome = context.prove(&srs, &[assignment], None, Priority::Normal, &cancel);
    let error = outcome.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidAssignment);
    assert!(error.to_string().starts_with("row 17 "), "{error}");

    let mut wrong = partition(&srs);
    wrong.source = Source::Circuit {
        circuit: chain_circuit(),
        witness: Box::new(|_, _, _| {
            let mut witness = synthesize(Chain { steps: STEPS })?;
            witness.input[1] += Scalar::ONE;
            Ok(witness)
        }),
        witness_bytes: 0,
    };
    let error = prove_partitions(&context, vec![partition(&srs), wrong]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidAssignment);
    let expected = format!("partition 1 of 2: row {STEPS} ");
    assert!(error.to_string().starts_with(&expected), "{error}");
    assert_verifies(&prove(&context, &srs).unwrap());
}

#[test]
fn a_panic_at_any_layer_comes_out_as_its_text_and_the_context_stays_usable() {
    let backend = Faulty::new();
    let context = Context::with_backend(options(), backend.clone()).unwrap();
    let srs = open(&context);
    let fails = |expected: &str, outcome: Result<Vec<Proof>>| {
        let error = outcome.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Internal);
        assert!(error.to_string().ends_with(expected), "{error}");
        backend.set(Fault::None);
        assert_verifies(&prove(&context, &srs).unwrap());
        let proofs = prove_partitions(&context, vec![partition(&srs)]).unwrap();
        assert_verifies(&proofs[0]);
    };
    let prove_one = || prove(&context, &srs).map(|proof| vec![proof]);

    backend.set(Fault::PanicInSums);
    fails("sums 2", prove_one());
    backend.set(Fault::PanicInWorker);
    fails("worker 3", prove_one());
    backend.set(Fault::PanicWithoutText);
    fails("its payload is not text", prove_one());
    backend.set(Fault::PanicInLoad);
    srs.evict().unwrap();
    fails("load 1", prove_one());

    let mut in_witness = partition(&srs);
    in_witness.source = Source::Circuit {
        circuit: chain_circuit(),
        witness: Box::new(|_, _, _| panic!("witness {}", 4)),
        witness_bytes: 0,
    };
    fails("witness 4", prove_partitions(&context, vec![in_witness]));
    let mut in_record = partition(&srs);
    in_record.source = Source::Circuit {
        circuit: CircuitHandle {
            name: "broken".to_string(),
            bytes: 1,
            saved: None,
            record: Arc::new(|| panic!("record {}", 5)),
        },
        witness: Box::new(|_, _, _| panic!("never reached")),
        witness_bytes: 0,
    };
    fails("record 5", prove_partitions(&context, vec![in_record]));
    fails("caller 6", context.run(|| panic!("caller {}", 6)));
    assert_eq!(context.info().unwrap().failures, 6);
}

#[test]
fn a_device_that_computes_wrongly_once_is_asked_again_and_always_is_an_error() {
    let backend = Faulty::new();
    let context = Context::with_backend(options(), backend.clone()).unwrap();
    let srs = open(&context);
    backend.set(Fault::WrongOnce);
    assert_verifies(&prove(&context, &srs).unwrap());
    assert_eq!(context.info().unwrap().self_check_retries, 1);
    backend.set(Fault::WrongAlways);
    let error = prove(&context, &srs).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SelfCheckFailed);
    assert_eq!(backend.calls(), 2, "made again once");
    let text = error.to_string();
    assert!(
        text.contains("faulty") && text.contains("chain.params"),
        "{text}"
    );
    // What fails by itself is not tried again and again: the caller hears of it at once.
    backend.set(Fault::Fail);
    let error = prove(&context, &srs).unwrap_err();
    assert_eq!(backend.calls(), 1);
    assert_eq!(error.kind(), ErrorKind::DeviceFailed);
    assert_eq!(error.to_string(), "the card fell out");

    // Whoever turns self-verification off gets what the device made.
    let unchecked = Options {
        self_verification: false,
        ..options()
    };
    let context = Context::with_backend(unchecked, backend.clone()).unwrap();
    let srs = open(&context);
    backend.set(Fault::WrongAlways);
    let proof = prove(&context, &srs).unwrap();
    assert!(!srs
        .prepared_key()
        .verify(&fixture().witness.input[1..], &proof)
        .unwrap());
}

#[test]
fn cancelling_ends_running_and_waiting_work() {
    let backend = Faulty::new();
    let context = Context::with_backend(options(), backend.clone()).unwrap();
    let srs = open(&context);
    backend.set(Fault::WaitForCancel);
    let cancel = Cancel::default();
    std::thread::scope(|scope| {
        let work = || {
            let outcome = context.prove(&srs, &[given()], None, Priority::Normal, &cancel);
            outcome.unwrap_err().kind()
        };
        let running = scope.spawn(work);
        let waiting = scope.spawn(work);
        while context.info().unwrap().waiting == 0 {
            std::thread::yield_now();
        }
        cancel.cancel();
        assert_eq!(running.join().unwrap(), ErrorKind::Cancelled);
        assert_eq!(waiting.join().unwrap(), ErrorKind::Cancelled);
    });
    let info = context.info().unwrap();
    assert_eq!((info.waiting, info.failures), (0, 0));
    assert_eq!(info.used.host, srs.memory().host);
    backend.set(Fault::None);
    assert_verifies(&prove(&context, &srs).unwrap());
}

#[test]
fn cuda_is_an_error_with_its_reason_where_there_is_none() {
    let asked = Options {
        backend: Some(BackendChoice::Cuda),
        ..Options::default()
    };
    // With a GPU and kernels the context is made; without, the reason must be told.
    if let Err(error) = Context::new(asked) {
        assert_eq!(error.kind(), ErrorKind::NoDevice);
        assert!(
            error
                .to_string()
                .starts_with("the options asked for CUDA: "),
            "{error}"
        );
    }
}

#[test]
fn log_lines_come_on_the_thread_for_callbacks() {
    let (sender, lines) = mpsc::channel();
    let sender = Mutex::new(sender);
    let sink = move |level: Level, line: &str| {
        let thread = std::thread::current().name().unwrap_or("").to_string();
        sender
            .lock()
            .unwrap()
            .send((level, line.to_string(), thread))
            .unwrap();
    };
    let context = Context::new(Options {
        log: Some((Level::Info, Arc::new(sink))),
        ..options()
    })
    .unwrap();
    let srs = open(&context);
    srs.evict().unwrap();
    drop((srs, context));
    let lines: Vec<_> = lines.iter().collect();
    assert!(lines.iter().all(|(level, ..)| *level == Level::Info));
    assert!(lines.iter().all(|(_, _, thread)| thread == "cuzk-notifier"));
    let starts = ["context: proving on cpu: ", "loaded ", "dropped "];
    assert_eq!(lines.len(), starts.len(), "{lines:?}");
    for ((_, line, _), start) in lines.iter().zip(starts) {
        assert!(line.starts_with(start), "{line}");
    }
}

#[test]
fn circuits_come_from_a_saved_form_or_are_recorded_with_one_warning() {
    let (sender, lines) = mpsc::channel();
    let sender = Mutex::new(sender);
    let sink = move |level: Level, line: &str| {
        let line = (level, line.to_string());
        sender.lock().unwrap().send(line).unwrap();
    };
    let context = Context::new(Options {
        log: Some((Level::Warn, Arc::new(sink))),
        ..options()
    })
    .unwrap();
    let srs = open(&context);
    let prove = |name: &str, saved: Option<Vec<u8>>| {
        let mut partition = partition(&srs);
        if let Source::Circuit { circuit, .. } = &mut partition.source {
            circuit.name = name.to_string();
            circuit.saved = saved.map(|saved| &*saved.leak());
        }
        let cancel = Cancel::default();
        let proved = context.prove_partitions(vec![partition], Priority::Normal, &cancel, &|_| ());
        let proved = proved.unwrap().remove(0);
        assert_verifies(&proved.proof);
        proved.circuit
    };
    let saved = fixture().circuit.save();
    let mut changed = saved.clone();
    *changed.last_mut().unwrap() ^= 1;
    let mut newer = saved.clone();
    newer[8] += 1;
    let cut = saved[..saved.len() - 1].to_vec();
    assert_eq!(prove("saved", Some(saved)), Some(Origin::Saved));
    assert_eq!(prove("none", None), Some(Origin::Recorded));
    for (name, saved) in [("changed", changed), ("newer", newer), ("cut", cut)] {
        // Twice: it is loaded once.
        for _ in 0..2 {
            assert_eq!(prove(name, Some(saved.clone())), Some(Origin::Recorded));
        }
    }
    drop((srs, context));
    let lines: Vec<_> = lines.iter().collect();
    let wrong_digest = "saved circuit: the digest is not that of the contents";
    let expected = [
        ("changed", wrong_digest),
        (
            "newer",
            "saved circuit: version 2 of the format, this library reads 1",
        ),
        ("cut", wrong_digest),
    ];
    assert_eq!(lines.len(), expected.len(), "{lines:?}");
    for ((level, line), (name, cause)) in lines.iter().zip(expected) {
        assert_eq!(*level, Level::Warn);
        assert_eq!(*line, format!("{name} is recorded anew: {cause}"));
    }
}

#[test]
fn a_forked_child_gets_an_error_from_every_call() {
    let context = context();
    let srs = open(&context);
    let forked = |outcome: Option<Error>| outcome.is_some_and(|e| e.kind() == ErrorKind::Forked);
    // SAFETY: the child only calls what is under test, takes no lock that another thread of the
    // parent could hold, and leaves by _exit.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let cancel = Cancel::default();
        let options = SrsOptions::default();
        let outcomes = [
            forked(context.info().err()),
            forked(context.run(|| Ok(())).err()),
            forked(prove(&context, &srs).err()),
            forked(prove_partitions(&context, Vec::new()).err()),
            forked(context.open_srs(&path(), &options, &cancel).err()),
            forked(srs.load(&cancel).err()),
            forked(srs.evict().err()),
            forked(srs.is_resident().err()),
        ];
        let wrong = outcomes.iter().position(|forked| !forked);
        drop((srs, context));
        // SAFETY: ends the child at once, without the parent's handlers.
        unsafe { libc::_exit(wrong.map_or(0, |index| index as i32 + 1)) };
    }
    let mut status = 0;
    // SAFETY: waits for the child just made and writes its status.
    let waited = unsafe { libc::waitpid(child, &mut status, 0) };
    assert_eq!(waited, child);
    assert!(libc::WIFEXITED(status), "status {status:#x}");
    assert_eq!(libc::WEXITSTATUS(status), 0, "the outcome of that number");
    assert_verifies(&prove(&context, &srs).unwrap());
}

#[test]
fn parameters_on_demand_are_read_by_the_first_proof() {
    let (context, cancel) = (context(), Cancel::default());
    let options = SrsOptions {
        on_demand: true,
        ..SrsOptions::default()
    };
    let srs = context.open_srs(&path(), &options, &cancel).unwrap();
    assert_verifies(&prove(&context, &srs).unwrap());
    assert_verifies(&prove(&context, &open(&context)).unwrap());
    assert_eq!(context.info().unwrap().resident_counts.loads, 1);

    // The last point of all is not on the curve.
    let mut bytes = std::fs::read(path()).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    let bad = fixture().folder.path().join("bad-end.params");
    std::fs::write(&bad, bytes).unwrap();
    let last = ParameterFile::open(&bad).unwrap().shape().b_g2 - 1;
    let fault = format!("bad-end.params: b_g2 query point {last} is not on the curve");
    let srs = context.open_srs(&bad, &options, &cancel).unwrap();
    for _ in 0..2 {
        let error = prove(&context, &srs).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidSrs);
        assert!(error.to_string().ends_with(&fault), "{error}");
    }
    let error = srs.load(&cancel).unwrap_err();
    assert!(error.to_string().ends_with(&fault), "{error}");
    assert!(!srs.is_resident().unwrap());
    let opened = context.open_srs(&bad, &SrsOptions::default(), &cancel);
    let error = opened.err().unwrap();
    assert!(error.to_string().ends_with(&fault), "{error}");
    assert_verifies(&prove(&context, &open(&context)).unwrap());
}

#[test]
fn threads_that_prove_and_load_share_what_is_read() {
    let (context, cancel) = (context(), Cancel::default());
    let options = SrsOptions {
        on_demand: true,
        ..SrsOptions::default()
    };
    std::thread::scope(|scope| {
        for i in 0..8 {
            let (context, cancel, options) = (&context, &cancel, &options);
            scope.spawn(move || {
                let srs = context.open_srs(&path(), options, cancel).unwrap();
                if i % 2 == 0 {
                    srs.load(cancel).unwrap();
                }
                assert_verifies(&prove(context, &srs).unwrap());
            });
        }
    });
    assert_eq!(context.info().unwrap().resident_counts.loads, 1);
}
