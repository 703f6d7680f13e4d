// SPDX-License-Identifier: MIT OR Apache-2.0

//! The settings of filecoin-proofs for this process.
//!
//! It reads them once, at their first use anywhere, from the environment (`FIL_PROOFS_*`, stronger
//! than a `rust-fil-proofs.config.toml` in the working folder) and never again.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use storage_proofs_core::settings::SETTINGS;

/// A folder of Cargo's for this package's tests, kept between runs.
pub fn scratch() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
}

/// Settles where filecoin-proofs looks for parameters in this process, and that it takes files
/// that are no production files. Its cache of graph parents goes to [`scratch`].
///
/// Call it before anything of filecoin-proofs. A second call with another folder is an error, as
/// is a first call that comes too late.
pub fn use_parameters(folder: &Path) -> Result<(), String> {
    static SETTLED: OnceLock<()> = OnceLock::new();
    SETTLED.get_or_init(|| {
        std::env::set_var("FIL_PROOFS_PARAMETER_CACHE", folder);
        std::env::set_var(
            "FIL_PROOFS_PARENT_CACHE",
            scratch().join("filecoin-parents"),
        );
        std::env::set_var("FIL_PROOFS_VERIFY_PRODUCTION_PARAMS", "false");
        // The first use reads the environment; later changes have no effect.
        let _ = &SETTINGS.parameter_cache;
    });
    if Path::new(&SETTINGS.parameter_cache) != folder || SETTINGS.verify_production_params {
        return Err(format!(
            "filecoin-proofs already reads parameters from {} in this process, not from {}",
            SETTINGS.parameter_cache,
            folder.display()
        ));
    }
    Ok(())
}
