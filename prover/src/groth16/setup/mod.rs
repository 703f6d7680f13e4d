// SPDX-License-Identifier: MIT OR Apache-2.0
//! Development parameters for any circuit from a seed, in Filecoin's file formats.
//!
//! INSECURE: who has the seed has the secret scalars and can prove anything under these
//! parameters. They are for development and tests; nothing of value may depend on them.
//!
//! With u_j, v_j, w_j the polynomials that interpolate column j of A, B, C over the domain, and
//! Z(x) = x^n - 1, the sections are (Groth, ePrint 2016/260, section 3.2; the order and the
//! omissions of bellperson):
//!
//! * ic: (beta u_j(tau) + alpha v_j(tau) + w_j(tau)) / gamma for the inputs;
//! * h: tau^i Z(tau) / delta for i < n - 1;
//! * l: (beta u_j(tau) + alpha v_j(tau) + w_j(tau)) / delta for the auxiliary variables;
//! * a: u_j(tau) for the inputs, then the auxiliary variables, without those that are in no row;
//! * b_g1, b_g2: v_j(tau) likewise.
//!
//! The points go to the file as they are computed and are never all in memory.

mod polynomials;
mod secrets;

use std::path::PathBuf;

use ff::Field;
use group::prime::PrimeCurveAffine;
use group::{Curve as _, UncompressedEncoding};
use rayon::prelude::*;

use crate::backend::{Generator, Multiplier};
use crate::circuit::CompiledCircuit;
use crate::cpu::affine::Curve;
use crate::cpu::fixed_base::{FixedBase, FIXED_BASE_BATCH};
use crate::curve::{G1Affine, G2Affine, Scalar};
use crate::srs::{PendingFile, Section, SrsShape, VerifyingKey};
use crate::{Error, ErrorKind, Result};

use polynomials::{lagrange_values, transposed_product};
pub use secrets::Secrets;

/// Points between two reports of progress, and in memory at a time.
const CHUNK: usize = 1 << 16;

/// The same where a device makes the points.
const DEVICE_CHUNK: usize = 1 << 22;

/// Where the files of a setup go. All folders must exist, and no file may.
#[derive(Clone, Debug)]
pub struct SetupPaths {
    /// The parameter file, `v28-<circuit>.params` in Filecoin's cache.
    pub params: PathBuf,
    /// The verifying key, `v28-<circuit>.vk`.
    pub vk: PathBuf,
    /// The metadata file, `v28-<circuit>.meta`, for circuits of Filecoin.
    pub meta: Option<SetupMeta>,
}

/// Filecoin's metadata file: the sector size as JSON.
#[derive(Clone, Debug)]
pub struct SetupMeta {
    /// Where it goes.
    pub path: PathBuf,
    /// Bytes of a sector.
    pub sector_size: u64,
}

/// How far a setup is, in points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetupProgress {
    /// Points written.
    pub done: u64,
    /// Points in all.
    pub total: u64,
}

/// What a setup made.
#[derive(Clone, Debug)]
pub struct SetupReport {
    /// The verifying key.
    pub verifying_key: VerifyingKey,
    /// Points in each section.
    pub shape: SrsShape,
    /// Bytes of the parameter file.
    pub params_bytes: u64,
}

/// Makes insecure parameters for a circuit; the same seed makes the same files.
///
/// The files are written under temporary names in their folders and renamed when all are whole,
/// the parameter file last. `progress` is called before the first point and after each 65,536.
///
/// # Errors
///
/// `InvalidArgument` when a file exists, or an auxiliary variable is in no constraint (such a
/// circuit has no parameters); `Io` when a file cannot be written; `Unsupported` when a section
/// has more points than the format counts. Nothing is left behind.
pub fn write_parameters(
    circuit: &CompiledCircuit,
    seed: &[u8; 32],
    paths: &SetupPaths,
    progress: &mut dyn FnMut(SetupProgress),
) -> Result<SetupReport> {
    write_parameters_with(circuit, &Secrets::derive(seed), paths, None, progress)
}

