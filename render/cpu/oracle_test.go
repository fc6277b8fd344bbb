package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"plumb/render/batch"
	"plumb/render/metric"
	"plumb/render/outline"
	"plumb/render/scan"
)

// measure runs the whole tile stage on the CPU for one drawing.
func measure(d *outline.Drawing) metric.Tally {
	var bin batch.Binner
	var t batch.Tiled
	var b batch.Batch
	bin.Bin(d, &t)
	b.Pack([]*batch.Tiled{&t})
	rows := make([]batch.RowSums, len(b.Runs)*batch.TileH)
	Rows(&b, 0, len(b.Runs), rows)
	return b.Tallies(nil, rows)[0]
}

// slow is the reference: every item's signed area over the whole picture in
// float64, composited back to front. It shares nothing with the tile stage.
func slow(d *outline.Drawing) metric.Tally {
	w, h := d.Width, d.Height
	cover := make([][]float64, len(d.Items))
	for k := range d.Items {
		if it := &d.Items[k]; it.Scanned {
			cover[k] = slowSpans(d, it)
		} else {
			cover[k] = slowCoverage(d.Segments[it.First:it.First+it.Count], w, h, it.EvenOdd)
		}
	}
	var t metric.Tally
	for y := range h {
		for x := range w {
			a := slowPixel(d, cover, y*w+x)
			for i, s := range []*metric.Sums{&t.A, &t.B} {
				v := uint64(math.Round(a[i] * metric.One))
				s.Alpha += v
				s.AlphaX += v * uint64(x)
				s.AlphaY += v * uint64(y)
				if v >= metric.CoveredFrom {
					s.Covered++
				}
			}
			if math.Round(a[0]*metric.One) >= metric.CoveredFrom && math.Round(a[1]*metric.One) >= metric.CoveredFrom {
				t.Both++
			}
		}
	}
	return t
}

func slowPixel(d *outline.Drawing, cover [][]float64, at int) (alpha [2]float64) {
	united, group := 0.0, 0.0
	for k := range d.Items {
		it := &d.Items[k]
		c := cover[k][at]
		if it.Op == outline.OpClip {
			continue
		}
		united = max(united, c)
		if it.Op == outline.OpUnite {
			continue
		}
		c, united = united, 0
		if it.Table != 0 {
			c = float64(d.Tables[it.Table-1][int(c*255+0.5)]) / 255
		}
		if it.Clip >= 0 {
			c *= cover[it.Clip][at]
		}
		set := 0
		if it.Second {
			set = 1
		}
		c *= float64(it.Opacity) / outline.Opaque
		if it.Group == 0 {
			alpha[set] += c * (1 - alpha[set])
			continue
		}
		group += c * (1 - group)
		if k+1 == len(d.Items) || d.Items[k+1].Group != it.Group {
			g := group * float64(d.Groups[it.Group-1]) / outline.Opaque
			alpha[set] += g * (1 - alpha[set])
			group = 0
		}
	}
	return alpha
}

// slowCoverage integrates each segment over each pixel row and column.
func slowCoverage(segs []outline.Segment, w, h int, evenOdd bool) []float64 {
	sum := make([]float64, w*h)
	for _, s := range segs {
		x0, y0 := float64(s.X0)/outline.Unit, float64(s.Y0)/outline.Unit
		x1, y1 := float64(s.X1)/outline.Unit, float64(s.Y1)/outline.Unit
		if y0 == y1 {
			continue
		}
		for y := max(0, int(math.Floor(min(y0, y1)))); y < min(h, int(math.Ceil(max(y0, y1)))); y++ {
			a, b := min(max(y0, float64(y)), float64(y+1)), min(max(y1, float64(y)), float64(y+1))
			xa, xb := x0+(a-y0)*(x1-x0)/(y1-y0), x0+(b-y0)*(x1-x0)/(y1-y0)
			lo, hi := min(xa, xb), max(xa, xb)
			right := func(v float64) float64 {
				q := min(max(v-lo, 0), hi-lo)
				g := max(0, v-hi)
				if hi > lo {
					g += q * q / (2 * (hi - lo))
				}
				return g
			}
			for x := range w {
				sum[y*w+x] += (b - a) * (right(float64(x+1)) - right(float64(x)))
			}
		}
	}
	for i, v := range sum {
		if evenOdd {
			sum[i] = math.Abs(v - 2*math.Floor(v/2+0.5))
		} else {
			sum[i] = min(math.Abs(v), 1)
		}
	}
	return sum
}

