package plane

import (
	"math"
	"math/rand/v2"
	"testing"

	"plumb/scoring/tangram/field"
)

// A grid for rational coordinates is refined by 1024 up to finestGrid and not beyond it. With a target, a
// grid of exactly 10^12 steps per unit is fine enough.
func TestGridSteps(t *testing.T) {
	triangle := func(d int64) [][]Point {
		return [][]Point{{pt(0, 0), {X: field.Ratio(1, d), Y: field.Int(0)}, pt(0, 1)}}
	}
	for _, c := range []struct {
		denominator int64
		reach       int64 // largest coordinate of the target
		steps       int64 // per unit; 0 where the grid does not fit
	}{
		{1, 1, finestGrid}, {2, 1, 2 << 40 << 10}, {1e12, 40_000, 1e12}, {999_999_999_999, 40_000, 0},
	} {
		var e Evaluator
		target := newTestTarget(t, pt(0, 0), pt(c.reach, 0), pt(0, 1))
		fits := e.tryGrid(triangle(c.denominator), target)
		if fits != (c.steps > 0) {
			t.Errorf("1/%d: fits %v; want %v", c.denominator, fits, c.steps > 0)
		} else if fits && e.grid.x[4] != c.steps/c.denominator {
			t.Errorf("1/%d: got %d steps; want %d", c.denominator, e.grid.x[4], c.steps/c.denominator)
		}
	}
}

// The search for the nearest segment ends at the first one within the distance that is enough, also where
// it is exactly that.
func TestNearEnough(t *testing.T) {
	var list []segmentDist
	for _, y := range []float64{3, 2, 1} {
		list = append(list, newSegmentDist(segment{-1, y, 1, y}))
	}
	for _, c := range []struct {
		enough float64 // squared
		want   int
	}{{9, 0}, {8, 1}, {4, 1}, {3, 2}, {0, 2}} {
		if got := findNearest(list, 0, 0, 0, c.enough); got.index != c.want {
			t.Errorf("within %g: got segment %d; want %d", c.enough, got.index, c.want)
		}
	}
}

// Where a third segment is as near as two others but for rounding, the maximum is there, and the segment
// is not divided once more.
func TestTiedSegments(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 8))
	tied := 0
	for range 4000 {
		angle := 2 * math.Pi * r.Float64()
		ux, uy := math.Cos(angle), math.Sin(angle)
		place := func(along, across float64) (float64, float64) {
			return 1.7 + along*ux - across*uy, -0.3 + along*uy + across*ux
		}
		join := func(a0, c0, a1, c1 float64) segmentDist {
			x0, y0 := place(a0, c0)
			x1, y1 := place(a1, c1)
			return newSegmentDist(segment{x0, y0, x1, y1})
		}
		s := join(-0.9, 0, 0.9, 0)
		around := []segmentDist{join(-1, -1, -1, 1), join(1, -1, 1, 1), join(-1, 1, 1, 1), join(-1, -1, 1, -1)}
		lo, hi := findNearest(around, s.x0, s.y0, 0, 0), findNearest(around, s.x1, s.y1, 1, 0)
		x, y := place(0, 0)
		if middle := findNearest(around, x, y, 0, 0); middle.index < 2 {
			continue
		}
		tied++
		e := hausdorffer{splitsLeft: 10}
		if got := e.maxBetween(&s, around, 0, 1, lo, hi, max(lo.squared, hi.squared)); math.Abs(got-1) > 1e-12 || e.splitsLeft != 10 {
			t.Fatalf("turned by %g: got the squared distance %g after %d divisions; want 1 after none", angle, got, 10-e.splitsLeft)
		}
	}
	if tied < 100 {
		t.Fatalf("%d segments were tied; want some hundred", tied)
	}
}

// Of two solutions outside of the interval and as near to its middle, the first one is taken.
func TestRootsAsNear(t *testing.T) {
	if got := rootBetween(1, 0, -1, -0.5, 0.5); got != 1 {
		t.Errorf("got %g; want 1", got)
	}
}

// A cross product that is exactly as large as rounding may make it is left to exact arithmetic.
func TestDoubtfulSide(t *testing.T) {
	var e Evaluator
	e.exact.appendPoints(&e.vertices, []Point{pt(0, 0), pt(2, 0), pt(0, 2), pt(0, -2), pt(0, 3)})
	counted := &countedKernel{kernel: &e.exact}
	e.vertices.kernel = counted
	e.vertices.prepare()
	e.vertices.crossError = 4
	for _, c := range []struct {
		vertex     int32
		want, asks int
	}{{2, 1, 1}, {3, -1, 1}, {4, 1, 0}} {
		counted.sides = 0
		if got := e.vertices.side(0, 1, c.vertex); got != c.want || counted.sides != c.asks {
			t.Errorf("vertex %d: got side %d, %d times by exact arithmetic; want %d, %d", c.vertex, got, counted.sides, c.want, c.asks)
		}
	}
}

