// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sums over points on the device: multi-scalar multiplications and plain sums, in either group.

use std::ffi::c_void;
use std::marker::PhantomData;

use super::compute::Queueing;
use super::kernels::{self, MsmPlan};
use super::memory::copy_from_device;
use super::results::{Results, Slot};
use crate::curve::{G1Affine, G1Projective, G2Affine, G2Projective};
use crate::Result;

/// Terms below which a multiplication is not cut further: its scratch is 10 MB in G1, 18 in G2.
const LEAST_TERMS: u64 = 1000;

/// A group of the curve, as the launchers know it.
pub(super) trait Group {
    /// A point in blst's affine form.
    type Affine: Copy + Default;
    /// A point that sums add up in.
    type Projective: group::Group + std::ops::AddAssign<Self::Affine>;
    /// The number by which the plan knows the group.
    const G2: i32;
    /// Bytes of the partial sums that one launch of a plain sum leaves.
    const PARTS_BYTES: usize;

    /// Bytes of scratch for a plain sum.
    fn sum_scratch(n: u32, multiprocessors: i32) -> usize;

    /// # Safety
    /// As cuda/launch.h asks of `cuzk_launch_msm_*_add`.
    #[allow(clippy::too_many_arguments)]
    unsafe fn launch_add(
        stream: *mut c_void,
        plan: &MsmPlan,
        scratch: *mut c_void,
        points: *const c_void,
        indices: *const u32,
        scalars: *const c_void,
        sources: *const u32,
        n: u32,
        montgomery: i32,
        first: i32,
    ) -> i32;

    /// # Safety
    /// As cuda/launch.h asks of `cuzk_launch_msm_*_finish`.
    unsafe fn launch_finish(
        stream: *mut c_void,
        plan: &MsmPlan,
        scratch: *mut c_void,
        sums: *mut c_void,
    ) -> i32;

    /// # Safety
    /// `sums` are those of a finished multiplication with this plan.
    unsafe fn combine_msm(plan: &MsmPlan, sums: *const c_void) -> Self::Affine;

    /// # Safety
    /// As cuda/launch.h asks of `cuzk_launch_sum_*`.
    unsafe fn launch_sum(
        stream: *mut c_void,
        multiprocessors: i32,
        scratch: *mut c_void,
        points: *const c_void,
        indices: *const u32,
        n: u32,
        parts: *mut c_void,
    ) -> i32;

    /// # Safety
    /// `parts` are `n` partial sums.
    unsafe fn combine_sum(parts: *const c_void, n: u32) -> Self::Affine;

    /// Bytes of a running sum's state.
    fn running_size(multiprocessors: i32) -> usize;

    /// # Safety
    /// As cuda/launch.h asks of `cuzk_launch_running_sum_*`.
    unsafe fn launch_running(
        stream: *mut c_void,
        multiprocessors: i32,
        state: *mut c_void,
        points: *const c_void,
        indices: *const u32,
        n: u32,
        first: i32,
    ) -> i32;

    /// # Safety
    /// As cuda/launch.h asks of `cuzk_launch_running_sum_*_end`.
    unsafe fn launch_running_end(
        stream: *mut c_void,
        multiprocessors: i32,
        state: *const c_void,
        parts: *mut c_void,
    ) -> i32;
}

