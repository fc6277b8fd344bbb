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
	size       float64 // px
	streamline float64
	smoothing  float64 // how far apart points of an edge are, in sizes
	thinning   float64
	simulated  bool                  // pressure follows from the distance of points, not from the record
	last       bool                  // the line is complete: it ends on its last input point
	ease       func(float64) float64 // maps pressure to width, both 0..1
}

// strokePoint is a point of a freehand line after smoothing.
type strokePoint struct {
	At, raw  geom.Point
	vector   geom.Point // unit, towards the previous point
	distance float64
	Run      float64 // length of the line up to here
	Pressure float64
	Radius   float64
}

// freehand smooths one freehand line after the other and keeps its memory.
type freehand struct {
	Input       []scene.Pressed
	start       geom.Point // first input point, where dots are drawn
	Points      []strokePoint
	part        []strokePoint // the points of one part between elbows
	left, right []geom.Point  // the two sides of the part's outline
	Most        int           // of input, 0 for MaxPoints
}

// freehand makes the fill and the line of a freehand shape (kind draw). With dash draw the line is
// an outline of changing width, which is filled. With solid, dashed and dotted its centre line is
// stroked, and a line of a single point is a small disc, filled and stroked. With none no line is
// drawn. A shape without points has no draws. The points include the shape's scale, so Counter
// undoes the scale of the shape's group.
func (l *Maker) freehand(sh *scene.Shape, _ float64, _ bool) error {
	l.Counter = 1 / sh.Scale
	f := &l.Free
	if err := f.Gather(sh); err != nil || len(f.Input) == 0 {
		return err
	}
	stroke := drawWidth(sh)
	dot := len(f.Input) == 1
	if dot && sh.Dash == scene.DashDraw && !sh.Pen {
		stroke = dotWidth(sh, stroke)
	}
	f.smooth(drawPen(sh, stroke))
	if sh.Closed && sh.Fill != scene.FillNone && len(f.Points) > 1 {
		p := l.NewPath()
		f.closedCentre(p)
		l.Fill(sh, p)
	}
	color := Palette[sh.Color].Solid
	p := l.NewPath()
	if sh.Dash == scene.DashDraw {
		f.inkOutline(drawPen(sh, stroke), p)
		l.Draws = append(l.Draws, Draw{Path: p, Color: color, Opacity: Opaque, Disc: len(f.Points) == 1})
		return nil
	}
	d := Draw{Path: p, Width: stroke, Color: color, Opacity: Opaque}
	if sh.Dash == scene.DashNone {
		return nil
	}
	if dot || len(f.Points) == 1 { // a dot is filled and stroked, never dashed
		disc(f.start, 0.5, false, p)
		l.Fill(sh, p)
		l.Draws = append(l.Draws, Draw{Path: p, Color: color, Opacity: Opaque}, d)
		return nil
	}
	f.centreLine(sh, p)
	switch sh.Dash {
	case scene.DashDashed:
		d.Dashes = Dashes{Dash: 2 * stroke, Gap: 2 * stroke}
	case scene.DashDotted:
		d.Dashes = Dashes{Dash: 0.1, Gap: 2 * stroke}
	}
	if err := d.Dashes.check(f.Points[len(f.Points)-1].Run, f.Most); err != nil {
		return fmt.Errorf("shape %q: %w", sh.ID, err)
	}
	l.Draws = append(l.Draws, d)
	return nil
}

// dotWidth returns the width of a line of a single point: width, changed at random by the shape's
// id.
func dotWidth(sh *scene.Shape, width float64) float64 {
	var rng Random
	rng.Seed(sh.ID, "")
	return width + float64(rng.Next()*width/6)
}

// penStreamline is the smoothing of a line that was drawn with a real pen.
const penStreamline = 0.62

// drawPen returns the pen of a freehand shape: how its line is smoothed, and how wide it is for a
// stroke of the given width. Only with dash draw the width follows the pressure: the recorded one
// of a real pen, else a simulated one.
func drawPen(sh *scene.Shape, stroke float64) freehandPen {
	p := freehandPen{
		size:       stroke,
		smoothing:  0.62,
		streamline: geom.Clamp(0.64+float64((stroke-9)/7*0.1), 0.64, 0.74),
		last:       sh.Complete || sh.Segments[len(sh.Segments)-1].Straight,
		ease:       sineEase,
	}
	if sh.Dash != scene.DashDraw {
		return p
	}
	if sh.Pen {
		p.size, p.thinning, p.streamline = 1+float64(1.2*stroke), 0.62, penStreamline
		p.ease = func(t float64) float64 { return float64(0.65*t) + float64(0.35*math.Sin(t*math.Pi/2)) }
		return p
	}
	p.thinning, p.simulated = 0.5, true
	return p
}

// sineEase maps 0..1 to 0..1 along a quarter of a sine.
func sineEase(t float64) float64 { return math.Sin(t * math.Pi / 2) }

