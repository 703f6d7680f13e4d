// SPDX-License-Identifier: MIT OR Apache-2.0
//! Proofs of assignments that a caller lends, begun on a device and waited for.

use std::ffi::c_void;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use cuzk_prover::backend;
use cuzk_prover::cancel::Cancel;
use cuzk_prover::curve::Scalar;
use cuzk_prover::groth16::{
    canonical_scalars, check_assignment, GivenAssignment, Limbs, Proof, PROOF_AFFINE_BYTES,
};
use cuzk_prover::schedule::{Context, JobOptions, Lender, Partition, Request, Source, Srs};
use cuzk_prover::timing::Timings;
use cuzk_prover::{ErrorKind, Result};

use crate::assignment::Raw;
use crate::gpu_mutex::GpuMutex;
use crate::{Assignment, Error, Pending, SCALAR_BYTES, SRS};

/// Bytes of a proof: a in G1, b in G2, c in G1, affine points in memory.
pub const PROOF_BYTES: usize = PROOF_AFFINE_BYTES;

/// Jobs that one call is spread over, so that its circuits overlap on a device and use several.
const MOST_JOBS: usize = 8;

/// What is to be proved together: assignments and their blinding scalars.
pub struct Batch<'a> {
    assignments: Vec<Raw>,
    r_s: &'a [Limbs],
    s_s: &'a [Limbs],
}

impl<'a> Batch<'a> {
    /// Compares lengths and sizes of elements.
    ///
    /// # Errors
    ///
    /// EINVAL for another number of blinding scalars than of assignments, and for scalars of
    /// another size.
    pub fn new<S>(
        assignments: &[Assignment<S>],
        r_s: &'a [S],
        s_s: &'a [S],
    ) -> std::result::Result<Self, Error> {
        if size_of::<S>() != SCALAR_BYTES {
            return Err(Error::invalid(format!(
                "a scalar has {} bytes, {SCALAR_BYTES} are needed",
                size_of::<S>()
            )));
        }
        for (name, given) in [("r_s", r_s), ("s_s", s_s)] {
            if given.len() != assignments.len() {
                return Err(Error::invalid(format!(
                    "{name} has {} scalars, {} assignments need as many",
                    given.len(),
                    assignments.len()
                )));
            }
        }
        Ok(Self {
            assignments: assignments.iter().map(Assignment::raw).collect(),
            r_s: limbs("r_s", r_s)?,
            s_s: limbs("s_s", s_s)?,
        })
    }

    /// Compares the room for proofs with their number.
    ///
    /// # Errors
    ///
    /// EINVAL for another number of proofs, and for proofs of another size.
    pub fn check_room<P>(&self, proofs: &[P]) -> std::result::Result<(), Error> {
        check_room(self.assignments.len(), proofs)
    }
}

/// A caller's scalars, 32 bytes each, as limbs.
fn limbs<'a, S>(name: &str, scalars: &'a [S]) -> Result<&'a [Limbs]> {
    // SAFETY: the elements have the size of limbs, of which every pattern of bits is one; the
    // slice lives as long as the result, and its alignment is checked.
    unsafe { crate::assignment::array(name, scalars.as_ptr().cast::<Limbs>(), scalars.len()) }
}

/// Whether there is room for exactly `n` proofs.
fn check_room<P>(n: usize, proofs: &[P]) -> std::result::Result<(), Error> {
    if size_of::<P>() != PROOF_BYTES {
        return Err(Error::invalid(format!(
            "a proof has {} bytes, {PROOF_BYTES} are needed",
            size_of::<P>()
        )));
    }
    if proofs.len() != n {
        return Err(Error::invalid(format!(
            "there is room for {} proofs, {n} are made",
            proofs.len()
        )));
    }
    Ok(())
}

/// Hands proofs over, whatever was in their place before.
///
/// # Errors
///
/// EINVAL for another number of proofs, and for proofs of another size.
pub fn write_proofs<P>(made: &[Proof], proofs: &mut [P]) -> std::result::Result<(), Error> {
    check_room(made.len(), proofs)?;
    // SAFETY: as many bytes as were just compared; the caller's type is three affine points, of
    // which these are valid ones.
    unsafe {
        let bytes = std::mem::size_of_val(made);
        let (from, to) = (made.as_ptr().cast::<u8>(), proofs.as_mut_ptr().cast::<u8>());
        std::ptr::copy_nonoverlapping(from, to, bytes);
    }
    Ok(())
}

/// Proves, and waits for the proofs.
///
/// # Errors
///
/// Those of [`start`] and of [`Pending::finish`].
///
/// # Safety
/// As for [`start`], until the call returns.
pub unsafe fn prove(
    batch: &Batch<'_>,
    srs: &SRS,
    gpu_mtx: *mut c_void,
    gpu_index: i32,
) -> std::result::Result<Vec<Proof>, Error> {
    // SAFETY: the caller's contract.
    unsafe { start(batch, srs, gpu_mtx, gpu_index)? }.finish()
}

