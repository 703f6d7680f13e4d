// SPDX-License-Identifier: MIT OR Apache-2.0
//! One partition after the other: wait for a device and memory, make the witness, prove, verify.

use std::sync::atomic::Ordering;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::context::{Context, ResidentKey};
use super::queue::{Priority, Seat};
use super::random_scalar;
use super::residents::{Need, Value};
use super::srs::Srs;
use crate::backend::{Assignment, AuxAssignment, Backend, Memory, Rows};
use crate::cancel::Cancel;
use crate::circuit::{CompiledCircuit, Origin, Witness};
use crate::cpu::threads::with_signals_blocked;
use crate::curve::Scalar;
use crate::error::catch;
use crate::groth16::{check_assignment, prove, Proof};
use crate::log::{Level, Log};
use crate::srs::{ResidentSrs, SrsShape};
use crate::timing::{timed, Timings};
use crate::{Error, ErrorKind, Result};

/// A compiled circuit by name: recorded when it is needed and not resident.
#[derive(Clone)]
pub struct CircuitHandle {
    /// The name that tells it from all other circuits.
    pub name: String,
    /// Memory that it takes in bytes, as far as is known beforehand.
    pub bytes: u64,
    /// Its saved form, if there is one.
    pub saved: Option<&'static [u8]>,
    /// Records it where there is no saved form, or none that can be read.
    pub record: Arc<dyn Fn() -> Result<CompiledCircuit> + Send + Sync>,
}

impl CircuitHandle {
    /// The circuit from its saved form, or else recorded. A saved form that cannot be read costs
    /// time and a warning, not the proof.
    fn make(&self, log: &Log) -> Result<CompiledCircuit> {
        let Some(saved) = self.saved else {
            return (self.record)();
        };
        // Twice of what is expected is no longer the circuit.
        CompiledCircuit::load(saved, self.bytes.saturating_mul(2)).or_else(|error| {
            // Recording takes more memory, not less, and allocates where it cannot be refused.
            if error.kind() == ErrorKind::OutOfMemory {
                return Err(error);
            }
            log.write(Level::Warn, || {
                format!("{} is recorded anew: {error}", self.name)
            });
            (self.record)()
        })
    }
}

/// Makes a witness for a circuit, on the context's rayon pool.
pub type WitnessSource<'a> =
    Box<dyn FnOnce(&CompiledCircuit, &Cancel, &mut Timings) -> Result<Witness> + Send + 'a>;

/// Owns or borrows what an assignment refers to.
pub trait Lender: Send + Sync {
    /// The assignment, rows evaluated.
    fn assignment(&self) -> Assignment<'_>;
}

/// Where the assignment of a partition comes from.
pub enum Source<'a> {
    /// The caller has it, rows evaluated.
    Given(Assignment<'a>),
    /// The same for as long as the lender is kept: it is dropped when its rows are not needed any
    /// more.
    Lent(Box<dyn Lender + 'a>),
    /// A witness for a compiled circuit.
    Circuit {
        /// The circuit.
        circuit: CircuitHandle,
        /// Makes the witness.
        witness: WitnessSource<'a>,
        /// Memory in bytes that the witness takes, what it is made from included.
        witness_bytes: u64,
    },
}

/// One proof to be made.
pub struct Partition<'a> {
    /// The parameters.
    pub srs: Srs,
    /// The assignment.
    pub source: Source<'a>,
    /// The blinding scalars r and s; from the operating system's generator when not given, as
    /// they must be but for tests.
    pub randomness: Option<(Scalar, Scalar)>,
}

/// A proof and how it came about.
#[derive(Clone, Debug)]
pub struct Proved {
    /// The proof.
    pub proof: Proof,
    /// Where the time went.
    pub timings: Timings,
    /// The device that made it, by name.
    pub backend: String,
    /// How the circuit was had, where its rows were not given.
    pub circuit: Option<Origin>,
}

