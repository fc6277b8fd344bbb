// Package drawingbench scores DrawingBench: mouse actions on a drawing app. In: an
// answer, as text or as a list of actions, and what its task demands. Out: the
// published evaluator's result, field by field, with the feedback for a second
// turn. An answer that ends the published evaluator with an exception scores 0, and
// a note names the exception. Criteria of the wrong kind are refused. Its rules are
// in docs/spec/drawingbench.md.
package drawingbench

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/valyala/fastjson"

	"plumb/render/jsontree"
	"plumb/render/metric"
	"plumb/render/view"
	"plumb/scoring"
	"plumb/scoring/drawingbench/parse"
	"plumb/scoring/drawingbench/published"
	"plumb/scoring/drawingbench/replay"
	"plumb/scoring/pyjson"
)

const (
	suiteName = "drawingbench"
	testName  = "drawing"
)

// The names of variants.
const (
	Input           = "drawingbench.input"
	WithPrompt      = "drawingbench.with_prompt"
	Profile         = "drawingbench.profile"
	PixelMetrics    = "drawingbench.pixels"
	Renormalise     = "drawingbench.renormalise"
	Penalties       = "drawingbench.penalties"
	CoverageBonus   = "drawingbench.bonus_coverage"
	EfficiencyBonus = "drawingbench.bonus_efficiency"
)

// suite is the benchmark. It is read-only but for its pool.
type suite struct {
	pool              sync.Pool
	maxActions, paint int
}

// Option changes a suite.
type Option func(*suite)

// WithMaxActions sets how many actions an answer may have.
func WithMaxActions(n int) Option { return func(s *suite) { s.maxActions = n } }

// WithMaxPaint sets what drawing an answer may cost, in writes to a pixel.
func WithMaxPaint(n int) Option { return func(s *suite) { s.paint = n } }

// New returns the suite.
func New(options ...Option) *scoring.Suite {
	s := &suite{maxActions: scoring.DefaultActions}
	for _, o := range options {
		o(s)
	}
	s.pool.New = func() any { return new(reader) }
	return &scoring.Suite{
		Name: suiteName, Tests: []string{testName}, Variants: variants,
		// The dataset is one document, and what a line without criteria lacks stands in it.
		Tasks:   scoring.TaskFile{List: "prompts", Fields: []string{"criteria"}, Keys: taskKeys, Refer: refer},
		Prepare: s.prepare, Lacking: lacking,
		// Answers are read as Python reads them. See docs/spec/drawingbench.md#r10.
		LooseAnswers: true,
		AnswerForms:  map[string]string{"response": "a list of actions", "actions": "a list of actions"}, OwnAnswer: ownAnswer,
		ElementKey: elementKey, Lines: lines, Tables: newTables, JoinsSeries: true, Paint: s.draw,
	}
}

// reader holds the memory of one evaluation.
type reader struct {
	answer, task pyjson.Reader
	evaluator    published.Evaluator
	text         []byte
	drawer       *replay.Drawer // nil until the first picture
}

// ownAnswer reports whether v is a list of actions, or an object that has
// one. A list in the member actions counts whatever it holds, as for the
// benchmark's evaluator; one in response counts where it is empty or an element has
// the member action. See docs/spec/drawingbench.md#r14.
func ownAnswer(_ *scoring.Item, member string, v *fastjson.Value) bool {
	if v.Type() == fastjson.TypeObject {
		list := v.Get("actions")
		return list != nil && list.Type() == fastjson.TypeArray
	}
	if v.Type() != fastjson.TypeArray {
		return false
	}
	list := v.GetArray()
	return member == "actions" || len(list) == 0 ||
		slices.ContainsFunc(list, func(e *fastjson.Value) bool { return e.Exists("action") })
}

