package shapes

import (
	"plumb/render/scene"
	"plumb/render/vector"
)

// NoteSide is the width of a note, and its height before it grows, unscaled px.
const NoteSide = 200

// ShadowOpacity is that of a note's shadow: black at 10 %.
var ShadowOpacity = OpacityOf(0.1)

// note makes the shadow and the body of a note. See docs/spec/drawing.md#r80.
func (l *Maker) note(sh *scene.Shape, growY float64) error {
	h := float32(NoteSide + growY)
	p, q := l.NewPath(), l.NewPath()
	vector.RoundRect(p, 5, 5, NoteSide-10, h, 1)
	vector.RoundRect(q, 0, 0, NoteSide, h, 1)
	l.Draws = append(l.Draws,
		Draw{Path: p, Color: Ink, Opacity: ShadowOpacity},
		Draw{Path: q, Color: Palette[sh.Color].note, Opacity: Opaque})
	return nil
}
