package render

import (
	"encoding/json"
	"errors"
	"image"
	"math"
	"testing"

	"plumb/render/metric"
	"plumb/render/scene"
	"plumb/render/view"
	"plumb/testdata"
)

// exported is a line of the reference scenes.
type exported struct {
	ID    string
	Kind  string
	Added []struct{ ID string }

	Records json.RawMessage
	Export  struct{ Bounds [4]float64 }
	Images  map[string]struct{ File string }
}

func (e *exported) view(t testing.TB) view.View {
	t.Helper()
	s, err := scene.Decode([]byte(`{"records":`+string(e.Records)+`}`), scene.DefaultLimits())
	if err != nil {
		t.Fatalf("%s: %v", e.ID, err)
	}
	b := e.Export.Bounds
	return view.View{Scene: s, Bounds: view.Box{X: b[0], Y: b[1], W: b[2], H: b[3]}}
}

// without lists all ids but that of the shape that was added last.
func (e *exported) without(s *scene.Scene) []string {
	ids := []string{}
	for i := range s.Shapes {
		if s.Shapes[i].ID != e.Added[0].ID {
			ids = append(ids, s.Shapes[i].ID)
		}
	}
	return ids
}

// referenceViews are the pictures of the balance and label scenes by file name:
// before and after, shape, label. The labels' files are those without hinting.
func referenceViews(t testing.TB) map[string]view.View {
	views := map[string]view.View{}
	labels := map[string]view.View{}
	testdata.Each(t, "tldraw/scenes.jsonl", func(e *exported) {
		if e.Kind != "balance" && e.Kind != "label" {
			return
		}
		v := e.view(t)
		rest := v
		rest.FirstIDs = e.without(v.Scene)
		if e.Kind == "balance" {
			views["tldraw/"+e.Images["before"].File], views["tldraw/"+e.Images["after"].File] = rest, v
			return
		}
		views["tldraw/"+e.Images["shape"].File] = rest
		v.FirstIDs = []string{}
		for _, a := range e.Added {
			v.FirstIDs = append(v.FirstIDs, a.ID)
		}
		labels[e.ID] = v
	})
	testdata.Each(t, "tldraw/scenes-nohint.jsonl", func(e *exported) {
		if v, ok := labels[e.ID]; ok {
			views["tldraw/"+e.Images["label"].File] = v
		}
	})
	return views
}

// open starts an engine that ends with the test.
func open(t testing.TB, backend string) *Engine {
	t.Helper()
	return openWith(t, Config{Backend: backend})
}

func prepare(t testing.TB, w *Worker, v view.View) *Prepared {
	t.Helper()
	p, err := w.Prepare(v)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSelfTest(t *testing.T) {
	for _, backend := range []string{BackendGL, BackendCPU} {
		if err := open(t, backend).SelfTest(); err != nil {
			t.Errorf("%s: %v", backend, err)
		}
	}
}

// TestBackendsAgree: on real scenes, in one batch, alone, and in batches of
// other sizes, GL and the oracle give equal integers, and pictures equal to the
// last bit on a software device.
func TestBackendsAgree(t *testing.T) {
	gl, cpu := open(t, BackendGL), open(t, BackendCPU)
	var ps, qs []*Prepared
	a, b := gl.Worker(), cpu.Worker()
	for _, v := range referenceViews(t) {
		ps, qs = append(ps, prepare(t, a, v)), append(qs, prepare(t, b, v))
	}
	want, err := cpu.Measure(nil, qs)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 7, len(ps)} {
		var got []metric.Tally
		for i := 0; i < len(ps); i += n {
			if got, err = gl.Measure(got, ps[i:min(i+n, len(ps))]); err != nil {
				t.Fatal(err)
			}
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("batches of %d, view %d: got %+v; want %+v", n, i, got[i], want[i])
			}
		}
	}
	for i := 0; i < len(ps); i += 9 {
		p, q := picture(t, gl, ps[i]), picture(t, cpu, qs[i])
		for k := range p.Pix {
			if p.Pix[k] != q.Pix[k] {
				t.Fatalf("picture %d, byte %d: got %d; want %d", i, k, p.Pix[k], q.Pix[k])
			}
		}
	}
}

func picture(t testing.TB, e *Engine, p *Prepared) *image.NRGBA {
	t.Helper()
	images, err := e.Pictures([]*Prepared{p})
	if err != nil {
		t.Fatal(err)
	}
	return images[0]
}

// TestPictureAndSumsAgree: a metric and its picture cannot disagree. Covered
// pixels are equal; alpha differs by the picture's rounding, half of 1/255 per
// partly covered pixel.
func TestPictureAndSumsAgree(t *testing.T) {
	e := open(t, BackendGL)
	w := e.Worker()
	for name, v := range referenceViews(t) {
		p := prepare(t, w, v)
		tallies, err := e.Measure(nil, []*Prepared{p})
		if err != nil {
			t.Fatal(err)
		}
		img := picture(t, e, p)
		var sum, covered, partial float64
		for i := 3; i < len(img.Pix); i += 4 {
			a := float64(img.Pix[i])
			sum += a
			if a > 0 {
				covered++
			}
			if a > 0 && a < 255 {
				partial++
			}
		}
		got := tallies[0].A
		if float64(got.Covered) != covered {
			t.Errorf("%s: covered %d in the sums, %v in the picture", name, got.Covered, covered)
		}
		if d := math.Abs(got.Alpha255() - sum); d > partial/2+1 {
			t.Errorf("%s: alpha %v in the sums, %v in the picture; want within %v", name, got.Alpha255(), sum, partial/2+1)
		}
	}
}

func TestLimits(t *testing.T) {
	w := open(t, BackendCPU).Worker()
	s, err := scene.Decode([]byte(`[{"id":"shape:a","type":"geo"}]`), scene.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []view.Box{{W: 40000, H: 10}, {W: 30000, H: 30000}, {W: math.Inf(1), H: 1}, {W: math.NaN(), H: 1}} {
		if _, err := w.Prepare(view.View{Scene: s, Bounds: b}); !errors.Is(err, ErrLimit) {
			t.Errorf("%v: got %v; want ErrLimit", b, err)
		}
	}
}
