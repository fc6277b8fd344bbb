package egl

import (
	"errors"
	"runtime"
	"syscall"
)

func lock() { runtime.LockOSThread() }

func threadID() int { return syscall.Gettid() }

// alive reports whether a context is current on this thread.
func alive() error {
	if !hasContext() {
		return errors.New("no current context")
	}
	return nil
}
