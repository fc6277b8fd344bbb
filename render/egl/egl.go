// Package egl opens OpenGL contexts without a window system through EGL, each on an OS thread of
// its own. In: which device. Out: a Device whose Do runs functions on the one OS thread where the
// context is current. It refuses contexts below GL 4.3 core, and it refuses to guess between
// several devices that work.
package egl

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

var (
	// ErrNoDevice means that no context could be opened, or not on the device that was named.
	ErrNoDevice = errors.New("no GL device")
	// ErrAmbiguous means that several devices fit the choice; --device decides.
	ErrAmbiguous = errors.New("several GL devices fit")
	// ErrClosed is the error of calls to a device after Close.
	ErrClosed = errors.New("device is closed")
	// ErrStuck means that a call on the device's thread did not return in time. The thread is given
	// up with its context; nothing runs on it again.
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
	// Limit is how long opening may take; 0 means for ever.
	Limit time.Duration
}

// Platform is the kind of display a context was opened on.
type Platform string

// The platforms in the order in which they are tried. A device can be chosen only on the first
// one. The second one needs no window system either; Mesa without a GPU has it.
const (
	PlatformDevice      Platform = "device"
	PlatformSurfaceless Platform = "surfaceless"
	PlatformDefault     Platform = "default"
)

// Adapter is one device as EGL lists it, before anything is opened on it.
type Adapter struct {
	Index    int     // position in EGL's list, from 0
	CUDA     int     // as CUDA counts in this process, -1 where EGL does not tell
	UUID     string  // 32 hexadecimal digits, "" where EGL does not tell
	Node     string  // DRM node, "" where EGL does not tell
	Software bool    // renders on the CPU
	handle   uintptr // EGLDeviceEXT
}

// String returns the names of a graphics adapter in one line: every value of --device that chooses it,
// and whether it is a software driver.
func (adapter Adapter) String() string {
	text := fmt.Sprintf("EGL device %d", adapter.Index)
	if adapter.CUDA >= 0 {
		text += fmt.Sprintf(", CUDA %d", adapter.CUDA)
	}
	if adapter.Node != "" {
		text += ", " + adapter.Node
	}
	if adapter.UUID != "" {
		text += ", UUID " + adapter.UUID
	}
	if adapter.Software {
		text += ", software"
	}
	return text
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
	Robust     bool // shaders that access memory out of bounds do no harm
	Notified   bool // the driver reports the loss of the context
	Surface    bool // the context is current with a surface of one pixel, because it needs one
}

// String returns the renderer, the version and where the context was opened.
func (i Info) String() string {
	where := string(i.Platform) + " platform"
	if i.Adapter.Index >= 0 {
		where = i.Adapter.String()
	}
	return fmt.Sprintf("%s, OpenGL %s (%s; EGL %s, %s)", i.Renderer, i.Version, where, i.EGLVendor, i.EGLVersion)
}

// softwareNames are parts of the GL renderer strings of drivers that render on the CPU.
var softwareNames = []string{"llvmpipe", "softpipe", "swrast", "SwiftShader", "lavapipe"}

// isSoftware reports whether a GL renderer string names a driver that renders on the CPU. Nothing
// else tells it of a display without a device.
func isSoftware(renderer string) bool {
	return slices.ContainsFunc(softwareNames, func(name string) bool { return strings.Contains(renderer, name) })
}
