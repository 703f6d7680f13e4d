// SPDX-License-Identifier: MIT OR Apache-2.0

package cuzk

import (
	"bytes"
	"context"
	"fmt"

	"cuzk/go-binding/internal/ccuzk"
)

// Aggregation is how proofs are aggregated: Filecoin's numbers of registered aggregation proofs.
type Aggregation int64

// The aggregations.
const (
	SnarkPackV1 Aggregation = ccuzk.SnarkPackV1
	// SnarkPackV2 is that of non-interactive sectors.
	SnarkPackV2 Aggregation = ccuzk.SnarkPackV2
)

// Aggregate makes one short proof of the proofs of several sectors of one kind, after verifying
// each. The proofs are in the order of the statements, 192 bytes a partition: those of interactive
// sectors as [Context.Prove] makes them, of non-interactive ones with Request.CircuitProofs set.
func (c *Context) Aggregate(aggregation Aggregation, statements []Statement, proofs ...[]byte) (
	aggregate []byte, err error) {
	err = c.use(func(c *ccuzk.Context) (err error) {
		aggregate, err = c.C2Aggregate(int32(aggregation), internals(statements),
			bytes.Join(proofs, nil))
		return err
	})
	return aggregate, err
}

// VerifyAggregate says whether an aggregate is one of proofs of these statements, in this order.
func (c *Context) VerifyAggregate(aggregation Aggregation, statements []Statement,
	aggregate []byte) (valid bool, err error) {
	err = c.use(func(c *ccuzk.Context) (err error) {
		valid, err = c.C2VerifyAggregate(int32(aggregation), internals(statements), aggregate)
		return err
	})
	return valid, err
}

func internals(statements []Statement) []ccuzk.Statement {
	all := make([]ccuzk.Statement, len(statements))
	for i, statement := range statements {
		all[i] = statement.internal()
	}
	return all
}

// AggregateSealVerifyInfo is a sector of an aggregate, with the fields of the type of this name in
// Filecoin, but commitments in the place of their CIDs.
type AggregateSealVerifyInfo struct {
	// Number is the sector's.
	Number uint64
	// Randomness of the replica id (the ticket) and of the challenges (the seed).
	Randomness, InteractiveRandomness [32]byte
	// CommR and CommD are what SealedCID and UnsealedCID hold.
	CommR, CommD [32]byte
}

// AggregateSealVerifyProofAndInfos is an aggregate and what it proves, with the fields of the type
// of this name in Filecoin.
type AggregateSealVerifyProofAndInfos struct {
	// Miner is the actor id of the storage provider.
	Miner uint64
	// SealProof is Filecoin's number of the registered seal proof.
	SealProof int64
	// AggregateProof is Filecoin's number of the registered aggregation proof.
	AggregateProof int64
	// Proof is the aggregate; it is not looked at where it is to be made.
	Proof []byte
	// Infos are the sectors, in the order of their proofs.
	Infos []AggregateSealVerifyInfo
}

func (a AggregateSealVerifyProofAndInfos) statements() ([]Statement, error) {
	if a.SealProof < 0 || a.SealProof > 1<<31 {
		return nil, &Error{StatusInvalidArgument, fmt.Sprintf(
			"registered seal proof %d is unknown", a.SealProof)}
	}
	prover, err := ProverIDFromActor(a.Miner)
	if err != nil {
		return nil, err
	}
	statements := make([]Statement, len(a.Infos))
	for i, info := range a.Infos {
		statements[i] = Statement{uint32(a.SealProof), info.Number, prover, info.CommR, info.CommD,
			info.Randomness, info.InteractiveRandomness}
	}
	return statements, nil
}

// SealCommitPhase2CircuitProofs proves a sector and leaves the proofs of its partitions apart, for
// [AggregateSealProofs]: those of several non-interactive sectors are aggregated that way. The
// proofs are for the replica id in the output, whoever the miner is.
//
// It stands in for the function of this name in filecoin-ffi.
func SealCommitPhase2CircuitProofs[SectorNumber ~uint64](
	phase1Output []byte,
	sectorNum SectorNumber,
) ([]byte, error) {
	c, err := Default()
	if err != nil {
		return nil, err
	}
	results, err := c.Prove(context.Background(), Request{
		Phase1Output:  phase1Output,
		SectorNumber:  uint64(sectorNum),
		CircuitProofs: true,
	})
	if err != nil {
		return nil, err
	}
	return results[0].Proof, results[0].Err
}

// AggregateSealProofs aggregates the proofs of sectors, one element for each of the infos.
//
// It stands in for the function of this name in filecoin-ffi, and looks at more: each proof is
// verified, so the infos must be whole and the miner theirs.
func AggregateSealProofs(
	aggregateInfo AggregateSealVerifyProofAndInfos,
	proofs [][]byte,
) ([]byte, error) {
	if len(proofs) != len(aggregateInfo.Infos) {
		return nil, &Error{StatusInvalidArgument, fmt.Sprintf("%d proofs for %d sectors",
			len(proofs), len(aggregateInfo.Infos))}
	}
	c, err := Default()
	if err != nil {
		return nil, err
	}
	statements, err := aggregateInfo.statements()
	if err != nil {
		return nil, err
	}
	return c.Aggregate(Aggregation(aggregateInfo.AggregateProof), statements, proofs...)
}

// VerifyAggregateSeals says whether an aggregate is valid. It stands in for the function of this
// name in filecoin-ffi.
func VerifyAggregateSeals(aggregate AggregateSealVerifyProofAndInfos) (bool, error) {
	c, err := Default()
	if err != nil {
		return false, err
	}
	statements, err := aggregate.statements()
	if err != nil {
		return false, err
	}
	return c.VerifyAggregate(Aggregation(aggregate.AggregateProof), statements, aggregate.Proof)
}
