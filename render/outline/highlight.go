package outline

import "plumb/render/scene"

// Opacities of the two layers of a highlight, 8-bit as the browser folds them:
// below everything, and in its own place (tldraw-rendering.md 8.3).
const (
	backOpacity  = (Opaque*209 + 127) / 255 // 0.82
	frontOpacity = (Opaque*89 + 127) / 255  // 0.35
)

// highlight makes the draw of one layer of a highlight.
func (l *local) highlight(sh *scene.Shape, back bool) error {
	l.counter = 1 / sh.Scale
	f := &l.free
	if err := f.gather(sh); err != nil || len(f.input) == 0 {
		return err
	}
	dot := len(f.input) == 1
	width := highlighterWidth(sh)
	f.smooth(highlighter(sh))
	p := l.newPath()
	if dot || len(f.points) == 1 {
		disc(f.points[0].at, 0.1, false, p)
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

// highlighter returns the pen of a highlight. Its line always ends on the last
// input, complete or not (observed).
func highlighter(sh *scene.Shape) pen {
	return pen{size: highlighterWidth(sh) + 1, streamline: 0.5, last: true}
}
