package arrows

import (
	"math"

	"plumb/render/geom"
	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/tree"
)

// contour is one line of a target's outline: points [first, first+count) of Solver.points.
type contour struct {
	first, count int32
	open         bool
}

// target is the shape that an end of an arrow is bound to, in the arrow's space.
type target struct {
	first, count int32 // in Solver.lines
	toArrow      geom.Matrix
	own          geom.Extent // its box in its own space
	page         geom.Extent // its box on the page
	box          geom.Extent // the box of its outline in the arrow's space
	stroke       float64     // unscaled width of its stroke, 0 for a shape without size
	scale        float64
	open         bool // an open line: nothing lies inside
}

// anchor returns the point of the bound shape, in the arrow's space, that an arrow goes to. a is
// the anchor in shares of the target's box, used if precise; else the arrow goes to the centre of
// the box.
func (t *target) anchor(a scene.Point, precise bool) geom.Point {
	if !precise {
		a = scene.Point{X: 0.5, Y: 0.5}
	}
	x := geom.Lerp1(t.own.Lo.X, t.own.Hi.X, a.X)
	y := geom.Lerp1(t.own.Lo.Y, t.own.Hi.Y, a.Y)
	return t.toArrow.Apply(geom.Pt(x, y))
}

// loadTarget fills in end.target from the shape that this end of arrow sh is bound to: its boxes,
// and its outline in the arrow's space, which is appended to solver.points and solver.lines.
// pageToArrow maps the page to the arrow's space. It refuses targets that are not drawn natively,
// and one that brings solver.Visited above MaxVisited.
func (solver *Solver) loadTarget(s *scene.Scene, t *tree.Tree, sh *scene.Shape, end *terminal, pageToArrow geom.Matrix) error {
	index := end.binding.To
	to, page := &s.Shapes[index], t.Nodes[index].Page
	bound := &end.target
	*bound = target{first: int32(len(solver.lines)), toArrow: pageToArrow.Mul(page), scale: to.Scale,
		own: geom.NewExtent(), page: geom.NewExtent(), box: geom.NewExtent()}
	kind := shapes.KindOf(to)
	if kind.Stroked {
		bound.stroke = shapes.StrokeWidth[to.Size]
	}
	bound.open = kind.Open && !to.Closed
	if to.Kind == scene.Group {
		if err := solver.groupOutlines(s, t, sh, index); err != nil {
			return err
		}
	} else if err := solver.outline(sh, to, geom.Identity); err != nil {
		return err
	}
	bound.count = int32(len(solver.lines)) - bound.first
	first := len(solver.points)
	if bound.count > 0 {
		first = int(solver.lines[bound.first].first)
	}
	slack := 0.0
	if to.Kind == scene.Text && !end.headed() {
		slack = 10 * to.Scale
	}
	for i, p := range solver.points[first:] {
		bound.own.Add(p)
		bound.page.Add(page.Apply(p))
		if slack != 0 { // an end without a head keeps away from text
			p.X += slack * [4]float64{-1, 1, 1, -1}[i&3] // a text is a rectangle, from its upper left corner on
		}
		p = bound.toArrow.Apply(p)
		solver.points[first+i] = p
		bound.box.Add(p)
	}
	if sh.Arrow.Elbow { // its anchors are relative to the box with slack
		bound.own.Lo.X, bound.own.Hi.X = bound.own.Lo.X-slack, bound.own.Hi.X+slack
	}
	solver.Visited += len(solver.points) + 1
	if solver.Visited > MaxVisited {
		return ErrTargets
	}
	return nil
}

// groupOutlines appends the outlines of the shapes in the group that an arrow is bound to, and in
// groups within it, to the target's outline, in the group's space. Of a frame only its own outline
// counts, not its content. A group that holds an arrow is refused.
func (solver *Solver) groupOutlines(s *scene.Scene, t *tree.Tree, sh *scene.Shape, group int32) error {
	back := t.Nodes[group].Page.Inverse()
	for j := group + 1; j < int32(len(s.Shapes)) && s.Shapes[j].Parent >= group; j++ {
		c := &s.Shapes[j]
		solver.Visited++
		if c.Parent != group && s.Shapes[c.Parent].Kind != scene.Group {
			continue // inside a frame, whose outline counts
		}
		switch c.Kind {
		case scene.Group:
			continue
		case scene.Arrow:
			return foreignArrow(sh, "bound to a group that holds arrows")
		case scene.Draw:
			if singlePoint(c) {
				return foreignArrow(sh, "bound to a group that holds a dot")
			}
		}
		if err := solver.outline(sh, c, back.Mul(t.Nodes[j].Page)); err != nil {
			return err
		}
	}
	return nil
}

