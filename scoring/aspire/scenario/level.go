package scenario

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// Level says how hard a scenario is.
type Level string

// The levels. A scenario is easy, medium or hard; Mixed and Graded are only arguments of MakeLevel.
const (
	Easy   Level = "easy"
	Medium Level = "medium"
	Hard   Level = "hard"
	Mixed  Level = "mixed"  // any level
	Graded Level = "graded" // easy, medium and hard in turn, by index
)

// Levels lists what MakeLevel takes.
func Levels() []Level { return []Level{Mixed, Graded, Easy, Medium, Hard} }

// Measure is one number or word about how hard a scenario is.
type Measure struct {
	Name  string
	Value any // string, int, bool or float64
}

// Measures are the measures of a scenario's difficulty, in a fixed order for each test.
type Measures []Measure

// MarshalJSON writes the difficulty measures of a scenario as the members of an object, in their
// order.
func (measures Measures) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, measure := range measures {
		if i > 0 {
			out = append(out, ',')
		}
		value, err := json.Marshal(measure.Value)
		if err != nil {
			return nil, err
		}
		out = append(fmt.Appendf(out, "%q:", measure.Name), value...)
	}
	return append(out, '}'), nil
}

// Measured returns the measures of a scenario's difficulty, which depend on its test, and the level
// that follows from them: easy, or harder from the stated bounds on. See docs/spec/aspire.md#r71.
func (scenario *Scenario) Measured() (Measures, Level) {
	switch task := scenario.Task.(type) {
	case *MazeTask:
		return scenario.measureMaze(task)
	case *GraphTask:
		count := scenario.countCrossings(task.Node)
		return Measures{{"crossings", count}}, hardest(count > 5, count > 10)
	case *PatternTask:
		like := scenario.hasLookalike(task)
		return Measures{{"mode", task.Mode}, {"like", like}}, hardest(task.Mode == "shape", like)
	case *LabelTask:
		return Measures{{"geo", task.Type}},
			hardest(!slices.Contains(easyGeos, task.Type), slices.Contains(hardGeos, task.Type))
	case *LineTask:
		count := scenario.countAlike(task.A, task.B)
		return Measures{{"alike", count}}, hardest(count > 0, count > 1)
	case *ArrowTask:
		angle := scenario.initialAngle(task)
		return Measures{{"ti", angle}}, hardest(angle <= 2.1, angle < 1.1)
	case *OverlapTask:
		count := scenario.countDisjoint(task)
		return Measures{{"apart", count}}, hardest(count > 0, count > 1)
	case *BalanceTask:
		share := scenario.overlapShare()
		return Measures{{"overlap", share}}, hardest(share >= 0.08, share > 0.15)
	}
	panic("BUG: no measure for " + scenario.Test)
}

// hardest returns the level of a scenario: Hard if hard is true, else Medium if medium is, else
// Easy.
func hardest(medium, hard bool) Level {
	switch {
	case hard:
		return Hard
	case medium:
		return Medium
	}
	return Easy
}

// Outlines of a label's shape by how much room they leave for text at a given size.
var (
	easyGeos = []string{"rectangle", "ellipse", "oval", "hexagon", "octagon"}
	hardGeos = []string{"triangle", "star", "heart"}
)

// measureMaze measures how difficult a maze scenario is: whether the direction is one of the four
// main ones, and how many other shapes have the anchor's colour or outline.
func (scenario *Scenario) measureMaze(task *MazeTask) (Measures, Level) {
	cardinal := slices.Contains([]string{"north", "east", "south", "west"}, task.Direction)
	kind := "ordinal"
	if cardinal {
		kind = "cardinal"
	}
	n := scenario.countAlike(task.Anchor)
	return Measures{{"direction", kind}, {"alike", n}}, hardest(!cardinal || n > 0, !cardinal && n > 0)
}

// countAlike counts the solid shapes of a scenario that have the colour or the outline of one of
// the shapes with the given ids, without these shapes themselves. Such shapes make the task harder.
func (scenario *Scenario) countAlike(ids ...string) (n int) {
	for i := range scenario.Shapes {
		shape := &scenario.Shapes[i]
		if shape.Props.Fill != "solid" || slices.Contains(ids, shape.ID) {
			continue
		}
		if slices.ContainsFunc(ids, func(id string) bool {
			p := scenario.shape(id).Props
			return p.Color == shape.Props.Color || p.Geo == shape.Props.Geo
		}) {
			n++
		}
	}
	return n
}

// shape returns the scenario's shape with this id, which exists.
func (scenario *Scenario) shape(id string) *Shape {
	i := slices.IndexFunc(scenario.Shapes, func(sh Shape) bool { return sh.ID == id })
	if i < 0 {
		panic("BUG: no shape " + id)
	}
	return &scenario.Shapes[i]
}

