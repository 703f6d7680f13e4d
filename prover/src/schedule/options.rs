// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a context is made with: options given in code, and the environment where they are silent.
//!
//! | variable | meaning | unset or empty |
//! |---|---|---|
//! | `CUZK_LOG` | `error`, `warn`, `info` or `debug`: lines up to that level to standard error | silence |
//! | `CUZK_BACKEND` | `auto`, `cpu` or `cuda` | `auto` |
//! | `CUZK_DEVICES` | devices to use, ordinals or UUIDs, separated by commas | all usable |
//! | `CUZK_GPU_THREADS` | host threads of the prover | one per processor |
//! | `FIL_PROOFS_PARAMETER_CACHE` | folder of the parameter files | `/var/tmp/filecoin-proof-parameters/` |
//! | `BELLMAN_NO_GPU` | `0` or `false`: nothing; anything else, such as `1` or `true`: CPU only | nothing |
//!
//! The environment is read when a context is made and never again; a value that cannot be
//! understood is an error that names the variable.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::backend::BackendChoice;
use crate::gpu::{self, DeviceSelector};
use crate::log::{Level, Sink};
use crate::{Error, ErrorKind, Result};

/// Where Filecoin keeps its parameter files unless told otherwise.
pub const DEFAULT_PARAMETER_FOLDER: &str = "/var/tmp/filecoin-proof-parameters/";

/// Host threads that a context may be asked to have: more than any machine has processors.
const MOST_THREADS: usize = 4096;

/// Options given in code. `None` leaves the choice to the environment, then to the default.
#[derive(Clone)]
pub struct Options {
    /// Which backend proves.
    pub backend: Option<BackendChoice>,
    /// The devices to use; all usable ones when not given.
    pub devices: Option<Vec<DeviceSelector>>,
    /// Most host memory in bytes for parameters, circuits and work; by default seven eighths of
    /// the machine's memory or of the cgroup's limit, whichever is less.
    pub host_bytes: Option<u64>,
    /// Most memory in bytes of each device; by default what is free when the context is made.
    pub device_bytes: Option<u64>,
    /// Host threads; by default one per processor that the process may use.
    pub threads: Option<usize>,
    /// Folder of the parameter files.
    pub parameter_folder: Option<PathBuf>,
    /// Whether each proof is verified before it is returned.
    pub self_verification: bool,
    /// Lines up to the level go to the function, which runs on the context's thread for
    /// callbacks and in the order of the lines.
    pub log: Option<(Level, Sink)>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            backend: None,
            devices: None,
            host_bytes: None,
            device_bytes: None,
            threads: None,
            parameter_folder: None,
            self_verification: true,
            log: None,
        }
    }
}

/// Where log lines go.
#[derive(Clone)]
pub(super) enum LogTarget {
    Nowhere,
    Callback(Level, Sink),
    StandardError(Level),
}

/// The options with the environment's and the defaults filled in.
#[derive(Clone)]
pub(super) struct Settings {
    pub(super) backend: BackendChoice,
    /// Who chose the backend, for the reason that is reported.
    pub(super) backend_chosen_by: &'static str,
    /// The variable's value when it forbids the GPU.
    pub(super) no_gpu: Option<String>,
    pub(super) devices: Option<Vec<DeviceSelector>>,
    pub(super) host_bytes: Option<u64>,
    pub(super) device_bytes: Option<u64>,
    pub(super) threads: usize,
    pub(super) parameter_folder: PathBuf,
    pub(super) self_verification: bool,
    pub(super) log: LogTarget,
}

