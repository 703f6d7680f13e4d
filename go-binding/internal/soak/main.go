// SPDX-License-Identifier: MIT OR Apache-2.0

// Soak proves a real sector again and again while other goroutines ask for what cannot be proved,
// cancel, forget and end their work. No proof may be wrong, nothing may hang, and memory, threads
// and open files must not grow from round to round.
//
//	soak SECONDS C1_FILE SECTOR_NUMBER MINER_ID PARAMETER_FOLDER
package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	cuzk "cuzk/go-binding"
)

const (
	goroutines = 6
	// Rounds that fill what is kept for good.
	warmRounds  = 2
	roundLength = 60 * time.Second
	// Longer without a step is a deadlock.
	patience      = 10 * time.Minute
	residentSlack = 64 << 20
)

func main() {
	if len(os.Args) != 6 {
		fail(errors.New("usage: soak SECONDS C1_FILE SECTOR_NUMBER MINER_ID PARAMETER_FOLDER"))
	}
	seconds, err := strconv.Atoi(os.Args[1])
	fail(err)
	c1, err := os.ReadFile(os.Args[2])
	fail(err)
	number, err := strconv.ParseUint(os.Args[3], 10, 64)
	fail(err)
	miner, err := strconv.ParseUint(os.Args[4], 10, 64)
	fail(err)
	seed := uint64(time.Now().UnixNano())
	if wanted := os.Getenv("CUZK_TEST_SEED"); wanted != "" {
		seed, err = strconv.ParseUint(wanted, 0, 64)
		fail(err)
	}
	fmt.Printf("soak in Go: CUZK_TEST_SEED=%d\n", seed)

	good := cuzk.Request{Phase1Output: c1, SectorNumber: number, MinerID: miner}
	s := &soak{good: good, folder: os.Args[5]}
	end := time.Now().Add(time.Duration(seconds) * time.Second)
	var first state
	for round := 0; round <= warmRounds || time.Now().Before(end); round++ {
		length := min(max(time.Until(end), 10*time.Second), roundLength)
		fail(s.round(length, seed+uint64(round)*goroutines))
		now := settled(first)
		fmt.Printf("soak in Go: round %d: %d proofs, %d refusals, %d cancelled; %d kB resident, "+
			"%d threads, %d files, %d goroutines\n", round, s.proofs.Load(), s.refusals.Load(),
			s.cancelled.Load(), now.resident>>10, now.threads, now.files, now.goroutines)
		if round < warmRounds {
			first = now
			continue
		}
		if now.resident > first.resident+residentSlack || now.threads > first.threads+4 ||
			now.files > first.files || now.goroutines > first.goroutines {
			fail(fmt.Errorf("%+v after the first rounds, %+v now", first, now))
		}
	}
	fmt.Printf("soak in Go: %d proofs, all valid; %d refusals; %d cancelled\n", s.proofs.Load(),
		s.refusals.Load(), s.cancelled.Load())
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak in Go:", err)
		os.Exit(1)
	}
}

type soak struct {
	good                               cuzk.Request
	folder                             string
	proofs, refusals, cancelled, steps atomic.Int64
}

// round makes a context, lets all goroutines work on it for a while, and closes it.
func (s *soak) round(length time.Duration, seed uint64) error {
	c, err := cuzk.New(cuzk.WithBackend(cuzk.CPU), cuzk.WithThreads(2),
		cuzk.WithParameterDirectory(s.folder))
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, stop := context.WithTimeout(context.Background(), length)
	defer stop()
	done := make(chan struct{})
	go s.watch(done)
	defer close(done)

	var group sync.WaitGroup
	errs := make([]error, goroutines)
	for i := range goroutines {
		group.Add(1)
		go func() {
			defer group.Done()
			random := rand.New(rand.NewPCG(seed, uint64(i)))
			for ctx.Err() == nil && errs[i] == nil {
				// One proves: a sector takes all threads.
				if i == 0 {
					errs[i] = s.prove(c)
				} else {
					errs[i] = s.step(ctx, c, random)
				}
				s.steps.Add(1)
			}
		}()
	}
	group.Wait()
	return errors.Join(errs...)
}

// watch ends the program when nothing moves for long.
func (s *soak) watch(done <-chan struct{}) {
	last, since := s.steps.Load(), time.Now()
	for {
		select {
		case <-done:
			return
		case <-time.After(time.Second):
		}
		if now := s.steps.Load(); now != last {
			last, since = now, time.Now()
		}
		if time.Since(since) > patience {
			debug.SetTraceback("all")
			panic("soak in Go: nothing moves")
		}
	}
}

