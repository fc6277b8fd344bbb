// Package drawingbench is the suite for DrawingBench, mouse actions on a drawing app: tasks,
// answers, the evaluation with its picture, turns, tables. In: an answer, as text or as a list
// of actions, and what its task demands. Out: the published evaluator's result, field by field,
// with the feedback for a second turn. An answer that ends the published evaluator with an
// exception scores 0, and a note names the exception. Criteria of the wrong kind are refused.
// Its rules are in docs/spec/drawingbench.md.
package drawingbench

import (
	"cmp"
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

// Config holds the limits of the suite. The zero value takes the defaults.
type Config struct {
	MaxActions int // in an answer; 0 means scoring.DefaultActions
	MaxPaint   int // cost of drawing an answer, in writes to a pixel; 0 means replay.MaxWork
}

// suite is the benchmark. It is read-only but for its pool of *reader.
type suite struct {
	pool sync.Pool
	Config
}

// New returns the suite that scores DrawingBench, for a configuration.
func New(c Config) *scoring.Suite {
	c.MaxActions = cmp.Or(c.MaxActions, scoring.DefaultActions)
	c.MaxPaint = cmp.Or(c.MaxPaint, replay.MaxWork)
	s := &suite{Config: c}
	s.pool.New = func() any { return new(reader) }
	return &scoring.Suite{
		Name: suiteName, Title: "DrawingBench", Tests: []string{testName}, Variants: variants,
		// The dataset is one document, and what a line without criteria lacks stands in it.
		Tasks:   scoring.TaskFile{List: "prompts", Fields: []string{"criteria"}, Keys: taskKeys, Refer: taskReference},
		Prepare: s.prepare, MissingMembers: lacking,
		// Answers are read as Python reads them. See docs/spec/drawingbench.md#r10.
		LooseAnswers: true,
		AnswerForms:  map[string]string{"response": "a list of actions", "actions": "a list of actions"},
		OwnAnswer:    ownAnswer,
		ElementKey:   elementKey, Lines: dumpLines, Tables: newTables, TablesJoinSeries: true, Paint: s.paint,
		Canvas: s.canvas, Reading: reading,
		MovableParts: listParts, MoveParts: moveParts, Move: scoring.Move{Unit: "px", Step: 5},
	}
}

// reader holds the memory in which one answer is read, evaluated and drawn.
type reader struct {
	answer, task pyjson.Reader
	evaluator    published.Evaluator
	text         []byte
	drawer       *replay.Drawer // nil until the first picture
}

// ownAnswer reports whether value, the value of member, is a DrawingBench answer: a list of actions or
// an object that has one. A list in the member "actions" counts whatever it holds, as for the
// published evaluator. One in "response" counts where it is empty or an element has the member
// "action". It implements scoring.Suite.OwnAnswer. See docs/spec/drawingbench.md#r14.
func ownAnswer(_ *scoring.Item, member string, value *fastjson.Value) bool {
	if value.Type() == fastjson.TypeObject {
		list := value.Get("actions")
		return list != nil && list.Type() == fastjson.TypeArray
	}
	if value.Type() != fastjson.TypeArray {
		return false
	}
	list := value.GetArray()
	return member == "actions" || len(list) == 0 ||
		slices.ContainsFunc(list, func(e *fastjson.Value) bool { return e.Exists("action") })
}

// strictInput reports whether the variant Input wants the text of an answer to be JSON as a whole. Otherwise
// the actions are looked for in the text.
func strictInput(variants scoring.Variants) bool { return variants[Input] == "strict" }

// reading returns which part of a DrawingBench answer is scored: the bytes of its list of mouse
// actions, with strict input the whole text. It implements scoring.Suite.Reading.
func reading(item *scoring.Item, variants scoring.Variants) (from, to int, ok bool) {
	text := string(item.Fields.GetStringBytes("response"))
	if strictInput(variants) {
		return 0, len(text), true
	}
	var r pyjson.Reader
	return parse.Where(&r, text)
}

var variants = []scoring.Variant{
	{Name: Input, Value: "extract|strict",
		Source: "strict: the published evaluator; extract: decided, as no parser is published",
		Doc:    "how actions are found in text: extract looks for them, strict wants the text to be one JSON value"},
	{Name: WithPrompt, Source: "published evaluator",
		Doc: "the task's prompt is passed to the evaluator, which then reports spatial metrics; recorded runs did not"},
	{Name: Profile, Value: "release|paper|pixels",
		Source: "release: the published evaluator; paper: the paper's Table 10; pixels: decided",
		Doc:    "what the score is: the published evaluator's (release), or a definition of this project: the paper's weights (paper), what is to be seen (pixels)"},
	{Name: PixelMetrics, Source: "decided", Doc: "metrics of the picture beside the score"},
	{Name: Renormalise, Source: "decided",
		Doc: "profile paper: criteria that the task does not state are left out of the sum"},
	{Name: Penalties, Value: "on|off", Source: "on: the paper's main text; off: its appendix",
		Doc: "profile paper: whether errors cost a penalty beside their weight"},
	{Name: CoverageBonus, Value: bonuses, Source: "paper, main text",
		Doc: "profile paper: added where the coverage is met; the paper gives no value"},
	{Name: EfficiencyBonus, Value: bonuses, Source: "paper, main text",
		Doc: "profile paper: added for 10 to 500 actions without an efficiency warning; the paper gives no value"},
}

// prepare reads a DrawingBench item, its task and its answer, and returns the job that scores it.
// The job keeps the reader, which holds the memory of answer and task, until Score. It implements
// scoring.Suite.Prepare.
func (suite *suite) prepare(item *scoring.Item, v scoring.Variants) (scoring.Job, error) {
	r := suite.pool.Get().(*reader)
	j := &job{suite: suite, reader: r, variants: v}
	if err := j.readItem(item); err != nil {
		suite.pool.Put(r)
		return nil, err
	}
	return j, nil
}

// readItem reads the DrawingBench item's task and answer into the job. The suite has only one test, so
// it gives the item that test, and keeps the name that the line had for error messages.
func (j *job) readItem(item *scoring.Item) (err error) {
	j.task, err = j.reader.readTask(item, j.variants)
	if err != nil {
		return err
	}
	j.answer, err = j.reader.readAnswer(item, strictInput(j.variants))
	if err != nil {
		return err
	}
	j.test = item.Test
	item.Test = testName
	j.base = scoring.Result{ID: item.ID, Suite: suiteName, Test: testName, Metrics: j.task.metrics()}
	return nil
}

// lacking returns an error that names what a DrawingBench item lacks, or nil. A task may have no
// criteria, but then the line must hold null: without criteria an answer that does nothing scores
// 1. It implements scoring.Suite.MissingMembers. See docs/spec/drawingbench.md#r4.
func lacking(item *scoring.Item) error {
	lacking := scoring.LackingIn(item)
	if item.Fields.Get("criteria") == nil {
		lacking.Add("criteria", "those of the task, null where it has none", "bad_item")
	}
	return lacking.Err("want them in the line, or task_id or index and --tasks drawingbench=FILE")
}

// noResponse returns the error of a missing response.
func noResponse() *scoring.Error {
	return &scoring.Error{Code: "no_response", Message: "cannot score item: it has no response"}
}

// tooMany returns a message if an answer has more mouse actions than the limit allows, else "". See
// docs/spec/drawingbench.md#r15.
func (suite *suite) tooMany(v *pyjson.Value) string {
	count := len(v.Items())
	if v.Kind != pyjson.List || count <= suite.MaxActions {
		return ""
	}
	return fmt.Sprintf("the answer has %d actions; want at most %d (%s)", count, suite.MaxActions, scoring.FlagActions)
}

// readResult is a model's answer as it was read.
type readResult struct {
	found   bool         // false for a missing response; then nothing else is set
	value   pyjson.Value // the list of actions, or what stood in its place
	readAs  parse.How    // how the list was found, the status of the result
	limited bool         // the search for a list was given up
	crash   string       // the exception with which reading ends the published evaluator, "" for none
	text    string       // the text that was read
	isText  bool         // whether the member was text, not JSON
}

// readAnswer reads a DrawingBench answer from the member actions, or from response where that is
// missing: with strict by docs/spec/drawingbench.md#r11, else by docs/spec/drawingbench.md#r12.
// Text on which the published evaluator crashes is not an error but sets crash. The result is valid
// until the reader is used again.
func (reader *reader) readAnswer(item *scoring.Item, strict bool) (result readResult, err error) {
	member := item.Fields.Get("actions")
	if jsontree.Absent(member) {
		member = item.Fields.Get("response")
	}
	if jsontree.Absent(member) {
		return result, nil
	}
	result.found = true
	result.isText = member.Type() == fastjson.TypeString
	if result.isText {
		result.text = string(member.GetStringBytes())
	} else {
		reader.text = jsontree.Append(reader.text[:0], member)
		result.text = string(reader.text)
	}
	err = result.parse(&reader.answer, strict)
	exception, crashed := err.(pyjson.Exception) // for example, a number of 5,000 digits
	switch {
	case crashed:
		result.crash = string(exception)
	case err != nil && !result.isText: // text that is no JSON is no error: its value is null, which scores 0
		return readResult{}, badItem("response", "%v", err)
	}
	return result, nil
}

// parse reads the list of actions from the text of the answer. Score and Show both use it, so that a
// report shows the actions that were scored. An error means that there is no value.
func (result *readResult) parse(reader *pyjson.Reader, strict bool) (err error) {
	if result.isText && !strict {
		result.value, result.readAs, result.limited = parse.Extract(reader, result.text)
		return nil
	}
	result.readAs = parse.Direct
	if result.isText {
		result.readAs = parse.Strict
	}
	reader.Reset(result.text)
	result.value, err = reader.All()
	if err == nil && !strict { // JSON, not text: a list, or an object with a list in its member "actions"
		result.value = parse.Actions(result.value)
	}
	return err
}

// badItem returns the error for a field of an item that cannot be read.
func badItem(field, format string, args ...any) error {
	return &scoring.Error{Code: "bad_item", Message: "cannot read " + field + ": " + fmt.Sprintf(format, args...)}
}

// taskInfo is the task of an item.
type taskInfo struct {
	criteria             *published.Criteria // nil for none
	name                 string              // which task it is, for tables: "basic_003#2"
	category, difficulty string
	turn                 int // from 1
	prompt               string
	criteriaJSON         *pyjson.Value // the criteria as they were written, nil for none
}

// readTask reads what the evaluator and the tables need of a DrawingBench task. The evaluator gets
// the prompt only under the variant WithPrompt (docs/spec/drawingbench.md#r5). Criteria that are
// not an object are refused.
func (reader *reader) readTask(item *scoring.Item, variants scoring.Variants) (info taskInfo, err error) {
	criteria := item.Fields.Get("criteria")
	info.category, info.difficulty = stringMember(item.Fields, "category"), stringMember(item.Fields, "difficulty")
	info.turn, info.name = turnOf(item), taskName(item)
	// What the task demands.
	if !jsontree.Absent(criteria) {
		if criteria.Type() != fastjson.TypeObject {
			return info, badItem("criteria", "got %.40s; want an object", criteria)
		}
		reader.text = jsontree.Append(reader.text[:0], criteria)
		reader.task.Reset(string(reader.text))
		criteriaJSON, err := reader.task.All()
		if err != nil {
			return info, badItem("criteria", "%v", err)
		}
		info.criteriaJSON = &criteriaJSON
		if info.criteria, err = published.ReadCriteria(&criteriaJSON); err != nil {
			return info, &scoring.Error{Code: "bad_item", Message: err.Error()}
		}
	}
	// Its prompt.
	info.prompt = stringMember(item.Fields, "prompt")
	if variants.On(WithPrompt) && info.prompt != "" {
		withPrompt := published.Criteria{}
		if info.criteria != nil {
			withPrompt = *info.criteria
		}
		withPrompt.Prompt = info.prompt
		info.criteria = &withPrompt
	}
	return info, nil
}

// stringMember returns a member that is a string, "" for any other.
func stringMember(v *fastjson.Value, name string) string { return string(v.GetStringBytes(name)) }

// turnOf returns the item's turn, 1 where it names none.
func turnOf(item *scoring.Item) int { return max(1, item.Who.Turn) }

// taskName returns the name of the task in tables, which is the same for all turns of one
// run.
func taskName(item *scoring.Item) string {
	return taskReference(item.Fields, strings.TrimSuffix(item.ID, "/"+strconv.Itoa(turnOf(item))))
}

// metrics returns what tables need to know of the task, as metrics of the result.
func (t *taskInfo) metrics() []scoring.Metric {
	return []scoring.Metric{{Name: "task", Value: t.name}, {Name: "turn", Value: t.turn},
		{Name: "category", Value: t.category}, {Name: "difficulty", Value: t.difficulty}}
}

// job is an item that has been read.
type job struct {
	suite    *suite
	reader   *reader // holds the memory of task and answer until Score
	variants scoring.Variants
	task     taskInfo
	answer   readResult
	test     string // the test that the line names
	base     scoring.Result
}

// fillResult fills in the result of an evaluation that did not crash: score, metrics, the
// evaluation as the published evaluator writes it, and the feedback as JSON and as text.
func (j *job) fillResult(evaluation *published.Evaluation) {
	result := &j.base
	result.Scored = true
	result.Score = evaluation.Score
	result.Status = string(j.answer.readAs)
	if j.answer.limited {
		result.Notes = append(result.Notes, scoring.Note{Code: "search_limit", Path: "response",
			Message: "the search for a list of actions was given up: the text opens too many lists that do not end"})
	}
	feedback := evaluation.Feedback()
	result.Metrics = append(result.Metrics,
		scoring.Metric{Name: "total_actions", Value: evaluation.Actions},
		scoring.Metric{Name: "drawing_segments", Value: evaluation.Segments},
		scoring.Metric{Name: "tool_changes", Value: evaluation.ToolChanges},
		scoring.Metric{Name: "color_changes", Value: evaluation.ColourChanges},
		scoring.Metric{Name: "canvas_coverage", Value: evaluation.BoxCoverage},
		scoring.Metric{Name: "canvas_coverage_accurate", Value: evaluation.GridCoverage},
		scoring.Metric{Name: "tools_selected", Value: evaluation.Selected},
		scoring.Metric{Name: "error_types", Value: evaluation.ErrorTypes()},
		scoring.Metric{Name: "feedback_types", Value: feedback.Types()})
	result.Fields = []scoring.Metric{{Name: "evaluation", Value: scoring.JSON(evaluation.AppendJSON(nil))},
		{Name: "feedback", Value: scoring.JSON(feedback.AppendJSON(nil))},
		{Name: "feedback_text", Value: feedback.Text()}}
}

// scoreCrash scores 0 for an answer that ends the published evaluator with an exception. See
// docs/spec/drawingbench.md#r16.
func (j *job) scoreCrash(exception string) {
	j.scoreZero("crash", scoring.Note{Code: "release_crash", Path: "response", Message: exception +
		": the published evaluator ends with this exception"})
}

// scoreZero scores 0 for an answer that could not be evaluated, with a note that says why.
func (j *job) scoreZero(status string, why scoring.Note) {
	j.base.Scored, j.base.Score, j.base.Status = true, 0, status
	j.base.Notes = append(j.base.Notes, why)
	j.base.Fields = []scoring.Metric{{Name: "evaluation"}, {Name: "feedback"}, {Name: "feedback_text"}}
}

// Views implements scoring.Job.
func (*job) Views() []view.View { return nil }

// Score evaluates the DrawingBench answer, and draws it where the profile or the pixel metrics need
// the picture. A crash of the published evaluator and too many actions score 0 with a note. The
// reader goes back to the pool, so Score may be called once. It implements scoring.Job.
func (j *job) Score([]metric.Tally) scoring.Result {
	defer j.suite.pool.Put(j.reader)
	tooMany := j.suite.tooMany(&j.answer.value)
	switch {
	case !j.answer.found:
		j.base.Err = noResponse()
	case j.answer.crash != "":
		j.scoreCrash(j.answer.crash)
	case tooMany != "":
		j.scoreZero("limit", scoring.Note{Code: scoring.NoteLimit, Path: "response", Message: tooMany})
	default:
		return j.evaluate()
	}
	return j.base
}

// evaluate returns the result of a DrawingBench answer that could be read: the published evaluator's
// evaluation, and what addPixels adds from the picture. Criteria of the task that addPixels cannot use
// make it an error.
func (j *job) evaluate() scoring.Result {
	evaluation := j.reader.evaluator.Evaluate(&j.answer.value, j.task.criteria)
	if evaluation.Crash != "" {
		j.scoreCrash(string(evaluation.Crash))
		return j.base
	}
	j.fillResult(&evaluation)
	err := j.addPixels(&evaluation)
	if err != nil {
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
