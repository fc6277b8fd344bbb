package scoring

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"
)

// Identity says who made an answer, and which of several it is. The zero value of
// a field means that it is not known.
type Identity struct {
	Model         string
	Repeat        int    // from 1: the how many-th answer to the same question
	Turn          int    // from 1
	FinishReason  string // "stop", "length", ...
	Cut           string // "answer", "thought", "limit", "cell": the answer is not whole
	File, At, Key string // where a foreign dump has the answer, and what it calls it
	Asked         JSON   // the object asked of the line, nil for none: how the model was asked

	arm    [5]string // of asked: the values of armMembers
	config string    // of asked: the hash of all settings
}

// Repeated is a Suite whose lines may name the repeat by another member as well.
type Repeated interface {
	// RepeatMember is its name ("run").
	RepeatMember() string
}

// Limits of the members of an identity, in bytes: they are kept and written back.
const (
	maxWord  = 1024
	maxAsked = 64 << 10
)

var cuts = []string{"answer", "thought", "limit", "cell"}

// ReadIdentity reads the members of a dump line or a result line that say who made
// the answer. repeat is another name of the member repeat, "" for none. What is not
// there is taken from the member asked. It keeps nothing of v. An error has the code
// "bad_item" and names the member; the rest is read all the same.
func ReadIdentity(v *fastjson.Value, repeat string) (Identity, error) {
	r := identityReader{}
	who := Identity{Model: r.word(v, "", "model"), Repeat: r.count(v, "", "repeat"), Turn: r.count(v, "", "turn"),
		FinishReason: r.word(v, "", "finish_reason"), Cut: r.cut(v)}
	if repeat != "" {
		who.Repeat = agreed(&r, "repeat", repeat, who.Repeat, r.count(v, "", repeat))
	}
	r.asked(&who, v.Get("asked"))
	return who, r.error()
}

// ReadSource reads where a foreign dump has the answer, which result lines say: on
// the lines of dumps file, at and key are names of the user's own. It keeps nothing
// of v. An error is as those of ReadIdentity.
func (who *Identity) ReadSource(v *fastjson.Value) error {
	r := identityReader{}
	who.File, who.Key = r.word(v, "", "file"), r.word(v, "", "key")
	if at := v.Get("at"); at != nil && at.Type() == fastjson.TypeNumber {
		who.At = at.String()
	} else {
		who.At = r.word(v, "", "at")
	}
	return r.error()
}

// armMembers are the members of asked that say how a model was asked.
var armMembers = [5]string{"mode", "input", "setting", "format", "method"}

// identityReader keeps the first error.
type identityReader struct{ err *Error }

func (r *identityReader) error() error {
	if r.err == nil {
		return nil
	}
	return r.err
}

func (r *identityReader) fail(name, format string, args ...any) {
	if r.err == nil {
		r.err = &Error{Code: "bad_item", Message: "cannot use " + name + ": " + fmt.Sprintf(format, args...)}
	}
}

// word reads a text; null counts as absent.
func (r *identityReader) word(v *fastjson.Value, in, name string) string {
	f := v.Get(name)
	switch {
	case f == nil || f.Type() == fastjson.TypeNull:
	case f.Type() != fastjson.TypeString:
		r.fail(in+name, "got %.40s; want a string", f)
	case len(f.GetStringBytes()) > maxWord:
		r.fail(in+name, "it has %d bytes; want at most %d", len(f.GetStringBytes()), maxWord)
	default:
		return string(f.GetStringBytes())
	}
	return ""
}

// count reads an integer from 1; null counts as absent.
func (r *identityReader) count(v *fastjson.Value, in, name string) int {
	f := v.Get(name)
	if f == nil || f.Type() == fastjson.TypeNull {
		return 0
	}
	x, err := f.Float64() // tables keep columns of integers as floats
	if n := int(x); err == nil && x >= 1 && x <= 1<<31 && x == float64(n) {
		return n
	}
	r.fail(in+name, "got %.40s; want an integer from 1", f)
	return 0
}

func (r *identityReader) cut(v *fastjson.Value) string {
	if f := v.Get("cut"); f != nil && f.Type() == fastjson.TypeFalse {
		return ""
	}
	s := r.word(v, "", "cut")
	if s != "" && !slices.Contains(cuts, s) {
		r.fail("cut", "got %.40q; want false or one of %s", s, strings.Join(cuts, ", "))
		return ""
	}
	return s
}

