// SPDX-License-Identifier: MIT OR Apache-2.0

package ccuzk

/*
#include "cuzk.h"
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// Aggregations, with the header's numbers.
const (
	SnarkPackV1 = C.CUZK_AGGREGATION_SNARK_PACK_V1
	SnarkPackV2 = C.CUZK_AGGREGATION_SNARK_PACK_V2
)

// ProofLen is the length of a partition's proof in bytes.
const ProofLen = C.sizeof_cuzk_proof

// C2Aggregate binds cuzk_c2_aggregate; proofs are those of all partitions, one after the other.
func (c *Context) C2Aggregate(aggregation int32, statements []Statement, proofs []byte) ([]byte,
	error) {
	if len(proofs)%ProofLen != 0 {
		return nil, &Error{InvalidArgument, fmt.Sprintf(
			"the proofs have %d bytes, no multiple of %d", len(proofs), ProofLen)}
	}
	array := cStatements(statements)
	place := (*C.cuzk_proof)(unsafe.Pointer(unsafe.SliceData(proofs)))
	aggregate := func(buffer []byte, length *C.size_t) error {
		return call(func(e *C.cuzk_error) C.cuzk_status {
			return C.cuzk_c2_aggregate(c.p, C.int32_t(aggregation), unsafe.SliceData(array),
				C.size_t(len(array)), place, C.size_t(len(proofs)/ProofLen), bytes(buffer),
				C.size_t(len(buffer)), length, e)
		})
	}
	// The length depends on the statements alone: asked for without work.
	var length C.size_t
	err := aggregate(nil, &length)
	if e, ok := err.(*Error); !ok || e.Status != BufferTooSmall {
		return nil, err
	}
	buffer := make([]byte, int(length))
	if err := aggregate(buffer, &length); err != nil {
		return nil, err
	}
	return buffer[:int(length)], nil
}

// C2VerifyAggregate binds cuzk_c2_verify_aggregate.
func (c *Context) C2VerifyAggregate(aggregation int32, statements []Statement, aggregate []byte) (
	bool, error) {
	array := cStatements(statements)
	var valid C.bool
	err := call(func(e *C.cuzk_error) C.cuzk_status {
		return C.cuzk_c2_verify_aggregate(c.p, C.int32_t(aggregation), unsafe.SliceData(array),
			C.size_t(len(array)), bytes(aggregate), C.size_t(len(aggregate)), &valid, e)
	})
	return bool(valid), err
}

func cStatements(statements []Statement) []C.cuzk_c2_statement {
	array := make([]C.cuzk_c2_statement, len(statements))
	for i, statement := range statements {
		array[i] = cStatement(statement)
	}
	return array
}
