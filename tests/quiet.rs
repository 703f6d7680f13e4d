// SPDX-License-Identifier: MIT OR Apache-2.0

//! What the library does behind a caller's back: nothing. A C program that proves is watched by
//! strace.

use std::path::Path;
use std::process::Command;

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{command:?}: {errors}");
    errors
}

/// Names of files that are there whatever the library does, and that it may read.
fn may_be_read(path: &str) -> bool {
    let system = ["/lib", "/usr/lib", "/etc/ld.so", "/proc/", "/sys/"];
    system.iter().any(|start| path.starts_with(start))
}

#[test]
fn a_proof_writes_no_file_and_prints_nothing() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    run(Command::new("make")
        .args(["-s", "library"])
        .current_dir(root));
    run(Command::new("make")
        .args([
            "-s",
            "-C",
            "ffi-tests",
            "../.cache/ffi-tests/shared/circuit",
        ])
        .current_dir(root));
    let circuit = root.join(".cache/small-circuit");
    if !circuit.join("small.assignment").exists() {
        run(Command::new(env!("CARGO"))
            .args(["test", "--release", "--test", "small_circuit"])
            .current_dir(root));
    }
    let trace = Path::new(env!("CARGO_TARGET_TMPDIR")).join("quiet.strace");
    let errors = run(Command::new("strace")
        .args(["-f", "-qq", "-e", "trace=%file,rt_sigaction", "-o"])
        .arg(&trace)
        .arg(root.join(".cache/ffi-tests/shared/circuit"))
        .arg(&circuit)
        // Cargo's own, which the loader would search.
        .env_remove("LD_LIBRARY_PATH")
        .env_remove("CUZK_LOG")
        .env("BELLMAN_NO_GPU", "1"));
    assert_eq!(errors, "", "on standard error");

    let trace = std::fs::read_to_string(trace).unwrap();
    let mut params = 0;
    for line in trace.lines() {
        let writes = [
            "O_WRONLY", "O_RDWR", "O_CREAT", "unlink", "rename", "mkdir", "chmod",
        ];
        assert!(!writes.iter().any(|word| line.contains(word)), "{line}");
        assert!(
            !line.contains("libcuda"),
            "CUDA looked for though forbidden: {line}"
        );
        // SIGRT_1 is glibc's own, which it handles from a process's first thread on.
        let handler = line.contains("rt_sigaction(")
            && line.contains("sa_handler=0x")
            && !line.contains("rt_sigaction(SIGRT_1,");
        assert!(!handler, "a signal handler: {line}");
        let Some(path) = line.split('"').nth(1).filter(|_| line.contains("openat(")) else {
            continue;
        };
        if path.ends_with("small.params") {
            assert!(line.contains("O_CLOEXEC"), "inherited by children: {line}");
            params += 1;
        }
        let expected = may_be_read(path) || path.starts_with(root.to_str().unwrap());
        assert!(expected, "opened {path}");
    }
    assert!(params > 0, "the trace shows no parameter file");
}
