// SPDX-License-Identifier: MIT OR Apache-2.0
//! Machines with a wrong driver, an old one or none: what the list of devices says there, and that
//! nothing touches the driver before a caller asks for devices.
//!
//! A driver stays loaded in its process, so each case runs in a child: this test program again,
//! with a driver made for the case in front of the loader's path.

use std::path::Path;
use std::process::{Command, Output};

use cuzk_prover::gpu;
use cuzk_prover::ErrorKind;

/// Compiles the fake driver into a folder of its own.
fn fake_driver(folder: &Path) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake_cuda/libcuda.c");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let status = Command::new(compiler)
        .args(["-shared", "-fPIC", "-o"])
        .arg(folder.join("libcuda.so.1"))
        .arg(source)
        .status()
        .expect("a C compiler is needed for this test");
    assert!(status.success());
    // cudarc tries the name without a version first; a real one must not win.
    std::os::unix::fs::symlink("libcuda.so.1", folder.join("libcuda.so")).expect("a link");
}

/// Runs one of the ignored tests below where the driver behaves as `mode` says.
fn child(mode: &str, test: &str) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    fake_driver(folder.path());
    Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", test, "--ignored", "--nocapture"])
        .env("LD_LIBRARY_PATH", folder.path())
        .env("FAKE_CUDA", mode)
        .env_remove("BELLMAN_NO_GPU")
        .output()
        .expect("the child runs")
}

fn listing(mode: &str) -> String {
    let output = child(mode, "child_lists_devices");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{mode}: {text}{output:?}");
    text
}

#[test]
#[ignore = "run by the others in a child process"]
fn child_lists_devices() {
    match gpu::devices() {
        Ok(devices) => {
            for device in &devices {
                println!("{device:?}");
            }
            let error = gpu::select(None).expect_err("no device of the fake driver is usable");
            assert_eq!(error.kind(), ErrorKind::NoDevice);
            println!("selected: {error}");
        }
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::NoDevice);
            println!("error: {error}");
        }
    }
}

#[test]
#[ignore = "run by the others in a child process"]
fn child_asks_for_no_device() {
    std::env::set_var("BELLMAN_NO_GPU", "1");
    let devices = cuzk_prover::device::devices();
    assert_eq!(
        devices.none_because.as_deref(),
        Some("BELLMAN_NO_GPU is set")
    );
    let _ = gpu::BuildInfo::current();
    let _ = gpu::forbidden_by_environment();
    println!("done");
}

#[test]
fn nothing_loads_the_driver_before_devices_are_asked_for() {
    let output = child("abort", "child_asks_for_no_device");
    assert!(output.status.success(), "{output:?}");
    // The fake driver does abort once it is loaded, so the line above means something.
    let output = child("abort", "child_lists_devices");
    assert!(!output.status.success());
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("the driver was loaded"), "{text}");
}

#[test]
fn a_machine_without_devices_says_so() {
    for mode in ["no_device", "empty"] {
        let text = listing(mode);
        assert!(
            text.contains("error: the NVIDIA driver is installed and finds no device"),
            "{text}"
        );
    }
}

#[test]
fn an_old_driver_is_named_with_the_floor() {
    let text = listing("old");
    match gpu::BuildInfo::current().driver_floor() {
        Some(release) => {
            assert!(
                text.contains("the NVIDIA driver supports CUDA 11.4, this build needs"),
                "{text}"
            );
            assert!(
                text.contains(&format!("install driver R{release} or later")),
                "{text}"
            );
        }
        None => assert!(text.contains("built with CUZK_CUDA=0"), "{text}"),
    }
}

#[test]
fn an_unsupported_device_is_listed_with_its_reason() {
    let text = listing("pascal");
    let reason = match gpu::BuildInfo::current().archs.first() {
        Some(oldest) => {
            format!(
                "GPU 0: compute capability 6.1, need >= {}.{}",
                oldest / 10,
                oldest % 10
            )
        }
        None => "GPU 0: this build has no CUDA kernels (built with CUZK_CUDA=0)".to_owned(),
    };
    assert!(text.contains("Fake GPU"), "{text}");
    assert!(
        text.contains("GPU-00010203-0405-0607-0809-0a0b0c0d0e0f"),
        "{text}"
    );
    assert!(text.contains(&format!("selected: {reason}")), "{text}");
}

#[test]
fn a_device_that_cannot_be_opened_is_listed_with_its_reason() {
    let text = listing("broken");
    if gpu::BuildInfo::current().archs.contains(&90) {
        assert!(
            text.contains("selected: GPU 0: the device is busy"),
            "{text}"
        );
        assert!(text.contains("CUDA_ERROR_DEVICE_UNAVAILABLE, 46"), "{text}");
    } else {
        assert!(text.contains("selected: GPU 0: "), "{text}");
    }
}
