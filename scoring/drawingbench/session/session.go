// Package session plays mouse actions on the drawing app. In: the actions of an
// answer as Python reads them. Out: paint operations on a canvas, in order, and the
// app's state at the end. An action that fails is skipped and the run goes on, as
// in the app. It scores nothing: the published evaluator selects tools by larger
// tolerances. See docs/spec/drawingbench.md#r48.
package session

import (
	"image"
	"math"

	"plumb/scoring/pyjson"
)

// The canvas lies at (90, 70) on the screen, 1000 x 700 px. See
// docs/spec/drawingbench.md#r6.
const (
	left, top     = 90, 70
	width, height = 1000, 700
)

// Canvas is what the app draws on; places in px from its corner.
type Canvas[Picture any] interface {
	Segment(x0, y0, x1, y1, size float64, colour string, erase bool)
	Disc(x, y, size float64, colour string, erase bool)
	Rectangle(x0, y0, x1, y1, size float64, round bool, colour string)
	Circle(x, y, r, size float64, colour string)
	// Fill returns how many pixels it painted.
	Fill(x, y int, colour string) int
	Keep() Picture
	Bring(Picture)
	// Take returns what was painted since the last call.
	Take() Painted
}

// Painted is what paint operations did.
type Painted struct {
	Box     image.Rectangle // of the pixels that changed; empty where none did
	Changed int             // writes that changed a pixel
	Writes  int             // writes to a pixel, also of what was there
}

func (p *Painted) add(q Painted) {
	p.Box, p.Changed, p.Writes = p.Box.Union(q.Box), p.Changed+q.Changed, p.Writes+q.Writes
}

// State is what the app remembers.
type State struct {
	Tool    string
	Colour  string // "#RRGGBB"
	Size    int    // px
	Drawing bool
}

// Kind is what an element was made with: a tool, or "dot".
type Kind string

// Dot is a click on the canvas with a tool for shapes; clicks with the others are
// named after them.
const Dot Kind = "dot"

// Element is a press and release, a dot or a fill. See
// docs/spec/drawingbench.md#r55.
type Element struct {
	Kind    Kind
	Colour  string
	Painted Painted
	// Box is the geometry without the width of strokes, in canvas px.
	Box    [4]float64 // x0, y0, x1, y1
	Filled int        // pixels that a fill painted
}

// Ink is what was painted with in a session, whether it is still to be seen or not.
type Ink struct {
	Kind    Kind
	Colour  string
	Changed bool // it changed a pixel; otherwise it touched the canvas only
}

