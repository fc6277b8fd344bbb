package published

import (
	"math"

	"plumb/scoring/pyjson"
)

// The canvas lies at (90, 70) on the screen and is 1000 x 700 px. See
// docs/spec/drawingbench.md#r6.
const (
	left, top     = 90, 70
	width, height = 1000, 700
)

// boxCoverage is canvas_coverage: the box around the points of drags as a share
// of the canvas. See docs/spec/drawingbench.md#r31.
func boxCoverage(acts []action) float64 {
	drawing, any := false, false
	var x0, y0, x1, y1 float64
	for i := range acts {
		a := &acts[i]
		switch a.kind {
		case mouseDown:
			drawing = true
		case mouseUp:
			drawing = false
		}
		if !drawing || !a.both() {
			continue
		}
		x, y := number(a.x)-left, number(a.y)-top
		if !inside(x, y) {
			continue
		}
		if !any {
			any, x0, y0, x1, y1 = true, x, y, x, y
		}
		x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x), max(y1, y)
	}
	return decimals((x1-x0)*(y1-y0)/(width*height), 4)
}

func inside(x, y float64) bool { return 0 <= x && x <= width && 0 <= y && y <= height }

// cells is the side of the grid of the other estimate; a cell is 50 x 35 px.
const cells = 20

// grid is the estimate of canvas_coverage_accurate. See
// docs/spec/drawingbench.md#r32.
type grid struct{ marked [cells * cells]bool }

// gridX and gridY return a cell's column and row, not limited to the grid. The
// order of the operations decides at borders. See docs/spec/drawingbench.md#r33.
func gridX(x float64) float64 { return math.Trunc(x / width * cells) }
func gridY(y float64) float64 { return math.Trunc(y / height * cells) }

// point marks the cell of a point in canvas coordinates, if that is on the canvas.
func (g *grid) point(x, y float64) {
	if inside(x, y) {
		g.marked[int(min(gridY(y), cells-1))*cells+int(min(gridX(x), cells-1))] = true
	}
}

// share is the marked part of the grid.
func (g *grid) share() float64 {
	n := 0
	for _, m := range g.marked {
		if m {
			n++
		}
	}
	return decimals(float64(n)/(cells*cells), 4)
}

// spot is a place as it stands in the action: not a number yet.
type spot struct{ x, y *pyjson.Value }

var zero = pyjson.Value{Kind: pyjson.Int, S: "0"}

// gridCoverage follows tools and drags as the evaluator does. It clears g first.
// See docs/spec/drawingbench.md#r32.
func gridCoverage(acts []action, g *grid) float64 {
	*g = grid{}
	drawing := false
	held := &tools[0]
	last := spot{&zero, &zero}
	var press spot
	for i := range acts {
		a := &acts[i]
		if a.both() {
			last = spot{a.x, a.y}
		}
		held = chosen(acts, i, held)
		switch a.kind {
		case mouseDown:
			drawing, press = true, own(a, last)
		case mouseUp:
			if drawing {
				g.shape(held.name, press, own(a, last))
			}
			drawing = false
		}
		if drawing && (held.name == "pen" || held.name == "eraser") && a.both() {
			g.point(number(a.x)-left, number(a.y)-top)
		}
	}
	return g.share()
}

// chosen is the tool after action i.
func chosen(acts []action, i int, held *tool) *tool {
	a := &acts[i]
	var t *tool
	switch {
	case a.kind == click && a.both():
		t = toolAt(a)
	case a.kind == moveTo:
		if t = toolAt(a); i+1 >= len(acts) || acts[i+1].kind != click {
			t = nil
		}
	}
	if t == nil {
		return held
	}
	return t
}

// own is where an action is: its own coordinates, and where it has none the last
// position.
func own(a *action, last spot) spot {
	if a.x != nil {
		last.x = a.x
	}
	if a.y != nil {
		last.y = a.y
	}
	return last
}

func (g *grid) shape(tool string, from, to spot) {
	if tool != "rectangle" && tool != "circle" && tool != "line" {
		return
	}
	x0, y0, x1, y1 := number(from.x)-left, number(from.y)-top, number(to.x)-left, number(to.y)-top
	switch tool {
	case "rectangle":
		g.rectangle(x0, y0, x1, y1)
	case "circle":
		g.circle(x0, y0, x1, y1)
	case "line":
		g.line(x0, y0, x1, y1)
	}
}

