// SPDX-License-Identifier: MIT OR Apache-2.0
//! The CUDA toolkit of this machine: where nvcc is, what it can compile for and with.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// An nvcc and what belongs to it.
pub struct Toolkit {
    /// The compiler.
    pub nvcc: PathBuf,
    /// Its version, such as 13.0.88.
    pub version: String,
}

impl Toolkit {
    /// The first nvcc of `CUDA_HOME`, `CUDA_PATH`, `PATH`, /usr/local/cuda, the checkout's own.
    pub fn find(checkout: &Path) -> Result<Option<Self>, String> {
        let Some(nvcc) = places(checkout).into_iter().find(|place| place.is_file()) else {
            return Ok(None);
        };
        let text = run(Command::new(&nvcc).arg("--version"))?;
        let version = text
            .split_whitespace()
            .find_map(|word| word.strip_prefix('V'))
            .filter(|version| version.starts_with(|first: char| first.is_ascii_digit()))
            .ok_or_else(|| format!("{} --version names no version", nvcc.display()))?
            .to_owned();
        let major: u32 = version
            .split('.')
            .next()
            .and_then(|part| part.parse().ok())
            .unwrap_or(0);
        if major < 12 {
            return Err(format!(
                "{} is CUDA {version}, 12.0 or later is needed (CUZK_CUDA=0 builds without CUDA)",
                nvcc.display()
            ));
        }
        Ok(Some(Self { nvcc, version }))
    }

    /// The error of a build that asked for CUDA and found no nvcc.
    pub fn how_to_get(checkout: &Path) -> String {
        let places: Vec<String> = places(checkout)
            .iter()
            .map(|place| place.display().to_string())
            .collect();
        format!(
            "CUZK_CUDA=1 needs nvcc and none was found (looked for {}): install the CUDA toolkit, \
             or run scripts/cuda-toolkit.sh, which puts one into the checkout",
            places.join(", ")
        )
    }

    /// The virtual architectures that this nvcc compiles for, as numbers such as 90.
    pub fn offered_archs(&self) -> Result<Vec<u32>, String> {
        let text = run(Command::new(&self.nvcc).arg("--list-gpu-arch"))?;
        Ok(text
            .split_whitespace()
            .filter_map(|word| word.strip_prefix("compute_")?.parse().ok())
            .collect())
    }

    /// Says which host compilers nvcc takes before it refuses one in a hundred lines.
    pub fn check_host_compiler(&self) -> Result<(), String> {
        let header = self.root().join("include/crt/host_config.h");
        let Ok(header) = fs::read_to_string(header) else {
            return Ok(());
        };
        let newest = header.lines().find_map(|line| {
            line.trim()
                .strip_prefix("#if __GNUC__ >")?
                .trim()
                .parse::<u32>()
                .ok()
        });
        let compiler = env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
        let output = Command::new(&compiler)
            .args(["-dM", "-E", "-x", "c++", "/dev/null"])
            .output();
        let macros = match output {
            Ok(output) if output.status.success() => output.stdout,
            _ => {
                return Err(format!(
                    "nvcc needs a C++ compiler and {compiler} does not run"
                ))
            }
        };
        let macros = String::from_utf8_lossy(&macros).into_owned();
        if macros.contains("#define __clang__ ") {
            return Ok(());
        }
        let present = macros.lines().find_map(|line| {
            line.strip_prefix("#define __GNUC__ ")?
                .trim()
                .parse::<u32>()
                .ok()
        });
        match (newest, present) {
            (Some(newest), Some(present)) if present > newest => Err(format!(
                "{compiler} is GCC {present}, nvcc {} takes GCC up to {newest}: \
                 set CXX to an older one (CXX=g++-{newest})",
                self.version
            )),
            _ => Ok(()),
        }
    }

    /// The folder with libcudart_static.a.
    pub fn library_folder(&self) -> Result<PathBuf, String> {
        let arch = env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
        let root = self.root();
        let folders = [
            root.join("lib64"),
            root.join(format!("targets/{arch}-linux/lib")),
            root.join("lib"),
            PathBuf::from(format!("/usr/lib/{arch}-linux-gnu")),
        ];
        let found = folders
            .iter()
            .find(|folder| folder.join("libcudart_static.a").is_file());
        found.cloned().ok_or_else(|| {
            let folders: Vec<String> = folders.iter().map(|f| f.display().to_string()).collect();
            format!(
                "no libcudart_static.a for nvcc {} in {}",
                self.version,
                folders.join(", ")
            )
        })
    }

    /// The folder above nvcc's, links followed.
    fn root(&self) -> PathBuf {
        let nvcc = fs::canonicalize(&self.nvcc).unwrap_or_else(|_| self.nvcc.clone());
        nvcc.parent()
            .and_then(Path::parent)
            .map_or_else(PathBuf::new, Path::to_path_buf)
    }
}

/// Where an nvcc may be, in the order of preference.
fn places(checkout: &Path) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for name in ["CUDA_HOME", "CUDA_PATH"] {
        if let Some(home) = env::var_os(name).filter(|home| !home.is_empty()) {
            folders.push(PathBuf::from(home).join("bin"));
        }
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let in_path = env::split_paths(&path).find(|folder| folder.join("nvcc").is_file());
    folders.extend(in_path);
    folders.push(PathBuf::from("/usr/local/cuda/bin"));
    folders.push(checkout.join(".cache/cuda/nvidia/cu13/bin"));
    folders
        .into_iter()
        .map(|folder| folder.join("nvcc"))
        .collect()
}

fn run(command: &mut Command) -> Result<String, String> {
    let output = command
        .output()
        .map_err(|error| format!("running {command:?}: {error}"))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!(
            "{command:?} ended with {}: {}",
            output.status,
            text.trim()
        ));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
