package chord

import (
	"math"
	"math/bits"

	"plumb/render/path"
)

// Coordinates on the reference's grid are integers in 1/256 px at first, then
// q16, 1/65536 px. 64 bits hold all that can come: |v| <= 2^20 px.
const one = 1 << 16

// onGrid cuts px down to 1/256 px. The browser cuts toward zero, but always sees
// positive coordinates: a glyph's mask and a layer have their corner at 0. Down
// is the same for those, and whole px more or less change nothing.
func onGrid(v float32) int64 { return int64(math.Floor(float64(v) * 256)) }

// snapRow rounds q16 to the nearest quarter px, halves upwards.
func snapRow(y int64) int64 { return (y + one/8) >> 14 << 14 }

// wholeRow rounds q16 to the nearest px, halves upwards.
func wholeRow(y int64) int64 { return (y + one/2) >> 16 << 16 }

// slope returns dx/dy in q16 from q16 differences, by the reference's division:
// 1/64 px, and a table of reciprocals for short chords.
func slope(dx, dy int64) int64 {
	dx, dy = dx>>10, dy>>10
	if dy == 0 {
		return 0
	}
	if n := max(dy, -dy); n >= 8 && n < 1024 && dx < 4096 && dx > -4096 {
		inv := (1 << 22) / n
		if dy < 0 {
			inv = -inv
		}
		return (dx * inv) >> 6
	}
	return (dx << 16) / dy
}

// chord stores the chord from (x0, y0) down to (x1, y1), all in q16.
func (c *Cutter) chord(x0, y0, x1, y1 int64, up bool) {
	if up {
		x0, y0, x1, y1 = x1, y1, x0, y0
	}
	if c.trace != nil {
		c.trace([4]int64{x0, y0, x1, y1})
	}
	const half = 1 << 5
	c.add(Segment{int32((x0 + half) >> 6), int32(y0 >> 6), int32((x1 + half) >> 6), int32(y1 >> 6)})
}

// gridLine is reference-raster.md 5.1 to 5.3: the lower end's x follows from
// the rounded slope.
func (c *Cutter) gridLine(a, b path.Point) {
	up := a.Y > b.Y
	if up {
		a, b = b, a
	}
	x0, y0 := onGrid(a.X)<<8, snapRow(onGrid(a.Y)<<8)
	x1, y1 := onGrid(b.X)<<8, snapRow(onGrid(b.Y)<<8)
	if y0 == y1 {
		return
	}
	h := y1 - y0
	c.chord(x0, y0, x0+(slope(x1-x0, h)*h)>>16, y1, up)
}

// gridCurve cuts a curve that is monotone in y into chords.
func (c *Cutter) gridCurve(b *bezier) {
	up := b.p[0].Y > b.end().Y
	var x, y [4]int64
	for i := range b.n {
		j := i
		if up {
			j = b.n - 1 - i
		}
		x[i], y[i] = onGrid(b.p[j].X), onGrid(b.p[j].Y)
	}
	if snapRow(y[0]<<8) == snapRow(y[b.n-1]<<8) {
		return
	}
	if b.n == 3 {
		c.gridQuad(&x, &y, up)
	} else {
		c.gridCubic(&x, &y, up)
	}
}

// halvings turns the deviation of a curve from its chord, in 1/256 px per axis,
// into the number of times it is halved.
func halvings(dx, dy int64) int {
	dx, dy = max(dx, -dx), max(dy, -dy)
	d := max(dx, dy) + min(dx, dy)/2
	return bits.Len64(uint64(d+16)>>5) >> 1
}

// gridQuad is reference-raster.md 5.4, for points in 1/256 px that run
// downwards.
func (c *Cutter) gridQuad(px, py *[4]int64, up bool) {
	k := halvings((2*px[1]-px[0]-px[2])>>2, (2*py[1]-py[0]-py[2])>>2)
	k = min(max(k, 1), 6)
	x, dx, ddx := quadSteps(px, k)
	y, dy, ddy := quadSteps(py, k)
	endX, endY := px[2]<<8, snapRow(py[2]<<8)
	y = snapRow(y)
	sx, sy := x, y // where the next chord starts
	for i := 1 << k; i > 0; i-- {
		nx, ny := endX, endY // unsnapped end of the step
		x1, y1 := endX, endY // end of the chord
		if i > 1 {
			nx, ny = x+dx>>(k-1), y+dy>>(k-1)
			x1, y1 = nx, min(endY, snapRow(ny))
			step := dy >> (k - 1)
			if tall := max(step, -step) >= 2*one; tall && 64*max(dy, -dy) > max(dx, -dx) {
				y1 = min(endY, wholeRow(ny))
				x1 = nx - (slope(nx-sx, ny-sy)*(ny-y1))>>16
			}
			dx, dy = dx+ddx, dy+ddy
		}
		x, y = nx, ny
		if y1 > sy {
			c.chord(sx, sy, x1, y1, up)
			sx, sy = x1, y1
		}
	}
}

// quadSteps returns start, first and second difference of one coordinate in q16.
func quadSteps(p *[4]int64, k int) (q, d, dd int64) {
	a := (p[0] - 2*p[1] + p[2]) << 9
	b := (p[1] - p[0]) << 10
	return p[0] << 8, (b + a>>k) >> 2, a >> (k - 1) >> 2
}

// gridCubic is reference-raster.md 5.5, for points in 1/256 px that run
// downwards.
func (c *Cutter) gridCubic(px, py *[4]int64, up bool) {
	k := min(halvings(cubicDeviation(px), cubicDeviation(py))+1, 6)
	x, dx, ddx, dddx := cubicSteps(px, k)
	y, dy, ddy, dddy := cubicSteps(py, k)
	endX, endY := px[3]<<8, snapRow(py[3]<<8)
	y = snapRow(y)
	h := max(0, k-4)
	sy := y
	for i := 1 << k; i > 0; i-- {
		nx, ny := endX, endY
		if i > 1 {
			nx, ny = x+dx>>h, max(y, y+dy>>h)
			dx, ddx = dx+ddx>>k, ddx+dddx
			dy, ddy = dy+ddy>>k, ddy+dddy
		}
		y1 := min(endY, snapRow(ny))
		if y1 > sy {
			c.chord(x, sy, nx, y1, up)
			sy = y1
		}
		x, y = nx, ny
	}
}

// cubicDeviation is how far one coordinate of a cubic leaves its chord, in
// 1/256 px.
func cubicDeviation(p *[4]int64) int64 {
	a := (19 * (8*p[0] - 15*p[1] + 6*p[2] + p[3])) >> 9
	b := (19 * (p[0] + 6*p[1] - 15*p[2] + 8*p[3])) >> 9
	return max(a, -a, b, -b)
}

// cubicSteps returns start, first, second and third difference of one
// coordinate in q16; the differences carry k-4 more bits where k > 4.
func cubicSteps(p *[4]int64, k int) (q, d, dd, ddd int64) {
	u := max(6, 10-k)
	b := 3 * (p[1] - p[0]) << u
	c := 3 * (p[0] - 2*p[1] + p[2]) << u
	e := (p[3] + 3*(p[1]-p[2]) - p[0]) << u
	return p[0] << 8, (b + c>>k + e>>(2*k)) >> 2, (2*c + (3*e)>>(k-1)) >> 2, (3 * e) >> (k - 1) >> 2
}
