package rig

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

func TestHeader(t *testing.T) {
	defer func(args []string) { os.Args = args }(os.Args)
	os.Args = []string{"/tmp/exe/drawing", "-runs", "3"}
	want := regexp.MustCompile(`^# date \d{4}-\d\d-\d\d \d\d:\d\d:\d\d; go\S+; load at start [^;\n]+; commit 0123456789ab
# [1-9]\d* processors: [^\n]+
# go run ./bench/drawing -runs 3
$`)
	if got := Header("0123456789ab"); !want.MatchString(got) {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestCommitOf(t *testing.T) {
	for _, c := range []struct{ says, commit string }{
		{`echo '{"version":"0.1.0","commit":"0123456789ab"}'`, "0123456789ab"},
		{`echo plumb 0.1.0`, ""},
		{`echo '{}'`, ""},
		{`exit 1`, ""},
	} {
		program := filepath.Join(t.TempDir(), "plumb")
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"+c.says+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		got, err := CommitOf(program)
		if got != c.commit || (err == nil) != (c.commit != "") {
			t.Errorf("%s: got %q and %v; want %q", c.says, got, err, c.commit)
		}
	}
}

func TestProfile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cpu")
	stop, err := Profile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Profile(path + "2"); err == nil {
		t.Error("a second profile at the same time has no error")
	}
	stop()
	if st, err := os.Stat(path); err != nil || st.Size() == 0 {
		t.Errorf("got %v, %v; want a profile", st, err)
	}
	if stop, err = Profile(""); err != nil {
		t.Error(err)
	}
	stop()
}

func TestCoreTimeOf(t *testing.T) {
	for CoreTime() < 3*tick { // something to count
	}
	least := CoreTime()
	if got := CoreTimeOf(os.Getpid()); got < least-tick || got > CoreTime()+tick {
		t.Errorf("got %v; want about %v", got, least)
	}
	if got := CoreTimeOf(1 << 30); got != 0 {
		t.Errorf("a process that is none: got %v; want 0", got)
	}
}
