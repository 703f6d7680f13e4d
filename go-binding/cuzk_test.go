// SPDX-License-Identifier: MIT OR Apache-2.0

package cuzk_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	cuzk "cuzk/go-binding"
)

func TestVectorsAreDescribedCheckedAndStated(t *testing.T) {
	for _, name := range cases {
		s := load(t, name)
		d, err := cuzk.Describe(s.c1)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d.SectorSize != s.sectorSize || d.Partitions != s.partitions ||
			d.ProofLen != proofLen(s) || d.HasSectorNumber ||
			!strings.HasPrefix(d.Name, "StackedDrg2KiBV1") ||
			!strings.HasPrefix(d.Circuit, "stacked-proof-of-replication-") {
			t.Errorf("%s: %+v", name, d)
		}
		id, err := cuzk.ProverIDFromActor(s.actor)
		if err != nil || id != s.proverID {
			t.Errorf("%s: prover id %x, %v", name, id, err)
		}
		if err := cuzk.Check(s.c1, s.number, s.actor); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, wrong := range [][2]uint64{{s.number + 1, s.actor}, {s.number, s.actor + 1}} {
			err := cuzk.Check(s.c1, wrong[0], wrong[1])
			if !errors.Is(err, cuzk.ErrInvalidArgument) {
				t.Errorf("%s: %v", name, err)
			}
		}
		stated, err := cuzk.StatementOf(s.c1, s.number, s.actor)
		want := cuzk.Statement{RegisteredProof: d.RegisteredProof, SectorNumber: s.number,
			ProverID: s.proverID, CommR: s.commR, CommD: s.commD, Ticket: s.ticket, Seed: s.seed}
		if err != nil || stated != want {
			t.Errorf("%s: %+v, %v", name, stated, err)
		}
	}
}

// Of several partitions here the proof is an aggregate.
func proofLen(s sector) int {
	if s.partitions == 1 {
		return 192
	}
	return 14164
}

func TestBadRequestsAreTheirOwnResults(t *testing.T) {
	c := withoutParameters(t)
	s := load(t, "2kib-v1_1")
	wrong := s.request()
	wrong.SectorNumber++
	cut := s.request()
	cut.Phase1Output = cut.Phase1Output[:500]
	ni := load(t, "2kib-v1_2-non-interactive")
	ni.c1 = ni.c1[:len(ni.c1)-1]
	results, err := c.Prove(context.Background(), cut, wrong, cuzk.Request{}, s.request(), ni.request())
	if err != nil {
		t.Fatal(err)
	}
	want := []error{cuzk.ErrInvalidC1, cuzk.ErrInvalidArgument, cuzk.ErrInvalidC1,
		cuzk.ErrParametersNotFound, cuzk.ErrInvalidC1}
	for i, result := range results {
		if !errors.Is(result.Err, want[i]) || result.Proof != nil {
			t.Errorf("request %d: %v, %v wanted", i, result.Err, want[i])
		}
	}
	var e *cuzk.Error
	if !errors.As(results[3].Err, &e) || e.Status != cuzk.StatusParametersNotFound ||
		!strings.Contains(e.Message, "/nonexistent/v28-") {
		t.Errorf("%+v", results[3].Err)
	}
	if results[3].Timings.Parse <= 0 {
		t.Errorf("%+v", results[3].Timings)
	}
	if results, err := c.Prove(context.Background()); err != nil || len(results) != 0 {
		t.Errorf("%v, %v", results, err)
	}
}

func TestErrorsCompareByStatus(t *testing.T) {
	all := []error{cuzk.ErrInvalidArgument, cuzk.ErrABIMismatch, cuzk.ErrIO,
		cuzk.ErrParametersNotFound, cuzk.ErrInvalidSRS, cuzk.ErrInvalidAssignment,
		cuzk.ErrInvalidC1, cuzk.ErrBufferTooSmall, cuzk.ErrNoDevice, cuzk.ErrOutOfMemory,
		cuzk.ErrOutOfDeviceMemory, cuzk.ErrDeviceFailed, cuzk.ErrSelfCheckFailed,
		cuzk.ErrCancelled, cuzk.ErrTimeout, cuzk.ErrForked, cuzk.ErrUnsupported, cuzk.ErrInternal}
	for i, err := range all {
		e := err.(*cuzk.Error)
		if e.Status != cuzk.Status(i+1) {
			t.Errorf("%v has status %d", err, e.Status)
		}
		name := e.Status.String()
		if !strings.HasPrefix(name, "CUZK_STATUS_") || strings.HasSuffix(name, "UNKNOWN") {
			t.Errorf("status %d is called %s", e.Status, name)
		}
		told := error(&cuzk.Error{Status: e.Status, Message: "text"})
		for j, other := range all {
			if errors.Is(told, other) != (i == j) {
				t.Errorf("%v, %v", told, other)
			}
		}
		if errors.Is(err, told) || told.Error() != "cuzk: text" || err.Error() != "cuzk: "+name {
			t.Errorf("%v, %v", err, told)
		}
	}
}

