// SPDX-License-Identifier: MIT OR Apache-2.0

package cuzk

import (
	"context"
	"sync"
)

var standard struct {
	sync.Mutex
	context *Context
}

// Default returns the context of this process that [SealCommitPhase2] proves with. It is made at
// the first call, from the environment alone; when that fails, the next call tries again.
func Default() (*Context, error) {
	standard.Lock()
	defer standard.Unlock()
	if standard.context == nil {
		made, err := New()
		if err != nil {
			return nil, err
		}
		standard.context = made
	}
	return standard.context, nil
}

// SealCommitPhase2 proves a sector: from the output of Commit-1 to the proof that goes on chain.
//
// It stands in for the function of this name in filecoin-ffi: abi.SectorNumber and abi.ActorID are
// accepted as they are. Parameters and circuits stay in memory between calls.
func SealCommitPhase2[SectorNumber, ActorID ~uint64](
	phase1Output []byte,
	sectorNum SectorNumber,
	minerID ActorID,
) ([]byte, error) {
	c, err := Default()
	if err != nil {
		return nil, err
	}
	results, err := c.Prove(context.Background(), Request{
		Phase1Output: phase1Output,
		SectorNumber: uint64(sectorNum),
		MinerID:      uint64(minerID),
	})
	if err != nil {
		return nil, err
	}
	return results[0].Proof, results[0].Err
}
