package chrome

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// hanging is a program that starts others and never answers. mark is in the
// command lines of all of them.
func hanging(t *testing.T) (path, mark string) {
	t.Helper()
	mark = filepath.Join(t.TempDir(), "pipe")
	if out, err := exec.Command("mkfifo", mark).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	path = filepath.Join(t.TempDir(), "chromium")
	script := "#!/bin/sh\ntail -f " + mark + " & tail -f " + mark + " & exec tail -f " + mark + "\n"
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path, mark
}

// TestHangingProgram: a program that never answers is given up after Start, and
// nothing of it is left.
func TestHangingProgram(t *testing.T) {
	path, mark := hanging(t)
	temp, err := os.MkdirTemp("", "plumb") // t.TempDir is too long for the browser's socket
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(temp)
	_, err = Open(Config{Path: path, Temp: temp, Start: 500 * time.Millisecond})
	if !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "--chrome-start") {
		t.Errorf("got %v; want ErrMissing that names the flag", err)
	}
	for _, p := range browserProcesses(-1, mark) {
		if !p.zombie {
			t.Errorf("process %d is left", p.pid)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(temp, "*")); len(left) > 0 {
		t.Errorf("files left behind: %v", left)
	}
}

// TestSandbox: who requires the sandbox gets it or an error, and who wants it off
// is told so.
func TestSandbox(t *testing.T) {
	program, err := Find("")
	if err != nil {
		t.Skip("no browser: " + err.Error())
	}
	on, reason := sandbox(program)
	for _, row := range []struct {
		mode   string
		on     bool
		refuse bool
	}{{"", on, false}, {SandboxAuto, on, false}, {SandboxRequire, on, !on}, {SandboxOff, false, false}} {
		c := Config{Sandbox: row.mode}
		got, why, err := c.Sandboxed(program)
		if got != row.on || errors.Is(err, ErrSandbox) != row.refuse || got == (why != "") {
			t.Errorf("%q: got %v, %q, %v; want %v, refused %v", row.mode, got, why, err, row.on, row.refuse)
		}
		if row.refuse {
			if _, err := Open(c); !errors.Is(err, ErrSandbox) || !strings.Contains(err.Error(), reason) {
				t.Errorf("%q: Open: got %v; want ErrSandbox with the reason", row.mode, err)
			}
		}
	}
}

// TestUse: production wants a key and its host, and the editor's own check of the
// key is respected: with a key that it does not take nothing is drawn.
func TestUse(t *testing.T) {
	for _, c := range []Config{
		{Use: "hobby"}, {Use: Production}, {Use: Production, LicenseKey: "x"}, {Use: Production, LicenseHost: "a.example.com"},
		{Use: Production, LicenseKey: "x", LicenseHost: "localhost"}, {Use: Production, LicenseKey: "x", LicenseHost: "a.example.com:1"},
		{Use: Production, LicenseKey: "x", LicenseHost: "a.example.com/b"}, {Use: Production, LicenseKey: "x", LicenseHost: "http://a.example.com"},
	} {
		if err := c.CheckUse(); !errors.Is(err, ErrLicense) {
			t.Errorf("%+v: got %v; want ErrLicense", c, err)
		}
		if _, err := Open(c); !errors.Is(err, ErrLicense) {
			t.Errorf("%+v: Open: got %v; want ErrLicense", c, err)
		}
	}
	for _, version := range []string{Version42, Version54} {
		p := open(t, Config{Version: version}) // skips where there is no browser
		same(t, p, nil)
		c := Config{Version: version, Use: Production, LicenseKey: "no-key", LicenseHost: "boards.example.com", Temp: p.cfg.Temp, Pages: 1}
		if _, err := Open(c); !errors.Is(err, ErrLicense) {
			t.Errorf("%s with a wrong key: got %v; want ErrLicense", version, err)
		}
	}
}

// TestHiddenEditor: a page whose editor hides itself later, as with a key that
// ends, draws nothing more.
func TestHiddenEditor(t *testing.T) {
	w := single(t, Config{})
	evaluate(t, w, `document.body.append(Object.assign(document.createElement('div'), {}));
		document.body.lastChild.dataset.testid = 'tl-license-expired'`)
	r := boxRequest(t)
	if _, err := w.draw(&r); !errors.Is(err, ErrLicense) {
		t.Errorf("got %v; want ErrLicense", err)
	}
}
