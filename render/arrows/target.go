package arrows

import (
	"math"

	"plumb/render/geom"
	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/tree"
)

// contour is one line of a target's outline: some of Solver.points.
type contour struct {
	firstPoint, pointCount int32 // in Solver.points
	open                   bool
	disc                   bool // a dot: its points lie on a circle
}

// target is the shape that an end of an arrow is bound to, in the arrow's space.
type target struct {
	firstContour, contourCount int32       // in Solver.contours
	toArrow                    geom.Matrix // from the target's own space to the arrow's
	own                        geom.Extent // its box in its own space
	page                       geom.Extent // its box on the page
	box                        geom.Extent // the box of its outline in the arrow's space
	stroke                     float64     // unscaled width of its stroke, 0 for a shape without size
	scale                      float64
	open                       bool // an open line: nothing lies inside
}

// anchor returns the point of the bound shape, in the arrow's space, that an arrow goes to. a is
// the anchor in shares of the target's box, used if precise; else the arrow goes to the centre of
// the box.
func (t *target) anchor(a scene.Point, precise bool) geom.Point {
	if !precise {
		a = scene.Point{X: 0.5, Y: 0.5}
	}
	x := geom.LerpNumber(t.own.Lo.X, t.own.Hi.X, a.X)
	y := geom.LerpNumber(t.own.Lo.Y, t.own.Hi.Y, a.Y)
	return t.toArrow.Apply(geom.Pt(x, y))
}

