package shapes

import (
	"math"
	"plumb/render/geom"
	"plumb/render/scene"
)

// Geometry smooths f.Input into f.Points as the editor does for bounds and hit-tests. It returns 0,
// or the radius of the disc that the editor takes for a line with hardly any length. The disc is
// centred on the shape's origin, wherever the points are (docs/spec/drawing.md#r78): a highlight
// of one point has the width of its stroke; a draw shape is a disc if its points span less than
// two strokes both ways, or smooth to a single point.
func (f *freehand) Geometry(sh *scene.Shape) (disc float64) {
	if sh.Kind == scene.Highlight {
		if len(f.Input) == 1 {
			disc = highlighterWidth(sh) / 2
		}
		f.smooth(highlighter(sh))
		return disc
	}
	stroke := (StrokeWidth[sh.Size] + 1) * sh.Scale
	e := geom.NewExtent()
	for _, p := range f.Input {
		e.Add(geom.Pt(p.X, p.Y))
	}
	w, h := e.Hi.X-e.Lo.X, e.Hi.Y-e.Lo.Y
	if f.smooth(boundsPen(sh)); len(f.Points) == 1 || w < 2*stroke && h < 2*stroke {
		return stroke
	}
	return 0
}

// dotOutline calls add with the corners of the polygon for a disc about the origin.
func dotOutline(r float64, add func(geom.Point)) {
	n := max(8, math.Ceil(2*math.Pi*r/20))
	for i := 0.0; i < n; i++ {
		sin, cos := math.Sincos(2 * math.Pi * i / n)
		add(geom.Pt(r*cos, r*sin))
	}
}

// boundsPen returns the pen whose smoothed points represent a draw shape in bounds.
func boundsPen(sh *scene.Shape) pen {
	p := drawPen(sh, (StrokeWidth[sh.Size]+1)*sh.Scale)
	// Observed: pressure counts as real whatever the dash is, so that an incomplete
	// line too reaches for its end; and a straight end is not a complete one.
	p.simulated, p.last = false, sh.Complete
	if sh.Pen {
		// Observed: a pen smooths as in the dash draw whatever the dash is, but
		// thins out its ends like the plain stroke.
		p.streamline, p.size, p.last = penStreamline, (StrokeWidth[sh.Size]+1)*sh.Scale, true
	}
	return p
}
