package scan

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"plumb/render/chord"
	"plumb/render/rastertest"
	"plumb/render/vector"
)

// grid draws a coordinate of the grid of 1/256 px that the filler works on, so
// that whole px more or less change no bit of it.
func grid(lo, hi int) *rapid.Generator[float32] {
	return rapid.Custom(func(t *rapid.T) float32 {
		return float32(rapid.IntRange(lo*256, hi*256).Draw(t, "v")) / 256
	})
}

// polygons draws closed polygons within [lo, hi] on both axes.
func polygons(t *rapid.T, lo, hi int) *vector.Path {
	p := new(vector.Path)
	for range rapid.IntRange(1, 3).Draw(t, "contours") {
		for i := range rapid.IntRange(3, 9).Draw(t, "corners") {
			q := vector.Point{X: grid(lo, hi).Draw(t, "x"), Y: grid(lo, hi).Draw(t, "y")}
			if i == 0 {
				p.MoveTo(q)
			} else {
				p.LineTo(q)
			}
		}
		p.Close()
	}
	return p
}

func rules(t *rapid.T) Rule {
	return Rule{
		EvenOdd: rapid.Bool().Draw(t, "evenodd"),
		Plain:   rapid.Bool().Draw(t, "plain"),
		Clip:    rapid.Bool().Draw(t, "clip"),
	}
}

// Whole px more or less move the bytes and change none.
func TestShift(t *testing.T) {
	var s Scanner
	rapid.Check(t, func(rt *rapid.T) {
		size := rapid.SampledFrom([]int{12, 30, 90}).Draw(rt, "size")
		// Away from the canvas: edges that drift are kept within it.
		p, r := polygons(rt, 80, 80+size), rules(rt)
		dx, dy := rapid.IntRange(0, 500).Draw(rt, "dx"), rapid.IntRange(0, 200).Draw(rt, "dy")
		clip := chord.Rect{X1: 800, Y1: 400}
		if rapid.Bool().Draw(rt, "own") {
			clip = chord.NoClip
			dx, dy = dx-300, dy-150
		}
		var a, b Coverage
		s.Append(&a, p, clip, r)
		p.Transform(vector.Matrix{A: 1, D: 1, E: float32(dx), F: float32(dy)})
		s.Append(&b, p, clip, r)
		if len(a.Spans) != len(b.Spans) || string(a.Bytes) != string(b.Bytes) {
			rt.Fatalf("moved by (%d, %d): got %d spans, %d bytes; want %d, %d", dx, dy, len(b.Spans), len(b.Bytes), len(a.Spans), len(a.Bytes))
		}
		for i, u := range a.Spans {
			u.X, u.Y = u.X+int32(dx), u.Y+int32(dy)
			if b.Spans[i] != u {
				rt.Fatalf("moved by (%d, %d): got span %v; want %v", dx, dy, b.Spans[i], u)
			}
		}
	})
}

// ring draws a polygon around a centre, with its area.
func ring(t *rapid.T, c, radius float64) (*vector.Path, float64) {
	p := new(vector.Path)
	n := rapid.IntRange(3, 12).Draw(t, "corners")
	for i := range n {
		d := radius * rapid.Float64Range(0.4, 1).Draw(t, "r")
		y, x := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		q := vector.Point{X: float32(c + d*x), Y: float32(c + d*y)}
		if i == 0 {
			p.MoveTo(q)
		} else {
			p.LineTo(q)
		}
	}
	area := 0.0
	for i, q := range p.Points {
		o := p.Points[(i+1)%n]
		area += (float64(q.X)*float64(o.Y) - float64(q.Y)*float64(o.X)) / 2
	}
	return p, math.Abs(area)
}

