package shapes

import (
	"math"

	"plumb/render/geom"
	"plumb/render/vector"
)

// JitterPen draws an outline with hand-drawn jitter. See docs/spec/drawing.md#r31.
type JitterPen struct {
	MaxOffset float64 // the most a point moves, in each axis
	MaxCut    float64 // the most a corner is cut
	Seed      string  // the shape's id
	Disc      bool    // points move within a disc, not a square: docs/spec/drawing.md#r84
	corners   []jitterCorner
}

// jitterCorner is how the jitter pen treats the end of one command.
type jitterCorner struct {
	maxOffset           float64 // the most that the point moves, in each axis
	cutBefore, cutAfter float64 // how much rounding takes away from this command's end and the next one's start
	next                int     // position of the next command, -1 at an open end
	first               int     // position of the subpath's moveTo
}

// Passes are the ends of the random seeds of the two strokes of a hand-drawn line.
var Passes = [2]string{"0", "1"}

// Plan computes how far hand-drawn jitter may move each point of the outline, and how much of each corner
// is rounded: pen.corners has one entry per command, for its end. outline must be measured. A closed subpath
// begins at the corner where its closing command ends, so its move takes the rounding of that corner.
func (pen *JitterPen) Plan(outline *Outline) {
	pen.corners = pen.corners[:0]
	first := 0 // position of the current subpath's move
	for i := range outline.Commands {
		command := &outline.Commands[i]
		if command.Verb == MoveTo {
			first = i
		}
		next := -1                 // position of the command after this one, -1 at an open end
		if command.closesSubpath { // the first command behind the move
			next = first + 1
		} else if i+1 < len(outline.Commands) && outline.Commands[i+1].Verb != MoveTo {
			next = i + 1
		}
		pen.corners = append(pen.corners, pen.cornerAt(outline, i, next, first))
		if command.closesSubpath {
			pen.corners[first].cutAfter = pen.corners[i].cutAfter
		}
	}
}

// cornerAt computes the corner at the end of command i of a hand-drawn outline. next is the
// position of the command after it, -1 at an open end; first is that of the subpath's move. Only
// corners between two straight lines are rounded, the sharper ones more. Jitter moves a point by at
// most a quarter of the shorter of its two commands.
func (pen *JitterPen) cornerAt(outline *Outline, i, next, first int) jitterCorner {
	command := &outline.Commands[i]
	lengthNext, cut := math.Inf(1), 0.0
	if next >= 0 {
		following := &outline.Commands[next]
		lengthNext = following.length
		const less = 0.01 // than the length of a unit tangent; a command without length has the tangent 0
		haveDirections := geom.SquaredLength(command.endTangent) > less && geom.SquaredLength(following.startTangent) > less
		if command.Verb == lineTo && following.Verb == lineTo && haveDirections {
			// Both tangents point backwards, so going straight on is an angle of 0. See
			// docs/spec/drawing.md#r32.
			angle := math.Acos(geom.Clamp(geom.Dot(command.endTangent, following.startTangent), -1, 1))
			cut = geom.Clamp(pen.MaxCut*(math.Pi-angle)/(math.Pi/2), 0, pen.MaxCut)
		}
	}
	offset := pen.MaxOffset
	if command.Unjittered {
		offset = 0
	}
	return jitterCorner{
		maxOffset: max(0, min(offset, (min(command.length, lengthNext)-2*cut)/4)),
		cutBefore: min(cut, command.length/4),
		cutAfter:  min(cut, lengthNext/4),
		next:      next,
		first:     first,
	}
}

// Pass appends the outline as one hand-drawn stroke to a path, with every point moved at random
// and corners rounded. A hand-drawn line consists of two such strokes: seedEnd, one of Passes, completes the
// random seed, so that they differ. A closing command ends on the moved first point. Plan must come first.
func (pen *JitterPen) Pass(outline *Outline, seedEnd string, path *vector.Path) {
	var rng Random
	if pen.MaxOffset > 0 {
		rng.Seed(pen.Seed, seedEnd)
	}
	var firstDisplacement geom.Point // offset of the subpath's first point
	for i := range outline.Commands {
		command, corner := &outline.Commands[i], &pen.corners[i]
		displacement := firstDisplacement
		if !command.closesSubpath && pen.MaxOffset > 0 {
			displacement = pen.jitter(&rng, corner.maxOffset)
		}
		if command.Verb == MoveTo {
			firstDisplacement = displacement
		}
		pen.appendCommand(outline, command, corner, displacement, path)
	}
}

// fill appends the filled subpaths of a hand-drawn outline without jitter, with rounded corners.
// Call Plan first. See docs/spec/drawing.md#r33.
func (pen *JitterPen) fill(outline *Outline, path *vector.Path) {
	strokeOnly := false
	for i := range outline.Commands {
		command := &outline.Commands[i]
		if command.Verb == MoveTo {
			strokeOnly = command.StrokeOnly
		}
		if !strokeOnly {
			pen.appendCommand(outline, command, &pen.corners[i], geom.Point{}, path)
		}
	}
}