macro_rules! group {
    ($name:ident, $doc:literal, $affine:ty, $projective:ty, $g2:literal, $parts:ident,
     $sum_scratch:ident, $add:ident, $finish:ident, $combine_msm:ident, $sum:ident,
     $combine_sum:ident, $running_size:ident, $running:ident, $running_end:ident) => {
        #[doc = $doc]
        pub(super) struct $name;

        impl Group for $name {
            type Affine = $affine;
            type Projective = $projective;
            const G2: i32 = $g2;
            const PARTS_BYTES: usize = kernels::$parts;

            fn sum_scratch(n: u32, multiprocessors: i32) -> usize {
                // SAFETY: a function of numbers.
                unsafe { kernels::$sum_scratch(n, multiprocessors) }
            }

            unsafe fn launch_add(
                stream: *mut c_void,
                plan: &MsmPlan,
                scratch: *mut c_void,
                points: *const c_void,
                indices: *const u32,
                scalars: *const c_void,
                sources: *const u32,
                n: u32,
                montgomery: i32,
                first: i32,
            ) -> i32 {
                // SAFETY: promised by the caller.
                unsafe {
                    kernels::$add(
                        stream, plan, scratch, points, indices, scalars, sources, n, montgomery,
                        first,
                    )
                }
            }

            unsafe fn launch_finish(
                stream: *mut c_void,
                plan: &MsmPlan,
                scratch: *mut c_void,
                sums: *mut c_void,
            ) -> i32 {
                // SAFETY: promised by the caller.
                unsafe { kernels::$finish(stream, plan, scratch, sums) }
            }

            unsafe fn combine_msm(plan: &MsmPlan, sums: *const c_void) -> Self::Affine {
                let mut point = Self::Affine::default();
                // SAFETY: promised by the caller; an affine point is written.
                unsafe { kernels::$combine_msm(plan, sums, (&raw mut point).cast()) };
                point
            }

            unsafe fn launch_sum(
                stream: *mut c_void,
                multiprocessors: i32,
                scratch: *mut c_void,
                points: *const c_void,
                indices: *const u32,
                n: u32,
                parts: *mut c_void,
            ) -> i32 {
                // SAFETY: promised by the caller.
                unsafe {
                    kernels::$sum(stream, multiprocessors, scratch, points, indices, n, parts)
                }
            }

            unsafe fn combine_sum(parts: *const c_void, n: u32) -> Self::Affine {
                let mut point = Self::Affine::default();
                // SAFETY: promised by the caller; an affine point is written.
                unsafe { kernels::$combine_sum(parts, n, (&raw mut point).cast()) };
                point
            }

            fn running_size(multiprocessors: i32) -> usize {
                // SAFETY: a function of a number.
                unsafe { kernels::$running_size(multiprocessors) }
            }

            unsafe fn launch_running(
                stream: *mut c_void,
                multiprocessors: i32,
                state: *mut c_void,
                points: *const c_void,
                indices: *const u32,
                n: u32,
                first: i32,
            ) -> i32 {
                // SAFETY: promised by the caller.
                unsafe {
                    kernels::$running(stream, multiprocessors, state, points, indices, n, first)
                }
            }

            unsafe fn launch_running_end(
                stream: *mut c_void,
                multiprocessors: i32,
                state: *const c_void,
                parts: *mut c_void,
            ) -> i32 {
                // SAFETY: promised by the caller.
                unsafe { kernels::$running_end(stream, multiprocessors, state, parts) }
            }
        }
    };
}

group!(
    G1,
    "The group over the base field.",
    G1Affine,
    G1Projective,
    0,
    SUM_G1_PARTS_SIZE,
    cuzk_sum_g1_scratch_size,
    cuzk_launch_msm_g1_add,
    cuzk_launch_msm_g1_finish,
    cuzk_msm_g1_combine,
    cuzk_launch_sum_g1,
    cuzk_sum_g1_combine,
    cuzk_running_sum_g1_size,
    cuzk_launch_running_sum_g1,
    cuzk_launch_running_sum_g1_end
);
group!(
    G2,
    "The group over the quadratic extension.",
    G2Affine,
    G2Projective,
    1,
    SUM_G2_PARTS_SIZE,
    cuzk_sum_g2_scratch_size,
    cuzk_launch_msm_g2_add,
    cuzk_launch_msm_g2_finish,
    cuzk_msm_g2_combine,
    cuzk_launch_sum_g2,
    cuzk_sum_g2_combine,
    cuzk_running_sum_g2_size,
    cuzk_launch_running_sum_g2,
    cuzk_launch_running_sum_g2_end
);

/// Points and what is summed of them: device addresses.
#[derive(Clone, Copy)]
pub(super) struct Terms {
    /// Where point 0 lies, or would.
    pub(super) points: u64,
    /// 32-bit numbers of points, or 0 for points 0, 1, 2, ...
    pub(super) indices: u64,
    /// Number of terms.
    pub(super) n: u64,
}

impl Terms {
    fn points(&self) -> *const c_void {
        self.points as usize as *const c_void
    }

    fn indices(&self) -> *const u32 {
        self.indices as usize as *const u32
    }

    /// The terms from number `start` on, `n` of them at most.
    fn part(&self, start: u64, n: u64, point_bytes: u64) -> Self {
        let n = n.min(self.n - start);
        match self.indices {
            0 => Self {
                points: self.points + start * point_bytes,
                indices: 0,
                n,
            },
            indices => Self {
                points: self.points,
                indices: indices + 4 * start,
                n,
            },
        }
    }
}

/// The scalars of a multiplication's terms: device addresses.
#[derive(Clone, Copy)]
pub(super) struct Scalars {
    /// Where scalar 0 lies.
    pub(super) values: u64,
    /// 32-bit numbers of scalars, or 0 for scalars 0, 1, 2, ...
    pub(super) sources: u64,
    /// Whether they are in Montgomery form, or plain numbers.
    pub(super) montgomery: bool,
}

