package aspire

import (
	"fmt"
	"strings"

	"github.com/valyala/fastjson"

	"plumb/render/scene"
	"plumb/render/view"
	"plumb/scoring"
)

// newError returns a scoring error with a code and a message.
func newError(code, format string, args ...any) *scoring.Error {
	return &scoring.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// badTask returns the error of an invalid criterion of the task.
func badTask(field, want string) *scoring.Error {
	return newError("bad_task", "cannot read task.%s: want %s", field, want)
}

// number reads a numeric member of an ASPIRE task. ok is false if it is missing, of another type or infinite.
func number(v *fastjson.Value, name string) (float64, bool) {
	member := v.Get(name)
	if member == nil || member.Type() != fastjson.TypeNumber {
		return 0, false
	}
	x := member.GetFloat64()
	return x, x-x == 0 // false for infinities and NaN
}

// positiveNumber reads a length of an ASPIRE task, which must be positive, or returns otherwise if
// it is missing or null.
func (workspace *workspace) positiveNumber(name string, otherwise float64) (float64, error) {
	if m := workspace.task.Get(name); m == nil || m.Type() == fastjson.TypeNull {
		return otherwise, nil
	}
	x, ok := number(workspace.task, name)
	if !ok || !(x > 0) {
		return 0, badTask(name, "a number > 0")
	}
	return x, nil
}

// floats reads a list of exactly n finite numbers of an ASPIRE task. ok is false for anything else.
func (workspace *workspace) floats(name string, n int) (xs []float64, ok bool) {
	list := workspace.task.GetArray(name)
	if len(list) != n {
		return nil, false
	}
	for _, v := range list {
		number := v.GetFloat64()
		isFinite := number-number == 0 // false for infinities and NaN
		if v.Type() != fastjson.TypeNumber || !isFinite {
			return nil, false
		}
		xs = append(xs, number)
	}
	return xs, true
}

// point reads the member name of an ASPIRE task as a point [x, y]. ok is false if it is missing or
// something else.
func (workspace *workspace) point(name string) (scene.Point, bool) {
	xs, ok := workspace.floats(name, 2)
	if !ok {
		return scene.Point{}, false
	}
	return scene.Point{X: xs[0], Y: xs[1]}, true
}

// frame reads the frame of the balance test, by default the whole canvas (docs/spec/aspire.md#r62).
func (workspace *workspace) frame() (view.Box, error) {
	if given := workspace.task.Get("frame"); given == nil || given.Type() == fastjson.TypeNull {
		return canvas, nil
	}
	sides, ok := workspace.floats("frame", 4)
	if !ok || workspace.suite.limits.CheckCanvas(sides[2], sides[3]) != nil {
		return view.Box{}, badTask("frame", "[x, y, w, h] of a picture within the limits")
	}
	return view.Box{X: sides[0], Y: sides[1], W: sides[2], H: sides[3]}, nil
}

// shapeID reads a shape id of the task, "" if there is none.
func (workspace *workspace) shapeID(name string) string {
	return withPrefix(string(workspace.task.GetStringBytes(name)))
}

// withPrefix returns a shape id of an ASPIRE task with the editor's prefix "shape:", which it adds
// if it is missing.
func withPrefix(id string) string {
	if id == "" || strings.HasPrefix(id, idPrefix) {
		return id
	}
	return idPrefix + id
}

// initialShape returns the initial shape whose id the ASPIRE task's member `name` holds, or an
// error that asks for one.
func (workspace *workspace) initialShape(name string) (*scene.Record, error) {
	id := workspace.shapeID(name)
	for i := range workspace.board.initial {
		if r := &workspace.board.initial[i]; r.ID == id && id != "" {
			return r, nil
		}
	}
	return nil, badTask(name, "the id of a shape of the initial scene")
}

// shapeIDs reads a set of shape ids of an ASPIRE task. ok is false if the member is not a list of strings.
func (workspace *workspace) shapeIDs(name string) (set map[string]bool, ok bool) {
	member := workspace.task.Get(name)
	if member == nil || member.Type() != fastjson.TypeArray {
		return nil, false
	}
	set = make(map[string]bool)
	for _, value := range member.GetArray() {
		if value.Type() != fastjson.TypeString {
			return nil, false
		}
		set[withPrefix(string(value.GetStringBytes()))] = true
	}
	return set, true
}

// f1 returns the F1 score of the shape ids that an answer chose against those that the test means,
// 1 if both are empty (docs/spec/aspire.md#r34).
func f1(chosen []string, meant map[string]bool) float64 {
	if len(chosen)+len(meant) == 0 {
		return 1
	}
	hits := 0
	for _, id := range chosen {
		if meant[id] {
			hits++
		}
	}
	return 2 * float64(hits) / float64(len(chosen)+len(meant))
}

// xy returns a point as the list [x, y] of a metric.
func xy(p scene.Point) []float64 { return []float64{p.X, p.Y} }
