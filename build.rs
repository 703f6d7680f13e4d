// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tells the library which target and compiler it was built with, for cuzk_build_info().
//!
//! The soname is not set here: the package is an rlib, and cargo takes link arguments of a shared
//! library from a build script only when the manifest names one. The Makefile passes it.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = env::var("TARGET").unwrap_or_else(|_| "unknown".to_owned());
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let compiler = Command::new(rustc)
        .arg("--version")
        .output()
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .map(|text| text.trim().to_owned())
        .filter(|text| !text.is_empty())
        .unwrap_or_else(|| "rustc, version unknown".to_owned());
    println!("cargo::rustc-env=CUZK_TARGET={target}");
    println!("cargo::rustc-env=CUZK_COMPILER={compiler}");
}
