// SPDX-License-Identifier: MIT OR Apache-2.0

package cuzk

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"cuzk/go-binding/internal/ccuzk"
)

// Request is a sector to be proved.
type Request struct {
	// Phase1Output is the output of Commit-1: its JSON, plain or wrapped.
	Phase1Output []byte
	// SectorNumber is the sector's.
	SectorNumber uint64
	// MinerID is the actor id of the storage provider.
	MinerID uint64
	// CircuitProofs asks for the proofs of the partitions, 192 bytes each, instead of a proof: for
	// [Context.Aggregate]. MinerID is then not looked at.
	CircuitProofs bool
}

// Result is what became of a request.
type Result struct {
	// Proof goes on chain: 192 bytes for each partition, or the aggregate that the proof of a
	// non-interactive sector is. Nil when the request failed.
	Proof []byte
	// Timings say where the time went, also when the request failed.
	Timings Timings
	// Err is nil when the request was proved.
	Err error
}

// Priority says how urgent a job is. Between the partitions of a job more urgent ones overtake it.
type Priority int32

// The priorities; zero is Normal.
const (
	Low      Priority = ccuzk.PriorityLow
	Normal   Priority = ccuzk.PriorityNormal
	High     Priority = ccuzk.PriorityHigh
	Critical Priority = ccuzk.PriorityCritical
)

// Phase is what a job is doing.
type Phase int32

// The phases in their order; those between Queued and Done come for each request.
const (
	Queued    Phase = ccuzk.PhaseQueued
	Planning  Phase = ccuzk.PhasePlanning
	Proving   Phase = ccuzk.PhaseProving
	Finishing Phase = ccuzk.PhaseFinishing
	Done      Phase = ccuzk.PhaseDone
)

func (p Phase) String() string {
	switch p {
	case Queued:
		return "queued"
	case Planning:
		return "planning"
	case Proving:
		return "proving"
	case Finishing:
		return "finishing"
	case Done:
		return "done"
	}
	return fmt.Sprintf("phase %d", int32(p))
}

// Progress is how far a job is.
type Progress struct {
	// Phase is what it is doing.
	Phase Phase
	// Requests that have ended, and in all.
	RequestsDone, RequestsTotal uint64
	// Partitions proved, and in all as far as is known.
	PartitionsDone, PartitionsTotal uint64
	// Fraction is the part that is done, from 0 to 1.
	Fraction float64
}

// Timings say where time went. Phases that overlap are each counted in full.
type Timings struct {
	// Proofs is the number of partitions proved.
	Proofs int
	// Queue is waiting, Parse reading the Commit-1 output, ParameterLoad bringing parameters and
	// circuits into memory.
	Queue, Parse, ParameterLoad time.Duration
	// Witness and ConstraintEvaluation make the rows, Upload copies, NTT transforms.
	Witness, ConstraintEvaluation, Upload, NTT time.Duration
	// The multi-scalar multiplications over the h, l, a and b queries.
	MSMH, MSML, MSMA, MSMBG1, MSMBG2 time.Duration
	// Assemble joins the sums, Verify verifies, DeviceBusy is by the device's clock, Total is from
	// the request's first step to its last.
	Assemble, Verify, DeviceBusy, Total time.Duration
	// Bytes copied to and from the device, and the most memory held, parameters included.
	BytesUp, BytesDown, PeakHostBytes, PeakDeviceBytes uint64
	// Backend is what proved: "cpu", or the devices.
	Backend string
}

// Prove proves sectors, one after the other. When ctx ends, the work ends within one partition.
//
// The results are in the order of the requests, and one that fails does not fail the others: look
// at each Err. The error is about all of them: [ErrClosed], no memory for a copy of the requests,
// or ctx, and then the results say which requests were proved before.
func (c *Context) Prove(ctx context.Context, requests ...Request) ([]Result, error) {
	job, err := c.Start(ctx, Normal, requests...)
	if err != nil {
		return nil, err
	}
	defer job.Close()
	return job.Wait()
}

// Job is sectors that are proved in the background.
type Job struct {
	*job
	// The end of the tie to the context.Context that the job was started with.
	untie func() bool
}

// job is what goroutines of this package refer to, so that a forgotten Job can be collected.
type job struct {
	mutex sync.RWMutex
	c     *ccuzk.Job // nil once closed
	n     int
	ctx   context.Context
}

