package shapes

import (
	"math"

	"plumb/render/geom"
	"plumb/render/scene"
)

// Opacities of the two layers of a highlight: below everything, and in its own place. See
// docs/spec/drawing.md#r79.
var backOpacity, frontOpacity = OpacityOf(0.82), OpacityOf(0.35)

// highlight makes the stroke of one of a highlight's two layers, the lower one if back: its
// smoothed centre line, or a small disc for a single point, at the highlighter's width. A highlight
// without points has none.
func (l *Maker) highlight(sh *scene.Shape, _ float64, back bool) error {
	l.Counter = 1 / sh.Scale
	f := &l.Free
	if err := f.Gather(sh); err != nil || len(f.Input) == 0 {
		return err
	}
	width := highlighterWidth(sh)
	dot := len(f.Input) == 1
	if dot && !sh.Pen {
		width = dotWidth(sh, width)
	}
	f.smooth(highlighter(sh))
	p := l.NewPath()
	if dot || len(f.Points) == 1 {
		disc(f.start, 0.1, false, p)
	} else {
		f.openCentre(p)
	}
	d := Draw{Path: p, Width: width, Color: Palette[sh.Color].highlight, Opacity: frontOpacity}
	if back {
		d.Opacity = backOpacity
	}
	l.Draws = append(l.Draws, d)
	return nil
}

// highlighterWidth returns the width of a highlight's stroke in px.
func highlighterWidth(sh *scene.Shape) float64 { return 1.12 * highlightWidth[sh.Size] * sh.Scale }

// highlighter returns the pen of a highlight, for painting and for bounds. Its size is the width
// of the stroke and 1 px more, as observed in the editor (docs/spec/drawing.md#r79).
func highlighter(sh *scene.Shape) freehandPen {
	return freehandPen{
		size: highlighterWidth(sh) + 1, streamline: 0.5, smoothing: 0.5,
		last: sh.Complete || sh.Segments[len(sh.Segments)-1].Straight,
		ease: sineEase,
	}
}

// Steps in which the ends of a highlight's edge are rounded: a dot, the start,
// and the end, which is turned about three times as far (all observed in boxes).
const (
	dotSteps   = 13
	startSteps = 8
	endSteps   = 29
)

// highlightEdge calls add with the points that stand for a smoothed highlight when bounds are
// computed: both edges of its stroke, a little wider than it is painted, and the round ends. It
// uses f.part.
func (f *freehand) highlightEdge(p freehandPen, add func(geom.Point)) {
	first, last := &f.Points[0], &f.Points[len(f.Points)-1]
	if len(f.Points) == 1 {
		r := first.Radius * math.Sqrt2 / 2
		from := geom.Pt(first.At.X+r, first.At.Y-r)
		for i := 1.0; i <= dotSteps; i++ {
			add(Turned(from, first.At, 2*halfTurn*i/dotSteps))
		}
		return
	}
	f.part = append(f.part[:0], f.Points...)
	f.offsetSides(p)
	for _, side := range [2][]geom.Point{f.left, f.right} {
		for _, q := range side {
			add(q)
		}
	}
	for i := 1.0; i <= startSteps; i++ {
		add(Turned(f.right[0], first.At, halfTurn*i/startSteps))
	}
	from := geom.Sub(last.At, geom.Scale(geom.Perp(last.vector), last.Radius))
	for i := 1.0; i < endSteps; i++ {
		add(Turned(from, last.At, 3*halfTurn*i/endSteps))
	}
}

// smoothForBounds smooths f.Input into f.Points, as the editor does for bounds and hit-tests. It
// also returns the radius in px of the disc that the editor takes instead of a line with hardly
// any length, 0 for none. The disc is centred on the shape's origin, wherever the points are
// (docs/spec/drawing.md#r78). A highlight is a disc if it has one point, with half the width of
// its stroke as radius. A draw shape is one if its points span less than two strokes both ways, or
// smooth to a single point; there the editor takes the whole width of the stroke as radius.
func (f *freehand) smoothForBounds(sh *scene.Shape) (disc float64) {
	if sh.Kind == scene.Highlight {
		if len(f.Input) == 1 {
			disc = highlighterWidth(sh) / 2
		}
		f.smooth(highlighter(sh))
		return disc
	}
	stroke := drawWidth(sh)
	e := geom.NewExtent()
	for _, p := range f.Input {
		e.Add(geom.Pt(p.X, p.Y))
	}
	w, h := e.Hi.X-e.Lo.X, e.Hi.Y-e.Lo.Y
	f.smooth(boundsPen(sh))
	if len(f.Points) == 1 || w < 2*stroke && h < 2*stroke {
		return stroke
	}
	return 0
}

// drawWidth returns the width in px of a draw shape's stroke, which is 1 wider than that of a geo
// shape. See docs/spec/drawing.md#r29.
func drawWidth(sh *scene.Shape) float64 { return (StrokeWidth[sh.Size] + 1) * sh.Scale }

// dotOutline calls add with the corners of a polygon that stands for a dot of a freehand line when
// bounds are computed: the editor's, about 20 px apart on a circle of radius r px around the
// shape's origin.
func dotOutline(r float64, add func(geom.Point)) {
	n := max(8, math.Ceil(2*math.Pi*r/20))
	for i := 0.0; i < n; i++ {
		sin, cos := math.Sincos(2 * math.Pi * i / n)
		add(geom.Pt(r*cos, r*sin))
	}
}

// boundsPen returns the pen with which a freehand shape is smoothed when its bounds are computed.
// The editor uses other settings there than for painting.
func boundsPen(sh *scene.Shape) freehandPen {
	p := drawPen(sh, drawWidth(sh))
	// Observed: pressure counts as real for every dash, so that an incomplete
	// line too reaches for its end; and a straight end is not a complete one.
	p.simulated, p.last = false, sh.Complete
	if sh.Pen {
		// Observed: for every dash a pen smooths as in the dash draw, but
		// thins out its ends like the plain stroke.
		p.streamline, p.size, p.last = penStreamline, drawWidth(sh), true
	}
	return p
}
