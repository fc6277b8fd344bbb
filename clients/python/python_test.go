// Package python holds the Python client; its Go part is this test, which runs
// the client's own tests so that `make test` counts each of them.
package python

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"plumb/daemon/certtest"
	"plumb/testdata"
)

// line is what tests/run.py writes for each test; the last line has Done alone.
type line struct {
	Name, Outcome, Text string
	Done                *int
}

// The client is tested with the real daemon, built here, by the Python of
// build/venv (scripts/python.sh). Every Python test is a test of its own.
func TestPython(t *testing.T) {
	if testing.Short() {
		t.Skip("the client runs in another process; nothing here can race")
	}
	root := testdata.Root()
	python := filepath.Join(root, "build", "venv", "bin", "python")
	if _, err := os.Stat(python); err != nil {
		t.Fatalf("cannot test the Python client: %v; run scripts/python.sh, or make test, which does", err)
	}
	dir := t.TempDir()
	daemon := filepath.Join(dir, "plumb")
	build := exec.Command("go", "build", "-tags", "egl", "-o", daemon, "./cmd/plumb")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("cannot build plumb: %v\n%s", err, out)
	}
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	certtest.SelfSigned(t, cert, key, "localhost", "127.0.0.1")
	cmd := exec.Command(python, "-B", filepath.Join("tests", "run.py"))
	cmd.Env = append(os.Environ(), "PYTHONPATH=.", "PLUMB_BIN="+daemon, "PLUMB_TEST_CERT="+cert, "PLUMB_TEST_KEY="+key)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ran, done := 0, -1
	in := bufio.NewScanner(out)
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		var l line
		if err := json.Unmarshal(in.Bytes(), &l); err != nil {
			t.Errorf("cannot read what the tests say: %v: %s", err, in.Text())
			continue
		}
		if l.Done != nil {
			done = *l.Done
			continue
		}
		ran++
		t.Run(l.Name, func(t *testing.T) { l.tell(t) })
	}
	err = cmd.Wait()
	if err != nil && !t.Failed() || done != ran || ran == 0 {
		t.Errorf("the tests ended with %v; %d were told of, %d were run", err, ran, done)
	}
}

func (l *line) tell(t *testing.T) {
	switch l.Outcome {
	case "pass":
	case "skip":
		t.Skip(l.Text)
	default:
		t.Error(l.Text)
	}
}
