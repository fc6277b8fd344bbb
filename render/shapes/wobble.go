package shapes

import (
	"math"

	"plumb/render/geom"
	"plumb/render/vector"
)

// Wobbly draws an outline with hand-drawn jitter. See docs/spec/drawing.md#r31.
type Wobbly struct {
	Offset float64 // the most a point moves, in each axis
	Round  float64 // the most a corner is cut
	Seed   string  // the shape's id
	Disc   bool    // points move within a disc, not a square: docs/spec/drawing.md#r84
	bends  []bend
}

// bend is what the hand does at the end of one command.
type bend struct {
	offset        float64 // amplitude in each axis
	before, after float64 // length cut from this command's end and the next one's start
	next          int     // position of the next command, -1 at an open end
	first         int     // position of the subpath's moveTo
}

// Passes names the two runs of the hand in the seed.
var Passes = [2]string{"0", "1"}

// Plan computes the bends of c, which must be measured.
func (w *Wobbly) Plan(c *Outline) {
	w.bends = w.bends[:0]
	first := 0
	for i := range c.List {
		m := &c.List[i]
		if m.Verb == MoveTo {
			first = i
		}
		next := -1
		if m.closing {
			next = first + 1
		} else if i+1 < len(c.List) && c.List[i+1].Verb != MoveTo {
			next = i + 1
		}
		w.bends = append(w.bends, w.bend(c, i, next, first))
		if m.closing {
			w.bends[first].after = w.bends[i].after
		}
	}
}

func (w *Wobbly) bend(c *Outline, i, next, first int) bend {
	m := &c.List[i]
	lengthNext, cut := math.Inf(1), 0.0
	if next >= 0 {
		n := &c.List[next]
		lengthNext = n.length
		if m.Verb == lineTo && n.Verb == lineTo && geom.Norm2(m.e) > 0.01 && geom.Norm2(n.b) > 0.01 {
			// Both tangents point backwards, so going straight on is an angle of 0. See
			// docs/spec/drawing.md#r32.
			angle := math.Acos(geom.Clamp(geom.Dot(m.e, n.b), -1, 1))
			cut = geom.Clamp(w.Round*(math.Pi-angle)/(math.Pi/2), 0, w.Round)
		}
	}
	offset := w.Offset
	if m.Steady {
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

// Pass appends one run of the hand over c. Call plan first.
func (w *Wobbly) Pass(c *Outline, tail string, to *vector.Path) {
	var rng Random
	if w.Offset > 0 {
		rng.Seed(w.Seed, tail)
	}
	var moved geom.Point // offset of the subpath's first point
	for i := range c.List {
		m, k := &c.List[i], &w.bends[i]
		d := moved
		if !m.closing && w.Offset > 0 {
			d = w.shake(&rng, k.offset)
		}
		if m.Verb == MoveTo {
			moved = d
		}
		w.emit(c, m, k, d, to)
	}
}

// fill appends the filled subpaths of c without jitter, with rounded corners. Call plan first.
// See docs/spec/drawing.md#r33.
func (w *Wobbly) fill(c *Outline, to *vector.Path) {
	hollow := false
	for i := range c.List {
		m := &c.List[i]
		if m.Verb == MoveTo {
			hollow = m.Hollow
		}
		if !hollow {
			w.emit(c, m, &w.bends[i], geom.Point{}, to)
		}
	}
}

// shake returns how far the hand misses a point.
func (w *Wobbly) shake(rng *Random, offset float64) (d geom.Point) {
	d.X, d.Y = rng.Next(), rng.Next()
	if w.Disc {
		d = geom.Unit(d)
		offset *= math.Sqrt(math.Abs(rng.Next()))
	}
	return geom.Scale(d, offset)
}

func (w *Wobbly) emit(c *Outline, m *command, k *bend, d geom.Point, to *vector.Path) {
	q := geom.Add(m.To, d)
	in, out := q, q
	cutOut := k.next >= 0 && k.after > 0
	if cutOut {
		out = geom.Sub(q, geom.Scale(c.List[k.next].b, k.after))
	}
	cutIn := k.before > 0
	if cutIn {
		in = geom.Add(q, geom.Scale(m.e, k.before))
	}
	switch m.Verb {
	case MoveTo:
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

// Plain appends c as it is. A closed subpath that ends with a line is closed by Z, others end
// on their first point. See docs/spec/drawing.md#r19.
func (c *Outline) Plain(filled bool, to *vector.Path) {
	hollow := false
	for i := range c.List {
		m := &c.List[i]
		if m.Verb == MoveTo {
			hollow = m.Hollow
		}
		if filled && hollow {
			continue
		}
		switch {
		case m.Verb == MoveTo:
			to.MoveTo(geom.Written(m.To))
		case m.Verb == curveTo:
			to.CubicTo(geom.Written(m.c1), geom.Written(m.c2), geom.Written(m.To))
		case m.closing:
			to.Close()
		default:
			to.LineTo(geom.Written(m.To))
		}
	}
}
