// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the original gets wrong, each as a test of what is done instead. Silence, the last part of
//! its fifth defect, is watched in ffi-tests.

// A part of it is used here.
#[allow(dead_code)]
#[path = "../../../consumers/circuits.rs"]
mod circuits;
mod devices;
mod setup;

use std::path::PathBuf;
use std::ptr::null_mut;
use std::sync::atomic::Ordering;
use std::sync::Arc;

use blstrs::Scalar;
use cuzk_prover::backend::{Backend, BackendChoice};
use cuzk_prover::schedule::{Context, Options, SrsOptions};
use cuzk_prover::srs::{Checks, ParameterFile, Section};
use cuzk_supraseal::{
    destroy, finalize, keep, prove, start, Assignment, Batch, Error, Pending, SRS,
};
use devices::{Device, Watch};
use ff::Field;
use setup::{outside_subgroup, spoiled, Setup};

/// Aligned, and not null: whoever reads there ends the test.
const NOWHERE: *const Scalar = std::ptr::without_provenance(32);

const EINVAL: i32 = 22;
const ENOMEM: i32 = 12;
const ENOTRECOVERABLE: i32 = 131;

fn options() -> Options {
    Options {
        backend: Some(BackendChoice::Cpu),
        threads: Some(2),
        ..Options::default()
    }
}

/// How the process's context opens parameters.
fn checked() -> SrsOptions {
    SrsOptions {
        checks: Checks::CurveAndSubgroup,
        ..SrsOptions::default()
    }
}

fn opened(context: &Context, setup: &Setup) -> SRS {
    SRS::open_in(context, &checked(), &setup.params, false).unwrap()
}

/// Begins proofs of equal assignments.
fn begin(assignments: &[Assignment<Scalar>], srs: &SRS, gpu: i32) -> Result<Pending, Error> {
    let blinds = vec![Scalar::from(11); assignments.len()];
    let batch = Batch::new(assignments, &blinds, &blinds)?;
    // SAFETY: the assignments of a setup live as long as the test.
    unsafe { start(&batch, srs, null_mut(), gpu) }
}

fn prove_one(setup: &Setup, srs: &SRS) -> Result<(), Error> {
    let proofs = begin(&[setup.assignment()], srs, -1)?.finish()?;
    assert!(proofs.len() == 1 && setup.valid(&proofs[0]));
    Ok(())
}

/// 1. Results of point decoding are ignored.
#[test]
fn a_corrupt_file_does_not_load_and_the_error_names_section_and_index() {
    let setup = Setup::new(9);
    let context = Context::new(options()).unwrap();
    let bad = setup.path("bad.params");
    let shape = *ParameterFile::open(&setup.params).unwrap().shape();
    let sections = [
        (Section::H, shape.h),
        (Section::L, shape.l),
        (Section::A, shape.a),
        (Section::BG1, shape.b_g1),
        (Section::BG2, shape.b_g2),
    ];
    for (section, points) in sections {
        for index in [0, points / 2, points - 1] {
            let at = setup.offset(section, index);
            let off_curve: &dyn Fn(&mut Vec<u8>) = &|bytes| bytes[at + 47] ^= 1;
            let outside = outside_subgroup(section);
            let outside: &dyn Fn(&mut Vec<u8>) =
                &|bytes| bytes[at..at + outside.len()].copy_from_slice(&outside);
            for spoil in [off_curve, outside] {
                spoiled(&setup.params, &bad, spoil);
                let error = SRS::open_in(&context, &checked(), &bad, true)
                    .err()
                    .unwrap();
                let named = format!("bad.params: {section} point {index} ");
                assert!(error.message().contains(&named), "{error}");
                assert_eq!(error.code, EINVAL);
            }
        }
    }
}

/// 2. The b_g2 section's length is checked with 96 bytes a point, then mapped.
#[test]
fn a_short_file_is_an_error_that_names_section_needed_and_present() {
    let setup = Setup::new(9);
    let context = Context::new(options()).unwrap();
    let short = setup.path("short.params");
    let full = std::fs::metadata(&setup.params).unwrap().len() as usize;
    let b_g2 = setup.offset(Section::BG2, 0);
    // Half of what is needed, which the original took for enough; one byte; and the whole section.
    for len in [b_g2 + (full - b_g2) / 2, full - 1, b_g2] {
        spoiled(&setup.params, &short, |bytes| bytes.truncate(len));
        let error = SRS::open_in(&context, &checked(), &short, true)
            .err()
            .unwrap();
        assert!(error.message().contains("b_g2 query"), "{error}");
        let present = error.message().contains(&len.to_string());
        let needed = error.message().contains(&full.to_string());
        let section = error.message().contains(&(full - b_g2).to_string());
        assert!(present || section, "{error}");
        assert!(needed || section, "{error}");
        assert_eq!(error.code, EINVAL);
    }
}

