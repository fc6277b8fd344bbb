package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plumb/scoring/aspire/scenario"
	"plumb/testdata"
)

var programs = map[string]string{} // built so far, by build tags

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "plumb-load-")
	if err != nil {
		panic(err)
	}
	os.Setenv("PLUMB_FONTS", filepath.Join(testdata.Root(), "build", "fonts"))
	os.Setenv("TMPDIR", dir) // everything of these tests goes with it
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// built builds the program with build tags, once for all tests.
func built(t *testing.T, tags string) string {
	t.Helper()
	if p := programs[tags]; p != "" {
		return p
	}
	p := filepath.Join(os.TempDir(), "plumb-"+strings.ReplaceAll(tags, " ", "-"))
	cmd := exec.Command("go", "build", "-tags", tags, "-o", p, "plumb/cmd/plumb")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("cannot build plumb: %v\n%s", err, out)
	}
	programs[tags] = p
	return p
}

// small is a load that a test can bear.
func small(program string, out *bytes.Buffer) config {
	return config{plumb: program, commonArgs: []string{"--fidelity", "native"}, tests: scenario.Tests(), out: out}
}

// Short forms of the loads that print no figures worth keeping: nothing lost,
// nothing wrong, and parts that add up.
func TestLight(t *testing.T) {
	var out bytes.Buffer
	c := small(built(t, "egl"), &out)
	c.requests, c.distinctItems, c.tests = 60, 60, []string{"balance"}
	if err := light(c); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, part := range []string{"read", "queue", "decode", "outline", "pack", "gpu", "score", "encode", "reply"} {
		if !strings.Contains(out.String(), "\n  "+part+" ") {
			t.Errorf("no part %s in\n%s", part, out.String())
		}
	}
}

// A daemon that is killed again and again loses no reply that it gave, and its
// successor answers.
func TestKill(t *testing.T) {
	var out bytes.Buffer
	c := small(built(t, "egl"), &out)
	c.requests, c.distinctItems, c.clients, c.runs = 600, 300, 16, 2
	if err := kill(c); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
}

// The comparison is no matter of course: another reward is noticed, and so is
// one that never comes.
func TestTallyNotices(t *testing.T) {
	items, err := makeItems(10, scenario.Tests()...)
	if err != nil {
		t.Fatal(err)
	}
	c := small(built(t, "egl"), new(bytes.Buffer))
	if _, err := c.runPlumbScore(items); err != nil {
		t.Fatal(err)
	}
	p, err := c.serve("127.0.0.1:0", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.kill()
	for i := range trainers {
		r := trainers[i]
		r.tries, r.pause = 2, trainers[0].pause
		cl, tl := newClient(p.addr, r.timeout), newTally()
		for k := range items {
			cl.ask(&r, &items[k], r.body(&items[k]), tl)
		}
		if err := tl.verdict(); err != nil || tl.answers != len(items) {
			t.Fatalf("%s: %v, %d answers; want %d right ones", r.name, err, tl.answers, len(items))
		}
		wrong := items[0]
		wrong.reward += 1e-9
		cl.ask(&r, &wrong, r.body(&wrong), tl)
		if tl.differing != 1 || tl.verdict() == nil {
			t.Errorf("%s: another reward passes", r.name)
		}
		unread := items[0]
		unread.label = "no label"
		cl.ask(&r, &unread, r.body(&unread), tl)
		if tl.lost != 1 || tl.tries["status 422"] != 2 {
			t.Errorf("%s: got %d lost after %v; want one after two tries", r.name, tl.lost, tl.tries)
		}
	}
}

// What a daemon leaves behind is found.
func TestNestNotices(t *testing.T) {
	n := killedDaemons{dir: t.TempDir()}
	if left, err := n.leftBehind(); err != nil || len(left) != 0 {
		t.Fatalf("got %q, %v in an empty nest", left, err)
	}
	if err := os.WriteFile(filepath.Join(n.dir, "plumb-x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sleep", "60")
	cmd.Env = []string{"TMPDIR=" + n.dir}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	left, err := n.leftBehind()
	for until := time.Now().Add(10 * time.Second); err == nil && len(left) < 2 && time.Now().Before(until); {
		time.Sleep(10 * time.Millisecond) // a process that has just begun may show no environment yet
		left, err = n.leftBehind()
	}
	if text := strings.Join(left, "\n"); err != nil || len(left) != 2 || !strings.Contains(text, "plumb-x") || !strings.Contains(text, "sleep") {
		t.Errorf("got %q, %v; want a file and a process", left, err)
	}
}

// The probes of hostile clients that are over at once hold.
func TestHostile(t *testing.T) {
	var out bytes.Buffer
	c := small(built(t, "egl"), &out)
	c.requests, c.distinctItems, c.clients = 16, 16, 1
	for _, c.only = range []string{"idle", "refused", "hidden"} {
		if err := hostile(c); err != nil {
			t.Errorf("%s: %v\n%s", c.only, err, out.String())
		}
	}
}