// jitter returns a random displacement for a point of a hand-drawn outline: up to offset in each axis
// or, with pen.Disc, up to offset in any direction. For that it takes a third number from rng, whose root
// spreads the points evenly over the disc.
func (pen *JitterPen) jitter(rng *Random, offset float64) (d geom.Point) {
	d.X, d.Y = rng.Next(), rng.Next()
	if pen.Disc {
		d = geom.Unit(d)
		offset *= math.Sqrt(math.Abs(rng.Next()))
	}
	return geom.Scale(d, offset)
}

// appendCommand appends a command of a hand-drawn outline to a path, with its end moved by displacement.
// If the corner at its end is rounded, the line ends before the corner, and a quadratic leads around it
// to where the next command begins.
func (pen *JitterPen) appendCommand(outline *Outline, command *outlineCommand, corner *jitterCorner, displacement geom.Point, path *vector.Path) {
	end := geom.Add(command.To, displacement)
	cutFrom, cutTo := end, end // where the rounding begins and ends; the end itself without rounding
	isCutAfter := corner.next >= 0 && corner.cutAfter > 0
	if isCutAfter {
		cutTo = geom.Sub(end, geom.Scale(outline.Commands[corner.next].startTangent, corner.cutAfter))
	}
	isCutBefore := corner.cutBefore > 0
	if isCutBefore {
		cutFrom = geom.Add(end, geom.Scale(command.endTangent, corner.cutBefore))
	}
	switch command.Verb {
	case MoveTo:
		path.MoveTo(geom.AsExported(cutTo))
	case curveTo:
		path.CubicTo(geom.AsExported(geom.Add(command.c1, displacement)), geom.AsExported(geom.Add(command.c2, displacement)), geom.AsExported(cutTo))
	default:
		if !isCutBefore || !isCutAfter {
			path.LineTo(geom.AsExported(cutTo))
			return
		}
		path.LineTo(geom.AsExported(cutFrom))
		path.QuadTo(geom.AsExported(end), geom.AsExported(cutTo))
	}
}

// Plain appends the outline to a path as it is, without jitter and rounding. filled says that the path
// will be filled: then subpaths that are only stroked are left out. A closed subpath that ends with a line
// gets a Close in place of that line; one that ends with a curve ends on its first point. See
// docs/spec/drawing.md#r19.
func (outline *Outline) Plain(filled bool, path *vector.Path) {
	strokeOnly := false
	for i := range outline.Commands {
		command := &outline.Commands[i]
		if command.Verb == MoveTo {
			strokeOnly = command.StrokeOnly
		}
		if filled && strokeOnly {
			continue
		}
		switch {
		case command.Verb == MoveTo:
			path.MoveTo(geom.AsExported(command.To))
		case command.Verb == curveTo:
			path.CubicTo(geom.AsExported(command.c1), geom.AsExported(command.c2), geom.AsExported(command.To))
		case command.closesSubpath:
			path.Close()
		default:
			path.LineTo(geom.AsExported(command.To))
		}
	}
}

// Random is the editor's seeded generator: four signed 32-bit words. The zero value is the
// generator of the empty seed. See docs/spec/drawing.md#r30.
type Random struct{ x, y, z, w int32 }

// Seed starts the editor's random number generator, which moves points of hand-drawn outlines, from
// the text s followed by seedEnd, read as UTF-16 code units.
func (random *Random) Seed(s, seedEnd string) {
	*random = Random{}
	random.absorb(s)
	random.absorb(seedEnd)
	state := *random // a local copy stays in registers, which is faster
	for range 64 {   // as the editor does, to mix the seed
		state = state.stepped()
	}
	*random = state
}

// absorb mixes the UTF-16 code units of s, a part of the seed of hand-drawn jitter, into the
// generator's state. The editor is written in JavaScript, whose strings consist of such units.
func (random *Random) absorb(s string) {
	for _, r := range s {
		if r >= 0x10000 { // it has two code units, a surrogate pair
			r -= 0x10000
			random.x ^= 0xD800 + r>>10
			*random = random.stepped()
			r = 0xDC00 + r&0x3FF
		}
		random.x ^= r
		*random = random.stepped()
	}
}

// stepped returns the generator after one step of xorshift.
func (random Random) stepped() Random {
	t := random.x ^ random.x<<11
	return Random{random.y, random.z, random.w, random.w ^ int32(uint32(random.w)>>19) ^ t ^ int32(uint32(t)>>8)}
}

// Next returns the next number in [-1, 1).
func (random *Random) Next() float64 {
	*random = random.stepped()
	return float64(random.w) / (1 << 31)
}
