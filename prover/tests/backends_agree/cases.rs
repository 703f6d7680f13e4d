// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tests themselves; each gets an open device and panics when something is not as it should be.

#[path = "circuits.rs"]
mod circuits;
#[path = "limits.rs"]
mod limits;

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;

use cuzk_prover::backend::{
    Assignment, AuxAssignment, Backend, Cancel, Generator, Multiplier, PointSink, ResidentSrs, Sums,
};
use cuzk_prover::circuit::CompactAux;
use cuzk_prover::cpu::fixed_base::FixedBase;
use cuzk_prover::cpu::CpuBackend;
use cuzk_prover::curve::{G1Affine, G2Affine, Scalar};
use cuzk_prover::gpu::{self, GpuBackend, GpuOptions};
use cuzk_prover::groth16::{prove, verify};
use cuzk_prover::srs::{Checks, HostSrs, ParameterFile, Section};
use cuzk_prover::timing::Timings;
use cuzk_prover::{Error, ErrorKind, Result};
use ff::Field;
use group::prime::PrimeCurveAffine;
use rand_core::SeedableRng;
use rand_xorshift::XorShiftRng;

use crate::memory_file::memory_file;
use crate::synthetic::Synthetic;

/// The tests, in the order of their names.
pub const CASES: [fn(&GpuBackend); 15] = [
    sums_agree_at_every_size,
    sums_agree_for_bits_and_values_at_the_edges,
    sums_agree_with_repeated_and_opposite_points,
    a_packed_witness_gives_the_same_sums,
    circuits::rows_evaluated_on_the_device_give_the_same_sums,
    circuits::repeated_blocks_give_the_same_sums,
    limits::a_small_budget_gives_the_same_sums,
    whole_proofs_verify,
    two_proofs_at_a_time_give_the_same_sums,
    a_bad_point_is_named_as_on_the_cpu,
    limits::too_small_a_budget_is_an_error_and_leaves_the_device_usable,
    limits::cancelled_work_ends_and_leaves_the_device_usable,
    limits::fifty_proofs_leave_the_memory_as_two_do,
    limits::memory_that_others_took_is_done_without,
    limits::batches_of_ten_verify,
];

/// The first usable device, with a budget of bytes.
pub fn open(device_bytes: Option<u64>) -> Result<GpuBackend> {
    let options = GpuOptions {
        device_bytes,
        ..GpuOptions::default()
    };
    GpuBackend::open(&gpu::select(None)?[0], &options)
}

fn random() -> XorShiftRng {
    let seed = std::env::var("CUZK_TEST_SEED")
        .ok()
        .and_then(|text| text.parse().ok());
    let seed = seed.unwrap_or(0x5eed);
    println!("CUZK_TEST_SEED={seed}");
    XorShiftRng::seed_from_u64(seed)
}

/// Parameters on both sides, from one file.
struct Parameters {
    _file: File,
    path: PathBuf,
    host: HostSrs,
}

impl Parameters {
    fn of(circuit: &Synthetic, device: &GpuBackend) -> Self {
        let (file, path) = memory_file();
        let multiply = |group: u32, scalars: &[Scalar], sink: &PointSink<'_>| {
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
        Self::read(file, path, Checks::Curve)
    }

    fn read(file: File, path: PathBuf, checks: Checks) -> Self {
        let opened = ParameterFile::open(&path).expect("a parameter file");
        let host = HostSrs::load(&opened, checks, &Cancel::default()).expect("host parameters");
        Self {
            _file: file,
            path,
            host,
        }
    }

    fn load(&self, device: &GpuBackend, checks: Checks) -> Result<Arc<dyn ResidentSrs>> {
        device.load_srs(
            &ParameterFile::open(&self.path)?,
            checks,
            &Cancel::default(),
        )
    }
}

fn sums(backend: &dyn Backend, srs: &dyn ResidentSrs, assignment: &Assignment<'_>) -> Result<Sums> {
    backend.sums(srs, assignment, &Cancel::default(), &mut Timings::default())
}

