// SPDX-License-Identifier: MIT OR Apache-2.0

package cuzk_test

import (
	"context"
	"testing"

	cuzk "cuzk/go-binding"
)

// The README's lines in Go, run.
func TestTheReadme(t *testing.T) {
	s := load(t, "2kib-v1_1")
	phase1Output, sectorNum, minerID := s.c1, abiSectorNumber(s.number), abiActorID(s.actor)

	proof, err := cuzk.SealCommitPhase2(phase1Output, sectorNum, minerID)

	if err != nil || len(proof) != 192 {
		t.Fatalf("%d bytes, %v", len(proof), err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if results, err := proveSeveral(ctx, s.c1); err == nil || len(results) > 1 {
		t.Errorf("under an ended context: %v, %v", results, err)
	}
}

func proveSeveral(ctx context.Context, c1 []byte) ([]cuzk.Result, error) {
	c, err := cuzk.New()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return c.Prove(ctx, cuzk.Request{Phase1Output: c1, SectorNumber: 42, MinerID: 1000})
}
