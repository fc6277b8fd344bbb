package drawingbench

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/scoring"
)

// TestMoved: drags, dots and fills are listed with the middle of their coordinates, and moved by other coordinates of their
// actions; clicks on buttons and everything else stay.
func TestMoved(t *testing.T) {
	click := func(x, y int) string { return fmt.Sprintf(`{"action":"click","x":%d,"y":%d}`, x, y) }
	circle, dot := click(35, 445), click(290, 270)
	press, release := `{"action":"mouseDown"}`, `{"action":"mouseUp"}`
	at := func(x, y string) string { return `{"action":"moveTo","x":` + x + `,"y":` + y + `}` }
	list := func(all ...string) string { return "[" + strings.Join(all, ",") + "]" }
	for _, c := range []struct{ response, parts, part, want string }{
		{list(circle, at("190", "170"), press, at("290", "170"), release), "1 circle 150,100", "",
			list(circle, at("193", "174"), press, at("293", "174"), release)},
		{list(at("190.5", `"170"`), press, release, dot, dot), "1 pen 100.5,100; 2 pen 200,200; 3 pen 200,200", "1 pen",
			list(at("193.5", "174.0"), press, release, dot, dot)},
		{list(at("190.5", `"170"`), press, release, dot, dot), "1 pen 100.5,100; 2 pen 200,200; 3 pen 200,200", "3 pen",
			list(at("190.5", `"170"`), press, release, dot, click(293, 274))},
		{list(at("190", "170"), press, at("290", `"١"`), at("290", "170"), release), "1 pen 150,100", "", // no number in JavaScript
			list(at("193", "174"), press, at("293", `"١"`), at("293", "174"), release)},
		{list(click(35, 205), dot, circle, dot), "1 fill 200,200; 2 dot 200,200", "1 fill", list(click(35, 205), click(293, 274), circle, dot)},
		{list(`{"action":"mouseDown","x":190,"y":170,"why":"a"}`, `{"action":"mouseUp","x":290,"y":170}`), "1 pen 150,100", "",
			list(`{"action":"mouseDown","x":193,"y":174,"why":"a"}`, `{"action":"mouseUp","x":293,"y":174}`)},
		{list(at("190", "170"), press, at("290", "170"), release, press, at("290", "270"), release), "1 pen 150,100; 2 pen 200,150", "2 pen",
			list(at("190", "170"), press, at("293", "174"), release, press, at("293", "274"), release)},
		{list(at("5", "5"), press, at("290", "170"), release, `7`, `{"action":"undo"}`), "", "", "!"},
		{"nothing", "", "", "!"},
	} {
		fields := fastjson.MustParse(`{"response":` + string(scoring.AppendString(nil, c.response)) + `}`)
		it := &scoring.Item{Fields: fields}
		var got []string
		for _, p := range listParts(it, nil) {
			got = append(got, fmt.Sprintf("%s %v,%v", p.Name, p.X, p.Y))
		}
		out, err := moveParts(it, nil, c.part, 3, 4)
		if err != nil {
			out = []byte("!")
		}
		if strings.Join(got, "; ") != c.parts || string(out) != c.want {
			t.Errorf("%s: got %q and, with %q moved,\n%s\nwant %q and\n%s", c.response, got, c.part, out, c.parts, c.want)
		}
	}
}

// TestUnmoved: an answer that is written anew without a move has the evaluation of the answer.
func TestUnmoved(t *testing.T) {
	for _, item := range []string{`{"response":` + string(scoring.AppendString(nil, "Here: "+pen)) + `,"criteria":{"required_tools":["circle"],"min_segments":2}}`, `{"actions":` + pen + `}`} {
		it := &scoring.Item{Fields: fastjson.MustParse(item)}
		out, err := moveParts(it, nil, "", 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		again := fastjson.MustParse(item)
		again.Del("actions")
		again.Set("response", fastjson.MustParseBytes(out))
		want, got := result(t, item, nil), result(t, again.String(), nil)
		if math.IsNaN(got.Score) || got.Score != want.Score || fmt.Sprint(got.Fields) != fmt.Sprint(want.Fields) {
			t.Errorf("%s: got %v %s; want %v %s", item, got.Score, got.Fields, want.Score, want.Fields)
		}
	}
}
