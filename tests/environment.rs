// SPDX-License-Identifier: MIT OR Apache-2.0

//! The tables of environment variables in docs/operating.md, and the one in the header, are those
//! that the sources read.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Text literals of this form are names of variables, with the exceptions in `read_by_sources`.
fn is_variable(word: &str) -> bool {
    let starts = ["CUZK_", "FIL_", "BELLMAN_", "CUDA_HOME", "CUDA_PATH"];
    starts.iter().any(|start| word.starts_with(start))
        && word
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// The names of variables in the project's sources.
fn read_by_sources() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let listing = Command::new("git")
        .args(["ls-files", "-z", "*.rs", "*.go", "*.c", "*.py", "*.mjs"])
        .current_dir(root)
        .output()
        .expect("git lists the sources");
    let listing = String::from_utf8(listing.stdout).expect("names in UTF-8");
    let mut names = BTreeSet::new();
    for file in listing.split('\0').filter(|file| !file.is_empty()) {
        // This file speaks of them, and a change may have taken others away.
        if file == "tests/environment.rs" || !root.join(file).exists() {
            continue;
        }
        let text = std::fs::read_to_string(root.join(file)).expect("a source");
        for line in text.lines() {
            // Set by the build for the compiler, and constants of the header.
            let constants = [
                "env!(",
                "CUZK_STATUS_",
                "CUZK_VERSION_",
                "CUZK_ABI_",
                "CUZK_API",
            ];
            if constants.iter().any(|name| line.contains(name)) {
                continue;
            }
            let words = line.split('"').skip(1).step_by(2);
            names.extend(words.filter(|w| is_variable(w)).map(str::to_owned));
        }
    }
    // filecoin-proofs' own, which tests set for it.
    for name in [
        "FIL_PROOFS_PARENT_CACHE",
        "FIL_PROOFS_VERIFY_PRODUCTION_PARAMS",
    ] {
        assert!(names.remove(name), "{name} is no exception any more");
    }
    names
}

fn document(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    std::fs::read_to_string(path).expect("the document")
}

/// The names in the first cells of a document's tables.
fn in_tables(text: &str) -> BTreeSet<String> {
    text.lines()
        .filter(|line| line.starts_with("| `"))
        .filter_map(|line| line.split('|').nth(1))
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .filter(|word| is_variable(word))
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_variable_that_is_read_is_in_the_tables() {
    assert_eq!(in_tables(&document("docs/operating.md")), read_by_sources());
}

#[test]
fn the_header_has_those_that_a_context_reads() {
    let operating = document("docs/operating.md");
    let first_table = operating
        .split("The libraries in supraseal-c2's place")
        .next()
        .expect("the first table");
    let header = document("include/cuzk.h");
    let introduction = header.split("#ifndef CUZK_H").next().expect("the start");
    let named: BTreeSet<String> = introduction
        .lines()
        .filter_map(|line| line.strip_prefix(" *   ")?.split_whitespace().next())
        .filter(|word| is_variable(word))
        .map(str::to_owned)
        .collect();
    assert_eq!(in_tables(first_table), named);
}
