// SPDX-License-Identifier: MIT OR Apache-2.0

package cuzk_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	cuzk "cuzk/go-binding"
)

func ExampleContext_Prove() {
	c, err := cuzk.New(cuzk.WithBackend(cuzk.CPU))
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	results, err := c.Prove(context.Background(),
		cuzk.Request{Phase1Output: []byte("not what Commit-1 puts out"), SectorNumber: 1, MinerID: 1000})
	if err != nil {
		log.Fatal(err)
	}
	for _, result := range results {
		if errors.Is(result.Err, cuzk.ErrInvalidC1) {
			fmt.Println("Commit-1 must be done again")
		}
	}
	// Output: Commit-1 must be done again
}