func TestOptionsReachTheLibrary(t *testing.T) {
	c := withoutParameters(t, cuzk.WithThreads(3), cuzk.WithHostMemory(7<<30),
		cuzk.WithDeviceMemory(5<<30), cuzk.WithoutSelfVerification())
	text, err := c.Info()
	if err != nil {
		t.Fatal(err)
	}
	var info struct {
		Backends           []string
		Threads            int
		ParameterDirectory string `json:"parameter_directory"`
		SelfVerification   bool   `json:"self_verification"`
		Budget             struct {
			HostBytes uint64 `json:"host_bytes"`
		}
	}
	if err := json.Unmarshal([]byte(text), &info); err != nil {
		t.Fatal(err)
	}
	if len(info.Backends) != 1 || info.Backends[0] != "cpu" || info.Threads != 3 ||
		info.ParameterDirectory != "/nonexistent" || info.SelfVerification ||
		info.Budget.HostBytes != 7<<30 {
		t.Errorf("%s", text)
	}
	for _, bad := range []cuzk.Option{cuzk.WithBackend(77), cuzk.WithBackend(-1)} {
		if _, err := cuzk.New(bad); !errors.Is(err, cuzk.ErrInvalidArgument) {
			t.Errorf("%v", err)
		}
	}
	if _, err := c.Start(context.Background(), 9); !errors.Is(err, cuzk.ErrInvalidArgument) {
		t.Errorf("%v", err)
	}
}

func TestLibraryDescribesItself(t *testing.T) {
	var build struct{ Version string }
	if err := json.Unmarshal([]byte(cuzk.BuildInfo()), &build); err != nil {
		t.Fatal(err)
	}
	if build.Version == "" || build.Version != cuzk.Version() {
		t.Errorf("%q, %q", build.Version, cuzk.Version())
	}
	devices, reason, err := cuzk.Devices()
	if err != nil || (len(devices) == 0) == (reason == "") {
		t.Errorf("%v, %q, %v", devices, reason, err)
	}
}

func TestClosedIsClosed(t *testing.T) {
	c := withoutParameters(t)
	s := load(t, "2kib-v1_1")
	job, err := c.Start(context.Background(), cuzk.High, s.request())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Prove(context.Background(), s.request()); !errors.Is(err, cuzk.ErrClosed) {
		t.Errorf("%v", err)
	}
	if _, err := c.Info(); !errors.Is(err, cuzk.ErrClosed) {
		t.Errorf("%v", err)
	}
	// The job does not need the handle of its context.
	results, err := job.Wait()
	if err != nil || !errors.Is(results[0].Err, cuzk.ErrParametersNotFound) {
		t.Errorf("%v, %v", results, err)
	}
	progress, err := job.Progress()
	if err != nil || progress.Phase != cuzk.Done || progress.Fraction != 1 {
		t.Errorf("%+v, %v", progress, err)
	}
	for range 2 {
		if err := job.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := job.Wait(); !errors.Is(err, cuzk.ErrClosed) {
		t.Errorf("%v", err)
	}
	if _, open := <-job.Watch(); open {
		t.Error("a closed job has progress")
	}
}

func TestAnEndedContextStartsNothing(t *testing.T) {
	c := withoutParameters(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("the task was taken away")
	cancel(cause)
	results, err := c.Prove(ctx, load(t, "2kib-v1").request())
	if results != nil || !errors.Is(err, cause) {
		t.Errorf("%v, %v", results, err)
	}
}

// What is forgotten is collected: threads, goroutines and memory are those of before.
func TestNothingLeaks(t *testing.T) {
	s := load(t, "2kib-v1_1")
	forget := func() {
		c, err := cuzk.New(cuzk.WithBackend(cuzk.CPU), cuzk.WithThreads(1),
			cuzk.WithParameterDirectory("/nonexistent"))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		t.Cleanup(cancel)
		for range 5 {
			job, err := c.Start(ctx, cuzk.Low, s.request(), s.request())
			if err != nil {
				t.Fatal(err)
			}
			for range job.Watch() {
			}
		}
	}
	settle := func(threads, goroutines int) (int, int) {
		deadline := time.Now().Add(20 * time.Second)
		for {
			runtime.GC()
			time.Sleep(20 * time.Millisecond)
			tasks, err := os.ReadDir("/proc/self/task")
			if err != nil {
				t.Fatal(err)
			}
			n := runtime.NumGoroutine()
			if len(tasks) <= threads && n <= goroutines || time.Now().After(deadline) {
				return len(tasks), n
			}
		}
	}
	forget()
	// Threads of Go's own may be left idle; there are never many.
	threads, goroutines := settle(runtime.GOMAXPROCS(0)+16, 8)
	before := residentBytes(t)
	for range 40 {
		forget()
	}
	threadsAfter, goroutinesAfter := settle(threads+4, goroutines)
	if threadsAfter > threads+4 || goroutinesAfter > goroutines {
		t.Errorf("%d threads and %d goroutines, %d and %d before",
			threadsAfter, goroutinesAfter, threads, goroutines)
	}
	if after := residentBytes(t); after > before+64<<20 {
		t.Errorf("%d bytes resident, %d before", after, before)
	}
}

func residentBytes(t *testing.T) int {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages := 0
	for _, digit := range strings.Fields(string(text))[1] {
		pages = 10*pages + int(digit-'0')
	}
	return pages * os.Getpagesize()
}
