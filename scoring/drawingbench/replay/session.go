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
	// Drags counts presses with a release, wherever they are. StrayPoints counts the points of
	// drags, from press to release, that lie neither in the closed canvas nor on a button.
	// See docs/spec/drawingbench.md#r75.
	Drags, StrayPoints int
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
	session        Session
	x, y           float64 // of the mouse, screen px
	lastX, lastY   float64 // end of the stroke so far, canvas px
	startX, startY float64 // where the shape was pressed, canvas px
	beforeShape    *canvas.Snapshot
	roundCorners   bool               // of rectangles from now on
	history        []*canvas.Snapshot // for undo; nil where the answer has no undo or redo
	historyIndex   int                // index of the current picture in history
	openElement    Element            // the drag under way
	buttonDown     bool               // between press and release, on the canvas or off it
	work           int                // cost so far, in writes to a pixel
}

// play plays a list of mouse actions on the drawing app's white canvas and returns what the session
// leaves behind. A value that is not a list does nothing. A session that costs more than maxWork
// writes to a pixel is stopped, with Limited set.
func play(value *pyjson.Value, c *canvas.Canvas, maxWork int) Session {
	p := &player{canvas: c}
	p.session.State = State{Tool: "pen", Colour: "#000000", Size: 2}
	if value.Kind != pyjson.List {
		return p.session
	}
	actions := value.Items()
	if slices.ContainsFunc(actions, isUndoOrRedo) {
		p.history = []*canvas.Snapshot{c.Snapshot()}
	}
	for i := range actions {
		if !p.act(&actions[i]) {
			p.session.Skipped++
		}
		if p.work > maxWork {
			p.session.Limited = true
			break
		}
	}
	return p.session
}

// isUndoOrRedo reports whether an action needs the history of pictures.
func isUndoOrRedo(v pyjson.Value) bool {
	a := v.Get("action")
	return a != nil && a.Kind == pyjson.Str && (a.S == "undo" || a.S == "redo")
}

// act plays one mouse action on the drawing app. It returns false for an action that fails, which
// changes nothing. See docs/spec/drawingbench.md#r49.
func (player *player) act(value *pyjson.Value) bool {
	name := value.Get("action")
	if name == nil || name.Kind != pyjson.Str {
		return false
	}
	switch name.S {
	case "undo":
		player.stepHistory(-1)
		return true
	case "redo":
		player.stepHistory(1)
		return true
	case "moveTo", "click", "mouseDown", "mouseUp":
	default:
		return false
	}
	x, y := player.x, player.y // an action without coordinates happens where the mouse is
	if value.Get("x") != nil || name.S == "moveTo" {
		if value.Get("x") == nil || value.Get("y") == nil {
			return false
		}
		x, y = coordinate(value.Get("x")), coordinate(value.Get("y"))
	}
	player.countDrags(name.S, x, y)
	switch name.S {
	case "moveTo":
		player.move(x, y)
	case "click":
		player.click(x, y)
	case "mouseDown":
		player.press(x, y)
	case "mouseUp":
		player.release(x, y)
	}
	return true
}

// countDrags counts what the drawing app itself does not: releases of the mouse after a press (Drags),
// and presses, moves and releases off the canvas and off all buttons while the mouse button is down
// (StrayPoints). name is the kind of the action and (x, y) its point on the screen. Drags that begin off the
// canvas count too, though the app ignores them. Clicks do not count.
func (player *player) countDrags(name string, x, y float64) {
	switch name {
	case "click":
		return
	case "mouseDown":
		player.buttonDown = true
	case "mouseUp":
		if player.buttonDown {
			player.session.Drags++
		}
	}
	onCanvasOrBorder := x >= layout.Left && x <= layout.Left+layout.Width && y >= layout.Top &&
		y <= layout.Top+layout.Height
	if player.buttonDown && !onCanvasOrBorder && buttonAt(x, y) == nil {
		player.session.StrayPoints++
	}
	if name == "mouseUp" {
		player.buttonDown = false
	}
}

