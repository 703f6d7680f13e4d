// SPDX-License-Identifier: MIT OR Apache-2.0

//! Proofs of a small circuit through the C ABI, verified by bellperson; and the files that the C
//! tests prove with.

mod circuit;

use std::ffi::{CStr, CString};
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::Arc;

use bellperson::groth16::{verify_proof, Proof};
use blstrs::Bls12;
use cuzk::ffi::context::cuzk_context;
use cuzk::ffi::prove::cuzk_prove;
use cuzk::ffi::srs::{cuzk_srs_open, cuzk_srs_release};
use cuzk::ffi::status::{cuzk_error, cuzk_status};
use cuzk_prover::backend::{Assignment, Backend, Cancel, Memory, ResidentSrs, Sums};
use cuzk_prover::cpu::CpuBackend;
use cuzk_prover::schedule::{Context, Options};
use cuzk_prover::srs::{Checks, ParameterFile, SrsShape};
use cuzk_prover::timing::Timings;
use cuzk_prover::Result;

/// Where the C tests look for the small circuit.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(".cache/small-circuit")
}

#[test]
fn files_for_the_c_tests_are_written() {
    circuit::write_files(&folder());
    let file = cuzk_prover::srs::ParameterFile::open(&folder().join("small.params")).unwrap();
    let compiled = cuzk_prover::circuit::CompiledCircuit::record(circuit::Chain::new(1)).unwrap();
    file.check_shape(&compiled.srs_shape()).unwrap();
}

fn message(error: &cuzk_error) -> &str {
    // SAFETY: the library closes the text with a zero.
    unsafe { CStr::from_ptr(error.message.as_ptr()) }
        .to_str()
        .unwrap()
}

fn new_error() -> cuzk_error {
    cuzk_error {
        struct_size: size_of::<cuzk_error>() as u32,
        status: cuzk_status::Ok,
        message: [0; 1024],
    }
}

/// The CPU, with a panic where it is asked for: 1 while loading, 2 while proving.
struct Faulty(Arc<AtomicU8>);

impl Faulty {
    fn panic_at(&self, place: u8, name: &str) {
        if self.0.load(Ordering::Relaxed) == place {
            self.0.store(0, Ordering::Relaxed);
            panic!("{name} panicked, {}", place);
        }
    }
}

impl Backend for Faulty {
    fn name(&self) -> &str {
        "faulty"
    }

    fn work_memory(&self, shape: &SrsShape) -> Memory {
        CpuBackend.work_memory(shape)
    }

    fn load_srs(
        &self,
        file: &ParameterFile,
        checks: Checks,
        cancel: &Cancel,
    ) -> Result<Arc<dyn ResidentSrs>> {
        self.panic_at(1, "loading");
        CpuBackend.load_srs(file, checks, cancel)
    }

    fn sums(
        &self,
        srs: &dyn ResidentSrs,
        assignment: &Assignment<'_>,
        cancel: &Cancel,
        timings: &mut Timings,
    ) -> Result<Sums> {
        self.panic_at(2, "proving");
        CpuBackend.sums(srs, assignment, cancel, timings)
    }
}

#[test]
fn a_panic_is_an_error_with_its_text_and_the_context_stays_usable() {
    let folder = tempfile::tempdir().unwrap();
    circuit::write_files(folder.path());
    let path = CString::new(folder.path().join("small.params").to_str().unwrap()).unwrap();
    let chain = circuit::Chain::new(3);
    let small = circuit::SmallAssignment::new(chain.clone());
    let key = bellperson::groth16::prepare_verifying_key(&circuit::parameters().vk);

    let fault = Arc::new(AtomicU8::new(1));
    let backend = Arc::new(Faulty(fault.clone()));
    let options = Options {
        threads: Some(2),
        ..Options::default()
    };
    let context = cuzk_context::from(Context::with_backend(options, backend).unwrap());
    let mut error = new_error();
    let mut srs = MaybeUninit::new(std::ptr::null_mut());
    // SAFETY: the arguments are what the header asks for.
    let mut open = |error: &mut cuzk_error| unsafe {
        let status = cuzk_srs_open(
            Some(&context),
            path.as_ptr(),
            std::ptr::null(),
            Some(&mut srs),
            error,
        );
        (status, srs.assume_init())
    };
    let (status, handle) = open(&mut error);
    assert_eq!(status, cuzk_status::Internal);
    assert!(
        message(&error).ends_with("loading panicked, 1"),
        "{}",
        message(&error)
    );
    assert!(handle.is_null());
    let (status, handle) = open(&mut error);
    assert_eq!(status, cuzk_status::Ok);

    let prove = |error: &mut cuzk_error| {
        let mut proof = MaybeUninit::uninit();
        // SAFETY: the arguments are what the header asks for.
        let status = unsafe {
            cuzk_prove(
                Some(&context),
                handle.as_ref(),
                &small.assignment(),
                1,
                std::ptr::null(),
                proof.as_mut_ptr(),
                std::ptr::null_mut(),
                error,
            )
        };
        // SAFETY: the proof is written when the call succeeds.
        (status == cuzk_status::Ok)
            .then(|| unsafe { proof.assume_init() })
            .ok_or(status)
    };
    fault.store(2, Ordering::Relaxed);
    assert_eq!(prove(&mut error).err(), Some(cuzk_status::Internal));
    assert!(
        message(&error).ends_with("proving panicked, 2"),
        "{}",
        message(&error)
    );
    for _ in 0..20 {
        let proof = prove(&mut error)
            .map_err(|_| message(&error).to_owned())
            .unwrap();
        let proof = Proof::<Bls12>::read(proof.bytes.as_slice()).unwrap();
        assert!(verify_proof(&key, &proof, &[chain.output()]).unwrap());
    }
    // SAFETY: the handle was opened above and is not used again.
    unsafe { cuzk_srs_release(handle) };
}
