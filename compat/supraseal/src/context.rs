// SPDX-License-Identifier: MIT OR Apache-2.0
//! The context of the process: made when parameters are first opened, configured by the
//! environment.
//!
//! Beside the variables that every context reads (see `cuzk_prover::schedule::Options`):
//!
//! | variable | meaning | unset or empty |
//! |---|---|---|
//! | `CUZK_HOST_MEMORY` | most host memory for parameters and work: bytes, or with KiB, MiB, GiB | seven eighths of the machine's or the cgroup's |
//! | `CUZK_DEVICE_MEMORY` | most memory of each device, likewise | what is free at first use |
//! | `CUZK_SRS_CHECKS` | `none`, `structure`, `curve` or `subgroup`: what is checked of every point when a file is loaded | `subgroup` |
//! | `CUZK_SELF_VERIFICATION` | `0`, `false` or `off`: proofs are handed out unverified | on |

use std::sync::{Mutex, OnceLock, PoisonError};

use cuzk_prover::schedule::{Context, Options, SrsOptions};
use cuzk_prover::srs::Checks;
use cuzk_prover::{Error, ErrorKind, Result};

/// The context of this process and how parameters are opened in it.
pub(crate) struct Home {
    pub(crate) context: Context,
    pub(crate) checks: Checks,
}

impl Home {
    pub(crate) fn srs_options(&self) -> SrsOptions {
        SrsOptions {
            checks: self.checks,
            ..SrsOptions::default()
        }
    }
}

/// The one of this process. A failure, such as a variable that makes no sense, is not kept: the
/// next call tries again.
pub(crate) fn home() -> Result<&'static Home> {
    static HOME: OnceLock<Home> = OnceLock::new();
    static MAKING: Mutex<()> = Mutex::new(());
    // Without a lock where it is there: in a forked child a lock may be held by nobody.
    if let Some(home) = HOME.get() {
        return Ok(home);
    }
    let _making = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(home) = HOME.get() {
        return Ok(home);
    }
    let variable = |name: &str| std::env::var_os(name).map(|v| v.to_string_lossy().into_owned());
    let (options, checks) = settings(variable)?;
    let context = Context::new(options)?;
    Ok(HOME.get_or_init(|| Home { context, checks }))
}

fn settings(variable: impl Fn(&str) -> Option<String>) -> Result<(Options, Checks)> {
    let value = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
    let memory = |name: &str| match value(name) {
        None => Ok(None),
        Some(text) => match bytes(&text) {
            Some(bytes) => Ok(Some(bytes)),
            None => Err(bad(name, &text, "bytes, or a number with KiB, MiB or GiB")),
        },
    };
    let checks = match value("CUZK_SRS_CHECKS") {
        None => Checks::CurveAndSubgroup,
        Some(text) => match text.trim().to_ascii_lowercase().as_str() {
            "none" => Checks::None,
            "structure" => Checks::Structure,
            "curve" => Checks::Curve,
            "subgroup" => Checks::CurveAndSubgroup,
            _ => {
                let needed = "none, structure, curve or subgroup";
                return Err(bad("CUZK_SRS_CHECKS", &text, needed));
            }
        },
    };
    let self_verification = match value("CUZK_SELF_VERIFICATION") {
        None => true,
        Some(text) => match text.trim().to_ascii_lowercase().as_str() {
            "0" | "false" | "off" => false,
            "1" | "true" | "on" => true,
            _ => return Err(bad("CUZK_SELF_VERIFICATION", &text, "1 or 0")),
        },
    };
    let options = Options {
        host_bytes: memory("CUZK_HOST_MEMORY")?,
        device_bytes: memory("CUZK_DEVICE_MEMORY")?,
        self_verification,
        ..Options::default()
    };
    Ok((options, checks))
}

fn bad(name: &str, value: &str, needed: &str) -> Error {
    Error::new(
        ErrorKind::InvalidArgument,
        format!("{name} is {value:?}, {needed} is needed"),
    )
}

/// A number of bytes, with or without a unit.
fn bytes(text: &str) -> Option<u64> {
    let text = text.trim();
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let shift = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "kib" | "k" => 10,
        "mib" | "m" => 20,
        "gib" | "g" => 30,
        _ => return None,
    };
    let bytes = number.parse::<u64>().ok()?.checked_mul(1 << shift)?;
    (bytes > 0).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(environment: &[(&str, &str)]) -> Result<(Options, Checks)> {
        settings(|name| {
            let found = environment.iter().find(|(variable, _)| *variable == name);
            found.map(|(_, value)| value.to_string())
        })
    }

    #[test]
    fn an_empty_environment_checks_everything() {
        for environment in [
            vec![],
            vec![("CUZK_SRS_CHECKS", ""), ("CUZK_HOST_MEMORY", " ")],
        ] {
            let (options, checks) = read(&environment).unwrap();
            assert_eq!(checks, Checks::CurveAndSubgroup);
            assert!(options.self_verification);
            assert_eq!((options.host_bytes, options.device_bytes), (None, None));
        }
    }

    #[test]
    fn budgets_and_checks_are_read() {
        let environment = [
            ("CUZK_HOST_MEMORY", "48 GiB"),
            ("CUZK_DEVICE_MEMORY", "1000"),
            ("CUZK_SRS_CHECKS", "Curve"),
            ("CUZK_SELF_VERIFICATION", "off"),
        ];
        let (options, checks) = read(&environment).unwrap();
        assert_eq!(options.host_bytes, Some(48 << 30));
        assert_eq!(options.device_bytes, Some(1000));
        assert_eq!(checks, Checks::Curve);
        assert!(!options.self_verification);
    }

    #[test]
    fn a_value_that_makes_no_sense_is_named() {
        for (name, value) in [
            ("CUZK_HOST_MEMORY", "lots"),
            ("CUZK_HOST_MEMORY", "0"),
            ("CUZK_DEVICE_MEMORY", "99999999999 GiB"),
            ("CUZK_SRS_CHECKS", "all"),
            ("CUZK_SELF_VERIFICATION", "perhaps"),
        ] {
            let error = read(&[(name, value)]).err().unwrap();
            let start = format!("{name} is {value:?}, ");
            assert!(error.message().starts_with(&start), "{error}");
        }
    }
}