// Result is what a session left behind, beside the picture.
type Result struct {
	State    State
	Elements []Element
	Fills    []int // pixels painted by each fill that painted any
	Selected []string
	Skipped  int   // actions that failed
	Inks     []Ink // that touched the canvas, in order of appearance
	Writes   int   // to pixels, in all paint operations
	// Pairs are presses with a release, wherever they are. Strays are the points
	// of drags, from press to release, that lie neither in the closed canvas nor on
	// a button. See docs/spec/drawingbench.md#r75.
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

// player is a session that runs.
type player[Picture any] struct {
	canvas         Canvas[Picture]
	out            Result
	x, y           float64 // of the mouse, screen px
	lastX, lastY   float64 // of the stroke, canvas px
	startX, startY float64 // of the shape
	temp           *Picture
	round          bool
	history        []Picture // nil where nothing is undone
	at             int
	open           Element
	held           bool // between press and release, wherever they are
	work           int  // what it has cost so far, in writes to a pixel
}

// Run plays a list of actions on a white canvas. A value that is no list does
// nothing. most is what the session may cost, in writes to a pixel.
func Run[Picture any](v *pyjson.Value, c Canvas[Picture], most int) Result {
	p := &player[Picture]{canvas: c}
	p.out.State = State{Tool: "pen", Colour: "#000000", Size: 2}
	if v.Kind != pyjson.List {
		return p.out
	}
	if undoes(v.Items()) {
		p.history = []Picture{c.Keep()}
	}
	for i := range v.Items() {
		if !p.act(&v.Items()[i]) {
			p.out.Skipped++
		}
		if p.work > most {
			p.out.Limited = true
			break
		}
	}
	return p.out
}

// undoes reports whether history matters.
func undoes(list []pyjson.Value) bool {
	for i := range list {
		if a := list[i].Get("action"); a != nil && a.Kind == pyjson.Str && (a.S == "undo" || a.S == "redo") {
			return true
		}
	}
	return false
}

// act does one action. It returns false where the action fails. See
// docs/spec/drawingbench.md#r49.
func (p *player[Picture]) act(v *pyjson.Value) bool {
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
	p.follow(name.S, x, y)
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

// follow counts pairs and strays, which do not depend on where a press is.
func (p *player[Picture]) follow(name string, x, y float64) {
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
	if in := x >= left && x <= left+width && y >= top && y <= top+height; p.held && !in && buttonAt(x, y) == nil {
		p.out.Strays++
	}
	if name == "mouseUp" {
		p.held = false
	}
}

// painted notes what one paint operation did.
func (p *player[Picture]) painted(k Kind, cost int) Painted {
	m := p.canvas.Take()
	p.out.Writes += m.Writes
	p.work += m.Writes + cost
	if m.Writes == 0 {
		return m
	}
	for i := range p.out.Inks {
		if ink := &p.out.Inks[i]; ink.Kind == k && ink.Colour == p.out.State.Colour {
			ink.Changed = ink.Changed || m.Changed > 0
			return m
		}
	}
	p.out.Inks = append(p.out.Inks, Ink{k, p.out.State.Colour, m.Changed > 0})
	return m
}

// coordinate converts a value as the app does: numeric strings are numbers, null is
// 0, other values are NaN.
func coordinate(v *pyjson.Value) float64 {
	switch {
	case v.Number():
		return v.F
	case v.Kind == pyjson.None:
		return 0
	case v.Kind == pyjson.Str:
		if f, ok := pyjson.ParseFloat(v.S); ok {
			return f
		}
		if v.S == "" {
			return 0
		}
	}
	return math.NaN()
}

// move strokes a segment in a drag with pen or eraser, and makes later corners
// round. See docs/spec/drawingbench.md#r50 and
// docs/spec/drawingbench.md#r63.
func (p *player[Picture]) move(x, y float64) {
	p.x, p.y = x, y
	s := &p.out.State
	if !s.Drawing || s.Tool != "pen" && s.Tool != "eraser" {
		return
	}
	cx, cy := x-left, y-top
	p.round = true
	p.canvas.Segment(p.lastX, p.lastY, cx, cy, float64(s.Size), s.Colour, s.Tool == "eraser")
	p.open.Kind, p.open.Colour = Kind(s.Tool), s.Colour
	p.open.Painted.add(p.painted(Kind(s.Tool), strokeCost))
	p.extend(cx, cy)
	p.lastX, p.lastY = cx, cy
}

// extend grows the open element's box.
func (p *player[Picture]) extend(x, y float64) {
	if math.IsNaN(x) || math.IsNaN(y) {
		return
	}
	b := &p.open.Box
	b[0], b[1], b[2], b[3] = min(b[0], x), min(b[1], y), max(b[2], x), max(b[3], y)
}

// click selects a button, or paints a dot or a fill. See
// docs/spec/drawingbench.md#r51.
func (p *player[Picture]) click(x, y float64) {
	s := &p.out.State
	if b := buttonAt(x, y); b != nil {
		switch {
		case b.tool != "":
			s.Tool = b.tool
			p.choose(b.tool)
		case b.colour != "":
			s.Colour = b.colour
		default:
			s.Size = b.size
		}
		return
	}
	if !onCanvas(x, y) {
		return
	}
	cx, cy := x-left, y-top
	e := Element{Kind: Dot, Colour: s.Colour, Box: [4]float64{cx, cy, cx, cy}}
	if !shape(s.Tool) {
		e.Kind = Kind(s.Tool)
	}
	if s.Tool == "fill" {
		e.Filled = p.canvas.Fill(int(math.Floor(cx)), int(math.Floor(cy)), s.Colour)
		if e.Filled > 0 {
			p.out.Fills = append(p.out.Fills, e.Filled)
		}
	} else {
		p.canvas.Disc(cx, cy, float64(s.Size), s.Colour, s.Tool == "eraser")
	}
	e.Painted = p.painted(e.Kind, strokeCost)
	if r := e.Painted.Box; s.Tool == "fill" {
		e.Box = [4]float64{float64(r.Min.X), float64(r.Min.Y), float64(r.Max.X), float64(r.Max.Y)}
	}
	p.out.Elements = append(p.out.Elements, e)
	p.push()
}

func (p *player[Picture]) choose(tool string) {
	for _, t := range p.out.Selected {
		if t == tool {
			return
		}
	}
	p.out.Selected = append(p.out.Selected, tool)
}

func shape(tool string) bool { return tool == "line" || tool == "rectangle" || tool == "circle" }

// press opens a drag on the canvas. See docs/spec/drawingbench.md#r52.
func (p *player[Picture]) press(x, y float64) {
	if !onCanvas(x, y) {
		return
	}
	s := &p.out.State
	cx, cy := x-left, y-top
	s.Drawing = true
	p.lastX, p.lastY, p.startX, p.startY = cx, cy, cx, cy
	p.open = Element{Kind: Kind(s.Tool), Colour: s.Colour, Box: [4]float64{cx, cy, cx, cy}}
	if shape(s.Tool) {
		t := p.canvas.Keep()
		p.temp = &t
	}
}

// release draws the shape of a drag and ends it. See
// docs/spec/drawingbench.md#r53.
func (p *player[Picture]) release(x, y float64) {
	s := &p.out.State
	if !s.Drawing {
		return
	}
	if shape(s.Tool) {
		if p.temp != nil {
			p.canvas.Bring(*p.temp)
		}
		p.draw(x-left, y-top)
		p.temp = nil
	}
	s.Drawing = false
	p.out.Elements = append(p.out.Elements, p.open)
	p.push()
}

// draw paints the shape from where the mouse was pressed to x, y.
func (p *player[Picture]) draw(x, y float64) {
	s := &p.out.State
	size := float64(s.Size)
	p.open.Kind, p.open.Colour = Kind(s.Tool), s.Colour
	switch s.Tool {
	case "line":
		p.canvas.Segment(p.startX, p.startY, x, y, size, s.Colour, false)
		p.extend(x, y)
	case "rectangle":
		p.canvas.Rectangle(p.startX, p.startY, x, y, size, p.round, s.Colour)
		p.extend(x, y)
	case "circle":
		r := math.Hypot(x-p.startX, y-p.startY)
		p.canvas.Circle(p.startX, p.startY, r, size, s.Colour)
		p.extend(p.startX-r, p.startY-r)
		p.extend(p.startX+r, p.startY+r)
	}
	p.open.Painted.add(p.painted(Kind(s.Tool), shapeCost))
}

// push adds the picture to the history: entries after the current one go, and the
// oldest of more than fifty.
func (p *player[Picture]) push() {
	if p.history == nil {
		return
	}
	p.work += shapeCost // the rows of the next operation are copies
	p.history = append(p.history[:p.at+1], p.canvas.Keep())
	if len(p.history) > maxHistory {
		p.history = append(p.history[:0], p.history[1:]...)
		return
	}
	p.at++
}

// step goes back or forth in the history, if there is anything.
func (p *player[Picture]) step(by int) {
	if at := p.at + by; at >= 0 && at < len(p.history) {
		p.at = at
		p.canvas.Bring(p.history[at])
	}
}
