package outline

import (
	"math"
	"math/bits"
	"slices"

	"plumb/render/chord"
	"plumb/render/path"
	"plumb/render/scan"
)

// hair draws strokes of one px as the reference does: not as outlines, but
// segment by segment, each a column or row of two pixels per step that share 255
// (observed; reference-raster.md 1 names the case).
type hair struct {
	plots []uint64 // row, column, alpha; later sorted
	clip  chord.Rect
}

// Coordinates of hairlines are in 1/64 px, slopes in 1/65536.
const hairUnit = 64

// longestHair is the longest stretch in px that is drawn as one.
const longestHair = 511

// outline adds the subpaths of p, in px. Closed ones end where they began, open
// ones have round caps.
func (h *hair) outline(p *path.Path, clip chord.Rect) {
	h.clip = clip
	var cur, first path.Point
	pts, weights := p.Points, p.Weights
	for _, v := range p.Verbs {
		switch v {
		case path.Move:
			first = pts[0]
		case path.Line:
			h.line(cur, pts[0])
		case path.Quad:
			h.quad(cur, pts[0], pts[1])
		case path.Conic:
			h.conic(cur, pts[0], pts[1], weights[0])
			weights = weights[1:]
		case path.Close:
			h.line(cur, first)
			cur = first
		}
		if n := pointsOf[v]; n > 0 {
			cur, pts = pts[n-1], pts[n:]
		}
	}
}

// capReach is how far a round cap lengthens a hairline, px.
const capReach = math.Pi / 8

// capped draws one open stretch.
func (h *hair) capped(a, b path.Point, clip chord.Rect) {
	h.clip = clip
	u := unit(point{float64(b.X - a.X), float64(b.Y - a.Y)})
	d := path.Point{X: float32(u.X * capReach), Y: float32(u.Y * capReach)}
	h.line(path.Point{X: a.X - d.X, Y: a.Y - d.Y}, path.Point{X: b.X + d.X, Y: b.Y + d.Y})
}

// conic draws a quarter circle of few px, which the reference takes for a
// quadratic.
func (h *hair) conic(a, b, c path.Point, _ float32) { h.quad(a, b, c) }

// quad draws a quadratic as chords.
func (h *hair) quad(a, b, c path.Point) {
	x, y := whole((a.X+c.X)/2-b.X), whole((a.Y+c.Y)/2-b.Y)
	n := 1 << min((bits.Len32(max(x, y)+min(x, y)/2)+1)/2, 5)
	last := a
	for i := 1; i <= n; i++ {
		t := float32(i) / float32(n)
		u := 1 - t
		q := path.Point{
			X: float32(u*u*a.X) + float32(2*u*t*b.X) + float32(t*t*c.X),
			Y: float32(u*u*a.Y) + float32(2*u*t*b.Y) + float32(t*t*c.Y),
		}
		if i == n {
			q = c
		}
		h.line(last, q)
		last = q
	}
}

// whole is |v| rounded up.
func whole(v float32) uint32 {
	if v < 0 {
		v = -v
	}
	n := uint32(min(v, 1<<20))
	if float32(n) < v {
		n++
	}
	return n
}

func (h *hair) line(a, b path.Point) {
	const far = 1 << 24
	f := func(v float32) int64 { return int64(max(-far, min(v, far)) * hairUnit) }
	h.segment(f(a.X), f(a.Y), f(b.X), f(b.Y))
}

// segment draws one straight stretch, in 1/64 px.
func (h *hair) segment(x0, y0, x1, y1 int64) {
	dx, dy := max(x1-x0, x0-x1), max(y1-y0, y0-y1)
	if max(dx, dy) > longestHair*hairUnit {
		if h.misses(x0, y0, x1, y1) {
			return
		}
		mx, my := (x0+x1)>>1, (y0+y1)>>1
		h.segment(x0, y0, mx, my)
		h.segment(mx, my, x1, y1)
		return
	}
	if dx > dy {
		h.walk(x0, y0, x1, y1, false)
	} else {
		h.walk(y0, x0, y1, x1, true)
	}
}

