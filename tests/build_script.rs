// SPDX-License-Identifier: MIT OR Apache-2.0

//! What the build does on machines with another CUDA toolkit, or none: the build script itself is
//! run, with compilers made for the case.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A machine: a checkout with one kernel, and perhaps a toolkit.
struct Machine {
    folder: tempfile::TempDir,
    environment: Vec<(String, String)>,
}

struct Built {
    ok: bool,
    stdout: String,
    error: String,
}

impl Machine {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["prover", "cuda", "out"] {
            std::fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        std::fs::write(folder.path().join("cuda/one.cu"), "").expect("a kernel");
        Self {
            folder,
            environment: Vec::new(),
        }
    }

    fn set(mut self, name: &str, value: impl Into<String>) -> Self {
        self.environment.push((name.to_owned(), value.into()));
        self
    }

    /// Adds a toolkit whose nvcc knows its version, offers architectures, and writes down how it
    /// is called; it compiles with the host's compiler.
    fn with_toolkit(self, version: &str, archs: &[u32], newest_gcc: u32) -> Self {
        let home = self.folder.path().join("cuda-home");
        for name in ["bin", "include/crt", "lib64"] {
            std::fs::create_dir_all(home.join(name)).expect("a folder");
        }
        let archs: Vec<String> = archs.iter().map(|a| format!("compute_{a}")).collect();
        let script = format!(
            "#!/bin/sh\n\
             case $1 in\n\
             --version) echo 'Cuda compilation tools, release 1, V{version}'; exit;;\n\
             --list-gpu-arch) printf '%s\\n' {}; exit;;\n\
             esac\n\
             echo \"$@\" >> '{}'\n\
             while [ $# -gt 0 ]; do [ \"$1\" = -o ] && out=$2; shift; done\n\
             : | cc -x c -c - -o \"$out\"\n",
            archs.join(" "),
            self.folder.path().join("calls").display(),
        );
        let nvcc = home.join("bin/nvcc");
        std::fs::write(&nvcc, script).expect("an nvcc");
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&nvcc, executable).expect("an nvcc that runs");
        let limit = format!("#if __GNUC__ > {newest_gcc}\n#error\n#endif\n");
        std::fs::write(home.join("include/crt/host_config.h"), limit).expect("a header");
        std::fs::write(home.join("lib64/libcudart_static.a"), "").expect("a library");
        let home = home.display().to_string();
        self.set("CUDA_HOME", home)
    }

    fn build(&self) -> Built {
        let mut command = Command::new(script());
        command
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("CARGO_MANIFEST_DIR", self.folder.path().join("prover"))
            .env("CARGO_CFG_TARGET_ARCH", "x86_64")
            .env("OUT_DIR", self.folder.path().join("out"))
            .env("TARGET", "x86_64-unknown-linux-gnu")
            .env("HOST", "x86_64-unknown-linux-gnu")
            .env("OPT_LEVEL", "3")
            .current_dir(self.folder.path());
        for (name, value) in &self.environment {
            command.env(name, value);
        }
        let output = command.output().expect("the script runs");
        Built {
            ok: output.status.success(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            error: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The error of a build that must fail; it is one line.
    fn refused(&self) -> String {
        let built = self.build();
        assert!(!built.ok, "{}", built.stdout);
        let lines: Vec<&str> = built.error.lines().collect();
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(built.stdout.contains("cargo:error="), "{}", built.stdout);
        lines[0].to_owned()
    }

    /// How nvcc was called.
    fn calls(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("calls")).unwrap_or_default()
    }
}

/// The build script that Cargo compiled for this build: the newest, if there are several.
fn script() -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_cuzk"));
    let builds = program.parent().expect("a folder").join("build");
    let found = std::fs::read_dir(&builds).expect("Cargo's folder of build scripts");
    let scripts = found
        .map(|entry| entry.expect("an entry"))
        .filter(|entry| {
            entry
                .file_name()
                .to_string_lossy()
                .starts_with("cuzk-prover-")
        })
        .map(|entry| entry.path().join("build-script-build"))
        .filter(|path| path.exists());
    let changed = |path: &PathBuf| path.metadata().and_then(|m| m.modified()).ok();
    scripts.max_by_key(changed).expect("the build script")
}

/// Whether this machine has a toolkit where every build looks.
fn has_its_own() -> bool {
    Path::new("/usr/local/cuda/bin/nvcc").exists() || Path::new("/usr/bin/nvcc").exists()
}

