// SPDX-License-Identifier: MIT OR Apache-2.0
//! Proving: a job a partition, and the proofs joined.

use std::sync::Arc;
use std::time::Instant;

use cuzk_prover::backend::Memory;
use cuzk_prover::cancel::Cancel;
use cuzk_prover::circuit::{CompiledCircuit, Origin};
use cuzk_prover::groth16::{PreparedKey, Proof};
use cuzk_prover::schedule::{
    CircuitHandle, Context, Partition, Priority, Proved, Source, Srs, SrsOptions,
};
use cuzk_prover::srs::VerifyingKey;
use cuzk_prover::timing::{timed, Timings};
use cuzk_prover::{Error, ErrorKind, Result};

use super::verify::verifying_key;
use super::witness::{compiled_bytes, synthesize, witness_bytes};
use super::{Request, WitnessMethod};
use crate::filecoin::kinds::{SealProof, SectorSize, PARTITION_PROOF_BYTES};
use crate::filecoin::params::{say_how_to_get, srs_shape, ParameterFiles};
use crate::filecoin::{aggregate, porep, vanilla};

/// How a request is proved.
#[derive(Clone, Default)]
pub struct Options<'a> {
    /// Whose turn it is when there is more work than devices.
    pub priority: Priority,
    /// Ends the work early, within one partition.
    pub cancel: Cancel,
    /// Is told how far the work is, on threads that do the work: it should be quick.
    pub progress: Option<&'a (dyn Fn(Progress) + Sync)>,
    /// How witnesses are made, and where circuits come from.
    pub witness: WitnessMethod,
}

impl Options<'_> {
    fn report(&self, phase: Phase, done: usize, total: usize) {
        if let Some(progress) = self.progress {
            progress(Progress { phase, done, total });
        }
    }
}

/// How far a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is being done for the partition after those that are done.
    pub phase: Phase,
    /// Partitions proved and verified.
    pub done: usize,
    /// Partitions in all.
    pub total: usize,
}

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Parameters are opened, and loaded if they are not in memory.
    Parameters,
    /// Waiting for a device, or for memory.
    Queue,
    /// The witness is made.
    Witness,
    /// The proof is made and verified.
    Prove,
    /// The partitions' proofs are aggregated.
    Aggregate,
    /// Nothing: all is done.
    Done,
}

/// A proof and how it came about.
#[derive(Clone, Debug)]
pub struct Output {
    /// The proof's bytes: 192 a partition, or those of an aggregate.
    pub proof: Vec<u8>,
    /// Where the time went, summed over the partitions.
    pub timings: Timings,
    /// The same for each partition.
    pub partitions: Vec<Timings>,
    /// The devices that proved, by name.
    pub backend: String,
    /// How the witnesses were made.
    pub witness: WitnessMethod,
    /// How the circuit was had.
    pub circuit: Option<Origin>,
}

/// Proves all partitions of a request and joins or aggregates their proofs. Each is verified, and
/// so is the aggregate, unless the context was told not to.
///
/// Errors: `ParametersNotFound`, naming the file and how to get it; `InvalidSrs` for parameters of
/// another circuit; `InvalidC1`, naming the challenge, for values that do not hold; otherwise what
/// [`Context::prove_partitions`] reports.
pub fn prove(context: &Context, request: &Request, options: &Options<'_>) -> Result<Output> {
    let start = Instant::now();
    let all: Vec<usize> = (0..request.proof().partitions()).collect();
    let (mut output, proofs) = prove_some(context, request, &all, options)?;
    let total = all.len();
    if request.aggregates() {
        options.report(Phase::Aggregate, total, total);
        let timings = &mut output.timings;
        output.proof = output_of(context, request, &proofs, &options.cancel, timings)?;
        output.timings.total = request.parse_time() + start.elapsed();
    }
    options.report(Phase::Done, total, total);
    Ok(output)
}

/// Proves partition `k` alone, for a caller that spreads the partitions and joins them with
/// [`assemble`].
///
/// Errors: as [`prove`], and `InvalidArgument` for a partition that is not there.
pub fn prove_partition(
    context: &Context,
    request: &Request,
    k: usize,
    options: &Options<'_>,
) -> Result<Output> {
    request.c1().partition(k)?;
    let (output, _) = prove_some(context, request, &[k], options)?;
    options.report(Phase::Done, 1, 1);
    Ok(output)
}