// prove proves the sector between bad ones and verifies it.
func (s *soak) prove(c *cuzk.Context) error {
	wrong := s.good
	wrong.SectorNumber++
	results, err := c.Prove(context.Background(), wrong, s.good, cuzk.Request{})
	if err != nil {
		return err
	}
	if err := s.refused(results[0], results[2]); err != nil {
		return err
	}
	if results[1].Err != nil {
		return results[1].Err
	}
	statement, err := cuzk.StatementOf(s.good.Phase1Output, s.good.SectorNumber, s.good.MinerID)
	if err != nil {
		return err
	}
	for _, valid := range []bool{true, false} {
		got, err := c.Verify(statement, results[1].Proof)
		if err != nil || got != valid {
			return fmt.Errorf("valid is %v, %v wanted: %w", got, valid, err)
		}
		statement.SectorNumber++
	}
	s.proofs.Add(1)
	return nil
}

func (s *soak) refused(results ...cuzk.Result) error {
	for _, result := range results {
		if !errors.Is(result.Err, cuzk.ErrInvalidC1) && !errors.Is(result.Err, cuzk.ErrInvalidArgument) &&
			!errors.Is(result.Err, cuzk.ErrUnsupported) {
			return fmt.Errorf("a bad request ended with %w", result.Err)
		}
		s.refusals.Add(1)
	}
	return nil
}

// step does something else than proving to the end.
func (s *soak) step(ctx context.Context, c *cuzk.Context, random *rand.Rand) error {
	switch random.IntN(5) {
	case 0: // Outputs that were cut or changed.
		cut, changed := s.good, s.good
		cut.Phase1Output = cut.Phase1Output[:random.IntN(len(cut.Phase1Output))]
		changed.Phase1Output = []byte(strings.ReplaceAll(string(changed.Phase1Output), "[1",
			"["+strconv.Itoa(random.IntN(1000))))
		results, err := c.Prove(context.Background(), cut, changed, cuzk.Request{})
		if err != nil {
			return err
		}
		return s.refused(results[0], results[2])
	case 1: // Cancelled while it waits or proves.
		short, stop := context.WithTimeout(ctx, time.Duration(random.IntN(3000))*time.Millisecond)
		defer stop()
		results, err := c.Prove(short, s.good, s.good)
		if err == nil || !errors.Is(err, context.DeadlineExceeded) {
			// The machine may be quick enough for both.
			return err
		}
		for _, result := range results {
			if result.Err != nil && !errors.Is(result.Err, cuzk.ErrCancelled) {
				return result.Err
			}
		}
		s.cancelled.Add(1)
	case 2: // Closed while it runs, or forgotten.
		job, err := c.Start(ctx, cuzk.Low, s.good)
		if err != nil {
			return ignoreEnd(ctx, err)
		}
		watched := job.Watch()
		<-watched
		if random.IntN(4) > 0 {
			job.Close()
			for range watched {
			}
		} else {
			_ = job.Cancel()
		}
		s.cancelled.Add(1)
	case 3: // A context of its own that ends before its job.
		own, err := cuzk.New(cuzk.WithBackend(cuzk.CPU), cuzk.WithThreads(1),
			cuzk.WithHostMemory(1<<20), cuzk.WithParameterDirectory(s.folder))
		if err != nil {
			return err
		}
		job, err := own.Start(ctx, cuzk.Normal, s.good)
		own.Close()
		if err != nil {
			return ignoreEnd(ctx, err)
		}
		defer job.Close()
		results, err := job.Wait()
		if err != nil {
			return ignoreEnd(ctx, err)
		}
		if !errors.Is(results[0].Err, cuzk.ErrOutOfMemory) {
			return fmt.Errorf("a budget of 1 MiB ended with %w", results[0].Err)
		}
		s.refusals.Add(1)
	default:
		if _, err := c.Info(); err != nil {
			return err
		}
		_, _, err := cuzk.Devices()
		return err
	}
	return nil
}

// ignoreEnd drops the error that the end of the round causes.
func ignoreEnd(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

type state struct{ resident, threads, files, goroutines int }

// settled says how things stand when nothing of the library is in use; what was told to end may
// take a moment.
func settled(first state) state {
	var now state
	for i := range 100 {
		runtime.GC()
		now = state{
			threads:    entries("/proc/self/task"),
			files:      entries("/proc/self/fd"),
			goroutines: runtime.NumGoroutine(),
		}
		if i >= 10 && now.threads <= first.threads && now.goroutines <= first.goroutines {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	fail(err)
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	fail(err)
	now.resident = pages * os.Getpagesize()
	return now
}

func entries(folder string) int {
	list, err := os.ReadDir(folder)
	fail(err)
	return len(list)
}
