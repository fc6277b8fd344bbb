package stroke

import (
	"math"

	"plumb/render/vector"
)

// vec is a point or a direction in the path's units.
type vec = vector.Point

func add(a, b vec) vec           { return vec{X: a.X + b.X, Y: a.Y + b.Y} }
func sub(a, b vec) vec           { return vec{X: a.X - b.X, Y: a.Y - b.Y} }
func scale(a vec, k float32) vec { return vec{X: a.X * k, Y: a.Y * k} }
func dot(a, b vec) float32       { return float32(a.X*b.X) + float32(a.Y*b.Y) }
func cross(a, b vec) float32     { return float32(a.X*b.Y) - float32(a.Y*b.X) }
func dist2(a, b vec) float32     { d := sub(a, b); return dot(d, d) }

// left turns a direction of travel by 90 degrees to its left (y is down).
func left(t vec) vec { return vec{X: t.Y, Y: -t.X} }

// mix interpolates between a (t = 0) and b (t = 1).
func mix(a, b vec, t float32) vec {
	return vec{X: a.X + float32((b.X-a.X)*t), Y: a.Y + float32((b.Y-a.Y)*t)}
}

// near reports whether a and b are within d of each other.
func near(a, b vec, d float32) bool { return dist2(a, b) <= d*d }

// withLength returns the direction v of a stroke scaled to length l, computed in binary64 as the
// browser does. ok is false if the result is zero or not finite.
func withLength(v vec, l float32) (w vec, ok bool) {
	x, y := float64(v.X), float64(v.Y)
	k := float64(l) / math.Sqrt(float64(x*x)+float64(y*y))
	w = vec{X: float32(x * k), Y: float32(y * k)}
	ok = finite(w.X) && finite(w.Y) && (w.X != 0 || w.Y != 0)
	return w, ok
}

func finite(v float32) bool { return v-v == 0 }

func abs(v float32) float32 { return float32(math.Abs(float64(v))) }

func sqrt(v float32) float32 { return float32(math.Sqrt(float64(v))) }

// distToLeg2 returns the squared distance of p from the line between a and b, a leg of a curve's control
// polygon. If the nearest point of the line through both lies outside of the leg, it returns, as the browser
// does, the squared distance from a, even if b is nearer.
func distToLeg2(p, a, b vec) float32 {
	ab, ap := sub(b, a), sub(p, a)
	t := dot(ab, ap) / dot(ab, ab)
	if !(t >= 0 && t <= 1) {
		return dot(ap, ap)
	}
	foot := vec{X: float32(a.X*(1-t)) + float32(b.X*t), Y: float32(a.Y*(1-t)) + float32(b.Y*t)}
	return dist2(p, foot)
}
