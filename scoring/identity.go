package scoring

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"

	"plumb/render/jsontree"
)

// Identity says who made an answer: the model, which of its answers to the question it is, and
// where it was found. The zero value of a field means that it is not known.
type Identity struct {
	Model         string
	Repeat        int    // from 1: the number of the answer among those to the same question
	Turn          int    // from 1
	FinishReason  string // "stop", "length", ...
	Cut           string // where a truncated answer ends: one of cuts; "" for a whole one
	File, At, Key string // file, position and id of the answer in another program's dump
	Asked         *Asked // nil for none
}

// Asked holds the member asked: the settings with which the model was asked.
type Asked struct {
	JSON   JSON                    // the object
	Config string                  // the hash of all settings; "" where it is unknown
	arm    [len(armMembers)]string // the values of armMembers
	usage  usage
}

// unasked is the Asked of a line without the member.
var unasked Asked

// Settings returns how the model was asked (who.Asked), or an empty value where that is nil.
func (who *Identity) Settings() *Asked {
	if who.Asked == nil {
		return &unasked
	}
	return who.Asked
}

// Limits of the members of an identity in bytes, because results repeat them.
const (
	maxWord  = 1024
	maxAsked = 64 << 10
)

// cuts are the values of the member cut: the part of the answer in which it ends.
var cuts = []string{"answer", "thought", "limit", "cell"}

// ReadIdentity reads the identity of the answer from a dump line or a result line. Members
// that are absent are taken from the member asked; where both are there they must agree.
// repeat is another name of the member repeat, "" for none. It keeps no reference to value. The
// error has the code "bad_item" and names the first faulty member; the other members are
// read even then. See docs/spec/cli.md#r25.
func ReadIdentity(value *fastjson.Value, repeat string) (Identity, error) {
	reader := identityReader{}
	who := Identity{Model: reader.stringMember(value, "", "model"), Repeat: reader.countMember(value, "", "repeat"),
		Turn:         reader.countMember(value, "", "turn"),
		FinishReason: reader.stringMember(value, "", "finish_reason"), Cut: reader.cutMember(value)}
	if repeat != "" {
		who.Repeat = agreedValue(&reader, "repeat", repeat, who.Repeat, reader.countMember(value, "", repeat)) // two names, one value
	}
	reader.readAsked(&who, value.Get("asked"))
	return who, reader.firstError()
}

// ReadSource reads the members file, at and key of a result line, which locate the
// answer in a foreign dump. It must not be called for dump lines, where users may give
// these members another meaning. It keeps no reference to value. Errors are as for
// ReadIdentity.
func (who *Identity) ReadSource(value *fastjson.Value) error {
	reader := identityReader{}
	const path = "" // in messages: the members are at the top of the line
	who.File, who.Key = reader.stringMember(value, path, "file"), reader.stringMember(value, path, "key")
	if at := value.Get("at"); at != nil && at.Type() == fastjson.TypeNumber { // a line number
		who.At = at.String()
	} else { // a place in words, such as a cell of a table
		who.At = reader.stringMember(value, path, "at")
	}
	return reader.firstError()
}

// armMembers are the members of asked that distinguish the ways to ask a model. An arm is one such way:
// the values of all members together.
var armMembers = [5]string{"mode", "input", armSetting: "setting", "format", armMethod: "method"}

// Positions in armMembers.
const (
	armSetting = 2
	armMethod  = 4
)

// identityReader reads members of an identity and keeps the first error.
type identityReader struct{ err *Error }

// firstError returns the first error of reading an identity, or nil. It does not return reader.err
// itself where that is nil: in Go, an error that holds a nil *Error is not nil.
func (reader *identityReader) firstError() error {
	if reader.err == nil {
		return nil
	}
	return reader.err
}

// fail records an error about the member name, unless there was one before.
func (reader *identityReader) fail(name, format string, args ...any) {
	if reader.err == nil {
		reader.err = &Error{Code: "bad_item", Message: "cannot use " + name + ": " + fmt.Sprintf(format, args...)}
	}
}

