package shapes

import (
	"fmt"
	"math"
	"sync"

	"plumb/render/geom"
	"plumb/render/scene"
)

// GeoSpec holds everything that the outline of a geo shape depends on. For drawing, W and H are
// divided by the shape's scale; for bounds and hits they are not.
type GeoSpec struct {
	Kind     scene.GeoKind
	W, H     float64
	Size     scene.Size
	Dash     scene.Dash
	Scale    float64 // multiplies the stroke that insets an x and the wiggle of a cloud
	ID       string
	maxBumps int // the most bumps of a cloud, 0 for MaxPoints
}

// belowPi is the sweep of the lower half of an ellipse, in radians: the number below pi, as in the editor. See
// docs/spec/drawing.md#r20.
var belowPi = math.Nextafter(math.Pi, 0)

// Outline appends the outline of a geo shape to outline, with the inner lines of an x-box or a check-box.
// Sides of less than 1 px count as 1. It refuses a cloud with too many bumps. See
// docs/spec/drawing.md#r21, and for curves docs/spec/drawing.md#r23.
func (spec GeoSpec) Outline(outline *Outline) error {
	spec.W, spec.H = max(1, spec.W), max(1, spec.H)
	w, h := spec.W, spec.H
	cx, cy := w/2, h/2
	slant := slantShare * min(w, h) // how far the sides of a rhombus or trapezoid lean
	switch spec.Kind {
	case scene.Ellipse:
		outline.Move(geom.Pt(0, cy))
		outline.Arc(geom.Pt(cx, cy), cx, cy, math.Pi, math.Pi, geom.Pt(w, cy))
		outline.Arc(geom.Pt(cx, cy), cx, cy, 0, belowPi, geom.Pt(0, cy))
		outline.Close()
	case scene.Triangle:
		outline.Polygon(geom.Pt(cx, 0), geom.Pt(w, h), geom.Pt(0, h))
	case scene.Diamond:
		outline.Polygon(geom.Pt(cx, 0), geom.Pt(w, cy), geom.Pt(cx, h), geom.Pt(0, cy))
	case scene.Pentagon:
		outline.regular(5, w, h)
	case scene.Hexagon:
		outline.regular(6, w, h)
	case scene.Octagon:
		outline.regular(8, w, h)
	case scene.Star:
		outline.star(w, h)
	case scene.Rhombus:
		outline.Polygon(geom.Pt(slant, 0), geom.Pt(w, 0), geom.Pt(w-slant, h), geom.Pt(0, h))
	case scene.Rhombus2:
		outline.Polygon(geom.Pt(0, 0), geom.Pt(w-slant, 0), geom.Pt(w, h), geom.Pt(slant, h))
	case scene.Trapezoid:
		outline.Polygon(geom.Pt(slant, 0), geom.Pt(w-slant, 0), geom.Pt(w, h), geom.Pt(0, h))
	case scene.ArrowRight, scene.ArrowLeft, scene.ArrowUp, scene.ArrowDown:
		outline.blockArrow(spec.Kind, w, h)
	case scene.Oval:
		outline.oval(w, h)
	case scene.Heart:
		outline.heart(w, h)
	case scene.Cloud:
		return spec.cloud(outline)
	case scene.Rectangle, scene.XBox, scene.CheckBox:
		outline.Polygon(geom.Pt(0, 0), geom.Pt(w, 0), geom.Pt(w, h), geom.Pt(0, h))
		switch spec.Kind {
		case scene.CheckBox:
			outline.checkMark(w, h)
		case scene.XBox:
			spec.crossLines(outline)
		}
	default:
		return fmt.Errorf("cannot draw geo kind %d: %w", spec.Kind, ErrForeign)
	}
	return nil
}

// slantShare is how far the slanted sides of a rhombus or trapezoid lean, in shorter sides of the box: the
// editor's number.
const slantShare = 0.38

// corners are the sines and cosines of the directions of the corners of polygons, by their number.
var corners = sync.OnceValue(func() *[mostCorners + 1][mostCorners][2]float64 {
	all := new([mostCorners + 1][mostCorners][2]float64)
	for n := 1; n <= mostCorners; n++ {
		for i := range n {
			sin, cos := geom.Sincos(-math.Pi/2 + float64(float64(i)*(2*math.Pi/float64(n))))
			all[n][i] = [2]float64{sin, cos}
		}
	}
	return all
})

