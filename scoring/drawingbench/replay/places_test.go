package replay

import (
	"reflect"
	"testing"

	"plumb/scoring/pyjson"
)

// Each drag, dot and fill has the actions whose coordinates place it, and the box of these.
func TestPlaces(t *testing.T) {
	box := func(kind Kind, x0, y0, x1, y1 float64, actions ...int) Place {
		return Place{Kind: kind, Actions: actions, Box: [4]float64{x0, y0, x1, y1}}
	}
	for _, c := range []struct {
		name, actions string
		want          []Place
	}{
		{"a drag that the first action begins", list(act("mouseDown", 190, 170), act("moveTo", 290, 150), act("mouseUp", 250, 270)), []Place{box("pen", 100, 80, 200, 200, 0, 1, 2)}},
		{"a rectangle", list(act("click", 35, 365), act("mouseDown", 190, 170), act("moveTo", 290, 270), act("mouseUp")), []Place{box("rectangle", 100, 100, 200, 200, 1, 2)}},
		{"a move that ends one drag and begins the next", list(act("mouseDown", 190, 170), act("moveTo", 290, 270), act("mouseUp"), act("mouseDown"), act("mouseUp", 300, 300)),
			[]Place{box("pen", 100, 100, 200, 200, 0, 1), box("pen", 200, 200, 210, 230, 1, 4)}},
		{"a dot", list(act("click", 500, 400)), []Place{box("pen", 410, 330, 410, 330, 0)}},
		{"a dot of a tool for shapes", list(act("click", 35, 365), act("click", 500, 400)), []Place{box(Dot, 410, 330, 410, 330, 1)}},
		{"a colour, and a fill", list(act("click", 525, 25), act("click", 35, 205), act("click", 600, 500)), []Place{box("fill", 510, 430, 510, 430, 2)}},
		{"presses and clicks beside the canvas", list(act("mouseDown", 5, 300), act("mouseUp", 200, 200), act("click", 20, 330), act("mouseDown"), act("mouseUp", 200, 200)), nil},
		{"actions without a name or a coordinate", list(`{"x":200,"y":200}`, `{"action":7,"x":200,"y":200}`, act("mouseDown", 200), act("moveTo"), act("moveTo", 300), `{"action":"click","x":200}`, act("mouseUp", 200, 200)), nil},
		{"no list", `{"action":"click","x":500,"y":400}`, nil},
	} {
		var r pyjson.Reader
		r.Reset(c.actions)
		v, err := r.All()
		if err != nil {
			t.Fatal(err)
		}
		if got := Places(&v); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v; want %+v", c.name, got, c.want)
		}
	}
}
