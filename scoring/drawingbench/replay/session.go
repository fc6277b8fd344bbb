package replay

import (
	"math"
	"slices"

	"plumb/render/canvas"
	"plumb/scoring/drawingbench/layout"
	"plumb/scoring/pyjson"
)

// State is what the app remembers between actions.
type State struct {
	Tool    string
	Colour  string // "#RRGGBB"
	Size    int    // width of strokes, px
	Drawing bool   // between a press on the canvas and its release
}

// Kind is what an element was made with: a tool, or Dot.
type Kind string

// Dot is a click on the canvas with line, rectangle or circle. Clicks with the other tools
// are named after the tool.
const Dot Kind = "dot"

// Element is a drag from press to release, a dot or a fill. See
// docs/spec/drawingbench.md#r55.
type Element struct {
	Kind    Kind
	Colour  string
	Painted canvas.Mark
	Box     [4]float64 // x0, y0, x1, y1 without the width of strokes, canvas px
}

// Ink is a pair of tool and colour that painted on the canvas, even if something covered it
// later.
type Ink struct {
	Kind    Kind
	Colour  string
	Changed bool // it changed a pixel: white on white does not
}

// Session is what a session with the app left behind, beside the pixels.
type Session struct {
	State    State
	Elements []Element
	Fills    []int    // pixels painted by each fill that painted any
	Selected []string // tools whose buttons were clicked, in order of the first click
	Skipped  int      // actions that failed
	Inks     []Ink    // in order of appearance
	Writes   int      // to pixels, in all paint operations
	// Pairs counts presses with a release, wherever they are. Strays counts the points of
	// drags, from press to release, that lie neither in the closed canvas nor on a button.
	// See docs/spec/drawingbench.md#r75.
	Pairs, Strays int
	// Limited tells that the session was broken off because it cost too much.
	Limited bool
}

// What paint operations cost beside their pixels, in writes to a pixel: a stroke is
// outlined, a shape copies the picture's rows. See
// docs/spec/drawingbench.md#r56.
const (
	strokeCost = 500
	shapeCost  = 20_000
)

// maxHistory is how many pictures undo can reach. See
// docs/spec/drawingbench.md#r54.
const maxHistory = 50

// player is the drawing app while a session runs.
type player struct {
	canvas         *canvas.Canvas
	out            Session
	x, y           float64 // of the mouse, screen px
	lastX, lastY   float64 // end of the stroke so far, canvas px
	startX, startY float64 // where the shape was pressed, canvas px
	beforeShape    *canvas.Snapshot
	roundCorners   bool               // of rectangles from now on
	history        []*canvas.Snapshot // for undo; nil where the answer has no undo or redo
	at             int                // index of the current picture in history
	open           Element            // the drag under way
	held           bool               // between press and release, on the canvas or off it
	work           int                // cost so far, in writes to a pixel
}

// play plays a list of actions on a white canvas. A value that is no list does nothing. most
// limits what the session may cost, in writes to a pixel.
func play(v *pyjson.Value, c *canvas.Canvas, most int) Session {
	p := &player{canvas: c}
	p.out.State = State{Tool: "pen", Colour: "#000000", Size: 2}
	if v.Kind != pyjson.List {
		return p.out
	}
	actions := v.Items()
	if slices.ContainsFunc(actions, isUndoOrRedo) {
		p.history = []*canvas.Snapshot{c.Snapshot()}
	}
	for i := range actions {
		if !p.act(&actions[i]) {
			p.out.Skipped++
		}
		if p.work > most {
			p.out.Limited = true
			break
		}
	}
	return p.out
}

// isUndoOrRedo reports whether an action needs the history of pictures.
func isUndoOrRedo(v pyjson.Value) bool {
	a := v.Get("action")
	return a != nil && a.Kind == pyjson.Str && (a.S == "undo" || a.S == "redo")
}

// act plays one mouse action on the drawing app. It returns false where the action fails. See
// docs/spec/drawingbench.md#r49.
func (p *player) act(v *pyjson.Value) bool {
	name := v.Get("action")
	if name == nil || name.Kind != pyjson.Str {
		return false
	}
	switch name.S {
	case "undo":
		p.step(-1)
		return true
	case "redo":
		p.step(1)
		return true
	case "moveTo", "click", "mouseDown", "mouseUp":
	default:
		return false
	}
	x, y := p.x, p.y
	if v.Get("x") != nil || name.S == "moveTo" {
		if v.Get("x") == nil || v.Get("y") == nil {
			return false
		}
		x, y = coordinate(v.Get("x")), coordinate(v.Get("y"))
	}
	p.countDrags(name.S, x, y)
	switch name.S {
	case "moveTo":
		p.move(x, y)
	case "click":
		p.click(x, y)
	case "mouseDown":
		p.press(x, y)
	case "mouseUp":
		p.release(x, y)
	}
	return true
}

