package aspire

import (
	"strings"
	"testing"

	"plumb/scoring"
)

// noted reports whether the list has a note with this code and text.
func noted(list []scoring.Note, code, text string) bool {
	for _, n := range list {
		if n.Code == code && strings.Contains(n.Message, text) {
			return true
		}
	}
	return false
}

// An answer that leaves a whiteboard which cannot be drawn is a bad one; a scorer
// that failed, or a task that cannot be drawn itself, has no score.
func TestBlame(t *testing.T) {
	const (
		shapes = `[{"id":"shape:s1","type":"geo","x":10,"y":10,"props":{"w":50,"h":50}}]`
		huge   = `[{"id":"shape:s1","type":"geo","x":10,"y":10,"props":{"w":900000,"h":50}}]`
		adds   = `{"createShapes":[{"type":"geo","x":1}]}`
		none   = `{"createShapes":[]}`
		emoji  = `[{"id":"shape:s1","type":"text","x":10,"y":10,"props":{"richText":{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"😀"}]}]}}}]`
	)
	for _, c := range []struct {
		name, shapes, answer, code string
		bad                        bool
	}{
		{"refused by the editor", shapes, adds, "bad_scene", true},
		{"over a limit", shapes, adds, "limit", true},
		{"the scorer", shapes, adds, "backend", false},
		{"the deadline", shapes, adds, "deadline", false},
		{"no editor", shapes, adds, "not_native", false},
		{"an unchanged board", shapes, none, "bad_scene", false},
		{"the task's own size", huge, adds, "limit", false},
		{"a task whose size the editor alone knows", emoji, adds, "limit", true},
	} {
		j := jobOf(t, New(Config{}), "balance", c.shapes, `{"frame":[0,0,700,400]}`, c.answer, "")
		r := j.Fail(scoring.Error{Code: c.code, Message: "cannot draw it"})
		if r.Scored != c.bad || r.Score != 0 || (r.Err == nil) != c.bad || noted(r.Notes, Unusable, "cannot draw it") != c.bad {
			t.Errorf("%s: got %v, %v, %v; want a bad answer: %v", c.name, r.Scored, r.Err, r.Notes, c.bad)
		}
	}
}
