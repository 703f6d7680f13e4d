// SPDX-License-Identifier: MIT OR Apache-2.0
//! The parameter folder: for each sector size, whether its files are there, whole, Filecoin's own,
//! and within the memory budgets.

use std::path::Path;

use cuzk::filecoin::aggregate::largest_aggregate;
use cuzk::filecoin::params::{aggregation_file, published_digest, srs_shape, ParameterFiles};
use cuzk::filecoin::{c2, SealProof, SectorSize};
use cuzk::{Error, ErrorKind, Result};
use cuzk_prover::cancel::Cancel;
use cuzk_prover::schedule::Context;
use cuzk_prover::srs::{digest_of, ParameterFile, VerifyingKey, DIGEST_BYTES};

use super::machine::available_now;
use super::Check;
use crate::input::hex;
use crate::report::bytes;

/// What must be there.
pub struct Wanted<'a> {
    /// Sizes that must be provable; if none are named, any that has files.
    pub sizes: &'a [SectorSize],
    /// Whether to read the parameter files in full.
    pub digest: bool,
}

pub fn checks(wanted: &Wanted<'_>, context: &Context) -> Result<Vec<Check>> {
    let folder = context.parameter_folder();
    let shown = folder.display();
    let mut checks = vec![match std::fs::read_dir(folder) {
        Ok(_) => Check::ok("parameter folder", shown.to_string()),
        Err(error) => {
            return Ok(vec![Check::problem(
                "parameter folder",
                format!("{shown}: {error}"),
                "make the folder and fetch Filecoin's parameters into it, or name another one \
                 with --dir or FIL_PROOFS_PARAMETER_CACHE",
            )])
        }
    }];
    checks.push(aggregation(folder));
    let mut provable = false;
    for size in SectorSize::ALL {
        let named = wanted.sizes.contains(&size);
        if !named && !wanted.sizes.is_empty() {
            continue;
        }
        let proofs: Vec<String> = SealProof::all()
            .filter(|proof| proof.sector_size() == size)
            .map(SealProof::name)
            .collect();
        let files = ParameterFiles::new(folder, size)?;
        let subject = format!("{size} parameters");
        let there = files.params.exists() || files.verifying_key.exists();
        if !there && !named {
            checks.push(Check::ok(subject, "not there, and not asked for").about(&proofs));
            continue;
        }
        let found = size_checks(size, &files, wanted.digest, context);
        provable |= found.provable;
        checks.extend(found.checks.into_iter().map(|check| check.about(&proofs)));
    }
    if !provable && wanted.sizes.is_empty() {
        checks.push(Check::problem(
            "parameters",
            format!("{shown} has those of no sector size: nothing can be proved"),
            "fetch Filecoin's with lotus fetch-params 32GiB (or 64GiB), or curio fetch-params; \
             for development: cuzk setup --sector-size 2KiB",
        ));
    }
    Ok(checks)
}

/// The file that aggregates and non-interactive proofs need. What is in it is checked when it is
/// used.
fn aggregation(folder: &Path) -> Check {
    let subject = "aggregation file";
    let path = aggregation_file(folder);
    let proofs: Vec<String> = SealProof::all()
        .filter(|proof| proof.is_aggregate())
        .map(SealProof::name)
        .collect();
    let check = match largest_aggregate(folder) {
        Ok(n) => Check::ok(
            subject,
            format!("{}, for at most {n} proofs", path.display()),
        ),
        Err(error) if error.kind() == ErrorKind::ParametersNotFound => Check::ok(
            subject,
            format!(
                "{} is not there: non-interactive proofs and aggregates need it",
                path.display()
            ),
        ),
        Err(error) => Check::problem(
            subject,
            error.message(),
            "remove the file and fetch it into this folder: lotus fetch-params, or paramfetch; \
             for development: cuzk setup --aggregation",
        ),
    };
    check.about(&proofs)
}

/// How to get the files of a size.
fn fetch(size: SectorSize) -> String {
    let fetch = format!("fetch it into this folder: lotus fetch-params {size}, or paramfetch");
    match size {
        SectorSize::Gib32 | SectorSize::Gib64 => fetch,
        _ => format!("{fetch}; for development: cuzk setup --sector-size {size}"),
    }
}

struct Found {
    checks: Vec<Check>,
    provable: bool,
}

