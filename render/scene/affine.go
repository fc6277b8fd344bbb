package scene

import "math"

// affine maps (x, y) to (a x + c y + e, b x + d y + f).
type affine struct{ a, b, c, d, e, f float64 }

// local returns the map from the shape's space to its parent's. See docs/spec/drawing.md#r10.
func (s *Shape) local() affine {
	sin, cos := math.Sincos(s.Rotation)
	return affine{cos, sin, -sin, cos, s.X, s.Y}
}

// express puts a record whose place is given in the page's space into the space
// of m, and under the parent with this id.
func (r *Record) express(m affine, parent string) {
	if r.Has&HasRotation == 0 {
		r.Rotation = 0
	}
	r.X, r.Y = m.undo(r.X, r.Y)
	r.Rotation -= math.Atan2(m.b, m.a)
	r.ParentID = parent
	r.Has |= HasX | HasY | HasParent | HasRotation
}

// then returns the map that applies n first and then m.
func (m affine) then(n affine) affine {
	e, f := m.apply(n.e, n.f)
	return affine{
		a: float64(m.a*n.a) + float64(m.c*n.b), b: float64(m.b*n.a) + float64(m.d*n.b),
		c: float64(m.a*n.c) + float64(m.c*n.d), d: float64(m.b*n.c) + float64(m.d*n.d),
		e: e, f: f,
	}
}

func (m affine) apply(x, y float64) (float64, float64) {
	return float64(m.a*x) + float64(m.c*y) + m.e, float64(m.b*x) + float64(m.d*y) + m.f
}

// undo is the inverse of apply. Shapes are only moved and turned, so the
// inverse of the turn is its transpose.
func (m affine) undo(x, y float64) (float64, float64) {
	x, y = x-m.e, y-m.f
	return float64(m.a*x) + float64(m.b*y), float64(m.c*x) + float64(m.d*y)
}
