package egl

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestOpen(t *testing.T) {
	d, err := Open(Config{Device: "auto"})
	if err != nil {
		t.Fatalf("no GL context; install Mesa's EGL (libegl1, libgl1-mesa-dri): %v", err)
	}
	defer d.Close()
	i := d.Info()
	t.Logf("%s; robust %v, notified %v, surface %v", i, i.Robust, i.Notified, i.Surface)
	if i.Major*10+i.Minor < 43 || i.Renderer == "" || i.Vendor == "" || i.EGLVendor == "" {
		t.Errorf("incomplete or too old: %+v", i)
	}
	for _, a := range Adapters() {
		t.Log(a)
	}
}

// Every platform on its own: the later ones are fallbacks that no other test
// reaches on a machine where the first works.
func TestPlatforms(t *testing.T) {
	for _, p := range []Platform{PlatformSurfaceless, PlatformDefault} {
		err := onThread(func() error {
			n, info, err := openNative(candidate{p, Adapter{Index: -1, CUDA: -1}})
			if err != nil {
				return err
			}
			defer n.close()
			t.Log(info)
			return nil
		})
		if p == PlatformSurfaceless && err != nil {
			t.Error(err)
		} else if err != nil {
			t.Log(err) // needs a display server or Mesa's own fallback
		}
	}
}

func onThread(f func() error) error {
	err := make(chan error)
	go func() { // a thread of its own: contexts are current per thread
		lock()
		err <- f()
	}()
	return <-err
}

func TestTwoDevicesShareADisplay(t *testing.T) {
	a, err := Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	// Terminating a's display would have destroyed b's context.
	if err := b.Do(func() error { return alive() }); err != nil {
		t.Errorf("closing one device broke another on the same display: %v", err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if len(displays.open) != 0 {
		t.Errorf("displays left open: %v", displays.open)
	}
}

func TestDo(t *testing.T) {
	d, err := Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	want := errors.New("from inside")
	if err := d.Do(func() error { return want }); err != want {
		t.Errorf("Do returned %v; want the function's own error", err)
	}
	var p *Panic
	if err := d.Do(func() error { panic("here") }); !errors.As(err, &p) || !strings.Contains(err.Error(), "BUG: ") {
		t.Errorf("Do returned %v; want a *Panic that says BUG", err)
	}
	ids := map[int]bool{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			d.Do(func() error {
				mu.Lock()
				defer mu.Unlock()
				ids[threadID()] = true
				return nil
			})
		})
	}
	wg.Wait()
	if len(ids) != 1 {
		t.Errorf("calls ran on threads %v; want one", ids)
	}
	if err := errors.Join(d.Close(), d.Close()); err != nil {
		t.Error(err)
	}
	if err := d.Do(func() error { t.Error("ran after Close"); return nil }); !errors.Is(err, ErrClosed) {
		t.Errorf("Do after Close returned %v; want ErrClosed", err)
	}
}

func TestStuckThreadIsGivenUp(t *testing.T) {
	d, err := Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	free := make(chan struct{})
	if err := d.DoWithin(10*time.Millisecond, func() error { <-free; return nil }); !errors.Is(err, ErrStuck) || !IsLost(err) {
		t.Errorf("DoWithin returned %v; want ErrStuck", err)
	}
	if err := d.Do(func() error { t.Error("ran on a stuck thread"); return nil }); !errors.Is(err, ErrStuck) {
		t.Errorf("Do on a stuck device returned %v; want ErrStuck", err)
	}
	close(free)
	if err := d.Close(); err != nil {
		t.Errorf("a thread that came back must close: %v", err)
	}
}

func TestUnknownDevice(t *testing.T) {
	for _, want := range []string{"99", "GPU-ffffffff-0000", "/dev/dri/renderD999", "nonsense"} {
		d, err := Open(Config{Device: want})
		if !errors.Is(err, ErrNoDevice) {
			t.Errorf("device %q: got %v, %v; want ErrNoDevice", want, d, err)
		}
	}
}

// oldDriver stands before libEGL. It refuses each first attempt to make a context, and says that the version of
// GL is 4.2.
const oldDriver = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <EGL/egl.h>

static void (*integers)(unsigned, int *);

static void old_integers(unsigned name, int *v) {
	integers(name, v);
	if (name == 0x821C) *v = 2; // GL_MINOR_VERSION
}

__eglMustCastToProperFunctionPointerType eglGetProcAddress(const char *name) {
	__eglMustCastToProperFunctionPointerType (*next)(const char *) = dlsym(RTLD_NEXT, "eglGetProcAddress");
	if (strcmp(name, "glGetIntegerv")) return next(name);
	integers = (void (*)(unsigned, int *))next(name);
	return (__eglMustCastToProperFunctionPointerType)old_integers;
}

EGLContext eglCreateContext(EGLDisplay d, EGLConfig config, EGLContext share, const EGLint *a) {
	static int calls;
	EGLContext (*next)(EGLDisplay, EGLConfig, EGLContext, const EGLint *) = dlsym(RTLD_NEXT, "eglCreateContext");
	static const EGLint refused[] = {0x7777, 1, EGL_NONE};
	return next(d, config, share, calls++ ? a : refused);
}
`

// A version that is too old is reported without the error of an attempt that was refused before it.
func TestOldVersion(t *testing.T) {
	const child = "PLUMB_TEST_OLD_GL"
	if os.Getenv(child) != "" {
		err := onThread(func() error {
			n, _, err := openNative(candidate{PlatformSurfaceless, Adapter{Index: -1, CUDA: -1}})
			if err == nil {
				n.close()
			}
			return err
		})
		fmt.Println("got:", err)
		return
	}
	dir := t.TempDir()
	source, library := filepath.Join(dir, "old.c"), filepath.Join(dir, "old.so")
	if err := os.WriteFile(source, []byte(oldDriver), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-o", library, source, "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestOldVersion$")
	cmd.Env = append(os.Environ(), child+"=1", "LD_PRELOAD="+library)
	out, err := cmd.CombinedOutput()
	if want := "GL 4.3 failed with EGL error 0x3000"; err != nil || !strings.Contains(string(out), want) {
		t.Errorf("got %v, %s; want %q", err, out, want)
	}
}
