package tree

import (
	"plumb/render/geom"
	"plumb/render/scene"
)

// Clips caches the clip polygons of the frames of one scene.
type Clips struct {
	Points  []geom.Point
	Spans   []span // by shape; only frames have one
	scratch [2][]geom.Point
}

// span is a polygon in Clips.Points.
type span struct {
	First, Count int32
	known        bool // the polygon was computed
}

// Reset empties the cache of frames' clips for a scene with that many shapes.
func (clips *Clips) Reset(shapes int) {
	clips.Points = clips.Points[:0]
	if cap(clips.Spans) < shapes {
		clips.Spans = make([]span, shapes)
	}
	clips.Spans = clips.Spans[:shapes]
	clear(clips.Spans)
}

// OfFrame returns the visible part of a frame inside the frames around it: a convex polygon in
// page units, empty if nothing is visible. See docs/spec/drawing.md#r12.
func (clips *Clips) OfFrame(tree *Tree, scene *scene.Scene, frame int32) []geom.Point {
	if sp := clips.Spans[frame]; sp.known { // computed before
		return clips.Points[sp.First : sp.First+sp.Count]
	}
	sh, m := &scene.Shapes[frame], tree.Nodes[frame].Page
	rect := [4]geom.Point{geom.Pt(0, 0), geom.Pt(sh.W, 0), geom.Pt(sh.W, sh.H), geom.Pt(0, sh.H)}
	for i := range rect {
		rect[i] = m.Apply(rect[i])
	}
	out := rect[:]
	if outer := tree.Nodes[frame].Frame; outer >= 0 {
		out = clips.Intersect(clips.OfFrame(tree, scene, outer), rect[:])
	}
	first := int32(len(clips.Points))
	clips.Points = append(clips.Points, out...)
	clips.Spans[frame] = span{first, int32(len(out)), true}
	return clips.Points[first:]
}

// Intersect returns the intersection of two convex polygons, such as the visible part of a frame and the
// frame around it. It cuts polygon by each side of window, whose corners must run clockwise on the screen
// (the method of Sutherland and Hodgman). The result is valid until the next call.
func (clips *Clips) Intersect(polygon, window []geom.Point) []geom.Point {
	in := append(clips.scratch[0][:0], polygon...)
	out := clips.scratch[1][:0]
	for i := range window {
		a, b := window[i], window[(i+1)%len(window)]
		inwards := func(p geom.Point) float64 { return geom.Cross(geom.Sub(b, a), geom.Sub(p, a)) } // from side ab
		out = out[:0]
		for j := range in {
			q, r := in[j], in[(j+1)%len(in)]
			dq, dr := inwards(q), inwards(r)
			if dq >= 0 {
				out = append(out, q)
			}
			if dq >= 0 != (dr >= 0) { // qr crosses the side
				out = append(out, geom.Lerp(q, r, dq/(dq-dr)))
			}
		}
		in, out = out, in
	}
	clips.scratch = [2][]geom.Point{in, out} // kept for their memory, and in until the next call
	return in
}

// ClipBox returns the bounds of what a frame leaves visible of a shape, of which the box is given. visible
// is the frame's own visible part, a convex polygon.
func (clips *Clips) ClipBox(shape geom.Extent, visible []geom.Point) geom.Extent {
	out := geom.NewExtent()
	box := [4]geom.Point{shape.Lo, geom.Pt(shape.Hi.X, shape.Lo.Y), shape.Hi, geom.Pt(shape.Lo.X, shape.Hi.Y)}
	for _, p := range clips.Intersect(visible, box[:]) {
		out.Add(p)
	}
	return out
}
