// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows that the device evaluates.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::PathBuf;

use bellpepper_core::{Circuit, ConstraintSystem, LinearCombination, SynthesisError, Variable};
use cuzk_prover::backend::{Assignment, AuxAssignment, Backend, Rows};
use cuzk_prover::circuit::{synthesize, CompiledCircuit, Witness};
use cuzk_prover::curve::Scalar;
use cuzk_prover::gpu::GpuBackend;
use cuzk_prover::groth16::setup::{write_parameters_with, Secrets, SetupPaths};
use cuzk_prover::srs::Checks;
use ff::Field;
use rand_core::{RngCore, SeedableRng};
use rand_xorshift::XorShiftRng;

use super::{agree, open, random, Parameters};

/// Rows with few and many terms, of bits and of values, with few and many coefficients.
struct Tangled {
    values: Vec<Scalar>,
    rows: usize,
}

impl Circuit<Scalar> for Tangled {
    fn synthesize<CS: ConstraintSystem<Scalar>>(
        self,
        cs: &mut CS,
    ) -> std::result::Result<(), SynthesisError> {
        let mut random = XorShiftRng::seed_from_u64(9);
        let mut variables: Vec<Variable> = Vec::new();
        for (i, value) in self.values.iter().enumerate() {
            let get = || Ok(*value);
            variables.push(match i % 97 {
                0 => cs.alloc_input(|| "", get)?,
                _ => cs.alloc(|| "", get)?,
            });
        }
        for row in 0..self.rows {
            let mut sum = |long: bool| {
                let terms = if long {
                    700
                } else {
                    random.next_u32() as usize % 4
                };
                (0..terms).fold(LinearCombination::zero(), |sum, term| {
                    let variable = variables[random.next_u64() as usize % variables.len()];
                    sum + match term % 3 {
                        0 => (Scalar::ONE, variable),
                        1 => (-Scalar::ONE, variable),
                        _ => (Scalar::from(random.next_u64() % 50 + 2), variable),
                    }
                })
            };
            let (a, b, c) = (sum(row % 50 == 7), sum(false), sum(row % 61 == 3));
            // Every variable is in a constraint, or there are no parameters for it.
            let own = variables[row % variables.len()];
            cs.enforce(|| "", |_| a + own, |_| b, |_| c);
        }
        Ok(())
    }
}

/// A prelude, and blocks that repeat: each with variables of its own, and rows of these, of the
/// prelude's and of the constant one.
#[derive(Clone)]
struct Blocks {
    blocks: usize,
}

impl Circuit<Scalar> for Blocks {
    fn synthesize<CS: ConstraintSystem<Scalar>>(
        self,
        cs: &mut CS,
    ) -> std::result::Result<(), SynthesisError> {
        let mut values = XorShiftRng::seed_from_u64(31);
        let mut allocate = |cs: &mut CS, inputs: usize, aux: usize| {
            let mut all = Vec::new();
            for i in 0..inputs + aux {
                let value = match values.next_u32() % 8 {
                    0 => Scalar::random(&mut values),
                    bit => Scalar::from(u64::from(bit % 2)),
                };
                all.push(match i < inputs {
                    true => cs.alloc_input(|| "", || Ok(value))?,
                    false => cs.alloc(|| "", || Ok(value))?,
                });
            }
            Ok::<Vec<Variable>, SynthesisError>(all)
        };
        let prelude = allocate(cs, 4, 60)?;
        for own in &prelude {
            cs.enforce(|| "", |zero| zero + *own, |zero| zero, |zero| zero + *own);
        }
        for _ in 0..self.blocks {
            let own = allocate(cs, 3, 700)?;
            // The same for every block.
            let mut pattern = XorShiftRng::seed_from_u64(32);
            for row in 0..900 {
                let mut sum = |terms: usize| {
                    (0..terms).fold(LinearCombination::zero(), |sum, _| {
                        let dice = pattern.next_u64() as usize;
                        let variable = match dice % 5 {
                            0 => prelude[dice / 5 % prelude.len()],
                            1 => CS::one(),
                            _ => own[dice / 5 % own.len()],
                        };
                        sum + (Scalar::from(pattern.next_u64() % 20 + 1), variable)
                    })
                };
                let (a, b, c) = (sum(row % 5), sum(row % 3), sum(1 + row % 90));
                let each = own[row % own.len()];
                cs.enforce(|| "", |_| a + each, |_| b, |_| c);
            }
        }
        Ok(())
    }
}

