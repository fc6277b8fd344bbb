package shapes

import (
	"cmp"
	"fmt"
	"math"

	"plumb/render/geom"
	"plumb/render/scene"
)

// MaxPoints is the limit on points of a freehand line, bumps of a cloud and dashes of a run,
// unless a limit of the caller says otherwise. A run of dashes that fills the widest picture many
// times over stays below it.
const MaxPoints = 1 << 16

// bumpSpacing is the usual distance of a cloud's bumps along its outline, px.
var bumpSpacing = [...]float64{scene.SizeS: 50, scene.SizeM: 70, scene.SizeL: 100, scene.SizeXL: 130}

// stadiumPerimeter returns the circumference of the stadium (a rectangle between two half circles) that
// fills a box of width x height px.
func stadiumPerimeter(width, height float64) float64 {
	return 2 * (float64(math.Pi*min(width, height)/2) + math.Abs(width-height))
}

// bumps returns how many bumps a cloud of w x h px has: by the usual distance for its size, but at least
// 6, and so many that no bump is wider than the cloud's shorter side.
func bumps(w, h float64, size scene.Size) float64 {
	perimeter := stadiumPerimeter(w, h)
	return max(math.Ceil(perimeter/bumpSpacing[size]), 6, math.Ceil(perimeter/min(w, h)))
}

// checkBumps returns an error if a cloud with bumpCount bumps is over the limit, which is MaxPoints
// where limit is 0. w and h are the cloud's sides in px, for the error.
func checkBumps(w, h, bumpCount float64, limit int) error {
	if mostBumps := float64(cmp.Or(limit, MaxPoints)); !(bumpCount <= mostBumps) {
		return fmt.Errorf("cannot draw cloud of %g x %g px: it has %.0f bumps; want at most %.0f (%s): %w",
			w, h, bumpCount, mostBumps, scene.FlagPoints, scene.ErrLimit)
	}
	return nil
}

// CheckClouds refuses a scene in which a cloud has more than limit bumps, 0 for MaxPoints. Drawing
// it would fail too, but the editor would first draw it for minutes.
func CheckClouds(s *scene.Scene, limit int) error {
	for i := range s.Shapes {
		if sh := &s.Shapes[i]; sh.Kind == scene.Geo && sh.Geo == scene.Cloud {
			h := sh.H + sh.GrowY
			if err := checkBumps(sh.W, h, bumps(sh.W, h, sh.Size), limit); err != nil {
				return err
			}
		}
	}
	return nil
}

// cloud adds the outline of a cloud: arcs between points that are spaced evenly along a stadium
// inside the box. The points are moved at random, with the shape's id as the seed, as in the
// editor. Each bump is an arc through two of the moved points, as high as the bump between these
// points before they were moved. It refuses too many bumps. See docs/spec/drawing.md#r25.
func (spec GeoSpec) cloud(outline *Outline) error {
	w, h := spec.W, spec.H
	perimeter := stadiumPerimeter(w, h)
	bumpCount := bumps(w, h, spec.Size)
	if err := checkBumps(w, h, bumpCount, spec.maxBumps); err != nil {
		return err
	}
	// Where the bumps begin and end: points on a stadium, before and after the random moves. Its distance
	// from the box leaves room for the bumps; 0.2 is the editor's.
	depth := 0.2 * perimeter / bumpCount
	innerW, innerH := max(w-2*depth, 1), max(h-2*depth, 1)
	pad := geom.Pt((w-innerW)/2, (h-innerH)/2)
	spacing := stadiumPerimeter(innerW, innerH) / bumpCount

	outline.anchors = stadiumPoints(outline.anchors[:0], int(bumpCount), innerW, innerH, pad)
	outline.wiggled = append(outline.wiggled[:0], outline.anchors...)
	spec.wiggle(outline.wiggled, depth)

	// One arc for each bump, through its highest point, which the box limits. The height is the stadium's
	// distance from the box, corrected for ends closer than the spacing, and scaled as the moves scaled
	// the distance of the ends.
	outline.Move(outline.wiggled[0])
	for i := range outline.anchors {
		next := (i + 1) % len(outline.anchors)
		a, b := outline.anchors[i], outline.anchors[next]
		from, to := outline.wiggled[i], outline.wiggled[next]
		gap := geom.Distance(a, b)
		height := (max(pad.X, pad.Y) + (spacing - gap)) * geom.Distance(from, to) / gap
		apex := geom.Add(geom.Lerp(a, b, 0.5), geom.Scale(geom.Perp(geom.Unit(geom.Sub(b, a))), height))
		apex = geom.Pt(geom.Clamp(apex.X, 0, w), geom.Clamp(apex.Y, 0, h))
		outline.arcTo(circleRadius(from, to, apex), to)
	}
	outline.Close()
	return nil
}

