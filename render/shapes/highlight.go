package shapes

import (
	"math"
	"sync"

	"plumb/render/geom"
	"plumb/render/scene"
)

// Opacities of the two layers of a highlight: below everything, and in its own place. See
// docs/spec/drawing.md#r79.
var backOpacity, frontOpacity = OpacityOf(0.82), OpacityOf(0.35)

// highlight makes the stroke of one of a highlight's two layers: the one below all shapes if back, else
// the one in its own place, in another opacity. It strokes the smoothed centre line with the
// highlighter's width; a single point is a small disc. A highlight without points has no stroke.
func (maker *Maker) highlight(shape *scene.Shape, _ float64, back bool) error {
	maker.InverseScale = 1 / shape.Scale
	line := &maker.Freehand
	if err := line.Gather(shape); err != nil || len(line.Input) == 0 {
		return err
	}
	width := highlighterWidth(shape)
	dot := len(line.Input) == 1
	if dot && !shape.Pen {
		width = dotWidth(shape, width)
	}
	line.smooth(highlighter(shape))
	path := maker.NewPath()
	if dot || len(line.Points) == 1 {
		const dotRadius = 0.1 // the stroke around it makes it as wide as the line
		disc(line.start, dotRadius, false, path)
	} else {
		line.openCentre(path)
	}
	draw := Draw{Path: path, Width: width, Color: Palette[shape.Color].highlight, Opacity: frontOpacity}
	if back {
		draw.Opacity = backOpacity
	}
	maker.Draws = append(maker.Draws, draw)
	return nil
}

// highlighterWidth returns the width of a highlight's stroke in px.
func highlighterWidth(sh *scene.Shape) float64 { return 1.12 * highlightWidth[sh.Size] * sh.Scale }

// highlighter returns the pen of a highlight, for painting and for bounds. Its size is the width
// of the stroke and 1 px more, as observed in the editor (docs/spec/drawing.md#r79).
func highlighter(shape *scene.Shape) freehandPen {
	return freehandPen{
		size: highlighterWidth(shape) + 1, streamline: 0.5, smoothing: 0.5,
		reachLast: shape.Complete || shape.Segments[len(shape.Segments)-1].Straight,
		ease:      sineEase,
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
// computed: both edges of its stroke, a little wider than it is painted, and the round ends, in as many
// steps as the editor takes. It overwrites line.part.
func (line *freehand) highlightEdge(pen freehandPen, add func(geom.Point)) {
	first, last := &line.Points[0], &line.Points[len(line.Points)-1]
	if len(line.Points) == 1 {
		r := first.Radius * math.Sqrt2 / 2
		from := geom.Pt(first.At.X+r, first.At.Y-r)
		for i := 1.0; i <= dotSteps; i++ {
			add(Turned(from, first.At, 2*halfTurn*i/dotSteps))
		}
		return
	}
	line.part = append(line.part[:0], line.Points...)
	line.offsetSides(pen)
	for _, side := range [2][]geom.Point{line.left, line.right} {
		for _, q := range side {
			add(q)
		}
	}
	for i := 1.0; i <= startSteps; i++ {
		add(Turned(line.right[0], first.At, halfTurn*i/startSteps))
	}
	// The editor turns one and a half times around the end.
	from := geom.Sub(last.At, geom.Scale(geom.Perp(last.backward), last.Radius))
	for i := 1.0; i < endSteps; i++ {
		add(Turned(from, last.At, 3*halfTurn*i/endSteps))
	}
}

// smoothForBounds smooths line.Input into line.Points, as the editor does for bounds and hit-tests. Instead
// of a line with hardly any length the editor takes a disc: then the result is its radius in px, else 0. The
// disc is centred on the shape's origin, wherever the points are (docs/spec/drawing.md#r78). A highlight
// of one point is a disc of half its stroke's width. A freehand line is a disc if its points span less than
// two strokes both ways, or smooth to a single point; its radius is the whole width of the stroke.
func (line *freehand) smoothForBounds(shape *scene.Shape) (disc float64) {
	if shape.Kind == scene.Highlight {
		if len(line.Input) == 1 {
			disc = highlighterWidth(shape) / 2
		}
		line.smooth(highlighter(shape))
		return disc
	}
	stroke := drawWidth(shape)
	extent := geom.NewExtent()
	for _, p := range line.Input {
		extent.Add(geom.Pt(p.X, p.Y))
	}
	w, h := extent.Hi.X-extent.Lo.X, extent.Hi.Y-extent.Lo.Y
	line.smooth(boundsPen(shape))
	if len(line.Points) == 1 || w < 2*stroke && h < 2*stroke {
		return stroke
	}
	return 0
}

// drawWidth returns the width in px of a draw shape's stroke, which is 1 wider than that of a geo
// shape. See docs/spec/drawing.md#r29.
func drawWidth(sh *scene.Shape) float64 { return (StrokeWidth[sh.Size] + 1) * sh.Scale }

// dotOutline calls add with the corners of the polygon that stands for a dot of a freehand line when
// bounds are computed. As in the editor they lie on a circle around the shape's origin, radius in px, about
// 20 px apart, but there are at least eight. The usual eight are the editor's to the last bit.
func dotOutline(radius float64, add func(geom.Point)) {
	const spacing = 20 // px
	if radius <= 8*spacing/(2*math.Pi) {
		for _, c := range octagon() {
			add(geom.Pt(radius*c[1], radius*c[0]))
		}
		return
	}
	corners := math.Ceil(2 * math.Pi * radius / spacing)
	for i := 0.0; i < corners; i++ {
		sin, cos := math.Sincos(2 * math.Pi * i / corners)
		add(geom.Pt(radius*cos, radius*sin))
	}
}

// octagon holds the sines and cosines of the directions of the eight corners of a small dot.
var octagon = sync.OnceValue(func() (all [8][2]float64) {
	for i := range all {
		all[i][0], all[i][1] = geom.Sincos(2 * math.Pi * float64(i) / 8)
	}
	return all
})

// boundsPen returns the pen with which a freehand shape is smoothed when its bounds are computed.
// The editor uses other settings there than for painting.
func boundsPen(shape *scene.Shape) freehandPen {
	pen := drawPen(shape, drawWidth(shape))
	// Observed: pressure counts as real for every dash, so that an incomplete line too is drawn close to
	// its last input point; and a straight last segment does not make it complete.
	pen.simulated, pen.reachLast = false, shape.Complete
	if shape.Pen {
		// Observed: for every dash a pen smooths as in the dash draw, but
		// thins out its ends like the plain stroke.
		pen.streamline, pen.size, pen.reachLast = penStreamline, drawWidth(shape), true
	}
	return pen
}