// slowSpans puts the bytes of an item where they belong.
func slowSpans(d *outline.Drawing, it *outline.Item) []float64 {
	cover := make([]float64, d.Width*d.Height)
	for _, s := range d.Coverage.Spans[it.First : it.First+it.Count] {
		for i := range s.N {
			x, y := int(s.X+i), int(s.Y)
			if x < 0 || y < 0 || x >= d.Width || y >= d.Height {
				continue
			}
			cover[y*d.Width+x] = 1
			if s.At != scan.Full {
				cover[y*d.Width+x] = float64(d.Coverage.Bytes[s.At+i]) / 255
			}
		}
	}
	return cover
}

// block adds an item of spans: a ragged block that may leave the picture, with
// bytes at its sides and gaps inside, or without them in whole tiles.
func block(r *rand.Rand, d *outline.Drawing, it outline.Item) {
	it.Scanned, it.First = true, int32(len(d.Coverage.Spans))
	x0, y0 := int32(r.IntN(d.Width+40)-20), int32(r.IntN(d.Height+20)-10)
	x1, y1 := x0+int32(r.IntN(d.Width+20)), y0+int32(r.IntN(d.Height+10))
	aligned := r.IntN(2) == 0
	if aligned {
		x0, x1, y0, y1 = x0&^15, x1&^15, y0&^7, y1&^7
	}
	add := func(x, y, n int32, full bool) {
		if n <= 0 {
			return
		}
		s := scan.Span{X: x, Y: y, N: n, At: scan.Full}
		if !full {
			s.At = int32(len(d.Coverage.Bytes))
			for range n {
				d.Coverage.Bytes = append(d.Coverage.Bytes, byte(r.IntN(256)))
			}
		}
		d.Coverage.Spans = append(d.Coverage.Spans, s)
	}
	for y := y0; y < y1; y++ {
		if aligned && r.IntN(30) > 0 {
			add(x0, y, x1-x0, true)
			continue
		}
		a, b := int32(r.IntN(20)), int32(r.IntN(20))
		add(x0, y, a, false)
		add(x0+a, y, x1-x0-a-b-2, true)
		add(max(x1-b, x0+a), y, b, false)
	}
	it.Count = int32(len(d.Coverage.Spans)) - it.First
	d.Items = append(d.Items, it)
}

// polygon adds a closed outline through points in px.
func polygon(d *outline.Drawing, it outline.Item, pts ...[2]float64) {
	it.First = int32(len(d.Segments))
	px := func(v float64) int32 { return int32(math.Round(v * outline.Unit)) }
	for i, p := range pts {
		q := pts[(i+1)%len(pts)]
		if s := (outline.Segment{X0: px(p[0]), Y0: px(p[1]), X1: px(q[0]), Y1: px(q[1])}); s.Y0 != s.Y1 {
			d.Segments = append(d.Segments, s)
		}
	}
	it.Count = int32(len(d.Segments)) - it.First
	d.Items = append(d.Items, it)
}

func opaque() outline.Item { return outline.Item{Opacity: outline.Opaque, Clip: -1} }

func box(x, y, w, h float64) [][2]float64 {
	return [][2]float64{{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}}
}

// TestKnownAreas compares with areas and centres known by hand.
func TestKnownAreas(t *testing.T) {
	tests := []struct {
		name          string
		w, h          int
		pts           [][2]float64
		area, cx, cy  float64
		covered, tolA float64
	}{
		{"empty", 40, 20, nil, 0, 0, 0, 0, 0},
		{"one pixel", 1, 1, box(0, 0, 1, 1), 1, 0.5, 0.5, 1, 0},
		{"whole tile", 16, 8, box(0, 0, 16, 8), 128, 8, 4, 128, 0},
		{"on tile edges", 64, 32, box(16, 8, 32, 16), 512, 32, 16, 512, 0},
		{"half pixels", 64, 32, box(3.5, 2.5, 20, 10), 200, 13.5, 7.5, 231, 0},
		{"left of the picture", 64, 32, box(-20, 4, 30, 8), 80, 5, 8, 80, 0},
		{"beyond all sides", 33, 17, box(-100, -100, 300, 300), 561, 16.5, 8.5, 561, 0},
		{"wholly left", 33, 17, box(-100, 2, 50, 10), 0, 0, 0, 0, 0},
		{"wholly right", 33, 17, box(40, 2, 50, 10), 0, 0, 0, 0, 0},
		{"triangle", 64, 64, [][2]float64{{0, 0}, {32, 0}, {0, 32}}, 512, 32.0 / 3, 32.0 / 3, 528, 1e-4},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			d := &outline.Drawing{Width: c.w, Height: c.h}
			if c.pts != nil {
				polygon(d, opaque(), c.pts...)
			}
			got := measure(d).A
			if a := float64(got.Alpha) / metric.One; math.Abs(a-c.area) > c.tolA {
				t.Errorf("area: got %v; want %v", a, c.area)
			}
			x, y, ok := got.CentreOfMass()
			if ok != (c.area > 0) {
				t.Fatalf("centre exists: got %v; want %v", ok, c.area > 0)
			}
			// The mean of pixel centres is not the centroid of partly covered
			// pixels; only shapes that are symmetric per pixel agree exactly.
			if ok && c.name != "triangle" && (math.Abs(x-c.cx) > 1e-9 || math.Abs(y-c.cy) > 1e-9) {
				t.Errorf("centre: got (%v, %v); want (%v, %v)", x, y, c.cx, c.cy)
			}
			if float64(got.Covered) != c.covered {
				t.Errorf("covered: got %d; want %v", got.Covered, c.covered)
			}
		})
	}
}

