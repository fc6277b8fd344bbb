package outline

import (
	"math"

	"plumb/render/scene"
)

// contour is one line of a target's outline: points [first, first+count) of
// arrows.points.
type contour struct {
	first, count int32
	open         bool
}

// target is what an end of an arrow is bound to, in the arrow's space.
type target struct {
	first, count int32 // in arrows.lines
	toArrow      matrix
	own          extent  // its box in its own space
	page         extent  // its box on the page
	box          extent  // the box of its outline in the arrow's space
	stroke       float64 // unscaled width of its stroke, 0 for a shape without size
	scale        float64
	open         bool // an open line: nothing lies inside
}

// anchor returns the point of the target that an arrow goes for.
func (t *target) anchor(a scene.Point, precise bool) point {
	if !precise {
		a = scene.Point{X: 0.5, Y: 0.5}
	}
	return t.toArrow.apply(point{lerp1(t.own.lo.X, t.own.hi.X, a.X), lerp1(t.own.lo.Y, t.own.hi.Y, a.Y)})
}

// look collects the outline of an end's target. back maps the page to the
// arrow's space.
func (v *arrows) look(s *scene.Scene, t *tree, sh *scene.Shape, e *terminal, back matrix) error {
	at := e.binding.To
	to, page := &s.Shapes[at], t.nodes[at].page
	g := &e.target
	*g = target{first: int32(len(v.lines)), toArrow: back.mul(page), own: newExtent(), page: newExtent(), box: newExtent(), scale: to.Scale}
	switch to.Kind {
	case scene.Geo, scene.Text, scene.Note, scene.Draw, scene.Line, scene.Highlight:
		g.stroke = strokeWidth[to.Size]
	}
	g.open = to.Kind == scene.Line || to.Kind == scene.Draw && !to.Closed
	if to.Kind == scene.Group {
		if err := v.members(s, t, sh, at); err != nil {
			return err
		}
	} else if err := v.outline(sh, to, identity); err != nil {
		return err
	}
	g.count = int32(len(v.lines)) - g.first
	first := len(v.points)
	if g.count > 0 {
		first = int(v.lines[g.first].first)
	}
	slack := 0.0
	if to.Kind == scene.Text && !e.headed() {
		slack = 10 * to.Scale
	}
	for i, p := range v.points[first:] {
		g.own.add(p)
		g.page.add(page.apply(p))
		if slack != 0 { // an end without a head keeps away from text
			p.X += slack * [4]float64{-1, 1, 1, -1}[i&3]
		}
		p = g.toArrow.apply(p)
		v.points[first+i] = p
		g.box.add(p)
	}
	if sh.Arrow.Elbow { // which counts anchors along what it keeps away from
		g.own.lo.X, g.own.hi.X = g.own.lo.X-slack, g.own.hi.X+slack
	}
	if v.visited += len(v.points) + 1; v.visited > maxVisited {
		return errTargets
	}
	return nil
}

// members collects the outlines of a group's children, in the group's space.
func (v *arrows) members(s *scene.Scene, t *tree, sh *scene.Shape, group int32) error {
	back := t.nodes[group].page.inverse()
	for j := group + 1; j < int32(len(s.Shapes)) && s.Shapes[j].Parent >= group; j++ {
		c := &s.Shapes[j]
		if v.visited++; c.Parent != group && s.Shapes[c.Parent].Kind != scene.Group {
			continue // inside a frame, which stands for it
		}
		switch c.Kind {
		case scene.Group:
			continue
		case scene.Arrow:
			return foreignArrow(sh, "bound to a group that holds arrows")
		}
		if err := v.outline(sh, c, back.mul(t.nodes[j].page)); err != nil {
			return err
		}
	}
	return nil
}

// outline adds the contours of one shape's ideal outline, mapped by m.
func (v *arrows) outline(sh, to *scene.Shape, m matrix) error {
	switch to.Kind {
	case scene.Geo:
		return v.geoOutline(to, m)
	case scene.Text:
		w, h, err := textSize(to)
		if err != nil {
			return err
		}
		v.rect(w, h, m)
	case scene.Note:
		growY, err := grown(to)
		if err != nil {
			return err
		}
		v.rect(noteSide*to.Scale, (noteSide+growY)*to.Scale, m)
	case scene.Frame, scene.Image, scene.Video, scene.Bookmark, scene.Embed:
		v.rect(to.W, to.H, m)
	case scene.Line:
		c := &v.local.commands
		c.reset()
		outlineLine(to.Points, to.Cubic, c)
		v.begin(true)
		c.sample(func(p point) { v.point(m.apply(p)) })
	case scene.Draw:
		return v.drawOutline(sh, to, m)
	default:
		return foreignArrow(sh, "bound to a "+to.TypeName)
	}
	return nil
}

