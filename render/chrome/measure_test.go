package chrome

import (
	"context"
	"math"
	"plumb/render/view"
	"testing"
)

// TestMeasure: what scenes take up is what the editor's own export shows of them
// without padding, whichever way a scene comes in.
func TestMeasure(t *testing.T) {
	p := open(t, Config{})
	for i, r := range references(t) {
		if i%4 != 0 { // of the last kind, mixed-050 has a frame that cuts
			continue
		}
		whole := Request{Source: r.list(t), Content: true}
		res, err := p.Export(context.Background(), whole)
		if err != nil {
			t.Fatalf("%s: %v", r.ID, err)
		}
		b := res.Bounds
		for how, req := range r.requests(t, picture{}) {
			req.Measure = true
			measured(t, p, r.ID+" as "+how, req, [4]float64{b.X, b.Y, b.W, b.H}, false)
		}
	}
}

// measured demands this box, or nothing.
func measured(t *testing.T, p *Pool, name string, req Request, want [4]float64, empty bool) {
	t.Helper()
	got, err := p.Export(context.Background(), req)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	b := got.Bounds
	off := max(math.Abs(b.X-want[0]), math.Abs(b.Y-want[1]), math.Abs(b.W-want[2]), math.Abs(b.H-want[3]))
	if got.Empty != empty || got.Image != nil || !(off <= 1e-4) {
		t.Errorf("%s: got %+v; want %v, empty %v and no image", name, got, want, empty)
	}
}

// TestMeasureWhat: groups and hidden shapes have no box of their own, frames cut
// what is in them, and lines may be flat.
func TestMeasureWhat(t *testing.T) {
	for _, version := range []string{Version42, Version54} {
		t.Run(version, func(t *testing.T) { measureWhat(t, open(t, Config{Version: version})) })
	}
}

func measureWhat(t *testing.T, p *Pool) {
	const (
		box   = `{"id":"shape:a","type":"geo","x":10,"y":20,"props":{"w":60,"h":40}}`
		far   = `{"id":"shape:b","type":"geo","x":500,"y":500,"props":{"w":60,"h":40}}`
		flat  = `{"id":"shape:l","type":"line","x":10,"y":20,"props":{"points":{"a":{"id":"a","index":"a1","x":0,"y":0},"b":{"id":"b","index":"a2","x":90,"y":0}}}}`
		frame = `{"id":"shape:f","type":"frame","x":0,"y":0,"props":{"w":100,"h":50}}`
		in    = `{"id":"shape:a","type":"geo","parentId":"shape:f","x":90,"y":20,"props":{"w":60,"h":40}}`
	)
	for _, row := range []struct {
		name, shapes string
		only         []string
		want         [4]float64
		empty        bool
	}{
		{"nothing", ``, nil, [4]float64{}, true},
		{"nothing that was asked for", box, []string{}, [4]float64{}, true},
		{"everything", box + "," + far, nil, [4]float64{10, 20, 550, 520}, false},
		{"one", box + "," + far, []string{"shape:b"}, [4]float64{500, 500, 60, 40}, false},
		{"flat line", flat, nil, [4]float64{10, 20, 90, 0}, false},
		{"in a frame", frame + "," + in, nil, [4]float64{0, 0, 100, 50}, false},
		{"part in a frame", frame + "," + in, []string{"shape:a"}, [4]float64{90, 20, 10, 30}, false},
	} {
		req := Request{Measure: true, Source: []byte(`{"shapes":[` + row.shapes + `]}`), View: view.View{FirstIDs: row.only}}
		measured(t, p, row.name, req, row.want, row.empty)
	}
}
