package shapes

import (
	"cmp"
	"fmt"
	"math"

	"plumb/render/geom"
	"plumb/render/scene"
)

// freehandPen holds the parameters by which a freehand line is smoothed and gets its width. See
// docs/spec/drawing.md#r73.
type freehandPen struct {
	size       float64               // width of the line, px
	streamline float64               // how strongly points are drawn towards the ones before, 0..1
	smoothing  float64               // how far apart points of an edge are, in sizes
	thinning   float64               // how much the width follows the pressure, 0..1
	simulated  bool                  // pressure follows from the distance of points, not from the record
	reachLast  bool                  // the line is complete: it ends on its last input point
	ease       func(float64) float64 // maps pressure to width, both 0..1
}

// strokePoint is a point of a freehand line after smoothing.
type strokePoint struct {
	At           geom.Point // where the smoothed line passes
	input        geom.Point // the input point that it was made of
	backward     geom.Point // unit, towards the point before
	fromPrevious float64    // from the point before, px
	RunLength    float64    // length of the line up to here, px
	Pressure     float64    // 0..1
	Radius       float64    // half the width of the line here, px
}

// freehand smooths one freehand line after the other and keeps its memory.
type freehand struct {
	Input       []scene.Pressed
	start       geom.Point // first input point, where dots are drawn
	Points      []strokePoint
	part        []strokePoint // the points of one part between elbows
	left, right []geom.Point  // the two sides of the part's outline
	MaxPoints   int           // of input, 0 for MaxPoints
}

// freehand makes the fill and the line of a freehand shape (kind draw); a shape without points has
// none. The dash decides what the line is: with draw an outline of changing width, which is filled;
// with solid, dashed and dotted a centre line, which is stroked; with none there is no line. A line of a
// single point is a small disc. The points include the shape's scale, so InverseScale undoes the scale of the
// shape's group.
func (maker *Maker) freehand(shape *scene.Shape, _ float64, _ bool) error {
	maker.InverseScale = 1 / shape.Scale
	line := &maker.Freehand
	if err := line.Gather(shape); err != nil || len(line.Input) == 0 {
		return err
	}
	// The smoothed line.
	stroke := drawWidth(shape)
	dot := len(line.Input) == 1
	if dot && shape.Dash == scene.DashDraw && !shape.Pen {
		stroke = dotWidth(shape, stroke)
	}
	line.smooth(drawPen(shape, stroke))
	// The fill.
	if shape.Closed && shape.Fill != scene.FillNone && len(line.Points) > 1 {
		p := maker.NewPath()
		line.closedCentre(p)
		maker.Fill(shape, p)
	}
	// The line.
	color := Palette[shape.Color].Solid
	path := maker.NewPath()
	if shape.Dash == scene.DashDraw {
		line.inkOutline(drawPen(shape, stroke), path)
		maker.Draws = append(maker.Draws, Draw{Path: path, Color: color, Opacity: Opaque})
		return nil
	}
	draw := Draw{Path: path, Width: stroke, Color: color, Opacity: Opaque}
	if shape.Dash == scene.DashNone {
		return nil
	}
	if dot || len(line.Points) == 1 { // a dot is filled and stroked, never dashed
		const dotRadius = 0.5
		disc(line.start, dotRadius, false, path)
		maker.Fill(shape, path)
		maker.Draws = append(maker.Draws, Draw{Path: path, Color: color, Opacity: Opaque}, draw)
		return nil
	}
	// A centre line, with dashes that fit its length.
	line.centreLine(shape, path)
	switch shape.Dash {
	case scene.DashDashed:
		draw.Dashes = Dashes{Dash: 2 * stroke, Gap: 2 * stroke}
	case scene.DashDotted:
		const dotLength = 0.1 // px: a round cap makes it a dot
		draw.Dashes = Dashes{Dash: dotLength, Gap: 2 * stroke}
	}
	if err := draw.Dashes.check(line.Points[len(line.Points)-1].RunLength, line.MaxPoints); err != nil {
		return fmt.Errorf("shape %q: %w", shape.ID, err)
	}
	maker.Draws = append(maker.Draws, draw)
	return nil
}

