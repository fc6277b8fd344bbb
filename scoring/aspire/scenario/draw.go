package scenario

import (
	"math"
	"math/rand/v2"
	"slices"
)

// colors are the editor's named colours except white, which is invisible on the background.
var colors = []string{
	"black", "grey", "light-violet", "violet", "blue", "light-blue",
	"yellow", "orange", "green", "light-green", "light-red", "red",
}

// geos are the outlines that a person can name.
var geos = []string{
	"rectangle", "ellipse", "triangle", "diamond", "pentagon", "hexagon",
	"octagon", "star", "oval", "trapezoid", "heart", "cloud",
}

// look is the colour and the outline by which a person names a shape.
type look struct{ color, geo string }

// pick returns a random entry.
func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

// sampleDistinct returns n different entries of a list, such as colours for a scenario, in random order.
func sampleDistinct(r *rand.Rand, from []string, n int) []string {
	out := make([]string, n)
	for i, k := range r.Perm(len(from))[:n] {
		out[i] = from[k]
	}
	return out
}

// randomHalf returns a random multiple of 0.5 from lo to hi, all equally likely. lo and hi
// must be multiples of 0.5.
func randomHalf(r *rand.Rand, lo, hi float64) float64 {
	return lo + float64(r.IntN(int(2*(hi-lo))+1))/2
}

// randomInt returns an integer in [lo, hi].
func randomInt(r *rand.Rand, lo, hi int) float64 { return float64(lo + r.IntN(hi-lo+1)) }

// roundTo returns the multiple of unit nearest to v.
func roundTo(v, unit float64) float64 { return math.Round(v/unit) * unit }

// roundCents rounds to two decimals. Dividing by 100 gives the double that prints with two
// decimals, which multiplying by 0.01 does not.
func roundCents(v float64) float64 { return math.Round(v*100) / 100 }

// solidGeo returns a filled geo shape, the building block of nearly all scenes.
func solidGeo(id, geo, color string, x, y, w, h float64) Shape {
	return Shape{ID: id, Type: "geo", X: x, Y: y,
		Props: Props{Geo: geo, Color: color, W: w, H: h, Fill: "solid"}}
}

// distinctLooks returns n different looks for the shapes of a scenario. None of them is the excluded
// one; the zero look excludes none.
func distinctLooks(r *rand.Rand, n int, excluded look) []look {
	var looks []look
	for len(looks) < n {
		drawn := look{pick(r, colors), pick(r, geos)}
		if drawn != excluded && !slices.Contains(looks, drawn) {
			looks = append(looks, drawn)
		}
	}
	return looks
}