impl Scalars {
    /// Values and numbers from term `start` on.
    fn part(&self, start: u64) -> (*const c_void, *const u32) {
        let (values, sources) = match self.sources {
            0 => (self.values + 32 * start, 0),
            sources => (self.values, sources + 4 * start),
        };
        (
            values as usize as *const c_void,
            sources as usize as *const u32,
        )
    }
}

/// A multiplication in progress. Its terms can come in several parts, each of which is multiplied
/// by itself, in several multiplications where the scratch is too small for one; the results are
/// added. (Sums kept in the buckets from part to part would have to be met with each part's: that
/// costs as much as it saves.)
pub(super) struct Msm<G> {
    plan: MsmPlan,
    /// Terms of one launch at most.
    call_n: u64,
    /// Terms of one multiplication at most.
    whole_n: u64,
    slots: Vec<Slot>,
    group: PhantomData<G>,
}

/// A multiplication's result on its way to the host.
pub(super) struct PendingMsm<G> {
    plan: MsmPlan,
    slots: Vec<Slot>,
    group: PhantomData<G>,
}

/// Plain sums' results on their way to the host.
pub(super) struct PendingSum<G> {
    slots: Vec<Slot>,
    group: PhantomData<G>,
}

impl<G: Group> Msm<G> {
    /// Starts a multiplication whose parts have at most `n` terms, within `limit` bytes of scratch.
    pub(super) fn new(queueing: &mut Queueing<'_>, n: u64, limit: u64) -> Result<Self> {
        let compute = &mut *queueing.compute;
        let mut plan = MsmPlan::default();
        let bytes = usize::try_from(limit).unwrap_or(usize::MAX);
        let processors = compute.multiprocessors();
        let mut whole_n = n.max(1);
        let call_n = loop {
            // SAFETY: writes the plan; a function of numbers otherwise.
            let call_n = unsafe {
                kernels::cuzk_msm_make_plan(&mut plan, G::G2, whole_n, processors, bytes)
            };
            if call_n > 0 {
                break call_n;
            }
            if whole_n <= LEAST_TERMS {
                return Err(compute.no_scratch(n, limit));
            }
            whole_n = whole_n.div_ceil(2);
        };
        // SAFETY: a function of the plan just made.
        let scratch = unsafe { kernels::cuzk_msm_scratch_size(&plan) };
        compute.msm_scratch(queueing.current, scratch as u64)?;
        Ok(Self {
            plan,
            call_n,
            whole_n,
            slots: Vec::new(),
            group: PhantomData,
        })
    }

    /// Adds products of the terms and as many scalars.
    ///
    /// # Safety
    /// The terms and the scalars stay as they are until the compute stream is done with them.
    pub(super) unsafe fn add(
        &mut self,
        queueing: &mut Queueing<'_>,
        terms: Terms,
        scalars: Scalars,
    ) -> Result<()> {
        let point_bytes = size_of::<G::Affine>() as u64;
        let (mut start, mut done_n) = (0, 0);
        while start < terms.n {
            let most = self.call_n.min(self.whole_n - done_n);
            let part = terms.part(start, most, point_bytes);
            let (values, sources) = scalars.part(start);
            let compute = &*queueing.compute;
            // SAFETY: promised by the caller; the scratch was sized by this plan and is used by
            // one multiplication at a time, in the order of the stream. A plan for as many terms
            // as a call takes has no scratch for a second call, and gets none.
            let code = unsafe {
                G::launch_add(
                    compute.stream().as_ptr(),
                    &self.plan,
                    compute.msm_scratch_at(),
                    part.points(),
                    part.indices(),
                    values,
                    sources,
                    part.n as u32,
                    i32::from(scalars.montgomery),
                    i32::from(done_n == 0),
                )
            };
            compute.check(code, "a multi-scalar multiplication")?;
            done_n += part.n;
            start += part.n;
            if done_n == self.whole_n || start == terms.n {
                self.end(queueing)?;
                done_n = 0;
            }
        }
        Ok(())
    }

    /// Queues the last step of a multiplication.
    fn end(&mut self, queueing: &mut Queueing<'_>) -> Result<()> {
        let (compute, results) = (&*queueing.compute, &mut *queueing.results);
        // SAFETY: a function of the plan.
        let slot = results.slot(unsafe { kernels::cuzk_msm_sums_size(&self.plan) })?;
        // SAFETY: the slot is page-locked memory of that size, read after the stream is done.
        let code = unsafe {
            let sums = results.at(slot);
            let stream = compute.stream().as_ptr();
            G::launch_finish(stream, &self.plan, compute.msm_scratch_at(), sums)
        };
        compute.check(code, "the last step of a multi-scalar multiplication")?;
        self.slots.push(slot);
        Ok(())
    }

