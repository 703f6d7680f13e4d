// SPDX-License-Identifier: MIT OR Apache-2.0

package ccuzk

/*
#include "cuzk.h"
*/
import "C"

import (
	"runtime"
	"time"
	"unsafe"
)

// Priorities and phases, with the header's numbers.
const (
	PriorityDefault  = C.CUZK_PRIORITY_DEFAULT
	PriorityLow      = C.CUZK_PRIORITY_LOW
	PriorityNormal   = C.CUZK_PRIORITY_NORMAL
	PriorityHigh     = C.CUZK_PRIORITY_HIGH
	PriorityCritical = C.CUZK_PRIORITY_CRITICAL

	PhaseQueued    = C.CUZK_JOB_PHASE_QUEUED
	PhasePlanning  = C.CUZK_JOB_PHASE_PLANNING
	PhaseProving   = C.CUZK_JOB_PHASE_PROVING
	PhaseFinishing = C.CUZK_JOB_PHASE_FINISHING
	PhaseDone      = C.CUZK_JOB_PHASE_DONE
)

// Request is a cuzk_c2_request.
type Request struct {
	C1           []byte
	SectorNumber uint64
	ProverID     ProverID
	// CircuitProofs leaves the proofs of the partitions apart; ProverID is then not looked at.
	CircuitProofs bool
}

// Job is a cuzk_job.
type Job struct{ p *C.cuzk_job }

// C2ProveStart binds cuzk_c2_prove_start, which copies the requests and their C1 outputs.
func (c *Context) C2ProveStart(requests []Request, priority int32) (*Job, error) {
	var pinner runtime.Pinner
	defer pinner.Unpin()
	array := make([]C.cuzk_c2_request, len(requests))
	for i, request := range requests {
		array[i] = C.cuzk_c2_request{
			struct_size:   C.sizeof_cuzk_c2_request,
			sector_number: C.uint64_t(request.SectorNumber),
			c1_len:        C.size_t(len(request.C1)),
			prover_id:     cBytes(request.ProverID),
		}
		if request.CircuitProofs {
			array[i].circuit_proofs = 1
		}
		if len(request.C1) > 0 {
			pinner.Pin(unsafe.SliceData(request.C1))
			array[i].c1 = bytes(request.C1)
		}
	}
	options := C.cuzk_job_options{
		struct_size: C.sizeof_cuzk_job_options,
		priority:    C.int32_t(priority),
	}
	job := new(Job)
	err := call(func(e *C.cuzk_error) C.cuzk_status {
		return C.cuzk_c2_prove_start(c.p, unsafe.SliceData(array), C.size_t(len(array)), &options,
			&job.p, e)
	})
	if err != nil {
		return nil, err
	}
	return job, nil
}

// Wait binds cuzk_job_wait: it says whether the job has ended. Below zero there is no limit.
func (j *Job) Wait(milliseconds int64) (bool, error) {
	err := call(func(e *C.cuzk_error) C.cuzk_status {
		return C.cuzk_job_wait(j.p, C.int64_t(milliseconds), e)
	})
	if e, ok := err.(*Error); ok && e.Status == Timeout {
		return false, nil
	}
	return err == nil, err
}

// Cancel binds cuzk_job_cancel.
func (j *Job) Cancel() error {
	return call(func(e *C.cuzk_error) C.cuzk_status { return C.cuzk_job_cancel(j.p, e) })
}

// Free binds cuzk_job_free.
func (j *Job) Free() { C.cuzk_job_free(j.p) }

// Progress is a cuzk_progress.
type Progress struct {
	Phase                           int32
	RequestsDone, RequestsTotal     uint64
	PartitionsDone, PartitionsTotal uint64
	Fraction                        float64
}

// Progress binds cuzk_job_progress.
func (j *Job) Progress() (Progress, error) {
	p := C.cuzk_progress{struct_size: C.sizeof_cuzk_progress}
	err := call(func(e *C.cuzk_error) C.cuzk_status { return C.cuzk_job_progress(j.p, &p, e) })
	return Progress{
		Phase:           int32(p.phase),
		RequestsDone:    uint64(p.requests_done),
		RequestsTotal:   uint64(p.requests_total),
		PartitionsDone:  uint64(p.partitions_done),
		PartitionsTotal: uint64(p.partitions_total),
		Fraction:        float64(p.fraction),
	}, err
}

// Proof binds cuzk_job_result_proof, with a copy of the bytes; a request that failed has its own
// error.
func (j *Job) Proof(i int) ([]byte, error) {
	var proof *C.uint8_t
	var length C.size_t
	err := call(func(e *C.cuzk_error) C.cuzk_status {
		return C.cuzk_job_result_proof(j.p, C.size_t(i), &proof, &length, e)
	})
	if err != nil {
		return nil, err
	}
	copied := make([]byte, int(length))
	copy(copied, unsafe.Slice((*byte)(proof), int(length)))
	return copied, nil
}

// Timings is a cuzk_timings.
type Timings struct {
	Proofs                                             int
	Queue, Parse, ParameterLoad                        time.Duration
	Witness, ConstraintEvaluation, Upload, NTT         time.Duration
	MSMH, MSML, MSMA, MSMBG1, MSMBG2                   time.Duration
	Assemble, Verify, DeviceBusy, Total                time.Duration
	BytesUp, BytesDown, PeakHostBytes, PeakDeviceBytes uint64
	Backend                                            string
}

// Timings binds cuzk_job_result_timings.
func (j *Job) Timings(i int) (Timings, error) {
	t := C.cuzk_timings{struct_size: C.sizeof_cuzk_timings}
	err := call(func(e *C.cuzk_error) C.cuzk_status {
		return C.cuzk_job_result_timings(j.p, C.size_t(i), &t, e)
	})
	duration := func(nanoseconds C.uint64_t) time.Duration { return time.Duration(nanoseconds) }
	return Timings{
		Proofs:               int(t.proofs),
		Queue:                duration(t.queue),
		Parse:                duration(t.parse),
		ParameterLoad:        duration(t.parameter_load),
		Witness:              duration(t.witness),
		ConstraintEvaluation: duration(t.constraint_evaluation),
		Upload:               duration(t.upload),
		NTT:                  duration(t.ntt),
		MSMH:                 duration(t.msm_h),
		MSML:                 duration(t.msm_l),
		MSMA:                 duration(t.msm_a),
		MSMBG1:               duration(t.msm_b_g1),
		MSMBG2:               duration(t.msm_b_g2),
		Assemble:             duration(t.assemble),
		Verify:               duration(t.verify),
		DeviceBusy:           duration(t.device_busy),
		Total:                duration(t.total),
		BytesUp:              uint64(t.bytes_up),
		BytesDown:            uint64(t.bytes_down),
		PeakHostBytes:        uint64(t.peak_host_bytes),
		PeakDeviceBytes:      uint64(t.peak_device_bytes),
		Backend:              C.GoString(&t.backend[0]),
	}, err
}
