package chord

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"plumb/render/stroke"
	"plumb/render/vector"
)

// genPath draws a path of up to 3 subpaths with all kinds of segments; every
// coordinate comes from num.
func genPath(t *rapid.T, num *rapid.Generator[float32]) *vector.Path {
	p := new(vector.Path)
	pt := func() vector.Point { return vector.Point{X: num.Draw(t, "x"), Y: num.Draw(t, "y")} }
	for range rapid.IntRange(1, 3).Draw(t, "subpaths") {
		p.MoveTo(pt())
		for range rapid.IntRange(1, 6).Draw(t, "segments") {
			switch rapid.IntRange(1, 4).Draw(t, "kind") {
			case 1:
				p.LineTo(pt())
			case 2:
				p.QuadTo(pt(), pt())
			case 3:
				p.CubicTo(pt(), pt(), pt())
			case 4:
				p.ConicTo(pt(), pt(), rapid.Float32Range(0.1, 3).Draw(t, "w"))
			}
		}
		if rapid.Bool().Draw(t, "close") {
			p.Close()
		}
	}
	return p
}

// winding is the net winding of all segments across the line y, in 1/Unit px.
func winding(segs []Segment, y float64) (n int) {
	for _, s := range segs {
		lo, hi, d := s.Y0, s.Y1, 1
		if lo > hi {
			lo, hi, d = hi, lo, -1
		}
		if float64(lo) < y && y < float64(hi) {
			n += d
		}
	}
	return n
}

// Every subpath counts as closed: what goes down comes up, in each quarter row
// of Reference mode and at every height of Exact mode. The clip cuts above, below
// and left; to the right nothing is cut here, since that part vanishes.
func TestBalance(t *testing.T) {
	var c Cutter
	rapid.Check(t, func(t *rapid.T) {
		p := genPath(t, rapid.Float32Range(-40, 99))
		segs := c.Append(nil, p, Rect{0, 0, 100, 60}, Reference)
		for q := range 60 * 4 {
			if n := winding(segs, float64(q*256+128)); n != 0 {
				t.Fatalf("quarter row %d: winding of all segments is %d; want 0", q, n)
			}
		}
		for _, s := range segs {
			if s.Y0 == s.Y1 || s.Y0%256 != 0 || s.Y1%256 != 0 || min(s.Y0, s.Y1) < 0 || max(s.Y0, s.Y1) > 60*Unit {
				t.Fatalf("got segment %v; want quarter rows inside of the clip", s)
			}
		}
		segs = c.Append(segs[:0], p, Rect{0, 0, 100, 60}, Exact)
		for q := range 60 * 4 {
			if n := winding(segs, float64(q*256)+128.5); n != 0 {
				t.Fatalf("exact, y = %g: winding of all segments is %d; want 0", float64(q)/4+0.125, n)
			}
		}
	})
}

// A whole number of px to the right and down moves every chord by just that.
// Coordinates lie on the 1/256 grid, and curves are not cut, so that binary32
// has no part in it.
func TestShift(t *testing.T) {
	var c Cutter
	grid := rapid.Custom(func(t *rapid.T) float32 { return float32(rapid.IntRange(0, 100*256).Draw(t, "n")) / 256 })
	rapid.Check(t, func(t *rapid.T) {
		p := new(vector.Path)
		pt := func() vector.Point { return vector.Point{X: grid.Draw(t, "x"), Y: grid.Draw(t, "y")} }
		p.MoveTo(pt())
		for range rapid.IntRange(1, 6).Draw(t, "segments") {
			y := []float32{p.Points[len(p.Points)-1].Y, grid.Draw(t, "y"), grid.Draw(t, "y"), grid.Draw(t, "y")}
			at := func(i int) vector.Point { return vector.Point{X: grid.Draw(t, "x"), Y: y[i]} }
			switch rapid.IntRange(1, 3).Draw(t, "kind") {
			case 1:
				p.LineTo(at(1))
			case 2: // monotone: the control's y between the ends'
				y[1] = min(max(y[1], min(y[0], y[2])), max(y[0], y[2]))
				p.QuadTo(at(1), at(2))
			case 3:
				for i := 1; i < 3; i++ {
					y[i] = min(max(y[i], min(y[0], y[3])), max(y[0], y[3]))
				}
				p.CubicTo(at(1), at(2), at(3))
			}
		}
		dx, dy := rapid.Int32Range(-500, 500).Draw(t, "dx"), rapid.Int32Range(-500, 500).Draw(t, "dy")
		moved := new(vector.Path)
		moved.Append(p)
		moved.Transform(vector.Matrix{A: 1, D: 1, E: float32(dx), F: float32(dy)})
		for _, mode := range []Mode{Reference, Exact} {
			want := c.Append(nil, p, NoClip, mode)
			for i := range want {
				s := &want[i]
				s.X0, s.X1, s.Y0, s.Y1 = s.X0+dx*Unit, s.X1+dx*Unit, s.Y0+dy*Unit, s.Y1+dy*Unit
			}
			equal := slices.Equal[[]Segment]
			if mode == Exact {
				equal = nearlyEqual
			}
			if got := c.Append(nil, moved, NoClip, mode); !equal(got, want) {
				t.Fatalf("mode %d, moved by (%d, %d):\n got %v\nwant %v", mode, dx, dy, got, want)
			}
		}
	})
}

