// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a device must do: keep parameters, turn an assignment into the quotient and the five sums;
//! and the choice of the device.

pub use crate::cancel::Cancel;
pub use crate::srs::ResidentSrs;

use std::sync::Arc;

use crate::circuit::{Bitmap, CompactAux, CompiledCircuit};
use crate::cpu::CpuBackend;
use crate::curve::{G1Projective, G2Projective, Scalar};
use crate::gpu::{self, DeviceSelector, GpuOptions};
use crate::srs::{Checks, HostSrs, ParameterFile, SrsShape};
use crate::timing::Timings;
use crate::{Error, ErrorKind, Result};

/// The auxiliary part of an assignment.
#[derive(Clone, Copy)]
pub enum AuxAssignment<'a> {
    /// One scalar a variable, as callers of the low-level interface bring it.
    Scalars(&'a [Scalar]),
    /// Bits and full values.
    Compact(&'a CompactAux),
}

impl AuxAssignment<'_> {
    /// Number of auxiliary variables.
    pub fn len(&self) -> usize {
        match self {
            AuxAssignment::Scalars(aux) => aux.len(),
            AuxAssignment::Compact(aux) => aux.len(),
        }
    }

    /// Whether there are no auxiliary variables.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Where the evaluations of the constraint rows come from.
#[derive(Clone, Copy)]
pub enum Rows<'a> {
    /// The caller evaluated them: one scalar a row, rows for the inputs included.
    Given {
        /// A times the assignment.
        a: &'a [Scalar],
        /// B times the assignment.
        b: &'a [Scalar],
        /// C times the assignment.
        c: &'a [Scalar],
    },
    /// The backend evaluates the rows of this circuit.
    Compiled(&'a CompiledCircuit),
}

/// Everything of one proof but its parameters and its blinding scalars.
#[derive(Clone, Copy)]
pub struct Assignment<'a> {
    /// The evaluations of the rows.
    pub rows: Rows<'a>,
    /// The public inputs, constant one first.
    pub input: &'a [Scalar],
    /// The auxiliary variables.
    pub aux: AuxAssignment<'a>,
    /// Which auxiliary variables have a point in the a query.
    pub a_aux_density: &'a Bitmap,
    /// Which inputs have points in the b queries.
    pub b_input_density: &'a Bitmap,
    /// Which auxiliary variables have points in the b queries.
    pub b_aux_density: &'a Bitmap,
}

/// The five sums over the queries, each with its inputs' part, before blinding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sums {
    /// Coefficients of the quotient (a b - c) / Z over the h query.
    pub h: G1Projective,
    /// Auxiliary variables over the l query.
    pub l: G1Projective,
    /// Inputs and auxiliary variables over the a query.
    pub a: G1Projective,
    /// Over the b query in G1.
    pub b_g1: G1Projective,
    /// Over the b query in G2.
    pub b_g2: G2Projective,
}

/// Memory that something takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Bytes in the host.
    pub host: u64,
    /// Bytes on the device.
    pub device: u64,
}

impl std::ops::Add for Memory {
    type Output = Memory;

    fn add(self, other: Memory) -> Memory {
        Memory {
            host: self.host.saturating_add(other.host),
            device: self.device.saturating_add(other.device),
        }
    }
}

impl std::iter::Sum for Memory {
    fn sum<I: Iterator<Item = Memory>>(parts: I) -> Memory {
        parts.fold(Memory::default(), |sum, part| sum + part)
    }
}

/// Which kind of device proves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BackendChoice {
    /// A GPU where one can be used, otherwise the CPU.
    #[default]
    Auto,
    /// The CPU; no CUDA call is made.
    Cpu,
    /// A GPU, or an error.
    Cuda,
}

impl BackendChoice {
    /// The choice of that name: auto, cpu or cuda, in either case.
    pub fn from_name(name: &str) -> Option<Self> {
        let names = [
            ("auto", BackendChoice::Auto),
            ("cpu", BackendChoice::Cpu),
            ("cuda", BackendChoice::Cuda),
        ];
        let found = names
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name.trim()));
        found.map(|(_, choice)| *choice)
    }
}

/// The generator of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generator {
    /// Of G1; points take 96 bytes.
    G1,
    /// Of G2; points take 192 bytes.
    G2,
}

impl Generator {
    /// Bytes of a point, in memory and encoded.
    pub fn point_bytes(self) -> usize {
        match self {
            Generator::G1 => 96,
            Generator::G2 => 192,
        }
    }
}

/// Where encoded points go: the number of the first, and their bytes.
pub type PointSink<'s> = dyn Fn(usize, &[u8]) -> Result<()> + Sync + 's;

/// A device that makes parameters for development.
pub trait Multiplier: Sync {
    /// Hands the multiples of a generator by all scalars to `sink`, as a parameter file holds
    /// them: piece by piece, from several threads and in no order.
    fn multiples(
        &self,
        generator: Generator,
        scalars: &[Scalar],
        sink: &PointSink<'_>,
    ) -> Result<()>;
}

/// A device that proves: the CPU or a GPU.
pub trait Backend: Send + Sync {
    /// The name in timings and reports: "cpu", or "cuda" with the device.
    fn name(&self) -> &str;

    /// The most device memory that it holds, in bytes; 0 for a backend without a device.
    fn device_bytes(&self) -> u64 {
        0
    }

    /// Proofs that it can have in work at a time: with two, one's upload overlaps another's
    /// computation.
    fn turns(&self) -> usize {
        1
    }

    /// Whether `sums` computes on the context's rayon pool; otherwise it waits for a device, on a
    /// thread that is not of the pool.
    fn computes_on_host(&self) -> bool {
        true
    }