// mostCorners is the number of corners of a star; no regular polygon has more.
const mostCorners = 10

// corner returns the sine and the cosine of the direction of corner i of a polygon with n corners, the first
// of which is on top, to the last bit as the editor has them.
func corner(i, n int) (sin, cos float64) {
	c := &corners()[n][i]
	return c[0], c[1]
}

// regular adds the outline of a geo shape with n equal sides, 5, 6 or 8, in a box of w x h: the corners of
// a regular polygon, the first on top. They are stretched so that they fill the box; those of an octagon
// stay, because they fill it as they are.
func (outline *Outline) regular(n int, w, h float64) {
	const octagon = 8 // the most corners
	var points [octagon]geom.Point
	extent := geom.NewExtent()
	for i := range n {
		sin, cos := corner(i, n)
		points[i] = geom.Pt(w/2+float64(w/2*cos), h/2+float64(h/2*sin))
		extent.Add(points[i])
	}
	stretched := points[:n]
	if n == octagon {
		stretched = nil
	}
	for i := range stretched {
		points[i].X = (points[i].X - extent.Lo.X) / (extent.Hi.X - extent.Lo.X) * w
		points[i].Y = (points[i].Y - extent.Lo.Y) / (extent.Hi.Y - extent.Lo.Y) * h
	}
	outline.Polygon(points[:n]...)
}

// star adds the outline of the geo shape star in a box of w x h: ten corners, the first on top, by
// turns on an outer ellipse and on an inner one of half its size. By the editor's formula it does
// not fill its box exactly. See docs/spec/drawing.md#r22.
func (outline *Outline) star(w, h float64) {
	const n = 10 // corners
	// The outermost corners of a star that is not stretched yet, and how much of the box they leave free.
	_, rightmost := corner(2, n)
	_, leftmost := corner(8, n)
	lowest, _ := corner(4, n)
	right, left := rightmost*w/2, leftmost*w/2
	bottom, top := lowest*h/2, -h/2
	centre := geom.Pt((w-(left+right))/2, (h-(top+bottom))/2)
	outer := geom.Pt((w+(w-math.Abs(right-left)))/2, (h+(h-math.Abs(bottom-top)))/2) // radii
	var points [n]geom.Point
	for i := range points {
		r := outer
		if i%2 == 1 {
			r = geom.Scale(outer, 0.5)
		}
		sin, cos := corner(i, n)
		points[i] = geom.Pt(centre.X+float64(r.X*cos), centre.Y+float64(r.Y*sin))
	}
	outline.Polygon(points[:]...)
}

// blockArrow adds the outline of one of the four geo shapes that are arrows, in a box of w x h.
func (outline *Outline) blockArrow(kind scene.GeoKind, w, h float64) {
	cx, cy, head := w/2, h/2, 0.38*min(w, h) // middle of the box; length of the head
	x, y := 0.16*w, 0.16*h                   // from a side of the box to the shaft
	switch kind {
	case scene.ArrowRight:
		outline.Polygon(geom.Pt(0, y), geom.Pt(w-head, y), geom.Pt(w-head, 0), geom.Pt(w, cy),
			geom.Pt(w-head, h), geom.Pt(w-head, h-y), geom.Pt(0, h-y))
	case scene.ArrowLeft:
		outline.Polygon(geom.Pt(head, 0), geom.Pt(head, y), geom.Pt(w, y), geom.Pt(w, h-y),
			geom.Pt(head, h-y), geom.Pt(head, h), geom.Pt(0, cy))
	case scene.ArrowUp:
		outline.Polygon(geom.Pt(cx, 0), geom.Pt(w, head), geom.Pt(w-x, head), geom.Pt(w-x, h),
			geom.Pt(x, h), geom.Pt(x, head), geom.Pt(0, head))
	default: // down
		outline.Polygon(geom.Pt(x, 0), geom.Pt(w-x, 0), geom.Pt(w-x, h-head), geom.Pt(w, h-head),
			geom.Pt(cx, h), geom.Pt(0, h-head), geom.Pt(x, h-head))
	}
}