/// Joins or aggregates proofs of all partitions, in their order, after verifying each.
///
/// Errors: `InvalidArgument`, naming the first partition whose proof is not valid; otherwise those
/// of [`verifying_key`], and of an aggregate's making.
pub fn assemble(context: &Context, request: &Request, proofs: &[&[u8]]) -> Result<Vec<u8>> {
    let proof = request.proof();
    if proofs.len() != proof.partitions() {
        return Err(Error::new(
            ErrorKind::InvalidArgument,
            format!(
                "{} proofs of partitions, {proof} needs {}",
                proofs.len(),
                proof.partitions()
            ),
        ));
    }
    let key = verifying_key(context.parameter_folder(), proof.sector_size())?;
    let read = context.run(|| {
        let key = PreparedKey::new(&key);
        let read = |(k, bytes): (usize, &&[u8])| {
            let named = |error: Error| error.context(format!("partition {k}"));
            let proof = Proof::from_bytes(bytes).map_err(named)?;
            let inputs = porep::public_inputs(request.c1().head(), k)?;
            match key.verify(&inputs, &proof).map_err(named)? {
                true => Ok(proof),
                false => Err(Error::new(
                    ErrorKind::InvalidArgument,
                    format!("the proof of partition {k} is not valid"),
                )),
            }
        };
        proofs
            .iter()
            .enumerate()
            .map(read)
            .collect::<Result<Vec<_>>>()
    })?;
    let timings = &mut Timings::default();
    output_of(context, request, &read, &Cancel::default(), timings)
}

/// The bytes that a request asks for, of valid proofs of its partitions.
pub(super) fn output_of(
    context: &Context,
    request: &Request,
    proofs: &[Proof],
    cancel: &Cancel,
    timings: &mut Timings,
) -> Result<Vec<u8>> {
    if !request.aggregates() {
        return Ok(proofs.iter().flat_map(Proof::to_bytes).collect());
    }
    let head = request.c1().head();
    let bytes = timed(&mut timings.assemble, || {
        aggregate::aggregate_sector(context, head, proofs, cancel)
    })?;
    if context.info()?.self_verification {
        timed(&mut timings.verify, || {
            let key = verifying_key(context.parameter_folder(), head.proof.sector_size())?;
            aggregate::check_sector(context, &key, head, &bytes)
        })?;
    }
    Ok(bytes)
}

/// Loads what a kind of proof needs, so that its first proof does not wait: parameters, the
/// compiled circuit, and for an aggregate its key.
///
/// Errors: as [`prove`].
pub fn warm_up(context: &Context, proof: SealProof, cancel: &Cancel) -> Result<()> {
    if proof.is_aggregate() {
        aggregate::warm_up(context, proof.partitions(), cancel)?;
    }
    open_parameters(context, proof.sector_size(), false, cancel)?;
    let method = WitnessMethod::default();
    context.load_circuit(circuit(proof.sector_size(), method)?, cancel)
}

fn prove_some(
    context: &Context,
    request: &Request,
    ks: &[usize],
    options: &Options<'_>,
) -> Result<(Output, Vec<Proof>)> {
    let start = Instant::now();
    let total = ks.len();
    options.report(Phase::Parameters, 0, total);
    let mut timings = Timings {
        parse: request.parse_time(),
        ..Timings::default()
    };
    let srs = timed(&mut timings.parameter_load, || {
        open_for(context, request, &options.cancel)
    })?;
    options.report(Phase::Queue, 0, total);

    let partitions = ks
        .iter()
        .enumerate()
        .map(|(done, &k)| {
            partition(&srs, request, k, options.witness, move |phase| {
                options.report(phase, done, total);
            })
        })
        .collect::<Result<Vec<_>>>()?;
    let proved = context
        .prove_partitions(partitions, options.priority, &options.cancel, &|done| {
            if done < total {
                options.report(Phase::Queue, done, total);
            }
        })
        .map_err(|error| blame(context, request, ks, error))?;

    let mut output = join(&proved, options.witness);
    output.timings.add(&timings);
    output.timings.total = request.parse_time() + start.elapsed();
    let proofs = proved.iter().map(|partition| partition.proof).collect();
    Ok((output, proofs))
}

/// Opens the parameters of a request. That an aggregate's file is missing is found out here, not
/// when all partitions are proved.
pub(super) fn open_for(context: &Context, request: &Request, cancel: &Cancel) -> Result<Srs> {
    if request.aggregates() {
        aggregate::warm_up(context, request.proof().partitions(), cancel)?;
    }
    open_parameters(context, request.proof().sector_size(), true, cancel)
}

