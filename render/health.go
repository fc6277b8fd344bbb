package render

import (
	"fmt"

	"plumb/render/gpu"
)

// ErrDead marks a device that was lost and could not be opened again in several tries: the process
// should end with an error, so that its supervisor starts a new one, which some drivers need.
var ErrDead = gpu.ErrDead

// Healthy returns nil if views can be measured now, else why not. It does not wait; if the device
// was lost and could not be reopened, it starts another try. Errors wrap gpu.ErrDeviceLost while a
// context is being replaced, and also ErrDead once that has failed several times in a row.
func (e *Engine) Healthy() error {
	if e.runner == nil {
		return nil
	}
	if err := e.runner.Ready(); err != nil {
		return fmt.Errorf("cannot reach the GL device: %w", err)
	}
	return nil
}