// Gather fills f.Input with the points and pressures of all segments of a freehand shape. A
// straight segment becomes a point for every 16 px, at least 4; they are denser at its start and
// have a made-up pressure, as in the editor. It refuses more points than the limit. See
// docs/spec/drawing.md#r72.
func (f *freehand) Gather(sh *scene.Shape) error {
	f.Input = f.Input[:0]
	most := float64(cmp.Or(f.Most, MaxPoints))
	for _, s := range sh.Segments {
		if !s.Straight || len(s.Points) < 2 {
			if n := len(f.Input) + len(s.Points); float64(n) > most {
				return tooManyPoints(sh, float64(n), most)
			}
			f.Input = append(f.Input, s.Points...)
			continue
		}
		a, b := s.Points[0], s.Points[1]
		from, to := geom.Pt(a.X, a.Y), geom.Pt(b.X, b.Y)
		n := max(4, math.Floor(geom.Distance(from, to)/16))
		if all := float64(len(f.Input)) + n; !(all <= most) {
			return tooManyPoints(sh, all, most)
		}
		for i := 0.0; i < n; i++ {
			t := i / (n - 1)
			t *= t // denser at the start
			p := geom.Lerp(from, to, t)
			pressure := min(1, 0.5+float64(0.65*math.Abs(0.5-easeInOut(t))))
			f.Input = append(f.Input, scene.Pressed{X: p.X, Y: p.Y, Z: pressure})
		}
	}
	return nil
}

// tooManyPoints returns the error for a line over the limit on points.
func tooManyPoints(sh *scene.Shape, n, most float64) error {
	return fmt.Errorf("cannot draw line of shape %q: it has %.0f points, of which a straight segment has one for every 16 px; want at most %.0f (%s): %w",
		sh.ID, n, most, scene.FlagPoints, scene.ErrLimit)
}

// easeInOut maps 0..1 to 0..1, slowly at both ends. The points of a straight freehand segment are
// spread by it.
func easeInOut(t float64) float64 {
	if t < 0.5 {
		return 2 * t * t
	}
	return -1 + float64((4-float64(2*t))*t)
}

// trim drops points at both ends of f.Input, the input of a freehand line: first, if the pressure
// is real, points almost without pressure; then points closer to the end point than a third of the
// line's width. At the start, the end point keeps the highest pressure of those. dropped says that
// it dropped close points at the last end. It may drop all points.
func (f *freehand) trim(p freehandPen) (dropped bool) {
	in := f.Input
	if !p.simulated {
		for len(in) > 0 && in[0].Z < 0.025 {
			in = in[1:]
		}
		for len(in) > 0 && in[len(in)-1].Z < 0.01 {
			in = in[:len(in)-1]
		}
	}
	if len(in) == 0 {
		f.Input = in
		return false
	}
	closeSquared := p.size / 3 * (p.size / 3)
	gapSquared := func(a, b scene.Pressed) float64 { return geom.Norm2(geom.Pt(a.X-b.X, a.Y-b.Y)) }
	first := in[0]
	for len(in) > 1 && gapSquared(in[1], first) <= closeSquared {
		first.Z = max(first.Z, in[1].Z)
		in = in[1:]
	}
	in[0] = first
	last := in[len(in)-1]
	for len(in) > 1 && gapSquared(in[len(in)-2], last) <= closeSquared {
		in = in[:len(in)-1]
		dropped = true
	}
	in[len(in)-1] = last
	f.Input = in
	return dropped
}

// smooth turns the input points of a freehand line, at least one in f.Input, into the smooth line
// f.Points, with a radius at each point. It empties f.Input. See docs/spec/drawing.md#r74.
func (f *freehand) smooth(p freehandPen) {
	memory := f.Input[:0] // trim moves the start of f.Input; this keeps all of its memory
	f.start = geom.Pt(f.Input[0].X, f.Input[0].Y)
	f.Points = f.Points[:0]
	dropped := f.trim(p)
	in := f.Input
	defer func() { f.Input = memory }()
	if len(in) == 0 { // a line without pressure is a dot
		f.Points = append(f.Points, strokePoint{At: f.start, raw: f.start, vector: geom.Pt(1, 1), Pressure: 0.5})
		f.computeRadii(p)
		return
	}
	n := len(in)
	complete := p.last || !p.simulated || dropped ||
		n > 1 && math.Hypot(in[n-1].X-in[n-2].X, in[n-1].Y-in[n-2].Y) < p.size
	var quarters [5]scene.Pressed // two points are too few for a simulated pressure
	if n == 2 && p.simulated {
		a, b := in[0], in[1]
		quarters[0] = a
		for i := 1; i <= 4; i++ {
			t := float64(i) / 4
			quarters[i] = scene.Pressed{
				X: geom.Lerp1(a.X, b.X, t), Y: geom.Lerp1(a.Y, b.Y, t), Z: geom.Lerp1(a.Z, b.Z, t),
			}
		}
		in = quarters[:]
	}
	f.streamline(in, p, complete)
	f.evenPressure()
	f.computeRadii(p)
}

