// SPDX-License-Identifier: MIT OR Apache-2.0

//! What users of other provers ran into, where no other test of this project looks: the numbers
//! are those of docs/user-reports.md, which names a test for every report.

mod common;

use std::collections::BTreeSet;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use common::c1::{c1_path, V1_1};
use common::parameters::development_parameters;
use cuzk::filecoin::{c2, SectorSize};
use cuzk_prover::backend::BackendChoice;
use cuzk_prover::schedule::{Context, Options};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder for the loader's path with the driver of prover/tests/fake_cuda.
fn fake_driver() -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let status = Command::new("cc")
            .args(["-shared", "-fPIC", "-o"])
            .arg(folder.path().join("libcuda.so.1"))
            .arg(root().join("prover/tests/fake_cuda/libcuda.c"))
            .status()
            .expect("a C compiler is needed for this test");
        assert!(status.success());
        symlink("libcuda.so.1", folder.path().join("libcuda.so")).expect("a link");
        folder
    });
    folder.path()
}

/// A program where the driver behaves as `mode` says.
fn with_driver(mode: &str, program: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env("LD_LIBRARY_PATH", fake_driver())
        .env("FAKE_CUDA", mode);
    for name in ["BELLMAN_NO_GPU", "CUZK_BACKEND", "CUZK_DEVICES"] {
        command.env_remove(name);
    }
    command
}

fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_cuzk"))
}

fn output(command: &mut Command) -> Output {
    command.output().expect("the program starts")
}

/// The driver of mode "abort" ends the process when it is loaded: whoever comes back did not.
fn touches_the_driver(command: &mut Command) -> bool {
    !output(command).status.success()
}

// 2: asking a program for its version loaded CUDA and crashed on an older card.
#[test]
fn asking_for_version_or_help_does_not_touch_the_driver() {
    for arguments in [&["--version"][..], &["--help"], &["prove", "--help"]] {
        assert!(!touches_the_driver(&mut with_driver(
            "abort",
            program(),
            arguments
        )));
    }
    // The driver does what it is for.
    assert!(touches_the_driver(&mut with_driver(
        "abort",
        program(),
        &["info"]
    )));
}

/// A program of ffi-tests, built against the shared library.
fn c_program(name: &str) -> PathBuf {
    let target = format!("../.cache/ffi-tests/{name}");
    for arguments in [&["library"][..], &["-C", "ffi-tests", &target]] {
        let mut make = Command::new("make");
        let output = output(make.arg("-s").args(arguments).current_dir(root()));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
    }
    root().join(".cache/ffi-tests").join(name)
}

// 2, 17: loading the library, and a proof where the GPU is forbidden, make no CUDA call.
#[test]
fn the_library_touches_the_driver_only_where_a_gpu_may_be_used() {
    let dlopen = c_program("headers/dlopen");
    let library = root().join(".cache/dist/lib/libcuzk.so");
    let library = library.to_str().expect("a path in UTF-8");
    let arguments = [library, "cuzk_version"];
    let mut forbidden = with_driver("abort", &dlopen, &arguments);
    assert!(!touches_the_driver(forbidden.env("BELLMAN_NO_GPU", "1")));
    // The same program counts the devices, which may.
    assert!(touches_the_driver(&mut with_driver(
        "abort", &dlopen, &arguments
    )));

    let small = root().join(".cache/small-circuit");
    if !small.join("small.assignment").exists() {
        let mut test = Command::new(env!("CARGO"));
        test.args(["test", "--release", "--test", "small_circuit"]);
        assert!(output(test.current_dir(root())).status.success());
    }
    let circuit = c_program("shared/circuit");
    let folder = small.to_str().expect("a path in UTF-8");
    assert!(!touches_the_driver(&mut with_driver(
        "abort",
        &circuit,
        &[folder]
    )));
}

// 16, 17: the variable was looked at for being there and not for its value, or not at all.
#[test]
fn bellman_no_gpu_is_obeyed_by_its_value() {
    for (value, forbids) in [
        (None, false),
        (Some(""), false),
        (Some("0"), false),
        (Some("false"), false),
        (Some("1"), true),
        (Some("true"), true),
    ] {
        let mut command = with_driver("abort", program(), &["info"]);
        if let Some(value) = value {
            command.env("BELLMAN_NO_GPU", value);
        }
        assert_eq!(touches_the_driver(&mut command), !forbids, "{value:?}");
    }
}

