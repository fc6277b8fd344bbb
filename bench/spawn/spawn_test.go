package spawn

import (
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"
)

// Measure counts the core time that the measured process takes during the work, and no time before it.
// The process is that of the test itself.
func TestMeasure(t *testing.T) {
	process, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	daemon := &Daemon{cmd: &exec.Cmd{Process: process}}
	const busy = 20 * time.Millisecond
	burn := func() error {
		begin, err := daemon.CoreTime()
		for now := begin; err == nil && now-begin < busy; {
			now, err = daemon.CoreTime()
		}
		return err
	}
	if err := burn(); err != nil { // before the measurement
		t.Fatal(err)
	}
	before, err := daemon.CoreTime()
	if err != nil {
		t.Fatal(err)
	}
	took, core, err := daemon.Measure(burn)
	if err != nil {
		t.Fatal(err)
	}
	after, err := daemon.CoreTime()
	if err != nil {
		t.Fatal(err)
	}
	if core < busy || core > after-before || took <= 0 {
		t.Errorf("got %v in %v; want at least %v and at most %v of core time", core, took, busy, after-before)
	}
	fault := errors.New("broken")
	if _, _, err := daemon.Measure(func() error { return fault }); err != fault {
		t.Errorf("got the error %v; want that of the work", err)
	}
}
