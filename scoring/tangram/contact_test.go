package tangram

import (
	"math"
	"strings"
	"testing"

	"plumb/scoring/tangram/construction"
	"plumb/scoring/tangram/field"
	"plumb/scoring/tangram/plane"
)

// TestContacts checks both tolerances of contact from both sides (docs/spec/tangram.md#r36,
// docs/spec/tangram.md#r37): a distance of 1/300, and 0.05 of an edge within it. An edge also
// counts as near 1/300 beyond the other one's ends. Each case is also moved and turned, either edge may
// have enough near the other, and edges have no direction.
func TestContacts(t *testing.T) {
	side := segment{0, 0, 1, 0}
	for _, c := range []struct {
		name        string
		a, b        segment
		edge, point bool
	}{
		{"parallel and near", side, segment{0, 0.00333, 1, 0.00333}, true, true},
		{"parallel and too far", side, segment{0, 0.0034, 1, 0.0034}, false, false},
		{"an end near", side, segment{0.5, 0.00333, 0.5, 1}, false, true},
		{"an end too far", side, segment{0.5, 0.00334, 0.5, 1}, false, false},
		{"enough of two edges", side, segment{1 - 0.0468, 0, 2, 0}, true, true},
		{"too little of two edges", side, segment{1 - 0.0465, 0, 2, 0}, false, true},
		{"all of a short edge, of which the long one has more near", side, segment{0.5, 0, 0.549, 0}, true, true},
		{"too short an edge", side, segment{0.5, 0, 0.543, 0}, false, true},
		{"across", side, segment{0.5, -1, 0.5, 1}, false, true},
		{"slanted, near enough for long enough", side, segment{0.5, 0, 0.55, 0.003}, true, true},
		{"slanted, near for too short", side, segment{0.5, 0, 0.55, 0.004}, false, true},
		{"beyond the end, near", side, segment{1.0033, 0, 2, 0}, false, true},
		{"beyond the end, too far", side, segment{1.0034, 0, 2, 0}, false, false},
		{"beyond the corner, near", side, segment{1.0023, 0.0023, 2, 0.0023}, false, true},
		{"beyond the corner, too far", side, segment{1.0025, 0.0025, 2, 0.0025}, false, false},
		{"a point", side, segment{0.5, 0.001, 0.5, 0.001}, false, true},
		{"far away", side, segment{5, 5, 6, 6}, false, false},
	} {
		for _, degrees := range []float64{0, 30, 90, 135, 200} {
			sin, cos := math.Sincos(degrees * math.Pi / 180)
			moved := func(s segment) segment {
				turn := func(x, y float64) (float64, float64) { return 3 + cos*x - sin*y, -5 + sin*x + cos*y }
				s.x0, s.y0 = turn(s.x0, s.y0)
				s.x1, s.y1 = turn(s.x1, s.y1)
				return s
			}
			back := func(s segment) segment { return segment{s.x1, s.y1, s.x0, s.y0} }
			a, b := moved(c.a), moved(c.b)
			for _, both := range [][2]segment{{a, b}, {b, a}, {back(a), b}, {b, back(a)}} {
				if edge, point := touching(both[:1], both[1:]); edge != c.edge || point != c.point {
					t.Errorf("%s, turned by %g degrees: got edge %v, point %v; want %v, %v", c.name, degrees, edge, point, c.edge, c.point)
				}
			}
		}
	}
}

// TestSuccessDistance checks the largest distance with which a decimal answer fills the target
// (docs/spec/tangram.md#r44). A corner of the square sticks out
// along its diagonal, sqrt(2) times as far as in x.
func TestSuccessDistance(t *testing.T) {
	side, zero := field.Surd(2, 1), field.Int(0)
	target, ok := plane.NewTarget([]plane.Point{{X: zero, Y: zero}, {X: side, Y: zero}, {X: side, Y: side}, {X: zero, Y: side}})
	if !ok {
		t.Fatal("the square is no target")
	}
	var r construction.Reader
	for off, want := range map[string]bool{"0.0": true, "0.0113": true, "0.0141": true, "0.0142": false, "0.0198": false} {
		p := r.Read(strings.Replace(whole(), `["0","0"]`, `["-`+off+`","-`+off+`"]`, 1), false)
		s := Evaluate(&p, target)
		if !s.Evaluable || s.Class != "decimal" || s.IoU < successIoU || s.Matches != want {
			t.Errorf("off by %s: got matches %v, IoU %v, distance %v, class %q; want %v", off, s.Matches, s.IoU, s.Hausdorff, s.Class, want)
		}
	}
}
