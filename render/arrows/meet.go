package arrows

import (
	"math"

	"plumb/render/geom"
	"plumb/render/scene"
	"plumb/render/shapes"
)

// meet computes the ends of straight arrow i to the last bit. It is for an arrow from a shape to itself both of
// whose ends stop at the same crossing of the line between its handles with the shape's outline. In the editor
// the two ends are then equal, or differ in their last bits, and that difference is the direction in which the
// arrow points. So meet computes them in the shape's own space, with the editor's order of operations and its
// rounding. ok is false where the outline is not known to the last bit. See docs/spec/drawing.md#r61.
func (solver *Solver) meet(s *scene.Scene, i int32) (start, end geom.Point, ok bool) {
	bindings := [2]*scene.Binding{solver.Ends[0].binding, solver.Ends[1].binding}
	target := bindings[0].To
	corners, closed, ok := solver.exactOutline(&s.Shapes[target])
	if !ok {
		return start, end, false
	}
	box := geom.NewExtent()
	for _, p := range corners {
		box.Add(p)
	}
	arrowPage, targetPage := exactPage(s, i), exactPage(s, target)
	arrowBack, targetBack := exactInverse(arrowPage), exactInverse(targetPage)
	// The handles in the target's space. The editor has them in the arrow's space and maps them back: this way
	// round and back changes last bits.
	var handles [2]geom.Point
	for k, b := range bindings {
		p := geom.Pt(geom.LerpNumber(box.Lo.X, box.Hi.X, b.Anchor.X), geom.LerpNumber(box.Lo.Y, box.Hi.Y, b.Anchor.Y))
		p = arrowBack.Apply(targetPage.Apply(p)) // the handle in the arrow's space
		handles[k] = targetBack.Apply(arrowPage.Apply(p))
	}
	// crossing returns where the line between two handles crosses the outline, nearest to from, in the
	// arrow's space.
	crossing := func(from, to geom.Point) (at geom.Point, hit bool) {
		least := math.Inf(1) // squared distance
		for j := range corners {
			next := j + 1
			if next == len(corners) {
				if !closed {
					break
				}
				next = 0
			}
			if p, ok := crossPoint(from, to, corners[j], corners[next]); ok {
				if d := geom.SquaredLength(geom.Sub(p, from)); d < least {
					least, at, hit = d, p, true
				}
			}
		}
		return arrowBack.Apply(targetPage.Apply(at)), hit
	}
	end, endHit := crossing(handles[0], handles[1])
	start, startHit := crossing(handles[1], handles[0])
	return start, end, startHit && endHit
}

// exactOutline returns the corners of a shape's outline in its own space. ok is false for shapes whose corners
// may differ from the editor's in the last bits: an ellipse, for one, needs sines and roots, which round
// differently there. Polygons, freehand lines and straight lines do not.
func (solver *Solver) exactOutline(to *scene.Shape) (corners []geom.Point, closed, ok bool) {
	switch {
	case to.Kind == scene.Line && !to.Cubic, to.Kind == scene.Draw:
	case to.Kind == scene.Geo:
		switch to.Geo {
		case scene.Ellipse, scene.Oval, scene.Cloud, scene.Heart, scene.XBox:
			return nil, false, false
		}
	default:
		return nil, false, false
	}
	contours := 0 // must be one
	err := solver.maker.Contours(to, shapes.Contours{
		Begin: func(c shapes.Contour) {
			contours++
			closed = !c.Open
		},
		Point: func(p geom.Point) { corners = append(corners, p) },
	})
	return corners, closed, err == nil && contours == 1
}

// exactPage returns the map from a shape's space to the page, with sines and cosines that are the editor's to
// the last bit.
func exactPage(s *scene.Scene, i int32) geom.Matrix {
	sh := &s.Shapes[i]
	sin, cos := geom.Sincos(sh.Rotation)
	m := geom.Matrix{A: cos, B: sin, C: -sin, D: cos, E: sh.X, F: sh.Y}
	if sh.Parent >= 0 {
		m = exactPage(s, sh.Parent).Mul(m)
	}
	return m
}

// exactInverse returns the inverse of a map. It divides each member by the determinant, as the editor does;
// Matrix.Inverse multiplies by 1/determinant, which rounds differently.
func exactInverse(m geom.Matrix) geom.Matrix {
	det := float64(m.A*m.D) - float64(m.B*m.C)
	return geom.Matrix{
		A: m.D / det, B: -m.B / det, C: -m.C / det, D: m.A / det,
		E: (float64(m.C*m.F) - float64(m.D*m.E)) / det, F: (float64(m.B*m.E) - float64(m.A*m.F)) / det,
	}
}
