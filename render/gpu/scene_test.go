package gpu

import (
	"math"
	"math/rand/v2"

	"plumb/render/batch"
	"plumb/render/cpu"
	"plumb/render/metric"
	"plumb/render/paint"
	"plumb/render/paint/painttest"
	"plumb/render/scan"
	"plumb/render/shapes"
)

// drawing builds random drawings that use everything an item can say.
type drawing struct {
	*paint.Drawing
	rng  *rand.Rand
	sets int
}

// outlineOf appends what one closed outline covers, points in px.
func (d drawing) outlineOf(it paint.Item, pts [][2]float64) {
	painttest.Polygon(d.Drawing, it, pts...)
}

// coverageOf appends an item that carries coverage: rows of random bytes around
// a full middle, partly off the picture.
func (d drawing) coverageOf(it paint.Item) {
	it.FirstSpan = int32(len(d.Coverage.Spans))
	x, y := int32(d.rng.IntN(d.Width+32)-32), int32(d.rng.IntN(d.Height+16)-16)
	w, h := int32(d.rng.IntN(d.Width+1)), int32(1+d.rng.IntN(d.Height))
	add := func(x, y, n, at int32) {
		if n > 0 {
			d.Coverage.Spans = append(d.Coverage.Spans, scan.Span{X: x, Y: y, Width: n, FirstByte: at})
		}
	}
	for y0 := y; y < y0+h; y++ {
		side := int32(d.rng.IntN(12))
		at := int32(len(d.Coverage.Bytes))
		for range side {
			d.Coverage.Bytes = append(d.Coverage.Bytes, byte(d.rng.IntN(256)))
		}
		add(x, y, side, at)
		add(x+side, y, w, scan.Full)
	}
	it.SpanCount = int32(len(d.Coverage.Spans)) - it.FirstSpan
	d.Items = append(d.Items, it)
}

// shape returns a wobbly ring of n points; every third point lies on a corner or
// an edge of a tile, where binning is delicate.
func (d drawing) shape(n int) [][2]float64 {
	cx, cy := d.rng.Float64()*float64(d.Width), d.rng.Float64()*float64(d.Height)
	r := 1 + d.rng.Float64()*float64(max(d.Width, d.Height))/2
	turns := 1 + d.rng.IntN(2) // twice round: windings of 2
	pts := make([][2]float64, n)
	for i := range pts {
		sin, cos := math.Sincos(2 * math.Pi * float64(turns) * float64(i) / float64(n))
		k := r * (0.6 + 0.4*d.rng.Float64())
		pts[i] = [2]float64{cx + k*cos, cy + k*sin}
		switch d.rng.IntN(6) {
		case 0:
			pts[i][0] = math.Round(pts[i][0]/batch.TileW) * batch.TileW
		case 1:
			pts[i][1] = math.Round(pts[i][1]/batch.TileH) * batch.TileH
		}
	}
	return pts
}

func (d drawing) paint(plain bool) paint.Item {
	it := paint.Item{Opacity: shapes.Opaque, Clip: -1}
	it.Color = [3]uint8{uint8(d.rng.IntN(256)), uint8(d.rng.IntN(256)), uint8(d.rng.IntN(256))}
	if d.rng.IntN(2) == 0 {
		it.Opacity = uint32(d.rng.IntN(shapes.Opaque + 1))
	}
	if d.rng.IntN(8) == 0 { // on either side of the rule for covered pixels
		it.Opacity = uint32(d.rng.IntN(3)) * shapes.Opaque / 512
	}
	it.InSecondSet = d.sets == 2 && d.rng.IntN(3) == 0
	if plain {
		it.Opacity = shapes.Opaque
	}
	if !plain {
		it.Round = d.rng.IntN(4) == 0
	}
	return it
}

// randomDrawing returns a drawing of some shapes. Plain ones are opaque, of one
// set or of two by turns, without clips or groups.
func randomDrawing(seed uint64, w, h, count int, plain bool) *paint.Drawing {
	d := drawing{Drawing: &paint.Drawing{Width: w, Height: h}, rng: rand.New(rand.NewPCG(seed, 3)), sets: 2}
	if plain {
		d.sets = 1 + int(seed/2%2)
	}
	for range count {
		it := d.paint(plain)
		if !plain && d.rng.IntN(4) == 0 {
			d.outlineOf(paint.Item{Op: paint.OpClip, Opacity: shapes.Opaque, Clip: -1}, d.shape(3+d.rng.IntN(9)))
			it.Clip = int32(len(d.Items) - 1)
		}
		members := 1
		if !plain && d.rng.IntN(4) == 0 {
			d.Groups = append(d.Groups, uint32(d.rng.IntN(shapes.Opaque+1)))
			it.Group = int32(len(d.Groups))
			members += d.rng.IntN(3)
		}
		for range members {
			d.outlineOf(it, d.shape(3+d.rng.IntN(30)))
			if !plain && it.Opacity == shapes.Opaque && !it.Round && d.rng.IntN(2) == 0 {
				painttest.Pairs(d.rng, d.Drawing)
			}
		}
		if it.Group == 0 && d.rng.IntN(2) == 0 {
			d.coverageOf(it)
		}
	}
	for range 3 { // edges on edges, by the two-pixel rule
		if it := d.paint(plain); !plain {
			it.Opacity, it.Round, it.InSecondSet = shapes.Opaque, false, false
			d.outlineOf(it, d.shape(40))
			painttest.Pairs(d.rng, d.Drawing)
		}
	}
	if !plain && d.rng.IntN(4) == 0 { // a scribble
		d.outlineOf(d.paint(plain), d.shape(600))
	}
	return d.Drawing
}

// packed bins drawings into one batch; some are left to the twin.
func packed(ds ...*paint.Drawing) *batch.Batch {
	var bin batch.Binner
	tiles := make([]*batch.Tiled, len(ds))
	for i, d := range ds {
		tiles[i] = new(batch.Tiled)
		bin.Bin(d, tiles[i])
		tiles[i].CPUOnly = i%7 == 6
	}
	b := new(batch.Batch)
	b.Pack(tiles)
	return b
}

// drawings returns n random drawings of many sizes, the delicate ones first.
func drawings(n int) []*paint.Drawing {
	sizes := [][2]int{{1, 1}, {16, 8}, {16, 16}, {17, 33}, {130, 50}, {600, 9}, {9, 300}, {400, 240}}
	out := make([]*paint.Drawing, n)
	for i := range out {
		size := sizes[i%len(sizes)]
		out[i] = randomDrawing(uint64(i), size[0], size[1], 1+i%7, i%2 == 0)
	}
	return out
}

// oracleRows are the row sums that shaders must give.
func oracleRows(b *batch.Batch) []batch.RowSums {
	rows := make([]batch.RowSums, b.ShaderRuns()*batch.TileH)
	cpu.Rows(b, 0, b.ShaderRuns(), rows)
	return rows
}

func oraclePixels(b *batch.Batch) []uint32 {
	px := make([]uint32, b.PixelCount)
	cpu.Pixels(b, 0, b.ShaderRuns(), px)
	return px
}

// tallies completes row sums with the CPU twin's part.
func tallies(b *batch.Batch, rows []batch.RowSums) []metric.Tally {
	rows = rows[:len(b.Runs)*batch.TileH]
	cpu.Rows(b, b.ShaderRuns(), len(b.Runs), rows)
	return b.Tallies(nil, rows)
}
