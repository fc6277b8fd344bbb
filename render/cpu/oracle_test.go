package cpu

import (
	"math"
	"math/rand/v2"
	"testing"

	"plumb/render/batch"
	"plumb/render/metric"
	"plumb/render/paint"
	"plumb/render/paint/painttest"
	"plumb/render/scan"
	"plumb/render/shapes"
)

// measure runs the whole tile stage on the CPU for one drawing.
func measure(d *paint.Drawing) metric.Tally {
	var bin batch.Binner
	tally, _ := measureBy(&bin, d)
	return tally
}

// measureBy is measure with a Binner. It returns the number of boundary tiles too.
func measureBy(bin *batch.Binner, d *paint.Drawing) (metric.Tally, int) {
	var t batch.Tiled
	var b batch.Batch
	bin.Bin(d, &t)
	b.Pack([]*batch.Tiled{&t})
	rows := make([]batch.RowSums, len(b.Runs)*batch.TileH)
	Rows(&b, 0, len(b.Runs), rows)
	return b.Tallies(nil, rows)[0], len(t.Tiles)
}

// slow is the reference: every item over the whole picture, in paint order, by the rules of
// blending in real numbers. It shares no code with the tile stage. See docs/spec/raster.md#r25
// and docs/spec/raster.md#r27.
func slow(d *paint.Drawing) metric.Tally {
	w, h := d.Width, d.Height
	cover := make([][]float64, len(d.Items))
	pairs := make([]map[paint.Pixel]bool, len(d.Items))
	for k := range d.Items {
		it := &d.Items[k]
		cover[k], pairs[k] = slowSpans(d, it), map[paint.Pixel]bool{}
		for _, p := range d.PairPixels[it.FirstPairPixel : it.FirstPairPixel+it.PairPixelCount] {
			pairs[k][p] = true
		}
	}
	var t metric.Tally
	for y := range h {
		for x := range w {
			a := slowPixel(d, cover, y*w+x, pairs, paint.Pixel{X: int32(x), Y: int32(y)})
			for i, s := range []*metric.Sums{&t.A, &t.B} {
				v := uint64(a[i])
				s.Alpha += v
				s.AlphaX += v * uint64(x)
				s.AlphaY += v * uint64(y)
				if v >= metric.CoveredFrom {
					s.Covered++
				}
			}
			if a[0] > 0 && a[1] > 0 {
				t.Both++
			}
		}
	}
	return t
}

func slowPixel(d *paint.Drawing, cover [][]float64, at int, pairs []map[paint.Pixel]bool, place paint.Pixel) (alpha [2]float64) {
	group := 0.0
	for k := range d.Items {
		it := &d.Items[k]
		c := cover[k][at]
		if it.Op == paint.OpClip {
			continue
		}
		if it.Clip >= 0 {
			c = math.Round(c * cover[it.Clip][at] / 255)
		}
		set := 0
		if it.InSecondSet {
			set = 1
		}
		opacity := float64(shapes.Alpha(it.Opacity))
		dst := &alpha[set]
		if it.Group != 0 {
			dst = &group
		}
		v := math.Floor(opacity * (c + 1) / 256)
		switch {
		case it.Round:
			v = math.Round(opacity * c / 255)
			*dst = v + math.Round(*dst*(255-v)/255)
		case pairs[k][place]:
			*dst = math.Floor((255*(c+1) + *dst*(255-c)) / 256)
		default:
			*dst = v + math.Floor(*dst*(256-v)/256)
		}
		if it.Group == 0 {
			continue
		}
		if k+1 == len(d.Items) || d.Items[k+1].Group != it.Group {
			v := group * float64(shapes.Alpha(d.Groups[it.Group-1])+1)
			left := math.Floor((0xffff - v + math.Floor((0xffff-v)/256)) / 256)
			if it.Clip >= 0 {
				alpha[set] = math.Floor(v/256) + math.Floor(alpha[set]*(256-math.Floor(v/256))/256)
			} else {
				alpha[set] = math.Floor((v + alpha[set]*left) / 256)
			}
			group = 0
		}
	}
	return alpha
}

// slowSpans puts the bytes of an item where they belong.
func slowSpans(d *paint.Drawing, it *paint.Item) []float64 {
	cover := make([]float64, d.Width*d.Height)
	for _, s := range d.Coverage.Spans[it.FirstSpan : it.FirstSpan+it.SpanCount] {
		for i := range s.Width {
			x, y := int(s.X+i), int(s.Y)
			if x < 0 || y < 0 || x >= d.Width || y >= d.Height {
				continue
			}
			cover[y*d.Width+x] = 255
			if s.FirstByte != scan.Full {
				cover[y*d.Width+x] = float64(d.Coverage.Bytes[s.FirstByte+i])
			}
		}
	}
	return cover
}