#[test]
fn kernels_that_were_asked_for_are_compiled_or_the_build_fails() {
    if has_its_own() {
        eprintln!("skipped: this machine has a CUDA toolkit in /usr");
        return;
    }
    let error = Machine::new().set("CUZK_CUDA", "1").refused();
    for words in [
        "CUZK_CUDA=1 needs nvcc and none was found",
        "/usr/local/cuda/bin/nvcc",
        "scripts/cuda-toolkit.sh",
    ] {
        assert!(error.contains(words), "{error}");
    }
    let named = Machine::new()
        .set("CUZK_CUDA", "1")
        .set("CUDA_HOME", "/opt/nowhere")
        .refused();
    assert!(named.contains("/opt/nowhere/bin/nvcc"), "{named}");

    // Not asked for: a build without, which says so.
    let built = Machine::new().build();
    assert!(built.ok, "{}", built.error);
    assert!(built.stdout.contains("CUZK_CUDA_TOOLKIT=\n"));
    assert!(!built.stdout.contains("cargo:rustc-cfg=cuzk_cuda"));
}

#[test]
fn a_choice_that_means_nothing_is_refused() {
    let error = Machine::new().set("CUZK_CUDA", "yes").refused();
    assert!(
        error.contains("CUZK_CUDA is \"yes\", expected 0, 1"),
        "{error}"
    );
    let off = Machine::new()
        .with_toolkit("13.0.88", &[75, 90], 99)
        .set("CUZK_CUDA", "0");
    assert!(off.build().ok);
    assert_eq!(off.calls(), "");
}

#[test]
fn only_architectures_that_the_compiler_offers_are_compiled_for() {
    // As 13 offers them: those before Turing are gone.
    let machine = Machine::new().with_toolkit("13.0.88", &[75, 80, 86, 87, 89, 90, 100, 110], 99);
    let built = machine.build();
    assert!(built.ok, "{}", built.error);
    assert!(built.stdout.contains("CUZK_CUDA_TOOLKIT=13.0.88\n"));
    assert!(built
        .stdout
        .contains("CUZK_CUDA_BUILT_ARCHS=75,80,86,89,90,100\n"));
    let calls = machine.calls();
    assert!(calls.contains("arch=compute_75,code=sm_75"), "{calls}");
    // The newest also as PTX, for what comes later.
    assert!(
        calls.contains("arch=compute_100,code=compute_100"),
        "{calls}"
    );
    for absent in ["compute_70", "compute_120", "compute_110"] {
        assert!(!calls.contains(absent), "{calls}");
    }

    // As 12.0 offers them: those before ours are not wanted, the newest of ours not known.
    let machine = Machine::new().with_toolkit("12.0.140", &[50, 60, 70, 75, 80, 86, 89, 90], 99);
    let built = machine.build();
    assert!(
        built
            .stdout
            .contains("CUZK_CUDA_BUILT_ARCHS=75,80,86,89,90\n"),
        "{}",
        built.error
    );
    assert!(!machine.calls().contains("compute_70"));

    let asked = |archs: &str| {
        Machine::new()
            .with_toolkit("13.0.88", &[75, 90], 99)
            .set("CUZK_CUDA_ARCHS", archs)
    };
    assert!(asked("9.0").build().stdout.contains("BUILT_ARCHS=90\n"));
    let error = asked("70").refused();
    assert!(
        error.contains("names \"70\"") && error.contains("[75, 90]"),
        "{error}"
    );
}

#[test]
fn a_toolkit_or_host_compiler_that_does_not_do_is_named_before_anything_is_compiled() {
    let old = Machine::new().with_toolkit("11.8.89", &[75], 99);
    let error = old.refused();
    assert!(
        error.contains("CUDA 11.8.89, 12.0 or later is needed"),
        "{error}"
    );

    let machine = Machine::new().with_toolkit("12.2.91", &[75], 4);
    let error = machine.refused();
    assert!(error.contains("takes GCC up to 4"), "{error}");
    assert!(error.contains("CXX=g++-4"), "{error}");
    assert_eq!(machine.calls(), "");

    let machine = Machine::new()
        .with_toolkit("13.0.88", &[75], 99)
        .set("CXX", "/no/such/compiler");
    let error = machine.refused();
    assert!(error.contains("/no/such/compiler does not run"), "{error}");

    let machine = Machine::new().with_toolkit("13.0.88", &[75], 99);
    let runtime = machine
        .folder
        .path()
        .join("cuda-home/lib64/libcudart_static.a");
    std::fs::remove_file(runtime).expect("the library");
    let error = machine.refused();
    assert!(
        error.contains("no libcudart_static.a for nvcc 13.0.88 in "),
        "{error}"
    );
    assert!(error.contains("cuda-home/lib64"), "{error}");
}
