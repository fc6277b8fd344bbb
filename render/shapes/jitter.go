package shapes

import (
	"math"

	"plumb/render/geom"
	"plumb/render/vector"
)

// JitterPen draws an outline with hand-drawn jitter. See docs/spec/drawing.md#r31.
type JitterPen struct {
	Offset  float64 // the most a point moves, in each axis
	Round   float64 // the most a corner is cut
	Seed    string  // the shape's id
	Disc    bool    // points move within a disc, not a square: docs/spec/drawing.md#r84
	corners []jitterCorner
}

// jitterCorner is how the jitter pen treats the end of one command.
type jitterCorner struct {
	offset        float64 // most that the point moves, in each axis
	before, after float64 // length cut from this command's end and the next one's start
	next          int     // position of the next command, -1 at an open end
	first         int     // position of the subpath's moveTo
}

// Passes are the ends of the random seeds of the two strokes of a hand-drawn line.
var Passes = [2]string{"0", "1"}

// Plan computes how far hand-drawn jitter may move each point of the outline c, and how much of
// each corner is rounded, and keeps that for Pass and fill. c must be measured. In a closed subpath
// the first corner is that of the closing command.
func (w *JitterPen) Plan(c *Outline) {
	w.corners = w.corners[:0]
	first := 0
	for i := range c.List {
		m := &c.List[i]
		if m.Verb == MoveTo {
			first = i
		}
		next := -1
		if m.closing { // the first command behind the move
			next = first + 1
		} else if i+1 < len(c.List) && c.List[i+1].Verb != MoveTo {
			next = i + 1
		}
		w.corners = append(w.corners, w.cornerAt(c, i, next, first))
		if m.closing {
			w.corners[first].after = w.corners[i].after
		}
	}
}

// cornerAt computes the corner at the end of command i of a hand-drawn outline. next is the
// position of the command after it, -1 at an open end; first is that of the subpath's move. Only
// corners between two straight lines are rounded, the sharper ones more. Jitter moves a point by at
// most a quarter of the shorter of its two commands.
func (w *JitterPen) cornerAt(c *Outline, i, next, first int) jitterCorner {
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
	return jitterCorner{
		offset: max(0, min(offset, (min(m.length, lengthNext)-2*cut)/4)),
		before: min(cut, m.length/4),
		after:  min(cut, lengthNext/4),
		next:   next,
		first:  first,
	}
}

// Pass appends the outline c as one hand-drawn stroke to a path, with every point moved at random
// and corners rounded. tail, one of Passes, completes the random seed, so that the two strokes of a
// line differ. A closing command ends on the moved first point. Plan must come first.
func (w *JitterPen) Pass(c *Outline, tail string, to *vector.Path) {
	var rng Random
	if w.Offset > 0 {
		rng.Seed(w.Seed, tail)
	}
	var moved geom.Point // offset of the subpath's first point
	for i := range c.List {
		m, k := &c.List[i], &w.corners[i]
		d := moved
		if !m.closing && w.Offset > 0 {
			d = w.jitter(&rng, k.offset)
		}
		if m.Verb == MoveTo {
			moved = d
		}
		w.appendCommand(c, m, k, d, to)
	}
}

// fill appends the filled subpaths of a hand-drawn outline without jitter, with rounded corners.
// Call Plan first. See docs/spec/drawing.md#r33.
func (w *JitterPen) fill(c *Outline, to *vector.Path) {
	hollow := false
	for i := range c.List {
		m := &c.List[i]
		if m.Verb == MoveTo {
			hollow = m.Hollow
		}
		if !hollow {
			w.appendCommand(c, m, &w.corners[i], geom.Point{}, to)
		}
	}
}

// jitter returns a random displacement for a point of a hand-drawn outline: up to offset in each
// axis or, with w.Disc, in any direction. It takes two numbers from rng, or three.
func (w *JitterPen) jitter(rng *Random, offset float64) (d geom.Point) {
	d.X, d.Y = rng.Next(), rng.Next()
	if w.Disc {
		d = geom.Unit(d)
		offset *= math.Sqrt(math.Abs(rng.Next()))
	}
	return geom.Scale(d, offset)
}

// appendCommand appends command m of a hand-drawn outline, whose end is moved by d, to a path. If
// its corner k is rounded, the line ends before the corner, and a quadratic leads around it to
// where the next command begins.
func (w *JitterPen) appendCommand(c *Outline, m *outlineCommand, k *jitterCorner, d geom.Point, to *vector.Path) {
	q := geom.Add(m.To, d)
	in, out := q, q // where the rounding begins and ends
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

// Plain appends the outline to a path as it is, without jitter and rounding. filled leaves out
// subpaths that are only stroked. A closed subpath that ends with a line gets a Close in place of
// that line; one that ends with a curve ends on its first point. See docs/spec/drawing.md#r19.
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

// Random is the editor's seeded generator: four signed 32-bit words. The zero value is the
// generator of the empty seed. See docs/spec/drawing.md#r30.
type Random struct{ x, y, z, w int32 }

// Seed starts the editor's random number generator, which moves points of hand-drawn outlines, from
// the text s followed by tail, read as UTF-16 code units.
func (g *Random) Seed(s, tail string) {
	*g = Random{}
	g.absorb(s)
	g.absorb(tail)
	h := *g        // in registers
	for range 64 { // as the editor does, to mix the seed
		h = h.stepped()
	}
	*g = h
}

// absorb mixes the UTF-16 code units of s, a part of the seed of hand-drawn jitter, into the
// generator's state.
func (g *Random) absorb(s string) {
	for _, r := range s {
		if r >= 0x10000 { // two code units
			r -= 0x10000
			g.x ^= 0xD800 + r>>10
			*g = g.stepped()
			r = 0xDC00 + r&0x3FF
		}
		g.x ^= r
		*g = g.stepped()
	}
}

// stepped returns the generator after one step of xorshift.
func (g Random) stepped() Random {
	t := g.x ^ g.x<<11
	return Random{g.y, g.z, g.w, g.w ^ int32(uint32(g.w)>>19) ^ t ^ int32(uint32(t)>>8)}
}

// Next returns the next number in [-1, 1).
func (g *Random) Next() float64 {
	*g = g.stepped()
	return float64(g.w) / (1 << 31)
}
