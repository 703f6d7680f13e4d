// SPDX-License-Identifier: MIT OR Apache-2.0
//! The build, the driver, the devices, and how much of the machine may be used.

use cuzk::{Error, ErrorKind};
use cuzk_prover::device::devices;
use cuzk_prover::gpu::BuildInfo;
use cuzk_prover::schedule::{Context, ContextInfo};

use super::Check;
use crate::args::{BackendArg, ContextArgs};
use crate::report::bytes;

/// What the build can do on GPUs, what the driver says, and every device.
pub fn build_and_devices(args: &ContextArgs) -> Vec<Check> {
    let mut checks = vec![build()];
    // As asked for: not one CUDA call.
    if args.backend == Some(BackendArg::Cpu) {
        return checks;
    }
    let devices = devices();
    if let Some((major, minor)) = devices.driver {
        let text = format!("supports CUDA {major}.{minor}");
        checks.push(Check::ok("NVIDIA driver", text));
    }
    if let Some(reason) = devices.none_because {
        checks.push(Check::note(
            "GPUs",
            format!("none: {reason}"),
            "proofs are made on the CPU; if there is a GPU, mend what is said here",
        ));
    }
    for device in devices.list {
        let subject = format!("GPU {}", device.ordinal);
        let name = format!("{} ({})", device.name, device.uuid);
        checks.push(match device.refusal {
            None => Check::ok(
                subject,
                format!(
                    "{name}, {} of {} free",
                    bytes(device.free_bytes),
                    bytes(device.total_bytes)
                ),
            ),
            Some(refusal) => Check::note(
                subject,
                format!("{name} is not used: {refusal}"),
                "the other devices or the CPU prove; to silence this, name the devices to use in \
                 CUZK_DEVICES",
            ),
        });
    }
    checks
}

fn build() -> Check {
    let info = BuildInfo::current();
    let version = format!("cuzk {}", env!("CARGO_PKG_VERSION"));
    let Some(toolkit) = info.toolkit else {
        return Check::note(
            "build",
            format!("{version}, without GPU kernels"),
            "to prove on GPUs, build with CUZK_CUDA=1 and a CUDA toolkit",
        );
    };
    let archs: Vec<String> = info
        .archs
        .iter()
        .map(|arch| format!("{}.{}", arch / 10, arch % 10))
        .collect();
    let floor = match info.driver_floor() {
        Some(release) => format!("driver R{release} or later"),
        None => "a driver of its version".to_owned(),
    };
    Check::ok(
        "build",
        format!(
            "{version}, kernels of CUDA {toolkit} for compute capabilities {}; needs {floor}",
            archs.join(", ")
        ),
    )
}

/// Makes the context that `cuzk prove` would make with these options. If that cannot be, one on
/// the CPU, so that the rest can be looked at.
pub fn context(args: &ContextArgs, checks: &mut Vec<Check>) -> Option<Context> {
    match args.open() {
        Ok(context) => {
            if let Ok(info) = context.info() {
                let text = format!("{}: {}", info.backends.join(", "), info.reason);
                checks.push(Check::ok("proves on", text));
            }
            Some(context)
        }
        Err(error) => {
            checks.push(Check::problem(
                "proves on",
                format!("nothing: {error}"),
                advice(&error),
            ));
            let on_cpu = ContextArgs {
                backend: Some(BackendArg::Cpu),
                ..args.clone()
            };
            on_cpu.open().ok()
        }
    }
}

fn advice(error: &Error) -> &'static str {
    match error.kind() {
        ErrorKind::NoDevice => {
            "mend what is said here, or let the CPU prove: --backend auto, CUZK_BACKEND=auto"
        }
        ErrorKind::InvalidArgument => "correct the option or the environment variable named here",
        ErrorKind::OutOfMemory => "give fewer threads, or raise the limits of the process",
        ErrorKind::OutOfDeviceMemory => "end what else uses the device, or name another one",
        _ => "see the reason",
    }
}

/// The budget and what is free of it now, and the threads.
pub fn memory_and_threads(info: &ContextInfo) -> Vec<Check> {
    let budget = info.budget.host;
    let limit = format!("at most {}, {}", bytes(budget), info.host_budget_source);
    let memory = match available_now() {
        Some(free) => format!("{limit}; {} are free now", bytes(free)),
        None => limit,
    };
    let memory = Check::ok("host memory", memory);
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = format!("{} on {processors} processors", info.threads);
    let threads = match info.threads > processors {
        true => Check::note(
            "threads",
            threads,
            "more threads than processors only wait for each other: unset CUZK_GPU_THREADS",
        ),
        false => Check::ok("threads", threads),
    };
    vec![memory, threads]
}

/// Memory that can be had without swapping, as the kernel estimates it.
pub fn available_now() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}