// block adds an item of spans: a ragged block that may leave the picture, with
// bytes at its sides and gaps inside, or without them in whole tiles.
func block(r *rand.Rand, d *paint.Drawing, it paint.Item) {
	it.FirstSpan = int32(len(d.Coverage.Spans))
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
		s := scan.Span{X: x, Y: y, Width: n, FirstByte: scan.Full}
		if !full {
			s.FirstByte = int32(len(d.Coverage.Bytes))
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
	it.SpanCount = int32(len(d.Coverage.Spans)) - it.FirstSpan
	d.Items = append(d.Items, it)
}

func opaque() paint.Item { return paint.Item{Opacity: shapes.Opaque, Clip: -1} }

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
		{"half pixels", 64, 32, box(3.5, 2.5, 20, 10), 200, 13.5, 7.5, 231, 0.15},
		{"left of the picture", 64, 32, box(-20, 4, 30, 8), 80, 5, 8, 80, 0},
		{"beyond all sides", 33, 17, box(-100, -100, 300, 300), 561, 16.5, 8.5, 561, 0},
		{"wholly left", 33, 17, box(-100, 2, 50, 10), 0, 0, 0, 0, 0},
		{"wholly right", 33, 17, box(40, 2, 50, 10), 0, 0, 0, 0, 0},
		{"triangle", 64, 64, [][2]float64{{0, 0}, {32, 0}, {0, 32}}, 512, 32.0 / 3, 32.0 / 3, 528, 0.1},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			d := &paint.Drawing{Width: c.w, Height: c.h}
			if c.pts != nil {
				painttest.Polygon(d, opaque(), c.pts...)
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
// corners, parts off the picture, clips, groups, two sets.
func random(r *rand.Rand, w, h int) *paint.Drawing {
	d := &paint.Drawing{Width: w, Height: h}
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
	shape := func(it paint.Item) {
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
		painttest.Polygon(d, it, pts...)
	}
	for range 1 + r.IntN(6) {
		it := opaque()
		it.InSecondSet, it.Round = r.IntN(3) == 0, r.IntN(4) == 0
		it.Color = [3]uint8{uint8(r.IntN(256)), uint8(r.IntN(256)), uint8(r.IntN(256))}
		if r.IntN(3) == 0 {
			it.Opacity = uint32(r.IntN(shapes.Opaque + 1))
		}
		if r.IntN(4) == 0 {
			clip := opaque()
			clip.Op = paint.OpClip
			shape(clip)
			it.Clip = int32(len(d.Items) - 1)
		}
		members := 1
		if r.IntN(4) == 0 {
			d.Groups = append(d.Groups, uint32(r.IntN(shapes.Opaque+1)))
			it.Group = int32(len(d.Groups))
			members = 1 + r.IntN(3)
		}
		for range members {
			shape(it)
			if it.Opacity == shapes.Opaque && !it.Round && r.IntN(2) == 0 {
				painttest.Pairs(r, d)
			}
		}
	}
	return d
}

// TestAgainstSlowReference holds the tile stage against the slow reference.
func TestAgainstSlowReference(t *testing.T) {
	sizes := [][2]int{{1, 1}, {16, 8}, {16, 16}, {17, 33}, {64, 40}, {130, 50}, {600, 9}}
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		size := sizes[int(seed)%len(sizes)]
		d := random(r, size[0], size[1])
		if got, want := measure(d), slow(d); got != want {
			t.Errorf("seed %d: got %+v; want %+v (%d x %d px)", seed, got, want, size[0], size[1])
		}
	}
}

// TestAlphaOnly: tiles that are opaque throughout have the same sums in closed form, and there are
// some. See docs/spec/raster.md#r41.
func TestAlphaOnly(t *testing.T) {
	all, less := 0, 0
	for seed := range uint64(400) {
		d := random(rand.New(rand.NewPCG(seed, 3)), 130, 50)
		want, n := measureBy(new(batch.Binner), d)
		got, m := measureBy(&batch.Binner{AlphaOnly: true}, d)
		if got != want {
			t.Errorf("seed %d: got %+v; want %+v", seed, got, want)
		}
		all, less = all+n, less+m
	}
	if less > all*99/100 {
		t.Errorf("%d of %d boundary tiles are left; want fewer", less, all)
	}
}

// TestPlace: a drawing moved by whole tiles gives the same sums with its centre
// moved by just that.
func TestPlace(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		d := random(r, 90, 40)
		d.Width, d.Height = 400, 200
		move := func(x, y int32) {
			for i := range d.Coverage.Spans {
				d.Coverage.Spans[i].X += x
				d.Coverage.Spans[i].Y += y
			}
			for i := range d.PairPixels {
				d.PairPixels[i].X, d.PairPixels[i].Y = d.PairPixels[i].X+x, d.PairPixels[i].Y+y
			}
		}
		move(64, 64) // well inside, so that nothing is cut
		want := measure(d)
		for _, by := range [][2]int32{{32, 16}, {16, 8}, {5, 3}} {
			move(by[0], by[1])
			moved := want
			moved.A.AlphaX += want.A.Alpha * uint64(by[0])
			moved.A.AlphaY += want.A.Alpha * uint64(by[1])
			moved.B.AlphaX += want.B.Alpha * uint64(by[0])
			moved.B.AlphaY += want.B.Alpha * uint64(by[1])
			got := measure(d)
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
		d := &paint.Drawing{Width: w, Height: 8}
		painttest.Polygon(d, opaque(), box(0, 0.2, float64(w), 7.4)...)
		got := measure(d).A
		if want := float64(w) * (6*metric.One + math.Round(0.8*metric.One) + math.Round(0.6*metric.One)); float64(got.Alpha) != want {
			t.Errorf("%d px wide: alpha %d; want %v", w, got.Alpha, want)
		}
		if x, _, _ := got.CentreOfMass(); x != float64(w)/2 {
			t.Errorf("%d px wide: centre %v; want %v", w, x, float64(w)/2)
		}
	}
}
