package scan

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"

	"plumb/render/chord"
	"plumb/render/vector"
)

// boxes returns rectangles, each left, top, right, bottom, as one path.
func boxes(all ...[4]float32) *vector.Path {
	p := new(vector.Path)
	for _, b := range all {
		p.MoveTo(vector.Point{X: b[0], Y: b[1]})
		p.LineTo(vector.Point{X: b[2], Y: b[1]})
		p.LineTo(vector.Point{X: b[2], Y: b[3]})
		p.LineTo(vector.Point{X: b[0], Y: b[3]})
		p.Close()
	}
	return p
}

// Rectangles side by side make one full span in a row that is drawn in parts, because another rectangle
// begins in its middle.
func TestSideBySide(t *testing.T) {
	var s Scanner
	var c Coverage
	s.Append(&c, boxes([4]float32{10, 0, 45, 9}, [4]float32{45, 0, 80, 9}, [4]float32{90, 0.5, 120, 9}), chord.Rect{X1: 130, Y1: 10}, Rule{})
	if want := (Span{X: 10, Width: 70, FirstByte: Full}); len(c.Spans) == 0 || c.Spans[0] != want {
		t.Errorf("got %v; want %v first", c.Spans, want)
	}
}

// Many rectangles in a row cover what a few of them cover at a time, in rows that are drawn in quarters.
func TestManyInARow(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	canvas := chord.Rect{X1: 3000, Y1: 4}
	var quarters, list [][4]float32 // quarters begin in every quarter row
	for i := float32(0); i < 12; i++ {
		quarters = append(quarters, [4]float32{2950 + 3*i, i / 4, 2952 + 3*i, 3.75})
	}
	for x := float32(2); x < 2880; x += 60 {
		top := float32(r.IntN(4)) / 4
		list = append(list, [4]float32{x + r.Float32()*4, top, x + 30 + r.Float32()*20, 3 - top})
	}
	var s Scanner
	for rule := range 16 {
		all := coverageOf(t, &s, boxes(append(list, quarters...)...), 3000, 4, canvas, ruleOf(rule))
		want := newImage(3000, 4)
		for few := range slices.Chunk(list, 3) {
			for i, a := range coverageOf(t, &s, boxes(append(few[:3:3], quarters...)...), 3000, 4, canvas, ruleOf(rule)).a {
				want.a[i] = max(want.a[i], a)
			}
		}
		if !bytes.Equal(all.a, want.a) {
			t.Errorf("%+v: got another coverage than of a few at a time", ruleOf(rule))
		}
	}
}

// A path left of and above 0 without a clip has the coverage that it has elsewhere.
func TestBelowZero(t *testing.T) {
	for _, rule := range []Rule{{}, {Cells: true}, {Clip: true, Cells: true}} {
		var c [2]Coverage
		for i, by := range []float32{-800, 0} {
			p := new(vector.Path)
			for _, q := range [][2]float32{{161, 160.25}, {397, 200}, {380.5, 330}, {250, 180}, {170, 320}} {
				p.LineTo(vector.Point{X: q[0] + by, Y: q[1] + by})
			}
			p.Verbs[0] = vector.Move
			p.Close()
			new(Scanner).Append(&c[i], p, chord.NoClip, rule)
		}
		for i, s := range c[0].Spans {
			c[0].Spans[i].X, c[0].Spans[i].Y = s.X+800, s.Y+800
		}
		if !slices.Equal(c[0].Spans, c[1].Spans) || !bytes.Equal(c[0].Bytes, c[1].Bytes) {
			t.Errorf("%+v: got other coverage below 0 than above", rule)
		}
	}
}

