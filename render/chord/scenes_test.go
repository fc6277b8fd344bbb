package chord

import (
	"image/png"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"plumb/render/rastertest"
	"plumb/render/vector"
)

// drawExport draws one of the editor's vector exports by stroker and chords, each
// path as one union with exact area, and composites alphas. It returns the number
// of segments.
func drawExport(e *rastertest.Export, w, h int) (p *picture, segments int) {
	p = newPicture(w, h)
	for i := range e.Draws {
		d := &e.Draws[i]
		if d.Fill != "" {
			segments += p.draw(d.Filled())
		}
		if d.Stroke != "" {
			segments += p.draw(d.Stroked(1))
		}
	}
	return p, segments
}

// draw puts an opaque path on the picture.
func (p *picture) draw(outline *vector.Path) (segments int) {
	var c Cutter
	segs := c.Append(nil, outline, Rect{0, 0, int32(p.w), int32(p.h)}, Reference)
	if len(segs) == 0 {
		return 0
	}
	edges := segmentEdges(segs)
	x0, y0, x1, y1 := p.w, p.h, 0, 0
	for _, s := range edges {
		x0, x1 = min(x0, int(min(s.x0, s.x1))), max(x1, int(math.Ceil(max(s.x0, s.x1))))
		y0, y1 = min(y0, int(s.top())), max(y1, int(math.Ceil(max(s.y0, s.y1))))
	}
	for i := range edges {
		s := &edges[i]
		s.x0, s.x1, s.y0, s.y1 = s.x0-float64(x0), s.x1-float64(x0), s.y0-float64(y0), s.y1-float64(y0)
	}
	q := fill(edges, min(x1, p.w)-x0, min(y1, p.h)-y0, 32)
	for i, c := range q.a {
		a := &p.a[(y0+i/q.w)*p.w+x0+i%q.w]
		*a += (1 - *a) * c
	}
	return len(segs)
}

// compare returns the share of the picture's ink box within 2 of 255, and the
// distance of the centres in px.
func compare(t testing.TB, p *picture, file string) (near, centre float64) {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	q := newPicture(p.w, p.h)
	var x0, y0, x1, y1 = p.w, p.h, 0, 0
	for y := range p.h {
		for x := range p.w {
			r, _, _, _ := img.At(x, y).RGBA()
			if q.a[y*p.w+x] = float64(r>>8) / 255; r > 0 {
				x0, x1, y0, y1 = min(x0, x), max(x1, x+1), min(y0, y), max(y1, y+1)
			}
		}
	}
	n := 0
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			if math.Abs(math.Round(255*p.a[y*p.w+x])-math.Round(255*q.a[y*p.w+x])) <= 2 {
				n++
			}
		}
	}
	_, ax, ay := p.sums()
	_, bx, by := q.sums()
	return float64(n) / float64((x1-x0)*(y1-y0)), math.Hypot(ax-bx, ay-by)
}

// TestScenes draws scenes of the editor with chords in Reference mode, each path as one union
// of exact area. See docs/spec/raster.md#r44.
func TestScenes(t *testing.T) {
	limit := 8
	if s := os.Getenv("PLUMB_SCENES"); s != "" {
		limit, _ = strconv.Atoi(s)
	}
	var nears, centres []float64
	for _, e := range rastertest.Exports(t, "balance") {
		if len(nears) == limit {
			break
		}
		if e.Defined {
			continue
		}
		p, segments := drawExport(e, 1400, 800)
		n, c := compare(t, p, e.Picture)
		t.Logf("%s: %d segments, %.3f %% within 2, centre %.4f px", e.ID, segments, 100*n, c)
		nears, centres = append(nears, n), append(centres, c)
	}
	if len(nears) == 0 {
		t.Fatal("no scene was compared")
	}
	slices.Sort(nears)
	slices.Sort(centres)
	k := len(nears) / 2
	t.Logf("within 2: min %.4f median %.4f; centre: median %.4f worst %.4f", nears[0], nears[k], centres[k], centres[len(centres)-1])
	if nears[0] < 0.997 || nears[k] < 0.998 || centres[k] > 0.03 || centres[len(centres)-1] > 0.12 {
		t.Errorf("within 2: got min %.4f median %.4f; want 0.9977 and 0.9987; centre: got median %.4f worst %.4f; want 0.012 and 0.095",
			nears[0], nears[k], centres[k], centres[len(centres)-1])
	}
}
