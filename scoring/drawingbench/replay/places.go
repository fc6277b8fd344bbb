package replay

import (
	"plumb/scoring/drawingbench/layout"
	"plumb/scoring/pyjson"
)

// Place says which actions place an element on the canvas: a drag from press to release, a dot or a fill.
type Place struct {
	Kind    Kind
	Actions []int      // those whose coordinates place it, in ascending order
	Box     [4]float64 // of these coordinates: x0, y0, x1, y1, canvas px
}

// placeFinder follows the mouse and the tool through a list of actions, as player does, and
// paints nothing.
type placeFinder struct {
	x, y      float64 // of the mouse, screen px
	movedBy   int     // action that moved the mouse there, -1 for none
	tool      string
	openPlace Place
	drawing   bool
	list      []Place
}

// Places returns the places of what the actions draw, those that an undo removes included.
// An action that fails places nothing, and a move that ends one drag and begins the next
// belongs to both. A value that is no list has none.
func Places(actions *pyjson.Value) []Place {
	finder := &placeFinder{movedBy: -1, tool: "pen"}
	if actions.Kind != pyjson.List {
		return nil
	}
	for i := range actions.Items() {
		finder.act(i, &actions.Items()[i])
	}
	return finder.list
}

// act follows mouse action i as player.act plays it, to find which actions place what is drawn:
// moves extend a drag, a press begins one and a release ends it.
func (finder *placeFinder) act(i int, value *pyjson.Value) {
	name := value.Get("action")
	if name == nil || name.Kind != pyjson.Str {
		return
	}
	// Where the mouse is, and which action moved it there.
	x, y, movedBy := finder.x, finder.y, finder.movedBy
	if value.Get("x") != nil || name.S == "moveTo" {
		if value.Get("x") == nil || value.Get("y") == nil {
			return
		}
		x, y, movedBy = coordinate(value.Get("x")), coordinate(value.Get("y")), i
	}
	switch name.S {
	case "moveTo":
		finder.x, finder.y, finder.movedBy = x, y, i
		if finder.drawing {
			finder.openPlace.extend(i, x, y)
		}
	case "mouseDown":
		if onCanvas(x, y) {
			finder.drawing, finder.openPlace = true, newPlace(Kind(finder.tool), movedBy, x, y)
		}
	case "mouseUp":
		if finder.drawing {
			finder.openPlace.extend(movedBy, x, y)
			finder.drawing, finder.list = false, append(finder.list, finder.openPlace)
		}
	case "click":
		finder.click(movedBy, x, y)
	}
}

// click follows a click of the mouse at a point in screen px. On a button it chooses a tool. On the canvas it
// draws something whose place is added to the list: a dot with the tools that draw a shape by dragging, such as
// line; with other tools what the tool does, such as a fill. action is the mouse action that moved to the
// point, -1 for none.
func (finder *placeFinder) click(action int, x, y float64) {
	switch button := buttonAt(x, y); {
	case button != nil && button.tool != "":
		finder.tool = button.tool
	case button == nil && onCanvas(x, y):
		kind := Kind(finder.tool)
		if isShapeTool(finder.tool) {
			kind = Dot
		}
		finder.list = append(finder.list, newPlace(kind, action, x, y))
	}
}

// newPlace returns the place of something drawn that begins at a point in screen px. action is the
// mouse action that moved there, -1 for none.
func newPlace(kind Kind, action int, x, y float64) Place {
	x, y = x-layout.Left, y-layout.Top
	place := Place{Kind: kind, Box: [4]float64{x, y, x, y}}
	if action >= 0 {
		place.Actions = []int{action}
	}
	return place
}

// extend extends the place of something drawn to a point in screen px, and adds the mouse action
// that moved there, -1 for none. Points that are not numbers do not extend the box.
func (place *Place) extend(action int, x, y float64) {
	if n := len(place.Actions); action >= 0 && (n == 0 || place.Actions[n-1] < action) {
		place.Actions = append(place.Actions, action)
	}
	element := Element{Box: place.Box} // for its method
	element.extendBox(x-layout.Left, y-layout.Top)
	place.Box = element.Box
}