// A path covers about its area: quarter rows move each of its sides by at most
// an eighth of a px up or down.
func TestArea(t *testing.T) {
	var s Scanner
	rapid.Check(t, func(rt *rapid.T) {
		radius := rapid.Float64Range(4, 90).Draw(rt, "radius")
		p, want := ring(rt, 100, radius)
		got := 0.0
		var c Coverage
		first, count := s.Append(&c, p, chord.Rect{X1: 200, Y1: 200}, Rule{})
		spans(t, &c, first, count, func(x, y int, a byte) { got += float64(a) / 255 })
		if d := math.Abs(got - want); d > 0.02*want+0.15*radius+1 {
			rt.Fatalf("radius %.1f: got %.2f px; want %.2f", radius, got, want)
		}
	})
}

// A cut path is inside what the whole one is there.
func TestCut(t *testing.T) {
	var s Scanner
	rapid.Check(t, func(rt *rapid.T) {
		p, _ := ring(rt, 80, rapid.Float64Range(20, 79).Draw(rt, "radius"))
		whole := coverageOf(t, &s, p, 160, 160, chord.Rect{X1: 160, Y1: 160}, Rule{Plain: true})
		clip := chord.Rect{X0: 50, Y0: 60, X1: 100, Y1: 130}
		cut := coverageOf(t, &s, p, 160, 160, clip, Rule{Plain: true})
		sum := 0
		for i, a := range cut.a {
			x, y := int32(i%160), int32(i/160)
			if x < clip.X0 || y < clip.Y0 || x >= clip.X1 || y >= clip.Y1 {
				if a != 0 {
					rt.Fatalf("pixel %d %d outside of the clip is %d", x, y, a)
				}
				continue
			}
			d := int(a) - int(whole.a[i])
			sum += max(d, -d)
		}
		if sum > 255*20 {
			rt.Fatalf("the cut path differs by %d px in all", sum/255)
		}
	})
}

// Full runs are long, and no long run is left in bytes where a shape is plain.
func TestFullRuns(t *testing.T) {
	p := new(vector.Path)
	p.MoveTo(vector.Point{X: 3.5, Y: 2.25})
	p.LineTo(vector.Point{X: 90.5, Y: 6})
	p.LineTo(vector.Point{X: 80, Y: 60.5})
	p.LineTo(vector.Point{X: 10, Y: 50})
	var s Scanner
	var c Coverage
	first, count := s.Append(&c, p, chord.Rect{X1: 100, Y1: 80}, Rule{})
	full := 0
	for _, u := range c.Spans[first : first+count] {
		if u.FirstByte == Full {
			full++
			if u.Width < longRun {
				t.Errorf("full span %v; want %d px or more", u, longRun)
			}
		}
	}
	if full < 40 || len(c.Bytes) > 700 {
		t.Errorf("got %d full spans and %d bytes; want about 50 and 500", full, len(c.Bytes))
	}
}

// Paths whose edges cross everywhere cost little more than their pixels.
func TestTangle(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	p := new(vector.Path)
	p.MoveTo(vector.Point{})
	for range 20_000 {
		p.LineTo(vector.Point{X: r.Float32()*500 - 50, Y: r.Float32()*300 - 50})
	}
	var s Scanner
	m := coverageOf(t, &s, p, 400, 200, chord.Rect{X1: 400, Y1: 200}, Rule{})
	sum := 0
	for _, a := range m.a {
		sum += int(a)
	}
	if sum < 255*len(m.a)*9/10 {
		t.Errorf("got %d of %d covered", sum, 255*len(m.a))
	}
}