/// Memory that proving sectors of a size takes on the context's first device: parameters, compiled
/// circuit, and the work of one partition with its witness.
pub fn memory_needed(context: &Context, size: SectorSize) -> Result<Memory> {
    let shape = size.shape();
    let circuit = Memory {
        host: compiled_bytes(&shape, WitnessMethod::default())?
            .saturating_add(witness_bytes(&shape)?),
        device: 0,
    };
    Ok(context.memory_needed(&srs_shape(size))? + circuit)
}

/// Opens the parameters of a sector size and checks that they go with the verifying key beside
/// them, if there is one: verifiers use that. `on_demand` is that of [`SrsOptions`].
fn open_parameters(
    context: &Context,
    size: SectorSize,
    on_demand: bool,
    cancel: &Cancel,
) -> Result<Srs> {
    let files = ParameterFiles::new(context.parameter_folder(), size)?;
    let options = SrsOptions {
        shape: Some(srs_shape(size)),
        on_demand,
        ..SrsOptions::default()
    };
    let srs = context
        .open_srs(&files.params, &options, cancel)
        .map_err(|error| say_how_to_get(error, size))?;
    match VerifyingKey::read(&files.verifying_key) {
        Ok(key) if key == *srs.verifying_key() => Ok(srs),
        Ok(_) => Err(Error::new(
            ErrorKind::InvalidSrs,
            format!(
                "{} has another verifying key than {}",
                files.params.display(),
                files.verifying_key.display()
            ),
        )),
        Err(error) if error.kind() == ErrorKind::ParametersNotFound => Ok(srs),
        Err(error) => Err(error),
    }
}

/// The compiled circuit of a sector size, by the name of its parameters.
fn circuit(size: SectorSize, method: WitnessMethod) -> Result<CircuitHandle> {
    let (name, shape) = (porep::cache_identifier(size)?, size.shape());
    let bytes = compiled_bytes(&shape, method)?;
    Ok(match method {
        WitnessMethod::Native => CircuitHandle {
            name,
            bytes,
            saved: Some(porep::saved(size)),
            record: Arc::new(move || porep::compile(&shape)),
        },
        WitnessMethod::Closures => CircuitHandle {
            name: format!("{name}, all rows"),
            bytes,
            saved: None,
            record: Arc::new(move || porep::record_all(&shape)),
        },
    })
}

/// The job of partition `k`. `report` is told when its witness is made, and when that is done.
pub(super) fn partition<'a>(
    srs: &Srs,
    request: &Request,
    k: usize,
    method: WitnessMethod,
    report: impl Fn(Phase) + Send + 'a,
) -> Result<Partition<'a>> {
    let shape = request.proof().shape();
    let (parameters, request) = (srs.clone(), request.clone());
    let size = request.proof().sector_size();
    let witness = move |circuit: &CompiledCircuit, cancel: &Cancel, _: &mut Timings| {
        cancel.check()?;
        parameters
            .shape()
            .check_equal(&circuit.srs_shape())
            .map_err(|error| error.context(parameters.path().display()))?;
        report(Phase::Witness);
        let witness = synthesize(&request, k, method)?;
        report(Phase::Prove);
        Ok(witness)
    };
    Ok(Partition {
        srs: srs.clone(),
        source: Source::Circuit {
            circuit: circuit(size, method)?,
            witness: Box::new(witness),
            witness_bytes: witness_bytes(&shape)?,
        },
        randomness: None,
    })
}

/// Finds out whether the Commit-1 output is at fault for a row that does not hold.
pub(super) fn blame(context: &Context, request: &Request, ks: &[usize], error: Error) -> Error {
    if error.kind() != ErrorKind::InvalidAssignment {
        return error;
    }
    let found = context.run(|| {
        ks.iter()
            .try_for_each(|k| vanilla::verify(request.c1(), *k))
    });
    match found {
        Err(fault) if fault.kind() == ErrorKind::InvalidC1 => fault,
        _ => error,
    }
}

fn join(proved: &[Proved], witness: WitnessMethod) -> Output {
    let mut timings = Timings::default();
    let mut proof = Vec::with_capacity(proved.len() * PARTITION_PROOF_BYTES);
    let mut backends: Vec<&str> = Vec::new();
    for partition in proved {
        timings.add(&partition.timings);
        proof.extend_from_slice(&partition.proof.to_bytes());
        if !backends.contains(&partition.backend.as_str()) {
            backends.push(&partition.backend);
        }
    }
    Output {
        proof,
        timings,
        partitions: proved.iter().map(|partition| partition.timings).collect(),
        backend: backends.join(", "),
        witness,
        circuit: proved.first().and_then(|partition| partition.circuit),
    }
}
