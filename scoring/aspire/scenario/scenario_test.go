package scenario

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
)

// each runs f on the scenarios of a test for the sample dump's seed and others.
func each(t *testing.T, test string, f func(t *testing.T, s *Scenario)) {
	t.Helper()
	for seed := range uint64(8) {
		for i := range PerTest {
			s, err := Make(seed, test, i)
			if err != nil {
				t.Fatal(err)
			}
			f(t, s)
			if t.Failed() {
				t.Fatalf("seed %d, %s", seed, s.ID())
			}
		}
	}
}

func find(s *Scenario, id string) *Shape {
	for i := range s.Shapes {
		if s.Shapes[i].ID == id {
			return &s.Shapes[i]
		}
	}
	return nil
}

func TestUniqueIDs(t *testing.T) {
	for _, test := range Tests() {
		each(t, test, func(t *testing.T, s *Scenario) {
			seen := map[string]bool{}
			for _, sh := range s.Shapes {
				if seen[sh.ID] || !strings.HasPrefix(sh.ID, "shape:") {
					t.Errorf("id %q: used before or without prefix", sh.ID)
				}
				seen[sh.ID] = true
			}
		})
	}
}

func TestSameArgumentsSameScenario(t *testing.T) {
	lines := map[string]bool{}
	for _, test := range Tests() {
		for i := range PerTest {
			a, _ := Make(1, test, i)
			b, _ := Make(1, test, i)
			la, _ := a.AppendLine(nil, "m", nil)
			lb, _ := b.AppendLine(nil, "m", nil)
			if !bytes.Equal(la, lb) {
				t.Errorf("%s differs from itself", a.ID())
			}
			lines[string(la)] = true
		}
	}
	if want := len(Tests()) * PerTest; len(lines) != want {
		t.Errorf("%d different scenarios; want %d", len(lines), want)
	}
}

func TestUnknownTest(t *testing.T) {
	if _, err := Make(1, "tangram", 0); err == nil || !strings.Contains(err.Error(), `"tangram"`) {
		t.Errorf("error is %v; want one that names the test", err)
	}
}

func TestMaze(t *testing.T) {
	each(t, "maze", func(t *testing.T, s *Scenario) {
		task, anchor := s.Task.(*MazeTask), (*Shape)(nil)
		if len(s.Shapes) != 20 || find(s, "shape:cell-3-3") == nil {
			t.Fatalf("%d shapes; want 16 cells and 4 pieces", len(s.Shapes))
		}
		squares := map[[2]float64]bool{}
		for _, p := range s.Shapes[16:] {
			x, y := p.Centre()
			squares[[2]float64{x, y}] = true
			if math.Mod(x-175, 150) != 0 || math.Mod(y-175, 150) != 0 || p.Props.W != 90 || p.Props.H != 90 {
				t.Errorf("%s is not a 90 px piece centred in its square: centre (%g, %g)", p.ID, x, y)
			}
			if p.ID == "shape:red-star" {
				t.Error("a red star is there from the start")
			}
		}
		if anchor = find(s, task.Anchor); anchor == nil || len(squares) != 4 || squares[task.Target] {
			t.Fatalf("anchor %v, %d squares taken, target %v", anchor, len(squares), task.Target)
		}
		ax, ay := anchor.Centre()
		dx, dy := task.Target[0]-ax, task.Target[1]-ay
		word := map[float64]string{-150: "north", 0: "", 150: "south"}[dy] + map[float64]string{-150: "west", 0: "", 150: "east"}[dx]
		if word != task.Direction || !strings.Contains(s.Prompt, " "+word+" of the ") {
			t.Errorf("target is %q of the anchor; task says %q, prompt %q", word, task.Direction, s.Prompt)
		}
		for _, v := range task.Target {
			if v < 175 || v > 625 {
				t.Errorf("target %v outside the grid", task.Target)
			}
		}
	})
}

