// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tells the crate whether cuzk-prover brings CUDA's runtime library along.

fn main() {
    println!("cargo:rustc-check-cfg=cfg(cuzk_cuda)");
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var_os("DEP_CUZK_CUDA_KERNELS").is_some() {
        println!("cargo:rustc-cfg=cuzk_cuda");
    }
}