// nearlyEqual allows for the last digit of binary64, which Exact rounds: an end may
// lie 1/Unit px elsewhere, and a chord that is no higher than that may be missing,
// since level ones are left out.
func nearlyEqual(a, b []Segment) bool {
	far := func(u, v int32) int32 { return max(u-v, v-u) }
	for len(a) > 0 && len(b) > 0 {
		s, t := a[0], b[0]
		switch {
		case max(far(s.X0, t.X0), far(s.Y0, t.Y0), far(s.X1, t.X1), far(s.Y1, t.Y1)) <= 1:
			a, b = a[1:], b[1:]
		case far(s.Y0, s.Y1) <= 1:
			a = a[1:]
		case far(t.Y0, t.Y1) <= 1:
			b = b[1:]
		default:
			return false
		}
	}
	for _, s := range append(a, b...) {
		if far(s.Y0, s.Y1) > 1 {
			return false
		}
	}
	return true
}

// A clip that holds the path changes nothing, however large it is.
func TestLargerClip(t *testing.T) {
	var c Cutter
	rapid.Check(t, func(t *rapid.T) {
		p := genPath(t, rapid.Float32Range(0, 100))
		for _, mode := range []Mode{Reference, Exact} {
			want := c.Append(nil, p, Rect{0, 0, 100, 100}, mode)
			for _, r := range []Rect{{-7, 0, 100, 2000}, {0, -300, 8191, 100}, NoClip, {math.MinInt32, math.MinInt32, math.MaxInt32, math.MaxInt32}} {
				if got := c.Append(nil, p, r, mode); !slices.Equal(got, want) {
					t.Fatalf("mode %d, clip %v:\n got %v\nwant %v", mode, r, got, want)
				}
			}
		}
	})
}

// Clipping leaves the coverage inside alone: whole px pictures of the clipped
// and the unclipped exact chords agree.
func TestClipKeepsCoverage(t *testing.T) {
	var c Cutter
	rapid.Check(t, func(t *rapid.T) {
		p := genPath(t, rapid.Float32Range(-30, 60))
		clip := Rect{0, 0, 24, 20}
		got := fill(segmentEdges(c.Append(nil, p, clip, Exact)), 24, 20, 16)
		want := fill(segmentEdges(c.Append(nil, p, NoClip, Exact)), 24, 20, 16)
		gm, _, _ := got.sums()
		wm, _, _ := want.sums()
		if math.Abs(gm-wm) > 0.2 {
			t.Fatalf("mass inside the clip is %.4f px; want %.4f", gm, wm)
		}
	})
}

