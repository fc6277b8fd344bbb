package gpu

import (
	"errors"
	"fmt"

	"github.com/go-gl/gl/v4.3-core/gl"

	"plumb/render/egl"
)

// errLost marks errors after which the context must be replaced.
var errLost = errors.New("context lost")

// errHung marks the loss of a context whose device finished nothing for the watchdog's time.
var errHung = fmt.Errorf("no sign of life: %w", errLost)

// contextLost is GL_CONTEXT_LOST, which newer drivers return from glGetError.
const contextLost = 0x0507

// glError returns the first OpenGL error since its last call, or nil. doing says for the message what was being
// done. The error wraps errLost for a lost context and ErrCapacity where memory is short. Further errors are
// read too, so that the next call does not find them, but at most 16, because a lost context may report them for
// ever.
func glError(doing string) error {
	first := gl.GetError()
	if first == gl.NO_ERROR {
		return nil
	}
	for range 16 {
		if gl.GetError() == gl.NO_ERROR {
			break
		}
	}
	cause := errors.New("BUG: the driver refused a call")
	switch first {
	case contextLost:
		cause = errLost
	case gl.OUT_OF_MEMORY:
		cause = ErrCapacity
	}
	return fmt.Errorf("cannot %s: GL error 0x%04x: %w", doing, first, cause)
}

// isHung reports whether a context was given up because its device did not respond.
func isHung(err error) bool { return errors.Is(err, errHung) || errors.Is(err, egl.ErrStuck) }

// isLost reports whether an error means that the context must be replaced, or has been replaced
// already (then its device is closed).
func isLost(err error) bool {
	return errors.Is(err, errLost) || egl.IsLost(err) || errors.Is(err, egl.ErrClosed)
}

// The values of glGetGraphicsResetStatus that the standard defines. Some drivers return
// others, which mean nothing.
const (
	guiltyReset   = 0x8253
	innocentReset = 0x8254
	unknownReset  = 0x8255
)

// isReset reports whether a status of glGetGraphicsResetStatus is one of those that the standard
// defines.
func isReset(status uint32) bool {
	return status == guiltyReset || status == innocentReset || status == unknownReset
}

// resetStatus returns the OpenGL function that reads whether the context was reset, by the version of
// OpenGL or by its extensions, or nil if the context has none.
func resetStatus(major, minor int, has map[string]bool) func() uint32 {
	switch {
	case major*10+minor >= 45: // OpenGL 4.5 or later
		return gl.GetGraphicsResetStatus
	case has["GL_KHR_robustness"]:
		return gl.GetGraphicsResetStatusKHR
	case has["GL_ARB_robustness"]:
		return gl.GetGraphicsResetStatusARB
	}
	return nil
}
