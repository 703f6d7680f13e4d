// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whole circuits on one GPU, with the proportions of a PoRep partition: loading the parameters,
//! one proof at a time, and proofs back to back from two threads. Every proof is verified.
//!
//!     cargo bench -p cuzk-prover --bench gpu_circuit -- [sizes, such as 16,20,24,27]
//!         [--proofs N] [--budgets GIB,GIB] [--packed] [--locked] [--soak N]
//!
//! A budget of 0 is the whole device; with several devices all are measured together, too. With
//! --packed the witness comes as bits and values, with --locked vectors are page-locked first.
//! --soak makes as many proofs more and tells the device's free memory after two and after all.
//! At 2^27 it needs 80 GB of host memory: the parameters are a file in memory.

#[cfg(cuzk_cuda)]
#[path = "../tests/common/memory_file.rs"]
mod memory_file;
#[cfg(cuzk_cuda)]
#[path = "../tests/common/synthetic.rs"]
mod synthetic;

#[cfg(cuzk_cuda)]
#[path = "gpu_circuit/measure.rs"]
mod measure;

#[cfg(cuzk_cuda)]
fn main() {
    measure::run(std::env::args().skip(1));
}

#[cfg(not(cuzk_cuda))]
fn main() {
    println!("skipped: this build has no CUDA kernels");
}