// Random returns a drawing that has everything: vertices on tile edges and
// corners, parts off the picture, clips, groups, two sets, unions, tables.
func random(r *rand.Rand, w, h int) *outline.Drawing {
	d := &outline.Drawing{Width: w, Height: h}
	table := new(outline.ContrastTable)
	for i := range table {
		table[i] = uint8(math.Round(255 * math.Pow(float64(i)/255, 0.8)))
	}
	d.Tables = append(d.Tables, table)
	coordinate := func(side, tile int) float64 {
		v := r.Float64()*float64(side)*1.4 - 0.2*float64(side)
		switch r.IntN(4) {
		case 0:
			return math.Round(v/float64(tile)) * float64(tile)
		case 1:
			return math.Round(v)
		}
		return v
	}
	shape := func(it outline.Item) {
		if r.IntN(3) == 0 {
			block(r, d, it)
			return
		}
		n := 3 + r.IntN(6)
		pts := make([][2]float64, n)
		for i := range pts {
			pts[i] = [2]float64{coordinate(w, batch.TileW), coordinate(h, batch.TileH)}
			if i > 0 && r.IntN(4) == 0 {
				pts[i][r.IntN(2)] = pts[i-1][0]
			}
		}
		it.EvenOdd = r.IntN(3) == 0
		polygon(d, it, pts...)
	}
	for range 1 + r.IntN(6) {
		it := opaque()
		it.Second = r.IntN(3) == 0
		it.Color = [3]uint8{uint8(r.IntN(256)), uint8(r.IntN(256)), uint8(r.IntN(256))}
		if r.IntN(3) == 0 {
			it.Opacity = uint32(r.IntN(outline.Opaque + 1))
		}
		if r.IntN(4) == 0 {
			clip := opaque()
			clip.Op = outline.OpClip
			shape(clip)
			it.Clip = int32(len(d.Items) - 1)
		}
		members := 1
		if r.IntN(4) == 0 {
			d.Groups = append(d.Groups, uint32(r.IntN(outline.Opaque+1)))
			it.Group = int32(len(d.Groups))
			members = 1 + r.IntN(3)
		}
		for range members {
			if r.IntN(3) == 0 {
				u := it
				u.Op = outline.OpUnite
				shape(u)
			}
			if r.IntN(4) == 0 {
				it.Table = 1
			}
			shape(it)
		}
	}
	return d
}

// TestAgainstSlowReference holds the tile stage against the slow reference. The
// table rounds coverage to 8 bits, where a last bit can tip a step of 1/255, so
// the bounds are per pixel that differs.
func TestAgainstSlowReference(t *testing.T) {
	sizes := [][2]int{{1, 1}, {16, 8}, {16, 16}, {17, 33}, {64, 40}, {130, 50}, {600, 9}}
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		size := sizes[int(seed)%len(sizes)]
		d := random(r, size[0], size[1])
		got, want := measure(d), slow(d)
		px := float64(size[0] * size[1])
		// Cuts at tile columns are rounded to 1/1024 px, so along a nearly level
		// edge some pixels lie on the other side of the rule for covered ones.
		rim := 2 + float64(size[0])/60
		for i, p := range [][2]metric.Sums{{got.A, want.A}, {got.B, want.B}} {
			if diff := math.Abs(float64(p[0].Alpha)-float64(p[1].Alpha)) / metric.One; diff > 2e-4*px+0.01 {
				t.Errorf("seed %d, set %d: alpha %v; want %v (%d x %d px)", seed, i,
					float64(p[0].Alpha)/metric.One, float64(p[1].Alpha)/metric.One, size[0], size[1])
			}
			if diff := math.Abs(float64(p[0].Covered) - float64(p[1].Covered)); diff > rim {
				t.Errorf("seed %d, set %d: covered %d; want %d", seed, i, p[0].Covered, p[1].Covered)
			}
		}
		if diff := math.Abs(float64(got.Both) - float64(want.Both)); diff > rim {
			t.Errorf("seed %d: both %d; want %d", seed, got.Both, want.Both)
		}
	}
}

