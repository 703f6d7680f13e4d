// SPDX-License-Identifier: MIT OR Apache-2.0

package cuzk_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	cuzk "cuzk/go-binding"
)

// The cases of tests/vectors/c1.
var cases = []string{"2kib-v1", "2kib-v1_1", "2kib-v1_1-synthetic", "2kib-v1_2-non-interactive"}

// TestMain settles what the default context is made from: the CPU, and development parameters of
// the 2 KiB circuit in the folder that CUZK_TEST_PARAMETERS names. `make test-go` sets it.
func TestMain(m *testing.M) {
	folder := os.Getenv("CUZK_TEST_PARAMETERS")
	if folder == "" {
		fmt.Fprintln(os.Stderr, "CUZK_TEST_PARAMETERS is not set: run `make test-go`")
		os.Exit(1)
	}
	os.Setenv("FIL_PROOFS_PARAMETER_CACHE", folder)
	os.Setenv("CUZK_BACKEND", "cpu")
	os.Exit(m.Run())
}

// A sector of tests/vectors/c1.
type sector struct {
	c1                                   []byte
	number, actor                        uint64
	sectorSize                           uint64
	partitions                           int
	proverID, commR, commD, ticket, seed [32]byte
}

func load(t testing.TB, name string) sector {
	t.Helper()
	path := filepath.Join("..", "tests", "vectors", "c1", name)
	c1, err := os.ReadFile(path + ".json")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path + ".sector.json")
	if err != nil {
		t.Fatal(err)
	}
	var known struct {
		SectorSize   uint64 `json:"sector_size"`
		SectorNumber uint64 `json:"sector_number"`
		ActorID      uint64 `json:"actor_id"`
		Partitions   int    `json:"partitions"`
		ProverID     string `json:"prover_id"`
		CommR        string `json:"comm_r"`
		CommD        string `json:"comm_d"`
		Ticket       string `json:"ticket"`
		Seed         string `json:"seed"`
	}
	if err := json.Unmarshal(text, &known); err != nil {
		t.Fatal(err)
	}
	bytes := func(text string) (b [32]byte) {
		if n, err := hex.Decode(b[:], []byte(text)); err != nil || n != 32 {
			t.Fatalf("%s: %q is not 32 bytes", name, text)
		}
		return b
	}
	return sector{
		c1, known.SectorNumber, known.ActorID, known.SectorSize, known.Partitions,
		bytes(known.ProverID), bytes(known.CommR), bytes(known.CommD), bytes(known.Ticket),
		bytes(known.Seed),
	}
}

func (s sector) request() cuzk.Request {
	return cuzk.Request{Phase1Output: s.c1, SectorNumber: s.number, MinerID: s.actor}
}

// withoutParameters makes a context that finds none: every good request fails at that.
func withoutParameters(t testing.TB, options ...cuzk.Option) *cuzk.Context {
	t.Helper()
	options = append([]cuzk.Option{
		cuzk.WithBackend(cuzk.CPU),
		cuzk.WithThreads(1),
		cuzk.WithParameterDirectory("/nonexistent"),
	}, options...)
	c, err := cuzk.New(options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}
