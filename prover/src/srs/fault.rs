// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is wrong with one point of a file, for a device that only says which.

use super::checks::read_point_fully_checked;
use super::{ParameterFile, Section};
use crate::curve::{G1Affine, G2Affine, PointFault};
use crate::{Error, ErrorKind};

impl ParameterFile {
    /// The error of a point that a device refused: reads it again and looks for the cause.
    pub fn refused_point(&self, section: Section, index: usize) -> Error {
        let mut bytes = vec![0; section.point_bytes()];
        if let Err(error) = self.read_section(section, index, &mut bytes) {
            return error;
        }
        let point = format!("{}: {section} point {index}", self.path().display());
        match fault(section, &bytes) {
            Some(fault) => Error::new(ErrorKind::InvalidSrs, format!("{point} {fault}")),
            None => Error::new(
                ErrorKind::DeviceFailed,
                format!("{point} was refused by the device and is good"),
            ),
        }
    }
}

fn fault(section: Section, bytes: &[u8]) -> Option<PointFault> {
    match section {
        Section::BG2 => read_point_fully_checked::<G2Affine>(bytes).err(),
        _ => read_point_fully_checked::<G1Affine>(bytes).err(),
    }
}