// Start starts to prove sectors and does not wait. When ctx ends, the job is cancelled.
func (c *Context) Start(ctx context.Context, priority Priority, requests ...Request) (*Job, error) {
	if ctx.Err() != nil {
		return nil, cancelled(ctx)
	}
	all := make([]ccuzk.Request, len(requests))
	for i, request := range requests {
		prover, err := ccuzk.ProverIDFromActor(request.MinerID)
		if err != nil {
			return nil, public(err)
		}
		all[i] = ccuzk.Request{
			C1:            request.Phase1Output,
			SectorNumber:  request.SectorNumber,
			ProverID:      prover,
			CircuitProofs: request.CircuitProofs,
		}
	}
	inner := &job{n: len(requests), ctx: ctx}
	err := c.use(func(c *ccuzk.Context) (err error) {
		inner.c, err = c.C2ProveStart(all, int32(priority))
		return err
	})
	if err != nil {
		return nil, err
	}
	untie := context.AfterFunc(ctx, func() { _ = inner.Cancel() })
	outer := &Job{inner, untie}
	// Ending a job waits for its work: not on the collector's goroutine.
	runtime.SetFinalizer(outer, func(j *Job) { go j.Close() })
	return outer, nil
}

func cancelled(ctx context.Context) error {
	return fmt.Errorf("cuzk: the work was cancelled: %w", context.Cause(ctx))
}

// use makes a call on the job unless it is closed, and keeps it open meanwhile.
func (j *job) use(call func(*ccuzk.Job) error) error {
	j.mutex.RLock()
	defer j.mutex.RUnlock()
	if j.c == nil {
		return ErrClosed
	}
	return public(call(j.c))
}

// Cancel asks the job to end within one partition, and does not wait. Requests that have ended
// keep their results, those of the others are [ErrCancelled].
func (j *job) Cancel() error {
	return j.use(func(c *ccuzk.Job) error { return c.Cancel() })
}

// Progress says how far the job is.
func (j *job) Progress() (progress Progress, err error) {
	err = j.use(func(c *ccuzk.Job) error {
		p, err := c.Progress()
		progress = Progress{Phase(p.Phase), p.RequestsDone, p.RequestsTotal, p.PartitionsDone,
			p.PartitionsTotal, p.Fraction}
		return err
	})
	return progress, err
}

// How often Watch looks.
const watchInterval = 50 * time.Millisecond

// Watch returns a channel that gets the job's progress whenever it has changed, and is closed when
// the job has ended or was closed. Who reads late gets the newest; the last one is always told.
func (j *job) Watch() <-chan Progress {
	// Room for the newest: writing never waits for a reader.
	channel := make(chan Progress, 1)
	go func() {
		defer close(channel)
		var last *Progress
		for {
			var ended bool
			err := j.use(func(c *ccuzk.Job) (err error) {
				ended, err = c.Wait(watchInterval.Milliseconds())
				return err
			})
			if err != nil {
				return
			}
			now, err := j.Progress()
			if err != nil {
				return
			}
			if last == nil || *last != now {
				last = &now
				select {
				case <-channel:
				default:
				}
				channel <- now
			}
			if ended {
				return
			}
		}
	}()
	return channel
}

// Wait waits until the job has ended and returns what became of the requests, in their order. The
// error is nil, [ErrClosed], or that of the context.Context which ended the job.
func (j *job) Wait() ([]Result, error) {
	results := make([]Result, j.n)
	stopped := false
	err := j.use(func(c *ccuzk.Job) error {
		if _, err := c.Wait(-1); err != nil {
			return err
		}
		for i := range results {
			timings, err := c.Timings(i)
			if err != nil {
				return err
			}
			proof, err := c.Proof(i)
			results[i] = Result{proof, Timings(timings), public(err)}
			if e, ok := err.(*ccuzk.Error); ok && e.Status == ccuzk.Cancelled {
				stopped = true
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if stopped && j.ctx.Err() != nil {
		return results, cancelled(j.ctx)
	}
	return results, nil
}

// Close ends the job: it is cancelled if it still runs, waited for, and freed. Closing twice is
// fine. It always returns nil.
func (j *Job) Close() error {
	runtime.SetFinalizer(j, nil)
	j.untie()
	// Lets those who wait for the job come back, before the lock waits for them.
	_ = j.Cancel()
	j.mutex.Lock()
	defer j.mutex.Unlock()
	if j.c != nil {
		j.c.Free()
		j.c = nil
	}
	return nil
}