// dotWidth returns the width of the dot that a line of a single point is drawn as: the given width,
// changed by up to a sixth. The change is random, with the shape's id as the seed, as in the editor.
func dotWidth(sh *scene.Shape, width float64) float64 {
	const sixth = 6 // divides the width; Next is from -1 to 1
	var rng Random
	rng.Seed(sh.ID, "")
	return width + float64(rng.Next()*width/sixth)
}

// penStreamline is freehandPen.streamline for a line that was drawn with a real pen.
const penStreamline = 0.62

// drawPen returns the pen of a freehand shape: how its line is smoothed, and how wide it is for a
// stroke of the given width in px. Only with dash draw the width follows the pressure: the recorded one
// of a real pen, else a simulated one. All numbers are the editor's settings; freehandPen explains them.
func drawPen(shape *scene.Shape, stroke float64) freehandPen {
	pen := freehandPen{
		size:       stroke,
		smoothing:  0.62,
		streamline: geom.Clamp(0.64+float64((stroke-9)/7*0.1), 0.64, 0.74),
		reachLast:  shape.Complete || shape.Segments[len(shape.Segments)-1].Straight,
		ease:       sineEase,
	}
	if shape.Dash != scene.DashDraw {
		return pen
	}
	if shape.Pen {
		pen.size, pen.thinning, pen.streamline = 1+float64(1.2*stroke), 0.62, penStreamline
		pen.ease = func(t float64) float64 { return float64(0.65*t) + float64(0.35*math.Sin(t*math.Pi/2)) }
		return pen
	}
	pen.thinning, pen.simulated = 0.5, true
	return pen
}

// sineEase maps 0..1 to 0..1 along a quarter of a sine.
func sineEase(t float64) float64 { return math.Sin(t * math.Pi / 2) }

// Gather fills line.Input with the points and pressures of all segments of a freehand shape. A
// straight segment is recorded by its two ends alone: it becomes a point for every 16 px, at least 4. As
// in the editor, these are denser at its start and have a made-up pressure. More points than the limit
// are an error. See docs/spec/drawing.md#r72.
func (line *freehand) Gather(shape *scene.Shape) error {
	line.Input = line.Input[:0]
	mostPoints := float64(cmp.Or(line.MaxPoints, MaxPoints))
	for _, segment := range shape.Segments {
		if !segment.Straight || len(segment.Points) < 2 {
			if count := len(line.Input) + len(segment.Points); float64(count) > mostPoints {
				return tooManyPoints(shape, float64(count), mostPoints)
			}
			line.Input = append(line.Input, segment.Points...)
			continue
		}
		first, last := segment.Points[0], segment.Points[1]
		from, to := geom.Pt(first.X, first.Y), geom.Pt(last.X, last.Y)
		const spacing = 16 // px
		count := max(4, math.Floor(geom.Distance(from, to)/spacing))
		if all := float64(len(line.Input)) + count; !(all <= mostPoints) {
			return tooManyPoints(shape, all, mostPoints)
		}
		for i := 0.0; i < count; i++ {
			t := i / (count - 1)
			t *= t // denser at the start
			p := geom.Lerp(from, to, t)
			pressure := min(1, 0.5+float64(0.65*math.Abs(0.5-easeInOut(t))))
			line.Input = append(line.Input, scene.Pressed{X: p.X, Y: p.Y, Z: pressure})
		}
	}
	return nil
}

// tooManyPoints returns the error for a freehand line of n points if most are allowed.
func tooManyPoints(sh *scene.Shape, n, most float64) error {
	return fmt.Errorf("cannot draw line of shape %q: it has %.0f points, of which a straight segment has one for every 16 px; want at most %.0f (%s): %w",
		sh.ID, n, most, scene.FlagPoints, scene.ErrLimit)
}

// easeInOut maps 0..1 to 0..1, slowly at both ends. The made-up pressures of straight freehand segments
// follow it.
func easeInOut(t float64) float64 {
	if t < 0.5 {
		return 2 * t * t
	}
	return -1 + float64((4-float64(2*t))*t)
}