// TestOrderAndPlace: shuffled segments give equal sums, and a drawing moved by
// whole pixels gives the same sums with its centre moved by just that.
func TestOrderAndPlace(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		d := random(r, 90, 40)
		inner := &outline.Drawing{Width: 400, Height: 200, Tables: d.Tables, Groups: d.Groups, Items: d.Items, Coverage: d.Coverage}
		for i := range inner.Coverage.Spans {
			inner.Coverage.Spans[i].X += 64
			inner.Coverage.Spans[i].Y += 64
		}
		for _, s := range d.Segments { // well inside, so that nothing is cut
			inner.Segments = append(inner.Segments, outline.Segment{
				X0: s.X0 + 64*outline.Unit, Y0: s.Y0 + 64*outline.Unit, X1: s.X1 + 64*outline.Unit, Y1: s.Y1 + 64*outline.Unit})
		}
		want := measure(inner)
		for k := range inner.Items {
			it := &inner.Items[k]
			if it.Scanned {
				continue
			}
			segs := inner.Segments[it.First : it.First+it.Count]
			r.Shuffle(len(segs), func(i, j int) { segs[i], segs[j] = segs[j], segs[i] })
		}
		if got := measure(inner); got != want {
			t.Errorf("seed %d: shuffled segments: got %+v; want %+v", seed, got, want)
		}
		for _, by := range [][2]int32{{32, 16}, {16, 8}} {
			for i := range inner.Segments {
				s := &inner.Segments[i]
				s.X0, s.X1 = s.X0+by[0]*outline.Unit, s.X1+by[0]*outline.Unit
				s.Y0, s.Y1 = s.Y0+by[1]*outline.Unit, s.Y1+by[1]*outline.Unit
			}
			for i := range inner.Coverage.Spans {
				inner.Coverage.Spans[i].X += by[0]
				inner.Coverage.Spans[i].Y += by[1]
			}
			moved := want
			moved.A.AlphaX += want.A.Alpha * uint64(by[0])
			moved.A.AlphaY += want.A.Alpha * uint64(by[1])
			moved.B.AlphaX += want.B.Alpha * uint64(by[0])
			moved.B.AlphaY += want.B.Alpha * uint64(by[1])
			got := measure(inner)
			if got != moved {
				t.Errorf("seed %d: moved by %v: got %+v; want %+v", seed, by, got, moved)
			}
			want = moved
		}
	}
}

// TestOverflowBound fills the widest run with opaque pixels.
func TestOverflowBound(t *testing.T) {
	for _, w := range []int{512, 8192, 32768} {
		d := &outline.Drawing{Width: w, Height: 8}
		polygon(d, opaque(), box(0, 0.25, float64(w), 7.5)...)
		got := measure(d).A
		if want := float64(w) * 7.5 * metric.One; float64(got.Alpha) != want {
			t.Errorf("%d px wide: alpha %d; want %v", w, got.Alpha, want)
		}
		if x, _, _ := got.CentreOfMass(); x != float64(w)/2 {
			t.Errorf("%d px wide: centre %v; want %v", w, x, float64(w)/2)
		}
	}
}

// TestDense: more than 256 overlapping outlines in one tile stay exact.
func TestDense(t *testing.T) {
	for _, n := range []int{255, 256, 300, 70000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			d := &outline.Drawing{Width: 40, Height: 20}
			var pts [][2]float64
			for range n {
				pts = append(pts, box(2.5, 2.5, 30, 10)...)
				pts = append(pts, [2]float64{2.5, 2.5})
			}
			polygon(d, opaque(), pts...)
			got := measure(d).A
			want := 29*9 + 2*(29+9) + 4 // winding n: partly covered pixels saturate
			if n > 4 && got.Alpha != uint64(want)*metric.One {
				t.Errorf("alpha %v; want %v", float64(got.Alpha)/metric.One, want)
			}
		})
	}
}
