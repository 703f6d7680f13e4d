// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the time of a call went, as a structure and as JSON.

use std::ffi::c_char;
use std::mem::{offset_of, MaybeUninit};
use std::time::Duration;

use cuzk_prover::schedule::{Outcome, Proved};
use cuzk_prover::timing::Timings;
use serde_json::json;

use super::arguments::{copy_text, member_text, TextOut};
use super::boundary::boundary;
use super::status::{cuzk_error, cuzk_status};
use super::struct_size::{read_required, Growing};

/// Where the time of a call went, and what it needed. Times are nanoseconds;
/// phases that overlap are each counted in full, so their sum can exceed the
/// total. Start it with CUZK_TIMINGS_INIT.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_timings {
    /// sizeof(cuzk_timings), as CUZK_TIMINGS_INIT sets it.
    pub struct_size: u32,
    /// Partitions or assignments proved.
    pub proofs: u32,
    /// Waiting in the queue.
    pub queue: u64,
    /// Parsing and validating the Commit-1 output.
    pub parse: u64,
    /// Loading parameters and circuits that were not in memory.
    pub parameter_load: u64,
    /// Making the witness.
    pub witness: u64,
    /// Evaluating the constraint rows a, b, c.
    pub constraint_evaluation: u64,
    /// Copying to the device.
    pub upload: u64,
    /// All number-theoretic transforms.
    pub ntt: u64,
    /// The multi-scalar multiplication over the h query.
    pub msm_h: u64,
    /// Over the l query.
    pub msm_l: u64,
    /// Over the a query.
    pub msm_a: u64,
    /// Over the b query in G1.
    pub msm_b_g1: u64,
    /// Over the b query in G2.
    pub msm_b_g2: u64,
    /// Joining the sums into proofs.
    pub assemble: u64,
    /// Verifying the proofs.
    pub verify: u64,
    /// Device time, by the device's own clock.
    pub device_busy: u64,
    /// From the call to its result.
    pub total: u64,
    /// Bytes copied to the device.
    pub bytes_up: u64,
    /// Bytes copied from the device.
    pub bytes_down: u64,
    /// Most host memory held for the call, parameters included.
    pub peak_host_bytes: u64,
    /// Most device memory held for the call, parameters included.
    pub peak_device_bytes: u64,
    /// What proved: "cpu", or the devices.
    pub backend: [c_char; 64],
}

// SAFETY: integers only, struct_size first.
unsafe impl Growing for cuzk_timings {
    const NAME: &'static str = "cuzk_timings";
    const FIRST_SIZE: usize = 232;
}

const _: () = assert!(size_of::<cuzk_timings>() == 232);
const _: () = assert!(offset_of!(cuzk_timings, queue) == 8);
const _: () = assert!(offset_of!(cuzk_timings, total) == 128);
const _: () = assert!(offset_of!(cuzk_timings, backend) == 168);

impl cuzk_timings {
    /// The sums over proofs that took `total` together.
    pub(super) fn of(proved: &[Proved], total: Duration) -> Self {
        let mut sum = Timings::default();
        for proved in proved {
            sum.add(&proved.timings);
        }
        sum.total = total;
        Self::new(&sum, proved.len(), &backends(proved))
    }

    /// Those of a request of a job.
    pub(super) fn of_outcome(outcome: &Outcome) -> Self {
        let proved = &outcome.partitions;
        Self::new(&outcome.timings, proved.len(), &backends(proved))
    }

    /// The timings as C sees them.
    pub(super) fn new(timings: &Timings, proofs: usize, backend: &str) -> Self {
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        Self {
            struct_size: size_of::<Self>() as u32,
            proofs: u32::try_from(proofs).unwrap_or(u32::MAX),
            queue: nanoseconds(timings.queue),
            parse: nanoseconds(timings.parse),
            parameter_load: nanoseconds(timings.parameter_load),
            witness: nanoseconds(timings.witness),
            constraint_evaluation: nanoseconds(timings.constraint_evaluation),
            upload: nanoseconds(timings.upload),
            ntt: nanoseconds(timings.ntt),
            msm_h: nanoseconds(timings.msm_h),
            msm_l: nanoseconds(timings.msm_l),
            msm_a: nanoseconds(timings.msm_a),
            msm_b_g1: nanoseconds(timings.msm_b_g1),
            msm_b_g2: nanoseconds(timings.msm_b_g2),
            assemble: nanoseconds(timings.assemble),
            verify: nanoseconds(timings.verify),
            device_busy: nanoseconds(timings.device_busy),
            total: nanoseconds(timings.total),
            bytes_up: timings.bytes_up,
            bytes_down: timings.bytes_down,
            peak_host_bytes: timings.peak_host_bytes,
            peak_device_bytes: timings.peak_device_bytes,
            backend: copy_text(backend),
        }
    }

