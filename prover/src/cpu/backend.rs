// SPDX-License-Identifier: MIT OR Apache-2.0
//! The backend that every machine has.

use rayon::prelude::*;

use super::evaluate::{evaluate_every, EveryRow};
use super::msm::{aux_sum, compact, input_sum, msm_of_owned};
use super::quotient::quotient;
use crate::backend::{Assignment, AuxAssignment, Backend, Cancel, Memory, ResidentSrs, Rows, Sums};
use crate::curve::Scalar;
use crate::srs::{HostSrs, SrsShape};
use crate::timing::{timed, Timings};
use crate::{Error, ErrorKind, Result};

/// Proves on the threads of the rayon pool that it is called in.
///
/// Beside the parameters and the assignment it takes 56 bytes a row of the domain, and about 5 MB
/// a thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct CpuBackend;

impl Backend for CpuBackend {
    fn name(&self) -> &str {
        "cpu"
    }

    fn work_memory(&self, shape: &SrsShape) -> Memory {
        let threads = rayon::current_num_threads() as u64;
        Memory {
            host: 56 * (shape.h as u64 + 1) + 5_000_000 * threads,
            device: 0,
        }
    }

    fn sums(
        &self,
        srs: &dyn ResidentSrs,
        assignment: &Assignment<'_>,
        cancel: &Cancel,
        timings: &mut Timings,
    ) -> Result<Sums> {
        let srs: &HostSrs = srs.as_any().downcast_ref().ok_or_else(|| {
            Error::new(
                ErrorKind::InvalidArgument,
                "the parameters do not lie in host memory",
            )
        })?;
        let packed;
        let aux = match assignment.aux {
            AuxAssignment::Compact(aux) => aux,
            AuxAssignment::Scalars(scalars) => {
                packed = compact(scalars)?;
                &packed
            }
        };

        let h = {
            let h = coefficients(assignment, cancel, timings)?;
            let query = timed(&mut timings.parameter_load, || srs.h(cancel))?;
            timed(&mut timings.msm_h, || msm_of_owned(query, h, cancel))?
        };
        let bytes = srs.host_bytes() + self.work_memory(srs.shape()).host;
        timings.peak_host_bytes = timings.peak_host_bytes.max(bytes);
        let query = timed(&mut timings.parameter_load, || srs.l(cancel))?;
        let l = timed(&mut timings.msm_l, || aux_sum(query, aux, None, cancel))?;
        let query = timed(&mut timings.parameter_load, || srs.a(cancel))?;
        let a = timed(&mut timings.msm_a, || {
            let (of_inputs, of_aux) = query.split_at(assignment.input.len());
            let density = Some(assignment.a_aux_density);
            Ok(input_sum(of_inputs, assignment.input, None, cancel)?
                + aux_sum(of_aux, aux, density, cancel)?)
        })?;
        let inputs_in_b = assignment.b_input_density.count_ones();
        let b_input_density = Some(assignment.b_input_density);
        let b_aux_density = Some(assignment.b_aux_density);
        let query = timed(&mut timings.parameter_load, || srs.b_g1(cancel))?;
        let b_g1 = timed(&mut timings.msm_b_g1, || {
            let (of_inputs, of_aux) = query.split_at(inputs_in_b);
            Ok(
                input_sum(of_inputs, assignment.input, b_input_density, cancel)?
                    + aux_sum(of_aux, aux, b_aux_density, cancel)?,
            )
        })?;
        let query = timed(&mut timings.parameter_load, || srs.b_g2(cancel))?;
        let b_g2 = timed(&mut timings.msm_b_g2, || {
            let (of_inputs, of_aux) = query.split_at(inputs_in_b);
            Ok(
                input_sum(of_inputs, assignment.input, b_input_density, cancel)?
                    + aux_sum(of_aux, aux, b_aux_density, cancel)?,
            )
        })?;
        Ok(Sums {
            h,
            l,
            a,
            b_g1,
            b_g2,
        })
    }
}

/// The quotient's coefficients, from rows given or evaluated here.
fn coefficients(
    assignment: &Assignment<'_>,
    cancel: &Cancel,
    timings: &mut Timings,
) -> Result<Vec<Scalar>> {
    match assignment.rows {
        Rows::Given { a, b, c } => {
            let rows = [a, b, c];
            let fill = |which: usize, every: EveryRow, out: &mut [Scalar]| {
                let rows = rows[which];
                out.par_iter_mut()
                    .enumerate()
                    .with_min_len(1 << 12)
                    .for_each(|(i, out)| {
                        *out = rows[every.first + i * every.step];
                    });
                Ok(())
            };
            quotient(a.len(), fill, cancel, timings)
        }
        Rows::Compiled(circuit) => {
            let fill = |which: usize, every: EveryRow, out: &mut [Scalar]| {
                evaluate_every(circuit, which, every, assignment.input, assignment.aux, out)
            };
            quotient(circuit.shape().rows, fill, cancel, timings)
        }
    }
}
