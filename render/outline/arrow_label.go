package outline

import (
	"math"

	"plumb/render/scene"
)

// arrowLabel is where the label of an arrow stands, in the arrow's own space
// (tldraw-rendering.md 7.8).
type arrowLabel struct {
	shown  bool
	box    extent
	w, h   float64 // of the text
	pad    float64 // between text and box
	radius float64 // of the box's corners
}

// Padding of a label's box on each side, and the radius of its corners, unscaled.
const (
	labelPad    = 4.25
	labelRadius = 3.5
)

// label places the label of an arrow that v has worked out.
func (v *arrows) label(sh *scene.Shape) (l arrowLabel, err error) {
	if sh.Rich == nil || !v.valid {
		return l, nil
	}
	if sh.LabelColor >= scene.CustomColor || int(sh.LabelColor) >= len(palette) {
		return l, foreign(sh, "custom label colour")
	}
	points, length := v.samples()
	bounds := newExtent()
	for _, p := range points {
		bounds.add(p)
	}
	l = arrowLabel{shown: true, pad: labelPad * sh.Scale, radius: labelRadius * sh.Scale}
	keep := 20 + 2*(strokeWidth[sh.Size]-2)
	if sh.Size == scene.SizeXL {
		keep += 20
	}
	keep *= sh.Scale
	k, err := takeScribe()
	if err != nil {
		return l, err
	}
	defer k.giveBack()
	margin := 64.0
	if v.kind == elbowArrow {
		margin = max(v.ends[0].offset+keep, 32) + max(v.ends[1].offset+keep, 32)
	}
	if l.w, l.h, err = k.write.ArrowSize(sh, bounds.hi.X-bounds.lo.X, bounds.hi.Y-bounds.lo.Y, margin); err != nil {
		return l, unwritten(sh, "label", err)
	}
	w := body{points: points, length: length, half: point{l.w/2 + l.pad, l.h/2 + l.pad}}
	lo, hi := w.free(keep, v.kind == elbowArrow)
	at := sh.Arrow.LabelPosition
	held := func(e *terminal) bool { return e.bound() || e.headed() }
	if !held(&v.ends[0]) {
		lo = 0
	}
	if !held(&v.ends[1]) {
		hi = 1
	}
	l.box = w.boxAt(w.walk(clamp(at, lo, hi)*length), 0)
	return l, nil
}

// body is the body of an arrow as its label sees it.
type body struct {
	points []point
	length float64 // true length, where points only approach the body
	half   point   // half the sides of the label's box
}

// boxAt is the label's box around p, grown on all sides.
func (w *body) boxAt(p point, grow float64) extent {
	h := point{w.half.X + grow, w.half.Y + grow}
	return extent{sub(p, h), add(p, h)}
}

// walk returns the point that far along the body.
func (w *body) walk(d float64) point {
	if d <= 0 {
		return w.points[0]
	}
	for i := 1; i < len(w.points); i++ {
		a, b := w.points[i-1], w.points[i]
		l := distance(a, b)
		if d <= l && l > 0 {
			return lerp(a, b, d/l)
		}
		d -= l
	}
	return w.points[len(w.points)-1]
}

// free returns the stretch of the body, from 0 to 1, where a label is clear of
// both ends.
func (w *body) free(keep float64, elbow bool) (lo, hi float64) {
	first, last := w.points[0], w.points[len(w.points)-1]
	from, to := w.boxAt(w.walk(keep), 0), w.boxAt(w.walk(w.length-keep), 0)
	if elbow {
		from, to = w.boxAt(first, keep), w.boxAt(last, keep)
	}
	lo, ok := w.leaves(from, first)
	hi, okToo := w.leaves(to, last)
	if !ok {
		lo = 0.5
	}
	if !okToo {
		hi = 0.5
	}
	if lo > hi {
		return 0.5, 0.5
	}
	return lo, hi
}

// leaves returns where along the body it crosses a box, at the crossing farthest
// from an end. A stretch across a box around the end meets two of its sides equally
// far away: the first counts.
func (w *body) leaves(e extent, end point) (share float64, ok bool) {
	c := [5]point{e.lo, {e.hi.X, e.lo.Y}, e.hi, {e.lo.X, e.hi.Y}, e.lo}
	best, walked := -1.0, 0.0
	for i := 1; i < len(w.points); i++ {
		a, b := w.points[i-1], w.points[i]
		for k := 1; k < len(c); k++ {
			if p, hit := crossPoint(a, b, c[k-1], c[k]); hit {
				d, s := distance(p, end), (walked+distance(a, p))/w.length
				if d > best+1e-6 || d > best-1e-6 && s < share {
					best, share, ok = d, s, true
				}
			}
		}
		walked += distance(a, b)
	}
	if math.IsNaN(share) {
		return 0.5, false
	}
	return share, ok
}
