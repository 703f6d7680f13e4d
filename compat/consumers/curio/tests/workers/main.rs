// SPDX-License-Identifier: MIT OR Apache-2.0
//! Proofs in two steps, as Curio's daemon makes them: workers begin proofs on their GPU under its
//! lock, rows in memory of `cudaHostAlloc` that is overwritten as soon as it may be, and hand them
//! to a thread that takes the proofs. Compared with bellperson's prover, bit for bit.

// A part of it is used here.
#[allow(dead_code)]
#[path = "../../../circuits.rs"]
mod circuits;
mod rows;

use std::ffi::{c_int, c_uint, c_void};
use std::fs::File;
use std::io::BufWriter;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::mpsc;

use bellperson::groth16::{
    create_proof_batch, generate_random_parameters, prepare_verifying_key, verify_proof,
    Parameters, Proof,
};
use blstrs::{Bls12, G1Affine, G2Affine, Scalar};
use circuits::Sample;
use ff::Field;
use rand_core::SeedableRng;
use rand_xorshift::XorShiftRng;
use rows::Rows;
use supraseal_c2::SRS;
use tempfile::TempDir;

extern "C" {
    fn cudaHostAlloc(place: *mut *mut c_void, size: usize, flags: c_uint) -> c_int;
    fn cudaFreeHost(place: *mut c_void) -> c_int;
}

const ROUNDS: u64 = 150;

fn rng() -> XorShiftRng {
    let seed = std::env::var("CUZK_TEST_SEED").ok();
    let seed = seed.and_then(|text| text.parse().ok()).unwrap_or(0x5eed);
    println!("CUZK_TEST_SEED={seed}");
    XorShiftRng::seed_from_u64(seed)
}

struct Setup {
    parameters: Parameters<Bls12>,
    srs: SRS,
    _folder: TempDir,
}

impl Setup {
    fn new(random: &mut XorShiftRng) -> Self {
        let blank = Sample::Mimc {
            rounds: ROUNDS,
            secret: None,
        };
        let parameters = generate_random_parameters::<Bls12, _, _>(blank, random).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mimc.params");
        parameters
            .write(BufWriter::new(File::create(&path).unwrap()))
            .unwrap();
        Self {
            parameters,
            srs: SRS::try_new(path, false).unwrap(),
            _folder: folder,
        }
    }
}

/// Rows in memory of the CUDA runtime's, as the daemon's pool has them.
struct Pinned {
    place: *mut Scalar,
    len: usize,
}

impl Pinned {
    fn new(rows: &[Scalar]) -> Self {
        let mut place = std::ptr::null_mut();
        let len = rows.len();
        // SAFETY: a place for a pointer, then room for the rows.
        unsafe {
            assert_eq!(cudaHostAlloc(&mut place, size_of_val(rows), 1), 0);
            let place = place.cast::<Scalar>();
            place.copy_from_nonoverlapping(rows.as_ptr(), len);
            Self { place, len }
        }
    }

    /// Overwrites what nobody may look at any more.
    fn poison(self) {
        // SAFETY: the memory is this value's own.
        unsafe {
            self.place.cast::<u8>().write_bytes(0xa5, self.len * 32);
            assert_eq!(cudaFreeHost(self.place.cast()), 0);
        }
    }
}

/// Memory for proofs that nobody has written, as bellperson passes it.
fn room(n: usize) -> Vec<Proof<Bls12>> {
    let nothing = Proof {
        a: G1Affine::default(),
        b: G2Affine::default(),
        c: G1Affine::default(),
    };
    vec![nothing; n]
}

/// Circuits that were begun. What the proofs still need is alive with it.
struct Begun {
    handle: usize,
    rows: Vec<Rows>,
    witnesses: Vec<Sample>,
    blinding: (Vec<Scalar>, Vec<Scalar>),
}

/// A handle, or the lock, on its way between threads.
fn pointer(address: usize) -> *mut c_void {
    std::ptr::without_provenance_mut(address)
}