impl Settings {
    /// Fills in what the options leave open from `variable`, which looks up the environment.
    pub(super) fn new(
        options: Options,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self> {
        let text = |name: &str| -> Result<Option<String>> {
            match variable(name) {
                None => Ok(None),
                Some(value) => match value.into_string() {
                    Ok(value) if value.is_empty() => Ok(None),
                    Ok(value) => Ok(Some(value)),
                    Err(value) => Err(bad(name, &value.to_string_lossy(), "text in UTF-8")),
                },
            }
        };
        let named_backend = match (options.backend, text("CUZK_BACKEND")?) {
            (Some(backend), _) => Some((backend, "the options")),
            (None, None) => None,
            (None, Some(name)) => match BackendChoice::from_name(&name) {
                Some(backend) => Some((backend, "CUZK_BACKEND")),
                None => return Err(bad("CUZK_BACKEND", &name, "auto, cpu or cuda")),
            },
        };
        // The variable is an order to the environment's reader; what code says wins over it.
        let no_gpu = match options.backend {
            None | Some(BackendChoice::Auto) => variable("BELLMAN_NO_GPU")
                .filter(|value| gpu::forbids(Some(value)))
                .map(|value| value.to_string_lossy().into_owned()),
            Some(_) => None,
        };
        let (backend, backend_chosen_by) =
            named_backend.unwrap_or((BackendChoice::Auto, "default"));
        let devices = match options.devices {
            Some(devices) => Some(devices),
            None => text("CUZK_DEVICES")?.map(|list| DeviceSelector::list(&list)),
        };
        let threads = match options.threads {
            Some(0) | None => match text("CUZK_GPU_THREADS")? {
                None => 0,
                Some(value) => match value.trim().parse() {
                    Ok(threads @ ..=MOST_THREADS) => threads,
                    _ => {
                        let needed =
                            format!("a number of threads up to {MOST_THREADS}, 0 for the default");
                        return Err(bad("CUZK_GPU_THREADS", &value, &needed));
                    }
                },
            },
            Some(threads) if threads > MOST_THREADS => {
                return Err(Error::new(
                    ErrorKind::InvalidArgument,
                    format!("threads is {threads}, at most {MOST_THREADS} are possible"),
                ));
            }
            Some(threads) => threads,
        };
        let log = match (options.log, text("CUZK_LOG")?) {
            (Some((level, sink)), _) => LogTarget::Callback(level, sink),
            (None, None) => LogTarget::Nowhere,
            (None, Some(name)) => match Level::from_name(name.trim()) {
                Some(level) => LogTarget::StandardError(level),
                None => return Err(bad("CUZK_LOG", &name, "error, warn, info or debug")),
            },
        };
        let parameter_folder = options
            .parameter_folder
            .or_else(|| {
                variable("FIL_PROOFS_PARAMETER_CACHE")
                    .filter(|folder| !folder.is_empty())
                    .map(PathBuf::from)
            })
            .unwrap_or_else(|| PathBuf::from(DEFAULT_PARAMETER_FOLDER));
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Self {
            backend,
            backend_chosen_by,
            no_gpu,
            devices,
            host_bytes: options.host_bytes,
            device_bytes: options.device_bytes,
            threads: if threads == 0 { processors() } else { threads },
            parameter_folder,
            self_verification: options.self_verification,
            log,
        })
    }
}

