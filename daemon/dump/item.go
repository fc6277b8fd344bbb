package dump

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"

	"plumb/daemon/jsoncut"
	"plumb/daemon/message"
	"plumb/render/jsontree"
	"plumb/render/region"
	"plumb/render/scene"
	"plumb/scoring"
)

// maxID is the longest id in bytes. Ids are kept in memory and become file names.
const maxID = 1024

// ItemConfig holds what decoding lines into items needs. It is shared and read-only.
type ItemConfig struct {
	DefaultSuite string // for lines that do not name theirs; "" = by the name of the test
	Suites       scoring.Suites
	Meter        region.Meter // for items; nil for plain Go
	Limits       scene.Limits // of the JSON: bytes, nesting, values
	MaxResponse  int          // bytes of an answer, default 4 MiB (--max-response)
	MaxActions   int          // entries of a list of actions, default 100,000 (--max-actions)
	// Tasks are for lines that do not carry their task: by suite, and by SUITE:SPLIT for those of
	// another split than TestSplit.
	Tasks map[string]*Tasks
}

// TestSplit is the split of tasks that are named without one.
const TestSplit = "test"

// TasksKey returns the key of a split in ItemConfig.Tasks. That of TestSplit, or of no split, is the suite alone.
func TasksKey(suite, split string) string {
	if split == "" || split == TestSplit {
		return suite
	}
	return suite + ":" + split
}

// TasksOf returns the tasks of a split that a line names. Where no such split was loaded, it returns the tasks of
// TestSplit. A dump's member split may mean something else, so an unknown one is no error.
func (c *ItemConfig) TasksOf(suite, split string) *Tasks {
	if t := c.Tasks[TasksKey(suite, split)]; t != nil {
		return t
	}
	return c.Tasks[TasksKey(suite, TestSplit)]
}

// Decoder turns lines into items. It is not safe for concurrent use: one per
// goroutine.
type Decoder struct {
	cfg        ItemConfig
	lineParser fastjson.Parser
	taskParser fastjson.Parser
	arena      fastjson.Arena    // texts that replace answers
	item       scoring.Item      // of the last line
	names      map[string]string // member names of tasks, see internName
}

// NewDecoder returns a decoder of items with the configuration cfg. Limits that are 0 or less get
// their defaults.
func NewDecoder(cfg ItemConfig) *Decoder {
	if cfg.MaxResponse <= 0 {
		cfg.MaxResponse = scoring.DefaultResponse
	}
	if cfg.MaxActions <= 0 {
		cfg.MaxActions = scoring.DefaultActions
	}
	return &Decoder{cfg: cfg}
}

// TrimMemory frees the memory of both parsers where a long line made it large. It may be hundreds of
// megabytes, where most lines need a few kilobytes.
func (d *Decoder) TrimMemory() {
	jsontree.Trim(&d.lineParser)
	jsontree.Trim(&d.taskParser)
}

// Item decodes one line. suite, if not empty, is used before the default suite for lines
// that do not name theirs. The item is valid until the next call, and has an id and a line
// number even after an error. Codes of errors are "bad_line" for a line that is not a valid
// JSON object, "bad_item" for a field of the wrong kind, "bad_response" for an answer of an
// unknown form, "busy", "limit", "unknown_suite" and "unknown_task".
func (d *Decoder) Item(line Line, suite string) (*scoring.Item, *scoring.Error) {
	d.item = scoring.Item{ID: "line:" + strconv.Itoa(line.Number), Line: line.Number, Meter: d.cfg.Meter}
	it := &d.item
	if line.Fault != "" {
		code := "bad_line"
		if line.Busy {
			code = "busy"
		}
		return it, &scoring.Error{Code: code, Message: line.Fault}
	}
	// The line must be valid JSON, unless its suite reads looser JSON.
	var invalid error // why the line is not valid JSON
	if !line.Checked || len(line.Bytes) > d.cfg.Limits.Line {
		invalid = d.cfg.Limits.Check(line.Bytes)
	}
	b := line.Bytes
	if invalid != nil { // some suites accept faults of JSON within an answer, but the suite is not known yet
		b = d.loosenAnswer(line.Bytes)
		if b == nil {
			return it, lineError(line.Number, invalid)
		}
	}
	v, err := jsontree.Parse(&d.lineParser, b)
	if err != nil {
		return it, lineError(line.Number, err)
	}
	if v.Type() != fastjson.TypeObject {
		return it, lineError(line.Number, fmt.Errorf("it holds %s; want an object", message.Describe(v)))
	}
	it.Fields = v
	// Who answered what.
	if e := d.setID(it); e != nil {
		return it, e
	}
	if raw := unpairedID(b, it.ID); raw != nil { // different ids could have become equal
		it.ID = "line:" + strconv.Itoa(line.Number)
		return it, &scoring.Error{Code: "bad_item", Message: fmt.Sprintf("cannot use id: got %.80s, which has half of a surrogate pair; want Unicode text", raw)}
	}
	e := d.setSuite(it, suite)
	if fault := d.setIdentity(it); e == nil { // also without a suite, so that results name the model
		e = fault
	}
	if e != nil {
		return it, e
	}
	// The suite is known now.
	if invalid != nil && !d.cfg.Suites.Find(it.Suite).LooseAnswers {
		return it, lineError(line.Number, invalid)
	}
	// The task and the answer.
	if e := d.joinTask(it); e != nil {
		return it, e
	}
	d.limitAnswer(it, len(line.Bytes))
	return it, d.checkItemAnswer(it)
}

