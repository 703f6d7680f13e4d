// SPDX-License-Identifier: MIT OR Apache-2.0
//! A circuit of a few rows with its parameters and its assignment.

use std::path::PathBuf;
use std::sync::OnceLock;

use bellpepper_core::{Circuit, ConstraintSystem, LinearCombination, SynthesisError};
use blstrs::Scalar;
use cuzk_prover::circuit::{synthesize, CompiledCircuit, Witness};
use cuzk_prover::groth16::setup::{write_parameters, SetupPaths};
use ff::Field;

/// Squarings of the chain.
const STEPS: usize = 5;

/// Knows an x whose 2^`STEPS`-th power is the public output, and a bit.
struct Chain;

impl Circuit<Scalar> for Chain {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let of = LinearCombination::<Scalar>::from_variable;
        let mut value = Scalar::from(3);
        let mut x = cs.alloc(|| "x", || Ok(value))?;
        let bit = cs.alloc(|| "bit", || Ok(Scalar::ONE))?;
        let one = CS::one();
        cs.enforce(|| "bit", |_| of(bit), |_| of(one) - bit, |lc| lc);
        for step in 0..STEPS {
            value = value.square();
            let next = match step + 1 {
                STEPS => cs.alloc_input(|| "output", || Ok(value))?,
                _ => cs.alloc(|| format!("x{step}"), || Ok(value))?,
            };
            cs.enforce(|| format!("{step}"), |_| of(x), |_| of(x), |_| of(next));
            x = next;
        }
        Ok(())
    }
}

/// Everything about the small circuit.
pub struct Small {
    /// Its rows.
    pub circuit: CompiledCircuit,
    /// Its witness.
    pub witness: Witness,
    /// a, b and c.
    pub rows: [Vec<Scalar>; 3],
    /// The auxiliary variables one by one.
    pub aux: Vec<Scalar>,
    /// What its parameter file holds, `small.params` in the folder beside `small.vk`.
    pub bytes: Vec<u8>,
}

/// Made once; the file lies in a folder of the process.
pub fn small() -> &'static Small {
    static SMALL: OnceLock<Small> = OnceLock::new();
    SMALL.get_or_init(|| {
        let circuit = CompiledCircuit::record(Chain).expect("a circuit");
        let witness = synthesize(Chain).expect("a witness");
        let path = folder().join("small.params");
        let paths = SetupPaths {
            params: path.clone(),
            vk: path.with_extension("vk"),
            meta: None,
        };
        write_parameters(&circuit, &[7; 32], &paths, &mut |_| ()).expect("parameters");
        Small {
            rows: circuit.evaluate(&witness).expect("rows"),
            aux: (0..witness.aux.len()).map(|i| witness.aux.get(i)).collect(),
            bytes: std::fs::read(&paths.params).expect("the parameter file"),
            circuit,
            witness,
        }
    })
}

/// A folder of this process for files.
pub fn folder() -> &'static PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let name = format!("cuzk-fuzz-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("a folder for files");
        folder
    })
}
