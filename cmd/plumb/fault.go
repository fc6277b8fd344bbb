//go:build fault

package main

import (
	"bytes"
	"os"
	"strings"
	"syscall"
)

// dieAt kills the process at a line that contains the text of PLUMB_FAULT=die@TEXT, as a crash or
// the kernel would.
func dieAt(line []byte) {
	if text, ok := strings.CutPrefix(os.Getenv("PLUMB_FAULT"), "die@"); ok && bytes.Contains(line, []byte(text)) {
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}