    /// Ends the parts; the result is there once the stream is done.
    pub(super) fn finish(self) -> PendingMsm<G> {
        PendingMsm {
            plan: self.plan,
            slots: self.slots,
            group: PhantomData,
        }
    }
}

impl<G: Group> PendingMsm<G> {
    /// Adds the result, once the stream is done.
    pub(super) fn add_to(&self, results: &Results, sum: &mut G::Projective) {
        for slot in &self.slots {
            // SAFETY: the slot holds this plan's sums.
            *sum += unsafe { G::combine_msm(&self.plan, results.at(*slot)) };
        }
    }
}

impl<G: Group> PendingSum<G> {
    /// No sums yet.
    pub(super) fn new() -> Self {
        Self {
            slots: Vec::new(),
            group: PhantomData,
        }
    }

    /// Queues the sum of the terms' points.
    ///
    /// # Safety
    /// The terms stay as they are until the compute stream is done with them.
    pub(super) unsafe fn add(&mut self, queueing: &mut Queueing<'_>, terms: Terms) -> Result<()> {
        if terms.n == 0 {
            return Ok(());
        }
        let (compute, current) = (&mut *queueing.compute, queueing.current);
        let n = terms.n as u32;
        let processors = compute.multiprocessors();
        compute.sum_scratch(current, G::sum_scratch(n, processors) as u64)?;
        let parts = compute.parts(current)?;
        // SAFETY: promised by the caller; scratch and parts are used in the order of the stream.
        let code = unsafe {
            G::launch_sum(
                compute.stream().as_ptr(),
                processors,
                compute.sum_scratch_at(),
                terms.points(),
                terms.indices(),
                n,
                parts as usize as *mut c_void,
            )
        };
        compute.check(code, "a sum of points")?;
        self.fetch(queueing, parts)
    }

    /// Queues the copy of a sum's parts to the host.
    fn fetch(&mut self, queueing: &mut Queueing<'_>, parts: u64) -> Result<()> {
        let slot = queueing.results.slot(G::PARTS_BYTES)?;
        let (context, stream) = (queueing.current.context(), queueing.compute.stream());
        let to = queueing.results.at(slot).cast();
        // SAFETY: the slot has this size and is read after the stream is done; the parts are the
        // queue's own.
        unsafe { copy_from_device(context, to, parts, G::PARTS_BYTES, stream)? };
        self.slots.push(slot);
        Ok(())
    }

    /// Adds the results, once the stream is done.
    pub(super) fn add_to(&self, results: &Results, sum: &mut G::Projective) {
        for slot in &self.slots {
            // SAFETY: the slot holds the parts of one launch.
            *sum += unsafe { G::combine_sum(results.at(*slot), kernels::SUM_PARTS) };
        }
    }
}

/// A plain sum over points that come in pieces: one small kernel for each.
pub(super) struct RunningSum<G> {
    first: bool,
    group: PhantomData<G>,
}

impl<G: Group> RunningSum<G> {
    /// Starts a sum. There is one at a time on a queue.
    pub(super) fn new(queueing: &mut Queueing<'_>) -> Result<Self> {
        let compute = &mut *queueing.compute;
        let bytes = G::running_size(compute.multiprocessors()) as u64;
        compute.sum_scratch(queueing.current, bytes)?;
        Ok(Self {
            first: true,
            group: PhantomData,
        })
    }

    /// Queues adding the terms' points.
    ///
    /// # Safety
    /// The terms stay as they are until the compute stream is done with them.
    pub(super) unsafe fn add(&mut self, queueing: &Queueing<'_>, terms: Terms) -> Result<()> {
        let compute = &*queueing.compute;
        // SAFETY: promised by the caller; the state was made large enough, and is used in the
        // order of the stream.
        let code = unsafe {
            G::launch_running(
                compute.stream().as_ptr(),
                compute.multiprocessors(),
                compute.sum_scratch_at(),
                terms.points(),
                terms.indices(),
                terms.n as u32,
                i32::from(self.first),
            )
        };
        self.first = false;
        compute.check(code, "a running sum of points")
    }

    /// Queues the end. Some terms, of any number, were added.
    pub(super) fn finish(self, queueing: &mut Queueing<'_>) -> Result<PendingSum<G>> {
        let compute = &mut *queueing.compute;
        let parts = compute.parts(queueing.current)?;
        // SAFETY: the state holds a sum; both are used in the order of the stream.
        let code = unsafe {
            let to = parts as usize as *mut c_void;
            let (stream, state) = (compute.stream().as_ptr(), compute.sum_scratch_at());
            G::launch_running_end(stream, compute.multiprocessors(), state, to)
        };
        compute.check(code, "the end of a running sum")?;
        let mut sum = PendingSum::new();
        sum.fetch(queueing, parts)?;
        Ok(sum)
    }
}
