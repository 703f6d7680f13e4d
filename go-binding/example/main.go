// SPDX-License-Identifier: MIT OR Apache-2.0

// Example proves sectors of one storage provider and shows how far it is. An interrupt (^C) ends
// the work; what was proved until then is kept.
//
//	example MINER_ID SECTOR_NUMBER=C1_FILE...
//
// Each proof goes to C1_FILE.proof. Parameters are looked for in FIL_PROOFS_PARAMETER_CACHE.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"

	cuzk "cuzk/go-binding"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("usage: example MINER_ID SECTOR_NUMBER=C1_FILE")
	}
	miner, err := strconv.ParseUint(args[0], 10, 64)
	if err != nil {
		return err
	}
	var requests []cuzk.Request
	var files []string
	for _, arg := range args[1:] {
		number, file, _ := strings.Cut(arg, "=")
		sector, err := strconv.ParseUint(number, 10, 64)
		if err != nil {
			return err
		}
		c1, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		files = append(files, file)
		requests = append(requests, cuzk.Request{Phase1Output: c1, SectorNumber: sector, MinerID: miner})
	}

	c, err := cuzk.New()
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	job, err := c.Start(ctx, cuzk.Normal, requests...)
	if err != nil {
		return err
	}
	defer job.Close()
	for p := range job.Watch() {
		fmt.Printf("%3.0f %%, %s, %d of %d sectors\n", 100*p.Fraction, p.Phase, p.RequestsDone,
			p.RequestsTotal)
	}
	results, ended := job.Wait()
	failed := 0
	for i, result := range results {
		if result.Err != nil {
			failed++
			fmt.Fprintf(os.Stderr, "%s: %v\n", files[i], result.Err)
			continue
		}
		if err := os.WriteFile(files[i]+".proof", result.Proof, 0o644); err != nil {
			return err
		}
		fmt.Printf("%s: %d bytes in %v on %s\n", files[i], len(result.Proof), result.Timings.Total,
			result.Timings.Backend)
	}
	if ended == nil && failed > 0 {
		ended = fmt.Errorf("%d of %d sectors failed", failed, len(results))
	}
	return ended
}