// stringMember reads a string member of an answer's identity; "" where it is absent or null. path
// is the path of v in messages, with a point at its end. Other types and very long strings are
// errors.
func (reader *identityReader) stringMember(v *fastjson.Value, path, name string) string {
	member := v.Get(name)
	switch {
	case member == nil || member.Type() == fastjson.TypeNull:
	case member.Type() != fastjson.TypeString:
		reader.fail(path+name, "got %.40s; want a string", member)
	case len(member.GetStringBytes()) > maxWord:
		reader.fail(path+name, "it has %d bytes; want at most %d", len(member.GetStringBytes()), maxWord)
	default:
		return string(member.GetStringBytes())
	}
	return ""
}

// countMember reads a member of an answer's identity that counts from 1, such as its repeat; 0
// where it is absent or null. path is the path of v in messages.
func (reader *identityReader) countMember(v *fastjson.Value, path, name string) int {
	member := v.Get(name)
	if member == nil || member.Type() == fastjson.TypeNull {
		return 0
	}
	number, err := member.Float64()                                                 // tables keep columns of integers as floats
	if err != nil || number < 1 || number > 1<<31 || number != math.Trunc(number) { // 1<<31: fits an int everywhere
		reader.fail(path+name, "got %.40s; want an integer from 1", member)
		return 0
	}
	return int(number)
}

// cutMember reads the member cut, which says in which part the answer was cut off: one of
// cuts, or false or null for a whole answer, which give "".
func (reader *identityReader) cutMember(value *fastjson.Value) string {
	member := value.Get("cut")
	if member != nil && member.Type() == fastjson.TypeFalse {
		return ""
	}
	where := reader.stringMember(value, "", "cut")
	if where != "" && !slices.Contains(cuts, where) {
		reader.fail("cut", "got %.40q; want false or one of %s", where, strings.Join(cuts, ", "))
		return ""
	}
	return where
}

// readAsked reads the member asked of a line, which says how the model was asked, into who.Asked.
// It takes from it what the line does not say elsewhere, and checks that it agrees with the line.
func (reader *identityReader) readAsked(who *Identity, value *fastjson.Value) {
	if value == nil || value.Type() == fastjson.TypeNull {
		return
	}
	if value.Type() != fastjson.TypeObject {
		reader.fail("asked", "got %.40s; want an object", value)
		return
	}
	text := jsontree.Append(nil, value)
	if len(text) > maxAsked {
		reader.fail("asked", "it has %d bytes; want at most %d", len(text), maxAsked)
		return
	}
	asked := &Asked{JSON: text, Config: reader.stringMember(value, "asked.", "config"), usage: readUsage(value)}
	who.Asked = asked
	who.Model = agreedValue(reader, "model", "asked.model", who.Model, reader.stringMember(value, "asked.", "model"))
	who.Repeat = agreedValue(reader, "repeat", "asked.repeat", who.Repeat, reader.countMember(value, "asked.", "repeat"))
	who.Turn = agreedValue(reader, "turn", "asked.turn", who.Turn, reader.countMember(value, "asked.", "turn"))
	for i, name := range armMembers {
		asked.arm[i] = reader.stringMember(value, "asked.", name)
	}
}

// agreedValue returns the value of two members of a line that mean the same, such as model and
// asked.model: that of the first one, name, or that of other where the first is absent (the zero
// value). Where both are there and differ, it records an error. See docs/spec/cli.md#r26.
func agreedValue[T string | int](reader *identityReader, name, other string, value, otherValue T) T {
	var absent T
	if value != absent && otherValue != absent && value != otherValue {
		reader.fail(name, "got %v, but %s is %v; want the same", value, other, otherValue)
	}
	return cmp.Or(value, otherValue)
}

// appendMembers writes the members of the identity that are known to a result line, without
// asked.
func (who *Identity) appendMembers(writer *memberWriter) {
	writer.writeText("model", who.Model)
	writer.writeCount("repeat", who.Repeat)
	writer.writeCount("turn", who.Turn)
	writer.writeText("finish_reason", who.FinishReason)
	writer.writeText("cut", who.Cut)
	writer.writeText("file", who.File)
	writer.writeText("at", who.At)
	writer.writeText("key", who.Key)
}

// writeCount appends a member of a result line that counts from 1, and nothing for 0.
func (writer *memberWriter) writeCount(name string, n int) {
	if n > 0 {
		writer.writeName(name)
		writer.dst = strconv.AppendInt(writer.dst, int64(n), 10)
	}
}