var variants = []scoring.Variant{
	{Name: Input, Value: "extract|strict", Source: "strict: the published evaluator; extract: decided, as no parser is published",
		Doc: "how actions are found in text: extract looks for them, strict wants the text to be one JSON value"},
	{Name: WithPrompt, Source: "published evaluator",
		Doc: "the task's prompt is passed to the evaluator, which then reports spatial metrics; recorded runs did not"},
	{Name: Profile, Value: "release|paper|pixels", Source: "release: the published evaluator; paper: the paper's Table 10; pixels: decided",
		Doc: "what the score is: the published evaluator's (release), or a definition of this project: the paper's weights (paper), what is to be seen (pixels)"},
	{Name: PixelMetrics, Source: "decided", Doc: "metrics of the picture beside the score"},
	{Name: Renormalise, Source: "decided", Doc: "profile paper: criteria that the task does not state are left out of the sum"},
	{Name: Penalties, Value: "on|off", Source: "on: the paper's main text; off: its appendix", Doc: "profile paper: whether errors cost a penalty beside their weight"},
	{Name: CoverageBonus, Value: bonuses, Source: "paper, main text", Doc: "profile paper: added where the coverage is met; the paper gives no value"},
	{Name: EfficiencyBonus, Value: bonuses, Source: "paper, main text", Doc: "profile paper: added for 10 to 500 actions without an efficiency warning; the paper gives no value"},
}

// prepare reads an item. The job keeps the reader that holds the answer
// and the task until Score.
func (s *suite) prepare(it *scoring.Item, v scoring.Variants) (scoring.Job, error) {
	r := s.pool.Get().(*reader)
	j := &job{suite: s, reader: r, variants: v}
	if err := j.read(it); err != nil {
		s.pool.Put(r)
		return nil, err
	}
	return j, nil
}

// read reads the task and the answer.
func (j *job) read(it *scoring.Item) (err error) {
	if j.task, err = j.reader.readTask(it, j.variants); err != nil {
		return err
	}
	if j.value, j.how, j.found, err = j.reader.readAnswer(it, j.variants[Input] == "strict"); err != nil {
		return err
	}
	j.source, j.test = j.how.text, it.Test
	it.Test = testName
	j.base = scoring.Result{ID: it.ID, Suite: suiteName, Test: testName, Metrics: j.task.metrics()}
	return nil
}

// lacking names what an item lacks. A task may have no criteria, but the line must
// say so: without any, an answer that does nothing scores 1. See
// docs/spec/drawingbench.md#r4.
func lacking(it *scoring.Item) error {
	l := scoring.LackingIn(it)
	if it.Fields.Get("criteria") == nil {
		l.Add("criteria", "those of the task, null where it has none", "bad_item")
	}
	return l.Err("want them in the line, or task_id or index and --tasks drawingbench=FILE")
}

func noResponse() *scoring.Error {
	return &scoring.Error{Code: "no_response", Message: "cannot score item: it has no response"}
}

// tooMany names the limit that a list of actions exceeds, "" for none. See
// docs/spec/drawingbench.md#r15.
func (s *suite) tooMany(v *pyjson.Value) string {
	if n := len(v.Items()); v.Kind == pyjson.List && n > s.maxActions {
		return fmt.Sprintf("the answer has %d actions; want at most %d (%s)", n, s.maxActions, scoring.FlagActions)
	}
	return ""
}

// reading says how an answer was read.
type reading struct {
	how     parse.How
	limited bool
	crash   string // the exception that reading alone ends with, "" for none
	text    string // what was read
}

