// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compiles the CUDA kernels when `CUZK_CUDA` says so, and tells Rust with `cfg(cuzk_cuda)`;
//! `cfg(cuzk_avx512)` says that the compiler knows AVX-512.
//!
//! `CUZK_CUDA=1` compiles them or fails, `0` leaves them out, unset compiles them when an nvcc is
//! found. `CUZK_CUDA_ARCHS=90` (or `8.0,9.0`) restricts the architectures. `CUZK_AVX512=0`
//! leaves out what needs AVX-512, for measuring and testing what other processors run.

#[path = "build/kernels.rs"]
mod kernels;
#[path = "build/toolkit.rs"]
mod toolkit;

use std::path::{Path, PathBuf};
use std::{env, fs, process};

use toolkit::Toolkit;

/// Compute capabilities that get machine code of their own, where the compiler knows them.
const ARCHS: [u32; 7] = [75, 80, 86, 89, 90, 100, 120];

fn main() {
    println!("cargo:rustc-check-cfg=cfg(cuzk_cuda)");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=build");
    for name in [
        "CUZK_CUDA",
        "CUZK_CUDA_ARCHS",
        "CUZK_AVX512",
        "CUDA_HOME",
        "CUDA_PATH",
        "CXX",
    ] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    println!("cargo:rustc-check-cfg=cfg(cuzk_avx512)");
    let wanted = env::var("CUZK_AVX512").map_or(true, |value| value != "0");
    if wanted && rustc_minor().is_some_and(|minor| minor >= 89) {
        println!("cargo:rustc-cfg=cuzk_avx512");
    }
    if let Err(message) = build() {
        println!("cargo:error={message}");
        eprintln!("error: {message}");
        process::exit(1);
    }
}

fn build() -> Result<(), String> {
    // Asked when it runs: one compiled script may serve several checkouts.
    let package = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    let checkout = Path::new(&package).join("..");
    let cuda = checkout.join("cuda");
    let mut files = Vec::new();
    list_files(&cuda, &mut files)?;
    for file in &files {
        println!("cargo:rerun-if-changed={}", file.display());
    }
    // Kernels only: the device's own tests and benchmarks are programs with a build of theirs.
    let program = |file: &PathBuf| {
        ["test", "bench"]
            .iter()
            .any(|n| file.starts_with(cuda.join(n)))
    };
    let sources: Vec<PathBuf> = files
        .into_iter()
        .filter(|file| file.extension().is_some_and(|extension| extension == "cu"))
        .filter(|file| !program(file))
        .collect();
    let wanted = match env::var("CUZK_CUDA").as_deref() {
        Ok("1") => true,
        Ok("0") => return describe(None, &[]),
        Ok("") | Err(_) => false,
        Ok(other) => return Err(format!("CUZK_CUDA is {other:?}, expected 0, 1 or nothing")),
    };
    let toolkit = match Toolkit::find(&checkout)? {
        Some(toolkit) => toolkit,
        None if wanted => return Err(Toolkit::how_to_get(&checkout)),
        None => return describe(None, &[]),
    };
    if sources.is_empty() {
        return if wanted {
            Err("no kernels in cuda/".to_owned())
        } else {
            describe(None, &[])
        };
    }
    toolkit.check_host_compiler()?;
    let archs = choose_archs(&toolkit)?;
    kernels::compile(&toolkit, &cuda, &sources, &archs)?;
    println!("cargo:rustc-cfg=cuzk_cuda");
    // DEP_CUZK_CUDA_KERNELS for the build scripts of dependents.
    println!("cargo:kernels=1");
    describe(Some(&toolkit), &archs)
}

/// What `gpu::build_info` reports.
fn describe(toolkit: Option<&Toolkit>, archs: &[u32]) -> Result<(), String> {
    let version = toolkit.map_or(String::new(), |toolkit| toolkit.version.clone());
    let archs: Vec<String> = archs.iter().map(u32::to_string).collect();
    println!("cargo:rustc-env=CUZK_CUDA_TOOLKIT={version}");
    println!("cargo:rustc-env=CUZK_CUDA_BUILT_ARCHS={}", archs.join(","));
    Ok(())
}

/// The architectures asked for, or all of ours that this nvcc offers.
fn choose_archs(toolkit: &Toolkit) -> Result<Vec<u32>, String> {
    let offered = toolkit.offered_archs()?;
    let asked = env::var("CUZK_CUDA_ARCHS").unwrap_or_default();
    let mut archs = Vec::new();
    for word in asked.split([',', ' ', ';']).filter(|word| !word.is_empty()) {
        let arch = word.replace('.', "").parse();
        match arch {
            Ok(arch) if offered.contains(&arch) => archs.push(arch),
            _ => {
                return Err(format!(
                    "CUZK_CUDA_ARCHS names {word:?}, {} offers {offered:?}",
                    toolkit.nvcc.display()
                ))
            }
        }
    }
    if archs.is_empty() {
        archs = ARCHS
            .into_iter()
            .filter(|arch| offered.contains(arch))
            .collect();
    }
    archs.sort_unstable();
    archs.dedup();
    match archs.is_empty() {
        true => Err(format!(
            "{} offers none of {ARCHS:?}",
            toolkit.nvcc.display()
        )),
        false => Ok(archs),
    }
}

fn list_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    println!("cargo:rerun-if-changed={}", folder.display());
    if !folder.is_dir() {
        return Ok(());
    }
    let entries = fs::read_dir(folder).map_err(|e| format!("reading {}: {e}", folder.display()))?;
    for entry in entries {
        let path = entry
            .map_err(|e| format!("reading {}: {e}", folder.display()))?
            .path();
        match path.is_dir() {
            true => list_files(&path, files)?,
            false => files.push(path),
        }
    }
    files.sort();
    Ok(())
}

/// The minor version of the compiler: AVX-512 intrinsics are stable from 1.89 on, and this package
/// builds with 1.86 too.
fn rustc_minor() -> Option<u32> {
    let rustc = env::var_os("RUSTC")?;
    let output = process::Command::new(rustc)
        .arg("--version")
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.split('.').nth(1)?.parse().ok()
}