/// As [`write_parameters`], from given secrets, and with points made by a device if one is given;
/// they are the same.
///
/// # Errors
///
/// As there, `InvalidArgument` when a secret is zero or tau is in the circuit's domain, and what
/// the device reports.
pub fn write_parameters_with(
    circuit: &CompiledCircuit,
    secrets: &Secrets,
    paths: &SetupPaths,
    multiplier: Option<&dyn Multiplier>,
    progress: &mut dyn FnMut(SetupProgress),
) -> Result<SetupReport> {
    let log_domain = circuit.log_domain();
    let (vanishing, gamma_inverse, delta_inverse) = secrets.inverses(log_domain)?;
    let params = PendingFile::create(&paths.params)?;
    let mut vk = PendingFile::create(&paths.vk)?;
    let meta = match &paths.meta {
        None => None,
        Some(meta) => {
            let mut file = PendingFile::create(&meta.path)?;
            file.write(format!("{{\"sector_size\":{}}}", meta.sector_size).as_bytes())?;
            Some(file)
        }
    };
    let columns = Columns::new(circuit, secrets, vanishing)?;

    let shape = circuit.srs_shape();
    let (ic, l) = columns.mixed.split_at(circuit.shape().inputs);
    // With a device, the host makes the verifying key's points alone.
    let uses = |points| {
        if multiplier.is_some() {
            ic.len()
        } else {
            points
        }
    };
    let g1 = FixedBase::new(
        G1Affine::generator(),
        uses(shape.h + shape.l + shape.a + shape.b_g1),
    );
    let verifying_key = verifying_key(
        secrets,
        g1.multiples(
            &ic.iter()
                .map(|value| value * gamma_inverse)
                .collect::<Vec<_>>(),
        ),
    );
    let key_bytes = verifying_key.to_bytes()?;
    vk.write(&key_bytes)?;

    let total = (shape.ic + shape.h + shape.l + shape.a + shape.b_g1 + shape.b_g2) as u64;
    let mut writer = SectionWriter {
        file: params,
        multiplier,
        progress,
        done: shape.ic as u64,
        total,
    };
    writer.report();
    writer.file.write(&key_bytes)?;
    let first = vanishing * delta_inverse;
    let powers = std::iter::successors(Some(first), |power| Some(power * secrets.tau));
    writer.section(Section::H, &g1, shape.h, powers.take(shape.h))?;
    let scaled = l.iter().map(|value| value * delta_inverse);
    writer.section(Section::L, &g1, shape.l, scaled)?;
    writer.section(Section::A, &g1, shape.a, columns.a(circuit))?;
    writer.section(Section::BG1, &g1, shape.b_g1, columns.b(circuit))?;
    drop(g1);
    let g2 = FixedBase::new(G2Affine::generator(), uses(shape.b_g2));
    writer.section(Section::BG2, &g2, shape.b_g2, columns.b(circuit))?;

    let mut params = writer.file;
    let params_bytes = params.bytes()?;
    PendingFile::keep_all([Some(vk), meta, Some(params)].into_iter().flatten())?;
    Ok(SetupReport {
        verifying_key,
        shape,
        params_bytes,
    })
}

/// The polynomials of all columns at tau.
struct Columns {
    /// u_j.
    a: Vec<Scalar>,
    /// v_j.
    b: Vec<Scalar>,
    /// beta u_j + alpha v_j + w_j.
    mixed: Vec<Scalar>,
}

impl Columns {
    fn new(circuit: &CompiledCircuit, secrets: &Secrets, vanishing: Scalar) -> Result<Self> {
        let shape = circuit.shape();
        let weights = lagrange_values(secrets.tau, vanishing, circuit.log_domain(), shape.rows);
        let [a, b, mut mixed] = [0, 1, 2].map(|which| transposed_product(circuit, which, &weights));
        mixed
            .par_iter_mut()
            .zip(a.par_iter().zip(&b))
            .for_each(|(mixed, (a, b))| *mixed += secrets.beta * a + secrets.alpha * b);
        let aux = &mixed[shape.inputs..];
        if let Some(loose) = aux.iter().position(|value| *value == Scalar::ZERO) {
            return Err(Error::new(
                ErrorKind::InvalidArgument,
                format!("auxiliary variable {loose} is in no constraint of the circuit"),
            ));
        }
        Ok(Self { a, b, mixed })
    }

    fn a<'a>(&'a self, circuit: &'a CompiledCircuit) -> impl Iterator<Item = Scalar> + 'a {
        let inputs = circuit.shape().inputs;
        let aux = circuit.a_aux_density().ones().map(move |aux| inputs + aux);
        (0..inputs).chain(aux).map(|column| self.a[column])
    }

