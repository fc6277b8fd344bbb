package convert

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"plumb/scoring/plural"
)

// matrix maps (x, y) to (a x + c y + e, b x + d y + f), like SVG's matrix(a b c d e f).
type matrix struct{ a, b, c, d, e, f float64 }

var identity = matrix{a: 1, d: 1}

// apply returns the point to which the SVG transform maps p.
func (m matrix) apply(p Point) Point {
	return Point{
		float64(m.a*p.X) + float64(m.c*p.Y) + m.e,
		float64(m.b*p.X) + float64(m.d*p.Y) + m.f,
	}
}

// mul returns the SVG transform that applies n first, then m.
func (m matrix) mul(n matrix) matrix {
	// Map the three columns of n. Two of them are directions, so the shift of m is taken off again.
	origin, x, y := m.apply(Point{n.e, n.f}), m.apply(Point{n.a, n.b}), m.apply(Point{n.c, n.d})
	return matrix{x.X - m.e, x.Y - m.f, y.X - m.e, y.Y - m.f, origin.X, origin.Y}
}

// parseTransform returns the matrix of a list of SVG transforms in a tangram drawing, of which the
// last one is applied first. An empty text is the identity.
func parseTransform(s string) (matrix, error) {
	matrix := identity
	rest := strings.TrimLeft(s, " \t\r\n,")
	for rest != "" {
		name, after, ok := strings.Cut(rest, "(")
		inside, tail, closed := strings.Cut(after, ")")
		if !ok || !closed {
			return matrix, fmt.Errorf("got %.60q; want name(numbers)", rest)
		}
		values, err := parseNumbers(inside)
		if err != nil {
			return matrix, err
		}
		next, err := transformFunction(strings.TrimSpace(name), values)
		if err != nil {
			return matrix, err
		}
		matrix = matrix.mul(next)
		rest = strings.TrimLeft(tail, " \t\r\n,")
	}
	return matrix, nil
}

// parseNumbers parses the arguments of an SVG transform, separated by white space or commas. It
// refuses numbers beyond 1e9.
func parseNumbers(s string) (v []float64, err error) {
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \t\r\n,", r) }) {
		x, err := strconv.ParseFloat(word, 64)
		if err != nil || !(math.Abs(x) <= 1e9) {
			return nil, fmt.Errorf("got %.40q; want a number of at most 1e9", word)
		}
		v = append(v, x)
	}
	return v, nil
}

// transformFunction returns the matrix of one function of an SVG transform attribute, such as
// rotate(30), by its name and its numbers v.
func transformFunction(name string, v []float64) (matrix, error) {
	n := len(v)
	switch {
	case name == "matrix" && n == 6:
		return matrix{v[0], v[1], v[2], v[3], v[4], v[5]}, nil
	case name == "translate" && n == 1:
		return translation(v[0], 0), nil
	case name == "translate" && n == 2:
		return translation(v[0], v[1]), nil
	case name == "scale" && n == 1:
		return matrix{v[0], 0, 0, v[0], 0, 0}, nil
	case name == "scale" && n == 2:
		return matrix{v[0], 0, 0, v[1], 0, 0}, nil
	case name == "rotate" && n == 1:
		return rotation(v[0]), nil
	case name == "rotate" && n == 3:
		return translation(v[1], v[2]).mul(rotation(v[0])).mul(translation(-v[1], -v[2])), nil
	case name == "skewX" && n == 1:
		return matrix{1, 0, math.Tan(v[0] * math.Pi / 180), 1, 0, 0}, nil
	case name == "skewY" && n == 1:
		return matrix{1, math.Tan(v[0] * math.Pi / 180), 0, 1, 0, 0}, nil
	}
	return identity, fmt.Errorf("got %.40q with %s; want matrix, translate, scale, rotate, skewX or skewY of SVG", name, plural.Of(n, "number"))
}

// translation returns the SVG transform of a shift by (x, y).
func translation(x, y float64) matrix { return matrix{1, 0, 0, 1, x, y} }

// rotation returns the SVG transform of a turn about the origin, clockwise on screen, where y points
// down.
func rotation(degrees float64) matrix {
	s, c := math.Sincos(degrees * math.Pi / 180)
	return matrix{c, s, -s, c, 0, 0}
}
