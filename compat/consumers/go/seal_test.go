// SPDX-License-Identifier: MIT OR Apache-2.0

package consumer

import (
	"errors"
	"os"
	"testing"

	cuzk "cuzk/go-binding"
)

// The sector of tests/vectors/c1/2kib-v1_1: number 42 of miner 1000, one partition.
func TestASectorIsProvedInFilecoinFFIsPlace(t *testing.T) {
	c1, err := os.ReadFile("../../../tests/vectors/c1/2kib-v1_1.json")
	if err != nil {
		t.Fatal(err)
	}
	var prover Prover = FFI{}
	proof, err := prover.SealCommitPhase2(c1, 42, 1000)
	if err != nil {
		t.Fatal(err)
	}
	// The library has verified it before it gave it out.
	if len(proof) != 192 {
		t.Fatalf("the proof has %d bytes, 192 are needed", len(proof))
	}
	// Another sector's number is refused before anything is proved.
	if _, err := prover.SealCommitPhase2(c1, 43, 1000); !errors.Is(err, cuzk.ErrInvalidArgument) {
		t.Fatalf("another sector's C1 gave %v", err)
	}
}
