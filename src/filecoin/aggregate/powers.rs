// SPDX-License-Identifier: MIT OR Apache-2.0
//! The file of powers that aggregation needs (`v28-fil-inner-product-v1.srs`), read as far as a
//! number of proofs asks for.
//!
//! Its layout is bellperson's: four sections, alpha^i G1, beta^i G1, alpha^i G2 and beta^i G2 for
//! i from 0 on, each a count (u32, big-endian) and its points, compressed.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use bellperson::groth16::aggregate::{GenericSRS, ProverSRS, VerifierSRS, MAX_SRS_SIZE};
use blstrs::{Bls12, G1Affine, G2Affine};
use cuzk_prover::curve::{G1_COMPRESSED_BYTES, G2_COMPRESSED_BYTES};
use cuzk_prover::{Error, ErrorKind, Result};
use group::prime::PrimeCurveAffine;
use rayon::prelude::*;

use crate::filecoin::params::{aggregation_file, say_how_to_get_powers};

const COUNT_BYTES: u64 = size_of::<u32>() as u64;
/// What filecoin-proofs reads of each section. One power is looked up from there, and not used.
const READ_POINTS: u64 = (2 << 14) + 1;

/// The sections in their order: how messages call them, and the bytes of a point.
const SECTIONS: [(&str, usize); 4] = [
    ("alpha in G1", G1_COMPRESSED_BYTES),
    ("beta in G1", G1_COMPRESSED_BYTES),
    ("alpha in G2", G2_COMPRESSED_BYTES),
    ("beta in G2", G2_COMPRESSED_BYTES),
];
const ALPHA_G1: usize = 0;
const BETA_G1: usize = 1;
const ALPHA_G2: usize = 2;
const BETA_G2: usize = 3;

/// An open file whose counts and size fit.
#[derive(Debug)]
pub struct PowersFile {
    path: PathBuf,
    file: File,
    /// Where each section's points begin, and how many there are.
    sections: [(u64, u64); 4],
    identity: String,
}

