package paint

import (
	"math"
	"sync"

	"plumb/render/chord"
	"plumb/render/geom"
	"plumb/render/hair"
	"plumb/render/scan"
	"plumb/render/shapes"
	"plumb/render/stroke"
	"plumb/render/vector"
)

// The hatch of pattern fills is a tile of 8 x 8 units that lets the pattern's colour through
// three strokes. The browser draws it once, in whole px at the size that it has on the page,
// and repeats it. See docs/spec/drawing.md#r38.
const hatchSide = 8

// hatchStrokes are the three strokes of a tile, 1 unit wide with round caps.
var hatchStrokes = [3][2]vector.Point{
	{{X: 2. / 3, Y: 2}, {X: 2, Y: 2. / 3}},
	{{X: 10. / 3, Y: 14. / 3}, {X: 14. / 3, Y: 10. / 3}},
	{{X: 6, Y: 22. / 3}, {X: 22. / 3, Y: 6}},
}

// largestTile is the side in px of the largest tile that is drawn; beyond, the hatch is even.
const largestTile = 1024

// hatchTile is a drawn tile: how much of each pixel is painted, in 1/255.
type hatchTile struct {
	side  int
	alpha []uint8
	mean  uint32 // of alpha, 0..Opaque
}

// hatchTiles caches drawn tiles, *hatchTile, by their side in px.
var hatchTiles sync.Map

// hatchTileOf returns the tile of the editor's hatch pattern for a map from units to px, or nil
// if the tile would be too large. Tiles are kept by their side.
func hatchTileOf(matrix vector.Matrix) *hatchTile {
	size := math.Ceil(hatchSide * math.Hypot(float64(matrix.A), float64(matrix.B)))
	if !(size >= 1 && size <= largestTile) {
		return nil
	}
	side := int(size)
	if tile, ok := hatchTiles.Load(side); ok {
		return tile.(*hatchTile)
	}
	tile := drawTile(side)
	hatchTiles.Store(side, tile)
	return tile
}

// drawTile draws the tile of the editor's hatch pattern with side x side px: all painted, less its three
// strokes. Strokes of at most one px are drawn as the browser draws such thin ones, with an opacity.
func drawTile(side int) *hatchTile {
	k := float32(side) / hatchSide // px per unit, and the width of a stroke in px
	matrix := vector.Matrix{A: k, D: k}
	all := chord.Rect{X1: int32(side), Y1: int32(side)}
	tile := &hatchTile{side: side, alpha: make([]uint8, side*side)}
	for i := range tile.alpha {
		tile.alpha[i] = 255
	}
	for _, s := range hatchStrokes {
		var path vector.Path
		path.MoveTo(s[0])
		path.LineTo(s[1])
		var coverage scan.Coverage
		opacity := uint32(256) // in 1/256
		if hairline(1, matrix) > 0 {
			h := hair.Stroker{Style: hair.Style{Strength: 255, Plain: true}}
			path.Transform(matrix)
			h.Add(&path, all)
			h.Take(&coverage, nil)
			opacity = uint32(256 * k)
		} else {
			var pen stroke.Stroker
			var out vector.Path
			pen.Outline(&out, &path, 1, stroke.Resolution(matrix))
			out.Transform(matrix)
			var filler scan.Scanner
			filler.Append(&coverage, &out, all, scan.Rule{Plain: true})
		}
		tile.erase(&coverage, opacity)
	}
	sum := 0
	for _, a := range tile.alpha {
		sum += int(a)
	}
	tile.mean = uint32(sum * shapes.Opaque / (255 * side * side))
	return tile
}

// erase removes the coverage of a stroke, times an opacity in 1/256, from the tile of the hatch pattern: it
// multiplies the tile's alpha by what is left of 1, in 1/256.
func (tile *hatchTile) erase(coverage *scan.Coverage, opacity uint32) {
	for _, span := range coverage.Spans {
		for i := range span.Width {
			a := uint32(255)
			if span.FirstByte != scan.Full {
				a = uint32(coverage.Bytes[span.FirstByte+i])
			}
			p := &tile.alpha[int(span.Y)*tile.side+int(span.X+i)]
			*p = uint8(uint32(*p) * (256 - a*opacity>>8) >> 8)
		}
	}
}

// tileSampler samples a hatch tile along a row of pixels.
type tileSampler struct {
	tile   *hatchTile
	back   geom.Matrix // px to the tile's px
	u, v   float64     // place in the tile, from the centre of its first pixel, in [0, side)
	du, dv float64     // change from one pixel of the picture to the next
}

