package gpu

import (
	"errors"
	"testing"
)

// A Runner whose context could not be replaced is not ready, and is again as
// soon as one opens.
func TestReady(t *testing.T) {
	r := open(t, Config{})
	if err := r.Ready(); err != nil {
		t.Errorf("got %v; want nil", err)
	}
	sound := r.cfg.Device
	r.cfg.Device = "999"
	if _, err := r.replace(r.eng); err == nil {
		t.Fatal("replaced by a device that does not exist")
	}
	if err := r.Ready(); !errors.Is(err, ErrDeviceLost) {
		t.Errorf("got %v; want ErrDeviceLost", err)
	}
	r.cfg.Device = sound
	if err := r.Ready(); err != nil {
		t.Errorf("got %v; want nil", err)
	}
}