// loadTarget fills in end.target from the shape that this end of arrow sh is bound to: its boxes,
// and its outline in the arrow's space, which is appended to solver.points and solver.contours.
// pageToArrow maps the page to the arrow's space. It refuses targets that are not drawn natively,
// and one that brings solver.Visited above MaxVisited.
func (solver *Solver) loadTarget(s *scene.Scene, t *tree.Tree, sh *scene.Shape, end *terminal, pageToArrow geom.Matrix) error {
	index := end.binding.To
	to, page := &s.Shapes[index], t.Nodes[index].Page
	bound := &end.target
	*bound = target{firstContour: int32(len(solver.contours)), toArrow: pageToArrow.Mul(page), scale: to.Scale,
		own: geom.NewExtent(), page: geom.NewExtent(), box: geom.NewExtent()}
	kind := shapes.KindOf(to)
	if kind.Stroked {
		bound.stroke = shapes.StrokeWidth[to.Size]
	}
	if to.Kind == scene.Group {
		if err := solver.groupOutlines(s, t, sh, index); err != nil {
			return err
		}
	} else if err := solver.outline(sh, to, geom.Identity); err != nil {
		return err
	}
	bound.contourCount = int32(len(solver.contours)) - bound.firstContour
	bound.open = kind.Open && solver.contours[bound.firstContour].open
	first := len(solver.points)
	if bound.contourCount > 0 {
		first = int(solver.contours[bound.firstContour].firstPoint)
	}
	slack := 0.0 // px that an end without a head keeps from the left and the right side of a text
	if to.Kind == scene.Text && !end.headed() {
		slack = 10 * to.Scale
	}
	for i, p := range solver.points[first:] {
		bound.own.Add(p)
		bound.page.Add(page.Apply(p))
		if slack != 0 {
			outwards := [4]float64{-1, 1, 1, -1}[i&3] // the corners of a text come clockwise from the upper left one
			p.X += slack * outwards
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
	pageToGroup := t.Nodes[group].Page.Inverse()
	frame := group // the frame that the loop is in, whose content is left out; group for none
	for j := group + 1; j < int32(len(s.Shapes)) && s.Shapes[j].Parent >= group; j++ {
		c := &s.Shapes[j]
		solver.Visited++
		inFrame := frame != group && c.Parent >= frame // descendants follow their frame, other shapes come after them
		if inFrame {
			continue
		}
		frame = group
		if c.Kind == scene.Frame {
			frame = j
		}
		switch c.Kind {
		case scene.Group:
			continue
		case scene.Arrow:
			return foreignArrow(sh, "bound to a group that holds arrows")
		}
		if err := solver.outline(sh, c, pageToGroup.Mul(t.Nodes[j].Page)); err != nil {
			return err
		}
	}
	return nil
}

// outline appends the contours of shape to, mapped by m, to solver.points and solver.contours. It leaves out inner
// lines, except the second diagonal of an x-box without dashes, at which the editor's arrows stop. It
// refuses kinds of shapes that arrows cannot be bound to natively, and lines without points; the error
// names the arrow sh. See docs/spec/drawing.md#r60.
func (solver *Solver) outline(sh, to *scene.Shape, m geom.Matrix) error {
	if !shapes.KindOf(to).Target {
		return foreignArrow(sh, "bound to a "+to.TypeName)
	}
	diagonals := to.Geo == scene.XBox && to.Dash != scene.DashDashed && to.Dash != scene.DashDotted
	const secondDiagonal = 2 // of an x-box; contour 0 is its box
	part, wanted := 0, false // number of the contour; whether it is kept
	err := solver.maker.Contours(to, shapes.Contours{
		Begin: func(c shapes.Contour) {
			wanted = !c.Inner || diagonals && part == secondDiagonal
			if wanted {
				solver.begin(c)
			}
			part++
		},
		Point: func(p geom.Point) {
			if wanted {
				solver.point(m.Apply(p))
			}
		},
	})
	if err == nil && part == 0 {
		return foreignArrow(sh, "bound to a line without points")
	}
	return err
}

// begin starts a contour of the last target like c.
func (solver *Solver) begin(c shapes.Contour) {
	solver.contours = append(solver.contours, contour{firstPoint: int32(len(solver.points)), open: c.Open, disc: c.Dot})
}

// point appends a point to the last contour.
func (solver *Solver) point(p geom.Point) {
	solver.points = append(solver.points, p)
	solver.contours[len(solver.contours)-1].pointCount++
}

// eachEdge calls f with each straight piece ab of the outline of the shape that an arrow is bound
// to, in the arrow's space. Closed contours include the piece from the last point back to the
// first.
func (solver *Solver) eachEdge(t *target, f func(a, b geom.Point)) {
	for _, l := range solver.contours[t.firstContour : t.firstContour+t.contourCount] {
		solver.edgesOf(l, f)
	}
}

// edgesOf calls f with each straight piece ab of one contour.
func (solver *Solver) edgesOf(l contour, f func(a, b geom.Point)) {
	p := solver.points[l.firstPoint : l.firstPoint+l.pointCount]
	for i := 1; i < len(p); i++ {
		f(p[i-1], p[i])
	}
	if !l.open && len(p) > 1 {
		f(p[len(p)-1], p[0])
	}
}

// nearest returns the point nearest to p on the outline of the shape that an arrow is bound to, and
// its distance from p in px. The distance is infinite if the outline has no edge. Of a dot it takes
// the circle itself, not the polygon that arrows cross (docs/spec/drawing.md#r60). At the centre of a
// dot that is so small that an end would move to the circle, it sets solver.uncertain, because rounding
// errors decide there where on the circle.
func (solver *Solver) nearest(t *target, p geom.Point) (q geom.Point, distance float64) {
	distance = math.Inf(1)
	offer := func(foot geom.Point) {
		if d := geom.Distance(foot, p); d < distance {
			q, distance = foot, d
		}
	}
	for _, l := range solver.contours[t.firstContour : t.firstContour+t.contourCount] {
		if l.disc {
			centre, radius := solver.circleOf(l)
			away := geom.Sub(p, centre)
			const atCentre, anEndMoves = 1e-6, 1 // px; an end moves to an outline that is less than 1 px away
			if geom.Length(away) < atCentre {
				solver.uncertain = solver.uncertain || radius < anEndMoves
				away = geom.Pt(1, 0)
			}
			offer(geom.Add(centre, geom.Scale(geom.Unit(away), radius)))
			continue
		}
		solver.edgesOf(l, func(a, b geom.Point) {
			ab := geom.Sub(b, a)
			share := 0.0 // of the edge, at the foot of the perpendicular from p
			if n := geom.SquaredLength(ab); n > 0 {
				share = geom.Clamp(geom.Dot(geom.Sub(p, a), ab)/n, 0, 1)
			}
			offer(geom.Add(a, geom.Scale(ab, share)))
		})
	}
	return q, distance
}

// circleOf returns the circle on which the points of a dot lie. They are spread evenly, so that their
// mean is its centre.
func (solver *Solver) circleOf(dot contour) (centre geom.Point, radius float64) {
	corners := solver.points[dot.firstPoint : dot.firstPoint+dot.pointCount]
	for _, p := range corners {
		centre = geom.Add(centre, p)
	}
	centre = geom.Scale(centre, 1/float64(len(corners)))
	return centre, geom.Distance(centre, corners[0])
}

// inside reports whether p lies in a closed contour of the shape that an arrow is bound to, by the
// non-zero rule.
func (solver *Solver) inside(t *target, p geom.Point) bool {
	for _, l := range solver.contours[t.firstContour : t.firstContour+t.contourCount] {
		if l.open {
			continue
		}
		c := solver.points[l.firstPoint : l.firstPoint+l.pointCount]
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
