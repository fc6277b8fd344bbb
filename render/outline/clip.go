package outline

import (
	"plumb/render/geom"
	"plumb/render/scene"
)

// polygons keeps the clips of the frames of one scene.
type polygons struct {
	points []geom.Point
	spans  []span // by shape; only frames have one
	spare  [2][]geom.Point
}

// span is a polygon in polygons.points.
type span struct {
	first, count int32
	known        bool
}

func (c *polygons) reset(shapes int) {
	c.points = c.points[:0]
	if cap(c.spans) < shapes {
		c.spans = make([]span, shapes)
	}
	c.spans = c.spans[:shapes]
	clear(c.spans)
}

// ofFrame returns the part of the page that a frame and the frames around it leave, a convex
// polygon in page units. It is empty when nothing is left. See docs/spec/drawing.md#r12.
func (c *polygons) ofFrame(t *tree, s *scene.Scene, frame int32) []geom.Point {
	if sp := c.spans[frame]; sp.known {
		return c.points[sp.first : sp.first+sp.count]
	}
	sh, m := &s.Shapes[frame], t.nodes[frame].page
	rect := [4]geom.Point{geom.Pt(0, 0), geom.Pt(sh.W, 0), geom.Pt(sh.W, sh.H), geom.Pt(0, sh.H)}
	for i := range rect {
		rect[i] = m.Apply(rect[i])
	}
	out := rect[:]
	if outer := t.nodes[frame].frame; outer >= 0 {
		out = c.intersect(c.ofFrame(t, s, outer), rect[:])
	}
	first := int32(len(c.points))
	c.points = append(c.points, out...)
	c.spans[frame] = span{first, int32(len(out)), true}
	return c.points[first:]
}

// intersect returns what is in both convex polygons. by runs clockwise on the
// screen. The result lives until the next call.
func (c *polygons) intersect(p, by []geom.Point) []geom.Point {
	in := append(c.spare[0][:0], p...)
	out := c.spare[1][:0]
	for i := range by {
		a, b := by[i], by[(i+1)%len(by)]
		out = out[:0]
		for j := range in {
			q, r := in[j], in[(j+1)%len(in)]
			dq, dr := geom.Cross(geom.Sub(b, a), geom.Sub(q, a)), geom.Cross(geom.Sub(b, a), geom.Sub(r, a))
			if dq >= 0 {
				out = append(out, q)
			}
			if dq >= 0 != (dr >= 0) {
				out = append(out, geom.Lerp(q, r, dq/(dq-dr)))
			}
		}
		in, out = out, in
	}
	c.spare = [2][]geom.Point{in, out}
	return in
}
