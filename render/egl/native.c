#include "native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <EGL/egl.h>
#include <EGL/eglext.h>

#ifndef EGL_CUDA_DEVICE_NV
#define EGL_CUDA_DEVICE_NV 0x323A
#endif
#ifndef EGL_DRM_RENDER_NODE_FILE_EXT
#define EGL_DRM_RENDER_NODE_FILE_EXT 0x3377
#endif
#ifndef EGL_DEVICE_UUID_EXT
#define EGL_DEVICE_UUID_EXT 0x335C
#endif

// The few GL names used here; GL headers are not needed for them.
#define GL_VENDOR 0x1F00
#define GL_RENDERER 0x1F01
#define GL_VERSION 0x1F02
#define GL_EXTENSIONS 0x1F03
#define GL_MAJOR_VERSION 0x821B
#define GL_MINOR_VERSION 0x821C
#define GL_NUM_EXTENSIONS 0x821D
#define GL_DEVICE_UUID_EXT 0x9597

typedef EGLBoolean (*query_binary)(EGLDeviceEXT, EGLint, EGLint, void *, EGLint *);
typedef const unsigned char *(*get_string)(unsigned);
typedef const unsigned char *(*get_stringi)(unsigned, unsigned);
typedef void (*get_integerv)(unsigned, int *);
typedef void (*get_bytes)(unsigned, unsigned, unsigned char *);

#ifdef __GLIBC__
// one_heap makes all threads allocate from one heap. A context has a thread of its own, to which glibc gives
// another heap, so the 6 to 9 MB that a lost context leaves in its heap would never be used again. Go allocates
// elsewhere and does not wait for the lock of this heap. MALLOC_ARENA_MAX and GLIBC_TUNABLES take precedence.
__attribute__((constructor)) static void one_heap(void)
{
	if (!getenv("MALLOC_ARENA_MAX") && !getenv("GLIBC_TUNABLES"))
		mallopt(M_ARENA_MAX, 1);
}
#endif

void *plumb_proc(const char *name) { return (void *)eglGetProcAddress(name); }

// has reports whether word is one of the words of a list, which are separated by spaces.
static int has(const char *list, const char *word) {
	size_t n = strlen(word);
	for (const char *p = list; p && (p = strstr(p, word)); p += n)
		if ((p == list || p[-1] == ' ') && (p[n] == ' ' || p[n] == 0)) return 1;
	return 0;
}

// copy copies a string to a buffer of a fixed size. It cuts a string that is too long; NULL gives "".
static void copy(char *to, size_t size, const char *from) { snprintf(to, size, "%s", from ? from : ""); }

// describe fills in what can be queried of a device with its extensions, which ext lists.
static void describe(plumb_device *d, const char *ext) {
	PFNEGLQUERYDEVICESTRINGEXTPROC str = plumb_proc("eglQueryDeviceStringEXT");
	PFNEGLQUERYDEVICEATTRIBEXTPROC attrib = plumb_proc("eglQueryDeviceAttribEXT");
	query_binary binary = plumb_proc("eglQueryDeviceBinaryEXT");
	EGLDeviceEXT dev = (EGLDeviceEXT)d->handle;
	EGLAttrib v = 0;
	EGLint n = 0;
	d->software = has(ext, "EGL_MESA_device_software");
	if (has(ext, "EGL_NV_device_cuda") && attrib && attrib(dev, EGL_CUDA_DEVICE_NV, &v)) d->cuda = (int)v;
	if (has(ext, "EGL_EXT_device_drm_render_node")) copy(d->node, sizeof d->node, str(dev, EGL_DRM_RENDER_NODE_FILE_EXT));
	if (!d->node[0] && has(ext, "EGL_EXT_device_drm")) copy(d->node, sizeof d->node, str(dev, EGL_DRM_DEVICE_FILE_EXT));
	if (has(ext, "EGL_EXT_device_persistent_id") && binary)
		d->has_uuid = binary(dev, EGL_DEVICE_UUID_EXT, sizeof d->uuid, d->uuid, &n) && n == sizeof d->uuid;
	eglGetError(); // clears the error of a query that the device refused
}

