// SPDX-License-Identifier: MIT OR Apache-2.0

package cuzk

import (
	"errors"

	"cuzk/go-binding/internal/ccuzk"
)

// Status says what kind of thing went wrong: one for each that a caller would handle differently.
type Status int32

// The statuses of the C ABI.
const (
	StatusInvalidArgument    = Status(ccuzk.InvalidArgument)
	StatusABIMismatch        = Status(ccuzk.ABIMismatch)
	StatusIO                 = Status(ccuzk.IO)
	StatusParametersNotFound = Status(ccuzk.ParametersNotFound)
	StatusInvalidSRS         = Status(ccuzk.InvalidSRS)
	StatusInvalidAssignment  = Status(ccuzk.InvalidAssignment)
	StatusInvalidC1          = Status(ccuzk.InvalidC1)
	StatusBufferTooSmall     = Status(ccuzk.BufferTooSmall)
	StatusNoDevice           = Status(ccuzk.NoDevice)
	StatusOutOfMemory        = Status(ccuzk.OutOfMemory)
	StatusOutOfDeviceMemory  = Status(ccuzk.OutOfDeviceMemory)
	StatusDeviceFailed       = Status(ccuzk.DeviceFailed)
	StatusSelfCheckFailed    = Status(ccuzk.SelfCheckFailed)
	StatusCancelled          = Status(ccuzk.Cancelled)
	StatusTimeout            = Status(ccuzk.Timeout)
	StatusForked             = Status(ccuzk.Forked)
	StatusUnsupported        = Status(ccuzk.Unsupported)
	StatusInternal           = Status(ccuzk.Internal)
)

// String returns the name in the C ABI, such as CUZK_STATUS_IO.
func (s Status) String() string { return ccuzk.StatusName(ccuzk.Status(s)) }

// Error is an error of the library. errors.As finds it; errors.Is compares statuses with
// [ErrNoDevice] and its like.
type Error struct {
	// Status is the kind.
	Status Status
	// Message is one line that says what was wrong with which thing, and the numbers.
	Message string
}

func (e *Error) Error() string {
	if e.Message == "" {
		return "cuzk: " + e.Status.String()
	}
	return "cuzk: " + e.Message
}

// Is says whether target is this error, or any error of the same status.
func (e *Error) Is(target error) bool {
	other, ok := target.(*Error)
	return ok && other.Status == e.Status && (other.Message == "" || other.Message == e.Message)
}

// Errors to compare with by errors.Is, one for each status.
var (
	ErrInvalidArgument    error = &Error{Status: StatusInvalidArgument}
	ErrABIMismatch        error = &Error{Status: StatusABIMismatch}
	ErrIO                 error = &Error{Status: StatusIO}
	ErrParametersNotFound error = &Error{Status: StatusParametersNotFound}
	ErrInvalidSRS         error = &Error{Status: StatusInvalidSRS}
	ErrInvalidAssignment  error = &Error{Status: StatusInvalidAssignment}
	ErrInvalidC1          error = &Error{Status: StatusInvalidC1}
	ErrBufferTooSmall     error = &Error{Status: StatusBufferTooSmall}
	ErrNoDevice           error = &Error{Status: StatusNoDevice}
	ErrOutOfMemory        error = &Error{Status: StatusOutOfMemory}
	ErrOutOfDeviceMemory  error = &Error{Status: StatusOutOfDeviceMemory}
	ErrDeviceFailed       error = &Error{Status: StatusDeviceFailed}
	ErrSelfCheckFailed    error = &Error{Status: StatusSelfCheckFailed}
	ErrCancelled          error = &Error{Status: StatusCancelled}
	ErrTimeout            error = &Error{Status: StatusTimeout}
	ErrForked             error = &Error{Status: StatusForked}
	ErrUnsupported        error = &Error{Status: StatusUnsupported}
	ErrInternal           error = &Error{Status: StatusInternal}
)

// ErrClosed is the error of a call on something that was closed.
var ErrClosed = errors.New("cuzk: closed")

// public turns an error of the lower layer into one of this.
func public(err error) error {
	if e, ok := err.(*ccuzk.Error); ok {
		return &Error{Status(e.Status), e.Message}
	}
	return err
}
