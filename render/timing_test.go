package render

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"plumb/render/scene"
	"plumb/render/view"
)

// rings is a view of n ellipses, w px wide.
func rings(t testing.TB, n int, w float64) view.View {
	t.Helper()
	var text []string
	for i := range n {
		text = append(text, fmt.Sprintf(`{"id":"shape:s%d","type":"geo","x":%d,"y":15,"props":{"geo":"ellipse","w":120,"h":80,"color":"red","fill":"solid"}}`, i, 10+11*i))
	}
	s, err := scene.Decode([]byte(`{"shapes":[`+strings.Join(text, ",")+`]}`), scene.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return view.View{Scene: s, Bounds: view.Box{W: w, H: 150}}
}

func prepared(t testing.TB, e *Engine, vs ...view.View) []*Prepared {
	t.Helper()
	var ps []*Prepared
	w := e.Worker()
	for _, v := range vs {
		p, err := w.Prepare(v)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Release)
		ps = append(ps, p)
	}
	return ps
}

// Where a batch's time went is told whole: the parts and what is left add up.
func TestTiming(t *testing.T) {
	for _, backend := range []string{BackendGL, BackendCPU} {
		t.Run(backend, func(t *testing.T) {
			e := open(t, backend)
			ps := prepared(t, e, rings(t, 5, 300), rings(t, 9, 400))
			_, sums, err := e.MeasureTimed(nil, ps)
			if err != nil {
				t.Fatal(err)
			}
			_, pictures, err := e.PicturesTimed(ps)
			if err != nil {
				t.Fatal(err)
			}
			for name, got := range map[string]Timing{"sums": sums, "pictures": pictures} {
				parts := got.Pack + got.Upload + got.Device + got.ReadBack + got.Sum + got.Wait
				if parts != got.Total || got.Pack <= 0 || got.Device <= 0 || got.Sum <= 0 || got.Views != 2 {
					t.Errorf("%s: parts add up to %v: %+v", name, parts, got)
				}
				if gl := backend == BackendGL; gl != (got.Upload > 0) || gl != (got.ReadBack > 0) || gl != (got.UpBytes > 0) || gl != (got.DownBytes > 0) {
					t.Errorf("%s: transfers: %+v", name, got)
				}
			}
			if px := int64(4 * 150 * (300 + 400)); backend == BackendGL && pictures.DownBytes != px {
				t.Errorf("pictures of %d bytes came back as %d", px, pictures.DownBytes)
			}
		})
	}
}

func TestDeviceStats(t *testing.T) {
	e := open(t, BackendGL)
	before := e.DeviceStats()
	if before.Name == "" || before.Memory <= 0 || before.Batches != 0 {
		t.Errorf("before any batch: %+v; want a name, the buffers of the warm-up and no batch", before)
	}
	ps := prepared(t, e, rings(t, 5, 4000))
	var sum int64
	for range 3 {
		_, one, err := e.MeasureTimed(nil, ps)
		if err != nil {
			t.Fatal(err)
		}
		sum += one.UpBytes
	}
	_, one, err := e.PicturesTimed(ps)
	if err != nil {
		t.Fatal(err)
	}
	got := e.DeviceStats()
	if got.Batches != 4 || got.UpBytes != sum+one.UpBytes || got.Dispatch < one.Device || got.Latency > time.Hour {
		t.Errorf("after 4 batches that took %d bytes: %+v", sum+one.UpBytes, got)
	}
	if more := got.Memory - before.Memory; more < 4*150*4000 {
		t.Errorf("buffers grew by %d bytes for a picture of %d", more, 4*150*4000)
	}
	if s := open(t, BackendCPU).DeviceStats(); s != (DeviceStats{}) {
		t.Errorf("without a device: %+v; want nothing", s)
	}
}
