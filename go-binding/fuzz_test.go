// SPDX-License-Identifier: MIT OR Apache-2.0

package cuzk_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	cuzk "cuzk/go-binding"
)

// FuzzPhase1Output gives any bytes, sectors and miners to everything that takes them. `go test`
// runs what it starts from; `make fuzz` searches.
func FuzzPhase1Output(f *testing.F) {
	for _, name := range cases {
		s := load(f, name)
		f.Add(s.c1[:400], s.number, s.actor)
	}
	f.Add([]byte(nil), uint64(0), uint64(0))
	f.Add([]byte(`{"SectorNum":42,"Phase1Out":"e30=","SectorSize":2048}`), uint64(42), uint64(1<<63))
	c := withoutParameters(f)
	whole := load(f, "2kib-v1_1").c1
	f.Fuzz(func(t *testing.T, bytes []byte, number, miner uint64) {
		// As they are, and in place of a real output's first bytes.
		for _, c1 := range [][]byte{bytes, append(append([]byte(nil), bytes...), whole[min(len(bytes), len(whole)):]...)} {
			_, err := cuzk.Describe(c1)
			refused(t, err)
			_, err = cuzk.StatementOf(c1, number, miner)
			refused(t, err)
			if checked := cuzk.Check(c1, number, miner); (checked == nil) != (err == nil) {
				t.Errorf("checked: %v, stated: %v", checked, err)
			}
			results, err := c.Prove(context.Background(), cuzk.Request{
				Phase1Output: c1, SectorNumber: number, MinerID: miner,
			})
			refused(t, err)
			for _, result := range results {
				if result.Err == nil {
					t.Error("a proof without parameters")
				}
				refused(t, result.Err)
			}
		}
		valid, err := c.Verify(cuzk.Statement{RegisteredProof: uint32(number), SectorNumber: miner}, bytes)
		refused(t, err)
		if valid {
			t.Error("a valid proof of nothing")
		}
	})
}

// refused checks that what is not nil is an error of the library with a text for a reader.
func refused(t *testing.T, err error) {
	t.Helper()
	var known *cuzk.Error
	switch {
	case err == nil:
	case !errors.As(err, &known):
		t.Errorf("%T: %v", err, err)
	case errors.Is(err, cuzk.ErrInternal) || len(known.Error()) < 10 || strings.Contains(known.Error(), "\n"):
		t.Error(err)
	}
}
