// SPDX-License-Identifier: MIT OR Apache-2.0
//! Medians of the CPU's kernels: transforms, sums, and blst's own sum beside ours.
//!
//! `cargo bench -p cuzk-prover --bench kernels [-- LOG_N]`; LOG_N is 18 unless given.

use std::hint::black_box;
use std::time::{Duration, Instant};

use blst::MultiPoint;
use cuzk_prover::cancel::Cancel;
use cuzk_prover::circuit::CompactAux;
use cuzk_prover::cpu::affine::Curve;
use cuzk_prover::cpu::field::{BaseField, Fp};
use cuzk_prover::cpu::fr::Fr;
use cuzk_prover::cpu::{msm, ntt};
use cuzk_prover::curve::{G1Affine, G2Affine, Scalar};
use ff::{Field, PrimeField};
use group::Curve as _;
use rand_core::SeedableRng;
use rand_xorshift::XorShiftRng;

const ROUNDS: usize = 3;

/// Time on the clock, and time of all threads together, which other work on the machine does not
/// lengthen much.
#[derive(Clone, Copy)]
struct Times {
    wall: Duration,
    cpu: Duration,
}

fn cpu_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: writes the one timespec that it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn median(mut work: impl FnMut()) -> Times {
    let mut times: Vec<Times> = (0..ROUNDS)
        .map(|_| {
            let (start, cpu) = (Instant::now(), cpu_time());
            work();
            Times {
                wall: start.elapsed(),
                cpu: cpu_time() - cpu,
            }
        })
        .collect();
    times.sort_by_key(|times| times.cpu);
    times[ROUNDS / 2]
}

fn report(name: &str, terms: usize, times: Times) {
    let (wall, cpu) = (
        times.wall.as_secs_f64() * 1e3,
        times.cpu.as_secs_f64() * 1e3,
    );
    let each = times.cpu.as_nanos() as f64 / terms as f64;
    println!("{name:<36} {wall:>10.2} ms wall {cpu:>10.2} ms cpu {each:>9.1} ns cpu each");
}

/// Sums of a few multiples of the generator: any points will do, but not equal ones.
fn points<C: Curve>(n: usize) -> Vec<C> {
    let mut sum = C::generator().to_curve();
    let step = sum * Scalar::from(0x1234_5678_9abc_def1);
    let mut sums = Vec::with_capacity(n);
    for _ in 0..n {
        sums.push(sum);
        sum += step;
    }
    let mut points = vec![C::identity(); n];
    for (sums, points) in sums.chunks(1 << 12).zip(points.chunks_mut(1 << 12)) {
        C::Curve::batch_normalize(sums, points);
    }
    points
}

fn field_products() {
    const N: usize = 1 << 20;
    let two = Fp::one().add(&Fp::one());
    let time = median(|| {
        let mut product = two;
        (0..N).for_each(|_| product = product.mul(&two));
        black_box(product);
    });
    report("Fp products, each after the other", N, time);
    let time = median(|| {
        let mut products = [two; 8];
        for _ in 0..N / 8 {
            products = products.map(|product| product.mul(&two));
        }
        black_box(products);
    });
    report("Fp products, eight chains", N, time);
    let seven = Scalar::MULTIPLICATIVE_GENERATOR;
    let time = median(|| {
        let mut products = [Fr::new(&seven); 8];
        for _ in 0..N / 8 {
            products = products.map(|product| product.mul(&Fr::new(&seven)));
        }
        black_box(products);
    });
    report("Fr products inlined, eight chains", N, time);
    let time = median(|| {
        let mut products = [seven; 8];
        for _ in 0..N / 8 {
            products = products.map(|product| product * seven);
        }
        black_box(products);
    });
    report("Fr products by blst, eight chains", N, time);
}

fn sums<C: Curve>(group: &str, n: usize, random: &mut XorShiftRng) -> (Vec<C>, Vec<Scalar>) {
    let points = points::<C>(n);
    let scalars: Vec<Scalar> = (0..n).map(|_| Scalar::random(&mut *random)).collect();
    let cancel = Cancel::default();
    let time = median(|| {
        black_box(msm::msm(&points, &scalars, &cancel).ok());
    });
    report(&format!("MSM in {group}"), n, time);
    let ones = CompactAux::from_scalars(&vec![Scalar::ONE; n]);
    let time = median(|| {
        black_box(msm::aux_sum(&points, &ones, None, &cancel).ok());
    });
    report(&format!("sum of ones in {group}"), n, time);
    (points, scalars)
}

fn main() {
    let log_n = std::env::args()
        .skip(1)
        .find_map(|arg| arg.parse().ok())
        .unwrap_or(18);
    let n = 1usize << log_n;
    let mut random = XorShiftRng::seed_from_u64(1);
    println!(
        "2^{log_n} terms, {} threads, medians of {ROUNDS}",
        rayon::current_num_threads()
    );
    field_products();

    let mut values: Vec<Scalar> = (0..n).map(|_| Scalar::random(&mut random)).collect();
    let seven = Scalar::MULTIPLICATIVE_GENERATOR;
    let layers = n / 2 * log_n as usize;
    report(
        "NTT up (each: a butterfly)",
        layers,
        median(|| ntt::evaluate(&mut values, seven).unwrap()),
    );
    report(
        "NTT down (each: a butterfly)",
        layers,
        median(|| ntt::interpolate(&mut values, seven).unwrap()),
    );
    report("bit reversal", n, median(|| ntt::bit_reverse(&mut values)));
    drop(values);

    let (points, scalars) = sums::<G1Affine>("G1", n, &mut random);
    let raw: Vec<blst::blst_p1_affine> = points.iter().map(|point| *point.as_ref()).collect();
    let bytes: Vec<u8> = scalars.iter().flat_map(|scalar| scalar.to_repr()).collect();
    let time = median(|| {
        black_box(raw.mult(&bytes, 255));
    });
    report("MSM in G1 by blst", n, time);
    sums::<G2Affine>("G2", n / 4, &mut random);
}