func TestGraph(t *testing.T) {
	edges := 0
	each(t, "graph", func(t *testing.T, s *Scenario) {
		task, n := s.Task.(*GraphTask), len(s.Shapes)-10
		edges += n
		var linked []string
		for i, e := range s.Shapes[:n] {
			if e.Type != "line" || e.Props.Color != "black" {
				t.Errorf("shape %d is %s %s; want the edges behind the nodes", i, e.Props.Color, e.Type)
			}
			var ends []string
			for _, node := range s.Shapes[n:] {
				x, y := node.Centre()
				if math.Abs(math.Hypot(x-700, y-400)-320) > 0.02 {
					t.Errorf("%s is off the circle", node.ID)
				}
				for _, p := range [][2]float64{{e.X, e.Y}, {e.X + e.Props.Points.A2.X, e.Y + e.Props.Points.A2.Y}} {
					if math.Hypot(x-p[0], y-p[1]) < 0.02 {
						ends = append(ends, node.ID)
					}
				}
			}
			if len(ends) != 2 {
				t.Fatalf("%s joins %v", e.ID, ends)
			}
			if k := slices.Index(ends, task.Node); k >= 0 {
				linked = append(linked, ends[1-k])
			}
		}
		slices.Sort(linked)
		if len(linked) == 0 || !slices.Equal(linked, task.Neighbours) {
			t.Errorf("edges give %v; task says %v", linked, task.Neighbours)
		}
		if g := find(s, task.Node); g == nil || g.Props.Color != "green" {
			t.Errorf("node %q is %v; want green", task.Node, g)
		}
	})
	// 45 pairs with p = 0.3 in 200 graphs: 13.5 on average, a little more as
	// the green node has neighbours.
	if mean := float64(edges) / 200; mean < 12.5 || mean > 15 {
		t.Errorf("%g edges on average; want near 13.5", mean)
	}
}

func TestPattern(t *testing.T) {
	modes := map[string]int{}
	each(t, "pattern", func(t *testing.T, s *Scenario) {
		task := s.Task.(*PatternTask)
		modes[task.Mode]++
		hue, kind := map[string]int{}, map[string]int{}
		for k, sh := range s.Shapes {
			hue[sh.Props.Color]++
			kind[sh.Props.Geo]++
			if lo := 60 + 260*float64(k); sh.X < lo || sh.X > lo+100 || sh.Y < 80 || sh.Y > 580 {
				t.Errorf("%s at (%g, %g) is outside its column", sh.ID, sh.X, sh.Y)
			}
		}
		one, other := hue, kind
		value := find(s, task.Outlier).Props.Color
		if task.Mode == "shape" {
			one, other, value = kind, hue, find(s, task.Outlier).Props.Geo
		}
		if len(s.Shapes) != 5 || len(one) != 3 || one[value] != 1 || len(other) != 2 {
			t.Errorf("mode %s, outlier %s: colours %v, geos %v", task.Mode, task.Outlier, hue, kind)
		}
	})
	if modes["color"] < 60 || modes["shape"] < 60 {
		t.Errorf("modes are %v of 200; want both about equally often", modes)
	}
}

func TestLabel(t *testing.T) {
	each(t, "label", func(t *testing.T, s *Scenario) {
		task, sh := s.Task.(*LabelTask), s.Shapes[0]
		p := sh.Props
		if len(s.Shapes) != 1 || p.Fill != "solid" || task.Shape != sh.ID || task.Color != p.Color || task.Type != p.Geo {
			t.Errorf("shapes %v, task %v", s.Shapes, task)
		}
		if p.W < 220 || p.W > 560 || p.H < 180 || p.H > 440 ||
			sh.X < 60 || sh.Y < 60 || sh.X+p.W > 1340 || sh.Y+p.H > 740 {
			t.Errorf("box (%g, %g, %g, %g) breaks the limits", sh.X, sh.Y, p.W, p.H)
		}
	})
}

func TestLine(t *testing.T) {
	each(t, "line", func(t *testing.T, s *Scenario) {
		task := s.Task.(*LineTask)
		for k, sh := range s.Shapes {
			x, y := sh.Centre()
			dx, dy := x-(233+466*float64(k%3)), y-(200+400*float64(k/3))
			if math.Abs(dx) > 120 || math.Abs(dy) > 90 || sh.Props.W < 90 || sh.Props.W > 190 || sh.Props.H < 90 || sh.Props.H > 190 {
				t.Errorf("%s: centre off by (%g, %g), size %g x %g", sh.ID, dx, dy, sh.Props.W, sh.Props.H)
			}
		}
		a, b := find(s, task.A), find(s, task.B)
		ax, ay := a.Centre()
		bx, by := b.Centre()
		if len(s.Shapes) != 6 || a == b || task.ACentre != [2]float64{ax, ay} || task.BCentre != [2]float64{bx, by} {
			t.Errorf("task %v does not fit the shapes", task)
		}
	})
}