    fn b<'a>(&'a self, circuit: &'a CompiledCircuit) -> impl Iterator<Item = Scalar> + 'a {
        let inputs = circuit.shape().inputs;
        let aux = circuit.b_aux_density().ones().map(move |aux| inputs + aux);
        let inputs = circuit.b_input_density().ones();
        inputs.chain(aux).map(|column| self.b[column])
    }
}

fn verifying_key(secrets: &Secrets, ic: Vec<G1Affine>) -> VerifyingKey {
    let g1 = |scalar: Scalar| (G1Affine::generator() * scalar).to_affine();
    let g2 = |scalar: Scalar| (G2Affine::generator() * scalar).to_affine();
    VerifyingKey {
        alpha_g1: g1(secrets.alpha),
        beta_g1: g1(secrets.beta),
        beta_g2: g2(secrets.beta),
        gamma_g2: g2(secrets.gamma),
        delta_g1: g1(secrets.delta),
        delta_g2: g2(secrets.delta),
        ic,
    }
}

/// Computes and writes the sections of a parameter file, and reports how far it is.
struct SectionWriter<'a> {
    file: PendingFile,
    multiplier: Option<&'a dyn Multiplier>,
    progress: &'a mut dyn FnMut(SetupProgress),
    done: u64,
    total: u64,
}

impl SectionWriter<'_> {
    fn report(&mut self) {
        (self.progress)(SetupProgress {
            done: self.done,
            total: self.total,
        });
    }

    /// Writes a section of `points` multiples; none of the scalars may be zero.
    fn section<C: Curve + UncompressedEncoding>(
        &mut self,
        section: Section,
        base: &FixedBase<C>,
        points: usize,
        mut scalars: impl Iterator<Item = Scalar>,
    ) -> Result<()> {
        self.file.write_count(section, points)?;
        if let Some(multiplier) = self.multiplier {
            return self.section_by(multiplier, section, points, scalars);
        }
        let mut chunk = Vec::with_capacity(CHUNK.min(points));
        let mut bytes = vec![0u8; CHUNK.min(points) * section.point_bytes()];
        let mut left = points;
        while left > 0 {
            refill(&mut chunk, &mut scalars, CHUNK.min(left), section)?;
            let bytes = &mut bytes[..chunk.len() * section.point_bytes()];
            chunk
                .par_chunks(FIXED_BASE_BATCH)
                .zip(bytes.par_chunks_mut(FIXED_BASE_BATCH * section.point_bytes()))
                .for_each(|(scalars, bytes)| {
                    let points = base.multiples(scalars);
                    for (point, bytes) in points
                        .iter()
                        .zip(bytes.chunks_exact_mut(section.point_bytes()))
                    {
                        bytes.copy_from_slice(point.to_uncompressed().as_ref());
                    }
                });
            self.file.write(bytes)?;
            left -= chunk.len();
            self.done += chunk.len() as u64;
            self.report();
        }
        Ok(())
    }

    /// The same with the device's points, which come in no order.
    fn section_by(
        &mut self,
        multiplier: &dyn Multiplier,
        section: Section,
        points: usize,
        mut scalars: impl Iterator<Item = Scalar>,
    ) -> Result<()> {
        let generator = match section {
            Section::BG2 => Generator::G2,
            _ => Generator::G1,
        };
        let size = section.point_bytes();
        let start = self.file.skip((points * size) as u64)?;
        let mut chunk = Vec::with_capacity(DEVICE_CHUNK.min(points));
        let mut first = 0;
        while first < points {
            refill(
                &mut chunk,
                &mut scalars,
                DEVICE_CHUNK.min(points - first),
                section,
            )?;
            let file = &self.file;
            multiplier.multiples(generator, &chunk, &|index, bytes| {
                file.write_at(bytes, start + ((first + index) * size) as u64)
            })?;
            first += chunk.len();
            self.done += chunk.len() as u64;
            self.report();
        }
        Ok(())
    }
}

/// The next `n` scalars, none of which may be zero.
fn refill(
    chunk: &mut Vec<Scalar>,
    scalars: &mut impl Iterator<Item = Scalar>,
    n: usize,
    section: Section,
) -> Result<()> {
    chunk.clear();
    chunk.extend(scalars.by_ref().take(n));
    match chunk.len() < n || chunk.contains(&Scalar::ZERO) {
        false => Ok(()),
        true => Err(Error::new(
            ErrorKind::Internal,
            format!("{section}: a scalar is zero or missing"),
        )),
    }
}
