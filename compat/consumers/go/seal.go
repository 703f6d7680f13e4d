// SPDX-License-Identifier: MIT OR Apache-2.0

// Package consumer is Go software that made C2 proofs with filecoin-ffi, and makes them with cuzk.
package consumer

import (
	cuzk "cuzk/go-binding"

	"github.com/filecoin-project/go-state-types/abi"
)

// Prover is what sealing software asks for, in the types of the Filecoin network's own modules.
type Prover interface {
	SealCommitPhase2(phase1Output []byte, sectorNum abi.SectorNumber, minerID abi.ActorID) ([]byte, error)
}

// FFI is the place where such software calls ffi.SealCommitPhase2.
type FFI struct{}

// SealCommitPhase2 changes by one word: cuzk for ffi.
func (FFI) SealCommitPhase2(
	phase1Output []byte, sectorNum abi.SectorNumber, minerID abi.ActorID,
) ([]byte, error) {
	return cuzk.SealCommitPhase2(phase1Output, sectorNum, minerID)
}

var _ Prover = FFI{}
