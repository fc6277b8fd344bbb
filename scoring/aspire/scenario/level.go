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

// MarshalJSON writes the difficulty measures of a scenario as the members of an object, in their order.
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
// that follows from them: easy below the bounds of docs/spec/aspire.md#r71, else medium or hard.
func (scenario *Scenario) Measured() (Measures, Level) {
	switch task := scenario.Task.(type) {
	case *MazeTask:
		return scenario.measureMaze(task)
	case *GraphTask:
		count := scenario.countCrossings(task.Node)
		return Measures{{"crossings", count}}, levelFor(count > 5, count > 10)
	case *PatternTask:
		like := scenario.hasLookalike(task)
		return Measures{{"mode", task.Mode}, {"like", like}}, levelFor(task.Mode == "shape", like)
	case *LabelTask:
		return Measures{{"geo", task.Type}},
			levelFor(!slices.Contains(easyGeos, task.Type), slices.Contains(hardGeos, task.Type))
	case *LineTask:
		count := scenario.countAlike(task.A, task.B)
		return Measures{{"alike", count}}, levelFor(count > 0, count > 1)
	case *ArrowTask:
		angle := scenario.initialAngle(task)
		return Measures{{"ti", angle}}, levelFor(angle <= 2.1, angle < 1.1)
	case *OverlapTask:
		count := scenario.countDisjoint(task)
		return Measures{{"apart", count}}, levelFor(count > 0, count > 1)
	case *BalanceTask:
		share := scenario.overlapShare()
		return Measures{{"overlap", share}}, levelFor(share >= 0.08, share > 0.15)
	}
	panic("BUG: no measure for " + scenario.Test)
}

// levelFor returns the level of a scenario: Hard if it is hard, else Medium if it is at least of medium
// difficulty, else Easy.
func levelFor(atLeastMedium, isHard bool) Level {
	switch {
	case isHard:
		return Hard
	case atLeastMedium:
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
	alike := scenario.countAlike(task.Anchor)
	isOrdinal, hasAlike := !cardinal, alike > 0 // each makes the task harder
	return Measures{{"direction", kind}, {"alike", alike}}, levelFor(isOrdinal || hasAlike, isOrdinal && hasAlike)
}

// countAlike counts the solid shapes of a scenario that have the colour or the outline of one of
// the shapes with the given ids, without these shapes themselves. Such shapes make the task harder.
func (scenario *Scenario) countAlike(ids ...string) (n int) {
	for i := range scenario.Shapes {
		shape := &scenario.Shapes[i]
		if shape.Props.Fill != "solid" || slices.Contains(ids, shape.ID) { // the cells of a maze's grid are not solid
			continue
		}
		if slices.ContainsFunc(ids, func(id string) bool {
			named := scenario.shape(id).Props
			return named.Color == shape.Props.Color || named.Geo == shape.Props.Geo
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

// countCrossings counts how often the edges at a node of a graph scenario cross other edges, which
// makes them harder to follow. Edges that share an end do not cross.
func (scenario *Scenario) countCrossings(node string) (n int) {
	nodeX, nodeY := scenario.shape(node).Centre()
	type edge struct{ ax, ay, bx, by float64 }
	var atNode, others []edge
	for _, shape := range scenario.Shapes {
		if shape.Type != "line" {
			continue
		}
		last := shape.Props.Points.A2 // relative to the first point, which is at X, Y
		e := edge{shape.X, shape.Y, shape.X + last.X, shape.Y + last.Y}
		// Centres and ends are rounded to hundredths each, so within 1 px they count as the same.
		if math.Hypot(e.ax-nodeX, e.ay-nodeY) < 1 || math.Hypot(e.bx-nodeX, e.by-nodeY) < 1 {
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
	// The arrow is turned about its corner, so its centre is turned with it. Without rotation it points up,
	// which is -pi/2, because y grows downwards.
	sin, cos := math.Sincos(arrow.Rotation)
	halfW, halfH := arrow.Props.W/2, arrow.Props.H/2
	x, y := arrow.X+cos*halfW-sin*halfH, arrow.Y+sin*halfW+cos*halfH
	targetX, targetY := scenario.shape(task.Target).Centre()
	return math.Abs(math.Remainder(arrow.Rotation-math.Pi/2-math.Atan2(targetY-y, targetX-x), 2*math.Pi))
}

// countDisjoint counts the rectangles of an overlap scenario that are to be deleted although they
// do not intersect the reference themselves.
func (scenario *Scenario) countDisjoint(task *OverlapTask) (n int) {
	reference := scenario.shape(task.Reference)
	for _, id := range task.Expected {
		target := scenario.shape(id)
		besideIt := target.X+target.Props.W <= reference.X || reference.X+reference.Props.W <= target.X
		aboveOrBelow := target.Y+target.Props.H <= reference.Y || reference.Y+reference.Props.H <= target.Y
		if besideIt || aboveOrBelow {
			n++
		}
	}
	return n
}

// overlapShare returns how much the boxes of a scenario's shapes overlap: 1 minus the area of their union
// divided by the sum of their areas, from 0 to below 1. To measure the union, it cuts the plane into columns at
// the left and right sides of all boxes. Within a column a box covers the whole width or nothing.
func (scenario *Scenario) overlapShare() float64 {
	var sides []float64 // x of the left and right sides
	sum, union := 0.0, 0.0
	for _, shape := range scenario.Shapes {
		sides = append(sides, shape.X, shape.X+shape.Props.W)
		sum += shape.Props.W * shape.Props.H
	}
	slices.Sort(sides)
	for i, right := range sides[1:] {
		left := sides[i]
		// The boxes in this column, from top to bottom, and the height that they cover together.
		type interval struct{ from, to float64 }
		var column []interval
		for _, shape := range scenario.Shapes {
			if shape.X <= left && right <= shape.X+shape.Props.W {
				column = append(column, interval{shape.Y, shape.Y + shape.Props.H})
			}
		}
		slices.SortFunc(column, func(a, b interval) int { return cmp.Compare(a.from, b.from) })
		covered, coveredTo := 0.0, math.Inf(-1)
		for _, y := range column {
			covered += max(0, y.to-max(y.from, coveredTo))
			coveredTo = max(coveredTo, y.to)
		}
		union += covered * (right - left)
	}
	return 1 - union/sum
}

// MakeLevel returns scenario number index of a test with the given level. Mixed gives the scenario of Make,
// whatever its level. Graded means easy, medium and hard in turn, by index. For these levels scenarios are
// drawn, from one sequence of random numbers, until one has the level. An unknown test or level is an error.
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
