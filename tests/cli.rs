// SPDX-License-Identifier: MIT OR Apache-2.0

//! The program `cuzk` as people and scripts use it.

mod common;

use std::path::{Path, PathBuf};

use common::c1::{c1_path, Fixture, NON_INTERACTIVE, V1, V1_1};
use common::parameters::development_parameters;
use common::program::{cuzk, failure};
use serde_json::Value;

fn path(case: &str) -> String {
    c1_path(case).display().to_string()
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

#[test]
fn a_wrong_command_line_is_status_2() {
    for arguments in [
        &[][..],
        &["frobnicate"],
        &["prove"],
        &["prove", "--c1", "x"],
        &["prove", "--c1", "x", "--actor-id", "f1abc"],
        &["prove", "--c1", "x", "--prover-id", "00"],
        &["setup"],
        &["setup", "--sector-size", "4KiB"],
        &["setup", "--sector-size", "2KiB", "--aggregation"],
        &["synthesize-c1", "--sector-size", "2KiB"],
        &["bench", "--c1", "x", "--actor-id", "1", "--runs", "0"],
        &["verify", "--proof", "x", "--actor-id", "1"],
    ] {
        let ran = cuzk(arguments, b"");
        assert_eq!(ran.code, 2, "{arguments:?}");
        assert_eq!(ran.stdout, "", "{arguments:?}");
        assert!(!ran.stderr.is_empty(), "{arguments:?}");
    }
    let ran = cuzk(&["--version"], b"");
    let version = format!("cuzk {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!((ran.code, ran.stdout), (0, version));
}

#[test]
fn info_shows_what_a_context_would_use() {
    let folder = tempfile::tempdir().unwrap();
    let ran = cuzk(&["info", "--dir", text(folder.path())], b"");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for needed in [
        env!("CARGO_PKG_VERSION"),
        "cpu",
        text(folder.path()),
        "missing",
    ] {
        assert!(ran.stdout.contains(needed), "{needed}: {}", ran.stdout);
    }
    let ran = cuzk(&["info", "--json", "--dir", text(folder.path())], b"");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(document["build"]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(document["context"]["backend"], "cpu");
    let sizes = document["parameters"].as_array().unwrap();
    assert_eq!(sizes.len(), 5);
    assert_eq!(sizes[0]["sector_size"], "2KiB");
    assert_eq!(sizes[0]["params"]["bytes"], Value::Null);
}

#[test]
fn failures_say_what_to_do() {
    let empty = tempfile::tempdir().unwrap();
    let empty = text(empty.path());
    let actor = ["--actor-id", "f01000"];
    let prove = |c1: &str, more: &[&str], stdin: &[u8]| {
        let mut arguments = vec!["prove", "--c1", c1, "--dir", empty];
        arguments.extend_from_slice(&actor);
        arguments.extend_from_slice(more);
        failure(&arguments, stdin)
    };
    let fixture = path(V1_1);
    let sector = ["--sector-number", "42"];

    let missing = prove("/no/such/file", &sector, b"");
    assert!(missing.starts_with("reading /no/such/file: "), "{missing}");
    let unnumbered = prove(&fixture, &[], b"");
    assert!(unnumbered.contains("give --sector-number"), "{unnumbered}");
    let other = prove(&fixture, &["--sector-number", "43"], b"");
    assert!(other.contains("not of sector 43 of prover e807"), "{other}");
    let no_powers = failure(
        &[
            "prove",
            "--c1",
            &path(NON_INTERACTIVE),
            "--actor-id",
            "1001",
            "--sector-number",
            "7",
            "--dir",
            empty,
        ],
        b"",
    );
    assert!(
        no_powers.contains("v28-fil-inner-product-v1.srs: no such file")
            && no_powers.contains("cuzk setup --aggregation"),
        "{no_powers}"
    );
    let no_parameters = prove(&fixture, &sector, b"");
    assert!(
        no_parameters.contains(empty) && no_parameters.contains("cuzk setup --sector-size 2KiB"),
        "{no_parameters}"
    );
    let cut = prove("-", &sector, &Fixture::load(V1_1).c1[..5000]);
    assert!(cut.starts_with("-: C1 output: vanilla_proofs"), "{cut}");

    let unnamed = failure(&["setup", "--sector-size", "32GiB"], b"");
    assert!(unnamed.contains("name a folder with --dir"), "{unnamed}");
    let parameters = development_parameters();
    let there = failure(
        &["setup", "--sector-size", "2KiB", "--dir", text(&parameters)],
        b"",
    );
    assert!(there.contains("exists"), "{there}");
}

#[test]
fn a_proof_made_is_verified() {
    let parameters = development_parameters();
    let dir = ["--dir", text(&parameters)];
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| -> PathBuf { folder.path().join(name) };

    // Wrapped, from standard input, the proof in hex on standard output.
    let fixture = Fixture::load(V1_1);
    let ran = cuzk(
        &[&["prove", "--c1", "-", "--actor-id", "f01000"][..], &dir].concat(),
        &fixture.wrapped(),
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.stdout.trim_end().len(), 2 * 192);
    assert!(ran.stderr.contains("msm h"), "{}", ran.stderr);
    std::fs::write(file("hex"), &ran.stdout).unwrap();

    // Plain, from a file, the proof in a file, everything else as JSON.
    let fixture_v1 = path(V1);
    let bytes = file("bytes");
    let arguments = [
        "prove",
        "--c1",
        &fixture_v1,
        "--actor-id",
        "127",
        "--sector-number",
        "1",
        "--json",
        "--out",
        text(&bytes),
    ];
    let ran = cuzk(&[&arguments[..], &dir].concat(), b"");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(document["registered_proof"], "StackedDrg2KiBV1");
    assert!(
        document["timings"]["nanoseconds"]["msm_h"]
            .as_u64()
            .unwrap()
            > 0
    );
    let written = std::fs::read(&bytes).unwrap();
    let proof: String = written.iter().map(|b| format!("{b:02x}")).collect();
    assert_eq!(document["proof"], proof);
    std::fs::write(file("json"), &ran.stdout).unwrap();

    let verify = |proof: &str, c1: &str, actor: &str, sector: &str| {
        let proof = file(proof);
        let arguments = [
            "verify",
            "--proof",
            text(&proof),
            "--c1",
            c1,
            "--actor-id",
            actor,
            "--sector-number",
            sector,
        ];
        let ran = cuzk(&[&arguments[..], &dir].concat(), b"");
        (ran.code, ran.stdout)
    };
    let valid = (0, "valid\n".to_owned());
    let not_valid = (3, "not valid\n".to_owned());
    assert_eq!(verify("hex", &path(V1_1), "1000", "42"), valid);
    assert_eq!(verify("bytes", &fixture_v1, "127", "1"), valid);
    assert_eq!(verify("json", &fixture_v1, "127", "1"), valid);
    assert_eq!(verify("hex", &path(V1_1), "1000", "43"), not_valid);
    assert_eq!(verify("hex", &path(V1_1), "1001", "42"), not_valid);
    assert_eq!(verify("hex", &fixture_v1, "127", "1"), not_valid);
}

#[test]
fn the_file_for_aggregation_is_made_once() {
    let folder = tempfile::tempdir().unwrap();
    let setup = ["setup", "--aggregation", "--dir", text(folder.path())];
    let ran = cuzk(&setup, b"");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("INSECURE"), "{}", ran.stderr);
    let file = folder.path().join("v28-fil-inner-product-v1.srs");
    assert_eq!(ran.stdout, format!("{}\n", file.display()));
    let bytes = std::fs::metadata(&file).unwrap().len();
    assert_eq!(bytes, 4 * 4 + 16_384 * (2 * 48 + 2 * 96));
    let again = failure(&setup, b"");
    assert!(again.contains("exists and is not overwritten"), "{again}");
    let ran = cuzk(&["info", "--json", "--dir", text(folder.path())], b"");
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(document["aggregation"]["bytes"], bytes);
}

#[test]
fn bench_shows_medians() {
    let fixture = path(V1_1);
    let arguments = [
        "bench",
        "--c1",
        &fixture,
        "--actor-id",
        "1000",
        "--sector-number",
        "42",
        "--runs",
        "1",
        "--what",
        "witness",
    ];
    let ran = cuzk(&arguments, b"");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.contains("witness of a partition"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_compiled_circuit_is_the_one_that_the_library_carries() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("2KiB.circuit");
    let arguments = [
        "compile-circuit",
        "--sector-size",
        "2KiB",
        "--out",
        text(&out),
    ];
    let ran = cuzk(&arguments, b"");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("the same as"), "{}", ran.stderr);
    let written = std::fs::read(&out).unwrap();
    assert!(written == cuzk::filecoin::porep::saved(cuzk::filecoin::SectorSize::Kib2));
    let nowhere = [
        "compile-circuit",
        "--sector-size",
        "2KiB",
        "--out",
        "/no/such/folder/c",
    ];
    let refused = failure(&nowhere, b"");
    assert!(
        refused.starts_with("creating /no/such/folder/c: "),
        "{refused}"
    );
}

#[test]
fn made_up_outputs_are_for_the_sector_that_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    for (flag, name) in [
        (&["--v1"][..], "StackedDrg2KiBV1"),
        (&[], "StackedDrg2KiBV1_1"),
    ] {
        let out = folder.path().join(name);
        let mut arguments = vec![
            "synthesize-c1",
            "--sector-size",
            "2KiB",
            "--out",
            text(&out),
        ];
        arguments.extend_from_slice(flag);
        let ran = cuzk(&arguments, b"");
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(ran.stderr.contains("MADE-UP"), "{}", ran.stderr);
        let printed: Vec<&str> = ran.stdout.split_whitespace().collect();
        assert_eq!(printed[0], name);

        let mut arguments = vec![
            "bench",
            "--c1",
            text(&out),
            "--what",
            "witness",
            "--runs",
            "1",
        ];
        arguments.extend_from_slice(&printed[1..]);
        let ran = cuzk(&arguments, b"");
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    let nowhere = [
        "synthesize-c1",
        "--sector-size",
        "2KiB",
        "--out",
        "/no/such/folder/c1",
    ];
    let refused = failure(&nowhere, b"");
    assert!(
        refused.starts_with("creating /no/such/folder/c1: "),
        "{refused}"
    );
}

#[test]
fn a_disk_that_is_full_leaves_no_half_file_and_the_old_one_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("c1");
    let without_room = || {
        let ran = std::process::Command::new("sh")
            .args(["-c", "trap '' XFSZ; ulimit -f 8; exec \"$@\"", "sh"])
            .arg(env!("CARGO_BIN_EXE_cuzk"))
            .args(["synthesize-c1", "--sector-size", "2KiB", "--out"])
            .arg(&out)
            .output()
            .unwrap();
        assert_eq!(ran.status.code(), Some(1));
        let said = String::from_utf8(ran.stderr).unwrap();
        let line = said.trim_end().lines().last().unwrap_or("");
        assert!(
            line.starts_with("cuzk: ") && line.contains(text(&out)),
            "{line}"
        );
        assert!(line.contains("File too large"), "{line}");
    };
    without_room();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    std::fs::write(&out, b"old").unwrap();
    without_room();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!(std::fs::read(&out).unwrap(), b"old");
}

#[test]
fn streams_that_nobody_reads_are_no_fault_and_results_that_are_lost_are() {
    let full = || {
        std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap()
    };
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("c1");
    let synthesize = |program: &mut std::process::Command| {
        program
            .args(["synthesize-c1", "--sector-size", "2KiB", "--out"])
            .arg(&out)
            .status()
            .unwrap()
            .code()
    };
    let program = || std::process::Command::new(env!("CARGO_BIN_EXE_cuzk"));
    let silent = || {
        let mut program = program();
        program.stderr(full());
        program
    };
    // What it says on the way there may be lost.
    assert_eq!(
        synthesize(silent().stdout(std::process::Stdio::null())),
        Some(0)
    );
    // A result may not.
    assert_eq!(synthesize(silent().stdout(full())), Some(1));
    for arguments in [&["info"][..], &["doctor", "--json"]] {
        let ran = program()
            .args(arguments)
            .env("CUZK_BACKEND", "cpu")
            .stdout(full())
            .output()
            .unwrap();
        assert_eq!(ran.status.code(), Some(1));
        let text = String::from_utf8(ran.stderr).unwrap();
        assert!(text.contains("writing to standard output"), "{text}");
    }
}