impl Context {
    /// Proves assignments whose rows the caller evaluated, in their order.
    ///
    /// Errors: `InvalidArgument` for lengths that differ or parameters of another context;
    /// `InvalidAssignment` for sizes that do not fit the parameters, before anything is proved;
    /// otherwise those of `prove_partitions`.
    pub fn prove(
        &self,
        srs: &Srs,
        assignments: &[Assignment<'_>],
        randomness: Option<&[(Scalar, Scalar)]>,
        priority: Priority,
        cancel: &Cancel,
    ) -> Result<Vec<Proved>> {
        self.check_process()?;
        if let Some(randomness) = randomness {
            if randomness.len() != assignments.len() {
                return Err(Error::new(
                    ErrorKind::InvalidArgument,
                    format!(
                        "{} pairs of r and s for {} assignments",
                        randomness.len(),
                        assignments.len()
                    ),
                ));
            }
        }
        for (index, assignment) in assignments.iter().enumerate() {
            check_assignment(assignment, srs.shape())
                .map_err(|error| error.context(format!("assignment {index}")))?;
        }
        let partitions = assignments
            .iter()
            .enumerate()
            .map(|(index, assignment)| Partition {
                srs: srs.clone(),
                source: Source::Given(*assignment),
                randomness: randomness.map(|pairs| pairs[index]),
            });
        self.prove_partitions(partitions.collect(), priority, cancel, &|_| ())
    }

    /// Proves partitions, begun in their order and as many at a time as the devices take; `done` is
    /// told how many are proved, on the calling thread.
    ///
    /// Each waits for its turn on a device and for memory; other work of the context can come
    /// between, more urgent work first. After a failure no further partition is begun. With
    /// self-verification a proof that does not verify is made once more; if that fails too, the
    /// error is `SelfCheckFailed`.
    ///
    /// Errors, with the partition in front: `OutOfMemory` with the sizes, `Cancelled`, and what
    /// loading, the witness and the device report; a panic in them is `Internal` with its text.
    pub fn prove_partitions(
        &self,
        partitions: Vec<Partition<'_>>,
        priority: Priority,
        cancel: &Cancel,
        done: &dyn Fn(usize),
    ) -> Result<Vec<Proved>> {
        self.check_process()?;
        let place = self.inner.queue.place(priority);
        let mut proved = 0;
        let mut count = || {
            proved += 1;
            done(proved);
        };
        let (proofs, outcome) = self.prove_each(place, partitions, cancel, &mut count);
        outcome.map(|()| proofs)
    }

    /// Memory that parameters of this shape and the work of one partition take on the first device,
    /// beside circuit and witness; for reports, before anything is loaded.
    pub fn memory_needed(&self, shape: &SrsShape) -> Result<Memory> {
        self.check_process()?;
        let backend = &self.inner.backends[0];
        let work = self.inner.pool.run(|| Ok(backend.work_memory(shape)))?;
        Ok(backend.srs_memory(shape) + work)
    }

    /// Loads or records a circuit unless it is resident, so that the first proof with it does not wait.
    ///
    /// Errors: `OutOfMemory` with the sizes when the budget cannot hold it, `Cancelled`, and what
    /// recording reports.
    pub fn load_circuit(&self, circuit: CircuitHandle, cancel: &Cancel) -> Result<()> {
        self.check_process()?;
        let purpose = format!("loading the circuit {}", circuit.name);
        let needs = vec![self.circuit_need(circuit)];
        let residents = &self.inner.residents;
        residents
            .lease(needs, Memory::default(), &purpose, cancel)
            .map(drop)
    }

    /// Waits for a device, proves on it, and counts. If there are more then, the request comes back
    /// at once for its next partition.
    pub(super) fn prove_partition<'q>(
        &'q self,
        seat: &mut Seat<'q>,
        more: &dyn Fn() -> bool,
        partition: Partition<'_>,
        cancel: &Cancel,
    ) -> Result<Proved> {
        let start = Instant::now();
        let inner = &self.inner;
        if !Arc::ptr_eq(inner, &partition.srs.context().inner) {
            return Err(Error::new(
                ErrorKind::InvalidArgument,
                format!(
                    "the parameters of {} were opened in another context",
                    partition.srs.path().display()
                ),
            ));
        }
        let path = partition.srs.path().display().to_string();
        let mut timings = Timings::default();
        let turn = timed(&mut timings.queue, || seat.enter(cancel))?;
        let lane = turn.lane();
        let outcome = self.prove_on(lane, partition, cancel, &mut timings);
        match outcome.is_ok() && more() {
            true => seat.leave_for_now(turn),
            false => drop(turn),
        }
        timings.total = start.elapsed();
        let counters = &inner.counters;
        match outcome {
            Ok((proof, circuit)) => {
                counters.proofs.fetch_add(1, Ordering::Relaxed);
                inner.log.write(Level::Debug, || {
                    format!("proved with {path} in {:.1?}: {timings:?}", timings.total)
                });
                Ok(Proved {
                    proof,
                    timings,
                    backend: inner.backends[lane].name().to_string(),
                    circuit,
                })
            }
            Err(error) => {
                if error.kind() != ErrorKind::Cancelled {
                    counters.failures.fetch_add(1, Ordering::Relaxed);
                    inner
                        .log
                        .write(Level::Error, || format!("proving with {path}: {error}"));
                }
                Err(error)
            }
        }
    }

