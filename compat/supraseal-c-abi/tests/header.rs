// SPDX-License-Identifier: MIT OR Apache-2.0
//! include/supraseal_c2.h is what the sources say. `CUZK_BLESS=1` (or `make header`) writes it
//! anew.

use std::path::Path;

#[test]
fn the_committed_header_is_fresh() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(package.join("cbindgen.toml")).unwrap();
    let mut made = Vec::new();
    cbindgen::Builder::new()
        .with_config(config)
        .with_src(package.join("src/lib.rs"))
        .generate()
        .unwrap()
        .write(&mut made);
    let made = String::from_utf8(made).unwrap();
    let path = package.join("../../include/supraseal_c2.h");
    if std::env::var_os("CUZK_BLESS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let same = committed.lines().zip(made.lines());
    let line = same.take_while(|(old, new)| old == new).count() + 1;
    assert!(
        committed == made,
        "include/supraseal_c2.h is stale from line {line} on: run `make header` and commit it"
    );
}
