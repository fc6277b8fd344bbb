//go:build fault

package render

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"plumb/render/gpu"
	"plumb/render/view"
)

// A view that loses every context it comes near is found, evaluated by the CPU,
// and kept off the device from then on; all others keep their batch.
func TestPoison(t *testing.T) {
	const poison = 777 // px wide
	vs := []view.View{rings(t, 3, 300), rings(t, 5, 310), rings(t, 7, poison), rings(t, 9, 320)}
	oracle := open(t, BackendCPU)
	want, err := oracle.Measure(nil, prepared(t, oracle, vs...))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PLUMB_FAULT", fmt.Sprintf("poison@%d,#%s", poison, t.Name()))
	e := open(t, BackendGL)
	got, err := e.Measure(nil, prepared(t, e, vs...))
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	s := e.DeviceStats()
	if s.Quarantined != 1 || s.Resets != 4 { // the batch twice, the view alone twice
		t.Errorf("%d in quarantine, %d resets; want 1, 4", s.Quarantined, s.Resets)
	}
	// Once it is known it costs no context, alone or not, prepared again or not.
	for _, some := range [][]view.View{vs, vs[2:3]} {
		ps := prepared(t, e, some...)
		if _, err := e.Measure(nil, ps); err != nil {
			t.Error(err)
		}
		images, err := e.Pictures(ps)
		if err != nil {
			t.Fatal(err)
		}
		ref, err := oracle.Pictures(prepared(t, oracle, some...))
		if err != nil {
			t.Fatal(err)
		}
		for i := range ref {
			if !slices.Equal(images[i].Pix, ref[i].Pix) {
				t.Errorf("picture %d differs", i)
			}
		}
	}
	if again := e.DeviceStats(); again.Quarantined != 1 || again.Resets != s.Resets {
		t.Errorf("known poison: %d in quarantine, %d resets; want 1, %d", again.Quarantined, again.Resets, s.Resets)
	}
}

// Poison that comes as a picture first, from several sides at once, among batches
// that have nothing to do with it: all get what they would have got.
func TestPoisonUnderLoad(t *testing.T) {
	const poison = 778
	t.Setenv("PLUMB_FAULT", fmt.Sprintf("poison@%d,#%s", poison, t.Name()))
	oracle, e := open(t, BackendCPU), open(t, BackendGL)
	var wg sync.WaitGroup
	for i := range 6 {
		vs := []view.View{rings(t, 3+i, 300), rings(t, 5, 310+float64(i))}
		if i%3 == 0 {
			vs = append(vs, rings(t, 4+i, poison))
		}
		want, err := oracle.Measure(nil, prepared(t, oracle, vs...))
		if err != nil {
			t.Fatal(err)
		}
		ps := prepared(t, e, vs...)
		wg.Go(func() {
			if i == 0 {
				if _, err := e.Pictures(ps); err != nil {
					t.Error(err)
				}
			}
			for range 10 {
				if got, err := e.Measure(nil, ps); err != nil || !slices.Equal(got, want) {
					t.Errorf("caller %d: got %v, %v; want %v", i, got, err, want)
				}
			}
		})
	}
	wg.Wait()
	if n := e.DeviceStats().Quarantined; n != 2 {
		t.Errorf("%d views in quarantine; want the 2 that are poison", n)
	}
}

// Where everything loses the device no view is to blame.
func TestDeviceAtFault(t *testing.T) {
	spec := "#" + t.Name()
	for n := range 6 { // the third batch twice, a view alone twice, the sound drawing twice
		spec += fmt.Sprintf(",context_loss@%d", 3+n)
	}
	t.Setenv("PLUMB_FAULT", spec)
	e := open(t, BackendGL)
	ps := prepared(t, e, rings(t, 3, 300), rings(t, 5, 310))
	want, err := e.Measure(nil, ps)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Measure(nil, ps[:1]); err != nil {
		t.Fatal(err)
	}
	if got, err := e.Measure(nil, ps); !errors.Is(err, gpu.ErrDeviceLost) || len(got) != 0 {
		t.Errorf("got %d tallies and %v; want ErrDeviceLost", len(got), err)
	}
	if n := e.DeviceStats().Quarantined; n != 0 {
		t.Errorf("%d views in quarantine; want 0", n)
	}
	if got, err := e.Measure(nil, ps); err != nil || !slices.Equal(got, want) {
		t.Errorf("afterwards: got %v, %v; want %v", got, err, want)
	}
}
