// SPDX-License-Identifier: MIT OR Apache-2.0
//! Development parameters for registered seal proofs: INSECURE.
//!
//! They are made from a seed, so whoever knows it knows the secret behind them and can prove
//! anything under them. Filecoin's own come from a public ceremony.

use std::path::Path;

use cuzk_prover::backend::Multiplier;
use cuzk_prover::groth16::setup::{
    write_parameters_with, Secrets, SetupMeta, SetupPaths, SetupProgress, SetupReport,
};
use cuzk_prover::{Error, ErrorKind, Result};

use super::aggregate::insecure_aggregation_setup;
use super::kinds::SectorSize;
use super::params::{aggregation_file, ParameterFiles};
use super::porep;

/// Makes INSECURE development parameters for all seal proofs of a sector size, named as in
/// Filecoin's parameter cache, and the file for aggregation if there is none: it serves all sector
/// sizes. The folder is made if it is not there; the same seed makes the same files, whether a
/// device makes the points or the CPU.
///
/// Errors: `InvalidArgument` when one of the sector size's files exists, `Io`, and what recording
/// the circuit reports.
pub fn insecure_setup(
    size: SectorSize,
    seed: &[u8; 32],
    folder: &Path,
    multiplier: Option<&dyn Multiplier>,
    progress: &mut dyn FnMut(SetupProgress),
) -> Result<(ParameterFiles, SetupReport)> {
    let files = ParameterFiles::new(folder, size)?;
    for path in [&files.params, &files.verifying_key, &files.metadata] {
        if path.exists() {
            return Err(Error::new(
                ErrorKind::InvalidArgument,
                format!(
                    "{} exists: insecure development parameters never replace a file, remove it \
                     or choose another folder",
                    path.display()
                ),
            ));
        }
    }
    std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, "creating", &e))?;
    if !aggregation_file(folder).exists() {
        insecure_aggregation_setup(seed, folder)?;
    }
    let circuit = porep::load(size)?;
    let paths = SetupPaths {
        params: files.params.clone(),
        vk: files.verifying_key.clone(),
        meta: Some(SetupMeta {
            path: files.metadata.clone(),
            sector_size: size.bytes(),
        }),
    };
    let report = write_parameters_with(
        &circuit,
        &Secrets::derive(seed),
        &paths,
        multiplier,
        progress,
    )?;
    Ok((files, report))
}