    /// The same as JSON; the members are named like the structure's.
    fn to_json(self) -> serde_json::Value {
        json!({
            "proofs": self.proofs,
            "backend": member_text(&self.backend),
            "nanoseconds": {
                "queue": self.queue,
                "parse": self.parse,
                "parameter_load": self.parameter_load,
                "witness": self.witness,
                "constraint_evaluation": self.constraint_evaluation,
                "upload": self.upload,
                "ntt": self.ntt,
                "msm_h": self.msm_h,
                "msm_l": self.msm_l,
                "msm_a": self.msm_a,
                "msm_b_g1": self.msm_b_g1,
                "msm_b_g2": self.msm_b_g2,
                "assemble": self.assemble,
                "verify": self.verify,
                "device_busy": self.device_busy,
                "total": self.total,
            },
            "bytes_up": self.bytes_up,
            "bytes_down": self.bytes_down,
            "peak_host_bytes": self.peak_host_bytes,
            "peak_device_bytes": self.peak_device_bytes,
        })
    }
}

/// The devices that proved, each once.
fn backends(proved: &[Proved]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for proved in proved {
        if !names.contains(&proved.backend.as_str()) {
            names.push(&proved.backend);
        }
    }
    names.join(", ")
}

/// Writes timings as JSON, zero-terminated.
///
/// Members are named like the structure's; the times stand in an object
/// "nanoseconds". length_out is null or gets the length without the closing
/// zero, also when the text does not fit: call once with capacity 0 to learn
/// it.
///
/// Errors: CUZK_STATUS_INVALID_ARGUMENT, CUZK_STATUS_ABI_MISMATCH for the
/// structure, CUZK_STATUS_BUFFER_TOO_SMALL.
#[no_mangle]
pub unsafe extern "C" fn cuzk_timings_json(
    timings: *const cuzk_timings,
    json_out: *mut c_char,
    capacity: usize,
    length_out: Option<&mut MaybeUninit<usize>>,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || {
        // SAFETY: the header asks for a structure that starts with its size, and for a buffer
        // of `capacity` bytes.
        let (timings, out) = unsafe {
            (
                read_required(timings, "timings")?,
                TextOut::new(json_out, capacity, length_out, "json_out")?,
            )
        };
        out.write(&timings.to_json().to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phase_arrives_in_its_own_member() {
        // Each duration its own number; what is added to the core must be added here.
        let mut timings = Timings::default();
        let phases: [&mut Duration; 16] = [
            &mut timings.queue,
            &mut timings.parse,
            &mut timings.parameter_load,
            &mut timings.witness,
            &mut timings.constraint_evaluation,
            &mut timings.upload,
            &mut timings.ntt,
            &mut timings.msm_h,
            &mut timings.msm_l,
            &mut timings.msm_a,
            &mut timings.msm_b_g1,
            &mut timings.msm_b_g2,
            &mut timings.assemble,
            &mut timings.verify,
            &mut timings.device_busy,
            &mut timings.total,
        ];
        for (number, phase) in phases.into_iter().enumerate() {
            *phase = Duration::from_nanos(1 + number as u64);
        }
        (timings.bytes_up, timings.bytes_down) = (17, 18);
        (timings.peak_host_bytes, timings.peak_device_bytes) = (19, 20);

        let c = cuzk_timings::new(&timings, 3, "cpu");
        let words: Vec<u64> = {
            // SAFETY: twenty words stand between the first two members and the text.
            let place = (&raw const c.queue).cast::<[u64; 20]>();
            unsafe { place.read() }.to_vec()
        };
        assert_eq!(words, (1..=20).collect::<Vec<u64>>());

        let json = c.to_json();
        assert_eq!(json["backend"], "cpu");
        assert_eq!(json["proofs"], 3);
        let phases = json["nanoseconds"].as_object().unwrap();
        let mut values: Vec<u64> = phases
            .values()
            .map(|value| value.as_u64().unwrap())
            .collect();
        values.sort_unstable();
        assert_eq!(values, (1..=16).collect::<Vec<u64>>());
        assert_eq!(phases["msm_b_g2"], 12);
        assert_eq!(json["peak_device_bytes"], 20);
    }
}
