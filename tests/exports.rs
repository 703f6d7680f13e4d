// SPDX-License-Identifier: MIT OR Apache-2.0
//! The shared libraries export exactly their headers' functions and need only the system's own
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

/// The library in supraseal-c2's place, built by the same.
fn supraseal() -> PathBuf {
    library().with_file_name("libsupraseal_c2.so")
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn objdump(option: &str, library: &Path) -> String {
    run(Command::new("objdump").arg(option).arg(library))
}

/// Names that the library gives to others.
fn exported(library: &Path) -> BTreeSet<String> {
    let listing = run(Command::new("nm")
        .args(["-D", "--defined-only"])
        .arg(library));
    let names = listing.lines();
    let names = names.filter_map(|line| line.split_whitespace().last());
    names.map(str::to_owned).collect()
}

/// Functions of a header. A declaration starts with the mark; the name stands before the first
/// parenthesis.
fn declared(header: &str, mark: &str) -> BTreeSet<String> {
    let start = format!("\n{mark}");
    let declarations = header.split(&start).skip(1);
    declarations
        .filter_map(|declaration| declaration.split('(').next())
        .filter_map(|head| head.split([' ', '*', '\n']).next_back())
        .map(str::to_owned)
        .collect()
}

#[test]
fn exports_are_the_functions_of_the_header() {
    let exported = exported(library());
    let declared = declared(include_str!("../include/cuzk.h"), "CUZK_API");
    assert!(declared.contains("cuzk_version"), "{declared:?}");
    assert_eq!(exported, declared);
    assert!(exported.iter().all(|name| name.starts_with("cuzk_")));
}

#[test]
fn the_library_in_supraseal_s_place_exports_its_symbols_and_no_others() {
    let originals = [
        "clone_SRS",
        "create_SRS",
        "create_gpu_mutex",
        "destroy_gpu_mutex",
        "destroy_pending_proof",
        "drop_SRS",
        "evict_SRS",
        "finalize_groth16_proof_c",
        "generate_groth16_proofs_c",
        "generate_groth16_proofs_start_c",
    ];
    let originals: BTreeSet<String> = originals.into_iter().map(str::to_owned).collect();
    let header = include_str!("../include/supraseal_c2.h");
    assert_eq!(declared(header, "SUPRASEAL_C2_API"), originals);
    assert_eq!(exported(&supraseal()), originals);
    let headers = objdump("-p", &supraseal());
    assert!(headers.contains("SONAME               libsupraseal_c2.so"));
}

#[test]
fn the_soname_carries_the_abi_number() {
    let headers = objdump("-p", library());
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
    for library in [library().to_owned(), supraseal()] {
        let headers = objdump("-p", &library);
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
            assert!(system.contains(&name), "{} needs {name}", library.display());
        }
    }
}

#[test]
fn no_symbol_is_newer_than_glibc_2_34() {
    for library in [library().to_owned(), supraseal()] {
        let symbols = objdump("-T", &library);
        let newest = symbols
            .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'))
            .filter_map(|word| word.strip_prefix("GLIBC_2."))
            .filter_map(|rest| rest.split('.').next()?.parse::<u32>().ok())
            .max()
            .unwrap();
        assert!(newest <= 34, "{} needs glibc 2.{newest}", library.display());
    }
}