func TestArrow(t *testing.T) {
	each(t, "arrow", func(t *testing.T, s *Scenario) {
		var c [3][3]float64 // centre and circumscribed radius
		for i, sh := range s.Shapes {
			w, h := sh.Props.W/2, sh.Props.H/2
			sin, cos := math.Sincos(sh.Rotation)
			c[i] = [3]float64{sh.X + cos*w - sin*h, sh.Y + sin*w + cos*h, w}
			if i == 2 {
				c[i][2] = math.Hypot(w, h)
			}
			if x, y, r := c[i][0], c[i][1], c[i][2]; x < r || y < r || x > 1400-r || y > 800-r {
				t.Errorf("%s leaves the canvas", sh.ID)
			}
			if sh.X != math.Trunc(sh.X) || sh.Y != math.Trunc(sh.Y) || math.Abs(math.Remainder(sh.Rotation, 0.001)) > 1e-9 {
				t.Errorf("%s is not on whole numbers: %v", sh.ID, sh)
			}
			for j := range i {
				if gap := math.Hypot(c[i][0]-c[j][0], c[i][1]-c[j][1]) - c[i][2] - c[j][2]; gap < 20 {
					t.Errorf("shapes %d and %d are %g px apart; want 20", i, j, gap)
				}
			}
		}
		theta := math.Remainder(s.Shapes[2].Rotation-math.Pi/2-math.Atan2(c[0][1]-c[2][1], c[0][0]-c[2][0]), 2*math.Pi)
		if math.Abs(theta) < MinInitialAngle {
			t.Errorf("initial angle is %g; want at least %g", theta, MinInitialAngle)
		}
	})
}

func TestOverlap(t *testing.T) {
	words := map[string]int{}
	each(t, "overlap", func(t *testing.T, s *Scenario) {
		task := s.Task.(*OverlapTask)
		words[task.Direction]++
		shared := func(a0, a, b0, b float64) float64 { // share of the smaller length
			return (math.Min(a0+a, b0+b) - math.Max(a0, b0)) / math.Min(a, b)
		}
		for i, b := range s.Shapes {
			if b.X < 0 || b.Y < 0 || b.X+b.Props.W > 1400 || b.Y+b.Props.H > 1000 || b.Props.W < 300 || b.Props.W > 600 || b.Props.H < 200 || b.Props.H > 480 {
				t.Errorf("%s breaks the limits: %v", b.ID, b)
			}
			if i == 0 {
				continue
			}
			a := s.Shapes[i-1]
			x, y := shared(a.X, a.Props.W, b.X, b.Props.W), shared(a.Y, a.Props.H, b.Y, b.Props.H)
			if x < 0.1 || x > 0.6 || y < 0.1 || y > 0.6 {
				t.Errorf("%s covers %g x %g of %s; want 0.1 to 0.6", b.ID, x, y, a.ID)
			}
		}
		ref := slices.IndexFunc(s.Shapes, func(sh Shape) bool { return sh.ID == task.Reference })
		if ref < 1 || ref > len(s.Shapes)-2 {
			t.Fatalf("reference is number %d of %d", ref, len(s.Shapes))
		}
		var want []string
		for i, sh := range s.Shapes {
			if i != ref && (i > ref) == (task.Direction == "in front of") {
				want = append(want, sh.ID)
			}
		}
		if !slices.Equal(want, task.Expected) {
			t.Errorf("expected is %v; want %v", task.Expected, want)
		}
	})
	if len(words) != 2 {
		t.Errorf("directions are %v", words)
	}
}

func TestBalance(t *testing.T) {
	quadrants := map[string]int{}
	each(t, "balance", func(t *testing.T, s *Scenario) {
		task := s.Task.(*BalanceTask)
		quadrants[task.Quadrant]++
		left, top := 0.0, 0.0
		if strings.HasSuffix(task.Quadrant, "right") {
			left = 700
		}
		if strings.HasPrefix(task.Quadrant, "bottom") {
			top = 400
		}
		for _, sh := range s.Shapes {
			p := sh.Props
			if sh.X < left || sh.Y < top || sh.X+p.W > left+700 || sh.Y+p.H > top+400 || p.W < 40 || p.W > 160 || p.H < 40 || p.H > 160 {
				t.Errorf("%s is not in the %s quadrant: %v", sh.ID, task.Quadrant, sh)
			}
		}
		if len(s.Shapes) != 7 {
			t.Errorf("%d shapes; want 7", len(s.Shapes))
		}
	})
	if len(quadrants) != 4 {
		t.Errorf("quadrants are %v", quadrants)
	}
}

func TestLineFields(t *testing.T) {
	s, _ := Make(1, "maze", 3)
	text := "it's {\"a\": 1} & <b>"
	b, err := s.AppendLine(nil, "exact", &text)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		ID, Suite, Test, Model, Response string
		Shapes                           []map[string]any
		Task                             map[string]any
	}
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if got.ID != "maze-03/exact" || got.Suite != "aspire" || got.Test != "maze" || got.Model != "exact" ||
		got.Response != text || len(got.Shapes) != 20 || got.Task["anchor"] == nil {
		t.Errorf("line is %s", b)
	}
	if b[len(b)-1] != '\n' || bytes.Count(b, []byte("\n")) != 1 {
		t.Error("a dump line must be one line")
	}
}
