package ledger_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"plumb/daemon/ledger"
)

// open opens a log and returns the objects that it had.
func open(t *testing.T, path string) (*ledger.Log, []string) {
	t.Helper()
	var had []string
	l, err := ledger.OpenLog(path, func(line []byte, at ledger.Place) error {
		if again := lineAt(t, path, at); again != string(line) {
			t.Errorf("got %s at %+v; want %s", again, at, line)
		}
		var v struct{ K string }
		if err := json.Unmarshal(line, &v); err != nil {
			return err
		}
		had = append(had, v.K)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l, had
}

// lineAt reads a line of the log at path again.
func lineAt(t *testing.T, path string, at ledger.Place) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	line, err := ledger.LineAt(f, at)
	if err != nil {
		return err.Error()
	}
	return string(line)
}

func object(k string) []byte { return fmt.Appendf(nil, `{"k":%q}`, k) }

// A line has the checksum of all before it, and any change of a byte is seen. See
// docs/spec/runs.md#r25.
func TestLine(t *testing.T) {
	line := ledger.Line(object("a"))
	if want := `{"k":"a","sum":"`; !bytes.HasPrefix(line, []byte(want)) || !bytes.HasSuffix(line, []byte("\"}\n")) || !json.Valid(line) {
		t.Fatalf("got %s", line)
	}
	line = bytes.TrimSuffix(line, []byte("\n"))
	if !ledger.Whole(line) {
		t.Errorf("%s is not whole", line)
	}
	for i := range line {
		if ledger.Whole(line[:i]) {
			t.Errorf("%s is taken for whole", line[:i])
		}
		changed := bytes.Clone(line)
		if changed[i] ^= 1; ledger.Whole(changed) {
			t.Errorf("%s is taken for whole", changed)
		}
	}
}

// A log that was torn at any byte loses the line that was torn and no other, and takes
// new ones.
func TestTorn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l, _ := open(t, path)
	for _, k := range []string{"a", "b", "c"} {
		if _, err := l.Append(object(k)); err != nil {
			t.Fatal(err)
		}
	}
	l.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	second := bytes.IndexByte(whole, '\n') + 1
	third := second + bytes.IndexByte(whole[second:], '\n') + 1
	for at := second; at <= third; at++ {
		if err := os.WriteFile(path, whole[:at], 0o600); err != nil {
			t.Fatal(err)
		}
		l, had := open(t, path)
		want, torn := "a", 1
		switch {
		case at == second:
			torn = 0
		case at >= third-1: // perhaps without its end
			want, torn = "a b", 0
		}
		if n, err := ledger.Read(path, func([]byte, ledger.Place) error { return nil }); err != nil || n != torn {
			t.Fatalf("torn at %d: got %d torn lines, %v; want %d", at, n, err, torn)
		}
		if got := strings.Join(had, " "); got != want || l.Torn() != torn {
			t.Fatalf("torn at %d: got %q and %d torn lines; want %q and %d", at, got, l.Torn(), want, torn)
		}
		place, err := l.Append(object("d"))
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		if again := lineAt(t, path, place); again+"\n" != string(ledger.Line(object("d"))) {
			t.Errorf("torn at %d: got %s in the place of the new line", at, again)
		}
		if l, had = open(t, path); strings.Join(had, " ") != want+" d" {
			t.Fatalf("torn at %d: got %q after one more line", at, had)
		}
		l.Close()
	}
}

// Lines of many callers at once are all there, each once, and a note is read like
// others. See docs/spec/runs.md#r26.
func TestTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l, _ := open(t, path)
	var wg sync.WaitGroup
	var places [200]ledger.Place
	for i := range places {
		wg.Go(func() {
			note := l.Note(object(fmt.Sprint("note ", i)))
			at, err := l.Append(object(fmt.Sprint("line ", i)))
			if err = errors.Join(note, err); err != nil {
				t.Error(err)
			}
			places[i] = at
		})
	}
	wg.Wait()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(object("late")); err == nil {
		t.Error("a closed log took a line")
	}
	for i, at := range places {
		if got := lineAt(t, path, at); got+"\n" != string(ledger.Line(object(fmt.Sprint("line ", i)))) {
			t.Errorf("line %d at %+v: got %s", i, at, got)
		}
		at.Off++
		if got := lineAt(t, path, at); !strings.HasPrefix(got, "cannot read the log") {
			t.Errorf("got %s for a place between lines; want an error", got)
		}
	}
	_, had := open(t, path)
	seen := map[string]int{}
	for _, k := range had {
		seen[k]++
	}
	if len(had) != 400 || len(seen) != 400 {
		t.Errorf("got %d lines, %d different ones; want 400", len(had), len(seen))
	}
}

// What replay refuses ends the opening.
func TestReplay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l, _ := open(t, path)
	if _, err := l.Append(object("a")); err != nil {
		t.Fatal(err)
	}
	l.Close()
	want := errors.New("no")
	if _, err := ledger.OpenLog(path, func([]byte, ledger.Place) error { return want }); !errors.Is(err, want) {
		t.Errorf("got %v; want %v", err, want)
	}
}

// A process that is killed loses no line that was acknowledged, and its lock ends with
// it. See docs/spec/runs.md#r27.
func TestKilled(t *testing.T) {
	if dir := os.Getenv("LEDGER_TEST_DIR"); dir != "" {
		if _, err := ledger.LockFolder(dir); err != nil {
			t.Fatal(err)
		}
		l, had := open(t, filepath.Join(dir, "log"))
		for i := len(had); ; i++ {
			if _, err := l.Append(object(fmt.Sprint(i))); err != nil {
				t.Fatal(err)
			}
			fmt.Println("acknowledged", i)
		}
	}
	dir := t.TempDir()
	sure := -1
	for range 5 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), "LEDGER_TEST_DIR="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for n := range 40 {
			var i int
			if _, err := fmt.Fscanf(out, "acknowledged %d\n", &i); err != nil {
				t.Fatal(err)
			}
			if sure = max(sure, i); n == 20 {
				if _, err := ledger.LockFolder(dir); !errors.Is(err, ledger.ErrLocked) {
					t.Errorf("got %v; want that the folder is locked", err)
				}
			}
		}
		cmd.Process.Kill()
		cmd.Wait()
	}
	lock, err := ledger.LockFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Unlock()
	_, had := open(t, filepath.Join(dir, "log"))
	for i, k := range had {
		if k != fmt.Sprint(i) {
			t.Fatalf("got line %q in place %d", k, i)
		}
	}
	if len(had) <= sure {
		t.Errorf("got %d lines; %d were acknowledged", len(had), sure+1)
	}
}
