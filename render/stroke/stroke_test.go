package stroke

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plumb/render/vector"
	"plumb/render/vector/vectortest"
)

// Lines and Differs are for tests outside of the package.
var Lines, Differs = lines, differs

// lines writes a path in the form of the outlines in the test vectors.
func lines(p *vector.Path) []string {
	var out []string
	pts, w := p.Points, p.Weights
	for _, v := range p.Verbs {
		var b strings.Builder
		b.WriteByte("MLQCKZ"[v])
		for _, q := range pts[:v.Points()] {
			fmt.Fprintf(&b, " %.5f %.5f", q.X, q.Y)
		}
		pts = pts[v.Points():]
		if v == vector.Conic {
			fmt.Fprintf(&b, " %.5f", w[0])
			w = w[1:]
		}
		out = append(out, b.String())
	}
	return out
}

// differs compares two verbs with their numbers.
func differs(got, want string, tol float64) bool {
	g, w := strings.Fields(got), strings.Fields(want)
	if len(g) != len(w) || g[0] != w[0] {
		return true
	}
	for i := 1; i < len(g); i++ {
		var x, y float64
		fmt.Sscan(g[i], &x)
		fmt.Sscan(w[i], &y)
		if !(math.Abs(x-y) <= tol) {
			return true
		}
	}
	return false
}

// outline returns the outline of SVG path data as text.
func outline(t testing.TB, d string, width, res float32) []string {
	t.Helper()
	p, err := vectortest.Parse(d)
	if err != nil {
		t.Fatal(err)
	}
	var dst vector.Path
	new(Stroker).Outline(&dst, p, width, res)
	return lines(&dst)
}

func TestResolution(t *testing.T) {
	for _, c := range []struct {
		m    vector.Matrix
		want float32
	}{
		{vector.Identity, 1},
		{vector.Matrix{A: 3, B: 4, C: 0, D: 1}, 5},
		{vector.Matrix{A: 0.5, D: 2, E: 100}, 2},
		{vector.Matrix{}, 0},
	} {
		if got := Resolution(c.m); got != c.want {
			t.Errorf("%+v: got %g; want %g", c.m, got, c.want)
		}
	}
}

