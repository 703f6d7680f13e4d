// SPDX-License-Identifier: MIT OR Apache-2.0

//! The program `cuzk`, run as people and scripts run it.

use std::io::Write;
use std::process::{Command, Stdio};

pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// Runs the program in an environment without variables of its own.
pub fn cuzk(arguments: &[&str], stdin: &[u8]) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_cuzk"))
        .args(arguments)
        .env_remove("FIL_PROOFS_PARAMETER_CACHE")
        .env_remove("BELLMAN_NO_GPU")
        .env("CUZK_BACKEND", "cpu")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    // The program may end without reading all of it.
    let _ = pipe.write_all(stdin);
    drop(pipe);
    let output = child.wait_with_output().expect("the program ends");
    Ran {
        code: output.status.code().expect("no signal"),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}

/// The only line of standard error of a run that failed.
pub fn failure(arguments: &[&str], stdin: &[u8]) -> String {
    let ran = cuzk(arguments, stdin);
    assert_eq!(ran.code, 1, "{arguments:?}: {}", ran.stderr);
    assert_eq!(ran.stdout, "", "{arguments:?}");
    let line = ran.stderr.trim_end().lines().last().expect("a line");
    let text = line.strip_prefix("cuzk: ").expect("the program's name");
    text.to_owned()
}
