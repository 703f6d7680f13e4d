// SPDX-License-Identifier: MIT OR Apache-2.0
//! Manifest, header, changelog and library agree on release and ABI.

use std::path::Path;

use cuzk::ffi::version;

#[test]
fn manifest_header_and_changelog_agree() {
    let release = env!("CARGO_PKG_VERSION");
    let numbers = [
        version::CUZK_VERSION_MAJOR,
        version::CUZK_VERSION_MINOR,
        version::CUZK_VERSION_PATCH,
    ];
    assert_eq!(numbers.map(|number| number.to_string()).join("."), release);

    let read = |name: &str| {
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
    };
    let header = read("include/cuzk.h");
    for (name, number) in [
        ("CUZK_VERSION_MAJOR", numbers[0]),
        ("CUZK_VERSION_MINOR", numbers[1]),
        ("CUZK_VERSION_PATCH", numbers[2]),
        ("CUZK_ABI_VERSION", version::CUZK_ABI_VERSION),
    ] {
        let line = format!("\n#define {name} {number}\n");
        assert!(header.contains(&line), "{line:?} is not in the header");
    }

    let changelog = read("CHANGELOG.md");
    let newest = changelog.split("\n## ").nth(1).unwrap();
    assert!(
        newest.starts_with(release),
        "the changelog starts at {newest:.20}"
    );
    let abi = format!("ABI {}", version::CUZK_ABI_VERSION);
    assert!(
        newest.contains(&abi),
        "the changelog's newest part does not name {abi}"
    );
}

#[test]
fn functions_agree_with_constants() {
    // SAFETY: the functions return zero-terminated static text.
    let text = |place| unsafe { std::ffi::CStr::from_ptr(place) }.to_str().unwrap();
    assert_eq!(text(version::cuzk_version()), env!("CARGO_PKG_VERSION"));
    assert_eq!(version::cuzk_abi_version(), version::CUZK_ABI_VERSION);
    let info: serde_json::Value = serde_json::from_str(text(version::cuzk_build_info())).unwrap();
    assert_eq!(info["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn no_profile_aborts_on_panic() {
    for manifest in [
        "Cargo.toml",
        "prover/Cargo.toml",
        "compat/supraseal/Cargo.toml",
        "compat/supraseal-c2/Cargo.toml",
        "compat/supraseal-c2-curio/Cargo.toml",
        "compat/supraseal-c-abi/Cargo.toml",
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(manifest);
        let text = std::fs::read_to_string(path).unwrap();
        let aborts = text.lines().any(|line| {
            line.split('#')
                .next()
                .unwrap_or("")
                .replace(' ', "")
                .contains("panic=\"abort")
        });
        assert!(
            !aborts,
            "{manifest}: a caught panic is a status, a node must live"
        );
    }
}
