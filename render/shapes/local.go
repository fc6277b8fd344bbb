package shapes

import (
	"slices"

	"plumb/render/scene"
	"plumb/render/vector"
)

// Draw is a path that is filled or stroked, in the shape's units in an export.
type Draw struct {
	Path    *vector.Path
	Width   float64 // of the stroke; 0 fills the path
	Dashes  Dashes  // of the stroke
	Color   RGB
	Opacity uint32 // 0..Opaque, inside the shape
	Twice   bool   // the second half of the path repeats the first
	Cut     bool   // seen only through the clip of an arrow's body
	Box     bool   // the path is an SVG rectangle without round corners
	Disc    bool   // the path is a circle, filled, that an inked line of one point becomes
	Hatch   bool   // the draw is the hatch over the fill before it, which has the same path
}

// Maker makes the draws of one shape after the other and keeps its memory.
type Maker struct {
	Most    int // points of a shape, 0 for MaxPoints
	Outline Outline
	Jitter  JitterPen
	Draws   []Draw
	pool    []*vector.Path
	used    int // paths of the pool in use
	Free    freehand
	Counter float64 // counter-scale of the shape's draws: 1/scale, or 1
}

// Reset drops the draws of the last shape.
func (l *Maker) Reset() { l.Draws, l.used, l.Counter = l.Draws[:0], 0, 1 }

// NewPath returns an empty path for a draw of the current shape. It is valid until Reset, which
// reuses its memory.
func (l *Maker) NewPath() *vector.Path {
	if l.used == len(l.pool) {
		l.pool = append(l.pool, new(vector.Path))
	}
	p := l.pool[l.used]
	l.used++
	p.Reset()
	return p
}

// Shape makes the draws (fills and strokes) of a shape's own outline, without its text. growY is
// what the text adds to its height; back asks for the lower one of a highlight's two layers. See
// docs/spec/drawing.md#r83.
func (l *Maker) Shape(sh *scene.Shape, growY float64, back bool) error {
	if sh.Color >= scene.CustomColor || int(sh.Color) >= len(Palette) {
		return Foreign(sh, "custom colour")
	}
	if draws := KindOf(sh).draws; draws != nil {
		return draws(l, sh, growY, back)
	}
	return Foreign(sh, "outline")
}

// geo makes the draws of a geo shape in its unscaled units: its fill and its stroke. growY is what its label
// adds to its height, scale included.
func (l *Maker) geo(sh *scene.Shape, growY float64, _ bool) error {
	g := GeoSpec{
		Kind: sh.Geo, W: sh.W / sh.Scale, H: (sh.H + growY) / sh.Scale,
		Size: sh.Size, Dash: sh.Dash, Scale: sh.Scale, ID: sh.ID, most: l.Most,
	}
	c := &l.Outline
	c.Reset()
	if err := g.Outline(c); err != nil {
		return err
	}
	width := StrokeWidth[sh.Size]
	l.Measure(sh, width)
	if sh.Fill != scene.FillNone {
		p := l.NewPath()
		if sh.Dash == scene.DashDraw {
			l.Jitter.fill(c, p)
		} else {
			c.Plain(true, p)
		}
		l.Fill(sh, p)
	}
	return l.Stroke(sh, width)
}

// Fill adds the draws that fill the path p with the shape's colour and fill style. See
// docs/spec/drawing.md#r37.
func (l *Maker) Fill(sh *scene.Shape, p *vector.Path) {
	s := &Palette[sh.Color]
	color := semiFill
	switch sh.Fill {
	case scene.FillNone:
		return
	case scene.FillSolid:
		color = s.semi
	case scene.FillFill:
		color = s.Solid
	case scene.FillLined:
		color = s.lined
	case scene.FillPattern:
		color = s.pattern
	}
	l.Draws = append(l.Draws, Draw{Path: p, Color: color, Opacity: Opaque})
	if sh.Fill == scene.FillPattern {
		l.Draws = append(l.Draws, Draw{Path: p, Color: semiFill, Opacity: hatchOpacity, Hatch: true})
	}
}

// Measure prepares l.Outline for Stroke: it computes the lengths of the outline's commands and, if
// the shape is hand-drawn, its jitter. width is that of the stroke.
func (l *Maker) Measure(sh *scene.Shape, width float64) {
	l.Outline.Measure()
	if sh.Dash == scene.DashDraw {
		l.Jitter.Offset, l.Jitter.Round, l.Jitter.Seed = width/3, 2*width, sh.ID
		l.Jitter.Plan(&l.Outline)
	}
}

// Stroke adds the draws that stroke l.Outline in the shape's dash style. A hand-drawn outline is
// one draw of two passes; a dashed one has a draw for each run of dashes. Measure must come first.
func (l *Maker) Stroke(sh *scene.Shape, width float64) error {
	c, color := &l.Outline, Palette[sh.Color].Solid
	switch sh.Dash {
	case scene.DashNone:
	case scene.DashDraw:
		p := l.NewPath()
		l.Jitter.Pass(c, Passes[0], p)
		verbs, points := len(p.Verbs), len(p.Points)
		l.Jitter.Pass(c, Passes[1], p)
		l.Draws = append(l.Draws, Draw{
			Path: p, Width: width, Color: color, Opacity: Opaque,
			// Without jitter both passes are equal.
			Twice: slices.Equal(p.Verbs[:verbs], p.Verbs[verbs:]) &&
				slices.Equal(p.Points[:points], p.Points[points:]),
		})
	case scene.DashDashed, scene.DashDotted:
		return c.runs(func(r run) error {
			f := FitDashes(r.length, width, sh.Dash == scene.DashDotted, r.start, r.end)
			if err := f.check(r.length, l.Most); err != nil {
				return err
			}
			p := l.NewPath()
			c.write(r, p)
			l.Draws = append(l.Draws, Draw{Path: p, Width: width, Dashes: f, Color: color, Opacity: Opaque})
			return nil
		})
	default:
		p := l.NewPath()
		c.Plain(false, p)
		l.Draws = append(l.Draws, Draw{Path: p, Width: width, Color: color, Opacity: Opaque})
	}
	return nil
}

// line makes the draws of a line shape. Its points include the scale, so the export undoes the
// scale of its group.
func (l *Maker) line(sh *scene.Shape, _ float64, _ bool) error {
	if err := checkDashed(sh); err != nil {
		return err
	}
	l.Counter = 1 / sh.Scale
	l.Outline.Reset()
	OutlineLine(sh.Points, sh.Cubic, &l.Outline)
	width := StrokeWidth[sh.Size] * sh.Scale
	l.Measure(sh, width)
	return l.Stroke(sh, width)
}

// NoteSide is the width of a note, and its height before it grows, unscaled px.
const NoteSide = 200

// ShadowOpacity is the opacity of a note's shadow, which is black.
var ShadowOpacity = OpacityOf(0.1)

// note makes the draws of a note's shadow and body, in its unscaled units. growY is how much the
// note grows with its text. The shadow is 10 px narrower and lies 5 px lower. See
// docs/spec/drawing.md#r80.
func (l *Maker) note(sh *scene.Shape, growY float64, _ bool) error {
	h := float32(NoteSide + growY)
	shadow, body := l.NewPath(), l.NewPath()
	vector.RoundRect(shadow, 5, 5, NoteSide-10, h, 1) // x, y, w, h, radius
	vector.RoundRect(body, 0, 0, NoteSide, h, 1)
	l.Draws = append(l.Draws,
		Draw{Path: shadow, Color: Ink, Opacity: ShadowOpacity},
		Draw{Path: body, Color: Palette[sh.Color].note, Opacity: Opaque})
	return nil
}
