// SPDX-License-Identifier: MIT OR Apache-2.0

// Package cuzk makes Filecoin's Commit-2 proofs of sealed sectors, on NVIDIA GPUs or on the CPU,
// through the shared library libcuzk.
//
// [SealCommitPhase2] has the shape that filecoin-ffi gave it. The rest is the same with more to
// say: a [Context] holds devices, memory budgets and parameters, [Context.Prove] proves several
// sectors under a context.Context whose end cancels the work, [Context.Start] does it in the
// background with progress on a channel, and errors have a [Status] for errors.Is and errors.As.
//
// Everything may be used by many goroutines at once. What has a Close method should be closed;
// the garbage collector does it for what was forgotten.
//
// cgo looks for cuzk.h and libcuzk where they were installed, or where CGO_CFLAGS and CGO_LDFLAGS
// say. Proving blocks an operating system thread for each goroutine that waits.
package cuzk

import (
	"runtime"
	"strings"
	"sync"

	"cuzk/go-binding/internal/ccuzk"
)

// Version returns the library's release number.
func Version() string { return ccuzk.Version() }

// BuildInfo returns how the library was built, as JSON.
func BuildInfo() string { return ccuzk.BuildInfo() }

// Device is a GPU, usable or not.
type Device struct {
	// Ordinal is the number by which [WithDevices] names it.
	Ordinal uint32
	// CapabilityMajor and CapabilityMinor are its compute capability.
	CapabilityMajor, CapabilityMinor uint32
	// TotalBytes and FreeBytes are its memory.
	TotalBytes, FreeBytes uint64
	// Usable says whether a context would use it.
	Usable bool
	// UUID stays with the card, Name is the product's, Reason says why it is not usable.
	UUID, Name, Reason string
}

// Devices lists the devices of this machine: exactly those among which a [Context] chooses. None
// is a normal answer, then the text says why, and proofs are made on the CPU.
func Devices() ([]Device, string, error) {
	count, reason, err := ccuzk.DeviceCount()
	if err != nil {
		return nil, "", public(err)
	}
	devices := make([]Device, count)
	for i := range devices {
		device, err := ccuzk.DeviceInfo(i)
		if err != nil {
			return nil, "", public(err)
		}
		devices[i] = Device(device)
	}
	return devices, reason, nil
}

// Backend is what proves.
type Backend int32

// The backends.
const (
	// Auto is a GPU where one can be used, otherwise the CPU.
	Auto Backend = ccuzk.BackendAuto
	// CPU makes no CUDA call.
	CPU Backend = ccuzk.BackendCPU
	// CUDA is a GPU or [ErrNoDevice].
	CUDA Backend = ccuzk.BackendCUDA
)

// Option is how a [Context] differs from the default. Options win over the environment.
type Option func(*ccuzk.ContextOptions)

// WithBackend chooses what proves.
func WithBackend(backend Backend) Option {
	return func(o *ccuzk.ContextOptions) { o.Backend = int32(backend) }
}

// WithDevices chooses GPUs by ordinal or UUID.
func WithDevices(devices ...string) Option {
	return func(o *ccuzk.ContextOptions) { o.Devices = strings.Join(devices, ",") }
}

// WithThreads sets the number of host threads.
func WithThreads(n int) Option {
	return func(o *ccuzk.ContextOptions) { o.Threads = max(n, 0) }
}

// WithHostMemory sets the most host memory for parameters, circuits and work.
func WithHostMemory(bytes uint64) Option {
	return func(o *ccuzk.ContextOptions) { o.HostMemory = bytes }
}

// WithDeviceMemory sets the most memory of each device.
func WithDeviceMemory(bytes uint64) Option {
	return func(o *ccuzk.ContextOptions) { o.DeviceMemory = bytes }
}

// WithParameterDirectory says where Filecoin's parameter files are.
func WithParameterDirectory(path string) Option {
	return func(o *ccuzk.ContextOptions) { o.ParameterDirectory = path }
}

// WithoutSelfVerification gives proofs out that were not verified: the caller must.
func WithoutSelfVerification() Option {
	return func(o *ccuzk.ContextOptions) { o.SelfVerification = ccuzk.SelfVerificationOff }
}

// Context is what proofs are made with: devices, memory budgets, threads, and the parameters and
// circuits that are in memory. Most programs need one.
type Context struct {
	mutex sync.RWMutex
	c     *ccuzk.Context // nil once closed
}

// New makes a context and starts its threads. It reads the environment that the library documents.
func New(options ...Option) (*Context, error) {
	if err := ccuzk.CheckABI(); err != nil {
		return nil, public(err)
	}
	var all ccuzk.ContextOptions
	for _, option := range options {
		option(&all)
	}
	c, err := ccuzk.NewContext(all)
	if err != nil {
		return nil, public(err)
	}
	context := &Context{c: c}
	runtime.SetFinalizer(context, (*Context).Close)
	return context, nil
}

// Close ends the context after the calls on it have returned; jobs go on and keep what they need.
// Closing twice is fine. It always returns nil.
func (c *Context) Close() error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.c != nil {
		c.c.Free()
		c.c = nil
		runtime.SetFinalizer(c, nil)
	}
	return nil
}

// use makes a call on the context unless it is closed, and keeps it open meanwhile.
func (c *Context) use(call func(*ccuzk.Context) error) error {
	c.mutex.RLock()
	defer c.mutex.RUnlock()
	if c.c == nil {
		return ErrClosed
	}
	return public(call(c.c))
}

// Info returns what the context chose and why, its budgets, what is in memory and its counters, as
// JSON.
func (c *Context) Info() (json string, err error) {
	err = c.use(func(c *ccuzk.Context) (err error) {
		json, err = c.Info()
		return err
	})
	return json, err
}

// WarmUp brings the parameters and the circuit of a registered proof into memory, so that its
// first proof takes no longer than the later ones.
func (c *Context) WarmUp(registeredProof uint32) error {
	return c.use(func(c *ccuzk.Context) error { return c.WarmUp(registeredProof) })
}

// Verify says whether a proof is one of the statement, under the verifying key in the context's
// parameter folder.
func (c *Context) Verify(statement Statement, proof []byte) (valid bool, err error) {
	err = c.use(func(c *ccuzk.Context) (err error) {
		valid, err = c.C2Verify(statement.internal(), proof)
		return err
	})
	return valid, err
}