// readAnswer reads the member actions, or response: with strict by
// docs/spec/drawingbench.md#r11, else by
// docs/spec/drawingbench.md#r12. found is false for a missing response.
func (r *reader) readAnswer(it *scoring.Item, strict bool) (v pyjson.Value, how reading, found bool, err error) {
	f := it.Fields.Get("actions")
	if absent(f) {
		f = it.Fields.Get("response")
	}
	if absent(f) {
		return v, how, false, nil
	}
	if f.Type() != fastjson.TypeString {
		r.text = jsontree.Append(r.text[:0], f)
		r.answer.Reset(string(r.text))
		v, err := r.answer.All()
		if e, ok := err.(pyjson.Exception); ok { // a number of 5,000 digits
			return v, reading{how: parse.Direct, crash: string(e), text: r.answer.Text()}, true, nil
		}
		if err != nil {
			return v, how, false, badItem("response", "%v", err)
		}
		if list := v.Get("actions"); v.Kind == pyjson.Dict && !strict && list != nil && list.Kind == pyjson.List {
			v = *list
		}
		return v, reading{how: parse.Direct, text: r.answer.Text()}, true, nil
	}
	text := string(f.GetStringBytes())
	how.text = text
	if !strict {
		v, found, limited := parse.Extract(&r.answer, text)
		return v, reading{how: found, limited: limited, text: text}, true, nil
	}
	r.answer.Reset(text)
	v, err = r.answer.All()
	how.how = parse.Strict
	if e, ok := err.(pyjson.Exception); ok {
		how.crash = string(e)
	}
	return v, how, true, nil
}

func absent(v *fastjson.Value) bool { return v == nil || v.Type() == fastjson.TypeNull }

func badItem(field, format string, args ...any) error {
	return &scoring.Error{Code: "bad_item", Message: "cannot read " + field + ": " + fmt.Sprintf(format, args...)}
}

// task is what an item's task says.
type task struct {
	criteria             *published.Criteria
	name                 string // which task it is, for tables: "basic_003#2"
	category, difficulty string
	turn                 int
	prompt               string
	demand               *pyjson.Value // the criteria as they stand, nil for none
}

// readTask reads what the evaluator and the tables need of the task. The prompt
// joins the criteria on request only: see docs/spec/drawingbench.md#r5.
func (r *reader) readTask(it *scoring.Item, v scoring.Variants) (t task, err error) {
	f := it.Fields.Get("criteria")
	t.category, t.difficulty = text(it.Fields, "category"), text(it.Fields, "difficulty")
	t.turn, t.name = turnOf(it), taskName(it)
	if !absent(f) {
		if f.Type() != fastjson.TypeObject {
			return t, badItem("criteria", "got %.40s; want an object", f)
		}
		r.text = jsontree.Append(r.text[:0], f)
		r.task.Reset(string(r.text))
		demand, err := r.task.All()
		if err != nil {
			return t, badItem("criteria", "%v", err)
		}
		t.demand = &demand
		if t.criteria, err = published.ReadCriteria(&demand); err != nil {
			return t, &scoring.Error{Code: "bad_item", Message: err.Error()}
		}
	}
	if t.prompt = text(it.Fields, "prompt"); v.On(WithPrompt) && t.prompt != "" {
		c := published.Criteria{}
		if t.criteria != nil {
			c = *t.criteria
		}
		c.Prompt = t.prompt
		t.criteria = &c
	}
	return t, nil
}

func text(v *fastjson.Value, name string) string { return string(v.GetStringBytes(name)) }

// turnOf is the item's turn, 1 where it names none.
func turnOf(it *scoring.Item) int { return max(1, it.Who.Turn) }

// taskName names the task in tables: the same for all turns of one run of it.
func taskName(it *scoring.Item) string {
	id := text(it.Fields, "task_id")
	if f := it.Fields.Get("index"); f != nil && f.Type() == fastjson.TypeNumber {
		return id + "#" + f.String()
	}
	if id != "" {
		return id
	}
	return strings.TrimSuffix(it.ID, "/"+strconv.Itoa(turnOf(it)))
}

// metrics are those of the task, which tables need beside the evaluation's.
func (t *task) metrics() []scoring.Metric {
	return []scoring.Metric{{Name: "task", Value: t.name}, {Name: "turn", Value: t.turn},
		{Name: "category", Value: t.category}, {Name: "difficulty", Value: t.difficulty}}
}

// job is an item that has been read.
type job struct {
	suite    *suite
	reader   *reader // holds the memory of task and value until Score
	variants scoring.Variants
	task     task
	value    pyjson.Value // the answer
	how      reading
	found    bool // there is an answer

	base   scoring.Result
	source string // the answer's text
	test   string // as the line names it
}