/// Begins to prove; returns when a, b and c are not needed any more.
///
/// `gpu_mtx` is null or a lock of [`crate::create_gpu_mutex`], held during the call; `gpu_index`
/// names a device by its index among the context's, -1 leaves the choice to the context, and a
/// context without GPUs has the CPU take the place of each.
///
/// # Errors
///
/// EINVAL naming the assignment, what does not fit and both numbers, before any work is done; what
/// proving reports, when it is known by then.
///
/// # Safety
/// Each pointer of an assignment points to as many elements as its size says. Nobody changes or
/// frees them until the result has ended; a, b and c until the call returns.
pub unsafe fn start(
    batch: &Batch<'_>,
    srs: &SRS,
    gpu_mtx: *mut c_void,
    gpu_index: i32,
) -> std::result::Result<Pending, Error> {
    let mutex = GpuMutex::of(gpu_mtx)?;
    let srs = srs.open()?;
    let device = device(srs.context(), gpu_index)?;
    // SAFETY: the caller's contract.
    let (given, randomness) = srs.context().run(|| unsafe { look_at(batch, srs) })?;
    let n = given.len();
    let rows = Arc::new(LentRows {
        needed: Mutex::new(n),
        changed: Condvar::new(),
    });
    let jobs = n.min(MOST_JOBS);
    let mut requests: Vec<Vec<Box<dyn Request>>> = (0..jobs).map(|_| Vec::new()).collect();
    for (i, (given, randomness)) in given.into_iter().zip(randomness).enumerate() {
        let rows = Loan(rows.clone());
        requests[i % jobs].push(Box::new(Lent {
            srs: srs.clone(),
            assignment: Some(LentAssignment { given, _rows: rows }),
            randomness,
        }));
    }
    let held = mutex.hold();
    let options = JobOptions {
        device,
        ..JobOptions::default()
    };
    let mut pending = Pending::new(n);
    for requests in requests {
        pending.add(srs.context().start(requests, options.clone())?);
    }
    rows.wait_until_free();
    drop(held);
    match pending.known_failure() {
        Some(error) => Err(error),
        None => Ok(pending),
    }
}

/// The context's device of this index.
fn device(context: &Context, gpu_index: i32) -> std::result::Result<Option<usize>, Error> {
    let backends = context.info()?.backends;
    match usize::try_from(gpu_index) {
        Ok(_) if backends.iter().all(|name| name == "cpu") => Ok(None),
        Ok(index) if index < backends.len() => Ok(Some(index)),
        Err(_) if gpu_index == -1 => Ok(None),
        _ => Err(Error::invalid(format!(
            "gpu_index is {gpu_index}, -1 to {} are known",
            backends.len() - 1
        ))),
    }
}

/// What was looked at: assignments, and r and s of each.
type Checked = (Vec<GivenAssignment<'static>>, Vec<(Scalar, Scalar)>);

/// Checks assignments and blinding scalars against the parameters.
///
/// # Safety
/// As for [`start`].
unsafe fn look_at(batch: &Batch<'_>, srs: &Srs) -> Result<Checked> {
    let of =
        |i: usize| move |error: cuzk_prover::Error| error.context(format_args!("assignment {i}"));
    for (i, raw) in batch.assignments.iter().enumerate() {
        raw.check_sizes(srs.shape()).map_err(of(i))?;
    }
    let given = batch.assignments.iter().enumerate().map(|(i, raw)| {
        // SAFETY: the caller's contract, and sizes that fit.
        let given = unsafe { raw.look_at() }.map_err(of(i))?;
        check_assignment(&given.assignment(), srs.shape()).map_err(of(i))?;
        Ok(given)
    });
    let given = given.collect::<Result<Vec<_>>>()?;
    let r_s = canonical_scalars("r_s", batch.r_s)?;
    let s_s = canonical_scalars("s_s", batch.s_s)?;
    Ok((
        given,
        r_s.iter().copied().zip(s_s.iter().copied()).collect(),
    ))
}

/// How many assignments still need their rows.
struct LentRows {
    needed: Mutex<usize>,
    changed: Condvar,
}

impl LentRows {
    fn wait_until_free(&self) {
        let mut needed = self.needed.lock().unwrap_or_else(PoisonError::into_inner);
        while *needed > 0 {
            let waited = self.changed.wait_timeout(needed, Duration::from_secs(3600));
            needed = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Says with its end that the rows of one assignment are not needed any more.
struct Loan(Arc<LentRows>);

impl Drop for Loan {
    fn drop(&mut self) {
        let mut needed = self.0.needed.lock().unwrap_or_else(PoisonError::into_inner);
        *needed -= 1;
        self.0.changed.notify_all();
    }
}

/// An assignment for as long as its rows are needed.
struct LentAssignment {
    given: GivenAssignment<'static>,
    _rows: Loan,
}

impl Lender for LentAssignment {
    fn assignment(&self) -> backend::Assignment<'_> {
        self.given.assignment()
    }
}

/// One proof of a job.
struct Lent {
    srs: Srs,
    assignment: Option<LentAssignment>,
    randomness: (Scalar, Scalar),
}

impl Request for Lent {
    fn plan(
        &mut self,
        _: &Context,
        _: &Cancel,
        _: &mut Timings,
    ) -> Result<Vec<Partition<'static>>> {
        let assignment = self.assignment.take().ok_or_else(|| {
            cuzk_prover::Error::new(ErrorKind::Internal, "a request was planned twice")
        })?;
        Ok(vec![Partition {
            srs: self.srs.clone(),
            source: Source::Lent(Box::new(assignment)),
            randomness: Some(self.randomness),
        }])
    }

    fn finish(&mut self, _: &Context, _: &[Proof], _: &mut Timings) -> Result<Vec<u8>> {
        // The proofs are read from the partitions, as points.
        Ok(Vec::new())
    }
}