// countDrags counts releases after a press (Pairs), and what was done off the canvas and off all
// buttons while the mouse was pressed (Strays). Unlike the app, they take in presses off the
// canvas.
func (p *player) countDrags(name string, x, y float64) {
	switch name {
	case "click":
		return
	case "mouseDown":
		p.held = true
	case "mouseUp":
		if p.held {
			p.out.Pairs++
		}
	}
	in := x >= layout.Left && x <= layout.Left+layout.Width && y >= layout.Top && y <= layout.Top+layout.Height
	if p.held && !in && buttonAt(x, y) == nil {
		p.out.Strays++
	}
	if name == "mouseUp" {
		p.held = false
	}
}

// notePainted adds the last paint operation to the session's counts and inks, and returns what
// it did to the canvas. cost is what it cost beside its pixels.
func (p *player) notePainted(k Kind, cost int) canvas.Mark {
	m := p.canvas.Take()
	p.out.Writes += m.Writes
	p.work += m.Writes + cost
	if m.Writes == 0 {
		return m
	}
	for i := range p.out.Inks {
		ink := &p.out.Inks[i]
		if ink.Kind == k && ink.Colour == p.out.State.Colour {
			ink.Changed = ink.Changed || m.Changed > 0
			return m
		}
	}
	p.out.Inks = append(p.out.Inks, Ink{k, p.out.State.Colour, m.Changed > 0})
	return m
}

// coordinate converts the coordinate of a mouse action as the app does: numeric strings are
// numbers, null and "" are 0, other values are NaN.
func coordinate(v *pyjson.Value) float64 {
	switch {
	case v.Number():
		return v.F
	case v.Kind == pyjson.None || v.Kind == pyjson.Str && v.S == "":
		return 0
	case v.Kind == pyjson.Str:
		f, ok := pyjson.ParseFloat(v.S)
		if ok {
			return f
		}
	}
	return math.NaN()
}

// move moves the mouse. In a drag with pen or eraser it strokes a segment, and makes the
// corners of later rectangles round. See docs/spec/drawingbench.md#r50 and
// docs/spec/drawingbench.md#r63.
func (p *player) move(x, y float64) {
	p.x, p.y = x, y
	s := &p.out.State
	if !s.Drawing || s.Tool != "pen" && s.Tool != "eraser" {
		return
	}
	cx, cy := x-layout.Left, y-layout.Top
	p.roundCorners = true
	p.canvas.Segment(p.lastX, p.lastY, cx, cy, float64(s.Size), paletteColour(s.Colour), s.Tool == "eraser")
	p.open.Kind, p.open.Colour = Kind(s.Tool), s.Colour
	p.open.addPainted(p.notePainted(Kind(s.Tool), strokeCost))
	p.open.extendBox(cx, cy)
	p.lastX, p.lastY = cx, cy
}

// addPainted adds what a paint operation did to the element.
func (e *Element) addPainted(m canvas.Mark) {
	e.Painted.Box = e.Painted.Box.Union(m.Box)
	e.Painted.Changed += m.Changed
	e.Painted.Writes += m.Writes
}

// extendBox extends the element's box to a point in canvas px. NaN extends nothing.
func (e *Element) extendBox(x, y float64) {
	if math.IsNaN(x) || math.IsNaN(y) {
		return
	}
	b := &e.Box
	b[0], b[1], b[2], b[3] = min(b[0], x), min(b[1], y), max(b[2], x), max(b[3], y)
}

