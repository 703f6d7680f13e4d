// SPDX-License-Identifier: MIT OR Apache-2.0
//! The measurements themselves.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cuzk_prover::backend::{
    Assignment, AuxAssignment, Backend, Cancel, Generator, Multiplier, ResidentSrs,
};
use cuzk_prover::circuit::CompactAux;
use cuzk_prover::curve::Scalar;
use cuzk_prover::gpu::{self, GpuBackend, GpuOptions};
use cuzk_prover::groth16::{prove, PreparedKey};
use cuzk_prover::srs::{Checks, ParameterFile};
use cuzk_prover::timing::Timings;

use crate::memory_file::memory_file;
use crate::synthetic::Synthetic;

struct Wanted {
    sizes: Vec<u32>,
    proofs: usize,
    /// Of the device, in bytes; 0 for all of it.
    budgets: Vec<u64>,
    packed: bool,
    locked: bool,
    /// Proofs one after the other while free memory is watched.
    soak: usize,
}

impl Wanted {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Self {
        let mut wanted = Self {
            sizes: vec![16, 20],
            proofs: 10,
            budgets: vec![0],
            packed: false,
            locked: false,
            soak: 0,
        };
        while let Some(argument) = arguments.next() {
            let mut number = || -> u64 {
                let text = arguments.next().expect("a number after the option");
                text.parse().expect("a number")
            };
            match argument.as_str() {
                "--proofs" => wanted.proofs = number() as usize,
                "--soak" => wanted.soak = number() as usize,
                "--budgets" => {
                    let list = arguments.next().expect("budgets such as 0,16");
                    let bytes = |text: &str| text.parse::<u64>().expect("GiB") << 30;
                    wanted.budgets = list.split(',').map(bytes).collect();
                }
                "--packed" => wanted.packed = true,
                "--locked" => wanted.locked = true,
                "--bench" => {}
                sizes => {
                    let size = |text: &str| text.parse().expect("sizes such as 16,20");
                    wanted.sizes = sizes.split(',').map(size).collect();
                }
            }
        }
        wanted
    }
}

/// User and system time of this process.
fn host_time() -> Duration {
    // SAFETY: writes the structure given.
    let usage = unsafe {
        let mut usage = std::mem::zeroed::<libc::rusage>();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    let of = |time: libc::timeval| {
        Duration::from_secs(time.tv_sec as u64) + Duration::from_micros(time.tv_usec as u64)
    };
    of(usage.ru_utime) + of(usage.ru_stime)
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// Proves, verifies, and gives the time until the proof was there.
fn one(
    device: &GpuBackend,
    srs: &dyn ResidentSrs,
    key: &PreparedKey,
    assignment: &Assignment<'_>,
    timings: &mut Timings,
) -> Duration {
    let (r, s) = (Scalar::from(11), Scalar::from(13));
    let start = Instant::now();
    let proof = prove(device, srs, assignment, r, s, &Cancel::default(), timings).expect("a proof");
    let time = start.elapsed();
    assert!(
        key.verify(&assignment.input[1..], &proof)
            .expect("a verdict"),
        "the proof does not verify"
    );
    time
}

pub fn run(arguments: impl Iterator<Item = String>) {
    let wanted = Wanted::parse(arguments);
    let devices = match gpu::select(None) {
        Ok(devices) => devices,
        Err(error) => return println!("skipped: {error}"),
    };
    let whole = GpuBackend::open(&devices[0], &GpuOptions::default()).expect("a device");
    println!(
        "{}, {:.1} GB to use",
        whole.name(),
        whole.budget() as f64 / 1e9
    );
    for log_n in &wanted.sizes {
        size(&wanted, &whole, *log_n);
    }
}

fn size(wanted: &Wanted, whole: &GpuBackend, log_n: u32) {
    let start = Instant::now();
    let circuit = Synthetic::new(log_n, 1);
    let made = start.elapsed();
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
            whole.multiples(generator, scalars, sink)
        };
    let start = Instant::now();
    circuit
        .write_parameters(&file, &multiply)
        .expect("parameters");
    whole.release().expect("giving memory back");
    println!(
        "\n2^{log_n}: witness made in {made:.1?}, parameters in {:.1?}, {:.2} GB",
        start.elapsed(),
        circuit.shape().affine_bytes() as f64 / 1e9
    );
    for &budget in &wanted.budgets {
        if budget == 0 {
            measure(wanted, &circuit, &path, whole);
            continue;
        }
        println!("in {} GiB of the device:", budget >> 30);
        let options = GpuOptions {
            device_bytes: Some(budget),
            ..GpuOptions::default()
        };
        let devices = gpu::select(None).expect("a device");
        let device = GpuBackend::open(&devices[0], &options).expect("a device");
        measure(wanted, &circuit, &path, &device);
    }
    if wanted.soak > 0 {
        soak(wanted.soak, &circuit, &path, whole);
    }
}

/// Many proofs from two threads, in pairs; the device's free memory after the first pair and after
/// the last.
fn soak(proofs: usize, circuit: &Synthetic, path: &std::path::Path, device: &GpuBackend) {
    println!("soak: {proofs} proofs");
    let srs = load(device, path);
    let key = PreparedKey::new(srs.verifying_key());
    let assignment = circuit.assignment();
    let free = || device.memory().expect("the device's memory").0 as f64 / 1048576.0;
    let mut frees = Vec::new();
    let start = Instant::now();
    for _ in 0..proofs.div_ceil(2) {
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| one(device, &*srs, &key, &assignment, &mut Timings::default()));
            }
        });
        frees.push(free());
    }
    println!(
        "soak: {:.1} MiB free after 2 proofs, {:.1} after {}, {:.1} s; all verified",
        frees[0],
        frees[frees.len() - 1],
        2 * frees.len(),
        start.elapsed().as_secs_f64()
    );
    drop(srs);
    device.release().expect("giving memory back");
}