// oval adds the outline of the geo shape oval in a box of w x h: a stadium whose straight sides lie
// along the longer sides of the box.
func (outline *Outline) oval(w, h float64) {
	if h > w {
		r := w / 2
		outline.Move(geom.Pt(0, r))
		outline.Arc(geom.Pt(r, r), r, r, math.Pi, math.Pi, geom.Pt(w, r))
		outline.Line(geom.Pt(w, h-r))
		outline.Arc(geom.Pt(r, h-r), r, r, 0, math.Pi, geom.Pt(0, h-r))
	} else {
		r := h / 2
		outline.Move(geom.Pt(r, h))
		outline.Arc(geom.Pt(r, r), r, r, math.Pi/2, math.Pi, geom.Pt(r, 0))
		outline.Line(geom.Pt(w-r, 0))
		outline.Arc(geom.Pt(w-r, r), r, r, -math.Pi/2, math.Pi, geom.Pt(w-r, h))
	}
	outline.Close()
}

// heart adds the outline of the geo shape heart in a box of w x h: four curves, from its lower tip around
// the left side and back along the right one. The control points are the editor's, in quarters of the box.
func (outline *Outline) heart(w, h float64) {
	x, y, cx := w/4, h/4, w/2
	outline.Move(geom.Pt(cx, h))
	outline.curve(geom.Pt(x*1.5, y*3), geom.Pt(0, y*2.5), geom.Pt(0, y*1.2))
	outline.curve(geom.Pt(0, -y*0.32), geom.Pt(x*1.85, -y*0.32), geom.Pt(cx, y*0.9))
	outline.curve(geom.Pt(x*2.15, -y*0.32), geom.Pt(w, -y*0.32), geom.Pt(w, y*1.2))
	outline.curve(geom.Pt(w, y*2.5), geom.Pt(x*2.5, y*3), geom.Pt(cx, h))
	outline.Close()
}

// checkMark adds the mark of a check-box, an open line that is not filled: three points in a square in the
// middle of the box. Hand-drawn jitter does not move its ends. See docs/spec/drawing.md#r24.
func (outline *Outline) checkMark(w, h float64) {
	side := 0.82 * min(w, h)
	left, top := (w-side)/2, (h-side)/2
	at := func(x, y float64) geom.Point { // of shares of the square
		return geom.Pt(geom.Clamp(left+float64(side*x), 0, w), geom.Clamp(top+float64(side*y), 0, h))
	}
	m := outline.Move(at(0.25, 0.52))
	m.StrokeOnly, m.Unjittered = true, true
	outline.Line(at(0.45, 0.82))
	outline.Line(at(0.82, 0.22)).Unjittered = true
}

// crossLines adds the cross of the geo shape x-box: open lines, which are not filled. If they are dashed
// or dotted, there are four, from the corners to the middle, so that dashes meet there alike. Else there are
// two diagonals, which in dash draw begin a little inside of the corners.
func (spec GeoSpec) crossLines(outline *Outline) {
	w, h := spec.W, spec.H
	if spec.Dash == scene.DashDashed || spec.Dash == scene.DashDotted {
		for _, p := range [4]geom.Point{geom.Pt(0, 0), geom.Pt(w, h), geom.Pt(0, h), geom.Pt(w, 0)} {
			outline.Move(p).StrokeOnly = true
			l := outline.Line(geom.Pt(w/2, h/2))
			l.start, l.end = Skip, Outset
		}
		return
	}
	inset := 0.0
	if spec.Dash == scene.DashDraw {
		inset = 0.62 * StrokeWidth[spec.Size] * spec.Scale
	}
	inBox := func(x, y float64) geom.Point { return geom.Pt(geom.Clamp(x, 0, w), geom.Clamp(y, 0, h)) }
	outline.Move(inBox(inset, inset)).StrokeOnly = true
	outline.Line(inBox(w-inset, h-inset))
	outline.Move(inBox(w-inset, inset)).StrokeOnly = true
	outline.Line(inBox(inset, h-inset))
}
