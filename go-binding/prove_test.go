// SPDX-License-Identifier: MIT OR Apache-2.0

package cuzk_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	cuzk "cuzk/go-binding"
)

// As filecoin-ffi's callers have them.
type (
	abiSectorNumber uint64
	abiActorID      uint64
)

// The shape of filecoin-ffi's function.
var sealCommitPhase2 func([]byte, abiSectorNumber, abiActorID) ([]byte, error) = cuzk.SealCommitPhase2

func standard(t testing.TB) *cuzk.Context {
	t.Helper()
	c, err := cuzk.Default()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func verify(t *testing.T, s sector, proof []byte) {
	t.Helper()
	c := standard(t)
	statement, err := cuzk.StatementOf(s.c1, s.number, s.actor)
	if err != nil {
		t.Fatal(err)
	}
	if valid, err := c.Verify(statement, proof); err != nil || !valid {
		t.Errorf("valid: %v, %v", valid, err)
	}
	changed := statement
	changed.SectorNumber++
	if valid, err := c.Verify(changed, proof); err != nil || valid {
		t.Errorf("for another sector valid: %v, %v", valid, err)
	}
	if _, err := c.Verify(statement, proof[1:]); !errors.Is(err, cuzk.ErrInvalidArgument) {
		t.Errorf("a shorter proof: %v", err)
	}
}

func TestARealSectorIsProvedBetweenBadOnes(t *testing.T) {
	c := standard(t)
	s := load(t, "2kib-v1_1")
	wrong := s.request()
	wrong.MinerID++
	job, err := c.Start(context.Background(), cuzk.Normal, cuzk.Request{}, s.request(), wrong)
	if err != nil {
		t.Fatal(err)
	}
	defer job.Close()
	var told []cuzk.Progress
	for progress := range job.Watch() {
		told = append(told, progress)
	}
	results, err := job.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if !errors.Is(results[0].Err, cuzk.ErrInvalidC1) ||
		!errors.Is(results[2].Err, cuzk.ErrInvalidArgument) {
		t.Errorf("%v, %v", results[0].Err, results[2].Err)
	}
	if results[1].Err != nil {
		t.Fatal(results[1].Err)
	}
	verify(t, s, results[1].Proof)
	times := results[1].Timings
	if times.Proofs != 1 || times.Backend != "cpu" || times.Witness <= 0 || times.MSMH <= 0 ||
		times.Total < times.MSMH || times.PeakHostBytes == 0 {
		t.Errorf("%+v", times)
	}
	proving := false
	for i, progress := range told {
		proving = proving || progress.Phase == cuzk.Proving && progress.RequestsDone == 1
		if i > 0 && progress.Fraction < told[i-1].Fraction {
			t.Errorf("%+v after %+v", progress, told[i-1])
		}
	}
	last := told[len(told)-1]
	want := cuzk.Progress{Phase: cuzk.Done, RequestsDone: 3, RequestsTotal: 3, PartitionsDone: 1,
		PartitionsTotal: 1, Fraction: 1}
	if !proving || last != want {
		t.Errorf("%+v", told)
	}
}

func TestACancelledBatchEndsWithItsContext(t *testing.T) {
	c := standard(t)
	s := load(t, "2kib-v1")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	job, err := c.Start(ctx, cuzk.Normal, s.request(), s.request(), s.request())
	if err != nil {
		t.Fatal(err)
	}
	defer job.Close()
	for progress := range job.Watch() {
		if progress.Phase == cuzk.Proving {
			cancel()
		}
	}
	results, err := job.Wait()
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	for i, result := range results {
		if !errors.Is(result.Err, cuzk.ErrCancelled) {
			t.Errorf("request %d: %v", i, result.Err)
		}
	}

	// A deadline does the same, and closing does without a context.
	short, stop := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer stop()
	if _, err := c.Prove(short, s.request(), s.request()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	job, err = c.Start(context.Background(), cuzk.Low, s.request())
	if err != nil {
		t.Fatal(err)
	}
	waited := make(chan error)
	go func() {
		_, err := job.Wait()
		waited <- err
	}()
	time.Sleep(100 * time.Millisecond)
	job.Close()
	if err := <-waited; err != nil && !errors.Is(err, cuzk.ErrClosed) {
		t.Errorf("%v", err)
	}
}

// One proves, the others ask, fail and are cancelled beside it.
func TestEightGoroutinesShareAContext(t *testing.T) {
	c := standard(t)
	s := load(t, "2kib-v1_1-synthetic")
	done := make(chan struct{})
	var group sync.WaitGroup
	for number := range 7 {
		group.Add(1)
		go func() {
			defer group.Done()
			wrong := s.request()
			wrong.SectorNumber += uint64(number) + 1
			for round := 0; ; round++ {
				select {
				case <-done:
					return
				default:
				}
				results, err := c.Prove(context.Background(), wrong, cuzk.Request{})
				if err != nil || !errors.Is(results[0].Err, cuzk.ErrInvalidArgument) ||
					!errors.Is(results[1].Err, cuzk.ErrInvalidC1) {
					t.Errorf("%v, %v", results, err)
				}
				if _, err := c.Info(); err != nil {
					t.Error(err)
				}
				ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
				results, err = c.Prove(ctx, wrong, s.request())
				cancel()
				// None at all when the time was over before the start.
				if !errors.Is(err, context.DeadlineExceeded) ||
					len(results) == 2 && !errors.Is(results[1].Err, cuzk.ErrCancelled) {
					t.Errorf("%v, %v", results, err)
				}
			}
		}()
	}
	proof, err := sealCommitPhase2(s.c1, abiSectorNumber(s.number), abiActorID(s.actor))
	close(done)
	group.Wait()
	if err != nil {
		t.Fatal(err)
	}
	verify(t, s, proof)
	if _, err := sealCommitPhase2(s.c1, abiSectorNumber(s.number), 1); !errors.Is(err,
		cuzk.ErrInvalidArgument) {
		t.Errorf("%v", err)
	}
}