// asked reads how the model was asked, and checks it against what the line says.
func (r *identityReader) asked(who *Identity, v *fastjson.Value) {
	if v == nil || v.Type() == fastjson.TypeNull {
		return
	}
	if v.Type() != fastjson.TypeObject {
		r.fail("asked", "got %.40s; want an object", v)
		return
	}
	text := v.MarshalTo(nil)
	if len(text) > maxAsked {
		r.fail("asked", "it has %d bytes; want at most %d", len(text), maxAsked)
		return
	}
	who.Asked = text
	who.Model = agreed(r, "model", "asked.model", who.Model, r.word(v, "asked.", "model"))
	who.Repeat = agreed(r, "repeat", "asked.repeat", who.Repeat, r.count(v, "asked.", "repeat"))
	who.Turn = agreed(r, "turn", "asked.turn", who.Turn, r.count(v, "asked.", "turn"))
	who.config = r.word(v, "asked.", "config")
	for i, name := range armMembers {
		who.arm[i] = r.word(v, "asked.", name)
	}
}

// agreed is the value that two members of a line say, or the one that says something.
func agreed[T string | int](r *identityReader, name, other string, a, b T) T {
	var none T
	if a != none && b != none && a != b {
		r.fail(name, "got %v, but %s is %v; want the same", a, other, b)
	}
	return cmp.Or(a, b)
}

// Config is the hash of all settings with which the model was asked, "" where it is
// not known.
func (who *Identity) Config() string { return who.config }

// append writes the members of a result line but asked.
func (who *Identity) append(w *writer) {
	w.text("model", who.Model)
	w.count("repeat", who.Repeat)
	w.count("turn", who.Turn)
	w.text("finish_reason", who.FinishReason)
	w.text("cut", who.Cut)
	w.text("file", who.File)
	w.text("at", who.At)
	w.text("key", who.Key)
}

// count appends a member that counts from 1.
func (w *writer) count(name string, n int) {
	if n > 0 {
		w.name(name)
		w.dst = strconv.AppendInt(w.dst, int64(n), 10)
	}
}

// Answer appends what tells a result from all others: two results of which it is
// equal are the same answer twice. A result whose line had no id is like no other:
// ok is false, and nothing is appended.
func (r *Result) Answer(dst []byte) (key []byte, ok bool) {
	dst, ok = r.Item(dst)
	if !ok {
		return dst, false
	}
	dst = append(append(dst, 0), r.Who.Model...)
	dst = strconv.AppendInt(append(dst, 0), int64(max(1, r.Who.Repeat)), 10)
	dst = append(append(dst, 0), r.Who.config...)
	for _, s := range r.Who.arm { // for an asked that has no config
		dst = append(append(dst, 0), s...)
	}
	return dst, true
}

// Item appends what tells the question of a result from all others: its suite,
// test, id and turn, and how it was put where the suite's own fields say that. A
// question whose line had no id is like no other: ok is false, and nothing is
// appended.
func (r *Result) Item(dst []byte) (key []byte, ok bool) {
	if r.ID == "" || r.Line > 0 || madeUp(r.ID) {
		return dst, false
	}
	for _, s := range []string{r.Suite, r.Test, r.ID} {
		dst = append(append(dst, s...), 0)
	}
	for _, s := range r.Strings("setting") {
		dst = append(append(dst, s...), 0)
	}
	if r.blind() {
		dst = append(dst, blind...)
	}
	return strconv.AppendInt(append(dst, 0), int64(r.Who.Turn), 10), true
}

// blind is the way to ask without the picture.
const blind = "blind"

func (r *Result) blind() bool {
	v, _ := r.Bool(blind)
	return v
}

// madeUp reports whether an id is that of a line without one: "line:" and its number.
func madeUp(id string) bool {
	n, ok := strings.CutPrefix(id, "line:")
	return ok && n != "" && strings.Trim(n, "0123456789") == ""
}

// Series is what has a row or a column of its own in tables: a model, and how it
// was asked.
type Series struct{ Model, Arm string }

// Series is the result's.
func (r *Result) Series() Series {
	s := r.Who.Series()
	switch {
	case !r.blind() || slices.Contains(strings.Split(s.Arm, "/"), blind):
	case s.Arm == "":
		s.Arm = blind
	default:
		s.Arm += "/" + blind
	}
	return s
}

// Series is the series of an answer of which nothing but who made it is known. It
// leaves out members of asked ("format") that a table has rows for anyway.
func (who *Identity) Series(without ...string) Series {
	var arm []string
	for i, s := range who.arm {
		if s != "" && !slices.Contains(without, armMembers[i]) {
			arm = append(arm, s)
		}
	}
	return Series{who.Model, strings.Join(arm, "/")}
}

// String is the series' name, "" where nothing is known of it. An arm of no model
// has another name than a model.
func (s Series) String() string {
	if s.Arm == "" {
		return s.Model
	}
	return cmp.Or(s.Model, "no model") + " · " + s.Arm
}

// Duplicate is the note on a result of which an earlier line of the dump has the
// same answer.
var Duplicate = Note{Code: "duplicate_id", Path: "id",
	Message: "an earlier line has the same model, id, test, repeat, turn and asked.config: tables count that one"}
