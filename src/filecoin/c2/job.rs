// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commit-2 as a request of a job, read, proved and joined in the background.

use std::time::Instant;

use cuzk_prover::cancel::Cancel;
use cuzk_prover::groth16::Proof;
use cuzk_prover::schedule::{self, Context, Partition};
use cuzk_prover::timing::{timed, Timings};
use cuzk_prover::{Error, ErrorKind, Result};

use super::prove::{blame, open_for, output_of, partition};
use super::{Request, WitnessMethod};
use crate::filecoin::c1::{Head, Node};

/// A Commit-1 output that a job will read and prove; its bytes are dropped once they are read.
pub struct JobRequest {
    c1: Vec<u8>,
    /// None for circuit proofs.
    prover_id: Option<Node>,
    sector_number: u64,
    witness: WitnessMethod,
    /// That of the job, once it runs.
    cancel: Cancel,
    /// What the bytes were read into.
    read: Option<Request>,
}

impl JobRequest {
    /// Takes what [`Request::new`] will be given; nothing is checked before the job runs.
    pub fn new(c1: Vec<u8>, prover_id: Node, sector_number: u64, witness: WitnessMethod) -> Self {
        Self {
            c1,
            prover_id: Some(prover_id),
            sector_number,
            witness,
            cancel: Cancel::default(),
            read: None,
        }
    }

    /// The same for [`Request::for_circuit_proofs`].
    pub fn for_circuit_proofs(c1: Vec<u8>, sector_number: u64, witness: WitnessMethod) -> Self {
        Self {
            prover_id: None,
            ..Self::new(c1, [0; 32], sector_number, witness)
        }
    }
}

impl schedule::Request for JobRequest {
    fn expected_partitions(&self) -> usize {
        Head::parse(&self.c1).map_or(1, |head| head.proof.partitions())
    }

    fn plan(
        &mut self,
        context: &Context,
        cancel: &Cancel,
        timings: &mut Timings,
    ) -> Result<Vec<Partition<'static>>> {
        let start = Instant::now();
        let c1 = std::mem::take(&mut self.c1);
        let request = match &self.prover_id {
            Some(prover_id) => Request::new(&c1, prover_id, self.sector_number)?,
            None => Request::for_circuit_proofs(&c1, self.sector_number)?,
        };
        drop(c1);
        self.cancel = cancel.clone();
        timings.parse += start.elapsed();
        let srs = timed(&mut timings.parameter_load, || {
            open_for(context, &request, cancel)
        })?;
        let request = self.read.insert(request);
        (0..request.proof().partitions())
            .map(|k| partition(&srs, request, k, self.witness, |_| ()))
            .collect()
    }

    fn finish(
        &mut self,
        context: &Context,
        proofs: &[Proof],
        timings: &mut Timings,
    ) -> Result<Vec<u8>> {
        let request = self.read.as_ref().ok_or_else(|| {
            let text = "a request was finished before it was planned";
            Error::new(ErrorKind::Internal, text)
        })?;
        output_of(context, request, proofs, &self.cancel, timings)
    }

    fn explain(&self, context: &Context, error: Error) -> Error {
        match &self.read {
            Some(request) => {
                let all: Vec<usize> = (0..request.proof().partitions()).collect();
                blame(context, request, &all, error)
            }
            None => error,
        }
    }
}