fn bad(name: &str, value: &str, needed: &str) -> Error {
    Error::new(
        ErrorKind::InvalidArgument,
        format!("{name} is {value:?}, {needed} is needed"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(options: Options, environment: &[(&str, &str)]) -> Result<Settings> {
        Settings::new(options, |name| {
            let found = environment.iter().find(|(variable, _)| *variable == name);
            found.map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn bellman_no_gpu_has_the_documented_truth_table() {
        let forbids = |value: Option<&str>| {
            let environment: Vec<_> = value
                .map(|value| ("BELLMAN_NO_GPU", value))
                .into_iter()
                .collect();
            settings(Options::default(), &environment)
                .unwrap()
                .no_gpu
                .is_some()
        };
        for value in [
            None,
            Some(""),
            Some("0"),
            Some("false"),
            Some("False"),
            Some("FALSE"),
        ] {
            assert!(!forbids(value), "{value:?}");
        }
        for value in ["1", "true", "TRUE", "yes", "2"] {
            assert!(forbids(Some(value)), "{value:?}");
        }
    }

    #[test]
    fn options_in_code_win_over_the_environment() {
        let environment = [
            ("CUZK_BACKEND", "cpu"),
            ("CUZK_DEVICES", "3"),
            ("CUZK_GPU_THREADS", "7"),
            ("FIL_PROOFS_PARAMETER_CACHE", "/environment"),
            ("BELLMAN_NO_GPU", "1"),
            ("CUZK_LOG", "debug"),
        ];
        let from_environment = settings(Options::default(), &environment).unwrap();
        assert_eq!(from_environment.backend, BackendChoice::Cpu);
        assert_eq!(
            from_environment.devices,
            Some(vec![DeviceSelector::Ordinal(3)])
        );
        assert_eq!(from_environment.threads, 7);
        assert_eq!(
            from_environment.parameter_folder,
            PathBuf::from("/environment")
        );
        assert_eq!(from_environment.no_gpu.as_deref(), Some("1"));
        assert!(matches!(
            from_environment.log,
            LogTarget::StandardError(Level::Debug)
        ));

        let options = Options {
            backend: Some(BackendChoice::Cuda),
            devices: Some(vec![DeviceSelector::Ordinal(1)]),
            threads: Some(2),
            parameter_folder: Some(PathBuf::from("/code")),
            log: Some((Level::Warn, std::sync::Arc::new(|_, _| ()))),
            ..Options::default()
        };
        let from_code = settings(options, &environment).unwrap();
        assert_eq!(from_code.backend, BackendChoice::Cuda);
        assert_eq!(from_code.devices, Some(vec![DeviceSelector::Ordinal(1)]));
        assert_eq!(from_code.threads, 2);
        assert_eq!(from_code.parameter_folder, PathBuf::from("/code"));
        assert_eq!(from_code.no_gpu, None);
        assert!(matches!(from_code.log, LogTarget::Callback(Level::Warn, _)));
    }

    #[test]
    fn an_empty_environment_gives_the_documented_defaults() {
        let defaults = settings(Options::default(), &[]).unwrap();
        assert_eq!(defaults.backend, BackendChoice::Auto);
        assert_eq!(defaults.devices, None);
        assert!(defaults.threads >= 1);
        assert!(defaults.self_verification);
        let folder = PathBuf::from("/var/tmp/filecoin-proof-parameters/");
        assert_eq!(defaults.parameter_folder, folder);
        let empty = [
            "CUZK_BACKEND",
            "CUZK_DEVICES",
            "CUZK_GPU_THREADS",
            "CUZK_LOG",
        ];
        let empty: Vec<_> = empty.iter().map(|name| (*name, "")).collect();
        assert!(settings(Options::default(), &empty).is_ok());
    }

    #[test]
    fn a_value_that_makes_no_sense_is_named() {
        for (name, value) in [
            ("CUZK_BACKEND", "gpu"),
            ("CUZK_GPU_THREADS", "many"),
            ("CUZK_GPU_THREADS", "-1"),
            ("CUZK_GPU_THREADS", "4097"),
            ("CUZK_LOG", "loud"),
        ] {
            let error = settings(Options::default(), &[(name, value)])
                .err()
                .unwrap();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument);
            let text = error.to_string();
            assert!(
                text.starts_with(&format!("{name} is {value:?}, ")),
                "{text}"
            );
        }
    }

    #[test]
    fn devices_are_ordinals_or_uuids() {
        let chosen = settings(Options::default(), &[("CUZK_DEVICES", "0, GPU-2c6e ,,12")]).unwrap();
        let expected = vec![
            DeviceSelector::Ordinal(0),
            DeviceSelector::Uuid("GPU-2c6e".to_string()),
            DeviceSelector::Ordinal(12),
        ];
        assert_eq!(chosen.devices, Some(expected));
    }
}
