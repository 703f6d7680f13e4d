// SPDX-License-Identifier: MIT OR Apache-2.0

//! `cuzk doctor` on machines and parameter folders as operators have them: whole, without some
//! file, cut short, damaged, of other origin, under budgets and limits that do not do.

mod common;

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::{symlink, FileExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use common::parameters::development_parameters;
use cuzk::filecoin::params::{aggregation_file, srs_shape, ParameterFiles};
use cuzk::filecoin::SectorSize;
use serde_json::Value;

const KEY_POINTS_BYTES: usize = 3 * 96 + 3 * 192;

struct Report {
    code: i32,
    document: Value,
}

impl Report {
    fn of(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cuzk"));
        command.args(["doctor", "--json", "--dir"]).arg(folder);
        for name in [
            "BELLMAN_NO_GPU",
            "CUZK_DEVICES",
            "CUZK_GPU_THREADS",
            "CUZK_LOG",
        ] {
            command.env_remove(name);
        }
        let output = command
            .args(arguments)
            .env("CUZK_BACKEND", "cpu")
            .envs(environment.iter().copied())
            .output()
            .expect("the program starts");
        let document = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
        let code = output.status.code().expect("no signal");
        let report = Self { code, document };
        // Status and count of problems agree, and whatever is not well comes with advice.
        let problems = report.states("problem").len();
        assert_eq!(report.document["problems"], problems);
        assert_eq!(report.code, if problems == 0 { 0 } else { 3 });
        for state in ["problem", "note"] {
            for check in report.states(state) {
                let advice = check["advice"].as_str().unwrap_or_default();
                assert!(!advice.is_empty(), "{check}");
            }
        }
        report
    }

    fn states(&self, state: &str) -> Vec<&Value> {
        let checks = self.document["checks"].as_array().expect("checks");
        checks
            .iter()
            .filter(|check| check["state"] == state)
            .collect()
    }

    /// Whether there is a check with this state and subject, whose finding has all the words.
    fn assert(&self, state: &str, subject: &str, words: &[&str]) {
        let found = self.states(state).iter().any(|check| {
            let finding = check["finding"].as_str().unwrap_or_default();
            check["subject"] == subject && words.iter().all(|word| finding.contains(word))
        });
        assert!(
            found,
            "no {state} of {subject} with {words:?}: {:#}",
            self.document
        );
    }
}

/// A folder with the 2 KiB files, linked.
fn whole() -> (tempfile::TempDir, ParameterFiles) {
    let folder = tempfile::tempdir().expect("a folder");
    let there = ParameterFiles::new(&development_parameters(), SectorSize::Kib2).expect("names");
    let files = ParameterFiles::new(folder.path(), SectorSize::Kib2).expect("names");
    for (from, to) in [
        (&there.params, &files.params),
        (&there.verifying_key, &files.verifying_key),
        (&there.metadata, &files.metadata),
    ] {
        symlink(from, to).expect("a link");
    }
    (folder, files)
}

/// The first bytes of a file.
fn head(path: &Path, bytes: usize) -> Vec<u8> {
    let mut head = Vec::new();
    let file = File::open(path).expect("the file");
    file.take(bytes as u64)
        .read_to_end(&mut head)
        .expect("its bytes");
    head
}

/// Puts other contents where a link was.
fn replace(path: &Path, bytes: &[u8]) {
    std::fs::remove_file(path).expect("a link");
    std::fs::write(path, bytes).expect("a file");
}

#[test]
fn the_file_for_aggregation_is_measured() {
    let (folder, _) = whole();
    let path = aggregation_file(folder.path());
    let state = |state: &str, words: &[&str]| {
        let report = Report::of(folder.path(), &[], &[]);
        report.assert(state, "aggregation file", words);
    };
    state("ok", &["v28-fil-inner-product-v1.srs is not there"]);
    symlink(aggregation_file(&development_parameters()), &path).expect("a link");
    state("ok", &["for at most 8192 proofs"]);
    let start = head(&path, 1000);
    replace(&path, &start);
    state(
        "problem",
        &["needs the file's first 786436 bytes, it has 1000"],
    );
}

#[test]
fn development_parameters_are_fine_and_said_to_be_insecure() {
    let (folder, files) = whole();
    let report = Report::of(folder.path(), &[], &[]);
    assert_eq!(report.code, 0);
    report.assert("note", "2KiB parameters", &["INSECURE", "verifying key"]);
    report.assert("ok", "2KiB memory", &["in the host"]);
    report.assert("ok", "proves on", &["cpu", "CUZK_BACKEND asked"]);
    report.assert("ok", "32GiB parameters", &["not there"]);
    let about = &report.states("ok").last().expect("one")["registered_proofs"];
    assert_eq!(about.as_array().map(Vec::len), Some(4));

    // In full: the digest is that of the whole file.
    let report = Report::of(folder.path(), &["--digest"], &[]);
    assert_eq!(report.code, 0);
    report.assert(
        "note",
        "2KiB parameters",
        &[": digest ", "434fb1338ecfaf0f59256f30dde4968f"],
    );

    // As text: a line for each, a line of advice, a count.
    let output = Command::new(env!("CARGO_BIN_EXE_cuzk"))
        .args(["doctor", "--backend", "cpu", "--dir"])
        .arg(folder.path())
        .output()
        .expect("the program starts");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.contains(&files.params.display().to_string()), "{text}");
    assert!(text.contains("\n         -> "), "{text}");
    assert!(text.trim_end().ends_with("notes"), "{text}");
}