// countCrossings counts how often the edges at a node of a graph scenario cross other edges.
func (scenario *Scenario) countCrossings(node string) (n int) {
	cx, cy := scenario.shape(node).Centre()
	type edge struct{ ax, ay, bx, by float64 }
	var atNode, others []edge
	for _, shape := range scenario.Shapes {
		if shape.Type != "line" {
			continue
		}
		e := edge{shape.X, shape.Y, shape.X + shape.Props.Points.A2.X, shape.Y + shape.Props.Points.A2.Y}
		// Centres and ends are rounded to cents each, so they are compared with room.
		if math.Hypot(e.ax-cx, e.ay-cy) < 1 || math.Hypot(e.bx-cx, e.by-cy) < 1 {
			atNode = append(atNode, e)
		} else {
			others = append(others, e)
		}
	}
	// side is the side of the line through e on which a point lies: 1, -1, or 0 within a
	// distance of 1 px, where edges share an end.
	side := func(e edge, x, y float64) int {
		length := math.Hypot(e.bx-e.ax, e.by-e.ay)
		switch d := ((e.bx-e.ax)*(y-e.ay) - (e.by-e.ay)*(x-e.ax)) / length; {
		case d > 1:
			return 1
		case d < -1:
			return -1
		}
		return 0
	}
	for _, e := range atNode {
		for _, other := range others {
			if side(e, other.ax, other.ay)*side(e, other.bx, other.by) < 0 &&
				side(other, e.ax, e.ay)*side(other, e.bx, e.by) < 0 {
				n++
			}
		}
	}
	return n
}

// lookalikes are groups of colours and outlines that look like each other.
var lookalikes = [][]string{
	{"violet", "light-violet"}, {"blue", "light-blue"}, {"green", "light-green"}, {"red", "light-red"},
	{"black", "grey"},
	{"ellipse", "oval", "cloud"}, {"rectangle", "trapezoid", "diamond"}, {"pentagon", "hexagon", "octagon"},
}

// hasLookalike reports whether the colour or the outline in which the outlier of a pattern scenario
// differs looks like one of the values of the other shapes.
func (scenario *Scenario) hasLookalike(task *PatternTask) bool {
	value := func(shape *Shape) string {
		if task.Mode == "color" {
			return shape.Props.Color
		}
		return shape.Props.Geo
	}
	outlierValue := value(scenario.shape(task.Outlier))
	for i := range scenario.Shapes {
		other := value(&scenario.Shapes[i])
		if other != outlierValue && slices.ContainsFunc(lookalikes,
			func(f []string) bool { return slices.Contains(f, outlierValue) && slices.Contains(f, other) }) {
			return true
		}
	}
	return false
}

// initialAngle returns the angle between the heading of an arrow scenario's arrow and the direction
// of its target, in radians from 0 to pi. See docs/spec/aspire.md#r50.
func (scenario *Scenario) initialAngle(task *ArrowTask) float64 {
	arrow := scenario.shape(task.Arrow)
	sin, cos := math.Sincos(arrow.Rotation)
	halfW, halfH := arrow.Props.W/2, arrow.Props.H/2
	x, y := arrow.X+cos*halfW-sin*halfH, arrow.Y+sin*halfW+cos*halfH
	targetX, targetY := scenario.shape(task.Target).Centre()
	return math.Abs(math.Remainder(arrow.Rotation-math.Pi/2-math.Atan2(targetY-y, targetX-x), 2*math.Pi))
}

// countDisjoint counts the rectangles of an overlap scenario that are to be deleted although they
// do not intersect the reference themselves.
func (scenario *Scenario) countDisjoint(t *OverlapTask) (n int) {
	r := scenario.shape(t.Reference)
	for _, id := range t.Expected {
		o := scenario.shape(id)
		if o.X+o.Props.W <= r.X || r.X+r.Props.W <= o.X || o.Y+o.Props.H <= r.Y || r.Y+r.Props.H <= o.Y {
			n++
		}
	}
	return n
}

// overlapShare returns how much the boxes of a scenario's shapes overlap: 1 minus the area of their
// union divided by the sum of their areas, from 0 to below 1. The union is measured in columns
// between neighbouring x coordinates.
func (scenario *Scenario) overlapShare() float64 {
	var xs []float64
	sum, union := 0.0, 0.0
	for _, sh := range scenario.Shapes {
		xs = append(xs, sh.X, sh.X+sh.Props.W)
		sum += sh.Props.W * sh.Props.H
	}
	slices.Sort(xs)
	for i, x := range xs[1:] {
		type interval struct{ from, to float64 }
		var column []interval
		for _, sh := range scenario.Shapes {
			if sh.X <= xs[i] && x <= sh.X+sh.Props.W {
				column = append(column, interval{sh.Y, sh.Y + sh.Props.H})
			}
		}
		slices.SortFunc(column, func(a, b interval) int { return cmp.Compare(a.from, b.from) })
		covered, end := 0.0, math.Inf(-1)
		for _, y := range column {
			covered += max(0, y.to-max(y.from, end))
			end = max(end, y.to)
		}
		union += covered * (x - xs[i])
	}
	return 1 - union/sum
}

// MakeLevel returns scenario number index of a test with the given level. Mixed gives the
// scenario of Make, whatever its level. For the others, draws with the same random numbers
// are repeated until the measures fit. An unknown test or level is an error.
func MakeLevel(seed uint64, test string, index int, level Level) (*Scenario, error) {
	if !slices.Contains(Levels(), level) {
		return nil, fmt.Errorf("cannot make scenario: unknown level %q; want one of %v", level, Levels())
	}
	if level == Graded {
		level = []Level{Easy, Medium, Hard}[index%3]
	}
	return drawUntil(seed, test, index, func(scenario *Scenario) bool {
		if level == Mixed {
			return true
		}
		_, measured := scenario.Measured()
		return measured == level
	})
}
