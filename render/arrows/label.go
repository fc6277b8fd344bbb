package arrows

import (
	"math"

	"plumb/render/geom"
	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/text"
)

// Label is the place of an arrow's label, in the arrow's own space. See docs/spec/drawing.md#r70.
type Label struct {
	Shown  bool
	Box    geom.Extent
	W, H   float64 // of the text
	Pad    float64 // between text and box
	radius float64 // of the box's corners
}

// Padding of a label's box on each side, and the radius of its corners, unscaled.
const (
	labelPad    = 4.25
	labelRadius = 3.5
)

// Label computes the place of the label of the solved arrow. It is not Shown for an arrow without
// text and for an invalid one. Errors: a custom colour, an arrow without length, text that is not set
// natively, and a place that depends on rounding errors.
func (solver *Solver) Label(sh *scene.Shape) (label Label, err error) {
	if sh.Rich == nil || !solver.Valid {
		return label, nil
	}
	if sh.LabelColor >= scene.CustomColor || int(sh.LabelColor) >= len(shapes.Palette) {
		return label, shapes.Foreign(sh, "custom label colour")
	}
	points, length := solver.Samples()
	if !(length > 0) {
		return label, foreignArrow(sh, noLength)
	}
	bounds := geom.NewExtent()
	for _, p := range points {
		bounds.Add(p)
	}
	label = Label{Shown: true, Pad: labelPad * sh.Scale, radius: labelRadius * sh.Scale}
	// The least distance between the label and both ends, by the editor's formula. The margin below is
	// another one: it bounds the label's width.
	keep := 20 + 2*(shapes.StrokeWidth[sh.Size]-2)
	if sh.Size == scene.SizeXL {
		keep += 20
	}
	keep *= sh.Scale
	setter, err := text.Take()
	if err != nil {
		return label, err
	}
	defer setter.GiveBack()
	const endMargin = 32      // px that a label leaves free at each end of the body, at least
	margin := 2.0 * endMargin // of both ends together
	if solver.Kind == ElbowArrow {
		margin = max(solver.Ends[0].elbowGap+keep, endMargin) + max(solver.Ends[1].elbowGap+keep, endMargin)
	}
	w, h := bounds.Hi.X-bounds.Lo.X, bounds.Hi.Y-bounds.Lo.Y
	if label.W, label.H, err = setter.ArrowSize(sh, w, h, margin); err != nil {
		return label, shapes.TextError(sh, "label", err)
	}
	body := labelledBody{points: points, length: length, half: geom.Pt(label.W/2+label.Pad, label.H/2+label.Pad)}
	share, certain := solver.labelShare(sh, &body, keep)
	if !certain {
		return label, foreignArrow(sh, "with a label whose place depends on rounding errors")
	}
	const grow = 0 // the box itself
	label.Box = body.boxAt(body.walk(share*length), grow)
	return label, nil
}

// labelShare returns where along the body of an arrow, as a share from 0 to 1, the middle of its
// label lies. That is where the shape says, but at least keep px from both ends, or in the middle
// if there is no room. Towards an end that is neither bound nor has a head the label may go all the
// way. certain is false if rounding errors decide the place: then the limits of the range have two values, and
// not all of them give the same place.
func (solver *Solver) labelShare(sh *scene.Shape, body *labelledBody, keep float64) (share float64, certain bool) {
	const samePlace = 1e-3 // px
	starts, ends := body.labelRange(keep, solver.Kind == ElbowArrow)
	share = math.NaN() // none yet: the first comparison below is false with it
	for _, start := range starts {
		for _, end := range ends {
			lo, hi := start, end
			if lo > hi {
				lo, hi = 0.5, 0.5
			}
			if e := &solver.Ends[0]; !e.bound() && !e.headed() {
				lo = 0
			}
			if e := &solver.Ends[1]; !e.bound() && !e.headed() {
				hi = 1
			}
			place := geom.Clamp(sh.Arrow.LabelPosition, lo, hi)
			if math.Abs(place-share)*body.length > samePlace {
				return 0, false
			}
			share = place
		}
	}
	return share, true
}

// labelledBody is the body of an arrow, along which its label is placed.
type labelledBody struct {
	points []geom.Point
	length float64    // true length, where points only approach the body
	half   geom.Point // half the sides of the label's box
}

// boxAt returns the label's box around p, grown on all sides.
func (body *labelledBody) boxAt(p geom.Point, grow float64) geom.Extent {
	h := geom.Pt(body.half.X+grow, body.half.Y+grow)
	return geom.Extent{Lo: geom.Sub(p, h), Hi: geom.Add(p, h)}
}

// walk returns the point of an arrow's body at the distance d from its start, measured along the
// body in px. A distance beyond the body gives the nearest end.
func (body *labelledBody) walk(d float64) geom.Point {
	if d <= 0 {
		return body.points[0]
	}
	for i := 1; i < len(body.points); i++ {
		a, b := body.points[i-1], body.points[i]
		l := geom.Distance(a, b)
		if d <= l && l > 0 {
			return geom.Lerp(a, b, d/l)
		}
		d -= l
	}
	return body.points[len(body.points)-1]
}

// labelRange returns the range along an arrow's body, in shares from 0 to 1, in which the middle of
// its label may lie so that the label stays keep px away from both ends. Each limit has two values,
// as exits returns them. For an elbow arrow the distance is measured along the axes, else along the
// body.
func (body *labelledBody) labelRange(keep float64, elbow bool) (lo, hi [2]float64) {
	first, last := body.points[0], body.points[len(body.points)-1]
	from, to := body.boxAt(body.walk(keep), 0), body.boxAt(body.walk(body.length-keep), 0)
	if elbow {
		from, to = body.boxAt(first, keep), body.boxAt(last, keep)
	}
	return body.exits(from, first), body.exits(to, last)
}

// exits returns where along an arrow's body, as a share from 0 to 1, the body leaves the label's
// box: at the crossing farthest from the end, or at 0.5 if there is no crossing. If several
// crossings are equally far, rounding errors decide which one the editor takes. So it returns the
// first and the last of them; otherwise both values are equal.
func (body *labelledBody) exits(box geom.Extent, end geom.Point) (share [2]float64) {
	const equallyFar = 1e-6 // px
	lo, hi := box.Lo, box.Hi
	c := [5]geom.Point{lo, geom.Pt(hi.X, lo.Y), hi, geom.Pt(lo.X, hi.Y), lo} // the box's corners
	best, walked := -1.0, 0.0                                                // the farthest so far; the way along the body
	share = [2]float64{0.5, 0.5}
	for i := 1; i < len(body.points); i++ {
		a, b := body.points[i-1], body.points[i]
		for k := 1; k < len(c); k++ {
			p, hit := crossPoint(a, b, c[k-1], c[k])
			if !hit {
				continue
			}
			s := (walked + geom.Distance(a, p)) / body.length
			switch d := geom.Distance(p, end); {
			case d > best+equallyFar:
				best, share = d, [2]float64{s, s}
			case d > best-equallyFar:
				share = [2]float64{min(share[0], s), max(share[1], s)}
			}
		}
		walked += geom.Distance(a, b)
	}
	return share
}
