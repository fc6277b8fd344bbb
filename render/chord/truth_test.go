package chord

import (
	"encoding/hex"
	"math"
	"testing"

	"plumb/render/path"
	"plumb/render/stroke"
)

// coverage is that of one draw by stroker and chords.
func (v *vector) coverage(t testing.TB, i int, mode Mode, fine float32) *picture {
	d := v.Draws[i]
	p, m := parse(t, d.D, d.Transform)
	q := new(path.Path)
	res := stroke.Resolution(m) * fine
	if d.Stroke != "" {
		if len(d.Dash) > 0 {
			var dash stroke.Dasher
			if !dash.Dash(q, p, d.Dash, d.DashOffset, res) {
				t.Fatalf("%s: dashes refused", v.ID)
			}
			p, q = q, new(path.Path)
		}
		var s stroke.Stroker
		s.Outline(q, p, d.Width, res)
		p = q
	}
	p.Transform(m)
	var c Cutter
	return fill(segmentEdges(c.Append(nil, p, v.canvas(), mode)), int(v.W), int(v.H), scan)
}

// truth is the exact coverage of a drawn vector, without stroker and chords.
func (v *vector) truth(t testing.TB, i int) *picture {
	d := v.Draws[i]
	p, m := parse(t, d.D, d.Transform)
	if len(d.Dash) > 0 {
		q := new(path.Path)
		var dash stroke.Dasher
		if !dash.Dash(q, p, d.Dash, d.DashOffset, stroke.Resolution(m)*4096) {
			t.Fatalf("%s: dashes refused", v.ID)
		}
		p = q
	}
	p.Transform(m)
	if d.Stroke == "" {
		return fill(polygon(p, true), int(v.W), int(v.H), scan)
	}
	return pen(polygon(p, false), float64(d.Width)/2, int(v.W), int(v.H), scan)
}

// In Exact mode every drawn vector has the mass and the centre of the true path.
func TestExactIsTrue(t *testing.T) {
	for _, v := range loadVectors(t) {
		for i := range v.Draws {
			got, want := v.coverage(t, i, Exact, stroke.Fine), v.truth(t, i)
			gm, gx, gy := got.sums()
			wm, wx, wy := want.sums()
			rel, off := gm/wm-1, math.Hypot(gx-wx, gy-wy)
			worst := 0.0
			for k := range got.a {
				worst = max(worst, math.Abs(got.a[k]-want.a[k]))
			}
			t.Logf("%-28s mass %+.5f %% centre %.5f px, worst pixel %.4f", v.ID, 100*rel, off, worst)
			if !(math.Abs(rel) <= 2e-4) || !(off <= 0.005) {
				t.Errorf("%s draw %d: mass %.4f, centre (%.4f, %.4f); want %.4f, (%.4f, %.4f)",
					v.ID, i, gm, gx, gy, wm, wx, wy)
			}
		}
	}
}

// Reference chords with exact area are much nearer to the browser's pixels than
// the true paths are. What remains is what the browser's walkers do with chords
// (whole rows at smooth joints, crossings inside strips): up to some 60/255 in
// single pixels of these small pictures.
func TestReferenceNearBrowser(t *testing.T) {
	var sumRef, sumExact float64
	for _, v := range loadVectors(t) {
		if v.Clip != "" {
			continue
		}
		ref, exact := v.drawn(t, Reference, 1), v.drawn(t, Exact, stroke.Fine)
		worst, mean := v.deviation(t, ref)
		_, meanExact := v.deviation(t, exact)
		sumRef, sumExact = sumRef+mean, sumExact+meanExact
		t.Logf("%-28s of 255: max %5.1f, mean %.3f; in Exact mode mean %.3f", v.ID, worst, mean, meanExact)
		if worst > 64 || mean > 1.2 {
			t.Errorf("%s: of 255: worst pixel %.1f, mean %.3f; want at most 64 and 1.2", v.ID, worst, mean)
		}
	}
	if sumRef > sumExact/2 {
		t.Errorf("deviation from the browser: got %.2f in Reference mode, %.2f in Exact mode; want less than half", sumRef, sumExact)
	}
}

// drawn composites all draws of the vector.
func (v *vector) drawn(t testing.TB, mode Mode, fine float32) *picture {
	p := newPicture(int(v.W), int(v.H))
	for i, d := range v.Draws {
		o := 1.0
		if d.Opacity != nil {
			o = *d.Opacity
		}
		p.over(v.coverage(t, i, mode, fine), o)
	}
	return p
}

// deviation compares a picture with the browser's alphas, in 1/255.
func (v *vector) deviation(t testing.TB, p *picture) (worst, mean float64) {
	for y, row := range v.Alpha {
		b, err := hex.DecodeString(row)
		if err != nil {
			t.Fatal(err)
		}
		for x, a := range b {
			d := math.Abs(255*p.a[y*p.w+x] - float64(a))
			worst, mean = max(worst, d), mean+d/float64(len(p.a))
		}
	}
	return worst, mean
}
