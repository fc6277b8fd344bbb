package published

import (
	"math"

	"plumb/scoring/drawingbench/layout"
	"plumb/scoring/pyjson"
)

// The canvas in screen px, under short names for formulas.
const (
	left, top     = layout.Left, layout.Top
	width, height = layout.Width, layout.Height
)

// boxCoverage returns canvas_coverage of the published evaluator, a share from 0 to 1 of the canvas:
// the area of the box around the points of all drags. A drag is the actions from a press to its
// release. Actions without a point, or with one off the canvas, do not count. See
// docs/spec/drawingbench.md#r31.
func boxCoverage(acts []action) float64 {
	drawing, hasPoint := false, false
	var x0, y0, x1, y1 float64
	for i := range acts {
		action := &acts[i]
		switch action.kind {
		case mouseDown:
			drawing = true
		case mouseUp:
			drawing = false
		}
		if !drawing || !action.hasPoint() {
			continue
		}
		x, y := pyNumber(action.x)-left, pyNumber(action.y)-top
		if !onCanvas(x, y) {
			continue
		}
		if !hasPoint { // the first one
			hasPoint, x0, y0, x1, y1 = true, x, y, x, y
		}
		x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x), max(y1, y)
	}
	return pyRound((x1-x0)*(y1-y0)/(width*height), 4)
}

// onCanvas reports whether a point in canvas px lies on the canvas or its border.
func onCanvas(x, y float64) bool { return 0 <= x && x <= width && 0 <= y && y <= height }

// cells is how many columns and rows the grid of the second estimate of coverage has. A cell
// is 50 x 35 px.
const cells = 20

// grid holds the cells that count as drawn on for canvas_coverage_accurate, row by row. See
// docs/spec/drawingbench.md#r32.
type grid struct{ marked [cells * cells]bool }

// gridX and gridY return the column and row of a point in canvas px, which may lie outside the
// grid. The order of the operations decides at borders. See docs/spec/drawingbench.md#r33.
func gridX(x float64) float64 { return math.Trunc(x / width * cells) }
func gridY(y float64) float64 { return math.Trunc(y / height * cells) }

// markPoint marks the cell of a point in canvas px. Points off the canvas mark nothing.
func (grid *grid) markPoint(x, y float64) {
	if onCanvas(x, y) {
		grid.marked[int(min(gridY(y), cells-1))*cells+int(min(gridX(x), cells-1))] = true
	}
}

// markedShare returns the share of the canvas's grid cells that are marked, from 0 to 1 with four
// decimals.
func (grid *grid) markedShare() float64 {
	count := 0
	for _, isMarked := range grid.marked {
		if isMarked {
			count++
		}
	}
	return pyRound(float64(count)/(cells*cells), 4)
}

// position holds the coordinates of an action as they were written. They become numbers only
// where they are used: one that is no number crashes the evaluator there.
type position struct{ x, y *pyjson.Value }

var zero = pyjson.Value{Kind: pyjson.Int, S: "0"}

// gridCoverage returns canvas_coverage_accurate, from 0 to 1: the share of grid cells that
// drags mark. Pen and eraser mark the cells of their points, shapes those of their area when
// the mouse is released. g is memory and is cleared first. See
// docs/spec/drawingbench.md#r32.
func gridCoverage(acts []action, g *grid) float64 {
	*g = grid{}
	drawing := false               // between a press and its release
	tool := &layout.Tools[0]       // the pen, which is selected at first
	last := position{&zero, &zero} // of the mouse
	var press position             // where the drag began
	for i := range acts {
		action := &acts[i]
		if action.hasPoint() {
			last = position{action.x, action.y}
		}
		tool = toolAfter(acts, i, tool)
		switch action.kind {
		case mouseDown:
			drawing, press = true, positionOf(action, last)
		case mouseUp:
			if drawing {
				g.markShape(tool.Name, press, positionOf(action, last))
			}
			drawing = false
		}
		if drawing && (tool.Name == "pen" || tool.Name == "eraser") && action.hasPoint() {
			g.markPoint(pyNumber(action.x)-left, pyNumber(action.y)-top)
		}
	}
	return g.markedShare()
}

// toolAfter returns the tool that is selected after mouse action i; `before` is the one that was
// selected before it. A click on a button selects, and so does a moveTo with a click right after
// it.
func toolAfter(acts []action, i int, before *layout.Tool) *layout.Tool {
	action := &acts[i]
	var selected *layout.Tool
	switch {
	case action.kind == click && action.hasPoint():
		selected = toolAt(action)
	case action.kind == moveTo:
		selected = toolAt(action) // even without a click after it, because reading the point may panic
		if i+1 >= len(acts) || acts[i+1].kind != click {
			selected = nil
		}
	}
	if selected == nil {
		return before
	}
	return selected
}

// positionOf returns where a mouse action is: its own coordinates, with those of last in place of
// missing ones.
func positionOf(action *action, last position) position {
	if action.x != nil {
		last.x = action.x
	}
	if action.y != nil {
		last.y = action.y
	}
	return last
}

