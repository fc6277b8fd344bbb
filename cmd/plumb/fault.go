//go:build fault

package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"syscall"

	"plumb/daemon/dump"
)

// faultAt is for tests and does what the environment variable PLUMB_FAULT says with a line that goes to the
// scorer. With die@TEXT, a line that contains TEXT kills the process, as a crash or the kernel would. With
// note@FILE, the number of the line is appended to FILE, so that a test can tell which lines were scored.
func faultAt(l dump.Line) {
	what, value, _ := strings.Cut(os.Getenv("PLUMB_FAULT"), "@")
	switch {
	case what == "die" && bytes.Contains(l.Bytes, []byte(value)):
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // until the signal arrives
	case what == "note":
		if noteFile == nil {
			noteFile, _ = os.OpenFile(value, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		}
		fmt.Fprintln(noteFile, l.Number)
	}
}

// noteFile is the open file of note@FILE.
var noteFile *os.File