// shapes draws paths of all kinds: polygons, chains of curves, strokes of them
// that cross themselves, from specks to more than the canvas.
func shapes(t *rapid.T) *vector.Path {
	size := rapid.SampledFrom([]int{4, 24, 60, 160, 2000}).Draw(t, "size")
	x, y := rapid.IntRange(-20, 160).Draw(t, "x0"), rapid.IntRange(-20, 160).Draw(t, "y0")
	at := func() vector.Point {
		return vector.Point{X: float32(x) + grid(0, size).Draw(t, "x"), Y: float32(y) + grid(0, size).Draw(t, "y")}
	}
	p := new(vector.Path)
	for range rapid.IntRange(1, 3).Draw(t, "contours") {
		p.MoveTo(at())
		for range rapid.IntRange(2, 9).Draw(t, "verbs") {
			switch rapid.IntRange(0, 3).Draw(t, "verb") {
			case 0:
				p.LineTo(at())
			case 1:
				p.QuadTo(at(), at())
			case 2:
				p.CubicTo(at(), at(), at())
			default: // a short one
				q := p.Points[len(p.Points)-1]
				p.LineTo(vector.Point{X: q.X + grid(-4, 4).Draw(t, "dx"), Y: q.Y + grid(-4, 4).Draw(t, "dy")})
			}
		}
		if rapid.Bool().Draw(t, "close") {
			p.Close()
		}
	}
	if rapid.Bool().Draw(t, "stroke") {
		d := rastertest.Draw{Path: p, M: vector.Identity, Width: rapid.Float32Range(0.5, 12).Draw(t, "width")}
		return d.Stroked(1)
	}
	return p
}

// Cells hold the same pixels, in spans that begin and end between cells. Their
// rows are drawn in words, and many at once, which pixels are not.
func TestCells(t *testing.T) {
	var s Scanner
	rapid.Check(t, func(rt *rapid.T) {
		p, r := shapes(rt), rules(rt)
		size := rapid.SampledFrom([]int{128, 140, 150}).Draw(rt, "canvas")
		clip := chord.Rect{X1: int32(size), Y1: int32(size)}
		want := coverageOf(t, &s, p, size, size, clip, r)
		r.Cells = true
		got := coverageOf(t, &s, p, size, size, clip, r)
		if !bytes.Equal(got.a, want.a) {
			rt.Fatal("got another picture")
		}
		var c Coverage
		s.Append(&c, p, clip, r)
		for _, u := range c.Spans {
			if u.X%Cell != 0 || u.Width%Cell != 0 {
				rt.Fatalf("got span %v; want whole cells", u)
			}
		}
		for i := range s.row.sums {
			if s.row.sums[i] != 0 || s.row.direct[i] != 0 {
				rt.Fatalf("column %d is not empty after a path", i)
			}
		}
		for i := range s.row.riseBy {
			if s.row.riseBy[i] != 0 || s.row.marks[i>>6] != 0 {
				rt.Fatalf("cell %d is not empty after a path", i)
			}
		}
	})
}

// A path that is used again costs no memory.
func TestNoAllocation(t *testing.T) {
	exports, _ := scenes(t, "balance")
	var s Scanner
	var c Coverage
	run := func() {
		c.Reset()
		for _, f := range exports[0].fills {
			s.Append(&c, f.p, chord.Rect{X1: 1400, Y1: 800}, Rule{})
		}
	}
	run()
	if n := testing.AllocsPerRun(10, run); n != 0 {
		t.Errorf("got %g allocations; want 0", n)
	}
}

// decode makes a path of any bytes: verbs, and coordinates of every size.
func decode(b []byte) *vector.Path {
	p := new(vector.Path)
	next := func() vector.Point {
		var v [2]float32
		for i := range v {
			if len(b) < 3 {
				b = nil
				break
			}
			n := float32(int16(binary.LittleEndian.Uint16(b)))
			switch b[2] % 8 {
			case 0:
				v[i] = n * 1e11
			case 1:
				v[i] = n * 1e-3
			case 2:
				v[i] = math.Float32frombits(uint32(b[0])<<24 | uint32(b[1])<<16)
			default:
				v[i] = n / 256
			}
			b = b[3:]
		}
		return vector.Point{X: v[0], Y: v[1]}
	}
	p.MoveTo(next())
	for len(b) > 1 {
		v := b[0]
		b = b[1:]
		switch v % 6 {
		case 0:
			p.MoveTo(next())
		case 1:
			p.LineTo(next())
		case 2:
			p.QuadTo(next(), next())
		case 3:
			p.CubicTo(next(), next(), next())
		case 4:
			p.ConicTo(next(), next(), float32(v)/64)
		case 5:
			p.Close()
			p.MoveTo(next())
		}
	}
	return p
}

