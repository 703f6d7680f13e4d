// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parameters in host memory, as the CPU proves with them.

use std::any::Any;

use rand_core::OsRng;
use rayon::prelude::*;

use crate::cancel::Cancel;
use crate::curve::{
    first_outside_subgroup, infinities, G1Affine, G2Affine, PointFault, SubgroupSum, SUBGROUP_BATCH,
};
use crate::{Error, ErrorKind, Result};

use super::checks::read_point;
use super::{Checks, ParameterFile, ResidentSrs, Section, SrsShape, VerifyingKey};

/// Points of one read: 390 kB in G1, so that a worker's buffer stays in its cache.
const CHUNK_POINTS: usize = 4096;

/// The verifying key and the five queries as affine points.
#[derive(Clone, Debug, PartialEq)]
pub struct HostSrs {
    shape: SrsShape,
    verifying_key: VerifyingKey,
    h: Vec<G1Affine>,
    l: Vec<G1Affine>,
    a: Vec<G1Affine>,
    b_g1: Vec<G1Affine>,
    b_g2: Vec<G2Affine>,
}

impl HostSrs {
    /// Reads all queries on the current rayon pool and checks their points as asked.
    ///
    /// Errors: `InvalidSrs` with file, section and index of the first bad point of a section (or
    /// when the file changed meanwhile), `OutOfMemory` with the bytes needed, `Io`, `Cancelled`.
    pub fn load(file: &ParameterFile, checks: Checks, cancel: &Cancel) -> Result<Self> {
        let srs = Self {
            shape: *file.shape(),
            verifying_key: file.verifying_key().clone(),
            h: read_query(file, Section::H, checks, cancel)?,
            l: read_query(file, Section::L, checks, cancel)?,
            a: read_query(file, Section::A, checks, cancel)?,
            b_g1: read_query(file, Section::BG1, checks, cancel)?,
            b_g2: read_query(file, Section::BG2, checks, cancel)?,
        };
        file.check_unchanged()?;
        Ok(srs)
    }

    /// Joins parts that were made in memory. Their counts must be those of some circuit; the
    /// points are not checked.
    pub fn from_parts(
        verifying_key: VerifyingKey,
        h: Vec<G1Affine>,
        l: Vec<G1Affine>,
        a: Vec<G1Affine>,
        b_g1: Vec<G1Affine>,
        b_g2: Vec<G2Affine>,
    ) -> Result<Self> {
        let shape = SrsShape {
            ic: verifying_key.ic.len(),
            h: h.len(),
            l: l.len(),
            a: a.len(),
            b_g1: b_g1.len(),
            b_g2: b_g2.len(),
        };
        shape.check()?;
        Ok(Self {
            shape,
            verifying_key,
            h,
            l,
            a,
            b_g1,
            b_g2,
        })
    }

    /// The h query.
    pub fn h(&self) -> &[G1Affine] {
        &self.h
    }

    /// The l query.
    pub fn l(&self) -> &[G1Affine] {
        &self.l
    }

    /// The a query: the inputs' points, then the auxiliary variables'.
    pub fn a(&self) -> &[G1Affine] {
        &self.a
    }

    /// The b query in G1: the inputs' points, then the auxiliary variables'.
    pub fn b_g1(&self) -> &[G1Affine] {
        &self.b_g1
    }

    /// The b query in G2: the inputs' points, then the auxiliary variables'.
    pub fn b_g2(&self) -> &[G2Affine] {
        &self.b_g2
    }
}

impl ResidentSrs for HostSrs {
    fn shape(&self) -> &SrsShape {
        &self.shape
    }

    fn verifying_key(&self) -> &VerifyingKey {
        &self.verifying_key
    }

    fn host_bytes(&self) -> u64 {
        self.shape.affine_bytes()
    }

    fn device_bytes(&self) -> u64 {
        0
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn read_query<P: SubgroupSum>(
    file: &ParameterFile,
    section: Section,
    checks: Checks,
    cancel: &Cancel,
) -> Result<Vec<P>> {
    let n = file.section(section).points;
    let mut points: Vec<P> = infinities(n).ok_or_else(|| {
        Error::new(
            ErrorKind::OutOfMemory,
            format!(
                "{}: the {section} needs {} bytes of host memory, the system has not that much",
                file.path().display(),
                n as u64 * P::BYTES as u64
            ),
        )
    })?;
    let bad_point = |index: usize, fault: PointFault| {
        Error::new(
            ErrorKind::InvalidSrs,
            format!("{}: {section} point {index} {fault}", file.path().display()),
        )
    };
    let read_chunk = |buffer: &mut Vec<u8>, chunk_index: usize, chunk: &mut [P]| -> Result<()> {
        cancel.check()?;
        let first = chunk_index * CHUNK_POINTS;
        buffer.resize(chunk.len() * P::BYTES, 0);
        file.read_section(section, first, buffer)?;
        for (index, (point, bytes)) in chunk
            .iter_mut()
            .zip(buffer.chunks_exact(P::BYTES))
            .enumerate()
        {
            *point = read_point(bytes, checks).map_err(|fault| bad_point(first + index, fault))?;
        }
        Ok(())
    };
    let error = points
        .par_chunks_mut(CHUNK_POINTS)
        .enumerate()
        .map_init(Vec::new, |buffer, (index, chunk)| {
            read_chunk(buffer, index, chunk).err()
        })
        .find_map_first(|error| error);
    if let Some(error) = error {
        return Err(error);
    }
    if checks >= Checks::CurveAndSubgroup {
        let error = points
            .par_chunks(SUBGROUP_BATCH)
            .enumerate()
            .find_map_first(|(batch, points)| {
                if let Err(error) = cancel.check() {
                    return Some(error);
                }
                let index = first_outside_subgroup(points, &mut OsRng)?;
                let index = batch * SUBGROUP_BATCH + index;
                Some(bad_point(index, PointFault::OutsideSubgroup))
            });
        if let Some(error) = error {
            return Err(error);
        }
    }
    Ok(points)
}
