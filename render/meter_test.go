package render

import (
	"testing"
	"time"

	"plumb/render/gpu"
	"plumb/render/metric"
	"plumb/render/region"
)

// A meter answers before its device is open, with it, and after it was given up:
// always the same.
func TestMeterWithAndWithoutDevice(t *testing.T) {
	m := &Meter{hasGPU: true} // software too
	defer m.close()
	square := []region.Point{{X: 0, Y: 0}, {X: 2, Y: 0}, {X: 2, Y: 2}, {X: 0, Y: 2}}
	g := region.Region{Parts: [][]region.Point{square}}
	for i, p := range square {
		g.Edges = append(g.Edges, region.Segment{A: p, B: square[(i+1)%4]})
	}
	other := region.Region{Parts: [][]region.Point{square[:3]}, Edges: g.Edges[:2]}
	s := region.Scene{U: g, T: other}
	a, b := metric.Alpha([]byte{1, 0, 0, 0, 0, 0}, 3, 2), metric.Alpha([]byte{0, 0, 0, 0, 0, 1}, 3, 2)
	want, err := region.Oracle{}.Measure(&s)
	if err != nil || want.IoU < 0.4 || want.IoU > 0.6 {
		t.Fatal(want, err)
	}
	check := func(when string) {
		t.Helper()
		if got, err := m.Measure(&s); err != nil || got != want {
			t.Errorf("%s: got %+v, %v; want %+v", when, got, err, want)
		}
		if c, err := m.Compare(t.Context(), a, b, metric.Options{Hausdorff: true}); err != nil || c.Far2 != 5 || !c.Measured {
			t.Errorf("%s: got %+v, %v; want 5", when, c, err)
		}
	}
	wait := func() (d *gpu.Meter) {
		for end := time.Now().Add(2 * time.Minute); d == nil && time.Now().Before(end); time.Sleep(time.Millisecond) {
			d = m.device()
		}
		if d == nil {
			t.Fatal("no GL; install Mesa's EGL (libegl1, libgl1-mesa-dri)")
		}
		return d
	}
	check("at first")
	d := wait()
	check("with a device")
	if err := d.Close(); err != nil { // as a lost one
		t.Fatal(err)
	}
	check("without its device")
	if m.open != nil || m.fails != 1 {
		t.Errorf("got %d fails, open %v; want the device given up", m.fails, m.open != nil)
	}
	m.nextTry = time.Time{}
	wait()
	check("with another device")
	if _, err := m.Measure(&region.Scene{}); err == nil || m.open == nil {
		t.Errorf("got %v; want an error that costs no device", err)
	}
}