// Edges are sorted by their top, x, slope and index, however far apart they are.
func TestSortEdges(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		var s Scanner
		span := int64(1) << (1 + r.IntN(53))
		for range 2 + r.IntN(40) {
			s.edges.List = append(s.edges.List, chord.Edge{Top: int32(r.Int64N(min(span, 1<<18)) - min(span, 1<<18)/2), X: r.Int64N(span) - span/2, Slope: r.Int64N(3) - 1})
		}
		s.sortEdges()
		want := make([]int32, len(s.edges.List))
		for i := range want {
			want[i] = int32(i)
		}
		slices.SortFunc(want, func(i, j int32) int {
			a, b := &s.edges.List[i], &s.edges.List[j]
			return cmp.Or(cmp.Compare(a.Top, b.Top), cmp.Compare(a.X, b.X), cmp.Compare(a.Slope, b.Slope), cmp.Compare(i, j))
		})
		for i, o := range s.order {
			if o.edge != want[i] || o.top != s.edges.List[o.edge].Top {
				t.Fatalf("%d edges within %d: edge %d in place %d; want %d", len(want), span, o.edge, i, want[i])
			}
		}
	}
}

// Polygons with corners on a coarse grid, where many edges begin, end and cross in one place, and paths
// of very many edges, long ones and some shorter than a row, are kept as hashes.
func TestGoldenCoarse(t *testing.T) {
	coarse := func(r *rand.Rand) *vector.Path {
		at := func() vector.Point { return vector.Point{X: float32(r.IntN(9)) * 12, Y: float32(r.IntN(9)) * 10} }
		p := new(vector.Path)
		for range 1 + r.IntN(3) {
			p.MoveTo(at())
			for range 2 + r.IntN(6) {
				p.LineTo(at())
			}
			p.Close()
		}
		return p
	}
	long := func(r *rand.Rand) *vector.Path {
		p := new(vector.Path)
		at := vector.Point{X: 50, Y: 50}
		p.MoveTo(at)
		for range 15_000 {
			at = vector.Point{X: r.Float32() * 300, Y: r.Float32() * 90}
			p.LineTo(at)
			p.LineTo(vector.Point{X: at.X + r.Float32()*3, Y: at.Y + r.Float32()/4})
		}
		p.Close()
		return p
	}
	clip := chord.Rect{X0: 5, Y0: 3, X1: 101, Y1: 80}
	for _, c := range []struct {
		name  string
		make  func(*rand.Rand) *vector.Path
		paths int
		rules []int
		want  uint64
	}{
		{"coarse", coarse, 100, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, 0x37ce14a72e729366},
		{"long", long, 1, []int{1, 12}, 0x6587bdfbec1d1962},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := xxhash.New()
			for _, rule := range c.rules {
				h.Write(binary.LittleEndian.AppendUint64(nil, hashOf(c.make, c.paths, clip, ruleOf(rule))))
			}
			if got := h.Sum64(); got != c.want {
				t.Errorf("got %#x; want %#x", got, c.want)
			}
		})
	}
}

// A curve that leaves the clip at its side, between rows, has the same pixels in cells, which are drawn
// many rows at a time. So has its mirror image.
func TestLeavesClip(t *testing.T) {
	clip := chord.Rect{X0: 21, Y0: 13, X1: 98, Y1: 71}
	for _, mirrored := range []bool{false, true} {
		at := func(x, y float32) vector.Point {
			if mirrored {
				x = float32(clip.X0+clip.X1) - x
			}
			return vector.Point{X: x, Y: y}
		}
		p := new(vector.Path)
		p.MoveTo(at(29.98046875, 70.9765625))
		p.CubicTo(at(30.26953125, 84.98828125), at(5.828125, 90.16796875), at(36.296875, 22.26953125))
		p.Close()
		var s Scanner
		pixels := coverageOf(t, &s, p, 120, 80, clip, Rule{})
		cells := coverageOf(t, &s, p, 120, 80, clip, Rule{Cells: true})
		if !bytes.Equal(pixels.a, cells.a) {
			t.Errorf("mirrored %v: got another picture in cells", mirrored)
		}
	}
}