// No coordinate can break the cutter: segments stay near the clip, and their
// number is bounded.
func TestHostile(t *testing.T) {
	var c Cutter
	wild := rapid.OneOf(rapid.Float32(), rapid.Float32Range(-1e9, 1e9), rapid.Float32Range(-50, 150),
		rapid.SampledFrom([]float32{0, 1e9, -1e9, 1e15, -1e15, math.MaxFloat32, -math.MaxFloat32, 1e-40,
			float32(math.Inf(1)), float32(math.NaN())}))
	rapid.Check(t, func(t *rapid.T) {
		p := genPath(t, wild)
		for _, mode := range []Mode{Reference, Exact} {
			segs := c.Append(nil, p, Rect{0, 0, 100, 60}, mode)
			for _, s := range segs {
				const slack = 40 * Unit // a cubic that binary32 has spoilt may bulge by a third of the clip
				if min(s.X0, s.X1, s.Y0, s.Y1) < -slack || max(s.X0, s.X1) > 100*Unit+slack || max(s.Y0, s.Y1) > 60*Unit+slack {
					t.Fatalf("mode %d: segment %v leaves the clip", mode, s)
				}
			}
			if limit := len(p.Verbs) * 32 * 9 * (exactPieces + 2); len(segs) > limit {
				t.Fatalf("mode %d: got %d segments; want at most %d", mode, len(segs), limit)
			}
			c.Append(segs[:0], p, NoClip, mode)
		}
	})
}

// Strokes cover what a round pen covers that is drawn along the path, but for two
// habits of the browser's: a closed curve that the pen is too wide for keeps a hole
// where the inner side has turned over, and a curve that is all but flat is drawn as
// the line it nearly is. The limits are wide for the pieces of sharp turns, which the
// browser judges by their middles alone: 0.04 px of the centre in the worst of 20,000.
func TestStrokeIsPen(t *testing.T) {
	var c Cutter
	var s stroke.Stroker
	const w, h = 48, 48
	num := rapid.Float32Range(8, 40)
	paths := rapid.Custom(func(t *rapid.T) *vector.Path { return genPath(t, num) }).
		Filter(func(p *vector.Path) bool { return !flatCurve(p) })
	rapid.Check(t, func(t *rapid.T) {
		p := paths.Draw(t, "path")
		opened(p)
		// Turned, since the scanlines of this test see level edges badly.
		p.Transform(vector.Matrix{A: 0.8, B: 0.6, C: -0.6, D: 0.8, E: 19.2, F: -9.6})
		width := rapid.Float32Range(0.5, 8).Draw(t, "width")
		q := new(vector.Path)
		s.Outline(q, p, width, stroke.Fine)
		got := fill(segmentEdges(c.Append(nil, q, Rect{0, 0, w, h}, Exact)), w, h, 16)
		want := pen(polygon(p, false), float64(width)/2, w, h, 16)
		gm, gx, gy := got.sums()
		wm, wx, wy := want.sums()
		if math.Abs(gm-wm) > 0.004*wm+0.05 || math.Hypot(gx-wx, gy-wy) > 0.1 {
			t.Fatalf("width %g: mass %.4f, centre (%.3f, %.3f); want %.4f, (%.3f, %.3f)", width, gm, gx, gy, wm, wx, wy)
		}
	})
}

// opened leaves the subpaths open that have curves.
func opened(p *vector.Path) {
	curved := false
	p.Verbs = slices.DeleteFunc(p.Verbs, func(v vector.Verb) bool {
		switch v {
		case vector.Move:
			curved = false
		case vector.Quad, vector.Cubic, vector.Conic:
			curved = true
		}
		return v == vector.Close && curved
	})
}

// flatCurve reports whether a curve's points lie within a hundredth of their extent
// of one line: of the line through the two that are farthest apart.
func flatCurve(p *vector.Path) bool {
	at := 0
	for _, v := range p.Verbs {
		n := [...]int{vector.Move: 1, vector.Line: 1, vector.Quad: 2, vector.Cubic: 3, vector.Conic: 2, vector.Close: 0}[v]
		if n > 1 && flat(p.Points[at-1:at+n]) {
			return true
		}
		at += n
	}
	return false
}

func flat(pts []vector.Point) bool {
	var ux, uy, far float64
	for i, a := range pts {
		for _, b := range pts[:i] {
			x, y := float64(b.X-a.X), float64(b.Y-a.Y)
			if d := math.Hypot(x, y); d > far {
				ux, uy, far = x/d, y/d, d
			}
		}
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, a := range pts {
		d := float64(a.X)*uy - float64(a.Y)*ux
		lo, hi = min(lo, d), max(hi, d)
	}
	return hi-lo <= far/100
}
