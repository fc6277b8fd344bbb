package render

import "fmt"

// Healthy returns why views could not be measured now, nil where they could. A
// device that was lost and did not come back is tried once more by it.
func (e *Engine) Healthy() error {
	if e.runner == nil {
		return nil
	}
	if err := e.runner.Ready(); err != nil {
		return fmt.Errorf("cannot reach the GL device: %w", err)
	}
	return nil
}
