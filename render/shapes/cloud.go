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

// stadiumPerimeter returns the circumference of the stadium that fits a x b.
func stadiumPerimeter(a, b float64) float64 {
	return 2 * (float64(math.Pi*min(a, b)/2) + math.Abs(a-b))
}

// bumps returns how many bumps a cloud of w x h px has.
func bumps(w, h float64, size scene.Size) float64 {
	per := stadiumPerimeter(w, h)
	return max(math.Ceil(per/bumpSpacing[size]), 6, math.Ceil(per/min(w, h)))
}

// checkBumps refuses a cloud of n bumps if that is over the limit, 0 for MaxPoints.
func checkBumps(w, h, n float64, limit int) error {
	if most := float64(cmp.Or(limit, MaxPoints)); !(n <= most) {
		return fmt.Errorf("cannot draw cloud of %g x %g px: it has %.0f bumps; want at most %.0f (%s): %w", w, h, n, most, scene.FlagPoints, scene.ErrLimit)
	}
	return nil
}

// CheckClouds refuses a scene that has a cloud of more than limit bumps, 0 for
// MaxPoints. Build refuses it too; the editor would draw it for minutes.
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

// cloud adds bumps around an inner stadium, moved by random numbers that the id seeds. See
// docs/spec/drawing.md#r25.
func (g GeoSpec) cloud(c *Outline) error {
	w, h := g.W, g.H
	per := stadiumPerimeter(w, h)
	n := bumps(w, h, g.Size)
	if err := checkBumps(w, h, n, g.most); err != nil {
		return err
	}
	depth := 0.2 * per / n
	iw, ih := max(w-2*depth, 1), max(h-2*depth, 1)
	pad := geom.Pt((w-iw)/2, (h-ih)/2)
	chord := stadiumPerimeter(iw, ih) / n

	c.anchors = stadiumPoints(c.anchors[:0], int(n), iw, ih, pad)
	c.wiggled = append(c.wiggled[:0], c.anchors...)
	g.wiggle(c.wiggled, depth)

	c.Move(c.wiggled[0])
	for i := range c.anchors {
		j := (i + 1) % len(c.anchors)
		a, b, l, r := c.anchors[i], c.anchors[j], c.wiggled[i], c.wiggled[j]
		ab := geom.Distance(a, b)
		f := (max(pad.X, pad.Y) + (chord - ab)) * geom.Distance(l, r) / ab
		apex := geom.Add(geom.Lerp(a, b, 0.5), geom.Scale(geom.Perp(geom.Unit(geom.Sub(b, a))), f))
		apex = geom.Pt(geom.Clamp(apex.X, 0, w), geom.Clamp(apex.Y, 0, h))
		c.arcTo(circleRadius(l, r, apex), r)
	}
	c.Close()
	return nil
}

// wiggle moves the bumps of a cloud at random, in pairs from both ends of the list. Each point
// takes two random numbers.
func (g GeoSpec) wiggle(p []geom.Point, depth float64) {
	amp := func(side float64) float64 {
		if side < 20 {
			return 0
		}
		return 0.3 * depth * g.Scale
	}
	ax, ay := amp(g.W), amp(g.H)
	var rng Random
	rng.Seed(g.ID, "")
	for i := range len(p) / 2 {
		for _, k := range [2]int{i, len(p) - 1 - i} {
			p[k].X += float64(rng.Next() * ax)
			p[k].Y += float64(rng.Next() * ay)
		}
	}
}

// stadiumPoints appends n points spaced evenly along a stadium of w x h, moved by pad: the bumps of
// a cloud. A wide one starts on its top edge, a high one on its right edge.
func stadiumPoints(to []geom.Point, n int, w, h float64, pad geom.Point) []geom.Point {
	r := min(w, h) / 2
	straight, half := math.Abs(w-h), math.Pi*r
	step := stadiumPerimeter(w, h) / float64(n)
	section, walked := 0, 0.0
	for range n {
		size := straight
		for {
			size = straight
			if section%2 == 1 {
				size = half
			}
			if !(walked > size) || section == 3 {
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

// stadiumAt returns the point at the distance d along one of the four sections of a stadium, the
// base line of a cloud.
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
	a := d / r
	centre := geom.Pt(r, r)
	switch {
	case wide && section == 1:
		centre, a = geom.Pt(w-r, r), a-math.Pi/2
	case wide:
		a += math.Pi / 2
	case section == 1:
		centre = geom.Pt(r, h-r)
	default:
		a += math.Pi
	}
	sin, cos := math.Sincos(a)
	return geom.Pt(centre.X+float64(r*cos), centre.Y+float64(r*sin))
}

// circleRadius returns the radius of the circle through a, b and c, or half the distance of a and
// b if the points are collinear.
func circleRadius(a, b, c geom.Point) float64 {
	r := geom.Length(geom.Circumcentre(a, b, c))
	if math.IsNaN(r) || math.IsInf(r, 0) {
		return geom.Distance(a, b) / 2
	}
	return r
}