/// Compares each sum by name.
fn agree(
    parameters: &Parameters,
    device: &GpuBackend,
    srs: &dyn ResidentSrs,
    assignment: &Assignment<'_>,
    what: &str,
) {
    let expected = sums(&CpuBackend, &parameters.host, assignment).expect("the CPU's sums");
    let present = sums(device, srs, assignment).expect("the GPU's sums");
    assert_eq!(present.l, expected.l, "{what}: l");
    assert_eq!(present.a, expected.a, "{what}: a");
    assert_eq!(present.b_g1, expected.b_g1, "{what}: b_g1");
    assert_eq!(present.b_g2, expected.b_g2, "{what}: b_g2");
    assert_eq!(present.h, expected.h, "{what}: h");
}

fn sums_agree_at_every_size(device: &GpuBackend) {
    for log_n in (1..=14).chain([17]) {
        let circuit = Synthetic::new(log_n, u64::from(log_n));
        let parameters = Parameters::of(&circuit, device);
        assert_eq!(*parameters.host.shape(), circuit.shape(), "2^{log_n}");
        // What the device multiplies is what the CPU multiplies.
        if log_n == 8 {
            let scalars: Vec<Scalar> = (0..300u64).map(|i| Scalar::from(i).square()).collect();
            let g1 = FixedBase::new(G1Affine::generator(), 300).multiples(&scalars);
            let g2 = FixedBase::new(G2Affine::generator(), 300).multiples(&scalars);
            let g1: Vec<u8> = g1.iter().flat_map(|p| p.to_uncompressed()).collect();
            let g2: Vec<u8> = g2.iter().flat_map(|p| p.to_uncompressed()).collect();
            for (generator, expected) in [(Generator::G1, g1), (Generator::G2, g2)] {
                let check = |first: usize, bytes: &[u8]| {
                    let at = first * generator.point_bytes();
                    assert!(
                        bytes == &expected[at..at + bytes.len()],
                        "{generator:?} from {first}"
                    );
                    Ok(())
                };
                device
                    .multiples(generator, &scalars, &check)
                    .expect("multiples");
            }
        }
        let srs = parameters
            .load(device, Checks::CurveAndSubgroup)
            .expect("device parameters");
        agree(
            &parameters,
            device,
            &*srs,
            &circuit.assignment(),
            &format!("2^{log_n}"),
        );
    }
}

fn sums_agree_for_bits_and_values_at_the_edges(device: &GpuBackend) {
    let mut random = random();
    let mut circuit = Synthetic::new(11, 77);
    let parameters = Parameters::of(&circuit, device);
    let srs = parameters
        .load(device, Checks::None)
        .expect("device parameters");
    type Pattern = fn(usize, &mut XorShiftRng) -> Scalar;
    let patterns: [(&str, Pattern); 7] = [
        ("zeros", |_, _| Scalar::ZERO),
        ("ones", |_, _| Scalar::ONE),
        ("minus ones", |_, _| -Scalar::ONE),
        ("all full", |_, random| Scalar::random(random)),
        ("twos", |_, _| Scalar::from(2)),
        ("one value", |i, _| {
            if i == 5 {
                -Scalar::ONE
            } else {
                Scalar::ZERO
            }
        }),
        ("small and large", |i, random| match i % 5 {
            0 => Scalar::ZERO,
            1 => Scalar::ONE,
            2 => -Scalar::from(i as u64),
            3 => Scalar::from(i as u64),
            _ => Scalar::random(random),
        }),
    ];
    for (what, pattern) in patterns {
        for (i, value) in circuit.aux.iter_mut().enumerate() {
            *value = pattern(i, &mut random);
        }
        for vector in [&mut circuit.a, &mut circuit.b, &mut circuit.c] {
            for (i, value) in vector.iter_mut().enumerate() {
                *value = pattern(i, &mut random);
            }
        }
        agree(&parameters, device, &*srs, &circuit.assignment(), what);
    }
}

/// Copies point 0 of each query over many others, and its negative over some.
fn sums_agree_with_repeated_and_opposite_points(device: &GpuBackend) {
    let circuit = Synthetic::new(10, 5);
    let (file, path) = memory_file();
    let multiply = |group: u32, scalars: &[Scalar], sink: &PointSink<'_>| {
        let generator = if group == 2 {
            Generator::G2
        } else {
            Generator::G1
        };
        let scalars: Vec<Scalar> = (0..scalars.len())
            .map(|i| match i % 4 {
                0 | 1 => scalars[0],
                2 => -scalars[0],
                _ => scalars[i],
            })
            .collect();
        device.multiples(generator, &scalars, sink)
    };
    circuit
        .write_parameters(&file, &multiply)
        .expect("parameters");
    let parameters = Parameters::read(file, path, Checks::Curve);
    let srs = parameters
        .load(device, Checks::Curve)
        .expect("device parameters");
    agree(
        &parameters,
        device,
        &*srs,
        &circuit.assignment(),
        "repeated points",
    );
}

