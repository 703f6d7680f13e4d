// SPDX-License-Identifier: MIT OR Apache-2.0
//! Witnesses of a request's partitions.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cuzk_prover::circuit::Witness;
use cuzk_prover::{Error, ErrorKind, Result};

use super::Request;
use crate::filecoin::kinds::Shape;
use crate::filecoin::porep;
use crate::filecoin::witness::{NativeWitness, Sector};

/// Bytes of stored rows; measured at 2 KiB and 32 GiB.
const COMPILED_BYTES_PER_VARIABLE: u64 = 30;

/// How witnesses are made, and where circuits come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WitnessMethod {
    /// By the code of this library for PoRep circuits; circuits from their saved form.
    #[default]
    Native,
    /// By the closures of filecoin-proofs' circuit, all of whose rows are recorded: slow, and the
    /// reference for the other.
    Closures,
}

impl WitnessMethod {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            WitnessMethod::Native => "native",
            WitnessMethod::Closures => "closures",
        }
    }
}

/// Makes the witness of partition `k`, on rayon's current pool, and checks that its public inputs
/// are those of the request's statement.
///
/// Errors: `InvalidArgument` for a partition that is not there; `InvalidC1` for values that the
/// circuit does not accept.
pub fn synthesize(request: &Request, k: usize, method: WitnessMethod) -> Result<Witness> {
    let c1 = request.c1();
    let challenges = c1.partition(k)?;
    let witness = match method {
        WitnessMethod::Native => native(&c1.proof().shape())?
            .partition(&Sector::from(c1.head()), challenges)
            .map_err(|error| error.context(format!("vanilla_proofs[{k}]")))?,
        WitnessMethod::Closures => porep::synthesize(c1, k)?,
    };
    if witness.input.get(1..) != Some(&porep::public_inputs(c1.head(), k)?[..]) {
        return Err(Error::new(
            ErrorKind::Internal,
            format!("the witness of partition {k} has other public inputs than its statement"),
        ));
    }
    Ok(witness)
}

/// Memory in bytes that a witness takes: two bitmaps with their ranks, and the values that are no
/// bits, of which there are at most 1.7 in a hundred.
pub fn witness_bytes(shape: &Shape) -> Result<u64> {
    let aux = native(shape)?.aux_len() as u64;
    Ok(aux / 4 + aux / 64 + aux / 59 * 32)
}

/// Memory in bytes that the compiled circuit of a shape takes, close to that: the rows that are
/// stored (one challenge's, or with closures all), and two bitmaps over all variables with their
/// ranks.
pub fn compiled_bytes(shape: &Shape, method: WitnessMethod) -> Result<u64> {
    let aux = native(shape)?.aux_len() as u64;
    let stored = match method {
        WitnessMethod::Native => 1,
        WitnessMethod::Closures => shape.challenges as u64,
    };
    let rows = aux / shape.challenges as u64 * stored * COMPILED_BYTES_PER_VARIABLE;
    Ok(rows + aux / 4 + aux / 64)
}

/// What makes native witnesses of a shape: a few hundred kilobytes of the hashes' constants, kept
/// for the life of the process.
fn native(shape: &Shape) -> Result<Arc<NativeWitness>> {
    static MAKERS: OnceLock<Mutex<HashMap<Shape, Arc<NativeWitness>>>> = OnceLock::new();
    let makers = MAKERS.get_or_init(Default::default);
    let lock = || makers.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(maker) = lock().get(shape) {
        return Ok(maker.clone());
    }
    // Without the lock: two threads may both make one, but none waits for the other.
    let maker = Arc::new(NativeWitness::new(*shape)?);
    Ok(lock().entry(*shape).or_insert(maker).clone())
}
