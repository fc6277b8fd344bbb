// Package egl opens GL contexts without a window system and gives each its
// thread. In: which device. Out: a Device whose Do runs functions on the one OS
// thread where the context is current. It refuses contexts below GL 4.3 core,
// and it refuses to guess between several devices that work.
package egl

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

var (
	// ErrNoDevice marks that no display gave a context, or none that was asked for.
	ErrNoDevice = errors.New("no GL device")
	// ErrAmbiguous marks a choice that fits several devices; --device decides.
	ErrAmbiguous = errors.New("several GL devices fit")
	// ErrClosed marks calls to a device after Close.
	ErrClosed = errors.New("device is closed")
	// ErrStuck marks a device whose thread did not come back from a call in
	// time. The thread is given up, with its context; nothing runs on it again.
	ErrStuck = errors.New("device thread does not answer")
)

// Config says which device to open.
type Config struct {
	// Device is "auto" or "" (the GPU that CUDA would take, else the only one
	// that works, else software), "software", an index (as CUDA counts where
	// devices carry CUDA numbers, else the position in EGL's list, from 0), a
	// UUID or the beginning of one (with or without "GPU-" and hyphens), or a
	// DRM node ("/dev/dri/renderD128").
	Device string
	// Limit is how long opening may take, 0 for ever. A driver that hangs keeps
	// the thread.
	Limit time.Duration
}

// Platform is the kind of display a context was opened on.
type Platform string

// The platforms in the order in which they are tried. A device can be chosen only on the
// first one; the second one needs no window system either, as Mesa without a GPU has it.
const (
	PlatformDevice      Platform = "device"
	PlatformSurfaceless Platform = "surfaceless"
	PlatformDefault     Platform = "default"
)

// Adapter is one device as EGL lists it, before anything is opened on it.
type Adapter struct {
	Index    int    // position in EGL's list, from 0
	CUDA     int    // as CUDA counts in this process, -1 where EGL does not tell
	UUID     string // 32 hexadecimal digits, "" where EGL does not tell
	Node     string // DRM node, "" where EGL does not tell
	Software bool   // renders on the CPU
	handle   uintptr
}

// String names the adapter by everything that can select it.
func (a Adapter) String() string {
	s := fmt.Sprintf("EGL device %d", a.Index)
	if a.CUDA >= 0 {
		s += fmt.Sprintf(", CUDA %d", a.CUDA)
	}
	if a.Node != "" {
		s += ", " + a.Node
	}
	if a.UUID != "" {
		s += ", UUID " + a.UUID
	}
	if a.Software {
		s += ", software"
	}
	return s
}

// Info describes an open context; it goes into logs and result headers.
type Info struct {
	Platform   Platform
	Adapter    Adapter // Index -1 where the platform names no device
	EGLVendor  string
	EGLVersion string
	Vendor     string // of GL
	Renderer   string
	Version    string
	Major      int // of the GL version
	Minor      int
	Software   bool // renders on the CPU
	Robust     bool // accesses out of bounds are harmless
	Notified   bool // the driver reports the loss of the context
	Surface    bool // a surface of one pixel stands in for a surfaceless context
}

// String gives the renderer, the version and where the context was opened.
func (i Info) String() string {
	where := string(i.Platform) + " platform"
	if i.Adapter.Index >= 0 {
		where = i.Adapter.String()
	}
	return fmt.Sprintf("%s, OpenGL %s (%s; EGL %s, %s)", i.Renderer, i.Version, where, i.EGLVendor, i.EGLVersion)
}

// softwareNames are parts of GL renderer strings that stand for the CPU; a
// display without a device is known by them alone.
var softwareNames = []string{"llvmpipe", "softpipe", "swrast", "SwiftShader", "lavapipe"}

func isSoftware(renderer string) bool {
	for _, n := range softwareNames {
		if strings.Contains(renderer, n) {
			return true
		}
	}
	return false
}