func (v *arrows) begin(open bool) {
	v.lines = append(v.lines, contour{first: int32(len(v.points)), open: open})
}

func (v *arrows) point(p point) {
	v.points = append(v.points, p)
	v.lines[len(v.lines)-1].count++
}

func (v *arrows) rect(w, h float64, m matrix) {
	v.begin(false)
	for _, p := range [4]point{{0, 0}, {w, 0}, {w, h}, {0, h}} {
		v.point(m.apply(p))
	}
}

// geoOutline collects the outline of a geo shape without its inner lines, but with the second
// diagonal of an x-box without dashes, at which the editor's arrows stop. See
// docs/spec/drawing.md#r60.
func (v *arrows) geoOutline(to *scene.Shape, m matrix) error {
	growY, err := grown(to)
	if err != nil {
		return err
	}
	c := &v.local.commands
	c.reset()
	g := geoSpec{
		kind: to.Geo, w: to.W, h: to.H + growY,
		size: to.Size, dash: to.Dash, scale: to.Scale, id: to.ID,
	}
	if err := g.outline(c); err != nil {
		return err
	}
	diagonals := to.Geo == scene.XBox && to.Dash != scene.DashDashed && to.Dash != scene.DashDotted
	part, wanted := 0, false
	at := point{}
	for i := range c.list {
		k := &c.list[i]
		if k.verb == moveTo {
			wanted = !k.hollow || diagonals && part == 2
			if part++; wanted {
				v.begin(k.hollow)
			}
		}
		if wanted {
			k.sample(at, func(p point) { v.point(m.apply(p)) })
		}
		at = k.to
	}
	return nil
}

// drawOutline takes the smoothed points of a freehand line.
func (v *arrows) drawOutline(sh, to *scene.Shape, m matrix) error {
	f := &v.local.free
	if err := f.gather(to); err != nil {
		return err
	}
	if len(f.input) == 0 || f.geometry(to) > 0 {
		return foreignArrow(sh, "bound to a dot")
	}
	v.begin(!to.Closed)
	for i := range f.points {
		v.point(m.apply(f.points[i].at))
	}
	return nil
}

// eachEdge calls f with the edges of a target.
func (v *arrows) eachEdge(t *target, f func(a, b point)) {
	for _, l := range v.lines[t.first : t.first+t.count] {
		p := v.points[l.first : l.first+l.count]
		for i := 1; i < len(p); i++ {
			f(p[i-1], p[i])
		}
		if !l.open && len(p) > 1 {
			f(p[len(p)-1], p[0])
		}
	}
}

// nearest returns the point of a target's outline nearest to p, and how far it is.
func (v *arrows) nearest(t *target, p point) (q point, d float64) {
	d = math.Inf(1)
	v.eachEdge(t, func(a, b point) {
		ab := sub(b, a)
		k := 0.0
		if n := norm2(ab); n > 0 {
			k = clamp(dot(sub(p, a), ab)/n, 0, 1)
		}
		r := add(a, scaled(ab, k))
		if e := distance(r, p); e < d {
			q, d = r, e
		}
	})
	return q, d
}

// inside tells whether p lies in one of a target's closed contours.
func (v *arrows) inside(t *target, p point) bool {
	for _, l := range v.lines[t.first : t.first+t.count] {
		if l.open {
			continue
		}
		c := v.points[l.first : l.first+l.count]
		winding := 0
		for i := range c {
			a, b := c[i], c[(i+1)%len(c)]
			switch {
			case a.Y <= p.Y && b.Y > p.Y && cross(sub(b, a), sub(p, a)) > 0:
				winding++
			case a.Y > p.Y && b.Y <= p.Y && cross(sub(b, a), sub(p, a)) < 0:
				winding--
			}
		}
		if winding != 0 {
			return true
		}
	}
	return false
}