// A segment contains both of its ends, also as other vertices at the same place.
func TestSegmentContainsItsEnds(t *testing.T) {
	var e Evaluator
	e.exact.appendPoints(&e.vertices, []Point{pt(0, 0), pt(2, 2), pt(0, 0), pt(2, 2), pt(1, 1), pt(3, 3), pt(-1, -1)})
	e.vertices.kernel = &e.exact
	e.vertices.prepare()
	for vertex, want := range map[int32]bool{0: true, 1: true, 2: true, 3: true, 4: true, 5: false, 6: false} {
		if got := e.vertices.onSegment(0, 1, vertex); got != want {
			t.Errorf("vertex %d: got %v; want %v", vertex, got, want)
		}
	}
}

// Boxes that share a side or a corner overlap.
func TestTouchingBoxes(t *testing.T) {
	b := box{0, 0, 1, 1}
	for _, c := range []struct {
		other box
		want  bool
	}{
		{box{1, 0, 2, 1}, true}, {box{-1, 0, 0, 1}, true}, {box{0, 1, 1, 2}, true}, {box{0, -1, 1, 0}, true}, {box{1, 1, 2, 2}, true},
		{box{1.1, 0, 2, 1}, false}, {box{-1, 0, -0.1, 1}, false}, {box{0, 1.1, 1, 2}, false}, {box{0, -1, 1, -0.1}, false},
	} {
		if got := b.overlaps(&c.other); got != c.want {
			t.Errorf("%v: got %v; want %v", c.other, got, c.want)
		}
	}
}

// Coordinates with too many digits are rounded to a grid of at most 2^50 steps per unit, on which all of
// them stay below gridLimit.
func TestRoundedSteps(t *testing.T) {
	tiny := field.Ratio(1, 3) // to its power 2^13: a number of 13,000 bits that is 0 as a double
	for range 13 {
		tiny = tiny.Mul(tiny)
	}
	for _, c := range []struct{ reach, steps int64 }{{1, 1 << 50}, {1 << 10, 1 << 50}, {1 << 11, 1 << 49}, {1<<11 + 1, 1 << 49}, {1 << 14, 1 << 46}} {
		var e Evaluator
		result := e.Evaluate([][]Point{{pt(0, 0), {X: field.Int(1), Y: tiny}, pt(0, c.reach), {X: field.Int(-1), Y: tiny}}}, nil, false)
		if !result.Rounded || e.grid.x[1] != c.steps {
			t.Errorf("coordinates up to %d: got rounded %v, %d steps per unit; want true, %d", c.reach, result.Rounded, e.grid.x[1], c.steps)
		}
	}
}

// The limit of a coordinate is included, on both sides of 0 and for both parts.
func TestWithinLimit(t *testing.T) {
	for _, c := range []struct {
		x    surd
		want bool
	}{{surd{7, 7}, true}, {surd{-7, -7}, true}, {surd{8, 0}, false}, {surd{-8, 0}, false}, {surd{0, 8}, false}, {surd{0, -8}, false}} {
		if got := c.x.withinLimit(7); got != c.want {
			t.Errorf("%v within 7: got %v; want %v", c.x, got, c.want)
		}
	}
}

// A coordinate in units of a common denominator may be as large as the limit, and not larger.
func TestDenominatorLimit(t *testing.T) {
	for _, c := range []struct {
		n    field.Number
		d    int64
		want surd
		ok   bool
	}{
		{field.Int(int64Limit), 1, surd{int64Limit, 0}, true}, {field.Int(int64Limit + 1), 1, surd{int64Limit + 1, 0}, false},
		{field.Int(int64Limit / 4), 4, surd{int64Limit, 0}, true}, {field.Int(int64Limit/4 + 1), 4, surd{int64Limit + 4, 0}, false},
		{field.Ratio(5, 2), 6, surd{15, 0}, true}, {field.Surd(-1, 3), 6, surd{0, -2}, true},
	} {
		if got, ok := timesDenominator(c.n, c.d); got != c.want || ok != c.ok {
			t.Errorf("%v in units of 1/%d: got %v, %v; want %v, %v", c.n, c.d, got, ok, c.want, c.ok)
		}
	}
}