    fn prove_on(
        &self,
        lane: usize,
        partition: Partition<'_>,
        cancel: &Cancel,
        timings: &mut Timings,
    ) -> Result<(Proof, Option<Origin>)> {
        let inner = &self.inner;
        let backend = &*inner.backends[lane];
        let srs = &partition.srs;
        let mut needs = vec![srs.need(lane, true, cancel)];
        let mut work = inner.pool.run(|| Ok(backend.work_memory(srs.shape())))?;
        if let Source::Circuit {
            circuit,
            witness_bytes,
            ..
        } = &partition.source
        {
            needs.push(self.circuit_need(circuit.clone()));
            work.host = work.host.saturating_add(*witness_bytes);
        }
        let purpose = format!("proving with {}", srs.path().display());
        let waited = Instant::now();
        let lease = inner.residents.lease(needs, work, &purpose, cancel)?;
        // Waiting for memory that other work holds is waiting for a turn.
        match lease.loaded {
            true => timings.parameter_load += waited.elapsed(),
            false => timings.queue += waited.elapsed(),
        }
        let lost = || Error::new(ErrorKind::Internal, "a resident has another type");
        let resident = Srs::of_value(&lease.values()[0]).ok_or_else(lost)?;
        let maker = Maker {
            context: self,
            backend,
            srs,
            resident,
            randomness: partition.randomness,
        };
        let proof = match partition.source {
            Source::Given(assignment) => maker
                .given_proof(&assignment, cancel, timings)
                .map(|proof| (proof, None)),
            Source::Lent(lender) => maker
                .given_proof(&lender.assignment(), cancel, timings)
                .map(|proof| (proof, None)),
            Source::Circuit { witness, .. } => {
                let circuit: &CompiledCircuit =
                    lease.values()[1].downcast_ref().ok_or_else(lost)?;
                let mut timings_of_witness = Duration::ZERO;
                let witness = timed(&mut timings_of_witness, || {
                    inner.pool.run(|| witness(circuit, cancel, timings))
                });
                timings.witness += timings_of_witness;
                let witness = witness?;
                let assignment = Assignment {
                    rows: Rows::Compiled(circuit),
                    input: &witness.input,
                    aux: AuxAssignment::Compact(&witness.aux),
                    a_aux_density: circuit.a_aux_density(),
                    b_input_density: circuit.b_input_density(),
                    b_aux_density: circuit.b_aux_density(),
                };
                let false_row = || circuit.first_unsatisfied_row(&witness).ok().flatten();
                let proof = maker.checked_proof(&assignment, &false_row, cancel, timings)?;
                Ok((proof, Some(circuit.origin())))
            }
        }?;
        let (used, _) = inner.residents.used();
        timings.peak_host_bytes = timings.peak_host_bytes.max(used.host);
        timings.peak_device_bytes = timings.peak_device_bytes.max(used.device);
        Ok(proof)
    }

