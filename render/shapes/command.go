package shapes

import (
	"math"
	"plumb/render/geom"
)

// verb is the kind of a command.
type verb uint8

const (
	MoveTo verb = iota
	lineTo
	curveTo
)

// Ending says how a run of dashes meets its end point. See docs/spec/drawing.md#r35.
type Ending uint8

const (
	byPosition Ending = iota // outset at joints and in closed subpaths, exact at open ends
	Exact                    // begins or ends with a whole dash there
	Outset                   // reaches half a dash beyond
	Skip                     // meets it with a gap
)

// outlineCommand is one step of an outline, as the editor keeps them. To is its end; c1 and c2 are
// the controls of curves. See docs/spec/drawing.md#r19.
type outlineCommand struct {
	Verb          verb
	closesSubpath bool   // last of a closed subpath; ends on the subpath's first point
	continuesRun  bool   // same run of dashes as the one before (pieces of one arc)
	Unjittered    bool   // hand-drawn jitter does not move the end point
	StrokeOnly    bool   // on moveTo: the subpath is stroked only
	start, end    Ending // how dashes meet the start and the end of the command
	steps         int32  // curves: number of samples, at equal steps of the parameter
	To, c1, c2    geom.Point

	// Set by Measure: the length of the command, and the unit tangents at its start and its end. Those of
	// a line both point back towards its start, those of a curve both into the curve.
	length                   float64
	startTangent, endTangent geom.Point
}

// Outline is a list of commands under construction. The zero value is ready for use.
type Outline struct {
	Commands []outlineCommand
	first    int // position of the current subpath's moveTo

	anchors, wiggled []geom.Point // of a cloud, kept for their memory
}

// Reset empties the outline and keeps its memory.
func (outline *Outline) Reset() { outline.Commands, outline.first = outline.Commands[:0], 0 }

// Move begins a subpath at p and returns its command.
func (outline *Outline) Move(p geom.Point) *outlineCommand {
	outline.first = len(outline.Commands)
	outline.Commands = append(outline.Commands, outlineCommand{Verb: MoveTo, To: p})
	return &outline.Commands[len(outline.Commands)-1]
}

// Line adds a straight line to p and returns its command.
func (outline *Outline) Line(p geom.Point) *outlineCommand {
	outline.Commands = append(outline.Commands, outlineCommand{Verb: lineTo, To: p})
	return &outline.Commands[len(outline.Commands)-1]
}

// curveSteps is the number of samples of a curve that is not part of an arc.
const curveSteps = 10

// curve adds a cubic to p and returns its command.
func (outline *Outline) curve(c1, c2, p geom.Point) *outlineCommand {
	outline.Commands = append(outline.Commands, outlineCommand{Verb: curveTo, c1: c1, c2: c2, To: p, steps: curveSteps})
	return &outline.Commands[len(outline.Commands)-1]
}

// current returns the end of the last command.
func (outline *Outline) current() geom.Point { return outline.Commands[len(outline.Commands)-1].To }

// Close ends the current subpath of a shape's outline on its first point and marks its last command
// as closing. It adds a straight line unless the subpath ends there already, within rounding
// errors.
func (outline *Outline) Close() {
	const roundingErrors = 1e-6 // px; within them a curve, such as an arc, ends on the first point
	start := outline.Commands[outline.first].To
	if !geom.Near(outline.current(), start, roundingErrors) {
		outline.Line(start)
	}
	outline.Commands[len(outline.Commands)-1].closesSubpath = true
}

// Polygon adds a closed subpath of straight lines to the shape's outline.
func (outline *Outline) Polygon(p ...geom.Point) {
	outline.Move(p[0])
	for _, q := range p[1:] {
		outline.Line(q)
	}
	outline.Close()
}

// Arc adds a part of an ellipse to a shape's outline, as one to four cubics of at most a quarter turn
// each. The ellipse has the radii rx and ry; the part begins at startAngle, in radians, and goes sweep
// radians clockwise. The current point must be at its start, and the last piece ends on end exactly. An
// arc of no angle adds nothing. See docs/spec/drawing.md#r20.
func (outline *Outline) Arc(centre geom.Point, rx, ry, startAngle, sweep float64, end geom.Point) {
	pieces := min(4, math.Ceil(math.Abs(sweep)/(math.Pi/2)))
	if !(pieces > 0) {
		return
	}
	step := sweep / pieces
	controlLength := 4.0 / 3 * math.Tan(step/4) // distance of the controls from the ends, in tangents
	at := func(t float64) (p, tangent geom.Point) {
		sin, cos := math.Sincos(t)
		return geom.Pt(centre.X+float64(rx*cos), centre.Y+float64(ry*sin)), geom.Pt(-rx*sin, ry*cos)
	}
	// The number of samples that represent the arc in bounds. See docs/spec/drawing.md#r26.
	samples := max(8, math.Ceil(max(rx, ry)*math.Abs(sweep)/20))
	steps := int32(min(math.Ceil(samples/pieces), MaxSamples))
	p, tp := at(startAngle)
	for i := 1.0; i <= pieces; i++ {
		q, tq := at(startAngle + step*i)
		to := q
		if i == pieces {
			to = end
		}
		cmd := outline.curve(geom.Add(p, geom.Scale(tp, controlLength)), geom.Sub(q, geom.Scale(tq, controlLength)), to)
		cmd.continuesRun, cmd.steps = i > 1, steps
		p, tp = q, tq
	}
}

