package gpu

import (
	"errors"
	"testing"
	"time"

	"plumb/render/egl"
)

// A Runner whose context cannot be replaced says that it is dead, and is ready
// again should one open after all.
func TestReady(t *testing.T) {
	r := open(t, Config{})
	if err := r.Ready(); err != nil {
		t.Errorf("got %v; want nil", err)
	}
	sound := r.cfg.Device
	r.cfg.Device = "999"
	if _, err := r.replace(r.current, false); !errors.Is(err, ErrDeviceLost) || !errors.Is(err, ErrDead) || !errors.Is(err, egl.ErrNoDevice) {
		t.Errorf("replaced by a device that does not exist: got %v; want ErrDead", err)
	}
	if _, err := r.Run(fakeBatch(1, 1)); !errors.Is(err, ErrDead) {
		t.Errorf("a batch without a device: got %v; want ErrDead", err)
	}
	if err := r.Ready(); !errors.Is(err, ErrDead) {
		t.Errorf("got %v; want ErrDead", err)
	}
	r.opening.Lock() // no try is under way
	r.cfg.Device = sound
	r.opening.Unlock()
	for end := time.Now().Add(time.Minute); r.Ready() != nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not ready with a sound device: %v", r.Ready())
		}
	}
	if n := r.Info().Resets; n != 1 {
		t.Errorf("%d resets; want 1", n)
	}
}

// While a context is being replaced a Runner is not ready, and neither that
// answer nor Info nor Close waits for it.
func TestReadyWhileReplaced(t *testing.T) {
	r := open(t, Config{})
	r.opening.Lock()
	e := r.current
	r.current = nil
	for range 3 {
		if err := r.Ready(); !errors.Is(err, ErrDeviceLost) || errors.Is(err, ErrDead) {
			t.Errorf("got %v; want ErrDeviceLost and not ErrDead", err)
		}
	}
	if r.Info().Renderer == "" {
		t.Error("the device has no name while its context is replaced")
	}
	r.current = e
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	r.opening.Unlock()
	if err := r.Ready(); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v; want ErrClosed", err)
	}
}