/// 3. Exceptions in worker threads end the process.
#[test]
fn a_fault_in_a_worker_is_an_error_with_its_text_and_the_next_call_succeeds() {
    let setup = Setup::new(9);
    let watch = Arc::new(Watch::default());
    let device = Arc::new(Device {
        watch: watch.clone(),
    });
    let context = Context::with_backend(options(), device).unwrap();
    watch.fail_load.store(true, Ordering::Relaxed);
    let error = SRS::open_in(&context, &checked(), &setup.params, false);
    let error = error.err().unwrap();
    assert_eq!(error.code, ENOTRECOVERABLE);
    assert!(error.message().ends_with("broke while loading"), "{error}");
    let srs = opened(&context, &setup);
    watch.fail_proof.store(true, Ordering::Relaxed);
    let error = prove_one(&setup, &srs).unwrap_err();
    assert_eq!(error.code, ENOTRECOVERABLE);
    assert!(error.message().ends_with("broke while proving"), "{error}");
    prove_one(&setup, &srs).unwrap();
}

/// 3. Out of memory is not caught.
#[test]
fn too_little_memory_is_an_error_with_needed_and_present_before_anything_is_loaded() {
    let setup = Setup::new(9);
    let small = Options {
        host_bytes: Some(1000),
        ..options()
    };
    let context = Context::new(small).unwrap();
    let error = SRS::open_in(&context, &checked(), &setup.params, false);
    let error = error.err().unwrap();
    assert_eq!(error.code, ENOMEM);
    assert!(
        error.message().contains("the budget is 1000 bytes"),
        "{error}"
    );
    assert_eq!(context.info().unwrap().resident_counts.loads, 0);
}

/// 3. Asserts are compiled out, so that sizes that do not match read past the end.
#[test]
fn every_size_is_compared_with_the_parameters_before_work_is_started() {
    let setup = Setup::new(9);
    let context = Context::new(options()).unwrap();
    let srs = opened(&context, &setup);
    type Spoil = fn(&mut Assignment<Scalar>);
    // What does not fit is not read: sizes and pointers lead nowhere here.
    let spoil: [(Spoil, &str); 15] = [
        (|a| a.abc_size = 1 << 40, "1099511627776 rows"),
        (|a| (a.abc_size, a.a) = (usize::MAX, NOWHERE), "rows"),
        (|a| a.aux_assignment_size = 1 << 50, "auxiliary variables"),
        (
            |a| (a.b_inp_bit_len, a.inp_assignment_size) = (1 << 50, 1 << 50),
            "inputs",
        ),
        (|a| a.abc_size /= 4, "rows"),
        (|a| a.abc_size = 0, "rows"),
        (|a| a.a = std::ptr::null(), "a is null"),
        (|a| a.a_aux_bit_len -= 1, "a_aux_density"),
        (|a| a.a_aux_popcount -= 1, "a query has"),
        (|a| a.b_inp_bit_len = 0, "b_inp"),
        (|a| a.b_inp_popcount += 1, "b query in G1 has"),
        (
            |a| (a.b_inp_popcount, a.b_aux_popcount) = (a.b_inp_popcount + 1, a.b_aux_popcount - 1),
            "b_inp_density has",
        ),
        (|a| a.b_aux_bit_len -= 1, "b_aux"),
        (|a| a.b_aux_popcount = usize::MAX, "b query in G1 has"),
        (|a| a.inp_assignment_size -= 1, "inputs"),
    ];
    for (spoil, part) in spoil {
        let mut bad = setup.assignment();
        spoil(&mut bad);
        let error = begin(&[setup.assignment(), bad], &srs, -1).err().unwrap();
        assert_eq!(error.code, EINVAL);
        let message = error.message();
        assert!(message.starts_with("assignment 1: "), "{error}");
        assert!(message.contains(part), "{error}");
    }
    let too_few = Batch::new(&[setup.assignment()], &[], &[Scalar::ONE]);
    assert_eq!(
        too_few.err().unwrap().message(),
        "r_s has 0 scalars, 1 assignments need as many"
    );
    assert_eq!(context.info().unwrap().proofs, 0);
    prove_one(&setup, &srs).unwrap();
}

/// 4. Four cached files can pin 176 GiB, whatever memory there is.
#[test]
fn cached_and_live_handles_stay_within_a_budget_in_bytes() {
    let setup = Setup::new(9);
    let copies: Vec<_> = (0..4)
        .map(|i| {
            let copy = setup.path(&format!("{i}.params"));
            std::fs::copy(&setup.params, &copy).unwrap();
            copy
        })
        .collect();
    // Room for two files and the work of one proof.
    let whole = Context::new(options()).unwrap();
    let srs = opened(&whole, &setup);
    prove_one(&setup, &srs).unwrap();
    let used = whole.info().unwrap();
    let host = used.peak.host + used.used.host;
    let limited = Options {
        host_bytes: Some(host),
        ..options()
    };
    let context = Context::new(limited).unwrap();
    let open = |cache| -> Vec<SRS> {
        let open = |path: &PathBuf| SRS::open_in(&context, &checked(), path, cache).unwrap();
        copies.iter().map(open).collect()
    };
    let handles: Vec<SRS> = open(true).into_iter().chain(open(false)).collect();
    for _ in 0..2 {
        for srs in &handles {
            prove_one(&setup, srs).unwrap();
            let info = context.info().unwrap();
            assert!(info.used.host <= host && info.peak.host <= host, "{info:?}");
            assert!(info.residents.len() <= 2, "{info:?}");
        }
    }
    assert!(context.info().unwrap().resident_counts.evictions > 0);
    for srs in &handles {
        srs.evict();
    }
    drop(handles);
    assert_eq!(context.info().unwrap().residents, []);
}