impl PowersFile {
    /// Opens the file in a parameter folder.
    ///
    /// Errors: `ParametersNotFound`, saying how to get it; `Io`; `InvalidSrs` when it is shorter
    /// than its counts say.
    pub fn open(folder: &Path) -> Result<Self> {
        let path = aggregation_file(folder);
        // Not blocking, so that a pipe of that name is refused below instead of waited for.
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_NONBLOCK)
            .open(&path)
            .map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => say_how_to_get_powers(Error::new(
                    ErrorKind::ParametersNotFound,
                    format!("{}: no such file", path.display()),
                )),
                _ => Error::io(&path, "opening", &error),
            })?;
        let metadata = file
            .metadata()
            .map_err(|error| Error::io(&path, "measuring", &error))?;
        if !metadata.is_file() {
            return Err(Error::new(
                ErrorKind::Io,
                format!("{}: not a regular file", path.display()),
            ));
        }
        let mut opened = Self {
            identity: format!(
                "{}:{}:{}:{}.{}",
                metadata.dev(),
                metadata.ino(),
                metadata.len(),
                metadata.mtime(),
                metadata.mtime_nsec()
            ),
            path,
            file,
            sections: [(0, 0); 4],
        };
        opened.measure(metadata.len())?;
        Ok(opened)
    }

    fn measure(&mut self, bytes: u64) -> Result<()> {
        let mut offset = 0;
        for (section, (name, point_bytes)) in SECTIONS.into_iter().enumerate() {
            let needs = |end: u64, what: &str| match end <= bytes {
                true => Ok(()),
                false => Err(self.invalid(format!(
                    "{what} of {name} needs the file's first {end} bytes, it has {bytes}"
                ))),
            };
            let first = offset + COUNT_BYTES;
            needs(first, "the count")?;
            let mut count = [0; COUNT_BYTES as usize];
            self.read_at(&mut count, offset, "the count")?;
            let count = u32::from_be_bytes(count);
            if count as usize > MAX_SRS_SIZE {
                return Err(self.invalid(format!(
                    "{name} has {count} powers, more than {MAX_SRS_SIZE} are none of Filecoin's"
                )));
            }
            offset = first + u64::from(count) * point_bytes as u64;
            needs(offset, &format!("{count} powers"))?;
            self.sections[section] = (first, u64::from(count));
        }
        Ok(())
    }

    /// The path that it was opened by.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Tells this state of the file from others.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// The key for aggregating `n` proofs, a power of two. Works on rayon's current pool: about
    /// 8 milliseconds of a core for each proof.
    ///
    /// Errors: `InvalidSrs` for too few powers or a bad point, `Io`.
    pub fn prover_key(&self, n: usize) -> Result<ProverSRS<Bls12>> {
        self.check_size(n)?;
        let powers = 2 * n as u64;
        let srs = GenericSRS::<Bls12> {
            g_alpha_powers: self.points::<G1Affine>(ALPHA_G1, 0, powers)?,
            g_beta_powers: self.points::<G1Affine>(BETA_G1, 0, powers)?,
            h_alpha_powers: self.points::<G2Affine>(ALPHA_G2, 0, powers)?,
            h_beta_powers: self.points::<G2Affine>(BETA_G2, 0, powers)?,
        };
        Ok(srs.specialize_prover(n))
    }

    /// The key for verifying aggregates of `n` proofs, a power of two: a few points.
    ///
    /// Errors: as [`PowersFile::prover_key`].
    pub fn verifier_key(&self, n: usize) -> Result<VerifierSRS<Bls12>> {
        self.check_size(n)?;
        let g_alpha = self.points::<G1Affine>(ALPHA_G1, 0, 2)?;
        let g_beta = self.points::<G1Affine>(BETA_G1, 1, 1)?;
        let h_alpha = self.points::<G2Affine>(ALPHA_G2, 0, 2)?;
        let h_beta = self.points::<G2Affine>(BETA_G2, 1, 1)?;
        let last = self.sections[ALPHA_G1].1.min(READ_POINTS) - n as u64;
        let h_alpha_d = self.points::<G2Affine>(ALPHA_G2, last, 1)?;
        Ok(VerifierSRS {
            n,
            g: g_alpha[0].into(),
            h: h_alpha[0].into(),
            g_alpha: g_alpha[1].into(),
            g_beta: g_beta[0].into(),
            h_alpha: h_alpha[1].into(),
            h_beta: h_beta[0].into(),
            h_alpha_d: h_alpha_d[0].into(),
        })
    }

    /// The most proofs that the powers are enough for.
    ///
    /// Errors: `InvalidSrs` when they are not enough for two.
    pub fn largest_aggregate(&self) -> Result<usize> {
        let counts = self.sections.iter().map(|(_, count)| *count);
        let powers = counts.min().unwrap_or(0).max(4) as usize;
        let n = 1 << (powers / 2).ilog2();
        self.check_size(n).map(|()| n)
    }

    /// Each section must have twice as many powers as there are proofs.
    fn check_size(&self, n: usize) -> Result<()> {
        let needed = 2 * n as u64;
        for ((name, _), (_, count)) in SECTIONS.into_iter().zip(self.sections) {
            if count < needed {
                return Err(self.invalid(format!(
                    "{name} has {count} powers, an aggregate of {n} proofs needs {needed}"
                )));
            }
        }
        // The one power that is looked up by the number of another section's.
        let last = self.sections[ALPHA_G1].1.min(READ_POINTS) - n as u64;
        if last >= self.sections[ALPHA_G2].1 {
            return Err(self.invalid(format!(
                "alpha in G2 has {} powers, alpha in G1 {}",
                self.sections[ALPHA_G2].1, self.sections[ALPHA_G1].1
            )));
        }
        Ok(())
    }

    /// Reads points of a section that are there; each must be in its group and not infinity.
    fn points<P: PrimeCurveAffine>(&self, section: usize, first: u64, n: u64) -> Result<Vec<P>> {
        let (name, point_bytes) = SECTIONS[section];
        let mut bytes = vec![0; n as usize * point_bytes];
        let offset = self.sections[section].0 + first * point_bytes as u64;
        self.read_at(&mut bytes, offset, name)?;
        bytes
            .par_chunks(point_bytes)
            .enumerate()
            .map(|(i, bytes)| {
                let mut encoded = P::Repr::default();
                encoded.as_mut().copy_from_slice(bytes);
                Option::<P>::from(P::from_bytes(&encoded))
                    .filter(|point| !bool::from(point.is_identity()))
                    .ok_or_else(|| {
                        self.invalid(format!(
                            "power {} of {name} is not a point of its group",
                            first + i as u64
                        ))
                    })
            })
            .collect()
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64, what: &str) -> Result<()> {
        self.file
            .read_exact_at(buffer, offset)
            .map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => self.invalid(format!(
                    "the file became shorter while {what} was read at offset {offset}"
                )),
                _ => Error::io(&self.path, "reading", &error),
            })
    }

    fn invalid(&self, text: String) -> Error {
        Error::new(
            ErrorKind::InvalidSrs,
            format!("{}: {text}", self.path.display()),
        )
    }
}
