// SPDX-License-Identifier: MIT OR Apache-2.0
//! The made-up circuit of the GPU's tests and benchmarks, on the CPU: its parameters fit and its
//! proofs verify.

#[path = "common/memory_file.rs"]
mod memory_file;
#[path = "common/synthetic.rs"]
mod synthetic;

use cuzk_prover::backend::Cancel;
use cuzk_prover::cpu::fixed_base::FixedBase;
use cuzk_prover::cpu::CpuBackend;
use cuzk_prover::curve::{G1Affine, G2Affine, Scalar};
use cuzk_prover::groth16::{prove, verify};
use cuzk_prover::srs::{Checks, HostSrs, ParameterFile};
use cuzk_prover::timing::Timings;
use cuzk_prover::Result;
use group::prime::PrimeCurveAffine;

use synthetic::Synthetic;

fn multiply(
    group: u32,
    scalars: &[Scalar],
    sink: &(dyn Fn(usize, &[u8]) -> Result<()> + Sync),
) -> Result<()> {
    let n = scalars.len();
    let bytes: Vec<u8> = match group {
        2 => {
            let points = FixedBase::new(G2Affine::generator(), n).multiples(scalars);
            points
                .iter()
                .flat_map(|point| point.to_uncompressed())
                .collect()
        }
        _ => {
            let points = FixedBase::new(G1Affine::generator(), n).multiples(scalars);
            points
                .iter()
                .flat_map(|point| point.to_uncompressed())
                .collect()
        }
    };
    sink(0, &bytes)
}

#[test]
fn proofs_of_the_synthetic_circuit_verify() {
    for log_n in 1..=11 {
        let circuit = Synthetic::new(log_n, u64::from(log_n));
        let (file, path) = memory_file::memory_file();
        circuit.write_parameters(&file, &multiply).unwrap();
        let file = ParameterFile::open(&path).unwrap();
        assert_eq!(*file.shape(), circuit.shape(), "2^{log_n}");
        let srs = HostSrs::load(&file, Checks::Curve, &Cancel::default()).unwrap();
        let (r, s) = (Scalar::from(3), Scalar::from(4));
        let mut timings = Timings::default();
        let assignment = circuit.assignment();
        let proof = prove(
            &CpuBackend,
            &srs,
            &assignment,
            r,
            s,
            &Cancel::default(),
            &mut timings,
        );
        let inputs = &circuit.input[1..];
        let verdict = verify(file.verifying_key(), inputs, &proof.unwrap()).unwrap();
        assert!(verdict, "2^{log_n}");
    }
}
