package outline

import (
	"math"

	"plumb/render/geom"
	"plumb/render/scene"
)

// Opacities of the two layers of a highlight: below everything, and in its own place. See
// docs/spec/drawing.md#r79.
var backOpacity, frontOpacity = opacityOf(0.82), opacityOf(0.35)

// highlight makes the draw of one layer of a highlight.
func (l *local) highlight(sh *scene.Shape, back bool) error {
	l.counter = 1 / sh.Scale
	f := &l.free
	if err := f.gather(sh); err != nil || len(f.input) == 0 {
		return err
	}
	width := highlighterWidth(sh)
	dot := len(f.input) == 1
	if dot && !sh.Pen {
		width = dotWidth(sh, width)
	}
	f.smooth(highlighter(sh))
	p := l.newPath()
	if dot || len(f.points) == 1 {
		disc(f.start, 0.1, false, p)
	} else {
		f.openCentre(p)
	}
	d := draw{path: p, width: width, color: palette[sh.Color].highlight, opacity: frontOpacity}
	if back {
		d.opacity = backOpacity
	}
	l.draws = append(l.draws, d)
	return nil
}

// highlighterWidth is the width of a highlight's stroke in px.
func highlighterWidth(sh *scene.Shape) float64 { return 1.12 * highlightWidth[sh.Size] * sh.Scale }

// highlighter returns the pen of a highlight, for what is painted and for its
// geometry.
func highlighter(sh *scene.Shape) pen {
	return pen{
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

// highlightEdge calls add with the points that stand for a highlight's geometry:
// the edge of its stroke, a little wider than what is painted.
func (f *freehand) highlightEdge(p pen, add func(geom.Point)) {
	first, last := &f.points[0], &f.points[len(f.points)-1]
	if len(f.points) == 1 {
		r := first.radius * math.Sqrt2 / 2
		from := geom.Pt(first.at.X+r, first.at.Y-r)
		for i := 1.0; i <= dotSteps; i++ {
			add(turned(from, first.at, 2*fan*i/dotSteps))
		}
		return
	}
	f.part = append(f.part[:0], f.points...)
	f.tracks(p)
	for _, side := range [2][]geom.Point{f.left, f.right} {
		for _, q := range side {
			add(q)
		}
	}
	for i := 1.0; i <= startSteps; i++ {
		add(turned(f.right[0], first.at, fan*i/startSteps))
	}
	from := geom.Sub(last.at, geom.Scale(geom.Perp(last.vector), last.radius))
	for i := 1.0; i < endSteps; i++ {
		add(turned(from, last.at, 3*fan*i/endSteps))
	}
}