// TestWorkedExample checks the outline of one quadratic, point by point. See
// docs/spec/raster.md#r7.
func TestWorkedExample(t *testing.T) {
	got := outline(t, "M 5 5 Q 30 2 40 30", 3.5, 1)
	want := []string{
		"M 4.7915 3.2625", "Q 31.1783 0.0961 41.6480 29.4114",
		"K 42.2366 31.0595 40.5886 31.6480 0.7071", "K 38.9405 32.2366 38.3520 30.5886 0.7071",
		"Q 28.8217 3.9039 5.2085 6.7375",
		"K 3.4710 6.9460 3.2625 5.2085 0.7071", "K 3.0540 3.4710 4.7915 3.2625 0.7071", "Z",
	}
	if !slices.EqualFunc(got, want, func(g, w string) bool { return !differs(g, w, 1e-3) }) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Outlines consist of these verbs, written as letters.
func TestShapes(t *testing.T) {
	const dot = "MLKKLKKZ"
	for _, c := range []struct{ name, d, want string }{
		{"nothing", "", ""},
		{"only a point", "M 3 3", ""},
		{"dot", "M 3 3 L 3 3", dot},
		{"closed dot", "M 3 3 Z", dot},
		{"closed dot with a line", "M 3 3 L 3 3 Z", dot},
		{"dots merge", "M 3 3 L 3 3 L 3 3", dot},
		{"no dot before a line", "M 3 3 L 3 3 L 9 3", dot},
		{"no dot after a line", "M 3 3 L 9 3 L 9 3", dot},
		{"quadratic without length", "M 3 3 Q 3 3 3 3", dot},
		{"straight quadratic", "M 3 3 Q 5 3 9 3", dot},
		{"cubic with one leg", "M 0 0 C 0 0 9 3 9 3", dot},
		{"hardly bent cubic that ends across", "M 0 110 C 0 49.25 0.224 0 0.5 0", "MQKKQLQQQQQKKZ"},
		{"the same backwards is flat", "M 0.5 0 C 0.224 0 0 49.25 0 110", "MLLLLKKLKLKKZ"},
		{"straight on", "M 0 0 L 5 0 L 9 0", "MLLKKLLKKZ"},
		{"right angle", "M 0 0 L 5 0 L 5 5", "MLKLKKLLLLKKZ"},
		{"back again", "M 0 0 L 5 0 L 0 0", "MLLLLKKLKKLKKZ"},
		{"two lines", "M 0 0 L 5 0 M 0 9 L 5 9", dot + dot},
		{"closed triangle", "M 0 0 L 9 0 L 0 9 Z", "MLKKLKKLKZMLLLLLLLLLZ"},
		{"closed rectangle", "M 0 0 H 9 V 9 H 0 Z", "MLKLKLKLKZMLLLZ"},
		{"flat closed rectangle", "M 0 0 H 9 V 2 H 0 Z", "MLKLKLKLKZ"},
	} {
		var got strings.Builder
		for _, l := range outline(t, c.d, 2, 1) {
			got.WriteByte(l[0])
		}
		g := got.String()
		if g != c.want {
			t.Errorf("%s (%q): got %s; want %s", c.name, c.d, g, c.want)
		}
	}
}

// A dot runs in the direction of its two points, however close they are: the controls of its caps stick out
// by 1.41 times the radius where that direction is diagonal.
func TestDotDirection(t *testing.T) {
	for _, c := range []struct {
		d    string
		want float32 // greatest x of the outline's points
	}{
		{"M 0 0 L 0 0", 1},
		{"M 0 0 L 0 1e-5", 1},
		{"M 0 0 L 1e-5 1e-5", math.Sqrt2},
	} {
		p, err := vectortest.Parse(c.d)
		if err != nil {
			t.Fatal(err)
		}
		var dst vector.Path
		new(Stroker).Outline(&dst, p, 2, 1)
		var got float32
		for _, q := range dst.Points {
			got = max(got, q.X)
		}
		if abs(got-c.want) > 1e-3 {
			t.Errorf("%s: the outline reaches x = %v; want %v", c.d, got, c.want)
		}
	}
}

// The outline of a curve with a cusp has a disc there, as wide as the stroke.
func TestCusp(t *testing.T) {
	const d = "M 0 0 C 10 10 0 10 10 0" // its derivative vanishes at t = 1/2
	got := outline(t, d, 2, 1)
	want := []string{"M 6 7.5", "K 6 8.5 5 8.5 0.70711", "K 4 8.5 4 7.5 0.70711", "K 4 6.5 5 6.5 0.70711", "K 6 6.5 6 7.5 0.70711", "Z"}
	if n := len(got) - len(want); n <= 0 || !slices.EqualFunc(got[n:], want, func(g, w string) bool { return !differs(g, w, 1e-3) }) {
		t.Errorf("got\n%s\nwant at the end\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// dash returns the dashes of SVG path data as one line of text.
func dash(t testing.TB, d string, dashes []float32, offset float32) (string, bool) {
	p, err := vectortest.Parse(d)
	if err != nil {
		t.Fatal(err)
	}
	var dst vector.Path
	ok := new(Dasher).Dash(&dst, p, dashes, offset, 1)
	var b strings.Builder
	for i, l := range lines(&dst) {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strings.ReplaceAll(l, ".00000", ""))
	}
	return b.String(), ok
}

func TestDash(t *testing.T) {
	f := func(v ...float32) []float32 { return v }
	for _, c := range []struct {
		name, d string
		dashes  []float32
		offset  float32
		want    string
	}{
		{"from the start", "M 0 0 L 10 0", f(3, 2), 0, "M 0 0 L 3 0 M 5 0 L 8 0"},
		{"into the first dash", "M 0 0 L 10 0", f(3, 2), 1, "M 0 0 L 2 0 M 4 0 L 7 0 M 9 0 L 10 0"},
		{"at the end of a dash", "M 0 0 L 10 0", f(3, 2), 3, "M 2 0 L 5 0 M 7 0 L 10 0"},
		{"backwards", "M 0 0 L 10 0", f(3, 2), -1, "M 1 0 L 4 0 M 6 0 L 9 0"},
		{"more than a period", "M 0 0 L 10 0", f(3, 2), 11, "M 0 0 L 2 0 M 4 0 L 7 0 M 9 0 L 10 0"},
		{"odd number counts twice", "M 0 0 L 10 0", f(4), 0, "M 0 0 L 4 0 M 8 0 L 10 0"},
		{"around a corner", "M 0 0 L 4 0 L 4 4", f(2, 1), 0, "M 0 0 L 2 0 M 3 0 L 4 0 L 4 1 M 4 2 L 4 4"},
		{"closed: last joins first", "M 0 0 H 4 V 4 H 0 Z", f(3, 2), 1,
			"M 4 0 L 4 0 L 4 3 M 3 4 L 0 4 M 0 2 L 0 0 L 2 0"},
		{"closed: gap at the end", "M 0 0 H 4 V 4 H 0 Z", f(3, 2), 0,
			"M 4 1 L 4 4 M 2 4 L 0 4 L 0 3 M 0 1 L 0 0 L 3 0"},
		{"dots", "M 0 0 L 4 0", f(0, 2), 0, "M 0 0 L 0 0 M 2 0 L 2 0"},
		{"line without length", "M 3 3 L 3 3", f(3, 2), 0, "M 3 3 L 3 3"},
		{"each subpath begins anew", "M 0 0 L 4 0 M 0 5 L 4 5", f(3, 2), 0, "M 0 0 L 3 0 M 0 5 L 3 5"},
	} {
		if got, ok := dash(t, c.d, c.dashes, c.offset); got != c.want || !ok {
			t.Errorf("%s (%q, %v, offset %g):\n got %q, %v\nwant %q", c.name, c.d, c.dashes, c.offset, got, ok, c.want)
		}
	}
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, bad := range [][]float32{nil, f(0, 0), f(3, -1), f(inf, 2), f(nan, 2), f(1e-6, 1e-6)} {
		if got, ok := dash(t, "M 0 0 L 10 0", bad, 0); ok || got != "" {
			t.Errorf("dashes %v: got %q, %v; want a refusal", bad, got, ok)
		}
	}
}

// Dashes on a curve have the given length.
func TestDashLength(t *testing.T) {
	p, err := vectortest.Parse("M 2.4 10.5 C 2.4 5.9 9.8 2.1 19 2.1 C 28.1 2.1 35.5 5.9 35.5 10.5 Q 30 30 5 20")
	if err != nil {
		t.Fatal(err)
	}
	var dst vector.Path
	if !new(Dasher).Dash(&dst, p, []float32{4, 3}, 0, Fine) {
		t.Fatal("refused")
	}
	var m pathMeasure
	var total float32
	n := 0
	m.tol = 1e-3
	flush := func() {
		if n++; n > 1 && math.Abs(float64(m.length-4)) > 0.01 {
			t.Errorf("dash %d is %g long; want 4", n-2, m.length)
		}
		total += m.length
		m.reset()
	}
	var cur vec
	pts := dst.Points
	m.length = 4 // before the first Move there is no dash
	for _, v := range dst.Verbs[:len(dst.Verbs)-1] {
		k := v.Points()
		switch v {
		case vector.Move:
			flush()
		case vector.Line:
			m.line(cur, pts[0])
		case vector.Quad:
			m.curve(quadCurve(cur, pts[0], pts[1]))
		case vector.Cubic:
			m.curve(cubicCurve(cur, pts[0], pts[1], pts[2]))
		}
		cur, pts = pts[k-1], pts[k:]
	}
	if n < 10 {
		t.Errorf("got %d dashes; want some 13", n)
	}
}

// Outlines and dashes of any input are bounded and cause no panic.
func TestHostile(t *testing.T) {
	var s Stroker
	var d Dasher
	wild := rapid.OneOf(rapid.Float32(), rapid.Float32Range(-1e9, 1e9), rapid.Float32Range(-50, 150),
		rapid.SampledFrom([]float32{0, 1, 1e9, -1e9, math.MaxFloat32, 1e-40, float32(math.Inf(1)), float32(math.NaN())}))
	rapid.Check(t, func(t *rapid.T) {
		p := new(vector.Path)
		pt := func() vec { return vec{X: wild.Draw(t, "x"), Y: wild.Draw(t, "y")} }
		p.MoveTo(pt())
		for range rapid.IntRange(1, 8).Draw(t, "segments") {
			switch rapid.IntRange(0, 4).Draw(t, "kind") {
			case 0:
				p.Close()
				p.MoveTo(pt())
			case 1:
				p.LineTo(pt())
			case 2:
				p.QuadTo(pt(), pt())
			case 3:
				p.CubicTo(pt(), pt(), pt())
			case 4:
				p.ConicTo(pt(), pt(), wild.Draw(t, "weight"))
			}
		}
		var dst vector.Path
		s.Outline(&dst, p, wild.Draw(t, "width"), wild.Draw(t, "resolution"))
		if limit := 2*(rangesPerCall+rangesPerPoint*len(p.Points)) + 600*len(p.Points); len(dst.Verbs) > limit {
			t.Fatalf("outline has %d verbs; want at most %d", len(dst.Verbs), limit)
		}
		dst.Reset()
		d.Dash(&dst, p, []float32{wild.Draw(t, "on"), wild.Draw(t, "off")}, wild.Draw(t, "offset"), wild.Draw(t, "resolution"))
		if limit := 8 * (maxDashes + 600*len(p.Points)); len(dst.Verbs) > limit {
			t.Fatalf("dashes have %d verbs; want at most %d", len(dst.Verbs), limit)
		}
	})
}

// A stroker and a dasher that were used before allocate nothing.
func TestNoAllocations(t *testing.T) {
	p, err := vectortest.Parse("M 2.4 10.5 C 2.4 5.9 9.8 2.1 19 2.1 L 35.5 10.5 Q 30 30 5 20 Z")
	if err != nil {
		t.Fatal(err)
	}
	var s Stroker
	var d Dasher
	var dashed, dst vector.Path
	if n := testing.AllocsPerRun(100, func() {
		dashed.Reset()
		dst.Reset()
		d.Dash(&dashed, p, []float32{4, 3}, 1, 1)
		s.Outline(&dst, &dashed, 2, 1)
		s.Outline(&dst, p, 2, Fine)
	}); n != 0 {
		t.Errorf("got %g allocations per path; want 0", n)
	}
}
