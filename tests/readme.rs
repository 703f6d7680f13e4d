// SPDX-License-Identifier: MIT OR Apache-2.0

//! The README's lines are those of programs that are compiled and run: `readme.c` and
//! `readme_test.go` with the other tests in C and Go, the ones in Rust here. Its files and links
//! are there.

mod common;

use std::path::Path;
use std::process::Command;

use common::c1::{Fixture, V1_1};
use common::parameters::development_parameters;
use common::verify::verify_seal_2kib;

use cuzk::filecoin::{c2, prover_id_from_actor};
use cuzk_prover::schedule::{Context, Options};

fn prove(c1: Vec<u8>, miner: u64, sector: u64) -> cuzk::Result<Vec<u8>> {
    let context = Context::new(Options::default())?;
    let request = c2::Request::new(&c1, &prover_id_from_actor(miner), sector)?;
    let proof = c2::prove(&context, &request, &c2::Options::default())?.proof;

    Ok(proof)
}

#[test]
fn the_lines_in_rust_prove_a_sector() {
    let fixture = Fixture::load(V1_1);
    let parameters = development_parameters();
    // The environment of this process, which has one thread that looks at it.
    std::env::set_var("FIL_PROOFS_PARAMETER_CACHE", &parameters);
    let sector = &fixture.sector;
    let proof = prove(fixture.c1.clone(), sector.actor_id, sector.sector_number).unwrap();
    assert_eq!(verify_seal_2kib(&proof, &fixture, &parameters), Ok(true));
}

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The blocks of a language in the README.
fn blocks<'a>(readme: &'a str, language: &str) -> Vec<&'a str> {
    let start = format!("```{language}\n");
    let blocks = readme.split(start.as_str()).skip(1);
    blocks
        .map(|block| block.split("```").next().expect("its end"))
        .collect()
}

/// Without indentation, and without blanks that a formatter places.
fn plain(text: &str) -> String {
    let lines = text.lines().map(|line| line.trim().replace(" *", "* "));
    lines
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn the_readme_s_lines_are_those_that_are_run() {
    let readme = read("README.md");
    for (language, file, count) in [
        ("c", "ffi-tests/readme.c", 1),
        ("rust", "tests/readme.rs", 1),
        ("go", "go-binding/readme_test.go", 2),
    ] {
        let source = plain(&read(file));
        let blocks = blocks(&readme, language);
        assert_eq!(blocks.len(), count, "blocks of {language}");
        for paragraph in blocks.iter().flat_map(|block| block.split("\n\n")) {
            let paragraph = plain(paragraph);
            let paragraph = paragraph.strip_prefix("import ").unwrap_or(&paragraph);
            assert!(source.contains(paragraph), "not in {file}:\n{paragraph}");
        }
    }
}

#[test]
fn links_lead_to_files_and_commands_are_known() {
    for name in [
        "README.md",
        "docs/operating.md",
        "docs/program.md",
        "docs/hardening.md",
    ] {
        let text = read(name);
        let folder = Path::new(name).parent().expect("a folder");
        for link in text.split("](").skip(1) {
            let target = link.split(')').next().expect("its end");
            let target = target.split('#').next().unwrap_or(target);
            if target.is_empty() || target.starts_with("http") {
                continue;
            }
            let path = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join(folder)
                .join(target);
            assert!(path.exists(), "{name} links to {target}");
        }
    }
    // Every command of the program that the README shows.
    let readme = read("README.md");
    let commands = readme
        .lines()
        .filter_map(|line| line.strip_prefix("    cuzk "));
    let mut seen = 0;
    for command in commands {
        let name = command.split_whitespace().next().expect("a command");
        let status = Command::new(env!("CARGO_BIN_EXE_cuzk"))
            .args([name, "--help"])
            .output()
            .expect("the program starts")
            .status;
        assert!(status.success(), "cuzk {name}");
        seen += 1;
    }
    assert!(seen > 0);
}
