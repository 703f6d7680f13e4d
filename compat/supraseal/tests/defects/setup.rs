// SPDX-License-Identifier: MIT OR Apache-2.0
//! A small circuit with parameters in a file, and its witness as callers lend it.

use std::path::{Path, PathBuf};

use blstrs::Scalar;
use cuzk_prover::circuit::{synthesize, CompiledCircuit};
use cuzk_prover::curve::{G1Affine, G2Affine};
use cuzk_prover::groth16::setup::{write_parameters, SetupPaths};
use cuzk_prover::groth16::{PreparedKey, Proof};
use cuzk_prover::srs::{ParameterFile, Section};
use cuzk_supraseal::Assignment;
use tempfile::TempDir;

use crate::circuits::Sample;

/// A circuit, its parameters' file and one witness.
pub struct Setup {
    folder: TempDir,
    pub params: PathBuf,
    rows: [Vec<Scalar>; 3],
    inputs: Vec<Scalar>,
    aux: Vec<Scalar>,
    densities: [(Vec<usize>, usize); 3],
}

impl Setup {
    pub fn new(rounds: u64) -> Self {
        let sample = |secret| Sample::Mimc { rounds, secret };
        let circuit = CompiledCircuit::record(sample(None)).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let params = folder.path().join("mimc.params");
        let paths = SetupPaths {
            params: params.clone(),
            vk: folder.path().join("mimc.vk"),
            meta: None,
        };
        write_parameters(&circuit, &[7; 32], &paths, &mut |_| ()).unwrap();
        let secret = Some((Scalar::from(3), Scalar::from(5)));
        let witness = synthesize(sample(secret)).unwrap();
        let rows = circuit.evaluate(&witness).unwrap();
        let density = |map: &cuzk_prover::circuit::Bitmap| {
            let words = map.words().iter().map(|word| *word as usize).collect();
            (words, map.count_ones())
        };
        Self {
            folder,
            params,
            rows,
            inputs: witness.input.to_vec(),
            aux: (0..witness.aux.len()).map(|i| witness.aux.get(i)).collect(),
            densities: [
                density(circuit.a_aux_density()),
                density(circuit.b_input_density()),
                density(circuit.b_aux_density()),
            ],
        }
    }

    /// A place for another file.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn assignment(&self) -> Assignment<Scalar> {
        let [a_aux, b_inp, b_aux] = &self.densities;
        let [a, b, c] = &self.rows;
        Assignment {
            a_aux_density: a_aux.0.as_ptr(),
            a_aux_bit_len: self.aux.len(),
            a_aux_popcount: a_aux.1,
            b_inp_density: b_inp.0.as_ptr(),
            b_inp_bit_len: self.inputs.len(),
            b_inp_popcount: b_inp.1,
            b_aux_density: b_aux.0.as_ptr(),
            b_aux_bit_len: self.aux.len(),
            b_aux_popcount: b_aux.1,
            a: a.as_ptr(),
            b: b.as_ptr(),
            c: c.as_ptr(),
            abc_size: a.len(),
            inp_assignment_data: self.inputs.as_ptr(),
            inp_assignment_size: self.inputs.len(),
            aux_assignment_data: self.aux.as_ptr(),
            aux_assignment_size: self.aux.len(),
        }
    }

    /// Whether a proof is one of this witness.
    pub fn valid(&self, proof: &Proof) -> bool {
        let file = ParameterFile::open(&self.params).unwrap();
        PreparedKey::new(file.verifying_key())
            .verify(&self.inputs[1..], proof)
            .unwrap()
    }

    /// Where a point of a section lies in the file.
    pub fn offset(&self, section: Section, index: usize) -> usize {
        let file = ParameterFile::open(&self.params).unwrap();
        file.section(section).offset as usize + index * section.point_bytes()
    }
}

/// The uncompressed bytes of a point on the curve and outside the subgroup: x = 4 in G1, x = 2 in
/// G2.
pub fn outside_subgroup(section: Section) -> Vec<u8> {
    match section {
        Section::BG2 => {
            let mut bytes = [0; 96];
            (bytes[0], bytes[95]) = (0x80, 2);
            let point = G2Affine::from_compressed_unchecked(&bytes).unwrap();
            point.to_uncompressed().to_vec()
        }
        _ => {
            let mut bytes = [0; 48];
            (bytes[0], bytes[47]) = (0x80, 4);
            let point = G1Affine::from_compressed_unchecked(&bytes).unwrap();
            point.to_uncompressed().to_vec()
        }
    }
}

/// A file's bytes, spoiled and written elsewhere.
pub fn spoiled(from: &Path, to: &Path, spoil: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = std::fs::read(from).unwrap();
    spoil(&mut bytes);
    std::fs::write(to, bytes).unwrap();
}
