// SPDX-License-Identifier: MIT OR Apache-2.0
//! include/cuzk.h is what src/ffi says. `CUZK_BLESS=1` (or `make header`) writes it anew.

use std::path::Path;

#[test]
fn the_committed_header_is_fresh() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let mut made = Vec::new();
    cbindgen::Builder::new()
        .with_config(config)
        .with_src(root.join("src/ffi/mod.rs"))
        .generate()
        .unwrap()
        .write(&mut made);
    let made = String::from_utf8(made).unwrap();
    let path = root.join("include/cuzk.h");
    if std::env::var_os("CUZK_BLESS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = committed
        .lines()
        .zip(made.lines())
        .position(|(old, new)| old != new)
        .map_or(
            committed.lines().count().min(made.lines().count()) + 1,
            |at| at + 1,
        );
    assert!(
        committed == made,
        "include/cuzk.h is stale from line {differs} on: run `make header` and commit it"
    );
}
