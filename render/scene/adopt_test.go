package scene

import "plumb/render/geom"

// Adopt applies the editor's rule for shapes that are created on a page with frames: a created
// record with x and y, but without a parent or with an unknown one, becomes a child of the topmost
// existing frame that contains its origin, and its x, y and rotation become those in the frame's
// space. New frames adopt nothing. created is changed in
// place; existing must be what Resolve accepts. See docs/spec/drawing.md#r7.
func Adopt(existing, created []Record, lim Limits) error {
	frames := false
	for i := range existing {
		frames = frames || existing[i].Kind == Frame
	}
	if !frames {
		return nil
	}
	s, err := Resolve(existing, nil, lim)
	if err != nil {
		return err
	}
	known := make(map[string]bool, len(existing)+len(created))
	for i := range existing {
		known[existing[i].ID] = true
	}
	for i := range created {
		known[created[i].ID] = true
	}
	toPage := s.toPage()
	for i := range created {
		r := &created[i]
		if r.Has&(HasX|HasY) != HasX|HasY || r.Has&HasParent != 0 && known[r.ParentID] {
			continue
		}
		s.adopt(r, toPage)
	}
	return nil
}

// toPage returns the map from each shape's space to the page's.
func (s *Scene) toPage() []geom.Matrix {
	all := make([]geom.Matrix, len(s.Shapes))
	for i := range s.Shapes {
		sh := &s.Shapes[i]
		m := sh.LocalMatrix()
		if sh.Parent >= 0 {
			m = all[sh.Parent].Mul(m) // parents come first
		}
		all[i] = m
	}
	return all
}

// adopt puts r into the topmost frame at its origin, if there is one.
func (s *Scene) adopt(r *Record, toPage []geom.Matrix) {
	for i := len(s.Shapes) - 1; i >= 0; i-- {
		if s.Shapes[i].Kind != Frame || !s.shows(int32(i), r.X, r.Y, toPage) {
			continue
		}
		r.moveInto(toPage[i], s.Shapes[i].ID)
		return
	}
}

// shows reports whether the page point lies in frame i and in all frames that clip it.
func (s *Scene) shows(i int32, x, y float64, toPage []geom.Matrix) bool {
	for ; i >= 0; i = s.Shapes[i].Parent {
		if s.Shapes[i].Kind != Frame {
			continue
		}
		p := unmap(toPage[i], geom.Pt(x, y))
		if p.X < 0 || p.Y < 0 || p.X > s.Shapes[i].W || p.Y > s.Shapes[i].H {
			return false
		}
	}
	return true
}