// outline appends the contours of shape to, mapped by m, to solver.points and solver.lines. It leaves out inner
// lines, except the second diagonal of an x-box without dashes, at which the editor's arrows stop. It
// refuses kinds of shapes that arrows cannot be bound to natively, and small freehand lines of several
// points that count as dots; the error names the arrow sh. See docs/spec/drawing.md#r60.
func (solver *Solver) outline(sh, to *scene.Shape, m geom.Matrix) error {
	if !shapes.KindOf(to).Target {
		return foreignArrow(sh, "bound to a "+to.TypeName)
	}
	diagonals := to.Geo == scene.XBox && to.Dash != scene.DashDashed && to.Dash != scene.DashDotted
	part, wanted, dot := 0, false, false // number of the contour; whether it is kept; any is a dot
	err := solver.local.Contours(to, shapes.Contours{
		Begin: func(c shapes.Contour) {
			wanted = !c.Inner || diagonals && part == 2
			if wanted {
				solver.begin(c.Open)
			}
			dot = dot || c.Dot
			part++
		},
		Point: func(p geom.Point) {
			if wanted {
				solver.point(m.Apply(p))
			}
		},
	})
	if err == nil && (part == 0 || dot && !singlePoint(to)) {
		return foreignArrow(sh, "bound to a dot")
	}
	return err
}

// singlePoint reports whether all points of a line or freehand line that an arrow is bound to are
// in one place, so that it is drawn as a dot.
func singlePoint(sh *scene.Shape) bool {
	n, last := 0, geom.Point{}
	for i := range sh.Segments {
		for _, q := range sh.Segments[i].Points {
			if p := geom.Pt(q.X, q.Y); n == 0 || p != last {
				n, last = n+1, p
			}
		}
	}
	return n == 1
}

// begin starts a contour of the last target.
func (solver *Solver) begin(open bool) {
	solver.lines = append(solver.lines, contour{first: int32(len(solver.points)), open: open})
}

// point appends a point to the last contour.
func (solver *Solver) point(p geom.Point) {
	solver.points = append(solver.points, p)
	solver.lines[len(solver.lines)-1].count++
}

// eachEdge calls f with each straight piece ab of the outline of the shape that an arrow is bound
// to, in the arrow's space. Closed contours include the piece from the last point back to the
// first.
func (solver *Solver) eachEdge(t *target, f func(a, b geom.Point)) {
	for _, l := range solver.lines[t.first : t.first+t.count] {
		p := solver.points[l.first : l.first+l.count]
		for i := 1; i < len(p); i++ {
			f(p[i-1], p[i])
		}
		if !l.open && len(p) > 1 {
			f(p[len(p)-1], p[0])
		}
	}
}

// nearest returns the point nearest to p on the outline of the shape that an arrow is bound to, and
// its distance from p in px. The distance is infinite if the outline has no edge.
func (solver *Solver) nearest(t *target, p geom.Point) (q geom.Point, distance float64) {
	distance = math.Inf(1)
	solver.eachEdge(t, func(a, b geom.Point) {
		ab := geom.Sub(b, a)
		share := 0.0 // of the edge, at the foot of the perpendicular from p
		if n := geom.Norm2(ab); n > 0 {
			share = geom.Clamp(geom.Dot(geom.Sub(p, a), ab)/n, 0, 1)
		}
		foot := geom.Add(a, geom.Scale(ab, share))
		if d := geom.Distance(foot, p); d < distance {
			q, distance = foot, d
		}
	})
	return q, distance
}

// inside reports whether p lies in a closed contour of the shape that an arrow is bound to, by the
// non-zero rule.
func (solver *Solver) inside(t *target, p geom.Point) bool {
	for _, l := range solver.lines[t.first : t.first+t.count] {
		if l.open {
			continue
		}
		c := solver.points[l.first : l.first+l.count]
		winding := 0
		for i := range c {
			a, b := c[i], c[(i+1)%len(c)]
			switch { // edges that cross the ray from p to the right
			case a.Y <= p.Y && b.Y > p.Y && geom.Cross(geom.Sub(b, a), geom.Sub(p, a)) > 0:
				winding++
			case a.Y > p.Y && b.Y <= p.Y && geom.Cross(geom.Sub(b, a), geom.Sub(p, a)) < 0:
				winding--
			}
		}
		if winding != 0 {
			return true
		}
	}
	return false
}
