// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the time of a proof went.

use std::time::{Duration, Instant};

/// Time spent and bytes moved for one partition, summed for a request or a job.
///
/// Phases that overlap are each counted in full, so their sum can exceed `total`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timings {
    /// Waiting in the queue.
    pub queue: Duration,
    /// Parsing and validating the Commit-1 output.
    pub parse: Duration,
    /// Loading parameters and compiled circuits that were not resident.
    pub parameter_load: Duration,
    /// Making the witness.
    pub witness: Duration,
    /// Evaluating the rows a, b, c.
    pub constraint_evaluation: Duration,
    /// Copying to the device.
    pub upload: Duration,
    /// All number-theoretic transforms of the quotient.
    pub ntt: Duration,
    /// The multi-scalar multiplication over the h query.
    pub msm_h: Duration,
    /// Over the l query.
    pub msm_l: Duration,
    /// Over the a query.
    pub msm_a: Duration,
    /// Over the b query in G1.
    pub msm_b_g1: Duration,
    /// Over the b query in G2.
    pub msm_b_g2: Duration,
    /// Joining the sums with the blinding scalars.
    pub assemble: Duration,
    /// Verifying the result.
    pub verify: Duration,
    /// Device time, by the device's own clock.
    pub device_busy: Duration,
    /// From the request's start to its result.
    pub total: Duration,
    /// Bytes copied to the device.
    pub bytes_up: u64,
    /// Bytes copied from the device.
    pub bytes_down: u64,
    /// Most host memory that the library held for this work, resident parameters included.
    pub peak_host_bytes: u64,
    /// Most device memory that the library held for this work, resident parameters included.
    pub peak_device_bytes: u64,
}

impl Timings {
    /// Adds another partition's or request's timings: times and bytes add up, peaks take the
    /// larger; `total` is left for the caller, who knows what overlapped.
    pub fn add(&mut self, other: &Timings) {
        self.queue += other.queue;
        self.parse += other.parse;
        self.parameter_load += other.parameter_load;
        self.witness += other.witness;
        self.constraint_evaluation += other.constraint_evaluation;
        self.upload += other.upload;
        self.ntt += other.ntt;
        self.msm_h += other.msm_h;
        self.msm_l += other.msm_l;
        self.msm_a += other.msm_a;
        self.msm_b_g1 += other.msm_b_g1;
        self.msm_b_g2 += other.msm_b_g2;
        self.assemble += other.assemble;
        self.verify += other.verify;
        self.device_busy += other.device_busy;
        self.bytes_up += other.bytes_up;
        self.bytes_down += other.bytes_down;
        self.peak_host_bytes = self.peak_host_bytes.max(other.peak_host_bytes);
        self.peak_device_bytes = self.peak_device_bytes.max(other.peak_device_bytes);
    }

    /// Every phase with its name, in the order of the work; for tables and JSON.
    pub fn phases(&self) -> [(&'static str, Duration); 16] {
        [
            ("queue", self.queue),
            ("parse", self.parse),
            ("parameter_load", self.parameter_load),
            ("witness", self.witness),
            ("constraint_evaluation", self.constraint_evaluation),
            ("upload", self.upload),
            ("ntt", self.ntt),
            ("msm_h", self.msm_h),
            ("msm_l", self.msm_l),
            ("msm_a", self.msm_a),
            ("msm_b_g1", self.msm_b_g1),
            ("msm_b_g2", self.msm_b_g2),
            ("assemble", self.assemble),
            ("verify", self.verify),
            ("device_busy", self.device_busy),
            ("total", self.total),
        ]
    }

    /// Every count of bytes with its name.
    pub fn byte_counts(&self) -> [(&'static str, u64); 4] {
        [
            ("bytes_up", self.bytes_up),
            ("bytes_down", self.bytes_down),
            ("peak_host_bytes", self.peak_host_bytes),
            ("peak_device_bytes", self.peak_device_bytes),
        ]
    }
}

/// Runs `work` and adds the time it took to `phase`.
pub fn timed<T>(phase: &mut Duration, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    *phase += start.elapsed();
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adding_sums_phases_and_keeps_the_larger_peak() {
        let mut sum = Timings {
            ntt: Duration::from_nanos(5),
            peak_host_bytes: 7,
            bytes_up: 1,
            ..Default::default()
        };
        sum.add(&Timings {
            ntt: Duration::from_nanos(6),
            peak_host_bytes: 3,
            bytes_up: 2,
            ..Default::default()
        });
        assert_eq!(sum.ntt, Duration::from_nanos(11));
        assert_eq!(sum.peak_host_bytes, 7);
        assert_eq!(sum.bytes_up, 3);
    }
}