// smaller and larger are Python's min and max of two: the first one, unless the
// second is beyond it. So a NaN in first place is returned and one in second place
// is not. See docs/spec/drawingbench.md#r19.
func smaller(a, b float64) float64 {
	if b < a {
		return b
	}
	return a
}

func larger(a, b float64) float64 {
	if b > a {
		return b
	}
	return a
}

// integer is Python's int() of a double. It panics with ValueError for NaN and
// with OverflowError for infinities. See docs/spec/drawingbench.md#r19.
func integer(x float64) float64 {
	switch {
	case math.IsNaN(x):
		panic(ValueError)
	case math.IsInf(x, 0):
		panic(OverflowError)
	}
	return math.Trunc(x)
}

// rectangle marks the cells of the whole rectangle. See
// docs/spec/drawingbench.md#r34.
func (g *grid) rectangle(x0, y0, x1, y1 float64) {
	from := max(0, integer(smaller(x0, x1)/width*cells))
	to := min(cells-1, integer(larger(x0, x1)/width*cells))
	low := max(0, integer(smaller(y0, y1)/height*cells))
	high := min(cells-1, integer(larger(y0, y1)/height*cells))
	for gy := low; gy <= high; gy++ {
		for gx := from; gx <= to; gx++ {
			g.marked[int(gy)*cells+int(gx)] = true
		}
	}
}

// maxRings is how many rings a circle may have, 20 px apart: beyond it the
// evaluator's arrays do not fit into memory. See docs/spec/drawingbench.md#r20.
const maxRings = 1e9

// circle marks the cells of sampled points: 50 angles on rings about 20 px apart.
// See docs/spec/drawingbench.md#r35.
func (g *grid) circle(x0, y0, x1, y1 float64) {
	dx, dy := x1-x0, y1-y0
	r := math.Sqrt(float64(dx*dx) + float64(dy*dy))
	n := integer(r/20) + 1
	if n > maxRings {
		panic(MemoryError)
	}
	step := 0.0
	if n > 1 {
		step = r / (n - 1)
	}
	// Rings that pass inside or outside of the whole canvas mark nothing.
	far := math.Hypot(max(math.Abs(x0), math.Abs(x0-width)), max(math.Abs(y0), math.Abs(y0-height))) + 1
	close := math.Hypot(max(0, -x0, x0-width), max(0, -y0, y0-height)) - 1
	first := 0.0
	if step > 0 {
		first = max(0, math.Floor(close/step)-1)
	}
	for j := first; j < n && j*step <= far; j++ {
		ring := float64(j * step)
		if j == n-1 && n > 1 {
			ring = r
		}
		for _, t := range turn {
			g.point(x0+float64(ring*t[0]), y0+float64(ring*t[1]))
		}
	}
}

// line marks the cells of a point per pixel along the longer axis. See
// docs/spec/drawingbench.md#r36.
func (g *grid) line(x0, y0, x1, y1 float64) {
	dx, dy := x1-x0, y1-y0
	s := integer(larger(math.Abs(dx), math.Abs(dy))) + 1
	last := max(s-1, 1)
	from, to := onCanvas(x0, dx, width, 0, 1)
	from, to = onCanvas(y0, dy, height, from, to)
	// One more on either side, as the borders are rounded.
	for i, end := max(0, math.Floor(from*last)-1), min(s-1, math.Ceil(to*last)+1); i <= end && i+1 > i; i++ {
		t := i / last
		g.point(x0+float64(t*dx), y0+float64(t*dy))
	}
}

// onCanvas cuts the part from..to of a line to where 0 <= at+t*d <= size.
func onCanvas(at, d, size, from, to float64) (float64, float64) {
	if d == 0 || math.IsNaN(at) || math.IsNaN(d) {
		return from, to // the points themselves are tested
	}
	a, b := -at/d, (size-at)/d
	return max(from, min(a, b)), min(to, max(a, b))
}