/// One circuit on one device.
fn measure(wanted: &Wanted, circuit: &Synthetic, path: &std::path::Path, device: &GpuBackend) {
    for round in 0..2 {
        let start = Instant::now();
        let host = host_time();
        let srs = load(device, path);
        let time = start.elapsed();
        println!(
            "load {round}: {:.2} s, {:.1} GB/s, {:.1} core-seconds, {:.1} GB on the device, {:.1} on the host",
            time.as_secs_f64(),
            circuit.shape().affine_bytes() as f64 / 1e9 / time.as_secs_f64(),
            (host_time() - host).as_secs_f64(),
            srs.device_bytes() as f64 / 1e9,
            srs.host_bytes() as f64 / 1e9
        );
    }
    let srs = load(device, path);
    let key = PreparedKey::new(srs.verifying_key());
    let packed = wanted
        .packed
        .then(|| CompactAux::from_scalars(&circuit.aux));
    let mut assignment = circuit.assignment();
    if let Some(packed) = &packed {
        assignment.aux = AuxAssignment::Compact(packed);
    }

    let start = Instant::now();
    let _locked: Vec<_> = [&circuit.a, &circuit.b, &circuit.c, &circuit.aux]
        .into_iter()
        .filter(|_| wanted.locked)
        .map(|vector| device.page_lock(vector).expect("page-locking"))
        .collect();
    if wanted.locked {
        println!("page-locked in {:.2} s", start.elapsed().as_secs_f64());
    }
    let first = one(device, &*srs, &key, &assignment, &mut Timings::default());
    let mut timings = Timings::default();
    let host = host_time();
    let mut times: Vec<Duration> = (0..wanted.proofs)
        .map(|_| one(device, &*srs, &key, &assignment, &mut timings))
        .collect();
    let host = (host_time() - host) / wanted.proofs as u32;
    let each = |time: Duration| time.as_secs_f64() * 1e3 / wanted.proofs as f64;
    println!(
        "one at a time: first {:.1} ms, median {:.1}, best {:.1}; host {:.2} core-seconds each",
        first.as_secs_f64() * 1e3,
        median(&mut times).as_secs_f64() * 1e3,
        times[0].as_secs_f64() * 1e3,
        host.as_secs_f64()
    );
    println!(
        "  ms each: upload {:.1}, ntt {:.1}, h {:.1}, l {:.1}, a {:.1}, b_g1 {:.1}, b_g2 {:.1}, device {:.1}, join {:.1}",
        each(timings.upload),
        each(timings.ntt),
        each(timings.msm_h),
        each(timings.msm_l),
        each(timings.msm_a),
        each(timings.msm_b_g1),
        each(timings.msm_b_g2),
        each(timings.device_busy),
        each(timings.assemble)
    );
    let next = AtomicUsize::new(0);
    let host = host_time();
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while next.fetch_add(1, Ordering::Relaxed) < wanted.proofs {
                    one(device, &*srs, &key, &assignment, &mut Timings::default());
                }
            });
        }
    });
    let time = start.elapsed() / wanted.proofs as u32;
    let host = (host_time() - host) / wanted.proofs as u32;
    println!(
        "from two threads: {:.1} ms a proof, host {:.2} core-seconds each; peak {:.1} GB of the device; all verified",
        time.as_secs_f64() * 1e3,
        host.as_secs_f64(),
        timings.peak_device_bytes as f64 / 1e9
    );
    if device.budget() > 32 << 30 {
        all_devices(wanted, device, &*srs, path, &assignment);
    }
    drop(srs);
    device.release().expect("giving memory back");
}

/// Proofs from two threads a device, on all devices of the machine.
fn all_devices(
    wanted: &Wanted,
    first: &GpuBackend,
    srs: &dyn ResidentSrs,
    path: &std::path::Path,
    assignment: &Assignment<'_>,
) {
    let devices = gpu::select(None).expect("a device");
    if devices.len() < 2 {
        return;
    }
    let others: Vec<_> = devices[1..]
        .iter()
        .map(|device| {
            let device = GpuBackend::open(device, &GpuOptions::default()).expect("a device");
            let srs = load(&device, path);
            (device, srs)
        })
        .collect();
    let mut all: Vec<(&GpuBackend, &dyn ResidentSrs)> = vec![(first, srs)];
    all.extend(others.iter().map(|(device, srs)| (device, &**srs)));
    let key = PreparedKey::new(srs.verifying_key());
    let total = wanted.proofs * all.len();
    let prove_all = |total: usize| {
        let next = AtomicUsize::new(0);
        let start = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..2 {
                for (device, srs) in &all {
                    scope.spawn(|| {
                        while next.fetch_add(1, Ordering::Relaxed) < total {
                            one(device, *srs, &key, assignment, &mut Timings::default());
                        }
                    });
                }
            }
        });
        start.elapsed()
    };
    prove_all(2 * all.len());
    println!(
        "{} devices, two threads each: {:.1} ms a proof; all verified",
        all.len(),
        prove_all(total).as_secs_f64() * 1e3 / total as f64
    );
}

fn load(device: &GpuBackend, path: &std::path::Path) -> Arc<dyn ResidentSrs> {
    let file = ParameterFile::open(path).expect("the parameter file");
    device
        .load_srs(&file, Checks::Curve, &Cancel::default())
        .expect("device parameters")
}
