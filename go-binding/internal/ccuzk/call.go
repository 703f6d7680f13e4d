// SPDX-License-Identifier: MIT OR Apache-2.0

// Package ccuzk is cuzk.h in Go: one function for each function of the C ABI that the binding
// uses, and nothing more. It is the only place that says C.
//
// No Go pointer stays with C: inputs are read during the call, and jobs copy what they need.
package ccuzk

/*
#cgo CFLAGS: -I${SRCDIR}/../../../include
#cgo LDFLAGS: -lcuzk
#include <stdlib.h>
#include "cuzk.h"
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// Status is a cuzk_status.
type Status int32

// The statuses, with the header's numbers.
const (
	OK                 Status = C.CUZK_STATUS_OK
	InvalidArgument    Status = C.CUZK_STATUS_INVALID_ARGUMENT
	ABIMismatch        Status = C.CUZK_STATUS_ABI_MISMATCH
	IO                 Status = C.CUZK_STATUS_IO
	ParametersNotFound Status = C.CUZK_STATUS_PARAMETERS_NOT_FOUND
	InvalidSRS         Status = C.CUZK_STATUS_INVALID_SRS
	InvalidAssignment  Status = C.CUZK_STATUS_INVALID_ASSIGNMENT
	InvalidC1          Status = C.CUZK_STATUS_INVALID_C1
	BufferTooSmall     Status = C.CUZK_STATUS_BUFFER_TOO_SMALL
	NoDevice           Status = C.CUZK_STATUS_NO_DEVICE
	OutOfMemory        Status = C.CUZK_STATUS_OUT_OF_MEMORY
	OutOfDeviceMemory  Status = C.CUZK_STATUS_OUT_OF_DEVICE_MEMORY
	DeviceFailed       Status = C.CUZK_STATUS_DEVICE_FAILED
	SelfCheckFailed    Status = C.CUZK_STATUS_SELF_CHECK_FAILED
	Cancelled          Status = C.CUZK_STATUS_CANCELLED
	Timeout            Status = C.CUZK_STATUS_TIMEOUT
	Forked             Status = C.CUZK_STATUS_FORKED
	Unsupported        Status = C.CUZK_STATUS_UNSUPPORTED
	Internal           Status = C.CUZK_STATUS_INTERNAL
)

// Error is a cuzk_error: what a call came to when that was not OK.
type Error struct {
	Status  Status
	Message string
}

func (e *Error) Error() string { return e.Message }

// call makes a call of the C ABI. It is the only place that turns a C error into one of Go's.
func call(function func(*C.cuzk_error) C.cuzk_status) error {
	out := C.cuzk_error{struct_size: C.sizeof_cuzk_error}
	status := Status(function(&out))
	if status == OK {
		return nil
	}
	return &Error{status, C.GoString(&out.message[0])}
}

// Version binds cuzk_version.
func Version() string { return C.GoString(C.cuzk_version()) }

// BuildInfo binds cuzk_build_info.
func BuildInfo() string { return C.GoString(C.cuzk_build_info()) }

// StatusName binds cuzk_status_name.
func StatusName(status Status) string { return C.GoString(C.cuzk_status_name(C.int32_t(status))) }

// CheckABI compares cuzk_abi_version with the header that this package was built with.
func CheckABI() error {
	if abi := uint32(C.cuzk_abi_version()); abi != C.CUZK_ABI_VERSION {
		return &Error{ABIMismatch, fmt.Sprintf("libcuzk has ABI %d, this program was built for %d",
			abi, int(C.CUZK_ABI_VERSION))}
	}
	return nil
}

// text makes a C string, nil for an empty one; to be freed.
func text(s string) *C.char {
	if s == "" {
		return nil
	}
	return C.CString(s)
}

func free(s *C.char) { C.free(unsafe.Pointer(s)) }

// bytes points to the bytes of a slice, for the time of a call.
func bytes(b []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.SliceData(b)) }
