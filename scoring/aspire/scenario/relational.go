package scenario

import (
	"math/rand/v2"
)

// LabelTask holds the criteria of the label test (docs/spec/aspire.md#r39).
type LabelTask struct {
	Shape string `json:"shape"` // id
	Color string `json:"color"`
	Type  string `json:"type"` // geo
}

// drawLabel makes a random scenario of the label test: one large shape well inside the canvas, to
// be labelled with its colour and outline (docs/spec/aspire.md#r40).
func drawLabel(random *rand.Rand) (Scenario, bool) {
	const margin = 60
	color, geo := pick(random, colors), pick(random, geos)
	width, height := randomHalf(random, 220, 560), randomHalf(random, 180, 440)
	x, y := randomHalf(random, margin, canvasW-margin-width), randomHalf(random, margin, canvasH-margin-height)
	id := "shape:" + color + "-" + geo
	return Scenario{
		Shapes: []Shape{solidGeo(id, geo, color, x, y, width, height)},
		Task:   &LabelTask{Shape: id, Color: color, Type: geo},
		Prompt: "Label the shape on the canvas with its color and type. To label, place a text box entirely within " +
			"the shape. Do not let the text extend outside of the shape. Adjust the text size and add newlines as " +
			"needed. Remember that the `textAlign` property only accepts 'start', 'middle', and 'end'. Do not use " +
			"'left', 'center', or 'right'.",
	}, true
}

// LineTask holds the criteria of the line test (docs/spec/aspire.md#r45).
type LineTask struct {
	A       string     `json:"a"`
	B       string     `json:"b"`
	ACentre [2]float64 `json:"a_centre"` // px
	BCentre [2]float64 `json:"b_centre"`
}

// drawLine makes a random scenario of the line test: six shapes with different looks, one in each cell of a 3x2
// grid at a random offset from the cell's centre, and the task to draw a line between two of them
// (docs/spec/aspire.md#r46). It returns false if rounding moved a shape beyond the range of offsets.
func drawLine(random *rand.Rand) (Scenario, bool) {
	const cellW, cellH, jitterX, jitterY, columns, rows = 466, 400, 120, 90, 3, 2
	var scenario Scenario
	looks := distinctLooks(random, columns*rows, look{})
	for i, look := range looks {
		width, height := randomHalf(random, 90, 190), randomHalf(random, 90, 190)
		cellX, cellY := cellW/2+float64(i%columns*cellW), cellH/2+float64(i/columns*cellH) // the cell's centre
		centreX := cellX + jitterX*(2*random.Float64()-1)
		centreY := cellY + jitterY*(2*random.Float64()-1)
		x, y := roundTo(centreX-width/2, 0.5), roundTo(centreY-height/2, 0.5)
		if outsideRange(x+width/2-cellX, jitterX) || outsideRange(y+height/2-cellY, jitterY) {
			return scenario, false // rounding to halves left the jitter's range
		}
		scenario.Shapes = append(scenario.Shapes, solidGeo("shape:"+look.color+"-"+look.geo, look.geo, look.color, x, y,
			width, height))
	}
	order := random.Perm(len(looks))
	a, b := &scenario.Shapes[order[0]], &scenario.Shapes[order[1]]
	task := &LineTask{A: a.ID, B: b.ID}
	task.ACentre[0], task.ACentre[1] = a.Centre()
	task.BCentre[0], task.BCentre[1] = b.Centre()
	scenario.Task = task
	scenario.Prompt = "Draw a line from the center of " + a.Props.Color + " " + a.Props.Geo +
		" to the center of " + b.Props.Color + " " + b.Props.Geo + "."
	return scenario, true
}

// outsideRange reports whether an offset is beyond ±limit.
func outsideRange(d, limit float64) bool { return d > limit || d < -limit }