fn a_packed_witness_gives_the_same_sums(device: &GpuBackend) {
    for log_n in [3, 9, 13] {
        let circuit = Synthetic::new(log_n, 3);
        let parameters = Parameters::of(&circuit, device);
        let srs = parameters
            .load(device, Checks::None)
            .expect("device parameters");
        let packed = CompactAux::from_scalars(&circuit.aux);
        let assignment = Assignment {
            aux: AuxAssignment::Compact(&packed),
            ..circuit.assignment()
        };
        agree(
            &parameters,
            device,
            &*srs,
            &assignment,
            &format!("packed 2^{log_n}"),
        );
    }
}

fn whole_proofs_verify(device: &GpuBackend) {
    let mut random = random();
    for log_n in [2, 8, 12, 16] {
        let circuit = Synthetic::new(log_n, 12);
        let parameters = Parameters::of(&circuit, device);
        let srs = parameters
            .load(device, Checks::Curve)
            .expect("device parameters");
        let (r, s) = (Scalar::random(&mut random), Scalar::random(&mut random));
        let make = |backend: &dyn Backend, srs: &dyn ResidentSrs| {
            let (cancel, mut timings) = (Cancel::default(), Timings::default());
            prove(
                backend,
                srs,
                &circuit.assignment(),
                r,
                s,
                &cancel,
                &mut timings,
            )
            .expect("a proof")
        };
        let proof = make(device, &*srs);
        assert_eq!(proof, make(&CpuBackend, &parameters.host), "2^{log_n}");
        let inputs = &circuit.input[1..];
        assert!(
            verify(srs.verifying_key(), inputs, &proof).expect("a verdict"),
            "2^{log_n}"
        );
    }
}

fn two_proofs_at_a_time_give_the_same_sums(device: &GpuBackend) {
    let circuit = Synthetic::new(15, 21);
    let parameters = Parameters::of(&circuit, device);
    let srs = parameters
        .load(device, Checks::None)
        .expect("device parameters");
    let expected = sums(&CpuBackend, &parameters.host, &circuit.assignment()).expect("sums");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..5 {
                    let present = sums(device, &*srs, &circuit.assignment()).expect("sums");
                    assert!(present == expected);
                }
            });
        }
    });
}

fn a_bad_point_is_named_as_on_the_cpu(device: &GpuBackend) {
    let circuit = Synthetic::new(9, 2);
    let parameters = Parameters::of(&circuit, device);
    for section in [
        Section::H,
        Section::L,
        Section::A,
        Section::BG1,
        Section::BG2,
    ] {
        let file = ParameterFile::open(&parameters.path).expect("the file");
        let span = file.section(section);
        for (index, byte, change) in [
            (0, 0, 0x40),
            (span.points - 1, 50, 1),
            (span.points / 2, 0, 0x1f),
        ] {
            let offset = span.offset + (index * section.point_bytes() + byte) as u64;
            let mut before = [0u8];
            parameters
                ._file
                .read_exact_at(&mut before, offset)
                .expect("reading");
            parameters
                ._file
                .write_all_at(&[before[0] ^ change], offset)
                .expect("writing");
            let file = ParameterFile::open(&parameters.path).expect("the file");
            let by_host = HostSrs::load(&file, Checks::Curve, &Cancel::default()).map(drop);
            let by_device = device
                .load_srs(&file, Checks::Curve, &Cancel::default())
                .map(drop);
            let text = |outcome: Result<()>| {
                let error: Error = outcome.expect_err("the point is bad");
                assert_eq!(error.kind(), ErrorKind::InvalidSrs);
                error.to_string()
            };
            assert_eq!(text(by_device), text(by_host));
            parameters
                ._file
                .write_all_at(&before, offset)
                .expect("writing");
        }
    }
    parameters
        .load(device, Checks::Curve)
        .expect("the file is good again");
}