// lineError returns the error for line n, which cannot be read.
func lineError(n int, err error) *scoring.Error {
	return &scoring.Error{Code: "bad_line", Message: fmt.Sprintf("cannot read line %d: %v", n, err)}
}

// setID sets the item's id from the member id of its line: a string, or an integer as its text. If the
// line has no id, null or "", the item keeps the id that it has, made of its line's number. See
// docs/spec/cli.md#r14.
func (d *Decoder) setID(it *scoring.Item) *scoring.Error {
	v := it.Fields.Get("id")
	if v == nil || v.Type() == fastjson.TypeNull {
		return nil
	}
	text := ""
	switch v.Type() {
	case fastjson.TypeString:
		text = string(v.GetStringBytes())
	case fastjson.TypeNumber:
		text = v.String()
		if strings.ContainsAny(text, ".eE") {
			return &scoring.Error{Code: "bad_item", Message: fmt.Sprintf("cannot use id: got the number %.40s; want a string or an integer", text)}
		}
	default:
		return &scoring.Error{Code: "bad_item", Message: fmt.Sprintf("cannot use id: got %s; want a string or an integer", message.Describe(v))}
	}
	if len(text) > maxID {
		return &scoring.Error{Code: "limit", Message: fmt.Sprintf("cannot use id: it has %d bytes; want at most %d",
			len(text), maxID)}
	}
	if text != "" {
		it.ID = text
	}
	return nil
}

// unpairedID returns the id of a dump line as it stands there, if that has an unpaired surrogate ("\ud800"), else
// nil. id is the decoded id. Decoding turns unpaired surrogates into the replacement character, so that
// different ids would become equal.
func unpairedID(line []byte, id string) (raw []byte) {
	if !strings.ContainsRune(id, '\ufffd') { // the usual case, without a second look at the line
		return nil
	}
	jsoncut.Named(bytes.TrimSpace(line), func(key, value []byte) error {
		if string(key) == "id" && jsontree.Unpaired(value, 0) >= 0 {
			raw = value
		}
		return nil
	})
	return raw
}

// setIdentity sets it.Who, which model made the answer and how it was asked, from the members of the dump line
// alone, without its task. A suite may have a name of its own for the member repeat. The error says which
// member has a wrong value.
func (d *Decoder) setIdentity(it *scoring.Item) *scoring.Error {
	repeat := ""
	if s := d.cfg.Suites.Find(it.Suite); s != nil {
		repeat = s.RepeatMember
	}
	who, err := scoring.ReadIdentity(it.Fields, repeat)
	it.Who = who
	var e *scoring.Error
	errors.As(err, &e) // ReadIdentity returns no other errors; e stays nil without one
	return e
}

// setSuite sets the suite and the test of an item. The suite is the one that the line names. If it names
// none, it is preferred, then the default of the configuration, then the only suite that knows
// the item's test or id; the first that is not "" counts. An unknown or missing suite is an error.
func (d *Decoder) setSuite(it *scoring.Item, preferred string) *scoring.Error {
	test, e := optionalString(it.Fields, "test")
	if e != nil {
		return e
	}
	named, e := optionalString(it.Fields, "suite")
	if e != nil {
		return e
	}
	it.Test, it.Suite = test, named
	if it.Suite == "" {
		it.Suite = preferred
	}
	if it.Suite == "" {
		it.Suite = d.cfg.DefaultSuite
	}
	if it.Suite == "" {
		it.Suite = d.onlySuite(it)
	}
	// Say why no suite was found.
	if items := it.Fields.Get("items"); it.Suite == "" && items != nil && items.Type() != fastjson.TypeArray {
		return &scoring.Error{Code: "bad_item", Message: fmt.Sprintf("cannot read items: got %s; want a list of items", message.Describe(items))}
	}
	if it.Suite == "" && len(d.cfg.Tasks) > 0 {
		return &scoring.Error{Code: "unknown_suite", Message: "cannot score item: it names no suite, and not one file of --tasks has its id; want a field suite, or --suite"}
	}
	if it.Suite == "" {
		return &scoring.Error{Code: "unknown_suite", Message: "cannot score item: it names no suite; want a field suite, or --suite"}
	}
	if d.cfg.Suites.Find(it.Suite) == nil {
		return &scoring.Error{Code: "unknown_suite", Message: fmt.Sprintf("cannot score item: got suite %q; want one of %s", clip(it.Suite), strings.Join(d.cfg.Suites.Names(), ", "))}
	}
	return nil
}