// markShape marks the grid cells of a shape that was dragged from one position on the canvas to
// another. Tools that draw no shapes mark nothing, and then the coordinates are not read, because
// reading them may panic.
func (grid *grid) markShape(tool string, from, to position) {
	if tool != "rectangle" && tool != "circle" && tool != "line" {
		return
	}
	x0, y0, x1, y1 := pyNumber(from.x)-left, pyNumber(from.y)-top, pyNumber(to.x)-left, pyNumber(to.y)-top
	switch tool {
	case "rectangle":
		grid.markRectangle(x0, y0, x1, y1)
	case "circle":
		grid.markCircle(x0, y0, x1, y1)
	case "line":
		grid.markLine(x0, y0, x1, y1)
	}
}

// pyMin returns what Python's min returns for two numbers: a unless b is smaller. Unlike Go's min,
// it returns NaN only where a is NaN. See docs/spec/drawingbench.md#r19.
func pyMin(a, b float64) float64 {
	if b < a {
		return b
	}
	return a
}

// pyMax returns what Python's max returns for two numbers: a unless b is larger.
func pyMax(a, b float64) float64 {
	if b > a {
		return b
	}
	return a
}

// pyInt returns what Python's int() returns for a double. It panics with ValueError for NaN and
// with OverflowError for infinities. See docs/spec/drawingbench.md#r19.
func pyInt(x float64) float64 {
	switch {
	case math.IsNaN(x):
		panic(ValueError)
	case math.IsInf(x, 0):
		panic(OverflowError)
	}
	return math.Trunc(x)
}

// markRectangle marks the grid cells of the canvas that a filled rectangle in canvas px touches.
// See docs/spec/drawingbench.md#r34.
func (grid *grid) markRectangle(x0, y0, x1, y1 float64) {
	// The columns and rows, as far as they are on the canvas.
	from := max(0, pyInt(pyMin(x0, x1)/width*cells))
	to := min(cells-1, pyInt(pyMax(x0, x1)/width*cells))
	low := max(0, pyInt(pyMin(y0, y1)/height*cells))
	high := min(cells-1, pyInt(pyMax(y0, y1)/height*cells))
	for row := low; row <= high; row++ {
		for column := from; column <= to; column++ {
			grid.marked[int(row)*cells+int(column)] = true
		}
	}
}

// maxRings is how many rings a sampled circle may have. With more of them the evaluator's
// arrays do not fit into memory. See docs/spec/drawingbench.md#r20.
const maxRings = 1e9

// markCircle marks the grid cells of points sampled inside the circle about (x0, y0) through (x1, y1),
// in canvas px, as the published evaluator does: 50 angles on rings about 20 px apart. Circles with too
// many rings panic, as the original runs out of memory. Products are converted to float64, so that no
// compiler fuses them with a sum, because the last bit decides at borders of cells. See
// docs/spec/drawingbench.md#r35.
func (grid *grid) markCircle(x0, y0, x1, y1 float64) {
	dx, dy := x1-x0, y1-y0
	radius := math.Sqrt(float64(dx*dx) + float64(dy*dy))
	rings := pyInt(radius/20) + 1
	if rings > maxRings {
		panic(MemoryError)
	}
	step := 0.0
	if rings > 1 {
		step = radius / (rings - 1)
	}
	// Rings that end before the canvas or enclose all of it mark nothing and are left out. farthest and
	// nearest are the distances of the canvas from the centre, with a margin of 1 px.
	farthest := math.Hypot(max(math.Abs(x0), math.Abs(x0-width)), max(math.Abs(y0), math.Abs(y0-height))) + 1
	nearest := math.Hypot(max(0, -x0, x0-width), max(0, -y0, y0-height)) - 1
	first := 0.0
	if step > 0 {
		first = max(0, math.Floor(nearest/step)-1)
	}
	for j := first; j < rings && j*step <= farthest; j++ {
		ring := float64(j * step)
		if j == rings-1 && rings > 1 { // the last one is exact, as numpy's linspace makes it
			ring = radius
		}
		for _, direction := range circlePoints {
			grid.markPoint(x0+float64(ring*direction[0]), y0+float64(ring*direction[1]))
		}
	}
}

// markLine marks the cells of points sampled along a line in canvas px: one per pixel of the
// longer axis. Only the part on the canvas is visited, as a line may be very long. See
// docs/spec/drawingbench.md#r36.
func (grid *grid) markLine(x0, y0, x1, y1 float64) {
	dx, dy := x1-x0, y1-y0
	samples := pyInt(pyMax(math.Abs(dx), math.Abs(dy))) + 1
	last := max(samples-1, 1)
	// Places on the line are parameters from 0 at its start to 1 at its end.
	from, to := clipToCanvas(x0, dx, width, 0, 1)
	from, to = clipToCanvas(y0, dy, height, from, to)
	// One sample more on either side, because from and to are rounded. markPoint ignores points off the canvas.
	i, end := max(0, math.Floor(from*last)-1), min(samples-1, math.Ceil(to*last)+1)
	for ; i <= end && i+1 > i; i++ { // i+1 > i fails where doubles have no next integer
		t := i / last
		grid.markPoint(x0+float64(t*dx), y0+float64(t*dy))
	}
}

// clipToCanvas returns the part of the interval from..to of a drawn line's parameter t in which
// 0 <= at+t*step <= size: there the line is on the canvas along one axis. A line that does not move
// along the axis (step 0) and NaN leave the interval as it is.
func clipToCanvas(at, step, size, from, to float64) (float64, float64) {
	if step == 0 || math.IsNaN(at) || math.IsNaN(step) {
		return from, to // the points themselves are tested
	}
	first, second := -at/step, (size-at)/step
	return max(from, min(first, second)), min(to, max(first, second))
}
