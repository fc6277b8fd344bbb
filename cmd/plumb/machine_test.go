package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// on runs the program on a machine that lacks something.
func on(t *testing.T, env, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	c := exec.Command(binary, args...)
	c.Env = append(os.Environ(), env)
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(stdin), &out, &errs
	if err := c.Run(); err != nil && c.ProcessState == nil {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), out.String(), errs.String()
}

// A machine without fonts is to blame for texts that it cannot write, not the scene.
func TestWithoutFonts(t *testing.T) {
	const text = `{"id":"shape:a","type":"text","x":1,"y":1,"props":{"text":"words"}}`
	for _, in := range []string{`{"shapes":[` + text + `]}`, `{"shapes":[` + text + `],"bounds":[0,0,9,9]}`} {
		code, out, errs := on(t, "PLUMB_FONTS="+t.TempDir(), in, "render", "--backend", "cpu", "--fidelity", "native", "-")
		if code != 1 || !strings.Contains(out, `"code":"backend"`) || !strings.Contains(out, "fonts") {
			t.Errorf("got exit %d, %s%s; want an error of the backend that names fonts", code, out, errs)
		}
	}
}

// Who names a device gets it or an error; who names none learns why it is none.
func TestWithoutDevice(t *testing.T) {
	const scene = `{"shapes":[],"bounds":[0,0,9,9]}`
	if code, out, errs := on(t, "A=b", scene, "render", "--device", "777", "-"); code != 1 || out != "" || !strings.Contains(errs, "777") {
		t.Errorf("got exit %d, %s%s; want 1 and the device", code, out, errs)
	}
	const noDriver = "__EGL_VENDOR_LIBRARY_FILENAMES=/dev/null"
	code, out, errs := on(t, noDriver, scene, "render", "-")
	if code != 0 || !strings.Contains(out, `"backend":"cpu"`) || strings.Count(errs, "plumb: using the CPU: ") != 1 {
		t.Errorf("got exit %d, %s%s; want cpu and the reason", code, out, errs)
	}
}