// No path breaks the filler, and none leaves more than the canvas.
func FuzzAppend(f *testing.F) {
	f.Add([]byte{}, byte(0))
	f.Add([]byte{1, 2, 3, 4, 5, 6, 1, 200, 100, 9, 80, 40, 5, 3, 1, 2, 0, 9, 9, 9, 1, 1, 1, 70, 3, 3}, byte(1))
	f.Fuzz(func(t *testing.T, b []byte, flags byte) {
		p := decode(b)
		r := Rule{EvenOdd: flags&1 != 0, Plain: flags&2 != 0, Clip: flags&4 != 0}
		var s Scanner
		pixels := coverageOf(t, &s, p, 90, 60, chord.Rect{X1: 90, Y1: 60}, r)
		r.Cells = true
		for range 2 { // again, with what the first time has left
			cells := coverageOf(t, &s, p, 90, 60, chord.Rect{X1: 90, Y1: 60}, r)
			if !bytes.Equal(cells.a, pixels.a) {
				t.Fatal("in cells: got another picture")
			}
		}
		for i := range s.row.sums {
			if s.row.sums[i] != 0 || s.row.direct[i] != 0 {
				t.Fatalf("column %d is not empty after a path", i)
			}
		}
		r.Cells = false
		lo, hi, ok := chord.Bounds(p)
		if ok && hi.X-lo.X < 400 && hi.Y-lo.Y < 400 {
			var c Coverage
			first, count := s.Append(&c, p, chord.NoClip, r)
			spans(t, &c, first, count, func(x, y int, a byte) {
				if float32(x) < lo.X-1 || float32(y) < lo.Y-1 || float32(x) > hi.X || float32(y) > hi.Y {
					t.Fatalf("pixel %d %d is outside of the path", x, y)
				}
			})
		}
	})
}

// Where thousands of edges begin in one row among thousands of others, the fill is that of its parts: a
// comb of narrow teeth between longer teeth, drawn as one path and in groups. Alpha may differ by 2, because rounding
// does.
func TestManyEdgesBegin(t *testing.T) {
	const teeth, group = 700, 50
	comb := func(from, to int) *vector.Path {
		p := new(vector.Path)
		tooth := func(x, top, bottom float32) {
			p.MoveTo(vector.Point{X: x, Y: top})
			p.LineTo(vector.Point{X: x + 0.1, Y: bottom})
			p.LineTo(vector.Point{X: x + 0.4, Y: bottom})
			p.LineTo(vector.Point{X: x + 0.3, Y: top})
			p.Close()
		}
		for i := from; i < to; i++ {
			tooth(float32(i)+0.1, 2.1, 12.3)
			tooth(float32(i)+0.5, 5.6, 9.9)
		}
		return p
	}
	clip := chord.Rect{X1: teeth + 50, Y1: 20}
	var scanner Scanner
	whole := coverageOf(t, &scanner, comb(0, teeth), teeth+50, 20, clip, Rule{})
	parts := make([]byte, len(whole.a))
	for from := 0; from < teeth; from += group {
		for i, a := range coverageOf(t, &scanner, comb(from, from+group), teeth+50, 20, clip, Rule{}).a {
			parts[i] += a
		}
	}
	for i, want := range parts {
		if got := whole.a[i]; max(got, want)-min(got, want) > 2 {
			t.Fatalf("pixel %d of row %d: got %d; want %d, as in the parts", i%(teeth+50), i/(teeth+50), got, want)
		}
	}
}
