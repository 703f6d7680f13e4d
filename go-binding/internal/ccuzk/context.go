// SPDX-License-Identifier: MIT OR Apache-2.0

package ccuzk

/*
#include <stdlib.h>
#include "cuzk.h"
*/
import "C"

import "unsafe"

// Device is a cuzk_device.
type Device struct {
	Ordinal                          uint32
	CapabilityMajor, CapabilityMinor uint32
	TotalBytes, FreeBytes            uint64
	Usable                           bool
	UUID, Name, Reason               string
}

// DeviceCount binds cuzk_device_count; the text says why there is none.
func DeviceCount() (int, string, error) {
	var count C.size_t
	var reason *C.char
	err := call(func(e *C.cuzk_error) C.cuzk_status {
		return C.cuzk_device_count(&count, &reason, e)
	})
	return int(count), C.GoString(reason), err
}

// DeviceInfo binds cuzk_device_info.
func DeviceInfo(index int) (Device, error) {
	d := C.cuzk_device{struct_size: C.sizeof_cuzk_device}
	err := call(func(e *C.cuzk_error) C.cuzk_status {
		return C.cuzk_device_info(C.size_t(index), &d, e)
	})
	return Device{
		Ordinal:         uint32(d.ordinal),
		CapabilityMajor: uint32(d.compute_capability_major),
		CapabilityMinor: uint32(d.compute_capability_minor),
		TotalBytes:      uint64(d.total_bytes),
		FreeBytes:       uint64(d.free_bytes),
		Usable:          d.usable != 0,
		UUID:            C.GoString(&d.uuid[0]),
		Name:            C.GoString(&d.name[0]),
		Reason:          C.GoString(&d.reason[0]),
	}, err
}

// Backends, with the header's numbers.
const (
	BackendDefault = C.CUZK_BACKEND_DEFAULT
	BackendAuto    = C.CUZK_BACKEND_AUTO
	BackendCPU     = C.CUZK_BACKEND_CPU
	BackendCUDA    = C.CUZK_BACKEND_CUDA

	SelfVerificationOff = C.CUZK_SELF_VERIFICATION_OFF
)

// ContextOptions is a cuzk_context_options; zero is the default everywhere.
type ContextOptions struct {
	Backend            int32
	SelfVerification   int32
	Threads            int
	HostMemory         uint64
	DeviceMemory       uint64
	Devices            string
	ParameterDirectory string
}

// Context is a cuzk_context.
type Context struct{ p *C.cuzk_context }

// NewContext binds cuzk_context_new.
func NewContext(o ContextOptions) (*Context, error) {
	devices, directory := text(o.Devices), text(o.ParameterDirectory)
	defer free(devices)
	defer free(directory)
	options := C.cuzk_context_options{
		struct_size:         C.sizeof_cuzk_context_options,
		backend:             C.int32_t(o.Backend),
		self_verification:   C.int32_t(o.SelfVerification),
		threads:             C.size_t(o.Threads),
		host_memory_bytes:   C.uint64_t(o.HostMemory),
		device_memory_bytes: C.uint64_t(o.DeviceMemory),
		devices:             devices,
		parameter_directory: directory,
	}
	context := new(Context)
	err := call(func(e *C.cuzk_error) C.cuzk_status {
		return C.cuzk_context_new(&options, &context.p, e)
	})
	if err != nil {
		return nil, err
	}
	return context, nil
}

// Free binds cuzk_context_free.
func (c *Context) Free() { C.cuzk_context_free(c.p) }

// WarmUp binds cuzk_context_warm_up.
func (c *Context) WarmUp(registeredProof uint32) error {
	return call(func(e *C.cuzk_error) C.cuzk_status {
		return C.cuzk_context_warm_up(c.p, C.uint32_t(registeredProof), e)
	})
}

// Info binds cuzk_context_info.
func (c *Context) Info() (string, error) {
	// The text changes between calls: a little more room than it just needed.
	for size := C.size_t(4096); ; {
		buffer := make([]byte, size)
		var length C.size_t
		err := call(func(e *C.cuzk_error) C.cuzk_status {
			place := (*C.char)(unsafe.Pointer(unsafe.SliceData(buffer)))
			return C.cuzk_context_info(c.p, place, size, &length, e)
		})
		if e, ok := err.(*Error); ok && e.Status == BufferTooSmall {
			size = length + 1024
			continue
		}
		if err != nil {
			return "", err
		}
		return string(buffer[:length]), nil
	}
}
