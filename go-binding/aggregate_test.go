// SPDX-License-Identifier: MIT OR Apache-2.0

package cuzk_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	cuzk "cuzk/go-binding"
)

// The shapes of filecoin-ffi's functions.
var (
	circuitProofs func([]byte, abiSectorNumber) ([]byte, error)                         = cuzk.SealCommitPhase2CircuitProofs
	aggregate     func(cuzk.AggregateSealVerifyProofAndInfos, [][]byte) ([]byte, error) = cuzk.AggregateSealProofs
	verifyAll     func(cuzk.AggregateSealVerifyProofAndInfos) (bool, error)             = cuzk.VerifyAggregateSeals
)

// The sector as often as asked for: there is no need for others.
func (s sector) infos(t *testing.T, count int) cuzk.AggregateSealVerifyProofAndInfos {
	t.Helper()
	description, err := cuzk.Describe(s.c1)
	if err != nil {
		t.Fatal(err)
	}
	all := cuzk.AggregateSealVerifyProofAndInfos{
		Miner:     s.actor,
		SealProof: int64(description.RegisteredProof),
	}
	for range count {
		all.Infos = append(all.Infos, cuzk.AggregateSealVerifyInfo{Number: s.number,
			Randomness: s.ticket, InteractiveRandomness: s.seed, CommR: s.commR, CommD: s.commD})
	}
	return all
}

func TestCircuitProofsAreAggregated(t *testing.T) {
	s := load(t, "2kib-v1")
	proof, err := circuitProofs(s.c1, abiSectorNumber(s.number))
	if err != nil {
		t.Fatal(err)
	}
	if len(proof) != 192*s.partitions {
		t.Fatalf("%d bytes", len(proof))
	}
	for _, count := range []int{1, 3} {
		for _, version := range []cuzk.Aggregation{cuzk.SnarkPackV1, cuzk.SnarkPackV2} {
			infos := s.infos(t, count)
			infos.AggregateProof = int64(version)
			proofs := make([][]byte, count)
			for i := range proofs {
				proofs[i] = proof
			}
			if infos.Proof, err = aggregate(infos, proofs); err != nil {
				t.Fatal(err)
			}
			if valid, err := verifyAll(infos); err != nil || !valid {
				t.Errorf("%d sectors by %v: %v, %v", count, version, valid, err)
			}
			infos.Infos[count-1].Number++
			if valid, err := verifyAll(infos); err != nil || valid {
				t.Errorf("another sector: %v, %v", valid, err)
			}
			_, err := aggregate(infos, proofs)
			if !errors.Is(err, cuzk.ErrInvalidArgument) ||
				!strings.Contains(err.Error(), "partition 0: the proof is not valid") {
				t.Errorf("%v", err)
			}
		}
	}
}

func TestWhatCannotBeAggregatedIsRefused(t *testing.T) {
	s := load(t, "2kib-v1_2-non-interactive")
	infos := s.infos(t, 2)
	proof := make([]byte, 192*s.partitions)
	refused := func(what, part string, err error) {
		t.Helper()
		if !errors.Is(err, cuzk.ErrInvalidArgument) || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := aggregate(infos, [][]byte{proof})
	refused("a proof too few", "1 proofs for 2 sectors", err)
	_, err = aggregate(infos, [][]byte{proof, proof[1:]})
	refused("a short proof", "no multiple of 192", err)
	_, err = aggregate(infos, [][]byte{proof, proof[192:]})
	refused("a partition too few", "the proofs have 4800 bytes", err)
	_, err = aggregate(infos, [][]byte{proof, proof})
	refused("no points", "point a", err)
	_, err = verifyAll(infos)
	refused("no aggregate", "the aggregate has 0 bytes", err)
	infos.AggregateProof = 2
	_, err = verifyAll(infos)
	refused("another aggregation", "registered aggregation 2", err)
	infos.SealProof = 20
	_, err = verifyAll(infos)
	refused("another kind", "registered seal proof 20", err)
	infos.SealProof = -1
	_, err = aggregate(infos, [][]byte{proof, proof})
	refused("no kind", "registered seal proof -1", err)
	_, err = aggregate(s.infos(t, 66), make([][]byte, 66))
	refused("too many", "at most 65", err)
	_, err = verifyAll(cuzk.AggregateSealVerifyProofAndInfos{})
	refused("none", "no sectors", err)

	c := withoutParameters(t)
	request := s.request()
	request.CircuitProofs = true
	results, err := c.Prove(context.Background(), request, s.request())
	if err != nil {
		t.Fatal(err)
	}
	// Circuit proofs need no file for aggregation.
	for i, file := range []string{"/v28-stacked", "/v28-fil-inner-product-v1.srs"} {
		if err := results[i].Err; !errors.Is(err, cuzk.ErrParametersNotFound) ||
			!strings.Contains(err.Error(), file) {
			t.Errorf("%v", err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Aggregate(cuzk.SnarkPackV1, nil); !errors.Is(err, cuzk.ErrClosed) {
		t.Errorf("%v", err)
	}
}