int plumb_devices(plumb_device *out, int max) {
	PFNEGLQUERYDEVICESEXTPROC list = plumb_proc("eglQueryDevicesEXT");
	PFNEGLQUERYDEVICESTRINGEXTPROC str = plumb_proc("eglQueryDeviceStringEXT");
	EGLDeviceEXT dev[64];
	EGLint n = 0;
	const char *client = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
	int listed = has(client, "EGL_EXT_device_base") ||
		(has(client, "EGL_EXT_device_enumeration") && has(client, "EGL_EXT_device_query"));
	if (!listed || !has(client, "EGL_EXT_platform_device") || !list || !str) return -1;
	if (!list(64, dev, &n)) return -1;
	for (int i = 0; i < n && i < max; i++) {
		memset(&out[i], 0, sizeof out[i]);
		out[i].handle = (uintptr_t)dev[i];
		out[i].cuda = -1;
		describe(&out[i], str(dev[i], EGL_EXTENSIONS));
	}
	return n < max ? n : max;
}

// display returns a display of the given kind, or EGL_NO_DISPLAY where the client library has none.
static EGLDisplay display(int kind, uintptr_t device) {
	PFNEGLGETPLATFORMDISPLAYEXTPROC get = plumb_proc("eglGetPlatformDisplayEXT");
	const char *client = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
	if (kind == PLUMB_DISPLAY_DEFAULT) return eglGetDisplay(EGL_DEFAULT_DISPLAY);
	if (!get) return EGL_NO_DISPLAY;
	if (kind == PLUMB_DISPLAY_DEVICE) return get(EGL_PLATFORM_DEVICE_EXT, (void *)device, NULL);
	if (!has(client, "EGL_MESA_platform_surfaceless")) return EGL_NO_DISPLAY;
	return get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
}

// attributes fills a with the attributes of a GL 4.3 core context, plus one of
// four ways to ask that a lost context is reported: 0 robust access by EGL 1.5's
// names, 1 the same by the flag of KHR_create_context, 2 the report alone,
// 3 nothing. Which of them a driver accepts differs.
static void attributes(EGLint *a, int way) {
	EGLint base[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 3,
		EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT};
	int n = sizeof base / sizeof base[0];
	memcpy(a, base, sizeof base);
	if (way == 0) a[n++] = EGL_CONTEXT_OPENGL_ROBUST_ACCESS, a[n++] = EGL_TRUE;
	if (way == 1) a[n++] = EGL_CONTEXT_FLAGS_KHR, a[n++] = EGL_CONTEXT_OPENGL_ROBUST_ACCESS_BIT_KHR;
	if (way <= 2) a[n++] = EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY, a[n++] = EGL_LOSE_CONTEXT_ON_RESET;
	a[n] = EGL_NONE;
}

// create makes a context in the first of the four ways that the driver accepts.
static EGLContext create(EGLDisplay d, EGLConfig config, plumb_context *out) {
	EGLint a[16];
	for (int way = 0; way <= 3; way++) {
		attributes(a, way);
		EGLContext c = eglCreateContext(d, config, EGL_NO_CONTEXT, a);
		if (c != EGL_NO_CONTEXT) {
			out->robust = way <= 1;
			out->notified = way <= 2;
			out->error = EGL_SUCCESS; // not that of a way that was refused
			return c;
		}
		out->error = eglGetError();
	}
	return EGL_NO_CONTEXT;
}

// fail notes the call that failed, with EGL's error if it has one, and returns 0.
static int fail(plumb_context *out, const char *step) {
	EGLint e = eglGetError();
	if (e != EGL_SUCCESS) out->error = e;
	out->step = step;
	return 0;
}

