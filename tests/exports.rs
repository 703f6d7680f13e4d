// SPDX-License-Identifier: MIT OR Apache-2.0
//! The shared library exports exactly the header's functions and needs only the system's own
//! libraries, from glibc 2.34 on.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The library as `make library` builds it; up to date, that takes a moment.
fn library() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        run(Command::new("make")
            .args(["-s", "library"])
            .current_dir(root));
        root.join(".cache/dist/lib/libcuzk.so")
    })
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn objdump(option: &str) -> String {
    run(Command::new("objdump").arg(option).arg(library()))
}

#[test]
fn exports_are_the_functions_of_the_header() {
    let listing = run(Command::new("nm")
        .args(["-D", "--defined-only"])
        .arg(library()));
    let exported: BTreeSet<&str> = listing
        .lines()
        .filter_map(|line| line.split_whitespace().last())
        .collect();

    let header = include_str!("../include/cuzk.h");
    // A declaration starts with CUZK_API; the name stands before the first parenthesis.
    let declared: BTreeSet<&str> = header
        .split("\nCUZK_API")
        .skip(1)
        .filter_map(|declaration| declaration.split('(').next())
        .filter_map(|head| head.split([' ', '*', '\n']).next_back())
        .collect();
    assert!(declared.contains("cuzk_version"), "{declared:?}");
    assert_eq!(exported, declared);
    assert!(exported.iter().all(|name| name.starts_with("cuzk_")));
}

#[test]
fn the_soname_carries_the_abi_number() {
    let headers = objdump("-p");
    let soname = headers
        .lines()
        .find_map(|line| line.trim().strip_prefix("SONAME"))
        .unwrap();
    let expected = format!("libcuzk.so.{}", cuzk::ffi::version::CUZK_ABI_VERSION);
    assert_eq!(soname.trim(), expected);
}

// A program that closes the library while a context's threads run would pull the code away from
// under them.
#[test]
fn the_library_stays_where_it_was_loaded() {
    let dynamic = run(Command::new("readelf").arg("-d").arg(library()));
    let flags = dynamic
        .lines()
        .find(|line| line.contains("(FLAGS_1)"))
        .unwrap();
    assert!(flags.contains("NODELETE"), "{flags}");
}

#[test]
fn only_the_system_is_needed() {
    let headers = objdump("-p");
    let needed: BTreeSet<&str> = headers
        .lines()
        .filter_map(|line| line.trim().strip_prefix("NEEDED"))
        .map(str::trim)
        .collect();
    assert!(needed.contains("libc.so.6"), "{needed:?}");
    for name in needed {
        let system = [
            "libc.so.6",
            "libm.so.6",
            "libgcc_s.so.1",
            "ld-linux-x86-64.so.2",
        ];
        assert!(system.contains(&name), "the library needs {name}");
    }
}

#[test]
fn no_symbol_is_newer_than_glibc_2_34() {
    let symbols = objdump("-T");
    let newest = symbols
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'))
        .filter_map(|word| word.strip_prefix("GLIBC_2."))
        .filter_map(|rest| rest.split('.').next()?.parse::<u32>().ok())
        .max()
        .unwrap();
    assert!(newest <= 34, "the library needs glibc 2.{newest}");
}
