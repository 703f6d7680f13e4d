// SPDX-License-Identifier: MIT OR Apache-2.0
//! The verifying key of a circuit.

use std::path::Path;

use crate::curve::{AffinePoint, G1Affine, G2Affine, G1_UNCOMPRESSED_BYTES};
use crate::{room, Error, ErrorKind, Result};

use super::checks::read_point_fully_checked;
use super::file::SrsFile;
use super::layout::{walk, Section, COUNT_BYTES, KEY_POINTS_BYTES};

/// The verifying key, as it stands at the head of a parameter file and alone in a `.vk` file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyingKey {
    /// alpha in G1.
    pub alpha_g1: G1Affine,
    /// beta in G1 (needed for C only).
    pub beta_g1: G1Affine,
    /// beta in G2.
    pub beta_g2: G2Affine,
    /// gamma in G2.
    pub gamma_g2: G2Affine,
    /// delta in G1 (needed for A and C only).
    pub delta_g1: G1Affine,
    /// delta in G2.
    pub delta_g2: G2Affine,
    /// (beta a_i + alpha b_i + c_i) / gamma for each public input, the constant one first.
    pub ic: Vec<G1Affine>,
}

impl VerifyingKey {
    /// Bytes of the key of `inputs` public inputs in a file.
    pub fn file_bytes(inputs: usize) -> u64 {
        KEY_POINTS_BYTES + COUNT_BYTES + inputs as u64 * G1_UNCOMPRESSED_BYTES as u64
    }

    /// Room for the bytes of a key of so many inputs.
    pub(super) fn file_buffer(inputs: usize) -> Result<Vec<u8>> {
        room::filled("the verifying key", Self::file_bytes(inputs) as usize, 0)
    }

    /// Reads a `.vk` file and checks every point in full: encoding, curve, subgroup, not at
    /// infinity.
    pub fn read(path: &Path) -> Result<Self> {
        let file = SrsFile::open(path)?;
        file.named(Self::read_from(&file))
    }

    fn read_from(file: &SrsFile) -> Result<Self> {
        let spans = walk(file.bytes(), &[Section::Ic], |offset| file.count_at(offset))?;
        let mut bytes = Self::file_buffer(spans[0].points)?;
        file.read_at(&mut bytes, 0, "verifying key")?;
        Self::from_bytes(&bytes)
    }

    /// The key from the whole contents of a `.vk` file, checked as by `read`.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let spans = walk(bytes.len() as u64, &[Section::Ic], |offset| {
            let mut count = [0u8; COUNT_BYTES as usize];
            let offset = offset as usize;
            count.copy_from_slice(&bytes[offset..offset + COUNT_BYTES as usize]);
            Ok(u32::from_be_bytes(count))
        })?;
        if spans[0].points == 0 {
            return Err(Error::new(
                ErrorKind::InvalidSrs,
                "ic has no points, the constant one needs one",
            ));
        }
        let mut reader = PointReader { rest: bytes };
        let key = Self {
            alpha_g1: reader.next("alpha_g1")?,
            beta_g1: reader.next("beta_g1")?,
            beta_g2: reader.next("beta_g2")?,
            gamma_g2: reader.next("gamma_g2")?,
            delta_g1: reader.next("delta_g1")?,
            delta_g2: reader.next("delta_g2")?,
            ic: Vec::new(),
        };
        reader.rest = &bytes[spans[0].offset as usize..];
        let mut ic = room::list("the verifying key", spans[0].points)?;
        for index in 0..spans[0].points {
            ic.push(reader.next(format_args!("ic point {index}"))?);
        }
        Ok(Self { ic, ..key })
    }
}

/// Points from the front of some bytes, whose number was checked before.
struct PointReader<'a> {
    rest: &'a [u8],
}

impl PointReader<'_> {
    fn next<P: AffinePoint>(&mut self, name: impl std::fmt::Display) -> Result<P> {
        let (bytes, rest) = self.rest.split_at(P::BYTES);
        self.rest = rest;
        read_point_fully_checked(bytes).map_err(|fault| {
            Error::new(
                ErrorKind::InvalidSrs,
                format!("verifying key: {name} {fault}"),
            )
        })
    }
}
