// SPDX-License-Identifier: MIT OR Apache-2.0

//! Development parameters of the 2 KiB circuit and of aggregation, made once a machine and kept between runs.

use std::fs::File;
use std::path::PathBuf;

use cuzk::filecoin::params::{aggregation_file, ParameterFiles};
use cuzk::filecoin::{insecure_aggregation_setup, insecure_setup, SectorSize};
use fs2::FileExt;

use super::filecoin::scratch;

/// The seed of the parameters, which everybody knows: that of `cuzk setup` without --seed.
pub const SEED: [u8; 32] = [0; 32];

/// The folder with the parameters; the first caller on this machine makes them (1.1 GB, about a
/// minute of two cores), others wait for it.
pub fn development_parameters() -> PathBuf {
    let folder = scratch().join("parameters");
    std::fs::create_dir_all(&folder).expect("a folder for parameters");
    let lock = File::create(folder.join("lock")).expect("a lock file");
    lock.lock_exclusive().expect("a lock");

    let files = ParameterFiles::new(&folder, SectorSize::Kib2).expect("names");
    let all = [&files.params, &files.verifying_key, &files.metadata];
    if !all.iter().all(|path| path.exists()) {
        for path in all {
            let _ = std::fs::remove_file(path);
        }
        insecure_setup(SectorSize::Kib2, &SEED, &folder, None, &mut |_| ())
            .expect("development parameters");
    }
    if !aggregation_file(&folder).exists() {
        insecure_aggregation_setup(&SEED, &folder).expect("powers for development");
    }
    folder
}
