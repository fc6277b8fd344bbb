package egl

// #cgo pkg-config: egl
// #include <stdlib.h>
// #include "native.h"
import "C"

import (
	"encoding/hex"
	"fmt"
	"sync"
	"unsafe"
)

// ProcAddress returns the address of a GL or EGL function for GL bindings, nil where the driver
// has none. A driver may return an address for a function that it does not support, so check for
// the extension first.
func ProcAddress(name string) unsafe.Pointer {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	return C.plumb_proc(c)
}

// maxAdapters is more devices than any machine has.
const maxAdapters = 64

// Adapters lists the devices of EGL, none where EGL cannot list them. Listing opens nothing: a
// listed device may still refuse a context, as in containers that may use only some of a
// machine's GPUs.
func Adapters() []Adapter {
	var raw [maxAdapters]C.plumb_device
	n := int(C.plumb_devices(&raw[0], maxAdapters))
	var out []Adapter
	for i := range n {
		d := &raw[i]
		a := Adapter{
			Index: i, CUDA: int(d.cuda), Node: C.GoString(&d.node[0]), Software: d.software != 0,
			handle: uintptr(d.handle),
		}
		if d.has_uuid != 0 {
			a.UUID = hex.EncodeToString(C.GoBytes(unsafe.Pointer(&d.uuid[0]), C.int(len(d.uuid))))
		}
		out = append(out, a)
	}
	return out
}

// displays counts the open contexts of each EGL display. A process has one display for each
// device, and terminating it destroys all its contexts. So it is terminated with the last one.
var displays = struct {
	mu   sync.Mutex // also held while a display is initialised or terminated
	open map[C.uintptr_t]int
}{open: map[C.uintptr_t]int{}}

// native is a GL context that is current on the thread that opened it.
type native struct{ c C.plumb_context }

// candidate is a display on which to try to open a context. adapter counts on PlatformDevice only.
type candidate struct {
	platform Platform
	adapter  Adapter
}

// displayKinds are the platforms as native.h numbers them.
var displayKinds = map[Platform]C.int{
	PlatformDevice:      C.PLUMB_DISPLAY_DEVICE,
	PlatformSurfaceless: C.PLUMB_DISPLAY_SURFACELESS,
	PlatformDefault:     C.PLUMB_DISPLAY_DEFAULT,
}

// openNative opens a context and makes it current on the calling thread, which
// must be locked. The context must be closed on the same thread.
func openNative(cand candidate) (*native, Info, error) {
	displays.mu.Lock()
	defer displays.mu.Unlock()
	n := &native{}
	ok := C.plumb_open(displayKinds[cand.platform], C.uintptr_t(cand.adapter.handle), &n.c)
	if ok == 0 {
		if n.c.display != 0 && displays.open[n.c.display] == 0 { // initialised, and nobody else uses it
			C.plumb_terminate(n.c.display)
		}
		return nil, Info{}, fmt.Errorf("cannot open context on %s: %w: %s failed with EGL error 0x%04x",
			cand, ErrNoDevice, C.GoString(n.c.step), int(n.c.error))
	}
	displays.open[n.c.display]++
	return n, n.info(cand), nil
}

// close destroys the context, and the display with the last of its contexts.
func (n *native) close() {
	displays.mu.Lock()
	defer displays.mu.Unlock()
	C.plumb_close(&n.c)
	displays.open[n.c.display]--
	if displays.open[n.c.display] == 0 {
		delete(displays.open, n.c.display)
		C.plumb_terminate(n.c.display)
	}
}

// info returns the description of an opened OpenGL context: its display, driver, version and
// abilities. cand is the display on which it was opened.
func (n *native) info(cand candidate) Info {
	c := &n.c
	i := Info{
		Platform: cand.platform, Adapter: cand.adapter,
		EGLVendor: C.GoString(&c.egl_vendor[0]), EGLVersion: C.GoString(&c.egl_version[0]),
		Vendor: C.GoString(&c.gl_vendor[0]), Renderer: C.GoString(&c.gl_renderer[0]), Version: C.GoString(&c.gl_version[0]),
		Major: int(c.major), Minor: int(c.minor),
		Robust: c.robust != 0, Notified: c.notified != 0, Surface: c.surface != 0,
	}
	i.Software = cand.adapter.Software || isSoftware(i.Renderer)
	if i.Adapter.UUID == "" && c.has_uuid != 0 {
		i.Adapter.UUID = hex.EncodeToString(C.GoBytes(unsafe.Pointer(&c.uuid[0]), C.int(len(c.uuid))))
	}
	return i
}

// String returns the name of the display for messages.
func (c candidate) String() string {
	if c.platform == PlatformDevice {
		return c.adapter.String()
	}
	return "the " + string(c.platform) + " display"
}

// hasContext reports whether a usable context is current on the calling thread. Only tests need
// it, but test files cannot use cgo.
func hasContext() bool { return C.plumb_current() != 0 }
