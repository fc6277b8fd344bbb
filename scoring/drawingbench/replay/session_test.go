package replay

import (
	"fmt"
	"testing"

	"plumb/scoring/pyjson"
)

func act(name string, at ...any) string {
	switch len(at) {
	case 0:
		return fmt.Sprintf(`{"action":%q}`, name)
	case 1:
		return fmt.Sprintf(`{"action":%q,"x":%v}`, name, at[0])
	}
	return fmt.Sprintf(`{"action":%q,"x":%v,"y":%v}`, name, at[0], at[1])
}

func list(actions ...string) string {
	s := "["
	for i, a := range actions {
		if i > 0 {
			s += ","
		}
		s += a
	}
	return s + "]"
}

// TestSession plays actions on the app and counts the pixels that are not white at
// the end, between least and most. See docs/spec/drawingbench.md#r52 and
// docs/spec/drawingbench.md#r53.
func TestSession(t *testing.T) {
	const bar = 102 * 2 // a line of 100 px and 2 px width, without its caps
	rectangle, pen, line := act("click", 35, 365), act("click", 35, 45), act("click", 35, 285)
	move := func(x, y any) string { return act("moveTo", x, y) }
	down, up := act("mouseDown"), act("mouseUp")
	frame := list(rectangle, act("mouseDown", 190, 170), act("mouseUp", 290, 270))
	const framed = 102*102 - 98*98
	for _, c := range []struct {
		name     string
		actions  string
		least    int
		most     int
		skipped  int
		elements int
	}{
		{"frame", frame, framed, framed, 0, 1},
		{"undo", list(rectangle, act("mouseDown", 190, 170), act("mouseUp", 290, 270), act("undo")), 0, 0, 0, 1},
		{"redo", list(rectangle, act("mouseDown", 190, 170), act("mouseUp", 290, 270), act("undo"), act("undo"), act("redo"), act("redo")), framed, framed, 0, 1},
		{"click does not move the mouse", list(line, move(200, 200), act("click", 500, 500), down, move(300, 200), up), bar, bar + 20, 0, 2},
		{"a press off the canvas draws nothing", list(line, act("mouseDown", 1090, 300), act("mouseUp", 300, 300)), 0, 0, 0, 0},
		{"a press twice", list(line, act("mouseDown", 500, 600), act("mouseDown", 200, 200), act("mouseUp", 300, 200)), bar, bar + 20, 0, 1},
		{"x without y", list(line, act("mouseDown", 200, 200), act("mouseUp", 300), act("mouseUp", 300, 200)), bar, bar + 20, 1, 1},
		{"numbers as text", list(line, act("mouseDown", `"200"`, `"200"`), act("mouseUp", `"300"`, 200)), bar, bar + 20, 0, 1},
		{"digits of another script are no numbers in JavaScript", list(line, act("mouseDown", `"\u0662\u0660\u0660"`, 200), act("mouseUp", 300, 200)), 0, 0, 0, 0},
		{"unknown", list(act("drag", 1, 2), "{}", `"text"`, frame), 0, 0, 4, 0},
		{"a shape in a pen's drag comes on top", list(pen, move(200, 200), down, move(300, 200), rectangle, act("mouseUp", 400, 400)), bar + framed, 3 * framed, 0, 1},
		{"a stale picture comes back", list(rectangle, act("mouseDown", 200, 200), pen, move(200, 200), move(300, 200), up, // keeps the white picture
			act("mouseDown", 400, 400), line, act("mouseUp", 400, 400)), 0, 0, 0, 2},
		{"fill with a drag paints nothing", list(act("click", 35, 205), move(300, 300), down, move(400, 400), up), 0, 0, 0, 1},
	} {
		var r pyjson.Reader
		r.Reset(c.actions)
		v, err := r.All()
		if err != nil {
			t.Fatalf("%s: %v: %s", c.name, err, c.actions)
		}
		p := New().Draw(&v)
		if n := p.Stats.NonWhite; n < c.least || n > c.most || p.Skipped != c.skipped || len(p.Elements) != c.elements {
			t.Errorf("%s: got %d pixels, %d skipped, %d elements; want %d to %d, %d, %d", c.name, n, p.Skipped, len(p.Elements), c.least, c.most, c.skipped, c.elements)
		}
	}
}

// TestHistory steps back through the fifty pictures that undo reaches. See
// docs/spec/drawingbench.md#r54.
func TestHistory(t *testing.T) {
	var actions []string
	for i := range 60 {
		actions = append(actions, act("click", 100+10*i, 100))
	}
	for range 60 {
		actions = append(actions, act("undo"))
	}
	var r pyjson.Reader
	r.Reset(list(actions...))
	v, _ := r.All()
	if p := New().Draw(&v); p.Stats.NonWhite != 4*11 {
		t.Errorf("got %d pixels; want the 11 dots of the oldest picture that is kept", p.Stats.NonWhite)
	}
}

// TestFillOfNothing: a fill that paints no pixel, white on white, is none.
func TestFillOfNothing(t *testing.T) {
	for colour, want := range map[int]int{573: 0, 429: 1} {
		var r pyjson.Reader
		r.Reset(list(act("click", 35, 205), act("click", colour, 25), act("click", 500, 400)))
		v, err := r.All()
		if err != nil {
			t.Fatal(err)
		}
		if p := New().Draw(&v); len(p.Fills) != want {
			t.Errorf("the colour at %d: got the fills %v; want %d", colour, p.Fills, want)
		}
	}
}