#[test]
fn what_is_missing_is_said_with_where_to_get_it() {
    let empty = tempfile::tempdir().expect("a folder");
    let report = Report::of(empty.path(), &[], &[]);
    report.assert("problem", "parameters", &["nothing can be proved"]);
    let report = Report::of(empty.path(), &["--sector-size", "32GiB,64GiB"], &[]);
    for subject in ["32GiB parameters", "64GiB parameters"] {
        report.assert("problem", subject, &["no such file"]);
    }
    assert_eq!(report.states("problem").len(), 2);
    let advice = report.states("problem")[0]["advice"]
        .as_str()
        .expect("text");
    assert!(advice.contains("lotus fetch-params 32GiB"), "{advice}");

    let nowhere = empty.path().join("nowhere");
    let report = Report::of(&nowhere, &[], &[]);
    report.assert("problem", "parameter folder", &["nowhere"]);
    std::fs::write(&nowhere, "").expect("a file");
    let report = Report::of(&nowhere, &[], &[]);
    report.assert("problem", "parameter folder", &["nowhere"]);

    let (folder, files) = whole();
    std::fs::remove_file(&files.verifying_key).expect("a link");
    let report = Report::of(folder.path(), &[], &[]);
    assert_eq!(report.code, 0);
    report.assert("note", "2KiB verifying key", &["no such file"]);

    let (folder, files) = whole();
    std::fs::remove_file(&files.params).expect("a link");
    let report = Report::of(folder.path(), &[], &[]);
    report.assert("problem", "2KiB parameters", &["no such file"]);

    // A link to what was moved away.
    let (folder, files) = whole();
    std::fs::remove_file(&files.params).expect("a link");
    symlink("/no/such/file", &files.params).expect("a link");
    let report = Report::of(folder.path(), &[], &[]);
    report.assert("problem", "2KiB parameters", &["no such file"]);
}

#[test]
fn files_that_are_cut_short_are_said_with_both_sizes() {
    let (folder, files) = whole();
    let start = head(&files.params, 1 << 20);
    for bytes in [0, 100, 5000, 100_000_000, 1_114_707_767] {
        if files.params.is_symlink() {
            replace(&files.params, &start);
        }
        let file = OpenOptions::new()
            .write(true)
            .open(&files.params)
            .expect("the file");
        file.write_all_at(&start, 0).expect("its start");
        file.set_len(bytes).expect("its length");
        let report = Report::of(folder.path(), &[], &[]);
        let present = format!("the file has {bytes} bytes, whole it has 1114707768");
        report.assert("problem", "2KiB parameters", &[&present]);
    }
    let (folder, files) = whole();
    let key = head(&files.verifying_key, 4707);
    replace(&files.verifying_key, &key);
    let report = Report::of(folder.path(), &[], &[]);
    report.assert("problem", "2KiB parameters", &[".vk", "truncated"]);
}

#[test]
fn damaged_and_exchanged_files_are_named() {
    // A bit of the key.
    let (folder, files) = whole();
    let key = head(&files.verifying_key, 4708);
    let mut damaged = key.clone();
    damaged[200] ^= 1;
    replace(&files.verifying_key, &damaged);
    let report = Report::of(folder.path(), &[], &[]);
    report.assert("problem", "2KiB parameters", &[".vk", "verifying key"]);

    // Another key of the same circuit: two points of ic exchanged.
    let mut other = key.clone();
    let ic = KEY_POINTS_BYTES + 4;
    other[ic..ic + 96].copy_from_slice(&key[ic + 96..ic + 192]);
    other[ic + 96..ic + 192].copy_from_slice(&key[ic..ic + 96]);
    std::fs::write(&files.verifying_key, &other).expect("the key");
    let report = Report::of(folder.path(), &[], &[]);
    let words = ["its verifying key is not the one of", ".vk"];
    report.assert("problem", "2KiB parameters", &words);

    // What is no file.
    let (folder, files) = whole();
    std::fs::remove_file(&files.params).expect("a link");
    std::fs::create_dir(&files.params).expect("a folder");
    let report = Report::of(folder.path(), &[], &[]);
    report.assert("problem", "2KiB parameters", &["not a regular file"]);
}