fn witness(random: &mut XorShiftRng) -> Sample {
    Sample::Mimc {
        rounds: ROUNDS,
        secret: Some((Scalar::random(&mut *random), Scalar::random(random))),
    }
}

fn begin(srs: &SRS, n: usize, mutex: *mut c_void, gpu: i32, random: &mut XorShiftRng) -> Begun {
    let witnesses: Vec<Sample> = (0..n).map(|_| witness(random)).collect();
    let mut rows: Vec<Rows> = witnesses.iter().cloned().map(Rows::new).collect();
    let r: Vec<Scalar> = (0..n).map(|_| Scalar::random(&mut *random)).collect();
    let s: Vec<Scalar> = (0..n).map(|_| Scalar::random(&mut *random)).collect();
    let pinned = |of: fn(&Rows) -> &Vec<Scalar>| -> Vec<Pinned> {
        rows.iter().map(|rows| Pinned::new(of(rows))).collect()
    };
    let (a, b, c) = (pinned(|r| &r.a), pinned(|r| &r.b), pinned(|r| &r.c));
    let places = |pinned: &[Pinned]| -> Vec<*const Scalar> {
        pinned
            .iter()
            .map(|pinned| pinned.place.cast_const())
            .collect()
    };
    let inputs: Vec<_> = rows.iter().map(|rows| rows.inputs.as_ptr()).collect();
    let aux: Vec<_> = rows.iter().map(|rows| rows.aux.as_ptr()).collect();
    let first = &rows[0];
    let handle = supraseal_c2::start_groth16_proof(
        &places(&a),
        &places(&b),
        &places(&c),
        first.a.len(),
        &inputs,
        &aux,
        first.inputs.len(),
        first.aux.len(),
        &first.a_aux.words,
        &first.b_inputs.words,
        &first.b_aux.words,
        first.a_aux.ones,
        first.b_inputs.ones,
        first.b_aux.ones,
        n,
        &r,
        &s,
        srs,
        mutex,
        gpu,
    );
    for pinned in a.into_iter().chain(b).chain(c) {
        pinned.poison();
    }
    for rows in &mut rows {
        (rows.a, rows.b, rows.c) = Default::default();
    }
    Begun {
        handle: handle.addr(),
        rows,
        witnesses,
        blinding: (r, s),
    }
}

/// Compares with bellperson's own prover, and verifies.
fn compare(setup: &Setup, begun: &Begun, made: &[Proof<Bls12>]) {
    let (r, s) = begun.blinding.clone();
    let expected =
        create_proof_batch::<Bls12, _, _>(begun.witnesses.clone(), &setup.parameters, r, s);
    assert_eq!(made, expected.unwrap().as_slice());
    let key = prepare_verifying_key(&setup.parameters.vk);
    for (proof, witness) in made.iter().zip(&begun.witnesses) {
        assert!(verify_proof(&key, proof, &witness.inputs()).unwrap());
    }
}

#[test]
fn two_workers_begin_proofs_that_a_third_thread_finishes() {
    let mut random = rng();
    let setup = Setup::new(&mut random);
    let mutexes = [
        supraseal_c2::alloc_gpu_mutex(),
        supraseal_c2::alloc_gpu_mutex(),
    ];
    let (sender, receiver) = mpsc::channel::<Begun>();
    std::thread::scope(|scope| {
        for (gpu, mutex) in mutexes.iter().enumerate() {
            let (sender, setup, mutex) = (sender.clone(), &setup, mutex.addr());
            scope.spawn(move || {
                let mut random = XorShiftRng::seed_from_u64(gpu as u64);
                for n in [1, 2, 1, 3] {
                    // With one GPU or none, both workers are told to use the first.
                    let begun = begin(&setup.srs, n, pointer(mutex), 0, &mut random);
                    sender.send(begun).unwrap();
                }
            });
        }
        drop(sender);
        let mut finished = 0;
        for begun in receiver {
            let mut proofs = room(begun.rows.len());
            supraseal_c2::finish_groth16_proof(pointer(begun.handle), &mut proofs);
            compare(&setup, &begun, &proofs);
            finished += proofs.len();
        }
        assert_eq!(finished, 2 * (1 + 2 + 1 + 3));
    });
    for mutex in mutexes {
        // SAFETY: made above, and no proof uses it.
        unsafe { supraseal_c2::free_gpu_mutex(mutex) };
    }
}