    fn circuit_need(&self, circuit: CircuitHandle) -> Need<'_, ResidentKey> {
        let inner = &self.inner;
        let host = |bytes| Memory {
            host: bytes,
            device: 0,
        };
        let (name, expected) = (circuit.name.clone(), host(circuit.bytes));
        let load = move || {
            let start = Instant::now();
            let compiled = inner.pool.run(|| circuit.make(&inner.log))?;
            let memory = host(compiled.bytes() as u64);
            inner.log.write(Level::Info, || {
                format!(
                    "circuit {} ({}): {} bytes, {:.1?}",
                    circuit.name,
                    compiled.origin().name(),
                    memory.host,
                    start.elapsed()
                )
            });
            Ok((Arc::new(compiled) as Value, memory))
        };
        Need {
            key: ResidentKey::Circuit(name.clone()),
            name,
            memory: expected,
            load: Box::new(load),
        }
    }
}

/// Makes the proofs of one partition.
struct Maker<'a> {
    context: &'a Context,
    backend: &'a dyn Backend,
    srs: &'a Srs,
    resident: &'a dyn ResidentSrs,
    randomness: Option<(Scalar, Scalar)>,
}

impl Maker<'_> {
    /// A proof of an assignment whose rows are given.
    fn given_proof(
        &self,
        assignment: &Assignment<'_>,
        cancel: &Cancel,
        timings: &mut Timings,
    ) -> Result<Proof> {
        let false_row = || first_false_row(assignment);
        self.checked_proof(assignment, &false_row, cancel, timings)
    }

    /// A proof; with self-verification, one that verifies. `false_row` finds a row that the
    /// assignment does not satisfy.
    fn checked_proof(
        &self,
        assignment: &Assignment<'_>,
        false_row: &(dyn Fn() -> Option<usize> + Sync),
        cancel: &Cancel,
        timings: &mut Timings,
    ) -> Result<Proof> {
        let proof = self.proof(assignment, cancel, timings)?;
        if self.verifies(assignment, &proof, timings)? {
            return Ok(proof);
        }
        let inner = &self.context.inner;
        if let Some(row) = inner.pool.run(|| Ok(false_row()))? {
            return Err(Error::new(
                ErrorKind::InvalidAssignment,
                format!("row {row} of the assignment is not satisfied: a times b is not c"),
            ));
        }
        inner
            .counters
            .self_check_retries
            .fetch_add(1, Ordering::Relaxed);
        inner.log.write(Level::Warn, || {
            format!(
                "a proof with {} does not verify, {} makes it again",
                self.srs.path().display(),
                self.backend.name()
            )
        });
        let proof = self.proof(assignment, cancel, timings)?;
        if self.verifies(assignment, &proof, timings)? {
            return Ok(proof);
        }
        Err(Error::new(
            ErrorKind::SelfCheckFailed,
            format!(
                "two proofs by {} with {} do not verify though every row is satisfied: the \
                 parameters are not the circuit's, or the device computes wrongly",
                self.backend.name(),
                self.srs.path().display()
            ),
        ))
    }

    fn proof(
        &self,
        assignment: &Assignment<'_>,
        cancel: &Cancel,
        timings: &mut Timings,
    ) -> Result<Proof> {
        let (r, s) = match self.randomness {
            Some(pair) => pair,
            None => (random_scalar()?, random_scalar()?),
        };
        let work = || {
            prove(
                self.backend,
                self.resident,
                assignment,
                r,
                s,
                cancel,
                timings,
            )
        };
        match self.backend.computes_on_host() {
            true => self.context.inner.pool.run(work),
            // A thread of the pool that waits for a device would be missing for the next witness,
            // or hold up the one that it was taken from.
            false => with_signals_blocked(|| catch(work)),
        }
    }

    fn verifies(
        &self,
        assignment: &Assignment<'_>,
        proof: &Proof,
        timings: &mut Timings,
    ) -> Result<bool> {
        if !self.context.inner.self_verification {
            return Ok(true);
        }
        let inputs = &assignment.input[1..];
        timed(&mut timings.verify, || {
            let key = self.srs.prepared_key();
            self.context.inner.pool.run(|| key.verify(inputs, proof))
        })
    }
}

/// The first row with a b != c of an assignment whose rows are given.
fn first_false_row(assignment: &Assignment<'_>) -> Option<usize> {
    let Rows::Given { a, b, c } = assignment.rows else {
        return None;
    };
    a.iter().zip(b).zip(c).position(|((a, b), c)| a * b != *c)
}