// trim drops points at both ends of line.Input, the input of a freehand line, as the editor does. If the
// pressure is real, it first drops points almost without pressure. Then it drops points closer to the
// first or the last point than a third of the line's width; the first point takes the highest pressure of
// those near it. It may drop all points. droppedNearEnd says that it dropped some near the last point.
func (line *freehand) trim(pen freehandPen) (droppedNearEnd bool) {
	input := line.Input
	// Points almost without pressure.
	if !pen.simulated {
		const leastAtStart, leastAtEnd = 0.025, 0.01 // pressures
		for len(input) > 0 && input[0].Z < leastAtStart {
			input = input[1:]
		}
		for len(input) > 0 && input[len(input)-1].Z < leastAtEnd {
			input = input[:len(input)-1]
		}
	}
	if len(input) == 0 {
		line.Input = input
		return false
	}
	// Points close to the first one.
	closeSquared := pen.size / 3 * (pen.size / 3)
	gapSquared := func(a, b scene.Pressed) float64 { return geom.SquaredLength(geom.Pt(a.X-b.X, a.Y-b.Y)) }
	first := input[0]
	for len(input) > 1 && gapSquared(input[1], first) <= closeSquared {
		first.Z = max(first.Z, input[1].Z)
		input = input[1:]
	}
	input[0] = first
	// Points close to the last one.
	last := input[len(input)-1]
	for len(input) > 1 && gapSquared(input[len(input)-2], last) <= closeSquared {
		input = input[:len(input)-1]
		droppedNearEnd = true
	}
	input[len(input)-1] = last
	line.Input = input
	return droppedNearEnd
}

// smooth turns the input points of a freehand line, at least one in line.Input, into the smooth line
// line.Points, with a radius at each point. It empties line.Input. See docs/spec/drawing.md#r74.
func (line *freehand) smooth(pen freehandPen) {
	memory := line.Input[:0] // trim moves the start of line.Input; this keeps all of its memory
	line.start = geom.Pt(line.Input[0].X, line.Input[0].Y)
	line.Points = line.Points[:0]
	// Drop points near the ends.
	dropped := line.trim(pen)
	input := line.Input
	defer func() { line.Input = memory }()
	if len(input) == 0 { // a line without pressure is a dot
		const mediumPressure = 0.5
		noDirection := geom.Pt(1, 1) // what the editor sets
		line.Points = append(line.Points, strokePoint{At: line.start, input: line.start, backward: noDirection, Pressure: mediumPressure})
		line.computeRadii(pen)
		return
	}
	// A smoothed line lags behind its input. It is to reach the last point if the line is complete, its pressure is
	// real, or its last points are close together.
	n := len(input)
	reachEnd := pen.reachLast || !pen.simulated || dropped ||
		n > 1 && math.Hypot(input[n-1].X-input[n-2].X, input[n-1].Y-input[n-2].Y) < pen.size
	// Two points are too few for a simulated pressure, so three are put between.
	var quarters [5]scene.Pressed
	if n == 2 && pen.simulated {
		a, b := input[0], input[1]
		quarters[0] = a
		for i := 1; i <= 4; i++ {
			t := float64(i) / 4
			quarters[i] = scene.Pressed{
				X: geom.LerpNumber(a.X, b.X, t), Y: geom.LerpNumber(a.Y, b.Y, t), Z: geom.LerpNumber(a.Z, b.Z, t),
			}
		}
		input = quarters[:]
	}
	// Smooth places and pressures, which give the radii.
	line.streamline(input, pen, reachEnd)
	line.evenPressure()
	line.computeRadii(pen)
}

