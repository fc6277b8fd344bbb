package scenario

import (
	"math"
	"math/rand/v2"
)

// colors are the editor's named colours. White is left out: it cannot be seen on
// the background.
var colors = []string{
	"black", "grey", "light-violet", "violet", "blue", "light-blue",
	"yellow", "orange", "green", "light-green", "light-red", "red",
}

// geos are outlines that a person can name.
var geos = []string{
	"rectangle", "ellipse", "triangle", "diamond", "pentagon", "hexagon",
	"octagon", "star", "oval", "trapezoid", "heart", "cloud",
}

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

// some returns n different entries in random order.
func some(r *rand.Rand, from []string, n int) []string {
	out := make([]string, n)
	for i, k := range r.Perm(len(from))[:n] {
		out[i] = from[k]
	}
	return out
}

// halves returns a multiple of 0.5 in [lo, hi], each equally likely. lo and hi
// are multiples of 0.5.
func halves(r *rand.Rand, lo, hi float64) float64 {
	return lo + float64(r.IntN(int(2*(hi-lo))+1))/2
}

// whole returns an integer in [lo, hi].
func whole(r *rand.Rand, lo, hi int) float64 { return float64(lo + r.IntN(hi-lo+1)) }

func round(v, unit float64) float64 { return math.Round(v/unit) * unit }

// cents rounds to two decimals. Dividing by 100, rather than multiplying by 0.01,
// gives the double that prints with two decimals.
func cents(v float64) float64 { return math.Round(v*100) / 100 }

// solid is a filled geo shape, the building block of nearly all scenes.
func solid(id, geo, color string, x, y, w, h float64) Shape {
	return Shape{ID: id, Type: "geo", X: x, Y: y,
		Props: Props{Geo: geo, Color: color, W: w, H: h, Fill: "solid"}}
}

// pairs returns n different (color, geo) pairs, none of them the banned one.
func pairs(r *rand.Rand, n int, bannedColor, bannedGeo string) [][2]string {
	var out [][2]string
	for len(out) < n {
		p := [2]string{pick(r, colors), pick(r, geos)}
		used := p[0] == bannedColor && p[1] == bannedGeo
		for _, q := range out {
			used = used || p == q
		}
		if !used {
			out = append(out, p)
		}
	}
	return out
}