// onlySuite returns the name of the only suite that knows the item: it has a test of that name, or a
// task with the item's id in its task file. It returns "" if there is no such suite or several.
func (d *Decoder) onlySuite(it *scoring.Item) string {
	found := ""
	for _, s := range d.cfg.Suites {
		match := d.cfg.Tasks[s.Name].has(it.ID) || slices.Contains(s.Tests, it.Test)
		if match && found != "" {
			return ""
		}
		if match {
			found = s.Name
		}
	}
	return found
}

// joinTask adds the members of the item's task that the line does not have, but never an answer. A line
// that needs no task is left as it is. A task that is not found, or not alone, is an error. See
// docs/spec/cli.md#r15.
func (d *Decoder) joinTask(it *scoring.Item) *scoring.Error {
	tasks := d.cfg.TasksOf(it.Suite, string(it.Fields.GetStringBytes("split"))).current()
	if !tasks.needsTask(it.Fields, it.ID) {
		return nil
	}
	raw, e := tasks.find(tasks.taskName(it.Fields, it.ID))
	if e != nil {
		return e
	}
	task, err := jsontree.Parse(&d.taskParser, raw)
	if err != nil {
		return &scoring.Error{Code: "unknown_task", Message: fmt.Sprintf("cannot read task %q: %v", clip(it.ID), err)}
	}
	obj, _ := task.Object()
	obj.Visit(func(key []byte, v *fastjson.Value) {
		if k := d.internName(key); !isAnswer(k) && !it.Fields.Exists(k) {
			it.Fields.Set(k, v)
		}
	})
	if it.Test == "" {
		it.Test, e = optionalString(it.Fields, "test")
	}
	return e
}

// internName returns the name of a member of a task as a string. Tasks of one file have the same few
// names, so the strings are kept and used again, which saves an allocation per member and line.
func (d *Decoder) internName(key []byte) string {
	if s, ok := d.names[string(key)]; ok {
		return s
	}
	const most = 256 // names that are kept, each of at most maxID bytes, so that memory is bounded
	s := string(key)
	if len(d.names) < most && len(s) <= maxID {
		if d.names == nil {
			d.names = map[string]string{}
		}
		d.names[s] = s
	}
	return s
}

// limitAnswer replaces an answer that exceeds a limit by an empty one, with a note, so that
// the item still gets a score. lineBytes is the length of the item's line.
func (d *Decoder) limitAnswer(it *scoring.Item, lineBytes int) {
	if over := d.exceededLimit(it.Fields, lineBytes); over != "" {
		d.arena.Reset() // values of the last line are not used any more
		for _, name := range [...]string{"actions", "response"} {
			if v := it.Fields.Get(name); !jsontree.Absent(v) {
				it.Fields.Set(name, d.arena.NewString(""))
			}
		}
		it.Notes = append(it.Notes, scoring.Note{Code: scoring.NoteLimit, Path: "response",
			Message: over + "; it counts as an empty answer"})
	}
}

// exceededLimit says which limit the answer of an item exceeds, by its number of actions or its length in
// bytes; "" for none. If the whole line, of lineBytes, is no longer than an answer may be, the answer
// is not measured.
func (d *Decoder) exceededLimit(item *fastjson.Value, lineBytes int) string {
	for _, v := range []*fastjson.Value{item.Get("actions"), item.Get("response"), item.Get("response", "actions")} {
		if n := len(v.GetArray()); n > d.cfg.MaxActions {
			return fmt.Sprintf("the answer has %d actions; want at most %d (%s)", n, d.cfg.MaxActions, scoring.FlagActions)
		}
	}
	if lineBytes <= d.cfg.MaxResponse {
		return ""
	}
	n := 0
	switch v := item.Get("response"); {
	case v == nil:
	case v.Type() == fastjson.TypeString:
		n = len(v.GetStringBytes())
	default:
		n = len(v.MarshalTo(nil))
	}
	if n > d.cfg.MaxResponse {
		return fmt.Sprintf("the answer has %d bytes; want at most %d (%s)", n, d.cfg.MaxResponse, scoring.FlagResponse)
	}
	return ""
}

// optionalString returns the optional member `name` of an item, which must be a string. A missing one and null
// are "".
func optionalString(v *fastjson.Value, name string) (string, *scoring.Error) {
	f := v.Get(name)
	if f == nil || f.Type() == fastjson.TypeNull {
		return "", nil
	}
	if f.Type() != fastjson.TypeString {
		return "", &scoring.Error{Code: "bad_item", Message: fmt.Sprintf("cannot use %s: got %s; want a string", name,
			message.Describe(f))}
	}
	return string(f.GetStringBytes()), nil
}

// maxQuoted is how many bytes of a text from outside stand in a message.
const maxQuoted = 64

// clip shortens text of a dump, which came from outside, to maxQuoted bytes, so that it can be quoted in a
// message.
func clip(s string) string {
	if len(s) > maxQuoted {
		return strings.ToValidUTF8(s[:maxQuoted], "") + "..."
	}
	return s
}
