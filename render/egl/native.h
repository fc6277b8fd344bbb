// native.h — the part of EGL that package egl needs, as plain C calls.
// Handles travel as uintptr_t: some drivers use small integers for them, which
// Go's pointer checks would refuse.
#ifndef PLUMB_EGL_NATIVE_H
#define PLUMB_EGL_NATIVE_H

#include <stdint.h>

// What EGL reports of one device before a display of it is initialised.
typedef struct {
	uintptr_t handle;
	int software;            // EGL_MESA_device_software
	int cuda;                // EGL_CUDA_DEVICE_NV, -1 where EGL does not report it
	int has_uuid;            // EGL_EXT_device_persistent_id
	unsigned char uuid[16];
	char node[128];          // DRM render node, else the primary node, else ""
} plumb_device;

// One context that is current on the calling thread. After a failure, step
// names the call that failed or the extension or version that is missing, and
// error holds the last error that eglGetError returned.
typedef struct {
	uintptr_t display, context, surface; // surface 0: surfaceless
	int robust;                          // robust access was granted
	int notified;                        // the driver reports a lost context
	int no_config;                       // made without an EGLConfig
	const char *step;
	int error;
	int major, minor;                    // of the GL version
	int has_uuid;                        // GL_EXT_memory_object
	unsigned char uuid[16];
	char egl_vendor[128], egl_version[128];
	char gl_vendor[128], gl_renderer[256], gl_version[256];
} plumb_context;

enum { PLUMB_DISPLAY_DEVICE, PLUMB_DISPLAY_SURFACELESS, PLUMB_DISPLAY_DEFAULT };

// plumb_devices fills out with at most max devices, and at most 64, and returns
// how many it filled, or -1 where the client library cannot list devices.
int plumb_devices(plumb_device *out, int max);

// plumb_open initialises a display of the given kind and makes a context of GL
// 4.3 core or later current on this thread. It returns 1, or 0 with step and
// error set. After a failure the display stays initialised if out->display is
// not 0; the caller ends it with plumb_terminate.
int plumb_open(int kind, uintptr_t device, plumb_context *out);

// plumb_close releases and destroys the context on the thread that made it.
void plumb_close(plumb_context *c);

// plumb_current reports whether the calling thread has a context whose display
// is still initialised.
int plumb_current(void);

// plumb_terminate releases a display and all that was made on it.
void plumb_terminate(uintptr_t display);

// plumb_proc returns the address of an EGL or GL function, NULL where there is none.
void *plumb_proc(const char *name);

#endif
