package render

import (
	"slices"
	"testing"

	"plumb/render/metric"
	"plumb/render/scene"
	"plumb/render/view"
)

// A view of which only the picture is wanted has an empty tally, changes nothing
// for the others of its batch, and its picture is the same.
func TestUnmeasured(t *testing.T) {
	s, err := scene.Decode([]byte(`{"shapes":[{"id":"shape:a","type":"geo","x":5,"y":5,"props":{"geo":"ellipse","w":40,"h":30,"fill":"solid","color":"red"}}]}`), scene.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	v := view.View{Scene: s, Bounds: view.Box{W: 60, H: 50}}
	bare := v
	bare.Unmeasured = true
	for _, backend := range []string{BackendCPU, BackendGL} {
		e := open(t, backend)
		w := e.Worker()
		p, q := prepare(t, w, v), prepare(t, w, bare)
		want, err := e.Measure(nil, []*Prepared{p})
		if err != nil || want[0].A.Covered == 0 {
			t.Fatalf("%s: got %+v, %v; want something measured", backend, want, err)
		}
		empty := metric.Tally{}
		for _, c := range []struct {
			ps   []*Prepared
			want []metric.Tally
		}{
			{[]*Prepared{q}, []metric.Tally{empty}},
			{[]*Prepared{q, p, q}, []metric.Tally{empty, want[0], empty}},
			{[]*Prepared{p, q, p}, []metric.Tally{want[0], empty, want[0]}},
		} {
			got, err := e.Measure(nil, c.ps)
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%s: got %+v, %v; want %+v", backend, got, err, c.want)
			}
		}
		if !slices.Equal(picture(t, e, p).Pix, picture(t, e, q).Pix) {
			t.Errorf("%s: the pictures differ", backend)
		}
	}
}
