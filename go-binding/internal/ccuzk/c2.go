// SPDX-License-Identifier: MIT OR Apache-2.0

package ccuzk

/*
#include "cuzk.h"
*/
import "C"

import "unsafe"

// ProverID is the 32 bytes of a prover id.
type ProverID [32]byte

func (id *ProverID) pointer() *C.uint8_t { return (*C.uint8_t)(&id[0]) }

// ProverIDFromActor binds cuzk_prover_id_from_actor.
func ProverIDFromActor(actor uint64) (ProverID, error) {
	var id ProverID
	err := call(func(e *C.cuzk_error) C.cuzk_status {
		return C.cuzk_prover_id_from_actor(C.uint64_t(actor), id.pointer(), e)
	})
	return id, err
}

// Description is a cuzk_c2_description.
type Description struct {
	RegisteredProof uint32
	SectorSize      uint64
	Partitions      int
	HasSectorNumber bool
	SectorNumber    uint64
	ProofLen        int
	Name, Circuit   string
}

// C2Info binds cuzk_c2_info.
func C2Info(c1 []byte) (Description, error) {
	d := C.cuzk_c2_description{struct_size: C.sizeof_cuzk_c2_description}
	err := call(func(e *C.cuzk_error) C.cuzk_status {
		return C.cuzk_c2_info(bytes(c1), C.size_t(len(c1)), &d, e)
	})
	return Description{
		RegisteredProof: uint32(d.registered_proof),
		SectorSize:      uint64(d.sector_size),
		Partitions:      int(d.partitions),
		HasSectorNumber: d.has_sector_number != 0,
		SectorNumber:    uint64(d.sector_number),
		ProofLen:        int(d.proof_len),
		Name:            C.GoString(&d.name[0]),
		Circuit:         C.GoString(&d.circuit[0]),
	}, err
}

// C2Check binds cuzk_c2_check.
func C2Check(c1 []byte, sector uint64, prover ProverID) error {
	return call(func(e *C.cuzk_error) C.cuzk_status {
		return C.cuzk_c2_check(bytes(c1), C.size_t(len(c1)), C.uint64_t(sector), prover.pointer(), e)
	})
}

// Statement is a cuzk_c2_statement.
type Statement struct {
	RegisteredProof            uint32
	SectorNumber               uint64
	ProverID                   ProverID
	CommR, CommD, Ticket, Seed [32]byte
}

// C2StatementFromC1 binds cuzk_c2_statement_from_c1.
func C2StatementFromC1(c1 []byte, sector uint64, prover ProverID) (Statement, error) {
	s := C.cuzk_c2_statement{struct_size: C.sizeof_cuzk_c2_statement}
	err := call(func(e *C.cuzk_error) C.cuzk_status {
		return C.cuzk_c2_statement_from_c1(bytes(c1), C.size_t(len(c1)), C.uint64_t(sector),
			prover.pointer(), &s, e)
	})
	return Statement{
		RegisteredProof: uint32(s.registered_proof),
		SectorNumber:    uint64(s.sector_number),
		ProverID:        ProverID(goBytes(s.prover_id)),
		CommR:           goBytes(s.comm_r),
		CommD:           goBytes(s.comm_d),
		Ticket:          goBytes(s.ticket),
		Seed:            goBytes(s.seed),
	}, err
}

// C2Verify binds cuzk_c2_verify.
func (c *Context) C2Verify(statement Statement, proof []byte) (bool, error) {
	s := cStatement(statement)
	var valid C.bool
	err := call(func(e *C.cuzk_error) C.cuzk_status {
		return C.cuzk_c2_verify(c.p, &s, bytes(proof), C.size_t(len(proof)), &valid, e)
	})
	return bool(valid), err
}

func cStatement(statement Statement) C.cuzk_c2_statement {
	return C.cuzk_c2_statement{
		struct_size:      C.sizeof_cuzk_c2_statement,
		registered_proof: C.uint32_t(statement.RegisteredProof),
		sector_number:    C.uint64_t(statement.SectorNumber),
		prover_id:        cBytes(statement.ProverID),
		comm_r:           cBytes(statement.CommR),
		comm_d:           cBytes(statement.CommD),
		ticket:           cBytes(statement.Ticket),
		seed:             cBytes(statement.Seed),
	}
}

func goBytes(b [32]C.uint8_t) [32]byte { return *(*[32]byte)(unsafe.Pointer(&b)) }

func cBytes(b [32]byte) [32]C.uint8_t { return *(*[32]C.uint8_t)(unsafe.Pointer(&b)) }
