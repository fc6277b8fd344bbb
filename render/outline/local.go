package outline

import (
	"slices"

	"plumb/render/path"
	"plumb/render/scene"
)

// draw is one thing that the export paints, in the shape's export units: a
// path that is filled or stroked.
type draw struct {
	path    *path.Path
	width   float64 // of the stroke; 0 fills the path
	dashes  dashes  // of the stroke
	color   rgb
	opacity uint32 // 0..Opaque, inside the shape
	twice   bool   // the second half of the path repeats the first
	cut     bool   // seen only through the clip of an arrow's body
	box     bool   // the path is a rectangle element without round corners
	hatch   bool   // the hatch over the fill before it, which has the same path
}

// local is the memory in which a shape's draws are made. It is used again for
// every shape.
type local struct {
	most     int // points of a shape, 0 for MaxPoints
	commands commands
	hand     wobbly
	draws    []draw
	pool     []*path.Path
	used     int
	free     freehand
	counter  float64 // counter-scale of the shape's draws: 1/scale, or 1
}

func (l *local) reset() { l.draws, l.used, l.counter = l.draws[:0], 0, 1 }

// newPath returns an empty path that lasts until reset.
func (l *local) newPath() *path.Path {
	if l.used == len(l.pool) {
		l.pool = append(l.pool, new(path.Path))
	}
	p := l.pool[l.used]
	l.used++
	p.Reset()
	return p
}

// shape makes the draws of a shape's own outline, without writing. back asks for the lower one
// of a highlight's two layers. See docs/spec/drawing.md#r83.
func (l *local) shape(sh *scene.Shape, growY float64, back bool) error {
	if sh.Color >= scene.CustomColor || int(sh.Color) >= len(palette) {
		return foreign(sh, "custom colour")
	}
	switch sh.Kind {
	case scene.Geo:
		return l.geo(sh, growY)
	case scene.Line:
		return l.line(sh)
	case scene.Draw:
		return l.freehand(sh)
	case scene.Highlight:
		return l.highlight(sh, back)
	case scene.Note:
		return l.note(sh, growY)
	case scene.Text, scene.Group:
		return nil
	case scene.Image, scene.Video:
		if sh.Asset == "" {
			return nil // nothing is painted, though it has bounds
		}
	}
	return foreign(sh, "outline")
}

// geo makes the draws of a geo shape in its unscaled units.
func (l *local) geo(sh *scene.Shape, growY float64) error {
	g := geoSpec{
		kind: sh.Geo, w: sh.W / sh.Scale, h: (sh.H + growY) / sh.Scale,
		size: sh.Size, dash: sh.Dash, scale: sh.Scale, id: sh.ID, most: l.most,
	}
	c := &l.commands
	c.reset()
	if err := g.outline(c); err != nil {
		return err
	}
	width := strokeWidth[sh.Size]
	l.measure(sh, width)
	if sh.Fill != scene.FillNone {
		p := l.newPath()
		if sh.Dash == scene.DashDraw {
			l.hand.fill(c, p)
		} else {
			c.plain(true, p)
		}
		l.fill(sh, p)
	}
	return l.stroke(sh, width)
}

// fill paints the inside of p in the shape's style. See docs/spec/drawing.md#r37.
func (l *local) fill(sh *scene.Shape, p *path.Path) {
	s := &palette[sh.Color]
	color := semiFill
	switch sh.Fill {
	case scene.FillNone:
		return
	case scene.FillSolid:
		color = s.semi
	case scene.FillFill:
		color = s.solid
	case scene.FillLined:
		color = s.lined
	case scene.FillPattern:
		color = s.pattern
	}
	l.draws = append(l.draws, draw{path: p, color: color, opacity: Opaque})
	if sh.Fill == scene.FillPattern {
		l.draws = append(l.draws, draw{path: p, color: semiFill, opacity: hatchOpacity, hatch: true})
	}
}

// measure makes l.commands, and the hand that draws them, ready for a stroke.
func (l *local) measure(sh *scene.Shape, width float64) {
	l.commands.measure()
	if sh.Dash == scene.DashDraw {
		l.hand.offset, l.hand.round, l.hand.seed = width/3, 2*width, sh.ID
		l.hand.plan(&l.commands)
	}
}

// stroke paints l.commands, measured, in the shape's dash.
func (l *local) stroke(sh *scene.Shape, width float64) error {
	c, color := &l.commands, palette[sh.Color].solid
	switch sh.Dash {
	case scene.DashNone:
	case scene.DashDraw:
		p := l.newPath()
		l.hand.pass(c, passes[0], p)
		verbs, points := len(p.Verbs), len(p.Points)
		l.hand.pass(c, passes[1], p)
		l.draws = append(l.draws, draw{
			path: p, width: width, color: color, opacity: Opaque,
			twice: slices.Equal(p.Verbs[:verbs], p.Verbs[verbs:]) && slices.Equal(p.Points[:points], p.Points[points:]),
		})
	case scene.DashDashed, scene.DashDotted:
		return c.runs(func(r run) error {
			f := fitDashes(r.length, width, sh.Dash == scene.DashDotted, r.start, r.end)
			if err := f.check(r.length, l.most); err != nil {
				return err
			}
			p := l.newPath()
			c.write(r, p)
			l.draws = append(l.draws, draw{path: p, width: width, dashes: f, color: color, opacity: Opaque})
			return nil
		})
	default:
		p := l.newPath()
		c.plain(false, p)
		l.draws = append(l.draws, draw{path: p, width: width, color: color, opacity: Opaque})
	}
	return nil
}

// line makes the draws of a line shape. Its points are scaled already, so the
// export counters the scale of its group.
func (l *local) line(sh *scene.Shape) error {
	l.counter = 1 / sh.Scale
	l.commands.reset()
	outlineLine(sh.Points, sh.Cubic, &l.commands)
	width := strokeWidth[sh.Size] * sh.Scale
	l.measure(sh, width)
	return l.stroke(sh, width)
}
