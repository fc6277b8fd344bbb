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

// hatchTileOf returns the tile of the editor's hatch pattern for a map m from units to px, or nil
// if the tile would be too large. Tiles are kept by their side.
func hatchTileOf(m vector.Matrix) *hatchTile {
	side := math.Ceil(hatchSide * math.Hypot(float64(m.A), float64(m.B)))
	if !(side >= 1 && side <= largestTile) {
		return nil
	}
	n := int(side)
	if t, ok := hatchTiles.Load(n); ok {
		return t.(*hatchTile)
	}
	t := drawTile(n)
	hatchTiles.Store(n, t)
	return t
}

// drawTile draws the tile of the editor's hatch pattern with side x side px: all painted, less its three
// strokes. Strokes of at most one px are drawn as the browser draws such thin ones, with an opacity.
func drawTile(side int) *hatchTile {
	k := float32(side) / hatchSide // px per unit, and the width of a stroke in px
	m := vector.Matrix{A: k, D: k}
	all := chord.Rect{X1: int32(side), Y1: int32(side)}
	t := &hatchTile{side: side, alpha: make([]uint8, side*side)}
	for i := range t.alpha {
		t.alpha[i] = 255
	}
	for _, s := range hatchStrokes {
		var p vector.Path
		p.MoveTo(s[0])
		p.LineTo(s[1])
		var c scan.Coverage
		opacity := uint32(256) // in 1/256
		if hairline(1, m) > 0 {
			h := hair.Stroker{Style: hair.Style{Strength: 255, Plain: true}}
			p.Transform(m)
			h.Add(&p, all)
			h.Take(&c, nil)
			opacity = uint32(256 * k)
		} else {
			var pen stroke.Stroker
			var out vector.Path
			pen.Outline(&out, &p, 1, stroke.Resolution(m))
			out.Transform(m)
			var filler scan.Scanner
			filler.Append(&c, &out, all, scan.Rule{Plain: true})
		}
		t.erase(&c, opacity)
	}
	sum := 0
	for _, a := range t.alpha {
		sum += int(a)
	}
	t.mean = uint32(sum * shapes.Opaque / (255 * side * side))
	return t
}

// erase removes the coverage c of a stroke, times an opacity in 1/256, from the tile of the hatch
// pattern.
func (t *hatchTile) erase(c *scan.Coverage, opacity uint32) {
	for _, s := range c.Spans {
		for i := range s.N {
			a := uint32(255)
			if s.At != scan.Full {
				a = uint32(c.Bytes[s.At+i])
			}
			p := &t.alpha[int(s.Y)*t.side+int(s.X+i)]
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

// newTileSampler returns a sampler for a tile in units that m maps to px.
func newTileSampler(t *hatchTile, m vector.Matrix) tileSampler {
	k := float64(t.side) / hatchSide
	back := geom.Matrix{A: k, D: k}.Mul(geom.Widened(m).Inverse())
	return tileSampler{tile: t, back: back, du: back.A, dv: back.B}
}

// start moves the sampler to the centre of the pixel (x, y).
func (l *tileSampler) start(x, y int32) {
	p := l.back.Apply(geom.Pt(float64(x)+0.5, float64(y)+0.5))
	n := float64(l.tile.side)
	l.u, l.v = wrapped(p.X-0.5, n), wrapped(p.Y-0.5, n)
}

// wrapped returns v modulo n, in [0, n).
func wrapped(v, n float64) float64 { return v - n*math.Floor(v/n) }

// next returns how much of the pixel the hatch pattern paints, 0..255, interpolated between the
// four nearest pixels of the tile, and moves one pixel to the right.
func (l *tileSampler) next() float64 {
	n := l.tile.side
	i, j := int(l.u), int(l.v)
	fu, fv := l.u-float64(i), l.v-float64(j)
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
	a := l.tile.alpha
	top := geom.Lerp1(float64(a[j*n+i]), float64(a[j*n+right]), fu)
	low := geom.Lerp1(float64(a[below*n+i]), float64(a[below*n+right]), fu)
	l.u, l.v = l.u+l.du, l.v+l.dv
	if size := float64(n); l.u >= size || l.u < 0 || l.v >= size || l.v < 0 {
		l.u, l.v = wrapped(l.u, size), wrapped(l.v, size)
	}
	return geom.Lerp1(top, low, fv)
}

// hatch appends the items of a hatch over the last fill, whose coverage is b.filled. Pixels that the fill
// covers partly, and all pixels of a View with Picture, take their value from the tile; other pixels take
// its mean, as an item of their own. The alpha of the drawing is the same both ways, because the fill
// below is opaque there. In Exact mode, and where the tile would be too large, the hatch is even.
func (b *Builder) hatch(w *shapes.Draw, m vector.Matrix, p *shapePlacement) error {
	t := hatchTileOf(m)
	if b.mode == Exact || t == nil {
		it := b.item(p, w.Color, w.Opacity)
		it.First, it.Count = b.filled[0], b.filled[1]
		b.emit(it)
		return nil
	}
	edge, inside := b.item(p, w.Color, shapes.Opaque), b.item(p, w.Color, t.mean)
	edge.Round, inside.Round = true, true
	c, l := &b.d.Coverage, newTileSampler(t, m)
	first := len(c.Spans)
	full := 0 // spans that take the mean
	for i := b.filled[0]; i < b.filled[0]+b.filled[1]; i++ {
		s := c.Spans[i]
		if s.At == scan.Full && !b.picture {
			full++
			continue
		}
		c.Spans = append(c.Spans, scan.Span{X: s.X, Y: s.Y, N: s.N, At: int32(len(c.Bytes))})
		l.start(s.X, s.Y)
		for k := range s.N {
			a := 255.0
			if s.At != scan.Full {
				a = float64(c.Bytes[s.At+k])
			}
			c.Bytes = append(c.Bytes, byte(float64(l.next()*a)/255+0.5))
		}
	}
	if err := b.setCoverage(&edge, first, len(c.Spans)-first); err != nil {
		return err
	}
	b.emit(edge)
	if full == 0 {
		return nil
	}
	first = len(c.Spans)
	for i := b.filled[0]; i < b.filled[0]+b.filled[1]; i++ {
		if s := c.Spans[i]; s.At == scan.Full {
			c.Spans = append(c.Spans, s)
		}
	}
	err := b.setCoverage(&inside, first, len(c.Spans)-first)
	b.emit(inside)
	return err
}
