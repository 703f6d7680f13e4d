// SPDX-License-Identifier: MIT OR Apache-2.0
//! The GPU against the CPU: the same parameters and assignments, every sum and whole proofs.
//!
//! Run on a machine with a GPU; without one, every test is named as skipped with the reason.
//! Arguments choose tests by parts of their names.

#[cfg(cuzk_cuda)]
#[path = "common/memory_file.rs"]
mod memory_file;
#[cfg(cuzk_cuda)]
#[path = "common/synthetic.rs"]
mod synthetic;

#[cfg(cuzk_cuda)]
#[path = "backends_agree/cases.rs"]
mod cases;

use std::process::ExitCode;

/// What each test claims; `cases` has them in this order.
const NAMES: [&str; 15] = [
    "sums_agree_at_every_size",
    "sums_agree_for_bits_and_values_at_the_edges",
    "sums_agree_with_repeated_and_opposite_points",
    "a_packed_witness_gives_the_same_sums",
    "rows_evaluated_on_the_device_give_the_same_sums",
    "repeated_blocks_give_the_same_sums",
    "a_small_budget_gives_the_same_sums",
    "whole_proofs_verify",
    "two_proofs_at_a_time_give_the_same_sums",
    "a_bad_point_is_named_as_on_the_cpu",
    "too_small_a_budget_is_an_error_and_leaves_the_device_usable",
    "cancelled_work_ends_and_leaves_the_device_usable",
    "fifty_proofs_leave_the_memory_as_two_do",
    "memory_that_others_took_is_done_without",
    "batches_of_ten_verify",
];

fn main() -> ExitCode {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| !arg.starts_with('-'))
        .collect();
    let chosen =
        |name: &&str| wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str()));
    let names: Vec<&str> = NAMES.into_iter().filter(chosen).collect();
    match run(&names) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(failed) => {
            println!("backends_agree: {failed} of {} tests failed", names.len());
            ExitCode::FAILURE
        }
        Err(reason) => {
            for name in &names {
                println!("test {name} ... skipped: {reason}");
            }
            ExitCode::SUCCESS
        }
    }
}

/// Runs the tests and counts those that failed; or says why none can run.
#[cfg(cuzk_cuda)]
fn run(names: &[&str]) -> Result<usize, String> {
    use std::panic::{catch_unwind, AssertUnwindSafe};

    let device = cases::open(None).map_err(|error| error.to_string())?;
    let mut failed = 0;
    for (name, case) in NAMES.iter().zip(cases::CASES) {
        if !names.contains(name) {
            continue;
        }
        let passed = catch_unwind(AssertUnwindSafe(|| case(&device))).is_ok();
        println!("test {name} ... {}", if passed { "ok" } else { "FAILED" });
        failed += usize::from(!passed);
    }
    Ok(failed)
}

#[cfg(not(cuzk_cuda))]
fn run(_names: &[&str]) -> Result<usize, String> {
    Err("this build has no CUDA kernels".to_owned())
}