// streamline appends the input points of a freehand line to line.Points. Each point is moved towards
// the one before it, and gets its direction and the length of the line so far. Points that hardly
// move are left out, and so are the first few while the line is shorter than it is wide. reachEnd
// adds the last input point once more, so that the line gets closer to it; with pen.reachLast the line
// ends there. The numbers are the editor's.
func (line *freehand) streamline(input []scene.Pressed, pen freehandPen, reachEnd bool) {
	const samePlace = 1e-4                            // px
	const early = 4                                   // points
	follow := 0.15 + float64(0.85*(1-pen.streamline)) // share of the way to the input point
	pressure := func(z float64) float64 {
		if pen.simulated {
			return 0.5
		}
		return z
	}
	start := geom.Pt(input[0].X, input[0].Y)
	noDirection := geom.Pt(1, 1) // what the editor sets; replaced below if there is a second point
	line.Points = append(line.Points, strokePoint{At: start, input: start, backward: noDirection, Pressure: pressure(input[0].Z)})
	n, run := len(input), 0.0
	if reachEnd {
		n++
	}
	for i := 1; i < n; i++ {
		src := input[min(i, len(input)-1)]
		raw := geom.Pt(src.X, src.Y)
		prev := &line.Points[len(line.Points)-1]
		at := raw
		if !(pen.reachLast && i == n-1) {
			at = geom.Lerp(raw, prev.At, 1-follow)
		}
		if geom.Near(at, prev.At, samePlace) {
			continue
		}
		d := geom.Distance(at, prev.At)
		run += d
		if i < early && run < pen.size {
			continue
		}
		line.Points = append(line.Points, strokePoint{
			At: at, input: raw, backward: geom.Unit(geom.Sub(prev.At, at)), fromPrevious: d, RunLength: run,
			Pressure: pressure(src.Z),
		})
	}
	if len(line.Points) > 1 {
		line.Points[0].backward = line.Points[1].backward
	}
}

// evenPressure gives all points of a freehand line that is shorter than 1 px one pressure: the highest
// among them, at least 0.5.
func (line *freehand) evenPressure() {
	if line.Points[len(line.Points)-1].RunLength >= 1 {
		return
	}
	most := line.highestPressure()
	for i := range line.Points {
		line.Points[i].Pressure = most
	}
}

// highestPressure returns the highest pressure among the points of a freehand line, but at least 0.5, the
// pressure of points for which none was recorded.
func (line *freehand) highestPressure() float64 {
	most := 0.5
	for i := range line.Points {
		most = max(most, line.Points[i].Pressure)
	}
	return most
}

// pressureRate is how fast the width follows the pressure.
const pressureRate = 0.275

// computeRadii sets the radius of a freehand line, half its width, at each point. There are three cases.
// A line of a real pen that is shorter than the pen is wide has one radius, by its highest pressure. A
// pen without thinning has half its size everywhere. All others have a radius that follows a smoothed
// pressure: from point to point that moves towards the recorded pressure or, if none was recorded,
// towards one that falls with the speed. The speed of a point is its distance from the one before, in
// pen sizes, at most 1; at higher speed the pressure moves faster. See docs/spec/drawing.md#r75.
func (line *freehand) computeRadii(pen freehandPen) {
	radius := func(pressure float64) float64 {
		return pen.size * pen.ease(0.5-float64(pen.thinning*(0.5-pressure)))
	}
	switch {
	case !pen.simulated && line.Points[len(line.Points)-1].RunLength < pen.size:
		sameRadius := radius(line.highestPressure())
		for i := range line.Points {
			line.Points[i].Radius = sameRadius
		}
		return
	case pen.thinning == 0:
		for i := range line.Points {
			line.Points[i].Radius = pen.size / 2
		}
		return
	}
	// From the smoothed pressure.
	pressure := line.startPressure(pen)
	for i := range line.Points {
		point := &line.Points[i]
		speed := min(1, point.fromPrevious/pen.size)
		target := point.Pressure
		if pen.simulated {
			target = 1 - speed
		}
		pressure = min(1, pressure+float64((target-pressure)*(speed*pressureRate)))
		point.Radius = radius(pressure)
	}
}

// startPressure returns the pressure at which a freehand line begins, before its first point: a moving
// mean of the pressures over its beginning, which is five times as long as the line is wide. So the line
// does not start too wide. The numbers are the editor's.
func (line *freehand) startPressure(pen freehandPen) float64 {
	mean := line.Points[0].Pressure
	for i := range line.Points {
		point := &line.Points[i]
		if point.RunLength > pen.size*5 {
			break
		}
		speed := min(1, point.fromPrevious/pen.size)
		next := min(1, mean+float64((point.Pressure-mean)*0.5))
		if pen.simulated {
			next = min(1, mean+float64(((1-speed)-mean)*(speed*pressureRate)))
		}
		mean += float64((next - mean) * 0.5)
	}
	return mean
}

// checkStroke refuses a freehand line without points, which the editor refuses too.
func checkStroke(shape *scene.Shape) error {
	for i := range shape.Segments {
		if len(shape.Segments[i].Points) > 0 {
			return nil
		}
	}
	return Foreign(shape, "a stroke without points")
}
