package aspire

import (
	"errors"
	"math"
	"testing"

	"plumb/render/metric"
	"plumb/render/scene"
	"plumb/render/view"
	"plumb/scoring"
)

// found acts as the renderer of the views: it reports b as the bounds of each view's content.
func found(t *testing.T, j scoring.Job, b view.Box, ok bool) []view.View {
	t.Helper()
	for i := range j.Views() {
		v := &j.Views()[i]
		if v.Content == nil {
			continue
		}
		if !errors.Is(v.Foreign, view.ErrForeign) {
			t.Errorf("view %d has no reason: %v", i, v.Foreign)
		}
		if _, err := v.Content.Bounds(b, ok); err != nil {
			t.Errorf("view %d: %v", i, err)
		}
	}
	return j.Views()
}

// TestSizesKnownElsewhere checks that tests whose pictures or centres depend on a text that is not
// native are scored with the bounds that the editor measures.
func TestSizesKnownElsewhere(t *testing.T) {
	s := New(Config{})
	const text = `{"createShapes":[{"type":"text","x":100,"y":100,"text":"a 😀"}]}`
	const shape = `[{"id":"shape:s","type":"geo","x":100,"y":100,"props":{"fill":"solid"}}]`
	box := view.Box{X: 150.5, Y: 440, W: 49, H: 70}

	j := jobOf(t, s, "maze", "[]", mazeTask, text, "")
	vs := found(t, j, box, true)
	if len(vs) != 1 || vs[0].FirstIDs == nil || len(vs[0].FirstIDs) != 0 || vs[0].Content.IDs[0] != "shape:new-0" {
		t.Fatalf("maze: got %+v; want one view of nothing that asks for the text's box", vs)
	}
	r := j.Score([]metric.Tally{{}})
	if at, _ := metricOf(&r, "centre"); r.Score != 1 || !same(at, []any{175.0, 475.0}) {
		t.Errorf("maze: got %v, centre %v; want 1 at the target", r.Score, at)
	}
	found(t, j, view.Box{}, false)
	if r = j.Score([]metric.Tally{{}}); r.Score == 1 {
		t.Error("maze: a text that the editor does not show has the centre of another one")
	}
	if r = j.Fail(scoring.Error{Code: "not_native"}); r.Err == nil || r.Scored {
		t.Errorf("maze: got %+v; want no score", r)
	}

	j = jobOf(t, s, "label", shape, `{"shape":"shape:s"}`, text, "")
	vs = found(t, j, box, true)
	if len(vs) != 1 || len(vs[0].FirstIDs) != 1 || len(vs[0].SecondIDs) != 1 || vs[0].Content.IDs != nil {
		t.Fatalf("label: got %+v; want one view of label and shape", vs)
	}
	r = j.Score([]metric.Tally{{A: metric.Sums{Covered: 40}, Both: 10}})
	if b, _ := metricOf(&r, "bounds"); r.Score != 0.25 || !same(b, []any{118.0, 408.0, 114.0, 134.0}) {
		t.Errorf("label: got %v, bounds %v; want the box with 32 px around it, rounded outwards", r.Score, b)
	}
	panels := j.(scoring.Shower).Show(&r).Panels
	if v := panels[len(panels)-1].View; len(panels) != 3 || v.Content != nil || v.Bounds != (view.Box{X: 118, Y: 408, W: 114, H: 134}) {
		t.Errorf("label: got panels %+v; want the one that was measured", panels)
	}

	j = jobOf(t, s, "balance", shape, `{}`, text, "union")
	vs = found(t, j, view.Box{X: -100, Y: 0, W: 200, H: 200}, true)
	if len(vs) != 2 || vs[0].Content != nil || vs[1].Content == nil || vs[1].Bounds != (view.Box{X: -132, Y: -32, W: 1532, H: 832}) {
		t.Fatalf("balance: got %+v; want the second to be the frame and the content", vs)
	}
	r = j.Score([]metric.Tally{tally(200, 400), tally(832, 432)})
	if at, _ := metricOf(&r, "com_after"); !near(at, []any{700.0, 400.0}) {
		t.Errorf("balance: got the centre %v; want it where the bounds say", at)
	}
}

// marksAfter returns the marks over the picture after the answer.
func marksAfter(j scoring.Job, r *scoring.Result) []scoring.Mark {
	return j.(scoring.Shower).Show(r).Panels[1].Marks
}

// boxMiddleOf returns the centre of a box.
func boxMiddleOf(b view.Box) scene.Point { return scene.Point{X: b.X + b.W/2, Y: b.Y + b.H/2} }