// judged makes the result of an evaluation.
func (j *job) judged(e *published.Evaluation) {
	r := &j.base
	r.Scored, r.Score, r.Status = true, e.Score, string(j.how.how)
	if j.how.limited {
		r.Notes = append(r.Notes, scoring.Note{Code: "search_limit", Path: "response",
			Message: "the search for a list of actions was given up: the text opens too many lists that do not end"})
	}
	f := e.Feedback()
	r.Metrics = append(r.Metrics,
		scoring.Metric{Name: "total_actions", Value: e.Actions},
		scoring.Metric{Name: "drawing_segments", Value: e.Segments},
		scoring.Metric{Name: "tool_changes", Value: e.ToolChanges},
		scoring.Metric{Name: "color_changes", Value: e.ColourChanges},
		scoring.Metric{Name: "canvas_coverage", Value: e.Box},
		scoring.Metric{Name: "canvas_coverage_accurate", Value: e.Grid},
		scoring.Metric{Name: "tools_selected", Value: e.Selected},
		scoring.Metric{Name: "error_types", Value: types(e)},
		scoring.Metric{Name: "feedback_types", Value: told(&f)})
	r.Fields = []scoring.Metric{{Name: "evaluation", Value: scoring.JSON(e.AppendJSON(nil))},
		{Name: "feedback", Value: scoring.JSON(f.AppendJSON(nil))}, {Name: "feedback_text", Value: f.Text()}}
}

// types are the types of the evaluator's errors and warnings, one for each.
func types(e *published.Evaluation) []string {
	out := []string{}
	for _, f := range e.Faults {
		out = append(out, f.Type)
	}
	for _, w := range e.Warnings {
		out = append(out, w.Type)
	}
	return out
}

// told are the types of what the feedback adds to the evaluator's own.
func told(f *published.Feedback) []string {
	out := []string{}
	for _, list := range [][]published.Warning{f.Errors, f.Warnings} {
		for _, w := range list {
			out = append(out, w.Type)
		}
	}
	return out
}

// crashed makes the result of an answer that ends the published evaluator with an
// exception. See docs/spec/drawingbench.md#r16.
func (j *job) crashed(exception string) {
	j.void("crash", scoring.Note{Code: "release_crash", Path: "response", Message: exception + ": the published evaluator ends with this exception"})
}

// void scores an answer 0 that could not be evaluated.
func (j *job) void(status string, why scoring.Note) {
	j.base.Scored, j.base.Score, j.base.Status = true, 0, status
	j.base.Notes = append(j.base.Notes, why)
	j.base.Fields = []scoring.Metric{{Name: "evaluation"}, {Name: "feedback"}, {Name: "feedback_text"}}
}

// Views implements scoring.Job.
func (*job) Views() []view.View { return nil }

// Score implements scoring.Job: it evaluates the answer and draws it where the
// profile or the pixel metrics need the picture.
func (j *job) Score([]metric.Tally) scoring.Result {
	defer j.suite.pool.Put(j.reader)
	switch over := j.suite.tooMany(&j.value); {
	case !j.found:
		j.base.Err = noResponse()
	case j.how.crash != "":
		j.crashed(j.how.crash)
	case over != "":
		j.void("limit", scoring.Note{Code: scoring.NoteLimit, Path: "response", Message: over})
	default:
		return j.evaluate()
	}
	return j.base
}

func (j *job) evaluate() scoring.Result {
	e := j.reader.evaluator.Evaluate(&j.value, j.task.criteria)
	if e.Crash != "" {
		j.crashed(string(e.Crash))
		return j.base
	}
	j.judged(&e)
	if err := j.draw(&e); err != nil {
		return scoring.Result{ID: j.base.ID, Suite: suiteName, Test: j.test, Err: err}
	}
	return j.base
}

// Fail implements scoring.Job.
func (j *job) Fail(e scoring.Error) scoring.Result {
	r := j.base
	r.Scored, r.Score, r.Err = false, 0, &e
	return r
}