// wiggle moves the points of a cloud's outline at random in x and y, as the editor does: seeded by the
// shape's id, by at most a share of depth, the distance of the stadium from the box. Along a short side
// nothing moves. The points take their random numbers in pairs from both ends of the list; the middle
// one of an odd number of points stays.
func (spec GeoSpec) wiggle(points []geom.Point, depth float64) {
	const shortSide, depthShare = 20, 0.3
	reach := func(side float64) float64 { // the most that a point moves, px
		if side < shortSide {
			return 0
		}
		return depthShare * depth * spec.Scale
	}
	reachX, reachY := reach(spec.W), reach(spec.H)
	var rng Random
	rng.Seed(spec.ID, "")
	for i := range len(points) / 2 {
		for _, k := range [2]int{i, len(points) - 1 - i} {
			// float64 keeps the product from being fused with the sum: the same bits on every machine.
			points[k].X += float64(rng.Next() * reachX)
			points[k].Y += float64(rng.Next() * reachY)
		}
	}
}

// stadiumPoints appends the points between which a cloud has its bumps to a list and returns it: n
// points spaced evenly along a stadium of w x h px, moved by pad. A wide stadium starts on its top
// edge, a high one on its right edge. Both run clockwise: a straight side, a half circle, the other
// side, the other half circle.
func stadiumPoints(to []geom.Point, n int, w, h float64, pad geom.Point) []geom.Point {
	r := min(w, h) / 2
	straight, half := math.Abs(w-h), math.Pi*r
	step := stadiumPerimeter(w, h) / float64(n)
	section, walked := 0, 0.0 // the current section, and the distance from its start
	for range n {
		for {
			size := straight
			if section%2 == 1 {
				size = half
			}
			if !(walked > size) || section == 3 { // rounding errors must not lead beyond the last one
				break
			}
			walked -= size
			section++
		}
		to = append(to, geom.Add(stadiumAt(section, walked, r, w, h), pad))
		walked += step
	}
	return to
}

// stadiumAt returns the point at the distance d px along one of the four sections of a cloud's
// stadium, of w x h with radius r: sections 0 and 2 are straight, 1 and 3 are half circles.
func stadiumAt(section int, d, r, w, h float64) geom.Point {
	wide := w > h
	if section%2 == 0 {
		switch {
		case wide && section == 0:
			return geom.Pt(r+d, 0)
		case wide:
			return geom.Pt(w-r-d, h)
		case section == 0:
			return geom.Pt(w, r+d)
		}
		return geom.Pt(0, h-r-d)
	}
	angle := d / r // from the start of the half circle; then from the x axis
	centre := geom.Pt(r, r)
	switch {
	case wide && section == 1: // right end
		centre, angle = geom.Pt(w-r, r), angle-math.Pi/2
	case wide: // left end
		angle += math.Pi / 2
	case section == 1: // lower end
		centre = geom.Pt(r, h-r)
	default: // upper end
		angle += math.Pi
	}
	sin, cos := math.Sincos(angle)
	return geom.Pt(centre.X+float64(r*cos), centre.Y+float64(r*sin))
}

// circleRadius returns the radius of the circle through a, b and c, on which a bump of a cloud
// lies: a and b are its ends. If the points lie on one line, it returns half the distance of a and b.
func circleRadius(a, b, c geom.Point) float64 {
	r := geom.Length(geom.ToCircumcentre(a, b, c))
	if math.IsNaN(r) || math.IsInf(r, 0) {
		return geom.Distance(a, b) / 2
	}
	return r
}
