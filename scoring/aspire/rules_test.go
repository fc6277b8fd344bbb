package aspire

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/render/scene"
	"plumb/render/view"
	"plumb/scoring/aspire/answer"
)

// TestOwnAnswer: an answer object has a key of any test; a list of one such object is one too.
func TestOwnAnswer(t *testing.T) {
	for text, want := range map[string]bool{
		`{"createShapes":[]}`: true, `{"rotation":1}`: true, `{"other":1}`: false, `[{"updateShapes":[]}]`: true, `[{"rotation":1},{"rotation":1}]`: false,
		`[]`: false, `"createShapes"`: false, `[[{"rotation":1}]]`: false,
	} {
		if got := ownAnswer(nil, "response", fastjson.MustParse(text)); got != want {
			t.Errorf("%s: got %v", text, got)
		}
	}
}

// TestQuote: text of 60 bytes stays whole, longer text is cut before a character.
func TestQuote(t *testing.T) {
	fits := strings.Repeat("a", 60)
	for s, want := range map[string]string{fits: fits, fits + "b": fits + "...", fits[:59] + "é": fits[:59] + "...", fits[:58] + "éb": fits[:58] + "é...",
		strings.Repeat("\x80", 61): "..."} {
		if got := quote(s); got != fmt.Sprintf("%q", want) {
			t.Errorf("%q: got %s; want %q", s, got, want)
		}
	}
	for i, want := range map[int]string{0: "shapes[0]", 63: "shapes[63]", 64: "shapes[64]", 100: "shapes[100]"} {
		if got := shapePath(i); got != want {
			t.Errorf("got %s; want %s", got, want)
		}
	}
}

// TestClamps: scores stay finite and coordinates within their limit.
func TestClamps(t *testing.T) {
	for x, want := range map[float64]float64{1: 1, math.Inf(1): math.MaxFloat64, math.Inf(-1): -math.MaxFloat64, -5: -5} {
		if got := clampFinite(x); got != want {
			t.Errorf("%v: got %v; want %v", x, got, want)
		}
	}
	if got := clampFinite(math.NaN()); got != -math.MaxFloat64 {
		t.Errorf("NaN: got %v; want the least number", got)
	}
	for x, want := range map[float64]float64{10: 10, 11: 10, -10: -10, -11: -10, 3: 3} {
		r := scene.Record{}
		r.X = x
		if changed := clampCoordinates(&r, 10); r.X != want || changed != (x != want) {
			t.Errorf("%v: got %v, changed %v; want %v", x, r.X, changed, want)
		}
	}
}

// TestToPage: a point is turned about its shape's origin and moved, and then through the parents.
func TestToPage(t *testing.T) {
	frame := scene.NewRecord("shape:f", scene.Frame)
	frame.X, frame.Y, frame.Rotation = 100, 50, math.Pi/2
	child := scene.NewRecord("shape:c", scene.Geo)
	child.X, child.Y, child.Rotation, child.ParentID = 10, 20, math.Pi/2, "shape:f"
	child.W, child.H = 30, 40
	child.Has |= scene.HasParent | scene.HasW | scene.HasH
	orphan := child
	orphan.ID, orphan.ParentID = "shape:o", "shape:none"
	w := &workspace{}
	b := &w.board
	b.reset([]scene.Record{frame, child, orphan})
	for _, c := range []struct {
		r    *scene.Record
		want scene.Point
	}{
		{&frame, scene.Point{X: 100 - 3, Y: 50 + 7}},               // (7, 3) turned a quarter is (-3, 7)
		{&child, scene.Point{X: 100 - (20 + 7), Y: 50 + (10 - 3)}}, // (7, 27) in the frame
		{&orphan, scene.Point{X: 10 - 3, Y: 20 + 7}},
	} {
		if got := b.toPage(c.r, scene.Point{X: 7, Y: 3}); math.Hypot(got.X-c.want.X, got.Y-c.want.Y) > 1e-9 {
			t.Errorf("%s: got %v; want %v", c.r.ID, got, c.want)
		}
	}
	// The child's corners lie at (10, 20) to (-30, 50) in the frame, so at (50, 20) to (80, 60).
	got, want := w.board.pageBox(&child), view.Box{X: 50, Y: 20, W: 30, H: 40}
	if math.Abs(got.X-want.X)+math.Abs(got.Y-want.Y)+math.Abs(got.W-want.W)+math.Abs(got.H-want.H) > 1e-9 {
		t.Errorf("got the box %v; want %v", got, want)
	}
}

