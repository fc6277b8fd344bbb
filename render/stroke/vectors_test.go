package stroke_test

import (
	"testing"

	"plumb/render/rastertest"
	"plumb/render/stroke"
)

func TestVectors(t *testing.T) {
	n := 0
	for _, v := range rastertest.Vectors(t) {
		if len(v.Outline) == 0 {
			continue
		}
		n++
		got := stroke.Lines(v.Draws[0].Stroked(1))
		for i := range max(len(got), len(v.Outline)) {
			g, want := "nothing", "nothing"
			if i < len(got) {
				g = got[i]
			}
			if i < len(v.Outline) {
				want = v.Outline[i]
			}
			if stroke.Differs(g, want, 1e-3) {
				t.Errorf("%s: verb %d:\n got %s\nwant %s", v.ID, i, g, want)
				break
			}
		}
	}
	if n == 0 {
		t.Error("no vector has an outline")
	}
}