// Answer appends the key of the answer to dst: that of the question, the model, the repeat
// and how the model was asked. Two results with equal keys are the same answer twice. For a
// result whose line has no id, ok is false and nothing is appended. See
// docs/spec/cli.md#r27.
func (result *Result) Answer(dst []byte) (key []byte, ok bool) {
	dst, ok = result.Item(dst)
	if !ok {
		return dst, false
	}
	// A 0 byte before each part keeps the parts apart.
	dst = append(append(dst, 0), result.Who.Model...)
	dst = strconv.AppendInt(append(dst, 0), int64(max(1, result.Who.Repeat)), 10)
	settings := result.Who.Settings()
	dst = append(append(dst, 0), settings.Config...)
	for _, value := range settings.arm { // where Config, the hash of all settings, is not known
		dst = append(append(dst, 0), value...)
	}
	return dst, true
}

// Item appends the key of the question that a result is about to dst: suite, test, id and turn, the
// setting where the suite's metrics have it, and whether the question was asked without its picture.
// Results of the same question have equal keys. For a result whose line has no id, ok is false and
// nothing is appended.
func (result *Result) Item(dst []byte) (key []byte, ok bool) {
	isUnread := result.Line > 0 // the line could not be read; Line is its number
	if result.ID == "" || isUnread || isMadeUpID(result.ID) {
		return dst, false
	}
	for _, s := range append([]string{result.Suite, result.Test, result.ID}, result.Strings("setting")...) {
		dst = append(append(dst, s...), 0)
	}
	if result.isBlind() {
		dst = append(dst, blind...)
	}
	return strconv.AppendInt(append(dst, 0), int64(result.Who.Turn), 10), true
}

// blind is the arm of questions that are asked without their picture.
const blind = "blind"

// isBlind reports whether the question was asked without its picture.
func (result *Result) isBlind() bool {
	v, _ := result.Bool(blind)
	return v
}

// isMadeUpID reports whether an id was generated for a line without one: "line:" and the
// line's number.
func isMadeUpID(id string) bool {
	n, ok := strings.CutPrefix(id, "line:")
	return ok && n != "" && strings.Trim(n, "0123456789") == ""
}

// Series identifies a row or a column of a table: a model and the way it was asked. See
// docs/spec/cli.md#r28.
type Series struct{ Model, Arm string }

// Series returns the series (model and arm) that a result belongs to. It adds "blind" to the arm
// where the question was asked without its picture.
func (result *Result) Series() Series {
	series := result.Who.Series()
	saysBlind := slices.Contains(strings.Split(series.Arm, "/"), blind)
	if !result.isBlind() || saysBlind {
		return series
	}
	if series.Arm == "" {
		series.Arm = blind
	} else {
		series.Arm += "/" + blind
	}
	return series
}

// Series returns the series of an answer from its identity alone. It leaves out the members
// of asked that are named in without ("format"), for which a table has separate rows.
func (who *Identity) Series(without ...string) Series {
	if who.Asked == nil {
		return Series{Model: who.Model}
	}
	var arm []string
	for i, s := range who.Settings().arm {
		if s != "" && !slices.Contains(without, armMembers[i]) {
			arm = append(arm, s)
		}
	}
	return Series{who.Model, strings.Join(arm, "/")}
}

// Arm returns how the model was asked: mode, input, setting, format and method, "" for
// unknown ones.
func (who *Identity) Arm() [5]string { return who.Settings().arm }

// String returns the name of the series, "" for the zero value. The name of an arm
// without a model starts with "no model", so that it differs from every model's name.
func (s Series) String() string {
	if s.Arm == "" {
		return s.Model
	}
	return cmp.Or(s.Model, "no model") + " · " + s.Arm
}

// Setting returns the setting in which the model was asked, "" for an unknown one.
func (who *Identity) Setting() string { return who.Settings().arm[armSetting] }

// Method returns the method by which the model was asked, "" for an unknown one.
func (who *Identity) Method() string { return who.Settings().arm[armMethod] }

// Duplicate is the note on a result whose answer an earlier line of the dump has
// already.
var Duplicate = Note{Code: "duplicate_id", Path: "id",
	Message: "an earlier line has the same model, id, test, repeat, turn and asked.config: tables count that one"}