// TestShownBounds: the canvas is shown, and what lies beside it more than the width of a stroke, as
// long as the picture stays below 3000 px.
func TestShownBounds(t *testing.T) {
	one := func(x, y, w, h float64) *scene.Scene {
		r := scene.NewRecord("shape:a", scene.Geo)
		r.X, r.Y, r.W, r.H = x, y, w, h
		r.Has |= scene.HasX | scene.HasY | scene.HasW | scene.HasH
		s, err := scene.Resolve([]scene.Record{r}, nil, scene.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	inside := one(100, 100, 50, 50)
	if b, ok, err := view.ContentBounds(inside, nil); err != nil || !ok || b.W < 50 || b.W > 60 {
		t.Fatalf("got %v, %v, %v of a box of 50 px", b, ok, err)
	}
	for _, c := range []struct {
		name string
		s    *scene.Scene
		want bool // more than the canvas
	}{
		{"inside", inside, false}, {"nothing", &scene.Scene{}, false},
		{"up to the left edge", one(-4, 100, 50, 50), false}, {"beyond it", one(-20, 100, 50, 50), true},
		{"up to the top", one(100, -4, 50, 50), false}, {"beyond it", one(100, -20, 50, 50), true},
		{"up to the right edge", one(1354, 100, 50, 50), false}, {"beyond it", one(1370, 100, 50, 50), true},
		{"up to the bottom", one(100, 754, 50, 50), false}, {"beyond it", one(100, 770, 50, 50), true},
		{"too far right", one(3100, 100, 50, 50), false}, {"too far down", one(100, 3100, 50, 50), false},
		{"far right", one(2800, 100, 50, 50), true}, {"far down", one(100, 2800, 50, 50), true},
	} {
		for _, scenes := range [][2]*scene.Scene{{c.s, inside}, {inside, c.s}} {
			if got := shownBounds(scenes[0], scenes[1]); (got != canvas) != c.want {
				t.Errorf("%s: got %v; want more than the canvas: %v", c.name, got, c.want)
			}
		}
	}
	far := one(2800, 100, 50, 50)
	content, _, _ := view.ContentBounds(far, nil)
	if got := shownBounds(inside, far); got != boxUnion(canvas, padded(content)) {
		t.Errorf("got %v; want the canvas with the shape and its padding", got)
	}
}

// TestNames: one of two names is false or true, another none.
func TestNames(t *testing.T) {
	read := oneOfTwo("no", "yes")
	for s, want := range map[string][2]bool{"no": {false, true}, "yes": {true, true}, "other": {false, false}} {
		if value, ok := read(s); value != want[0] || ok != want[1] {
			t.Errorf("%s: got %v, %v; want %v", s, value, ok, want)
		}
	}
	for x, want := range map[float64][2]bool{-1: {false, false}, 0: {false, true}, 1: {true, true}} {
		if positive(x) != want[0] || nonNegative(x) != want[1] {
			t.Errorf("%v: got %v, %v; want %v", x, positive(x), nonNegative(x), want)
		}
	}
}

// TestTextLimits: ids and texts may have as many bytes as the limit says, the prefix of an id
// included.
func TestTextLimits(t *testing.T) {
	c := &cleaner{maxText: 10}
	value := func(s string) answer.Value {
		var f answer.Found
		w := &workspace{suite: newSuite(Config{}), notes: &notes{}, test: findTest("maze")}
		if err := w.readResponse(fastjson.MustParse(`"{\"createShapes\":\"` + s + `\"}"`)); err != nil {
			t.Fatal(err)
		}
		f = w.answer
		return f.Value.Get("createShapes")
	}
	for s, want := range map[string]string{"abcd": "shape:abcd", "abcde": "", "": ""} {
		if got, ok := c.cleanID(value(s)); got != want || ok != (want != "") {
			t.Errorf("id %q: got %q, %v; want %q", s, got, ok, want)
		}
	}
	for s, want := range map[string]bool{"0123456789": true, "01234567890": false} {
		var r scene.Record
		at := func(r *scene.Record) *string { return &r.ID }
		if ok := stringReader(at)(c, &r, value(s)); ok != want || (r.ID == s) != want {
			t.Errorf("text %q: got %v and %q; want it taken: %v", s, ok, r.ID, want)
		}
	}
}

// TestNoPoints: a stroke without points in any segment is not drawn.
func TestNoPoints(t *testing.T) {
	points := []scene.Pressed{{}}
	for _, c := range []struct {
		kind     scene.Kind
		segments []scene.Segment
		want     bool
	}{
		{scene.Draw, nil, true}, {scene.Draw, []scene.Segment{{}}, true}, {scene.Draw, []scene.Segment{{}, {Points: points}}, false},
		{scene.Highlight, []scene.Segment{{}}, true}, {scene.Geo, nil, false},
	} {
		r := scene.NewRecord("shape:a", c.kind)
		r.Segments = slices.Clone(c.segments)
		if got := hasNoPoints(r); got != c.want {
			t.Errorf("kind %v with %d segments: got %v", c.kind, len(c.segments), got)
		}
	}
}

// TestInitialsBounds: a whiteboard of an eighth of the cache is kept, and the cache holds no more
// than its bytes.
func TestInitialsBounds(t *testing.T) {
	if newBoardCache(0) != nil || newBoardCache(-1) != nil || newBoardCache(1) == nil {
		t.Error("want a cache for a positive number of bytes, and none for others")
	}
	c := newBoardCache(80)
	c.keep(boardKey{1}, &initialBoard{bytes: 11})
	if c.find(boardKey{1}) != nil {
		t.Error("a whiteboard of more than an eighth is kept")
	}
	for i := range uint64(9) {
		c.keep(boardKey{i}, &initialBoard{bytes: 10})
		c.keep(boardKey{i}, &initialBoard{bytes: 10}) // twice is once
		if c.bytes != 10*min(int(i)+1, 8) {
			t.Errorf("after %d whiteboards: got %d bytes; want at most 80", i+1, c.bytes)
		}
	}
	if c.find(boardKey{0}) != nil || c.find(boardKey{1}) == nil {
		t.Error("want the oldest whiteboard gone, and no other")
	}
}
