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
	name             string
	rowStep, colStep int
}{
	{"north", -1, 0}, {"northeast", -1, 1}, {"east", 0, 1}, {"southeast", 1, 1},
	{"south", 1, 0}, {"southwest", 1, -1}, {"west", 0, -1}, {"northwest", -1, -1},
}

// drawMaze makes a random scenario of the maze test: the grid and four shapes in distinct squares.
// The target is an empty square next to one of the shapes, the anchor (docs/spec/aspire.md#r25). It
// returns false if all squares around the anchor are taken.
func drawMaze(random *rand.Rand) (Scenario, bool) {
	var scenario Scenario
	// edgeToSquare is the distance of row or column n from the edge of the grid, px.
	edgeToSquare := func(n int) float64 { return float64(n * cellSide) }
	for row := range gridSide {
		for col := range gridSide {
			cell := solidGeo(fmt.Sprintf("shape:cell-%d-%d", row, col), "rectangle", "grey",
				gridOrigin+edgeToSquare(col), gridOrigin+edgeToSquare(row), cellSide, cellSide)
			cell.Props.Fill, cell.Props.Dash = "none", "solid"
			scenario.Shapes = append(scenario.Shapes, cell)
		}
	}
	// Four shapes.
	squares := random.Perm(gridSide * gridSide)[:4]
	taken := map[int]bool{}
	looks := distinctLooks(random, 4, look{"red", "star"}) // not a red star, because the prompt asks to draw one
	for i, square := range squares {
		taken[square] = true
		const inset = (cellSide - pieceSide) / 2
		scenario.Shapes = append(scenario.Shapes,
			solidGeo("shape:"+looks[i].color+"-"+looks[i].geo, looks[i].geo, looks[i].color,
				gridOrigin+inset+edgeToSquare(square%gridSide), gridOrigin+inset+edgeToSquare(square/gridSide),
				pieceSide, pieceSide))
	}
	// The target: a free square beside one of them.
	anchor := random.IntN(4)
	row, col := squares[anchor]/gridSide, squares[anchor]%gridSide
	for _, choice := range random.Perm(len(directions)) {
		direction := directions[choice]
		targetRow, targetCol := row+direction.rowStep, col+direction.colStep
		isOutside := targetRow < 0 || targetRow >= gridSide || targetCol < 0 || targetCol >= gridSide
		if isOutside || taken[targetRow*gridSide+targetCol] {
			continue
		}
		scenario.Prompt = fmt.Sprintf("Draw a red star to the %s of the %s %s.", direction.name, looks[anchor].color,
			looks[anchor].geo)
		scenario.Task = &MazeTask{
			Anchor: "shape:" + looks[anchor].color + "-" + looks[anchor].geo, Direction: direction.name,
			Target: [2]float64{
				gridOrigin + cellSide/2 + edgeToSquare(targetCol),
				gridOrigin + cellSide/2 + edgeToSquare(targetRow)},
			GridWidth: gridSide * cellSide, CellWidth: cellSide,
		}
		return scenario, true
	}
	return scenario, false
}

// GraphTask holds the criteria of the graph test (docs/spec/aspire.md#r31).
type GraphTask struct {
	Node       string   `json:"node"` // the green one
	Nodes      []string `json:"nodes"`
	Neighbours []string `json:"neighbours"` // never empty
}

// drawGraph makes a random scenario of the graph test: an Erdős–Rényi graph with 10 nodes on a
// circle, in which each pair has an edge with the probability 0.3, and the task to mark the
// neighbours of the green node (docs/spec/aspire.md#r32). It returns false if that node has none.
func drawGraph(random *rand.Rand) (Scenario, bool) {
	const nodes, probability, radius, cx, cy, side = 10, 0.3, 320, 700, 400, 60
	var positions [nodes][2]float64 // the nodes stand around the circle in a random order
	for k, i := range random.Perm(nodes) {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / nodes)
		positions[i] = [2]float64{roundCents(cx + radius*cos), roundCents(cy + radius*sin)}
	}
	// The edges, in random order, and which nodes they link to the green one.
	var edges [][2]int
	for i := range nodes {
		for j := i + 1; j < nodes; j++ {
			if random.Float64() < probability {
				edges = append(edges, [2]int{i, j})
			}
		}
	}
	random.Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
	green := random.IntN(nodes)
	var scenario Scenario
	linked := [nodes]bool{} // to the green node
	for k, edge := range edges {
		from, to := positions[edge[0]], positions[edge[1]]
		scenario.Shapes = append(scenario.Shapes,
			Shape{ID: fmt.Sprintf("shape:edge-%d", k), Type: "line", X: from[0], Y: from[1],
				Props: Props{Color: "black", Spline: "line", Points: &Ends{
					Vertex{ID: "a1", Index: "a1"},
					Vertex{ID: "a2", Index: "a2", X: roundCents(to[0] - from[0]), Y: roundCents(to[1] - from[1])}}}})
		if edge[0] == green {
			linked[edge[1]] = true
		} else if edge[1] == green {
			linked[edge[0]] = true
		}
	}
	// The nodes, in front of the edges.
	task := &GraphTask{Node: fmt.Sprintf("shape:node-%d", green)}
	for i := range nodes {
		id, color := fmt.Sprintf("shape:node-%d", i), "black"
		if i == green {
			color = "green"
		}
		scenario.Shapes = append(scenario.Shapes, solidGeo(id, "ellipse", color, roundCents(positions[i][0]-side/2),
			roundCents(positions[i][1]-side/2), side, side))
		task.Nodes = append(task.Nodes, id)
		if linked[i] {
			task.Neighbours = append(task.Neighbours, id)
		}
	}
	scenario.Prompt = "Color all neighboring nodes to the green node red. " +
		"Remember, neighboring nodes are connected with an edge in the graph."
	scenario.Task = task
	return scenario, len(task.Neighbours) > 0
}

// PatternTask holds the criteria of the pattern test (docs/spec/aspire.md#r35).
type PatternTask struct {
	Mode    string `json:"mode"` // "color" or "shape": the attribute in which the outlier differs
	Outlier string `json:"outlier"`
}

// drawPattern makes a random scenario of the pattern test: the four combinations of two colours and
// two outlines in a random order, and an outlier with a third value of one of them
// (docs/spec/aspire.md#r36, docs/spec/aspire.md#r37).
func drawPattern(random *rand.Rand) (Scenario, bool) {
	mode := pick(random, []string{"color", "shape"})
	hues, kinds := sampleDistinct(random, colors, 3), sampleDistinct(random, geos, 3)
	const outlier = 4 // the last look
	var looks [5]look
	for i := range outlier {
		looks[i] = look{hues[i/2], kinds[i%2]}
	}
	if mode == "color" {
		looks[outlier] = look{hues[2], kinds[random.IntN(2)]}
	} else {
		looks[outlier] = look{hues[random.IntN(2)], kinds[2]}
	}
	var scenario Scenario
	task := &PatternTask{Mode: mode}
	for column, i := range random.Perm(len(looks)) {
		id := fmt.Sprintf("shape:shape-%d", column)
		// Side by side in columns of 260 px, at random places in them.
		x, y := roundTo(60+260*float64(column)+100*random.Float64(), 0.5), roundTo(80+500*random.Float64(), 0.5)
		scenario.Shapes = append(scenario.Shapes, solidGeo(id, looks[i].geo, looks[i].color, x, y, 140, 140))
		if i == outlier {
			task.Outlier = id
		}
	}
	scenario.Prompt = "On the whiteboard there are 5 shapes. Remove the shape that does not belong."
	scenario.Task = task
	return scenario, true
}