// 32: no device, or a number that no device has, led to tasks that never ended.
#[test]
fn a_device_that_is_not_there_is_an_error_and_none_at_all_is_a_state() {
    let outcome = |mode, arguments: &[&str], devices: Option<&str>| {
        let mut command = with_driver(mode, program(), arguments);
        if let Some(devices) = devices {
            command.env("CUZK_DEVICES", devices);
        }
        let output = output(&mut command);
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        (output.status.success(), text)
    };
    let (fine, text) = outcome("empty", &["info"], None);
    assert!(fine && text.contains("finds no device"), "{text}");
    for device in [
        "1",
        "4294967295",
        "GPU-00000000-0000-0000-0000-000000000000",
    ] {
        let (fine, text) = outcome("pascal", &["info"], Some(device));
        let named = format!("device {device} was asked for");
        assert!(!fine && text.contains(&named), "{text}");
    }
    let (fine, text) = outcome("pascal", &["info"], Some("-1"));
    assert!(!fine && text.contains("-1"), "{text}");
}

/// The most memory that the program held, in bytes; it must succeed.
fn peak_of(arguments: &[&str]) -> u64 {
    let mut child = Command::new(program())
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        if let Some(kilobytes) = line.and_then(|line| line.trim().strip_suffix(" kB")) {
            peak = kilobytes.trim().parse::<u64>().expect("a number") << 10;
        }
        if let Some(status) = child.try_wait().expect("the child's status") {
            assert!(status.success());
            return peak;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

// 22: proving took what memory there was until the system killed it.
#[test]
fn a_proof_stays_within_its_memory_budget_or_says_what_it_needs() {
    let folder = development_parameters();
    let options = Options {
        backend: Some(BackendChoice::Cpu),
        threads: Some(2),
        parameter_folder: Some(folder.clone()),
        ..Options::default()
    };
    let context = Context::new(options).unwrap();
    let needed = c2::memory_needed(&context, SectorSize::Kib2).unwrap().host;
    drop(context);
    let c1 = c1_path(V1_1);
    let (folder, c1) = (folder.to_str().unwrap(), c1.to_str().unwrap());
    let arguments = |memory: String| {
        let start = ["prove", "--c1", c1, "--actor-id", "1000"].map(str::to_owned);
        let rest = ["--sector-number", "42", "--dir", folder, "--backend", "cpu"];
        let rest = rest.map(str::to_owned);
        let last = ["--threads", "2", "--host-memory"].map(str::to_owned);
        [&start[..], &rest, &last, &[memory]].concat()
    };
    let run = arguments(needed.to_string());
    let run: Vec<&str> = run.iter().map(String::as_str).collect();
    let peak = peak_of(&run);
    // The program itself, its threads' stacks and the C1 output are not the budget's.
    assert!(
        peak < needed + (64 << 20),
        "{peak} bytes held, {needed} allowed"
    );

    let refused = output(Command::new(program()).args(arguments((needed - 1).to_string())));
    assert_eq!(refused.status.code(), Some(1));
    let text = String::from_utf8_lossy(&refused.stderr);
    let last = text.lines().last().expect("a line");
    for words in [needed.to_string(), (needed - 1).to_string()] {
        assert!(last.contains(&words), "{last}");
    }
}

/// The reports that the list must have.
fn numbers() -> BTreeSet<u32> {
    (1..=43).filter(|n| ![15, 24].contains(n)).collect()
}

/// All sources in which a test may stand.
fn sources(folder: &Path, texts: &mut String) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        if path.is_dir() {
            if !["target", ".cache", ".git", "node_modules"].contains(&name.as_str()) {
                sources(&path, texts);
            }
        } else if [".rs", ".c", ".h", ".cpp", ".cu", ".go", "Makefile"]
            .iter()
            .any(|end| name.ends_with(end))
        {
            texts.push_str(&std::fs::read_to_string(&path).unwrap_or_default());
            texts.push_str(&format!("\nfn file:{name}\n"));
        }
    }
}

#[test]
fn every_report_has_its_line_and_every_test_named_is_there() {
    let list = std::fs::read_to_string(root().join("docs/user-reports.md")).unwrap();
    let mut texts = String::new();
    sources(root(), &mut texts);
    let mut seen = BTreeSet::new();
    for line in list.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let Ok(number) = cells[0].parse::<u32>() else {
            continue;
        };
        assert_eq!(cells.len(), 4, "{line}");
        assert!(seen.insert(number), "{number} twice");
        // Names of tests are set as code.
        let tests: Vec<&str> = cells[3].split('`').skip(1).step_by(2).collect();
        assert!(!tests.is_empty(), "{number} names no test");
        for test in tests {
            let forms = [
                format!("fn {test}("),
                format!(" {test}("),
                format!("{test}:"),
                format!("fn file:{test}\n"),
            ];
            let known = forms.iter().any(|form| texts.contains(form));
            assert!(known, "{number}: there is no {test}");
        }
    }
    assert_eq!(seen, numbers());
}