// notePainted takes from the canvas what the last paint operation changed, adds it to the session's
// counts and to the list of tools and colours that painted (inks), and returns it. cost is what the
// operation cost besides its pixels.
func (player *player) notePainted(kind Kind, cost int) canvas.Mark {
	painted := player.canvas.Take()
	player.session.Writes += painted.Writes
	player.work += painted.Writes + cost
	if painted.Writes == 0 {
		return painted
	}
	for i := range player.session.Inks {
		ink := &player.session.Inks[i]
		if ink.Kind == kind && ink.Colour == player.session.State.Colour {
			ink.Changed = ink.Changed || painted.Changed > 0
			return painted
		}
	}
	player.session.Inks = append(player.session.Inks, Ink{kind, player.session.State.Colour, painted.Changed > 0})
	return painted
}

// coordinate converts the coordinate of a mouse action as the app's JavaScript does: numeric
// strings are numbers, null and "" are 0, other values are NaN.
func coordinate(value *pyjson.Value) float64 {
	switch {
	case value.Number():
		return value.F
	case value.Kind == pyjson.None || value.Kind == pyjson.Str && value.S == "":
		return 0
	case value.Kind == pyjson.Str:
		f, ok := pyjson.ParseASCIIFloat(value.S)
		if ok {
			return f
		}
	}
	return math.NaN()
}

// move moves the mouse. In a drag with pen or eraser it strokes a segment, and as a side
// effect of the app makes the corners of later rectangles round. See
// docs/spec/drawingbench.md#r50 and docs/spec/drawingbench.md#r63.
func (player *player) move(x, y float64) {
	player.x, player.y = x, y
	state := &player.session.State
	if !state.Drawing || state.Tool != "pen" && state.Tool != "eraser" {
		return
	}
	canvasX, canvasY := x-layout.Left, y-layout.Top
	player.roundCorners = true
	player.canvas.Segment(player.lastX, player.lastY, canvasX, canvasY, float64(state.Size), paletteColour(state.Colour), state.Tool == "eraser")
	player.openElement.Kind, player.openElement.Colour = Kind(state.Tool), state.Colour
	player.openElement.addPainted(player.notePainted(Kind(state.Tool), strokeCost))
	player.openElement.extendBox(canvasX, canvasY)
	player.lastX, player.lastY = canvasX, canvasY
}

// addPainted adds what a paint operation did to the element.
func (element *Element) addPainted(m canvas.Mark) {
	element.Painted.Box = element.Painted.Box.Union(m.Box)
	element.Painted.Changed += m.Changed
	element.Painted.Writes += m.Writes
}

// extendBox extends the box of a drawn element to a point in canvas px. NaN extends nothing.
func (element *Element) extendBox(x, y float64) {
	if math.IsNaN(x) || math.IsNaN(y) {
		return
	}
	b := &element.Box
	b[0] = min(b[0], x)
	b[1] = min(b[1], y)
	b[2] = max(b[2], x)
	b[3] = max(b[3], y)
}

// click plays a click of the mouse: it selects the button under the mouse or, on the canvas, paints
// a dot or a fill as an element of its own. See docs/spec/drawingbench.md#r51.
func (player *player) click(x, y float64) {
	if hit := buttonAt(x, y); hit != nil {
		player.selectButton(hit)
		return
	}
	if !onCanvas(x, y) {
		return
	}
	// The element that the click makes.
	state := &player.session.State
	cx, cy := x-layout.Left, y-layout.Top
	element := Element{Kind: Dot, Colour: state.Colour, Box: [4]float64{cx, cy, cx, cy}}
	if !isShapeTool(state.Tool) {
		element.Kind = Kind(state.Tool)
	}
	// Paint it on the canvas.
	if state.Tool == "fill" {
		filled := player.canvas.Fill(int(math.Floor(cx)), int(math.Floor(cy)), paletteColour(state.Colour))
		if filled > 0 {
			player.session.Fills = append(player.session.Fills, filled)
		}
	} else {
		player.canvas.Disc(cx, cy, float64(state.Size), paletteColour(state.Colour), state.Tool == "eraser")
	}
	// Note what changed.
	element.Painted = player.notePainted(element.Kind, strokeCost)
	if state.Tool == "fill" {
		painted := element.Painted.Box
		element.Box = [4]float64{float64(painted.Min.X), float64(painted.Min.Y), float64(painted.Max.X),
			float64(painted.Max.Y)}
	}
	player.session.Elements = append(player.session.Elements, element)
	player.keepForUndo()
}