// MaxSamples bounds the samples of one curve. An arc that would need more is larger
// than any picture, and with so many its bounds are right to 1e-7 of its radius.
const MaxSamples = 4096

// arcTo adds the smaller arc of a circle of that radius, clockwise, from the outline's current point
// to end. A radius that is too small grows until the circle reaches both points; a radius of 0
// makes a line. If both points are equal it adds nothing. It is the arc command of SVG paths.
func (outline *Outline) arcTo(radius float64, end geom.Point) {
	from := outline.current()
	halfChord := geom.Scale(geom.Sub(end, from), 0.5)
	halfLength := geom.Length(halfChord) // half the distance
	if halfLength == 0 {
		return
	}
	if radius == 0 {
		outline.Line(end)
		return
	}
	radius = max(radius, halfLength)
	// The centre lies to the right of the direction of travel, y down.
	k := math.Sqrt(max(0, float64(radius*radius)-float64(halfLength*halfLength))) / halfLength
	centre := geom.Add(geom.Add(from, halfChord), geom.Scale(geom.Pt(-halfChord.Y, halfChord.X), k))
	startAngle := math.Atan2(from.Y-centre.Y, from.X-centre.X)
	outline.Arc(centre, radius, radius, startAngle, 2*math.Asin(min(1, halfLength/radius)), end)
}

// gaussT and gaussC are the nodes and weights of the editor's 12-node Gauss-Legendre rule,
// which have 4 digits. See docs/spec/drawing.md#r34.
var (
	gaussT = [6]float64{0.1252, 0.3678, 0.5873, 0.7699, 0.9041, 0.9816}
	gaussC = [6]float64{0.2491, 0.2335, 0.2032, 0.1601, 0.1069, 0.0472}
)

// curveLength returns the length of a cubic with the controls c1 and c2, as the editor computes it: it
// sums the curve's speed at 12 nodes (a Gauss-Legendre rule), which lie in pairs around the middle.
// float64 keeps products from being fused with sums, so that the bits are the same on every machine.
func curveLength(from, c1, c2, to geom.Point) float64 {
	d1, d2, d3 := geom.Sub(c1, from), geom.Sub(c2, c1), geom.Sub(to, c2)
	speed := func(t float64) float64 { // length of the derivative
		u := 1 - t
		a, b, c := 3*u*u, 6*u*t, 3*t*t
		return geom.Length(geom.Pt(
			float64(a*d1.X)+float64(b*d2.X)+float64(c*d3.X),
			float64(a*d1.Y)+float64(b*d2.Y)+float64(c*d3.Y),
		))
	}
	sum := 0.0
	for i, t := range gaussT {
		sum += float64(gaussC[i] * (speed(0.5-t/2) + speed(0.5+t/2)))
	}
	return sum / 2
}

// Measure sets the length and both tangents of every command of a shape's outline, which dashes and
// jitter need. Tangents are unit vectors. Those of a line both point back to its start, and those of a
// curve both into the curve. A move has none, and an infinite length: lengths limit how far the corners
// beside a command are rounded, and a move is no limit.
func (outline *Outline) Measure() {
	var p geom.Point
	for i := range outline.Commands {
		command := &outline.Commands[i]
		switch command.Verb {
		case lineTo:
			command.length = geom.Distance(p, command.To)
			command.startTangent = geom.Unit(geom.Sub(p, command.To))
			command.endTangent = command.startTangent
		case curveTo:
			command.length = curveLength(p, command.c1, command.c2, command.To)
			command.startTangent = geom.Unit(geom.Sub(command.c1, p))
			command.endTangent = geom.Unit(geom.Sub(command.c2, command.To))
		default:
			command.length, command.startTangent, command.endTangent = math.Inf(1), geom.Point{}, geom.Point{}
		}
		p = command.To
	}
}

// Sample calls f with the points that represent the outline when bounds and hits are computed: ends
// of lines, and points of curves at equal steps of the parameter.
func (outline *Outline) Sample(f func(geom.Point)) {
	var p geom.Point
	for i := range outline.Commands {
		outline.Commands[i].Sample(p, f)
		p = outline.Commands[i].To
	}
}

// Sample calls f with the sample points of one command that begins at from: of a curve those at equal
// steps of its parameter, without its start; of others the end alone.
func (command *outlineCommand) Sample(from geom.Point, f func(geom.Point)) {
	if command.Verb == curveTo {
		for k := int32(1); k < command.steps; k++ {
			f(geom.CubicAt(from, command.c1, command.c2, command.To, float64(k)/float64(command.steps)))
		}
	}
	f(command.To)
}