// streamline appends the input points of a freehand line to f.Points. Each point is moved towards
// the one before it, and gets its direction and the length of the line so far. Points that hardly
// move are left out, and early ones that are nearer to the start than the line is wide. complete
// adds the last input point once more, so that the line gets closer to it; with p.last the line
// ends there.
func (f *freehand) streamline(in []scene.Pressed, p freehandPen, complete bool) {
	follow := 0.15 + float64(0.85*(1-p.streamline)) // share of the way to the input point
	pressure := func(z float64) float64 {
		if p.simulated {
			return 0.5
		}
		return z
	}
	start := geom.Pt(in[0].X, in[0].Y)
	f.Points = append(f.Points, strokePoint{At: start, raw: start, vector: geom.Pt(1, 1), Pressure: pressure(in[0].Z)})
	n, run := len(in), 0.0
	if complete {
		n++
	}
	for i := 1; i < n; i++ {
		src := in[min(i, len(in)-1)]
		raw := geom.Pt(src.X, src.Y)
		prev := &f.Points[len(f.Points)-1]
		at := raw
		if !(p.last && i == n-1) {
			at = geom.Lerp(raw, prev.At, 1-follow)
		}
		if geom.Near(at, prev.At, 1e-4) {
			continue
		}
		d := geom.Distance(at, prev.At)
		run += d
		if i < 4 && run < p.size {
			continue
		}
		f.Points = append(f.Points, strokePoint{
			At: at, raw: raw, vector: geom.Unit(geom.Sub(prev.At, at)), distance: d, Run: run,
			Pressure: pressure(src.Z),
		})
	}
	if len(f.Points) > 1 {
		f.Points[0].vector = f.Points[1].vector
	}
}

// evenPressure gives all points of a freehand line shorter than 1 px the highest pressure among
// them, at least 0.5.
func (f *freehand) evenPressure() {
	if f.Points[len(f.Points)-1].Run >= 1 {
		return
	}
	most := f.highestPressure()
	for i := range f.Points {
		f.Points[i].Pressure = most
	}
}

// highestPressure returns the highest pressure among the points of a freehand line, at least 0.5.
func (f *freehand) highestPressure() float64 {
	most := 0.5
	for i := range f.Points {
		most = max(most, f.Points[i].Pressure)
	}
	return most
}

// pressureRate is how fast the width follows the pressure.
const pressureRate = 0.275

// computeRadii sets the radius of a freehand line at each point. A line of a real pen that is
// shorter than the pen is wide has one radius, by its highest pressure. A pen without thinning has
// half its size everywhere. All others take the radius from a smoothed pressure. It moves towards
// the recorded pressure or, if that is simulated, towards a pressure that falls with the speed, and
// it moves faster at higher speed. The speed of a point is its distance from the one before, in pen
// sizes, at most 1. See docs/spec/drawing.md#r75.
func (f *freehand) computeRadii(p freehandPen) {
	radius := func(pressure float64) float64 {
		return p.size * p.ease(0.5-float64(p.thinning*(0.5-pressure)))
	}
	switch {
	case !p.simulated && f.Points[len(f.Points)-1].Run < p.size:
		even := radius(f.highestPressure())
		for i := range f.Points {
			f.Points[i].Radius = even
		}
		return
	case p.thinning == 0:
		for i := range f.Points {
			f.Points[i].Radius = p.size / 2
		}
		return
	}
	pressure := f.startPressure(p)
	for i := range f.Points {
		m := &f.Points[i]
		speed := min(1, m.distance/p.size)
		target := m.Pressure
		if p.simulated {
			target = 1 - speed
		}
		pressure = min(1, pressure+float64((target-pressure)*(speed*pressureRate)))
		m.Radius = radius(pressure)
	}
}

// startPressure returns the pressure at which a freehand line begins: a mean over its beginning,
// five times as long as the line is wide, so that the line does not start too wide.
func (f *freehand) startPressure(p freehandPen) float64 {
	mean := f.Points[0].Pressure
	for i := range f.Points {
		m := &f.Points[i]
		if m.Run > p.size*5 {
			break
		}
		speed := min(1, m.distance/p.size)
		next := min(1, mean+float64((m.Pressure-mean)*0.5))
		if p.simulated {
			next = min(1, mean+float64(((1-speed)-mean)*(speed*pressureRate)))
		}
		mean += float64((next - mean) * 0.5)
	}
	return mean
}

// checkStroke refuses a freehand line without points, which the editor refuses too.
func checkStroke(sh *scene.Shape) error {
	for i := range sh.Segments {
		if len(sh.Segments[i].Points) > 0 {
			return nil
		}
	}
	return Foreign(sh, "a stroke without points")
}