/// Parameters made by the device, whose points are those that the CPU makes.
fn parameters_of(circuit: &CompiledCircuit, device: &GpuBackend) -> Parameters {
    let folder = tempfile::tempdir().expect("a folder");
    let make = |name: &str, multiplier| {
        let paths = SetupPaths {
            params: folder.path().join(format!("{name}.params")),
            vk: folder.path().join(format!("{name}.vk")),
            meta: None,
        };
        let secrets = Secrets::derive(&[7; 32]);
        write_parameters_with(circuit, &secrets, &paths, multiplier, &mut |_| {}).expect("setup");
        paths.params
    };
    let by_device = make("device", device.multiplier());
    let by_host = make("host", None);
    let read = |path| std::fs::read(path).expect("a parameter file");
    assert!(read(&by_device) == read(&by_host));
    // The folder goes, the open file stays.
    let file = File::open(&by_device).expect("the parameter file");
    let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    Parameters::read(file, path, Checks::Curve)
}

/// With bits and values apart, and with all values in full.
fn rows_agree(
    circuit: &CompiledCircuit,
    witness: &Witness,
    parameters: &Parameters,
    device: &GpuBackend,
    what: &str,
) {
    let srs = parameters
        .load(device, Checks::Curve)
        .expect("device parameters");
    let full: Vec<Scalar> = (0..witness.aux.len()).map(|i| witness.aux.get(i)).collect();
    for aux in [
        AuxAssignment::Compact(&witness.aux),
        AuxAssignment::Scalars(&full),
    ] {
        let assignment = Assignment {
            rows: Rows::Compiled(circuit),
            input: &witness.input,
            aux,
            a_aux_density: circuit.a_aux_density(),
            b_input_density: circuit.b_input_density(),
            b_aux_density: circuit.b_aux_density(),
        };
        agree(parameters, device, &*srs, &assignment, what);
    }
}

pub fn rows_evaluated_on_the_device_give_the_same_sums(device: &GpuBackend) {
    let mut random = random();
    for rows in [64, 1000, 3000] {
        let values: Vec<Scalar> = (0..rows / 2)
            .map(|i| match i % 6 {
                0 => Scalar::random(&mut random),
                n => Scalar::from(n as u64 % 2),
            })
            .collect();
        let tangled = || Tangled {
            values: values.clone(),
            rows,
        };
        let circuit = CompiledCircuit::record(tangled()).expect("a circuit");
        let witness = synthesize(tangled()).expect("a witness");
        let parameters = parameters_of(&circuit, device);
        let what = format!("{rows} rows");
        rows_agree(&circuit, &witness, &parameters, device, &what);
    }
}

/// Also where the evaluations, the quotient and the witness are on the device one after the other.
pub fn repeated_blocks_give_the_same_sums(device: &GpuBackend) {
    let record = |blocks| CompiledCircuit::record(Blocks { blocks }).expect("a circuit");
    let (one, two) = (record(1), record(2));
    for (blocks, budgets) in [
        (1, [220, 160]),
        (2, [220, 160]),
        (18, [220, 160]),
        (150, [400, 180]),
    ] {
        let circuit = CompiledCircuit::repeated(&one, &two, blocks).expect("a circuit");
        let witness = synthesize(Blocks { blocks }).expect("a witness");
        let parameters = parameters_of(&circuit, device);
        let what = format!("{blocks} blocks");
        rows_agree(&circuit, &witness, &parameters, device, &what);
        for mebibytes in budgets {
            let small = open(Some(mebibytes << 20)).expect("a device with a small budget");
            let what = format!("{what} in {mebibytes} MiB");
            rows_agree(&circuit, &witness, &parameters, &small, &what);
        }
    }
}