// selectButton sets the tool, the colour or the stroke width that a button of the drawing app
// stands for.
func (player *player) selectButton(button *button) {
	state := &player.session.State
	switch {
	case button.tool != "":
		state.Tool = button.tool
		if !slices.Contains(player.session.Selected, button.tool) {
			player.session.Selected = append(player.session.Selected, button.tool)
		}
	case button.colour != "":
		state.Colour = button.colour
	default:
		state.Size = button.size
	}
}

// isShapeTool reports whether a tool draws its shape on release, not while the mouse moves.
func isShapeTool(tool string) bool { return tool == "line" || tool == "rectangle" || tool == "circle" }

// press plays a press of the mouse, which begins a drag if the mouse is on the canvas. For a shape
// it keeps the picture, which release restores before it draws the shape. See
// docs/spec/drawingbench.md#r52.
func (player *player) press(x, y float64) {
	if !onCanvas(x, y) {
		return
	}
	state := &player.session.State
	cx, cy := x-layout.Left, y-layout.Top
	state.Drawing = true
	player.lastX, player.lastY, player.startX, player.startY = cx, cy, cx, cy
	player.openElement = Element{Kind: Kind(state.Tool), Colour: state.Colour, Box: [4]float64{cx, cy, cx, cy}}
	if isShapeTool(state.Tool) {
		player.beforeShape = player.canvas.Snapshot()
	}
}

// release plays a release of the mouse: it ends a drag, draws its shape and adds its element. A
// press with one tool and a release with another may bring back an older picture, as in the app.
// See docs/spec/drawingbench.md#r53.
func (player *player) release(x, y float64) {
	state := &player.session.State
	if !state.Drawing {
		return
	}
	if isShapeTool(state.Tool) {
		if player.beforeShape != nil {
			player.canvas.Restore(player.beforeShape)
		}
		player.drawShape(x-layout.Left, y-layout.Top)
		player.beforeShape = nil
	}
	state.Drawing = false
	player.session.Elements = append(player.session.Elements, player.openElement)
	player.keepForUndo()
}

// drawShape paints the shape of the selected tool on the canvas, from where the mouse was pressed
// to (x, y), in canvas px.
func (player *player) drawShape(x, y float64) {
	state := &player.session.State
	size, colour := float64(state.Size), paletteColour(state.Colour)
	player.openElement.Kind, player.openElement.Colour = Kind(state.Tool), state.Colour
	switch state.Tool {
	case "line":
		player.canvas.Segment(player.startX, player.startY, x, y, size, colour, false)
		player.openElement.extendBox(x, y)
	case "rectangle":
		player.canvas.Rectangle(player.startX, player.startY, x, y, size, player.roundCorners, colour)
		player.openElement.extendBox(x, y)
	case "circle":
		radius := math.Hypot(x-player.startX, y-player.startY)
		player.canvas.Circle(player.startX, player.startY, radius, size, colour)
		player.openElement.extendBox(player.startX-radius, player.startY-radius)
		player.openElement.extendBox(player.startX+radius, player.startY+radius)
	}
	player.openElement.addPainted(player.notePainted(Kind(state.Tool), shapeCost))
}

// keepForUndo adds the picture to the drawing app's history, after the current entry, to which undo and
// redo have moved. Entries after that are dropped, and the oldest one where there are more than
// maxHistory. It does nothing in a session without undo. Its cost counts toward maxWork, like that of
// painting.
func (player *player) keepForUndo() {
	if player.history == nil {
		return
	}
	player.work += shapeCost // a snapshot shares its rows, so the next paint operation copies those that it changes
	player.history = append(player.history[:player.historyIndex+1], player.canvas.Snapshot())
	if len(player.history) > maxHistory {
		player.history = append(player.history[:0], player.history[1:]...)
		return // the last index is still that of the new entry
	}
	player.historyIndex++
}

// stepHistory undoes (by = -1) or redoes (by = 1) an action of the drawing app, if the history has
// such an entry.
func (player *player) stepHistory(by int) {
	at := player.historyIndex + by
	if at >= 0 && at < len(player.history) {
		player.historyIndex = at
		player.canvas.Restore(player.history[at])
	}
}