// click selects a button, or paints a dot or a fill. See
// docs/spec/drawingbench.md#r51.
func (p *player) click(x, y float64) {
	if b := buttonAt(x, y); b != nil {
		p.selectButton(b)
		return
	}
	if !onCanvas(x, y) {
		return
	}
	s := &p.out.State
	cx, cy := x-layout.Left, y-layout.Top
	e := Element{Kind: Dot, Colour: s.Colour, Box: [4]float64{cx, cy, cx, cy}}
	if !isShapeTool(s.Tool) {
		e.Kind = Kind(s.Tool)
	}
	if s.Tool == "fill" {
		n := p.canvas.Fill(int(math.Floor(cx)), int(math.Floor(cy)), paletteColour(s.Colour))
		if n > 0 {
			p.out.Fills = append(p.out.Fills, n)
		}
	} else {
		p.canvas.Disc(cx, cy, float64(s.Size), paletteColour(s.Colour), s.Tool == "eraser")
	}
	e.Painted = p.notePainted(e.Kind, strokeCost)
	if s.Tool == "fill" {
		r := e.Painted.Box
		e.Box = [4]float64{float64(r.Min.X), float64(r.Min.Y), float64(r.Max.X), float64(r.Max.Y)}
	}
	p.out.Elements = append(p.out.Elements, e)
	p.keepForUndo()
}

// selectButton sets the tool, the colour or the stroke width that a button stands for.
func (p *player) selectButton(b *button) {
	s := &p.out.State
	switch {
	case b.tool != "":
		s.Tool = b.tool
		if !slices.Contains(p.out.Selected, b.tool) {
			p.out.Selected = append(p.out.Selected, b.tool)
		}
	case b.colour != "":
		s.Colour = b.colour
	default:
		s.Size = b.size
	}
}

// isShapeTool reports whether a tool draws its shape on release, not while the mouse moves.
func isShapeTool(tool string) bool { return tool == "line" || tool == "rectangle" || tool == "circle" }

// press opens a drag on the canvas. See docs/spec/drawingbench.md#r52.
func (p *player) press(x, y float64) {
	if !onCanvas(x, y) {
		return
	}
	s := &p.out.State
	cx, cy := x-layout.Left, y-layout.Top
	s.Drawing = true
	p.lastX, p.lastY, p.startX, p.startY = cx, cy, cx, cy
	p.open = Element{Kind: Kind(s.Tool), Colour: s.Colour, Box: [4]float64{cx, cy, cx, cy}}
	if isShapeTool(s.Tool) {
		p.beforeShape = p.canvas.Snapshot()
	}
}

// release ends a drag and draws its shape. A press with one tool and a release with another
// may bring back an older picture, as in the app. See docs/spec/drawingbench.md#r53.
func (p *player) release(x, y float64) {
	s := &p.out.State
	if !s.Drawing {
		return
	}
	if isShapeTool(s.Tool) {
		if p.beforeShape != nil {
			p.canvas.Restore(p.beforeShape)
		}
		p.drawShape(x-layout.Left, y-layout.Top)
		p.beforeShape = nil
	}
	s.Drawing = false
	p.out.Elements = append(p.out.Elements, p.open)
	p.keepForUndo()
}

// drawShape paints the shape from where the mouse was pressed to x, y, canvas px.
func (p *player) drawShape(x, y float64) {
	s := &p.out.State
	size, colour := float64(s.Size), paletteColour(s.Colour)
	p.open.Kind, p.open.Colour = Kind(s.Tool), s.Colour
	switch s.Tool {
	case "line":
		p.canvas.Segment(p.startX, p.startY, x, y, size, colour, false)
		p.open.extendBox(x, y)
	case "rectangle":
		p.canvas.Rectangle(p.startX, p.startY, x, y, size, p.roundCorners, colour)
		p.open.extendBox(x, y)
	case "circle":
		r := math.Hypot(x-p.startX, y-p.startY)
		p.canvas.Circle(p.startX, p.startY, r, size, colour)
		p.open.extendBox(p.startX-r, p.startY-r)
		p.open.extendBox(p.startX+r, p.startY+r)
	}
	p.open.addPainted(p.notePainted(Kind(s.Tool), shapeCost))
}

// keepForUndo adds the picture to the history after the current one. Entries after that go,
// and the oldest where there are more than maxHistory. It does nothing without a history.
func (p *player) keepForUndo() {
	if p.history == nil {
		return
	}
	p.work += shapeCost // the rows of the next operation are copies
	p.history = append(p.history[:p.at+1], p.canvas.Snapshot())
	if len(p.history) > maxHistory {
		p.history = append(p.history[:0], p.history[1:]...)
		return
	}
	p.at++
}

// step undoes (by = -1) or redoes (by = 1) an action, if the history reaches so far.
func (p *player) step(by int) {
	at := p.at + by
	if at >= 0 && at < len(p.history) {
		p.at = at
		p.canvas.Restore(p.history[at])
	}
}
