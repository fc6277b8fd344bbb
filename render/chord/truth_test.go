package chord

import (
	"math"
	"testing"

	"plumb/render/rastertest"
	"plumb/render/stroke"
	"plumb/render/vector"
)

// coverage is that of one draw by stroker and chords.
func coverage(v *rastertest.Vector, d *rastertest.Draw, mode Mode, fine float32) *picture {
	p := d.Filled()
	if d.Stroke != "" {
		p = d.Stroked(fine)
	}
	var c Cutter
	return fill(segmentEdges(c.Append(nil, p, canvas(v), mode)), v.W, v.H, scan)
}

// truth is the exact coverage of a drawn vector, without stroker and chords.
func truth(t testing.TB, v *rastertest.Vector, d *rastertest.Draw) *picture {
	p := new(vector.Path)
	p.Append(d.Path)
	if len(d.Dash) > 0 {
		q := new(vector.Path)
		var dash stroke.Dasher
		if !dash.Dash(q, p, d.Dash, d.Offset, stroke.Resolution(d.M)*4096) {
			t.Fatalf("%s: dashes refused", v.ID)
		}
		p = q
	}
	p.Transform(d.M)
	if d.Stroke == "" {
		return fill(polygon(p, true), v.W, v.H, scan)
	}
	return pen(polygon(p, false), float64(d.Width)/2, v.W, v.H, scan)
}

// In Exact mode every drawn vector has the mass and the centre of the true path.
func TestExactIsTrue(t *testing.T) {
	for _, v := range rastertest.Vectors(t) {
		for i := range v.Draws {
			got, want := coverage(&v, &v.Draws[i], Exact, stroke.Fine), truth(t, &v, &v.Draws[i])
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
	for _, v := range rastertest.Vectors(t) {
		if v.Clip != nil {
			continue
		}
		ref, exact := drawn(&v, Reference, 1), drawn(&v, Exact, stroke.Fine)
		worst, mean := deviation(&v, ref)
		_, meanExact := deviation(&v, exact)
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
func drawn(v *rastertest.Vector, mode Mode, fine float32) *picture {
	p := newPicture(v.W, v.H)
	for i := range v.Draws {
		p.over(coverage(v, &v.Draws[i], mode, fine), v.Draws[i].Opacity)
	}
	return p
}

// deviation compares a picture with the browser's alphas, in 1/255.
func deviation(v *rastertest.Vector, p *picture) (worst, mean float64) {
	for i, a := range v.Alpha {
		d := math.Abs(255*p.a[i] - float64(a))
		worst, mean = max(worst, d), mean+d/float64(len(p.a))
	}
	return worst, mean
}