/// A file of the size and with the counts of Filecoin's 32 GiB parameters, and the 2 KiB key's
/// points in its own: all but the head is a hole.
fn hollow_32gib(path: &Path, key: &[u8]) {
    let shape = srs_shape(SectorSize::Gib32);
    let mut start = key[..KEY_POINTS_BYTES].to_vec();
    start.extend_from_slice(&(shape.ic as u32).to_be_bytes());
    let point = &key[KEY_POINTS_BYTES + 4..][..96];
    (0..shape.ic).for_each(|_| start.extend_from_slice(point));
    let file = File::create(path).expect("a file");
    file.write_all_at(&start, 0).expect("its start");
    let mut at = start.len() as u64;
    let queries = [
        (shape.h, 96),
        (shape.l, 96),
        (shape.a, 96),
        (shape.b_g1, 96),
        (shape.b_g2, 192),
    ];
    for (points, bytes) in queries {
        file.write_all_at(&(points as u32).to_be_bytes(), at)
            .expect("a count");
        at += 4 + points as u64 * bytes;
    }
    file.set_len(at).expect("its length");
    assert_eq!(at, shape.file_bytes());
}

#[test]
fn parameters_of_mainnet_sizes_must_be_filecoin_s_and_fit_the_budget() {
    let folder = tempfile::tempdir().expect("a folder");
    let there = ParameterFiles::new(&development_parameters(), SectorSize::Kib2).expect("names");
    let files = ParameterFiles::new(folder.path(), SectorSize::Gib32).expect("names");
    hollow_32gib(&files.params, &head(&there.verifying_key, 4708));
    let report = Report::of(folder.path(), &["--host-memory", "8GiB"], &[]);
    let published = "that of Filecoin's is 0c7b4aac1c40fdb7eb82bc355b41addf";
    report.assert("problem", "32GiB parameters", &["verifying key", published]);
    report.assert("problem", "32GiB memory", &["of 8.0 GiB in the host"]);

    // The parameters of one size under the name of another.
    let other = ParameterFiles::new(folder.path(), SectorSize::Gib64).expect("names");
    std::fs::rename(&files.params, &other.params).expect("another name");
    let report = Report::of(folder.path(), &["--host-memory", "80GiB"], &[]);
    report.assert(
        "problem",
        "64GiB parameters",
        &["the circuit needs", "whole it has"],
    );
}

#[test]
fn options_and_variables_that_do_not_do_are_problems() {
    let (folder, _) = whole();
    let report = Report::of(folder.path(), &["--host-memory", "1MiB"], &[]);
    report.assert("problem", "2KiB memory", &["of 1.0 MiB in the host"]);
    let no_gpu = [("CUZK_BACKEND", "cuda"), ("BELLMAN_NO_GPU", "1")];
    let report = Report::of(folder.path(), &[], &no_gpu);
    report.assert(
        "problem",
        "proves on",
        &["CUZK_BACKEND asked for CUDA", "BELLMAN_NO_GPU is \"1\""],
    );
    // The parameters are looked at all the same.
    report.assert("note", "2KiB parameters", &["INSECURE"]);
    let report = Report::of(folder.path(), &[], &[("CUZK_LOG", "loud")]);
    report.assert("problem", "proves on", &["CUZK_LOG is \"loud\""]);
    let report = Report::of(folder.path(), &[], &[("CUZK_GPU_THREADS", "999")]);
    report.assert("note", "threads", &["999 on"]);
}

/// A driver for tests, in a folder for the loader's path.
fn fake_driver(folder: &Path) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let status = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(folder.join("libcuda.so.1"))
        .arg(root.join("prover/tests/fake_cuda/libcuda.c"))
        .status()
        .expect("a C compiler is needed for this test");
    assert!(status.success());
    symlink("libcuda.so.1", folder.join("libcuda.so")).expect("a link");
    folder.to_path_buf()
}

#[test]
fn devices_are_listed_with_the_reason_why_one_is_not_used() {
    let (folder, _) = whole();
    let library = tempfile::tempdir().expect("a folder");
    let path = fake_driver(library.path()).display().to_string();
    let report = |mode: &str, arguments: &[&str]| {
        let environment = [
            ("LD_LIBRARY_PATH", path.as_str()),
            ("FAKE_CUDA", mode),
            ("CUZK_BACKEND", "auto"),
        ];
        Report::of(folder.path(), arguments, &environment)
    };
    let pascal = report("pascal", &[]);
    assert_eq!(pascal.code, 0);
    pascal.assert("note", "GPU 0", &["Fake GPU", "is not used"]);
    pascal.assert("ok", "NVIDIA driver", &["supports CUDA 13.0"]);
    report("no_device", &[]).assert("note", "GPUs", &["finds no device"]);
    let cuda = report("pascal", &["--backend", "cuda"]);
    cuda.assert("problem", "proves on", &["GPU 0"]);
    // A driver that ends the process is not touched where the CPU was asked for.
    assert_eq!(report("abort", &["--backend", "cpu"]).code, 0);
}