// identify fills in the names, the version and the device's UUID of the context
// that is current.
static void identify(plumb_context *out) {
	get_string str = plumb_proc("glGetString");
	get_stringi stri = plumb_proc("glGetStringi");
	get_integerv geti = plumb_proc("glGetIntegerv");
	get_bytes bytes = plumb_proc("glGetUnsignedBytei_vEXT");
	EGLDisplay d = (EGLDisplay)out->display;
	int n = 0;
	copy(out->egl_vendor, sizeof out->egl_vendor, eglQueryString(d, EGL_VENDOR));
	copy(out->egl_version, sizeof out->egl_version, eglQueryString(d, EGL_VERSION));
	if (!str || !stri || !geti) return;
	copy(out->gl_vendor, sizeof out->gl_vendor, (const char *)str(GL_VENDOR));
	copy(out->gl_renderer, sizeof out->gl_renderer, (const char *)str(GL_RENDERER));
	copy(out->gl_version, sizeof out->gl_version, (const char *)str(GL_VERSION));
	geti(GL_MAJOR_VERSION, &out->major);
	geti(GL_MINOR_VERSION, &out->minor);
	geti(GL_NUM_EXTENSIONS, &n);
	for (int i = 0; i < n && bytes; i++) {
		const char *e = (const char *)stri(GL_EXTENSIONS, i);
		if (!e || strcmp(e, "GL_EXT_memory_object")) continue;
		bytes(GL_DEVICE_UUID_EXT, 0, out->uuid);
		out->has_uuid = 1;
	}
}

// make_current makes a context and makes it current. A driver without surfaceless
// contexts also gets a surface of one pixel, which it needs for that.
static int make_current(EGLDisplay d, const char *ext, plumb_context *out) {
	EGLint want[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
	EGLint one[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
	EGLConfig config = EGL_NO_CONFIG_KHR;
	EGLContext c = EGL_NO_CONTEXT;
	EGLSurface s = EGL_NO_SURFACE;
	EGLint n = 0;
	int bare = has(ext, "EGL_KHR_surfaceless_context");
	if (bare && (has(ext, "EGL_KHR_no_config_context") || has(ext, "EGL_MESA_configless_context")))
		c = create(d, config, out);
	out->no_config = c != EGL_NO_CONTEXT;
	if (c == EGL_NO_CONTEXT) {
		if (!eglChooseConfig(d, want, &config, 1, &n) || n == 0) return fail(out, "eglChooseConfig");
		if ((c = create(d, config, out)) == EGL_NO_CONTEXT) return fail(out, "eglCreateContext (GL 4.3 core)");
	}
	out->context = (uintptr_t)c;
	if (!bare && (s = eglCreatePbufferSurface(d, config, one)) == EGL_NO_SURFACE) return fail(out, "eglCreatePbufferSurface");
	out->surface = (uintptr_t)s;
	if (!eglMakeCurrent(d, s, s, c)) return fail(out, "eglMakeCurrent");
	return 1;
}

int plumb_open(int kind, uintptr_t device, plumb_context *out) {
	EGLint major = 0, minor = 0;
	memset(out, 0, sizeof *out);
	EGLDisplay d = display(kind, device);
	if (d == EGL_NO_DISPLAY) return fail(out, "eglGetPlatformDisplay");
	if (!eglInitialize(d, &major, &minor)) return fail(out, "eglInitialize");
	out->display = (uintptr_t)d;
	const char *ext = eglQueryString(d, EGL_EXTENSIONS);
	if (!eglBindAPI(EGL_OPENGL_API)) return fail(out, "eglBindAPI (OpenGL)");
	if (major * 10 + minor < 15 && !has(ext, "EGL_KHR_create_context")) return fail(out, "EGL_KHR_create_context");
	if (!make_current(d, ext, out)) {
		plumb_close(out);
		return 0;
	}
	identify(out);
	if (out->major * 10 + out->minor < 43) {
		plumb_close(out);
		return fail(out, "GL 4.3");
	}
	out->error = EGL_SUCCESS;
	return 1;
}

void plumb_close(plumb_context *c) {
	EGLDisplay d = (EGLDisplay)c->display;
	eglMakeCurrent(d, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
	if (c->surface) eglDestroySurface(d, (EGLSurface)c->surface);
	if (c->context) eglDestroyContext(d, (EGLContext)c->context);
	c->surface = c->context = 0;
	eglReleaseThread();
}

int plumb_current(void) {
	EGLint v = 0;
	EGLContext c = eglGetCurrentContext();
	return c != EGL_NO_CONTEXT && eglQueryContext(eglGetCurrentDisplay(), c, EGL_CONTEXT_CLIENT_TYPE, &v);
}

void plumb_terminate(uintptr_t display) { eglTerminate((EGLDisplay)display); }
