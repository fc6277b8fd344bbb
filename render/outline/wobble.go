package outline

import (
	"math"

	"plumb/render/geom"
	"plumb/render/path"
)

// wobbly draws an outline with hand-drawn jitter. See docs/spec/drawing.md#r31.
type wobbly struct {
	offset float64 // the most a point moves, in each axis
	round  float64 // the most a corner is cut
	seed   string  // the shape's id
	disc   bool    // points move within a disc, not a square: docs/spec/drawing.md#r84
	bends  []bend
}

// bend is what the hand does at the end of one command.
type bend struct {
	offset        float64 // amplitude in each axis
	before, after float64 // length cut from this command's end and the next one's start
	next          int     // position of the next command, -1 at an open end
	first         int     // position of the subpath's moveTo
}

// passes names the two runs of the hand in the seed.
var passes = [2]string{"0", "1"}

// plan computes the bends of c, which must be measured.
func (w *wobbly) plan(c *commands) {
	w.bends = w.bends[:0]
	first := 0
	for i := range c.list {
		m := &c.list[i]
		if m.verb == moveTo {
			first = i
		}
		next := -1
		if m.closing {
			next = first + 1
		} else if i+1 < len(c.list) && c.list[i+1].verb != moveTo {
			next = i + 1
		}
		w.bends = append(w.bends, w.bend(c, i, next, first))
		if m.closing {
			w.bends[first].after = w.bends[i].after
		}
	}
}

func (w *wobbly) bend(c *commands, i, next, first int) bend {
	m := &c.list[i]
	lengthNext, cut := math.Inf(1), 0.0
	if next >= 0 {
		n := &c.list[next]
		lengthNext = n.length
		if m.verb == lineTo && n.verb == lineTo && geom.Norm2(m.e) > 0.01 && geom.Norm2(n.b) > 0.01 {
			// Both tangents point backwards, so going straight on is an angle of 0. See
			// docs/spec/drawing.md#r32.
			angle := math.Acos(geom.Clamp(geom.Dot(m.e, n.b), -1, 1))
			cut = geom.Clamp(w.round*(math.Pi-angle)/(math.Pi/2), 0, w.round)
		}
	}
	offset := w.offset
	if m.steady {
		offset = 0
	}
	return bend{
		offset: max(0, min(offset, (min(m.length, lengthNext)-2*cut)/4)),
		before: min(cut, m.length/4),
		after:  min(cut, lengthNext/4),
		next:   next,
		first:  first,
	}
}

// pass appends one run of the hand over c. Call plan first.
func (w *wobbly) pass(c *commands, tail string, to *path.Path) {
	var rng prng
	if w.offset > 0 {
		rng.seed(w.seed, tail)
	}
	var moved geom.Point // offset of the subpath's first point
	for i := range c.list {
		m, k := &c.list[i], &w.bends[i]
		d := moved
		if !m.closing && w.offset > 0 {
			d = w.shake(&rng, k.offset)
		}
		if m.verb == moveTo {
			moved = d
		}
		w.emit(c, m, k, d, to)
	}
}

// fill appends the filled subpaths of c without jitter, with rounded corners. Call plan first.
// See docs/spec/drawing.md#r33.
func (w *wobbly) fill(c *commands, to *path.Path) {
	hollow := false
	for i := range c.list {
		m := &c.list[i]
		if m.verb == moveTo {
			hollow = m.hollow
		}
		if !hollow {
			w.emit(c, m, &w.bends[i], geom.Point{}, to)
		}
	}
}

// shake returns how far the hand misses a point.
func (w *wobbly) shake(rng *prng, offset float64) (d geom.Point) {
	d.X, d.Y = rng.next(), rng.next()
	if w.disc {
		d = geom.Unit(d)
		offset *= math.Sqrt(math.Abs(rng.next()))
	}
	return geom.Scale(d, offset)
}

func (w *wobbly) emit(c *commands, m *command, k *bend, d geom.Point, to *path.Path) {
	q := geom.Add(m.to, d)
	in, out := q, q
	cutOut := k.next >= 0 && k.after > 0
	if cutOut {
		out = geom.Sub(q, geom.Scale(c.list[k.next].b, k.after))
	}
	cutIn := k.before > 0
	if cutIn {
		in = geom.Add(q, geom.Scale(m.e, k.before))
	}
	switch m.verb {
	case moveTo:
		to.MoveTo(geom.Written(out))
	case curveTo:
		to.CubicTo(geom.Written(geom.Add(m.c1, d)), geom.Written(geom.Add(m.c2, d)), geom.Written(out))
	default:
		if !cutIn || !cutOut {
			to.LineTo(geom.Written(out))
			return
		}
		to.LineTo(geom.Written(in))
		to.QuadTo(geom.Written(q), geom.Written(out))
	}
}

// plain appends c as it is. A closed subpath that ends with a line is closed by Z, others end
// on their first point. See docs/spec/drawing.md#r19.
func (c *commands) plain(filled bool, to *path.Path) {
	hollow := false
	for i := range c.list {
		m := &c.list[i]
		if m.verb == moveTo {
			hollow = m.hollow
		}
		if filled && hollow {
			continue
		}
		switch {
		case m.verb == moveTo:
			to.MoveTo(geom.Written(m.to))
		case m.verb == curveTo:
			to.CubicTo(geom.Written(m.c1), geom.Written(m.c2), geom.Written(m.to))
		case m.closing:
			to.Close()
		default:
			to.LineTo(geom.Written(m.to))
		}
	}
}