#[test]
fn a_proof_that_is_given_up_leaves_nothing_behind() {
    let mut random = rng();
    let setup = Setup::new(&mut random);
    let begun = begin(&setup.srs, 2, std::ptr::null_mut(), -1, &mut random);
    // SAFETY: begun above.
    unsafe { supraseal_c2::drop_pending_proof(pointer(begun.handle)) };
    drop(begun.rows);
    // The handle has ended: an error, and no fault of memory.
    let finish = || supraseal_c2::finish_groth16_proof(pointer(begun.handle), &mut room(2));
    let payload = catch_unwind(AssertUnwindSafe(finish)).unwrap_err();
    let text = payload.downcast_ref::<&'static str>().unwrap();
    assert!(text.contains("no pending proof"), "{text}");
}

#[test]
fn the_form_with_21_arguments_proves_at_once() {
    let mut random = rng();
    let setup = Setup::new(&mut random);
    let witness = witness(&mut random);
    let rows = Rows::new(witness.clone());
    let (r, s) = (vec![Scalar::random(&mut random)], vec![-Scalar::ONE]);
    let mutex = supraseal_c2::alloc_gpu_mutex();
    let prove = |rows_len: usize, gpu_mtx, gpu_index, proofs: &mut [Proof<Bls12>]| {
        supraseal_c2::generate_groth16_proof(
            &[rows.a.as_ptr()],
            &[rows.b.as_ptr()],
            &[rows.c.as_ptr()],
            rows_len,
            &[rows.inputs.as_ptr()],
            &[rows.aux.as_ptr()],
            rows.inputs.len(),
            rows.aux.len(),
            &rows.a_aux.words,
            &rows.b_inputs.words,
            &rows.b_aux.words,
            rows.a_aux.ones,
            rows.b_inputs.ones,
            rows.b_aux.ones,
            1,
            &r,
            &s,
            proofs,
            &setup.srs,
            gpu_mtx,
            gpu_index,
        );
    };
    let mut proofs = room(1);
    for gpu_mtx in [mutex, std::ptr::null_mut()] {
        proofs[0] = room(1).remove(0);
        prove(rows.a.len(), gpu_mtx, -1, &mut proofs);
        let begun = Begun {
            handle: 0,
            rows: vec![],
            witnesses: vec![witness.clone()],
            blinding: (r.clone(), s.clone()),
        };
        compare(&setup, &begun, &proofs);
    }
    let text = |work: &mut dyn FnMut()| -> &'static str {
        let payload = catch_unwind(AssertUnwindSafe(work)).unwrap_err();
        payload.downcast_ref::<&'static str>().unwrap()
    };
    // Rows that the domain of the parameters has no room for are never read.
    let long = text(&mut || prove(3, mutex, -1, &mut room(1)));
    assert!(
        long.starts_with("assignment 0: the assignment has 3 rows, "),
        "{long}"
    );
    let none = text(&mut || prove(rows.a.len(), pointer(12345), -1, &mut room(1)));
    assert!(none.starts_with("gpu_mtx is no lock"), "{none}");
    let room_for_two = text(&mut || prove(rows.a.len(), mutex, -1, &mut room(2)));
    assert_eq!(room_for_two, "there is room for 2 proofs, 1 are made");
    // SAFETY: made above, and no proof uses it.
    unsafe { supraseal_c2::free_gpu_mutex(mutex) };
}
