// Package gpu runs batches, and comparisons of regions and masks, on OpenGL 4.3 compute,
// and replaces lost contexts. In: batches, whose bytes it uploads as they are. Out: the
// integer sums of each row of each run, or pixels. It returns whole results or an error:
// what does not fit the device is run in parts, a lost context is replaced and the batch
// run again once, and a partial result never leaves the package.
package gpu

import (
	"errors"
	"time"

	"plumb/render/egl"
	"plumb/shaders"
)

var (
	// ErrCapacity marks a batch that the device cannot hold, not even in parts.
	ErrCapacity = errors.New("beyond the device's capacity")
	// ErrDeviceLost marks a batch that could not be run because the context was
	// lost and its replacement failed too, or was lost again on the same batch.
	ErrDeviceLost = errors.New("device lost")
	// ErrDead marks a device whose context could not be replaced in several tries.
	// Drivers in this state usually need a new process, NVIDIA's after a channel error.
	ErrDead = errors.New("device does not come back")
	// ErrClosed marks calls to a Runner after Close.
	ErrClosed = errors.New("runner is closed")
)

// Access is how shaders read segments, items, tiles and runs.
type Access uint8

const (
	// AccessTexture reads through texture buffers, which is 8 to 17 % faster on llvmpipe, where
	// storage loads are loops over lanes.
	AccessTexture Access = iota
	// AccessStorage reads through shader storage buffers.
	AccessStorage
)

// Transfer is how batches reach the shaders.
type Transfer uint8

const (
	// TransferAuto is direct on software devices and copies on all others.
	TransferAuto Transfer = iota
	// TransferDirect lets shaders read and write the mapped memory itself.
	TransferDirect
	// TransferCopy moves mapped memory to device memory and back.
	TransferCopy
)

// Config says how a Runner works. The zero value is usable.
type Config struct {
	Device   string // as egl.Config.Device
	Access   Access
	Transfer Transfer
	// Slots is how many batches may be on their way at once, 1 or more; default 3.
	Slots int
	// SlotBytes bounds the input and the output of one slot, each; default 128
	// MiB, 32 MiB on software devices, whose memory is the process's own. Larger
	// batches run in parts. A single run that is larger is ErrCapacity.
	SlotBytes int
	// Watchdog is how long the device may go without finishing anything before
	// the context is given up; default 10 s.
	Watchdog time.Duration
	// Stats takes timings; nil for some of the Runner's own (Runner.Totals).
	Stats *Stats

	// For tests: other shaders, and limits below the device's.
	source    func(v shaders.Variant, texture bool) string
	noStorage bool // as if ARB_buffer_storage were missing
	limit     func(*limits)
	wrote     func() // called when a part of a batch is in its slot, before it is queued
}

const (
	defaultSlots      = 3
	defaultSlotBytes  = 128 << 20
	softwareSlotBytes = 32 << 20
	defaultWatchdog   = 10 * time.Second
)

// withDefaults returns the configuration of a Runner with defaults in place of zero values.
func (config Config) withDefaults() Config {
	if config.Slots <= 0 {
		config.Slots = defaultSlots
	}
	if config.Watchdog <= 0 {
		config.Watchdog = defaultWatchdog
	}
	if config.Stats == nil {
		config.Stats = new(Stats)
	}
	if config.source == nil {
		config.source = shaders.Source
	}
	return config
}

// Info describes what a Runner runs on.
type Info struct {
	egl.Info
	Limits  Limits
	Mapped  bool // transfers go through persistently mapped memory
	Direct  bool // shaders use that memory itself
	Resets  int  // contexts replaced so far
	Hangs   int  // of those, the ones that were given up because the device was silent
	Watched bool // the driver can tell that the context was lost
	// Memory is what all buffers hold now, in bytes: on the device, and what the
	// host maps of it. On software devices it is the process's own memory.
	Memory int64
}

// Limits are those of the device and, for SlotBytes, of the configuration.
type Limits struct {
	Texels       int // of a texture buffer
	StorageBytes int // of a shader storage buffer
	Groups       int // work groups of one dispatch, in y
	SlotBytes    int // input or output of one part of a batch
	// Iterations is how many iterations of all its loops together a thread was seen
	// to run. It is exact where it is below MaxIterations, else a lower bound.
	Iterations int
	Items      int // the most items of a run that these suffice for (batch.Batch.MaxItems)
}
