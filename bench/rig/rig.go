// Package rig describes what figures were taken with: the machine, the build and this
// process. In: nothing, or a program to ask. Out: facts, the header that results begin
// with, core time, memory, a profile. It measures nothing by itself, and what the
// system does not tell is "unknown".
package rig

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"syscall"
	"time"
)

// Machine describes where figures were taken.
type Machine struct {
	CPU   string `json:"cpu"`
	Cores int    `json:"cores"` // that the process may use
	OS    string `json:"os"`
	Load  string `json:"load"` // when it was asked for
}

// Here describes this machine: its processor, cores, system and present load. What the system does not
// tell is "unknown".
func Here() Machine {
	machine := Machine{CPU: "unknown", Cores: runtime.GOMAXPROCS(0), OS: runtime.GOOS + "/" + runtime.GOARCH, Load: "unknown"}
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				machine.CPU = strings.TrimSpace(value)
				break
			}
		}
	}
	if release, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		machine.OS += " " + strings.TrimSpace(string(release))
	}
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		machine.Load = strings.TrimSpace(string(load))
	}
	return machine
}

// Commit returns the commit of the git checkout in the working folder, by 12 digits, or "unknown".
func Commit() string {
	out, err := exec.Command("git", "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// CommitOf returns the commit from which a program was built, which plumb version tells. plumb is the path
// of the program.
func CommitOf(plumb string) (string, error) {
	out, err := exec.Command(plumb, "version", "--json").Output()
	if err != nil {
		return "", fmt.Errorf("cannot ask %s for its version: %w", plumb, err)
	}
	var v struct{ Commit string }
	if err := json.Unmarshal(out, &v); err != nil || v.Commit == "" {
		return "", fmt.Errorf("cannot read the version of %s: got %q; want JSON with a commit", plumb, out)
	}
	return v.Commit, nil
}

// Header returns the lines with which files of results begin: time, machine, commit and command,
// each after "# ".
func Header(commit string) string {
	machine := Here()
	command := append([]string{"go run ./bench/" + filepath.Base(os.Args[0])}, os.Args[1:]...)
	return fmt.Sprintf("# date %s; %s; load at start %s; commit %s\n# %d processors: %s\n# %s\n",
		time.Now().UTC().Format(time.DateTime), runtime.Version(), machine.Load, commit, runtime.NumCPU(), machine.CPU, strings.Join(command, " "))
}

// CoreTime returns the processor time that this process has taken so far, on all its threads, those of the
// OpenGL driver included. Unlike wall time it hardly depends on other work of the machine.
func CoreTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic("BUG: " + err.Error()) // the call fails for bad arguments alone
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// Profile writes a profile of where this process spends processor time to the file at path, until stop is
// called. For the path "" it writes none.
func Profile(path string) (stop func(), err error) {
	if path == "" {
		return func() {}, nil
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("cannot write a profile: %w", err)
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return nil, fmt.Errorf("cannot take a profile: %w", err)
	}
	return func() { pprof.StopCPUProfile(); file.Close() }, nil
}