fn size_checks(size: SectorSize, files: &ParameterFiles, digest: bool, context: &Context) -> Found {
    let subject = format!("{size} parameters");
    let refetch = format!("remove the file and {}", fetch(size));
    let bad = |error: &Error| Check::problem(subject.clone(), error.message(), refetch.clone());
    let mut checks = Vec::new();

    let params = ParameterFile::open(&files.params)
        .and_then(|file| file.check_shape(&srs_shape(size)).map(|()| file))
        .map_err(|error| with_whole_size(error, size, &files.params));
    let key = VerifyingKey::read(&files.verifying_key);
    let key = match key {
        Ok(key) => Some(key),
        Err(error) if error.kind() == ErrorKind::ParametersNotFound => {
            // Without parameters either, those are what is to be fetched.
            let alone = params.is_ok();
            checks.extend(alone.then(|| {
                Check::note(
                format!("{size} verifying key"),
                error.message(),
                "it is read from the parameters instead; filecoin-proofs and Lotus want the file: \
                 fetch it",
            )
            }));
            None
        }
        Err(error) => {
            checks.push(bad(&error));
            None
        }
    };
    let params = match params {
        Ok(params) => params,
        Err(error) => {
            let missing = error.kind() == ErrorKind::ParametersNotFound;
            let advice = match missing {
                true => format!("{size} sectors cannot be proved: {}", fetch(size)),
                false => refetch.clone(),
            };
            checks.push(Check::problem(subject.clone(), error.message(), advice));
            return Found {
                checks,
                provable: false,
            };
        }
    };
    if let Some(key) = &key {
        if let Err(error) = params.check_verifying_key(key, &files.verifying_key) {
            checks.push(bad(&error));
        }
    }
    checks.push(origin(size, files, &params, digest));
    checks.push(memory(size, context));
    let provable = checks
        .iter()
        .all(|check| check.state != super::State::Problem);
    Found { checks, provable }
}

/// Adds the size that a whole file has to what is wrong with this one.
fn with_whole_size(error: Error, size: SectorSize, path: &Path) -> Error {
    let whole = srs_shape(size).file_bytes();
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_file() && metadata.len() != whole => Error::new(
            error.kind(),
            format!(
                "{}; the file has {} bytes, whole it has {whole}",
                error.message(),
                metadata.len()
            ),
        ),
        _ => error,
    }
}

/// Whether they are the published ones: by the verifying key at their head, or by all of the file.
fn origin(size: SectorSize, files: &ParameterFiles, params: &ParameterFile, all: bool) -> Check {
    let subject = format!("{size} parameters");
    let found = format!(
        "{}, {}",
        files.params.display(),
        bytes(params.identity().bytes)
    );
    let compared = match all {
        true => params
            .digest(&Cancel::default())
            .map(|digest| (digest, published_digest(&files.params), "digest")),
        false => params.verifying_key_bytes().map(|key| {
            (
                digest_of(&key),
                published_digest(&files.verifying_key),
                "digest of the verifying key",
            )
        }),
    };
    let (present, published, what): ([u8; DIGEST_BYTES], Option<&str>, &str) = match compared {
        Ok(compared) => compared,
        Err(error) => {
            return Check::problem(
                subject,
                error.message(),
                "the disk or the file system fails: see the system's log",
            )
        }
    };
    let present = hex(&present);
    if published == Some(present.as_str()) {
        return Check::ok(subject, format!("{found}, Filecoin's own by the {what}"));
    }
    let published = published.unwrap_or("none");
    let differs = format!("{found}: {what} {present}, that of Filecoin's is {published}");
    match size {
        SectorSize::Kib2 | SectorSize::Mib8 | SectorSize::Mib512 => Check::note(
            subject,
            format!("{differs}; made for development, INSECURE"),
            "fine for tests; proofs are not valid under Filecoin's own verifying key",
        ),
        SectorSize::Gib32 | SectorSize::Gib64 => Check::problem(
            subject,
            differs,
            format!(
                "no proof would be valid on chain: remove the file and {}",
                fetch(size)
            ),
        ),
    }
}

/// Whether the budgets hold parameters, circuit and the work of a partition.
fn memory(size: SectorSize, context: &Context) -> Check {
    let subject = format!("{size} memory");
    let asked = c2::memory_needed(context, size).and_then(|needed| Ok((needed, context.info()?)));
    let (needed, info) = match asked {
        Ok(asked) => asked,
        Err(error) => return Check::problem(subject, error.message(), "see the reason"),
    };
    let budget = info.budget;
    let mut text = format!(
        "{} of {} in the host",
        bytes(needed.host),
        bytes(budget.host)
    );
    if budget.device > 0 {
        text += &format!(
            ", {} of {} on the device",
            bytes(needed.device),
            bytes(budget.device)
        );
    }
    if needed.host > budget.host || needed.device > budget.device {
        return Check::problem(
            subject,
            format!("needs {text}"),
            "raise the budget (--host-memory, host_memory_bytes, device_memory_bytes, the \
             cgroup's limit) or use a machine with more memory",
        );
    }
    match available_now() {
        Some(free) if free < needed.host => Check::note(
            subject,
            format!("needs {text}, of which {} are free now", bytes(free)),
            "end what else runs, or the system swaps or kills processes",
        ),
        _ => Check::ok(subject, text),
    }
}
