// SPDX-License-Identifier: MIT OR Apache-2.0

//! `cuzk prove` of several sectors: a bad one does not fail the others, and each is accounted for.

mod common;

use std::path::Path;

use common::c1::{c1_path, Fixture, NON_INTERACTIVE, V1, V1_1};
use common::parameters::development_parameters;
use common::program::{cuzk, failure, Ran};
use serde_json::Value;

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

#[test]
fn bad_outputs_do_not_fail_their_neighbours() {
    let parameters = development_parameters();
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        text(&path).to_owned()
    };
    let fixture = Fixture::load(V1_1);
    let good = write("good.json", &fixture.wrapped());
    let again = write("again.json", &fixture.wrapped());
    let cut = write("cut.json", &fixture.c1[..5000]);
    let no_json = write("no.json", b"\xff\xfe not JSON");
    let other_prover = write("other.json", &Fixture::load(V1).wrapped());
    let absent = text(&folder.path().join("absent.json")).to_owned();
    let of_another_sector = write("ni.json", &Fixture::load(NON_INTERACTIVE).wrapped());
    let unnumbered = text(&c1_path(V1_1)).to_owned();

    let files = [
        &no_json,
        &good,
        &cut,
        &absent,
        &other_prover,
        &of_another_sector,
        &unnumbered,
        &again,
    ];
    let proofs = folder.path().join("proofs");
    std::fs::create_dir(&proofs).unwrap();
    let mut arguments = vec!["prove", "--json", "--actor-id", "f01000", "--at-once", "2"];
    arguments.extend([
        "--dir",
        text(&parameters),
        "--out-dir",
        text(&proofs),
        "--c1",
    ]);
    arguments.extend(files.iter().map(|file| file.as_str()));
    let ran = cuzk(&arguments, b"");
    assert_eq!(ran.code, 1, "{}", ran.stderr);

    // A line for each sector as it ended, and the sum of it.
    let line = |file: &str| {
        let lines: Vec<&str> = ran.stderr.lines().filter(|l| l.contains(file)).collect();
        assert_eq!(lines.len(), 1, "{file}: {}", ran.stderr);
        lines[0].to_owned()
    };
    assert!(line(&good).starts_with("2/8 ") && line(&good).contains(": sector 42, proved in "));
    assert!(line(&again).contains(": sector 42, proved in "));
    assert!(line(&no_json).contains(": sector unknown, failed: "));
    for file in [
        &cut,
        &absent,
        &other_prover,
        &of_another_sector,
        &unnumbered,
    ] {
        assert!(line(file).contains(", failed: "), "{file}");
    }
    assert!(
        ran.stderr.contains("2 of 8 proved, 6 failed, in "),
        "{}",
        ran.stderr
    );

    // As JSON, in the order of the files.
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        (&document["proved"], &document["failed"]),
        (&2.into(), &6.into())
    );
    let sectors = document["sectors"].as_array().unwrap();
    let expected = [
        Some(("INVALID_C1", "no.json")),
        None,
        Some(("INVALID_C1", "cut.json")),
        Some(("IO", "absent.json")),
        Some(("INVALID_ARGUMENT", "other.json")),
        Some(("INVALID_ARGUMENT", "ni.json")),
        Some(("INVALID_ARGUMENT", "give --sector-number")),
        None,
    ];
    for ((sector, file), expected) in sectors.iter().zip(files).zip(expected) {
        assert_eq!(sector["file"], file.as_str());
        match expected {
            Some((status, words)) => {
                assert_eq!(
                    sector["status"],
                    format!("CUZK_STATUS_{status}"),
                    "{sector}"
                );
                let error = sector["error"].as_str().unwrap();
                assert!(error.contains(words), "{error}");
                assert_eq!(sector["proof"], Value::Null);
            }
            None => {
                assert_eq!(sector["sector_number"], 42);
                assert_eq!(sector["error"], Value::Null);
                assert!(sector["timings"]["nanoseconds"]["total"].as_u64().unwrap() > 0);
            }
        }
    }

    // The proofs are in the folder, valid, and nothing else is.
    let mut written: Vec<_> = std::fs::read_dir(&proofs)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    written.sort();
    assert_eq!(written, ["again.json.proof", "good.json.proof"]);
    for name in written {
        let proof = proofs.join(name);
        let arguments = ["verify", "--proof", text(&proof), "--c1", &good];
        let rest = ["--actor-id", "1000", "--dir", text(&parameters)];
        let ran = cuzk(&[&arguments[..], &rest].concat(), b"");
        assert_eq!((ran.code, ran.stdout.as_str()), (0, "valid\n"));
    }
}

/// The lines of standard output: sector numbers and proofs.
fn proofs(ran: &Ran) -> Vec<(&str, &str)> {
    let lines = ran.stdout.lines();
    lines
        .map(|line| line.split_once(' ').expect("two words"))
        .collect()
}

#[test]
fn numbers_go_by_the_order_of_the_files_and_proofs_come_as_lines() {
    let parameters = development_parameters();
    let (first, second) = (c1_path(V1_1), c1_path(V1));
    let prove = |numbers: [&str; 2]| {
        let mut arguments = vec!["prove", "--actor-id", "1000", "--dir", text(&parameters)];
        arguments.extend(["--c1", text(&first), "--c1", text(&second)]);
        arguments.push("--sector-number");
        arguments.extend(numbers);
        cuzk(&arguments, b"")
    };
    // The second one is another provider's.
    let ran = prove(["42", "1"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let lines = proofs(&ran);
    assert_eq!(lines.len(), 1);
    assert_eq!((lines[0].0, lines[0].1.len()), ("42", 2 * 192));
    assert!(ran.stderr.contains("sector 1, failed: "), "{}", ran.stderr);
}

#[test]
fn what_cannot_be_meant_is_refused_before_anything_is_proved() {
    let folder = tempfile::tempdir().unwrap();
    let folder = text(folder.path());
    let prove = |arguments: &[&str]| {
        let start = ["prove", "--actor-id", "1000", "--dir", folder];
        failure(&[&start, arguments].concat(), b"")
    };
    let text = prove(&["--c1", "a", "b", "--sector-number", "1"]);
    assert!(
        text.starts_with("1 sector numbers for 2 C1 outputs"),
        "{text}"
    );
    let text = prove(&["--c1", "a", "b", "--out", "c"]);
    assert!(
        text.contains("--out names one file, 2 C1 outputs"),
        "{text}"
    );
    let text = prove(&["--c1", "x/a", "y/a", "--out-dir", folder]);
    assert!(text.contains("two proofs would be written to"), "{text}");
    let text = prove(&["--c1", "a", "b", "--out-dir", "/no/such"]);
    assert_eq!(text, "--out-dir /no/such: no such folder");
    for arguments in [
        &["--c1", "a", "--out", "b", "--out-dir", folder][..],
        &["--c1", "a", "--at-once", "0"],
        &["--c1"],
    ] {
        let start = ["prove", "--actor-id", "1000"];
        assert_eq!(cuzk(&[&start[..], arguments].concat(), b"").code, 2);
    }
}