// TestCentresKnownElsewhere: the given shapes of the line and arrow tests too
// may have bounds that are not native.
func TestCentresKnownElsewhere(t *testing.T) {
	s := New(Config{})
	const emoji = `"props":{"richText":{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"😀 😀 😀 😀 😀 😀 😀"}]}]}}`
	shapes := func(a, b string) string {
		return `[{"id":"shape:a","type":"geo","x":0,"y":0,` + emoji + `},{"id":"shape:b","type":"geo","rotation":` + a + `,"x":` + b + `,"y":0,` + emoji + `}]`
	}
	boxes := []view.Box{{X: 0, Y: 0, W: 100, H: 100}, {X: 200, Y: 0, W: 100, H: 100}}
	answer := func(j scoring.Job) {
		t.Helper()
		if len(j.Views()) != len(boxes) {
			t.Fatalf("got %d views; want one for each shape", len(j.Views()))
		}
		for i, v := range j.Views() {
			if _, err := v.Content.Bounds(boxes[i], true); err != nil {
				t.Error(err)
			}
		}
	}
	tallies := []metric.Tally{{}, {}}

	j := jobOf(t, s, "line", shapes("0", "200"), `{"a":"shape:a","b":"shape:b"}`,
		`{"createShapes":[{"type":"line","x":50,"y":50,"points":[[0,0],[200,0]]}]}`, "aspire.page_bounds")
	if m := marksAfter(j, &scoring.Result{}); len(m) > 0 {
		t.Errorf("line before the editor has measured: got %d marks; want none", len(m))
	}
	answer(j)
	r := j.Score(tallies)
	if r.Score != 1 {
		t.Errorf("line: got %v (%v); want 1", r.Score, r.Err)
	}
	if m := marksAfter(j, &r); len(m) != 6 || m[0].A != boxMiddleOf(boxes[0]) || m[1].A != boxMiddleOf(boxes[1]) {
		t.Errorf("line: got the marks %+v; want crosses at the measured centres first", m)
	}
	for _, v := range j.Views() {
		v.Content.Bounds(boxes[0], true)
	}
	if r := j.Score(tallies); r.Scored || r.Err == nil || r.Err.Code != "bad_task" {
		t.Errorf("line between equal centres: got %v (%v); want bad_task", r.Score, r.Err)
	}

	j = jobOf(t, s, "arrow", shapes("0", "200"), `{"arrow":"shape:a","target":"shape:b"}`, `{"rotation":0}`, "aspire.page_bounds")
	answer(j)
	r = j.Score(tallies)
	if theta, _ := metricOf(&r, "theta_i"); r.Score != 0 || !near(theta, math.Pi/2) {
		t.Errorf("arrow that stays: got %v, theta_i %v; want 0, a right angle", r.Score, theta)
	}
	j = jobOf(t, s, "arrow", shapes("0", "200"), `{"arrow":"shape:a","target":"shape:b"}`, `{"rotation":1.5707963267948966}`, "aspire.page_bounds")
	answer(j)
	if r := j.Score(tallies); r.Score != 1 {
		t.Errorf("arrow that turns: got %v (%v); want 1", r.Score, r.Err)
	}
}

// TestSizesOfAnotherRelease: what tldraw 5.4 sizes in a way of its own is left to
// it, and nothing else is.
func TestSizesOfAnotherRelease(t *testing.T) {
	const text = `{"createShapes":[{"type":"text","x":100,"y":100,"text":"a"}]}`
	const line = `{"createShapes":[{"type":"draw","x":125,"y":425,"isComplete":true,"segments":[{"type":"straight","points":[[0,0],[100,100]]}]}]}`
	const star = `{"createShapes":[{"type":"geo","geo":"star","color":"red","x":125,"y":425}]}`
	for _, c := range []struct {
		name, answer string
		version      view.Version
		asked        bool
	}{
		{"text of 4.2", text, view.V4, false},
		{"text of 5.4", text, view.V5, true},
		{"freehand line of 4.2", line, view.V4, false},
		{"freehand line of 5.4", line, view.V5, true},
		{"star of 5.4", star, view.V5, false},
	} {
		j := jobOf(t, New(Config{Tldraw: c.version}), "maze", "[]", mazeTask, c.answer, "")
		if got := len(j.Views()) > 0; got != c.asked {
			t.Errorf("%s: the editor is asked: got %v; want %v", c.name, got, c.asked)
		}
	}
}
