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

// placer follows the mouse and the tool through a list of actions, as player does, and paints nothing.
type placer struct {
	x, y    float64 // of the mouse, screen px
	at      int     // action that moved the mouse there, -1 for none
	tool    string
	open    Place
	drawing bool
	list    []Place
}

// Places returns what the actions place, without undone elements being left out. An action that fails places nothing,
// and a move that ends one drag and begins the next belongs to both. A value that is no list has none.
func Places(actions *pyjson.Value) []Place {
	p := &placer{at: -1, tool: "pen"}
	if actions.Kind != pyjson.List {
		return nil
	}
	for i := range actions.Items() {
		p.act(i, &actions.Items()[i])
	}
	return p.list
}

// act follows action i, see player.act.
func (p *placer) act(i int, v *pyjson.Value) {
	name := v.Get("action")
	if name == nil || name.Kind != pyjson.Str {
		return
	}
	x, y, at := p.x, p.y, p.at
	if v.Get("x") != nil || name.S == "moveTo" {
		if v.Get("x") == nil || v.Get("y") == nil {
			return
		}
		x, y, at = coordinate(v.Get("x")), coordinate(v.Get("y")), i
	}
	switch name.S {
	case "moveTo":
		p.x, p.y, p.at = x, y, i
		if p.drawing {
			p.open.add(i, x, y)
		}
	case "mouseDown":
		if onCanvas(x, y) {
			p.drawing, p.open = true, placed(Kind(p.tool), at, x, y)
		}
	case "mouseUp":
		if p.drawing {
			p.open.add(at, x, y)
			p.drawing, p.list = false, append(p.list, p.open)
		}
	case "click":
		p.click(at, x, y)
	}
}

// click chooses a tool, or places a dot or a fill.
func (p *placer) click(at int, x, y float64) {
	switch b := buttonAt(x, y); {
	case b != nil && b.tool != "":
		p.tool = b.tool
	case b == nil && onCanvas(x, y):
		kind := Kind(p.tool)
		if isShapeTool(p.tool) {
			kind = Dot
		}
		p.list = append(p.list, placed(kind, at, x, y))
	}
}

// placed returns a place that begins at a point, screen px.
func placed(k Kind, at int, x, y float64) Place {
	x, y = x-layout.Left, y-layout.Top
	out := Place{Kind: k, Box: [4]float64{x, y, x, y}}
	if at >= 0 {
		out.Actions = []int{at}
	}
	return out
}

// add extends the place to the point of an action, screen px. Points that are no numbers extend nothing.
func (p *Place) add(at int, x, y float64) {
	if n := len(p.Actions); at >= 0 && (n == 0 || p.Actions[n-1] < at) {
		p.Actions = append(p.Actions, at)
	}
	e := Element{Box: p.Box}
	e.extendBox(x-layout.Left, y-layout.Top)
	p.Box = e.Box
}
