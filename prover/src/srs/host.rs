// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parameters in host memory, as the CPU proves with them.

use std::any::Any;
use std::sync::OnceLock;

use rand_core::OsRng;
use rayon::prelude::*;

use crate::cancel::Cancel;
use crate::curve::{
    first_outside_subgroup, infinities, G1Affine, G2Affine, PointFault, SubgroupSum, SUBGROUP_BATCH,
};
use crate::{room, Error, ErrorKind, Result};

use super::checks::read_point;
use super::{Checks, ParameterFile, ResidentSrs, Section, SrsShape, VerifyingKey};

/// Points of one read: 390 kB in G1, so that a worker's buffer stays in its cache.
const CHUNK_POINTS: usize = 4096;

/// The verifying key and the five queries as affine points.
///
/// A query is read from the file when it is first asked for and then kept. A single proof so never
/// holds the memory of its quotient beside queries that it has no use for yet.
#[derive(Clone, Debug)]
pub struct HostSrs {
    shape: SrsShape,
    verifying_key: VerifyingKey,
    /// Where queries come from, with what is checked of them; none when all were given.
    source: Option<(ParameterFile, Checks)>,
    h: OnceLock<Vec<G1Affine>>,
    l: OnceLock<Vec<G1Affine>>,
    a: OnceLock<Vec<G1Affine>>,
    b_g1: OnceLock<Vec<G1Affine>>,
    b_g2: OnceLock<Vec<G2Affine>>,
}

impl HostSrs {
    /// Parameters whose queries are read when they are asked for.
    pub fn on_demand(file: &ParameterFile, checks: Checks) -> Self {
        Self {
            shape: *file.shape(),
            verifying_key: file.verifying_key().clone(),
            source: Some((file.clone(), checks)),
            h: OnceLock::new(),
            l: OnceLock::new(),
            a: OnceLock::new(),
            b_g1: OnceLock::new(),
            b_g2: OnceLock::new(),
        }
    }

    /// Reads all queries on the current rayon pool and checks their points as asked.
    ///
    /// Errors: `InvalidSrs` with file, section and index of the first bad point of a section (or
    /// when the file changed meanwhile), `OutOfMemory` with the bytes needed, `Io`, `Cancelled`.
    pub fn load(file: &ParameterFile, checks: Checks, cancel: &Cancel) -> Result<Self> {
        let srs = Self::on_demand(file, checks);
        ResidentSrs::load(&srs, cancel)?;
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
            source: None,
            h: h.into(),
            l: l.into(),
            a: a.into(),
            b_g1: b_g1.into(),
            b_g2: b_g2.into(),
        })
    }

    /// The h query. Reads it on the current rayon pool if it was not asked for before, with the
    /// errors of `load`; so do the other queries.
    pub fn h(&self, cancel: &Cancel) -> Result<&[G1Affine]> {
        self.query(&self.h, Section::H, cancel)
    }

    /// The l query.
    pub fn l(&self, cancel: &Cancel) -> Result<&[G1Affine]> {
        self.query(&self.l, Section::L, cancel)
    }

    /// The a query: the inputs' points, then the auxiliary variables'.
    pub fn a(&self, cancel: &Cancel) -> Result<&[G1Affine]> {
        self.query(&self.a, Section::A, cancel)
    }

    /// The b query in G1: the inputs' points, then the auxiliary variables'.
    pub fn b_g1(&self, cancel: &Cancel) -> Result<&[G1Affine]> {
        self.query(&self.b_g1, Section::BG1, cancel)
    }

    /// The b query in G2: the inputs' points, then the auxiliary variables'.
    pub fn b_g2(&self, cancel: &Cancel) -> Result<&[G2Affine]> {
        self.query(&self.b_g2, Section::BG2, cancel)
    }

    fn query<'a, P: SubgroupSum>(
        &'a self,
        query: &'a OnceLock<Vec<P>>,
        section: Section,
        cancel: &Cancel,
    ) -> Result<&'a [P]> {
        if let Some(points) = query.get() {
            return Ok(points);
        }
        let (file, checks) = self.source.as_ref().ok_or_else(|| {
            Error::new(
                ErrorKind::Internal,
                format!("the {section} has no file to come from"),
            )
        })?;
        let points = read_query(file, section, *checks, cancel)?;
        file.check_unchanged()?;
        // Two who ask at the same time both read, and one copy goes: were one to wait here, the
        // other could lie below it on the stack of the same thread of the rayon pool.
        Ok(query.get_or_init(|| points))
    }
}

impl ResidentSrs for HostSrs {
    fn shape(&self) -> &SrsShape {
        &self.shape
    }

    fn verifying_key(&self) -> &VerifyingKey {
        &self.verifying_key
    }

    fn is_loaded(&self) -> bool {
        let in_g1 = [&self.h, &self.l, &self.a, &self.b_g1];
        in_g1.iter().all(|query| query.get().is_some()) && self.b_g2.get().is_some()
    }

    fn load(&self, cancel: &Cancel) -> Result<()> {
        self.h(cancel)?;
        self.l(cancel)?;
        self.a(cancel)?;
        self.b_g1(cancel)?;
        self.b_g2(cancel)?;
        Ok(())
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
    let no_room = |error: Error| error.context(file.path().display());
    let mut points: Vec<P> =
        infinities(n).ok_or_else(|| no_room(room::missing::<P>(&format!("the {section}"), n)))?;
    let bad_point = |index: usize, fault: PointFault| {
        Error::new(
            ErrorKind::InvalidSrs,
            format!("{}: {section} point {index} {fault}", file.path().display()),
        )
    };
    let read_chunk = |buffer: &mut Vec<u8>, chunk_index: usize, chunk: &mut [P]| -> Result<()> {
        cancel.check()?;
        let first = chunk_index * CHUNK_POINTS;
        let bytes = chunk.len() * P::BYTES;
        let more = bytes.saturating_sub(buffer.len());
        room::reserve(buffer, "a buffer for reading", more).map_err(no_room)?;
        buffer.resize(bytes, 0);
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
