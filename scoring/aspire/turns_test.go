package aspire

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/scoring"
	"plumb/testdata"
)

// applied returns a canvas of an item to which answers were applied one after another.
func applied(t *testing.T, s *suite, line []byte, answers ...string) *boardOverTurns {
	return appliedWith(t, s, nil, line, answers...)
}

// appliedWith is applied under variants.
func appliedWith(t *testing.T, s *suite, variants scoring.Variants, line []byte, answers ...string) *boardOverTurns {
	t.Helper()
	v := fastjson.MustParseBytes(line)
	it := &scoring.Item{ID: "a", Suite: suiteName, Test: string(v.GetStringBytes("test")), Fields: v}
	made, err := s.canvas(it, variants)
	if err != nil {
		t.Fatal(err)
	}
	c := made.(*boardOverTurns)
	for _, text := range answers {
		v.Set("response", fastjson.MustParseBytes(scoring.AppendString(nil, text)))
		if _, _, err := c.Apply(it); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// The merged answer of several turns leaves the board that they left, record for record, and is
// its own merged answer. See docs/spec/episodes.md#r9.
func TestMergedAnswer(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(testdata.Root(), "testdata", "aspire", "demo.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	s := newSuite(Config{})
	more := []string{"", `{"createShapes":[{"type":"star","x":1,"y":2,"text":"a\nb"},{"id":"k","type":"line","start":[0,0],"end":[5,6]},{"id":"w","type":"arrow","start":[1,2],"bend":3},{"id":"d","type":"draw","props":{"segments":[{"type":"straight","points":[[1,2],[3,4,0.25]]}]}}],"rotation":-0.5}`,
		`{"updateShapes":[{"id":"k","props":{"color":"grey"}},{"id":"w","props":{"end":{"x":-7,"y":1e-7}}},{"id":"new-0","opacity":0.3}],"deleteShapes":["d"],"createShapes":[{"type":"frame","w":9},{"id":"k2","type":"text","props":{"richText":{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"x","marks":[{"type":"bold"}]}]}]},"textAlign":"end"}}]}`}
	n := 0
	for line := range bytes.Lines(b) {
		n++
		if n%7 != 1 { // one of each kind is enough
			continue
		}
		text := string(fastjson.GetBytes(line, "response"))
		initial := fastjson.GetBytes(line, "shapes", "0", "id")
		touch := `{"updateShapes":[{"id":"` + string(initial) + `","x":-3.25,"props":{"color":"red","w":17}}]}`
		gone := `{"deleteShapes":["` + string(initial) + `"]}`
		back := `{"createShapes":[{"id":"` + string(initial) + `","type":"ellipse","w":5,"h":6}]}`
		for _, answers := range [][]string{{text}, append([]string{text, touch}, more...), append(append([]string{touch}, more...), text), {touch, gone, more[1], back}, {text, gone}, {more[1], more[1], more[2]}} {
			c := applied(t, s, line, answers...)
			merged := c.AppendAnswer(nil)
			again := applied(t, s, line, string(merged))
			if got := again.AppendAnswer(nil); !bytes.Equal(got, merged) {
				t.Errorf("line %d: the merged answer\n%s\nleaves\n%s", n, merged, got)
			}
			if again.totalRotation != c.totalRotation {
				t.Errorf("line %d: got rotation %v; want %v", n, again.totalRotation, c.totalRotation)
			}
			if got, want := again.workspace.board.final(), c.workspace.board.final(); !reflect.DeepEqual(got, want) {
				t.Errorf("line %d: %q: got\n%+v\nwant\n%+v", n, answers, got, want)
			}
		}
	}
}

// Under the variant arrow.accept_update, turns of the arrow by rotation and by update add up in one
// answer that scores as the board that they left. See docs/spec/episodes.md#r9.
func TestMergedUpdatesOfArrow(t *testing.T) {
	line := []byte(`{"test":"arrow","shapes":` + arrow90 + `,"task":` + arrowTask + `}`)
	s := newSuite(Config{})
	accept := scoring.Variants{ArrowAcceptUpdate: ""}
	update := func(turn string) string {
		return `{"updateShapes":[{"id":"blue-arrow","rotation":` + turn + `}]}`
	}
	for _, c := range []struct {
		variants scoring.Variants
		answers  []string
		status   string
		rotation float64 // of the arrow in the end, radians
	}{
		{accept, []string{`{"rotation":0.5}`, update("1"), `{"rotation":0.25}`}, "bare", 1.25},
		{accept, []string{`{"rotation":0.5}`, update("1")}, "bare", 1},
		{accept, []string{update("1"), `{"updateShapes":[{"id":"blue-arrow","x":7}]}`}, noAnswer, 1},
		{accept, []string{update("1"), `{"updateShapes":[{"id":"green-circle","rotation":2}]}`}, noAnswer, 1},
		{accept, []string{update("1"), `{"shape":"green-circle","rotation":2}`}, otherShape, 1},
		{nil, []string{`{"rotation":0.5}`, update("1")}, noAnswer, 0.5},
	} {
		board := appliedWith(t, s, c.variants, line, c.answers...)
		merged := board.AppendAnswer(nil)
		again := appliedWith(t, s, c.variants, line, string(merged))
		left, err := board.View()
		if err != nil {
			t.Fatal(err)
		}
		repeated, err := again.View()
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(left.Scene, repeated.Scene) {
			t.Errorf("%q: the merged answer %s leaves another board", c.answers, merged)
		}
		v := fastjson.MustParseBytes(line)
		v.Set("response", fastjson.MustParseBytes(scoring.AppendString(nil, c.answers[len(c.answers)-1])))
		if status, _, _ := appliedWith(t, s, c.variants, line, c.answers[:len(c.answers)-1]...).Apply(&scoring.Item{ID: "a", Suite: suiteName, Test: "arrow", Fields: v}); status != c.status {
			t.Errorf("%q: got status %s; want %s", c.answers, status, c.status)
		}
		i := 0
		for left.Scene.Shapes[i].ID != board.arrowID {
			i++
		}
		if got := left.Scene.Shapes[i].Rotation; got != c.rotation {
			t.Errorf("%q: got rotation %v; want %v", c.answers, got, c.rotation)
		}
	}
}
