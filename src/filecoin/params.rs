// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the parameter files of a sector size are, and how they are named.
//!
//! Names are those of Filecoin's parameter cache: `v28-<id>.params`, `.vk` and `.meta`, one set for
//! all kinds of proofs of a sector size. The id is computed as storage-proofs-core computes it; the
//! folder comes from the caller, never from filecoin-proofs' settings.

use std::path::{Path, PathBuf};

use cuzk_prover::srs::SrsShape;
use cuzk_prover::{Error, ErrorKind, Result};
use storage_proofs_core::parameter_cache::{
    metadata_id, parameter_id, verifying_key_id, PARAMETERS, SRS_KEY_EXT, SRS_PARAMETERS,
    SRS_SHARED_KEY_NAME, VERSION,
};

use super::kinds::SectorSize;
use super::porep;

/// Where Filecoin's programs keep parameters unless told otherwise.
pub const DEFAULT_FOLDER: &str = "/var/tmp/filecoin-proof-parameters/";

/// The three files of a sector size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterFiles {
    /// The Groth16 parameters.
    pub params: PathBuf,
    /// The verifying key alone.
    pub verifying_key: PathBuf,
    /// The sector size, as JSON.
    pub metadata: PathBuf,
}

impl ParameterFiles {
    /// The files of a sector size in a folder, whether they exist or not.
    pub fn new(folder: &Path, size: SectorSize) -> Result<Self> {
        let id = porep::cache_identifier(size)?;
        Ok(Self {
            params: folder.join(parameter_id(&id)),
            verifying_key: folder.join(verifying_key_id(&id)),
            metadata: folder.join(metadata_id(&id)),
        })
    }
}

/// Points in each section of the parameters of a sector size: what its circuit needs. Written down,
/// so that a wrong file is refused before it is read; a test counts them in the circuits.
pub fn srs_shape(size: SectorSize) -> SrsShape {
    let (ic, log_domain, l, a, b) = match size {
        SectorSize::Kib2 => (40, 22, 2_685_673, 2_674_948, 685_522),
        SectorSize::Mib8 => (40, 22, 3_842_449, 3_815_036, 1_011_290),
        SectorSize::Mib512 => (40, 23, 4_420_837, 4_385_080, 1_174_174),
        SectorSize::Gib32 => (328, 27, 130_169_893, 129_753_620, 33_112_282),
        SectorSize::Gib64 => (328, 27, 131_076_643, 130_637_870, 33_386_944),
    };
    SrsShape {
        ic,
        h: (1 << log_domain) - 1,
        l,
        a,
        b_g1: b,
        b_g2: b,
    }
}

/// The file of the powers that aggregation needs, one for all sector sizes.
pub fn aggregation_file(folder: &Path) -> PathBuf {
    folder.join(format!("v{VERSION}-{SRS_SHARED_KEY_NAME}.{SRS_KEY_EXT}"))
}

/// The digest of the published file with this name (the first 16 bytes of BLAKE2b-512), in hex.
pub fn published_digest(path: &Path) -> Option<&'static str> {
    let name = path.file_name()?.to_str()?;
    let published = PARAMETERS.get(name).or_else(|| SRS_PARAMETERS.get(name))?;
    Some(published.digest.as_str())
}

/// Says how to get a file that is missing; other errors stay as they are.
pub fn say_how_to_get(error: Error, size: SectorSize) -> Error {
    if error.kind() != ErrorKind::ParametersNotFound {
        return error;
    }
    Error::new(
        ErrorKind::ParametersNotFound,
        format!(
            "{}; fetch Filecoin's parameters of {size} sectors into this folder (lotus \
             fetch-params {size}, or paramfetch), or make insecure ones for development with: \
             cuzk setup --sector-size {size}",
            error.message()
        ),
    )
}

/// As [`say_how_to_get`], for the file of aggregation.
pub fn say_how_to_get_powers(error: Error) -> Error {
    if error.kind() != ErrorKind::ParametersNotFound {
        return error;
    }
    Error::new(
        ErrorKind::ParametersNotFound,
        format!(
            "{}; fetch Filecoin's file for aggregation into this folder (lotus fetch-params, or \
             paramfetch), or make an insecure one for development with: cuzk setup --aggregation",
            error.message()
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filecoin::SealProof;

    #[test]
    fn names_are_those_of_the_parameter_cache() {
        let names: serde_json::Value =
            serde_json::from_slice(include_bytes!("../../tests/vectors/parameters/names.json"))
                .unwrap();
        for proof in SealProof::all() {
            let entry = &names[proof.name()];
            let stem = entry["stem"].as_str().unwrap();
            let files = ParameterFiles::new(Path::new("/p"), proof.sector_size()).unwrap();
            assert_eq!(files.params, PathBuf::from(format!("/p/{stem}.params")));
            assert_eq!(files.verifying_key, PathBuf::from(format!("/p/{stem}.vk")));
            assert_eq!(files.metadata, PathBuf::from(format!("/p/{stem}.meta")));
            assert_eq!(
                published_digest(&files.params),
                entry["params_digest"].as_str()
            );
            assert_eq!(
                published_digest(&files.verifying_key),
                entry["vk_digest"].as_str()
            );
        }
        assert_eq!(published_digest(Path::new("/p/other.params")), None);
        let powers = aggregation_file(Path::new("/p"));
        assert_eq!(powers, Path::new("/p/v28-fil-inner-product-v1.srs"));
        assert_eq!(
            published_digest(&powers),
            Some("ae20310138f5ba81451d723f858e3797")
        );
    }

    #[test]
    fn a_missing_file_comes_with_its_cure() {
        let missing = Error::new(ErrorKind::ParametersNotFound, "/p/x.params: no such file");
        let error = say_how_to_get(missing, SectorSize::Kib2);
        assert_eq!(error.kind(), ErrorKind::ParametersNotFound);
        assert!(error.message().starts_with("/p/x.params: no such file; "));
        assert!(error.message().contains("cuzk setup --sector-size 2KiB"));
        let other = Error::new(ErrorKind::Io, "text");
        assert_eq!(
            say_how_to_get(other.clone(), SectorSize::Kib2).message(),
            "text"
        );
        assert_eq!(say_how_to_get_powers(other).message(), "text");
        let missing = Error::new(ErrorKind::ParametersNotFound, "/p/x.srs: no such file");
        let error = say_how_to_get_powers(missing);
        assert!(error.message().starts_with("/p/x.srs: no such file; "));
        assert!(error.message().contains("cuzk setup --aggregation"));
    }
}