#[test]
fn parameters_outlive_the_last_handle_in_the_cache_alone() {
    let setup = Setup::new(9);
    let context = Context::new(options()).unwrap();
    let resident = || context.info().unwrap().residents.len();
    let one = opened(&context, &setup);
    let (two, three) = (one.clone(), opened(&context, &setup));
    drop(one);
    drop(two);
    assert_eq!(resident(), 1);
    drop(three);
    assert_eq!(resident(), 0);
    let cached = SRS::open_in(&context, &checked(), &setup.params, true).unwrap();
    drop(cached);
    assert_eq!(resident(), 1);
    let again = SRS::open_in(&context, &checked(), &setup.params, true).unwrap();
    assert_eq!(context.info().unwrap().resident_counts.loads, 2);
    again.evict();
    assert_eq!(resident(), 0);
    // An evicted handle is good.
    prove_one(&setup, &again).unwrap();
    drop(again);
    assert_eq!(resident(), 0);
    assert_eq!(prove_one(&setup, &SRS::default()).unwrap_err().code, EINVAL);
}

/// 4. One lock for the process, and one circuit only ever uses GPU 0.
#[test]
fn circuits_of_one_call_and_of_several_use_all_devices_at_once() {
    let setup = Setup::new(9);
    for calls in [1, 3] {
        let watch = Arc::new(Watch::default());
        watch.together.store(3, Ordering::Relaxed);
        let device = || -> Arc<dyn Backend> {
            Arc::new(Device {
                watch: watch.clone(),
            })
        };
        // A thread for each that waits.
        let threads = Options {
            threads: Some(4),
            ..options()
        };
        let context = Context::with_backends(threads, vec![device(), device(), device()]).unwrap();
        let srs = opened(&context, &setup);
        std::thread::scope(|scope| {
            for call in 0..calls {
                let (setup, srs) = (&setup, &srs);
                scope.spawn(move || {
                    let n = 3 / calls;
                    let assignments: Vec<_> = (0..n).map(|_| setup.assignment()).collect();
                    // One call leaves the choice to the context, the others name a device each.
                    let gpu = if calls == 1 { -1 } else { call };
                    let proofs = begin(&assignments, srs, gpu).unwrap().finish().unwrap();
                    assert!(proofs.iter().all(|proof| setup.valid(proof)));
                });
            }
        });
        assert_eq!(watch.most.load(Ordering::SeqCst), 3);
        let error = begin(&[setup.assignment()], &srs, 3).err().unwrap();
        assert_eq!(error.message(), "gpu_index is 3, -1 to 2 are known");
    }
}

/// 5. No GPU means failure.
#[test]
fn without_a_gpu_the_cpu_proves_whatever_device_is_named() {
    let setup = Setup::new(9);
    let context = Context::new(options()).unwrap();
    let srs = opened(&context, &setup);
    for gpu in [-1, 0, 7] {
        let proofs = begin(&[setup.assignment()], &srs, gpu).unwrap().finish();
        assert!(setup.valid(&proofs.unwrap()[0]));
    }
}

/// Handles are numbers: what has ended, or never was, is an error.
#[test]
fn a_pending_proof_ends_once() {
    let setup = Setup::new(9);
    let context = Context::new(options()).unwrap();
    let srs = opened(&context, &setup);
    let assignments = [setup.assignment(), setup.assignment()];
    let handle = keep(begin(&assignments, &srs, -1).unwrap());
    let pending = finalize(handle).unwrap();
    assert_eq!(pending.proofs(), 2);
    assert_eq!(pending.finish().unwrap().len(), 2);
    assert_eq!(finalize(handle).err().unwrap().code, EINVAL);
    let handle = keep(begin(&assignments, &srs, -1).unwrap());
    destroy(handle);
    destroy(handle);
    assert_eq!(finalize(handle).err().unwrap().code, EINVAL);
    // No assignment at all is fine.
    assert_eq!(begin(&[], &srs, -1).unwrap().finish().unwrap(), []);
    let batch = Batch::new::<Scalar>(&[], &[], &[]).unwrap();
    // SAFETY: there is nothing that it could refer to.
    assert_eq!(unsafe { prove(&batch, &srs, null_mut(), -1) }.unwrap(), []);
}