// newTileSampler returns a sampler for a tile in units that matrix maps to px.
func newTileSampler(tile *hatchTile, matrix vector.Matrix) tileSampler {
	perUnit := float64(tile.side) / hatchSide // px of the tile
	back := geom.Matrix{A: perUnit, D: perUnit}.Mul(geom.Widened(matrix).Inverse())
	return tileSampler{tile: tile, back: back, du: back.A, dv: back.B}
}

// start moves the sampler to the centre of the pixel (x, y).
func (sampler *tileSampler) start(x, y int32) {
	p := sampler.back.Apply(geom.Pt(float64(x)+0.5, float64(y)+0.5))
	side := float64(sampler.tile.side)
	sampler.u, sampler.v = wrapped(p.X-0.5, side), wrapped(p.Y-0.5, side)
}

// wrapped returns v modulo n, in [0, n).
func wrapped(v, n float64) float64 { return v - n*math.Floor(v/n) }

// next returns how much of the pixel the hatch pattern paints, 0..255, interpolated between the
// four nearest pixels of the tile, and moves one pixel to the right.
func (sampler *tileSampler) next() float64 {
	n := sampler.tile.side
	i, j := int(sampler.u), int(sampler.v)
	fu, fv := sampler.u-float64(i), sampler.v-float64(j)
	if i >= n { // rounded up to n by wrapped
		i = 0
	}
	if j >= n {
		j = 0
	}
	right, below := i+1, j+1 // the tile repeats
	if right == n {
		right = 0
	}
	if below == n {
		below = 0
	}
	a := sampler.tile.alpha
	top := geom.LerpNumber(float64(a[j*n+i]), float64(a[j*n+right]), fu)
	low := geom.LerpNumber(float64(a[below*n+i]), float64(a[below*n+right]), fu)
	sampler.u, sampler.v = sampler.u+sampler.du, sampler.v+sampler.dv
	if size := float64(n); sampler.u >= size || sampler.u < 0 || sampler.v >= size || sampler.v < 0 {
		sampler.u, sampler.v = wrapped(sampler.u, size), wrapped(sampler.v, size)
	}
	return geom.LerpNumber(top, low, fv)
}

// hatch appends the items of a hatch over the last fill, whose range of spans is in builder.fillFirst and
// builder.fillCount. Pixels that the fill covers partly, and all pixels of a View with Details, take their value
// from the tile; other pixels take its mean, as an item of their own. The alpha of the drawing is the same both
// ways, because the fill below is opaque there. In Exact mode, and where the tile would be too large, the hatch
// is even.
func (builder *Builder) hatch(draw *shapes.Draw, matrix vector.Matrix, placement *shapePlacement) error {
	tile := hatchTileOf(matrix)
	// An even hatch.
	if builder.mode == Exact || tile == nil {
		it := builder.item(placement, draw.Color, draw.Opacity)
		it.FirstSpan, it.SpanCount = builder.fillFirst, builder.fillCount
		builder.appendUnlessEmpty(it)
		return nil
	}
	// The pixels that take their value from the tile.
	edge, inside := builder.item(placement, draw.Color, shapes.Opaque), builder.item(placement, draw.Color, tile.mean)
	edge.Round, inside.Round = true, true
	coverage, sampler := &builder.drawing.Coverage, newTileSampler(tile, matrix)
	first := len(coverage.Spans)
	meanSpans := 0 // how many spans take the mean
	for i := builder.fillFirst; i < builder.fillFirst+builder.fillCount; i++ {
		span := coverage.Spans[i]
		if span.FirstByte == scan.Full && !builder.details {
			meanSpans++
			continue
		}
		coverage.Spans = append(coverage.Spans, scan.Span{X: span.X, Y: span.Y, Width: span.Width, FirstByte: int32(len(coverage.Bytes))})
		sampler.start(span.X, span.Y)
		for k := range span.Width {
			a := 255.0
			if span.FirstByte != scan.Full {
				a = float64(coverage.Bytes[span.FirstByte+k])
			}
			coverage.Bytes = append(coverage.Bytes, byte(float64(sampler.next()*a)/255+0.5))
		}
	}
	if err := builder.setCoverage(&edge, first, len(coverage.Spans)-first); err != nil {
		return err
	}
	builder.appendUnlessEmpty(edge)
	if meanSpans == 0 {
		return nil
	}
	// The pixels that take its mean.
	first = len(coverage.Spans)
	for i := builder.fillFirst; i < builder.fillFirst+builder.fillCount; i++ {
		if s := coverage.Spans[i]; s.FirstByte == scan.Full {
			coverage.Spans = append(coverage.Spans, s)
		}
	}
	err := builder.setCoverage(&inside, first, len(coverage.Spans)-first)
	builder.appendUnlessEmpty(inside)
	return err
}
