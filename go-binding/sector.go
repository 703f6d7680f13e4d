// SPDX-License-Identifier: MIT OR Apache-2.0

package cuzk

import "cuzk/go-binding/internal/ccuzk"

// ProverID is a prover's 32 bytes: the actor id as unsigned LEB128, followed by zeros.
type ProverID [32]byte

// ProverIDFromActor makes the prover id of an actor.
func ProverIDFromActor(actor uint64) (ProverID, error) {
	id, err := ccuzk.ProverIDFromActor(actor)
	return ProverID(id), public(err)
}

// Description is what a Commit-1 output asks for.
type Description struct {
	// RegisteredProof is Filecoin's number of the seal proof, Name its name.
	RegisteredProof uint32
	// SectorSize is in bytes.
	SectorSize uint64
	// Partitions of the proof, each a Groth16 proof of its own.
	Partitions int
	// HasSectorNumber says whether the output names its sector; then SectorNumber does.
	HasSectorNumber bool
	SectorNumber    uint64
	// ProofLen is the length of the proof in bytes.
	ProofLen int
	// Name is the registered proof's, Circuit is the circuit's in Filecoin's parameter folder.
	Name, Circuit string
}

// Describe reads what a Commit-1 output asks for; the vanilla proofs in it are skipped.
func Describe(phase1Output []byte) (Description, error) {
	description, err := ccuzk.C2Info(phase1Output)
	return Description(description), public(err)
}

// Check compares a Commit-1 output with the sector and the miner that it should be of, in
// microseconds; proving does it by itself.
func Check(phase1Output []byte, sectorNumber, minerID uint64) error {
	prover, err := ccuzk.ProverIDFromActor(minerID)
	if err == nil {
		err = ccuzk.C2Check(phase1Output, sectorNumber, prover)
	}
	return public(err)
}

// Statement is what a seal proof states, as its verifiers know it.
type Statement struct {
	RegisteredProof uint32
	SectorNumber    uint64
	ProverID        ProverID
	// Commitments to the replica and to the data.
	CommR, CommD [32]byte
	// Randomness of the replica id and of the challenges.
	Ticket, Seed [32]byte
}

// StatementOf reads what the proof for a Commit-1 output will state, for [Context.Verify].
func StatementOf(phase1Output []byte, sectorNumber, minerID uint64) (Statement, error) {
	prover, err := ccuzk.ProverIDFromActor(minerID)
	if err != nil {
		return Statement{}, public(err)
	}
	s, err := ccuzk.C2StatementFromC1(phase1Output, sectorNumber, prover)
	if err != nil {
		return Statement{}, public(err)
	}
	return Statement{s.RegisteredProof, s.SectorNumber, ProverID(s.ProverID), s.CommR, s.CommD,
		s.Ticket, s.Seed}, nil
}

func (s Statement) internal() ccuzk.Statement {
	return ccuzk.Statement{
		RegisteredProof: s.RegisteredProof,
		SectorNumber:    s.SectorNumber,
		ProverID:        ccuzk.ProverID(s.ProverID),
		CommR:           s.CommR,
		CommD:           s.CommD,
		Ticket:          s.Ticket,
		Seed:            s.Seed,
	}
}
