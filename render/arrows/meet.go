package arrows

import (
	"math"

	"plumb/render/geom"
	"plumb/render/scene"
	"plumb/render/shapes"
)

// meet finds the ends of a straight arrow i again, both of which stop where the line between its handles
// crosses the outline of its only target. In the editor they are equal or a few bits apart, and these bits
// are the arrow's direction; meet repeats the editor's sums, in its order and its roundings. ok is false
// where the outline is not known to the last bit. See docs/spec/drawing.md#r61.
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
	var handles [2]geom.Point // in the target's space, by way of the arrow's
	for k, b := range bindings {
		p := geom.Pt(geom.LerpNumber(box.Lo.X, box.Hi.X, b.Anchor.X), geom.LerpNumber(box.Lo.Y, box.Hi.Y, b.Anchor.Y))
		p = arrowBack.Apply(targetPage.Apply(p)) // the handle in the arrow's space
		handles[k] = targetBack.Apply(arrowPage.Apply(p))
	}
	crossing := func(from, to geom.Point) (at geom.Point, hit bool) {
		least := math.Inf(1)
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

// exactOutline returns the corners of a shape's outline in its own space where they are the editor's to the
// last bit: of polygons and of lines that are not smoothed by curves. Curves need more sines and roots
// than could be repeated.
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
	contours := 0
	err := solver.local.Contours(to, shapes.Contours{
		Begin: func(c shapes.Contour) {
			contours++
			closed = !c.Open
		},
		Point: func(p geom.Point) { corners = append(corners, p) },
	})
	return corners, closed, err == nil && contours == 1
}

// exactPage returns the map from a shape's space to the page, with the editor's sines.
func exactPage(s *scene.Scene, i int32) geom.Matrix {
	sh := &s.Shapes[i]
	sin, cos := geom.Sincos(sh.Rotation)
	m := geom.Matrix{A: cos, B: sin, C: -sin, D: cos, E: sh.X, F: sh.Y}
	if sh.Parent >= 0 {
		m = exactPage(s, sh.Parent).Mul(m)
	}
	return m
}

// exactInverse returns the inverse of a map, divided out as the editor does it.
func exactInverse(m geom.Matrix) geom.Matrix {
	det := float64(m.A*m.D) - float64(m.B*m.C)
	return geom.Matrix{
		A: m.D / det, B: -m.B / det, C: -m.C / det, D: m.A / det,
		E: (float64(m.C*m.F) - float64(m.D*m.E)) / det, F: (float64(m.B*m.E) - float64(m.A*m.F)) / det,
	}
}