// misses tells whether a stretch lies outside the canvas.
func (h *hair) misses(x0, y0, x1, y1 int64) bool {
	const keep = 2 * hairUnit
	c := h.clip
	return max(x0, x1) < int64(c.X0)*hairUnit-keep || min(x0, x1) > int64(c.X1)*hairUnit+keep ||
		max(y0, y1) < int64(c.Y0)*hairUnit-keep || min(y0, y1) > int64(c.Y1)*hairUnit+keep
}

// walk draws a stretch that runs mostly along s; t is the other axis. steep says
// that s runs down.
func (h *hair) walk(s0, t0, s1, t1 int64, steep bool) {
	if s0 > s1 {
		s0, t0, s1, t1 = s1, t1, s0, t0
	}
	if s0 == s1 {
		return
	}
	first, last := s0>>6, (s1+63)>>6
	slope := ((t1 - t0) << 16) / (s1 - s0)
	at := t0<<10 + (slope*(32-s0&63)+32)>>6 + 1<<15
	if t0 == t1 {
		at = t0<<10 + 1<<15
	}
	for s := first; s < last; s++ {
		part := int64(hairUnit)
		if s == first {
			part -= s0 & 63
		}
		if s == last-1 {
			part -= last*hairUnit - s1
		}
		low := (at >> 8) & 0xff
		h.plot(s, at>>16-1, (255-low)*part>>6, steep)
		h.plot(s, at>>16, low*part>>6, steep)
		at += slope
	}
}

func (h *hair) plot(s, t, alpha int64, steep bool) {
	x, y := s, t
	if steep {
		x, y = t, s
	}
	c := h.clip
	if alpha > 0 && x >= int64(c.X0) && x < int64(c.X1) && y >= int64(c.Y0) && y < int64(c.Y1) {
		h.plots = append(h.plots, uint64(y)<<40|uint64(x)<<8|uint64(alpha))
	}
}

// take appends what was drawn to dst, stretch over stretch, and empties h.
func (h *hair) take(dst *scan.Coverage) (first, count int) {
	first = len(dst.Spans)
	slices.Sort(h.plots)
	last := uint64(1<<64 - 1)
	for _, p := range h.plots {
		a := uint32(p & 0xff)
		switch at := p >> 8; {
		case at == last:
			b := &dst.Bytes[len(dst.Bytes)-1]
			*b = byte(a + uint32(*b)*(256-a)>>8)
		case at == last+1 && at&0xffffffff != 0 && len(dst.Spans) > first:
			dst.Spans[len(dst.Spans)-1].N++
			dst.Bytes = append(dst.Bytes, byte(a))
		default:
			dst.Spans = append(dst.Spans, scan.Span{X: int32(at & 0xffffffff), Y: int32(at >> 32), N: 1, At: int32(len(dst.Bytes))})
			dst.Bytes = append(dst.Bytes, byte(a))
		}
		last = p >> 8
	}
	h.plots = h.plots[:0]
	return first, len(dst.Spans) - first
}

// sharpRect appends what the reference's rectangle code covers: sides on 1/256
// px, corners the product of both parts (reference-raster.md 10).
func sharpRect(dst *scan.Coverage, box [4]float32, clip chord.Rect) (first, count int) {
	first = len(dst.Spans)
	var f [4]int64
	for i, v := range box {
		f[i] = int64(max(-1<<24, min(v, 1<<24)) * 256)
	}
	part := func(lo, hi, px int64) int64 { return max(0, min(hi, (px+1)*256)-max(lo, px*256)) }
	x0, x1 := max(f[0]>>8, int64(clip.X0)), min((f[2]+255)>>8, int64(clip.X1))
	for y := max(f[1]>>8, int64(clip.Y0)); y < min((f[3]+255)>>8, int64(clip.Y1)); y++ {
		h := part(f[1], f[3], y)
		for x := x0; x < x1; {
			w, n := part(f[0], f[2], x), int64(1)
			if w == 256 {
				n = max(1, min(f[2]>>8, x1)-x)
			}
			s := scan.Span{X: int32(x), Y: int32(y), N: int32(n), At: scan.Full}
			if a := min(w*h>>8, 255); w < 256 || h < 256 {
				s.At = int32(len(dst.Bytes))
				dst.Bytes = append(dst.Bytes, slices.Repeat([]byte{byte(a)}, int(n))...)
			}
			dst.Spans = append(dst.Spans, s)
			x += n
		}
	}
	return first, len(dst.Spans) - first
}
