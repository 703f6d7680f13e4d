// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the sections of a parameter file lie.

use std::fmt;

use crate::curve::{G1_UNCOMPRESSED_BYTES, G2_UNCOMPRESSED_BYTES};
use crate::{Error, ErrorKind, Result};

use super::SrsShape;

/// Bytes of a section's count.
pub(super) const COUNT_BYTES: u64 = 4;

/// Bytes of the verifying key's six points before the count of ic.
pub(super) const KEY_POINTS_BYTES: u64 =
    3 * G1_UNCOMPRESSED_BYTES as u64 + 3 * G2_UNCOMPRESSED_BYTES as u64;

/// A counted section of a parameter file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// The inputs' points of the verifying key.
    Ic,
    /// The h query.
    H,
    /// The l query.
    L,
    /// The a query.
    A,
    /// The b query in G1.
    BG1,
    /// The b query in G2.
    BG2,
}

impl Section {
    /// All sections in the file's order.
    pub const ALL: [Section; 6] = [
        Section::Ic,
        Section::H,
        Section::L,
        Section::A,
        Section::BG1,
        Section::BG2,
    ];

    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Section::Ic => "ic",
            Section::H => "h query",
            Section::L => "l query",
            Section::A => "a query",
            Section::BG1 => "b_g1 query",
            Section::BG2 => "b_g2 query",
        }
    }

    /// Bytes of one point in the file.
    pub fn point_bytes(self) -> usize {
        match self {
            Section::BG2 => G2_UNCOMPRESSED_BYTES,
            _ => G1_UNCOMPRESSED_BYTES,
        }
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The points of a section in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SectionSpan {
    /// Offset of the first point, in bytes from the file's start.
    pub offset: u64,
    /// Number of points.
    pub points: usize,
}

/// Walks the counts of the first `sections` sections of a file of `file_bytes` bytes.
///
/// `count_at` reads the big-endian count at an offset, which lies within the file. The file
/// must end with the last section.
pub(super) fn walk(
    file_bytes: u64,
    sections: &[Section],
    mut count_at: impl FnMut(u64) -> Result<u32>,
) -> Result<Vec<SectionSpan>> {
    let invalid = |message: String| Error::new(ErrorKind::InvalidSrs, message);
    if file_bytes < KEY_POINTS_BYTES {
        return Err(invalid(format!(
            "truncated: the verifying key's points need {KEY_POINTS_BYTES} bytes, \
             {file_bytes} are present"
        )));
    }
    let mut end = KEY_POINTS_BYTES;
    let mut spans = Vec::with_capacity(sections.len());
    for section in sections {
        let left = file_bytes - end;
        if left < COUNT_BYTES {
            return Err(invalid(format!(
                "truncated: the count of the {section} needs {COUNT_BYTES} bytes at offset \
                 {end}, {left} are present"
            )));
        }
        let points = count_at(end)?;
        let offset = end + COUNT_BYTES;
        // At most 2^32 points of 192 bytes: no overflow.
        let needed = u64::from(points) * section.point_bytes() as u64;
        let left = file_bytes - offset;
        if left < needed {
            return Err(invalid(format!(
                "truncated or a bad count: the {section} has {points} points and needs {needed} \
                 bytes at offset {offset}, {left} are present"
            )));
        }
        end = offset + needed;
        spans.push(SectionSpan {
            offset,
            points: points as usize,
        });
    }
    if end != file_bytes {
        return Err(invalid(format!(
            "overlong or a bad count: the sections need {end} bytes, {file_bytes} are present"
        )));
    }
    Ok(spans)
}

/// The counts of all six sections.
pub(super) fn shape_of(spans: &[SectionSpan; 6]) -> SrsShape {
    let [ic, h, l, a, b_g1, b_g2] = spans.map(|span| span.points);
    SrsShape {
        ic,
        h,
        l,
        a,
        b_g1,
        b_g2,
    }
}
