package shapes

import (
	"slices"

	"plumb/render/scene"
	"plumb/render/vector"
)

// Draw is one thing that the export paints, in the shape's export units: a
// path that is filled or stroked.
type Draw struct {
	Path    *vector.Path
	Width   float64 // of the stroke; 0 fills the path
	Dashes  Dashes  // of the stroke
	Color   RGB
	Opacity uint32 // 0..Opaque, inside the shape
	Twice   bool   // the second half of the path repeats the first
	Cut     bool   // seen only through the clip of an arrow's body
	Box     bool   // the path is a rectangle element without round corners
	Hatch   bool   // the hatch over the fill before it, which has the same path
}

// Maker is the memory in which a shape's draws are made. It is used again for
// every shape.
type Maker struct {
	Most    int // points of a shape, 0 for MaxPoints
	Outline Outline
	Hand    Wobbly
	Draws   []Draw
	pool    []*vector.Path
	used    int
	Free    freehand
	Counter float64 // counter-scale of the shape's draws: 1/scale, or 1
}

func (l *Maker) Reset() { l.Draws, l.used, l.Counter = l.Draws[:0], 0, 1 }

// NewPath returns an empty path that lasts until reset.
func (l *Maker) NewPath() *vector.Path {
	if l.used == len(l.pool) {
		l.pool = append(l.pool, new(vector.Path))
	}
	p := l.pool[l.used]
	l.used++
	p.Reset()
	return p
}

// Shape makes the draws of a shape's own outline, without writing. back asks for the lower one
// of a highlight's two layers. See docs/spec/drawing.md#r83.
func (l *Maker) Shape(sh *scene.Shape, growY float64, back bool) error {
	if sh.Color >= scene.CustomColor || int(sh.Color) >= len(Palette) {
		return Foreign(sh, "custom colour")
	}
	if draws := Of(sh).draws; draws != nil {
		return draws(l, sh, growY, back)
	}
	return Foreign(sh, "outline")
}

// geo makes the draws of a geo shape in its unscaled units.
func (l *Maker) geo(sh *scene.Shape, growY float64) error {
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
			l.Hand.fill(c, p)
		} else {
			c.Plain(true, p)
		}
		l.Fill(sh, p)
	}
	return l.Stroke(sh, width)
}

// Fill paints the inside of p in the shape's style. See docs/spec/drawing.md#r37.
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

// Measure makes l.commands, and the hand that draws them, ready for a stroke.
func (l *Maker) Measure(sh *scene.Shape, width float64) {
	l.Outline.Measure()
	if sh.Dash == scene.DashDraw {
		l.Hand.Offset, l.Hand.Round, l.Hand.Seed = width/3, 2*width, sh.ID
		l.Hand.Plan(&l.Outline)
	}
}

// Stroke paints l.commands, measured, in the shape's dash.
func (l *Maker) Stroke(sh *scene.Shape, width float64) error {
	c, color := &l.Outline, Palette[sh.Color].Solid
	switch sh.Dash {
	case scene.DashNone:
	case scene.DashDraw:
		p := l.NewPath()
		l.Hand.Pass(c, Passes[0], p)
		verbs, points := len(p.Verbs), len(p.Points)
		l.Hand.Pass(c, Passes[1], p)
		l.Draws = append(l.Draws, Draw{
			Path: p, Width: width, Color: color, Opacity: Opaque,
			Twice: slices.Equal(p.Verbs[:verbs], p.Verbs[verbs:]) && slices.Equal(p.Points[:points], p.Points[points:]),
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

// line makes the draws of a line shape. Its points are scaled already, so the
// export counters the scale of its group.
func (l *Maker) line(sh *scene.Shape) error {
	l.Counter = 1 / sh.Scale
	l.Outline.Reset()
	OutlineLine(sh.Points, sh.Cubic, &l.Outline)
	width := StrokeWidth[sh.Size] * sh.Scale
	l.Measure(sh, width)
	return l.Stroke(sh, width)
}
