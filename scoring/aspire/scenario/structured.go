package scenario

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// The maze's grid, px (docs/spec/aspire.md#r27).
const (
	gridSide   = 4
	gridOrigin = 100
	cellSide   = 150
	pieceSide  = 90
)

// MazeTask holds the criteria of the maze test (docs/spec/aspire.md#r25, docs/spec/aspire.md#r2).
type MazeTask struct {
	Anchor    string     `json:"anchor"`    // id of the shape that the task names
	Direction string     `json:"direction"` // "north", "northeast", ...
	Target    [2]float64 `json:"target"`    // centre of the target square, px
	GridWidth float64    `json:"grid_width"`
	CellWidth float64    `json:"cell_width"`
}

// directions are the compass directions with their (row, column) steps, in the order in which they
// are tried; y grows downwards. See docs/spec/aspire.md#r26.
var directions = []struct {
	name   string
	dr, dc int
}{
	{"north", -1, 0}, {"northeast", -1, 1}, {"east", 0, 1}, {"southeast", 1, 1},
	{"south", 1, 0}, {"southwest", 1, -1}, {"west", 0, -1}, {"northwest", -1, -1},
}

// drawMaze draws the grid and four shapes in distinct squares. The target is an empty square next
// to one of them; without one the draw is repeated (docs/spec/aspire.md#r25).
func drawMaze(r *rand.Rand) (Scenario, bool) {
	var s Scenario
	for row := range gridSide {
		for col := range gridSide {
			cell := solidGeo(fmt.Sprintf("shape:cell-%d-%d", row, col), "rectangle", "grey",
				gridOrigin+float64(col*cellSide), gridOrigin+float64(row*cellSide), cellSide, cellSide)
			cell.Props.Fill, cell.Props.Dash = "none", "solid"
			s.Shapes = append(s.Shapes, cell)
		}
	}
	squares := r.Perm(gridSide * gridSide)[:4]
	taken := map[int]bool{}
	looks := distinctLooks(r, 4, "red", "star")
	for i, sq := range squares {
		taken[sq] = true
		const inset = (cellSide - pieceSide) / 2
		s.Shapes = append(s.Shapes, solidGeo("shape:"+looks[i][0]+"-"+looks[i][1], looks[i][1], looks[i][0],
			gridOrigin+inset+float64(sq%gridSide*cellSide), gridOrigin+inset+float64(sq/gridSide*cellSide),
			pieceSide, pieceSide))
	}
	x := r.IntN(4)
	row, col := squares[x]/gridSide, squares[x]%gridSide
	for _, k := range r.Perm(len(directions)) {
		d := directions[k]
		tr, tc := row+d.dr, col+d.dc
		if tr < 0 || tr >= gridSide || tc < 0 || tc >= gridSide || taken[tr*gridSide+tc] {
			continue
		}
		s.Prompt = fmt.Sprintf("Draw a red star to the %s of the %s %s.", d.name, looks[x][0], looks[x][1])
		s.Task = &MazeTask{
			Anchor: "shape:" + looks[x][0] + "-" + looks[x][1], Direction: d.name,
			Target: [2]float64{
				gridOrigin + cellSide/2 + float64(tc*cellSide), gridOrigin + cellSide/2 + float64(tr*cellSide)},
			GridWidth: gridSide * cellSide, CellWidth: cellSide,
		}
		return s, true
	}
	return s, false
}

// GraphTask holds the criteria of the graph test (docs/spec/aspire.md#r31).
type GraphTask struct {
	Node       string   `json:"node"` // the green one
	Nodes      []string `json:"nodes"`
	Neighbours []string `json:"neighbours"` // never empty
}

// drawGraph draws an Erdős–Rényi graph with 10 nodes and p = 0.3 on a circle. The draw is repeated
// if the green node has no neighbour (docs/spec/aspire.md#r32).
func drawGraph(r *rand.Rand) (Scenario, bool) {
	const n, p, radius, cx, cy, side = 10, 0.3, 320, 700, 400, 60
	var at [n][2]float64
	for k, i := range r.Perm(n) {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / n)
		at[i] = [2]float64{roundCents(cx + radius*cos), roundCents(cy + radius*sin)}
	}
	var edges [][2]int
	for i := range n {
		for j := i + 1; j < n; j++ {
			if r.Float64() < p {
				edges = append(edges, [2]int{i, j})
			}
		}
	}
	r.Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
	green := r.IntN(n)
	var s Scenario
	linked := [n]bool{}
	for k, e := range edges {
		a, b := at[e[0]], at[e[1]]
		s.Shapes = append(s.Shapes, Shape{ID: fmt.Sprintf("shape:edge-%d", k), Type: "line", X: a[0], Y: a[1],
			Props: Props{Color: "black", Spline: "line", Points: &Ends{
				Vertex{ID: "a1", Index: "a1"},
				Vertex{ID: "a2", Index: "a2", X: roundCents(b[0] - a[0]), Y: roundCents(b[1] - a[1])}}}})
		if e[0] == green {
			linked[e[1]] = true
		} else if e[1] == green {
			linked[e[0]] = true
		}
	}
	task := &GraphTask{Node: fmt.Sprintf("shape:node-%d", green)}
	for i := range n {
		id, color := fmt.Sprintf("shape:node-%d", i), "black"
		if i == green {
			color = "green"
		}
		s.Shapes = append(s.Shapes, solidGeo(id, "ellipse", color, roundCents(at[i][0]-side/2), roundCents(at[i][1]-side/2), side, side))
		task.Nodes = append(task.Nodes, id)
		if linked[i] {
			task.Neighbours = append(task.Neighbours, id)
		}
	}
	s.Prompt = "Color all neighboring nodes to the green node red. " +
		"Remember, neighboring nodes are connected with an edge in the graph."
	s.Task = task
	return s, len(task.Neighbours) > 0
}

// PatternTask holds the criteria of the pattern test (docs/spec/aspire.md#r35).
type PatternTask struct {
	Mode    string `json:"mode"` // "color" or "shape": the attribute in which the outlier differs
	Outlier string `json:"outlier"`
}

// drawPattern draws the four combinations of two colours and two outlines, and an outlier with a
// third value of one of them (docs/spec/aspire.md#r36, docs/spec/aspire.md#r37).
func drawPattern(r *rand.Rand) (Scenario, bool) {
	mode := pick(r, []string{"color", "shape"})
	hues, kinds := sample(r, colors, 3), sample(r, geos, 3)
	var looks [5][2]string
	for i := range 4 {
		looks[i] = [2]string{hues[i/2], kinds[i%2]}
	}
	if mode == "color" {
		looks[4] = [2]string{hues[2], kinds[r.IntN(2)]}
	} else {
		looks[4] = [2]string{hues[r.IntN(2)], kinds[2]}
	}
	var s Scenario
	task := &PatternTask{Mode: mode}
	for k, i := range r.Perm(5) {
		id := fmt.Sprintf("shape:shape-%d", k)
		x, y := roundTo(60+260*float64(k)+100*r.Float64(), 0.5), roundTo(80+500*r.Float64(), 0.5)
		s.Shapes = append(s.Shapes, solidGeo(id, looks[i][1], looks[i][0], x, y, 140, 140))
		if i == 4 {
			task.Outlier = id
		}
	}
	s.Prompt = "On the whiteboard there are 5 shapes. Remove the shape that does not belong."
	s.Task = task
	return s, true
}
