// SPDX-License-Identifier: MIT OR Apache-2.0
//! A circuit of a few rows with its parameters and its assignment.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use bellpepper_core::{Circuit, ConstraintSystem, LinearCombination, SynthesisError};
use blstrs::Scalar;
use cuzk_prover::circuit::{synthesize, CompiledCircuit, Witness};
use cuzk_prover::groth16::setup::{write_parameters, SetupPaths};
use ff::Field;

/// What the names of folders for files begin with, before the number of their process.
const PREFIX: &str = "cuzk-fuzz-";
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

/// A folder of this process for files. A search ends without a chance to take its own away, so the
/// next one does.
pub fn folder() -> &'static PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let temporary = std::env::temp_dir();
        for entry in std::fs::read_dir(&temporary)
            .into_iter()
            .flatten()
            .flatten()
        {
            let name = entry.file_name();
            let process = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
            if process.is_some_and(|process| !Path::new("/proc").join(process).exists()) {
                // Another search may be doing the same.
                let _ = std::fs::remove_dir_all(entry.path());
            }
        }
        let folder = temporary.join(format!("{PREFIX}{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for files");
        folder
    })
}