    /// Memory that parameters of this shape take while they are resident.
    fn srs_memory(&self, shape: &SrsShape) -> Memory {
        Memory {
            host: shape.affine_bytes(),
            device: 0,
        }
    }

    /// Memory that one call of `sums` takes beside the parameters and the assignment; called on
    /// the context's rayon pool.
    fn work_memory(&self, shape: &SrsShape) -> Memory;

    /// What makes parameters for development faster than the CPU, if it does.
    fn multiplier(&self) -> Option<&dyn Multiplier> {
        None
    }

    /// Makes parameters ready and checks them as asked; called on the context's rayon pool. Parts
    /// may be left to be read by `ResidentSrs::load` or the first proof.
    fn load_srs(
        &self,
        file: &ParameterFile,
        checks: Checks,
        cancel: &Cancel,
    ) -> Result<Arc<dyn ResidentSrs>> {
        cancel.check()?;
        Ok(Arc::new(HostSrs::on_demand(file, checks)))
    }

    /// The five sums of one assignment. Sizes were checked against the parameters before.
    ///
    /// Adds to the phases of `timings` that it performs; ends early with `Cancelled`.
    fn sums(
        &self,
        srs: &dyn ResidentSrs,
        assignment: &Assignment<'_>,
        cancel: &Cancel,
        timings: &mut Timings,
    ) -> Result<Sums>;
}

/// The devices that a context proves on.
#[derive(Clone)]
pub struct Chosen {
    /// One of each device; never empty.
    pub backends: Vec<Arc<dyn Backend>>,
    /// Why these, as a sentence for a reader.
    pub reason: String,
}

/// What a choice of devices goes by.
#[derive(Clone, Copy, Debug)]
pub struct Wish<'a> {
    /// What was asked for.
    pub choice: BackendChoice,
    /// Who asked, for the reason.
    pub by: &'a str,
    /// The value of `BELLMAN_NO_GPU` where it forbids the GPU.
    pub no_gpu: Option<&'a str>,
    /// The GPUs to use; all usable ones, if none are named.
    pub devices: Option<&'a [DeviceSelector]>,
    /// The most memory to hold on each GPU, in bytes.
    pub device_bytes: Option<u64>,
    /// Host threads that upload to each GPU; some, if not given.
    pub threads: Option<usize>,
}

/// Chooses the devices. Makes no CUDA call when the CPU is chosen or the GPU forbidden.
///
/// Errors: `NoDevice` with the reason when GPUs were asked for and none can be used;
/// `InvalidArgument` when a device of the list does not exist.
pub fn choose(wish: &Wish<'_>) -> Result<Chosen> {
    let cpu = |reason: String| Chosen {
        backends: vec![Arc::new(CpuBackend)],
        reason,
    };
    let by = wish.by;
    if wish.choice == BackendChoice::Cpu {
        return Ok(cpu(format!("{by} asked for the CPU")));
    }
    let asked = wish.choice == BackendChoice::Cuda;
    let opened = match wish.no_gpu {
        Some(value) => Err(Error::new(
            ErrorKind::NoDevice,
            format!("BELLMAN_NO_GPU is {value:?} and forbids the GPU"),
        )),
        None => gpu::open(&GpuOptions {
            devices: wish.devices.map(<[_]>::to_vec),
            device_bytes: wish.device_bytes,
            threads: wish.threads,
        }),
    };
    match opened {
        Ok(backends) => Ok(Chosen {
            reason: match asked {
                true => format!("{by} asked for CUDA"),
                false => format!("{} usable GPUs were found", backends.len()),
            },
            backends,
        }),
        Err(error) if error.kind() == ErrorKind::NoDevice && !asked => {
            Ok(cpu(error.message().to_string()))
        }
        Err(error) if asked => Err(error.context(format!("{by} asked for CUDA"))),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(choice: BackendChoice, no_gpu: Option<&str>) -> Wish<'_> {
        Wish {
            choice,
            by: "CUZK_BACKEND",
            no_gpu,
            devices: None,
            device_bytes: None,
            threads: None,
        }
    }

    #[test]
    fn the_cpu_is_chosen_with_its_reason() {
        let chosen = choose(&wish(BackendChoice::Cpu, None)).unwrap();
        assert_eq!(chosen.backends.len(), 1);
        assert_eq!(chosen.backends[0].name(), "cpu");
        assert_eq!(chosen.reason, "CUZK_BACKEND asked for the CPU");
    }

    #[test]
    fn a_forbidden_gpu_leaves_the_cpu_or_is_an_error_where_cuda_was_asked_for() {
        let chosen = choose(&wish(BackendChoice::Auto, Some("1"))).unwrap();
        assert_eq!(chosen.backends[0].name(), "cpu");
        assert_eq!(chosen.reason, "BELLMAN_NO_GPU is \"1\" and forbids the GPU");
        let outcome = choose(&wish(BackendChoice::Cuda, Some("1")));
        let error = outcome.err().unwrap();
        assert_eq!(error.kind(), ErrorKind::NoDevice);
        let text = error.to_string();
        assert!(
            text.starts_with("CUZK_BACKEND asked for CUDA: BELLMAN_NO_GPU"),
            "{text}"
        );
    }

    #[test]
    fn backends_are_known_by_name() {
        assert_eq!(BackendChoice::from_name("CPU"), Some(BackendChoice::Cpu));
        assert_eq!(BackendChoice::from_name("cuda"), Some(BackendChoice::Cuda));
        assert_eq!(BackendChoice::from_name("auto"), Some(BackendChoice::Auto));
        assert_eq!(BackendChoice::from_name("gpu"), None);
    }
}
