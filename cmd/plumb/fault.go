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

// faultAt does what PLUMB_FAULT says about a line that goes to the scorer. With die@TEXT, one that
// contains TEXT kills the process, as a crash or the kernel would. With note@FILE, its number is
// appended to FILE, so that a test can tell which lines were scored.
func faultAt(l dump.Line) {
	what, value, _ := strings.Cut(os.Getenv("PLUMB_FAULT"), "@")
	switch {
	case what == "die" && bytes.Contains(l.Bytes, []byte(value)):
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case what == "note":
		if noted == nil {
			noted, _ = os.OpenFile(value, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		}
		fmt.Fprintln(noted, l.N)
	}
}

// noted is the open file of note@FILE.
var noted *os.File
