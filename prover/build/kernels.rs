// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernels' static library: nvcc through `cc`, and what it needs beside it.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::{env, thread};

use super::toolkit::Toolkit;

/// One object a file, several at a time, joined in one static library.
pub fn compile(
    toolkit: &Toolkit,
    cuda: &Path,
    files: &[PathBuf],
    archs: &[u32],
) -> Result<(), String> {
    env::set_var("NVCC", &toolkit.nvcc);
    let queue = Mutex::new(files.iter());
    let objects = Mutex::new(Vec::new());
    let jobs = env::var("NUM_JOBS")
        .ok()
        .and_then(|jobs| jobs.parse().ok())
        .unwrap_or(1usize);
    let work = || -> Result<(), String> {
        while let Some(file) = { queue.lock().map_err(|error| error.to_string())?.next() } {
            // A `cc::Build` of one CUDA file compiles whole programs; with more files it would
            // ask for relocatable device code. Debug would turn the device optimiser off.
            let mut build = cc::Build::new();
            build
                .cuda(true)
                .cudart("none")
                .cpp_link_stdlib(None)
                .include(cuda)
                .file(file);
            build
                .debug(false)
                .opt_level(3)
                .warnings(false)
                .flag("-std=c++17");
            for flag in ["-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics"] {
                build.flag("-Xcompiler").flag(flag);
            }
            build.flag("-Xcompiler").flag("-fvisibility=hidden");
            // CUB includes <iostream> and uses nothing of it. The header's include guard keeps
            // out its static initialiser, which alone would make the library need libstdc++.
            build.define("_GLIBCXX_IOSTREAM", None);
            for arch in archs {
                build
                    .flag("-gencode")
                    .flag(format!("arch=compute_{arch},code=sm_{arch}"));
            }
            if let Some(newest) = archs.last() {
                build
                    .flag("-gencode")
                    .flag(format!("arch=compute_{newest},code=compute_{newest}"));
            }
            let made = build
                .try_compile_intermediates()
                .map_err(|error| error.to_string())?;
            objects
                .lock()
                .map_err(|error| error.to_string())?
                .extend(made);
        }
        Ok(())
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs.min(files.len()))
            .map(|_| scope.spawn(work))
            .collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().map_err(|_| "a worker panicked")?)
    })?;
    let mut library = cc::Build::new();
    library.objects(objects.into_inner().map_err(|error| error.to_string())?);
    library
        .try_compile("cuzk_cuda")
        .map_err(|error| error.to_string())?;
    println!(
        "cargo:rustc-link-search=native={}",
        toolkit.library_folder()?.display()
    );
    println!("cargo:rustc-link-lib=static=cudart_static");
    for library in ["rt", "pthread", "dl"] {
        println!("cargo:rustc-link-lib={library}");
    }
    Ok(())
}
