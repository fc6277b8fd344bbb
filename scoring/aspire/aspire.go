// Package aspire scores ASPIRE, eight tests of what a model does to a whiteboard: cleaning of
// answers, rules of the tests, prompts, tables. In: an item with the initial shapes, the
// criteria and the model's answer. Out: the pictures to measure and, from their tallies, a score
// with all its parts, by the rules of docs/spec/aspire.md. It accepts any answer, however bad;
// it refuses items whose scene or criteria cannot be used.
package aspire

import (
	"cmp"
	"errors"
	"slices"
	"sync"

	"github.com/valyala/fastjson"

	"plumb/render/metric"
	"plumb/render/scene"
	"plumb/render/view"
	"plumb/scoring"
	"plumb/scoring/aspire/answer"
)

const suiteName = "aspire"

// suite holds the settings of the benchmark and a pool of workspaces. It is safe for concurrent use.
type suite struct {
	limits      scene.Limits
	maxResponse int
	maxActions  int
	tldraw      view.Version
	boards      *boardCache // nil for none
	pool        sync.Pool   // *workspace
}

// Config holds the settings of a suite. Zero values mean the defaults.
type Config struct {
	Limits      scene.Limits
	MaxResponse int // bytes of an answer
	MaxActions  int // entries of each list of an answer; a note says that the others are not read
	// InitialBytes is how many bytes of decoded initial shapes are kept for items with equal ones; 0 for none.
	InitialBytes int
	// Tldraw is the release whose sizes of shapes count. Where they differ from those of release
	// 4.2 and plumb cannot compute them, the editor measures them.
	Tldraw view.Version
}

// New returns the suite that scores ASPIRE's eight tests, for a configuration.
func New(c Config) *scoring.Suite {
	suite := newSuite(c)
	names := make([]string, len(tests))
	for i := range tests {
		names[i] = tests[i].name
	}
	return &scoring.Suite{
		Name: suiteName, Title: "ASPIRE", Tests: names, Variants: variants,
		Tasks:  scoring.TaskFile{Fields: []string{"test", "shapes", "task"}},
		Groups: categoryNames, Tables: newTables, TablesJoinSeries: true,
		Prepare: suite.prepare, MissingMembers: missingFields,
		AnswerForms: map[string]string{"response": "an object with createShapes, updateShapes, deleteShapes or rotation"},
		OwnAnswer:   ownAnswer, Prompt: prompt, Canvas: suite.canvas,
		Reading: suite.reading, MovableParts: suite.listParts, MoveParts: suite.moveParts, Move: scoring.Move{Unit: "px", Step: 5},
	}
}

// newSuite returns a suite with defaults in place of zero values in config.
func newSuite(config Config) *suite {
	limits, defaults := &config.Limits, scene.DefaultLimits()
	limits.Text = cmp.Or(limits.Text, defaults.Text)
	limits.Shapes = cmp.Or(limits.Shapes, defaults.Shapes)
	limits.Coordinate = cmp.Or(limits.Coordinate, defaults.Coordinate)
	s := &suite{limits: *limits, tldraw: config.Tldraw, maxResponse: cmp.Or(config.MaxResponse, scoring.DefaultResponse),
		maxActions: cmp.Or(config.MaxActions, scoring.DefaultActions), boards: newBoardCache(config.InitialBytes)}
	s.pool.New = func() any { return new(workspace) }
	return s
}

// test is one of the eight tests.
type test struct {
	name    string
	keys    []string // of an acceptable answer (docs/spec/aspire.md#r11)
	prepare func(w *workspace, j *job) error
}

var (
	operationKeys = []string{"createShapes", "deleteShapes", "updateShapes"}
	rotationKeys  = []string{"rotation"}
	eitherKeys    = []string{"rotation", "updateShapes"}
)

// tests are in the order of the paper.
var tests = []test{
	{"maze", operationKeys, prepareMaze},
	{"graph", operationKeys, prepareGraph},
	{"pattern", operationKeys, preparePattern},
	{"label", operationKeys, prepareLabel},
	{"line", operationKeys, prepareLine},
	{"arrow", rotationKeys, prepareArrow},
	{"overlap", operationKeys, prepareOverlap},
	{"balance", operationKeys, prepareBalance},
}

// findTest returns the ASPIRE test with this name, or nil.
func findTest(name string) *test {
	if i := slices.IndexFunc(tests, func(t test) bool { return t.name == name }); i >= 0 {
		return &tests[i]
	}
	return nil
}

// ownAnswer reports whether value is an answer to an ASPIRE test: an object with a key of any test, or
// a list of one such object.
func ownAnswer(_ *scoring.Item, _ string, value *fastjson.Value) bool {
	if list := value.GetArray(); len(list) == 1 {
		value = list[0]
	}
	known := func(key string) bool { return value.Exists(key) }
	return value.Type() == fastjson.TypeObject &&
		(slices.ContainsFunc(operationKeys, known) || slices.ContainsFunc(rotationKeys, known))
}

// workspace is the memory for preparing one item. The suite pools it.
type workspace struct {
	suite    *suite
	variants scoring.Variants
	test     *test
	task     *fastjson.Value
	answer   answer.Found // the JSON that counts as the answer
	notes    *notes

	reader     answer.Reader
	cleaner    cleaner
	board      board
	operations operations
	content    []byte // of initialBoardOf
}

// prepare reads an ASPIRE item, applies the answer to the whiteboard and lets the test say what is
// to be measured. It implements scoring.Suite.Prepare. Its errors wrap *scoring.Error with the
// codes unknown_test, bad_item, bad_scene, bad_task, no_response and limit.
func (suite *suite) prepare(item *scoring.Item, variants scoring.Variants) (scoring.Job, error) {
	test := findTest(item.Test)
	if test == nil {
		return nil, newError("unknown_test",
			"cannot score test %s: want one of maze, graph, pattern, label, line, arrow, overlap, balance",
			quote(item.Test))
	}
	// The initial board, the answer, and the board after it; then the test says what to measure.
	w := suite.pool.Get().(*workspace)
	defer w.release()
	w.suite = suite
	w.variants = variants
	w.test = test
	w.task = item.Fields.Get("task")
	w.notes = &notes{}
	initial, err := w.initialBoardOf(item.Fields)
	if err != nil {
		return nil, err
	}
	j := &job{result: scoring.Result{ID: item.ID, Suite: suiteName, Test: test.name}, suite: suite, initial: initial}
	if w.task == nil || w.task.Type() != fastjson.TypeObject {
		return nil, newError("bad_task", "cannot read task: want an object with the criteria of the %s test", test.name)
	}
	if err := w.readResponse(item.Fields.Get("response")); err != nil {
		return nil, err
	}
	j.result.Status = string(w.answer.Status)
	if i := w.board.reset(initial.shapes); i >= 0 {
		return nil, newError("bad_scene", "cannot read %s.id: %s is the id of another shape", shapePath(i),
			quote(initial.shapes[i].ID))
	}
	if test.name != "arrow" { // its answer is a rotation, which prepareArrow reads
		w.operations.cleanAndApply(&w.cleaner, &w.board, w.answer.Value)
	}
	j.final = w.board.final()
	if err := test.prepare(w, j); err != nil {
		return nil, err
	}
	j.tokens, j.hasTokens = number(item.Fields, "tokens")
	j.changed = w.board.changed
	j.result.Notes = w.notes.all()
	return j, nil
}

// missingFields returns an error that lists the fields that an ASPIRE item lacks, or nil if it has all.
func missingFields(it *scoring.Item) error {
	lacks := scoring.LackingIn(it) // each member with what it should be, and the code of the error
	if it.Test == "" {
		lacks.Add("test", "one of maze, graph, pattern, label, line, arrow, overlap, balance", "unknown_test")
	}
	lacks.AddIfAbsent("shapes", "the list of simple shapes at the beginning", "bad_scene")
	lacks.AddIfAbsent("task", "an object with the criteria of the test", "bad_task")
	return lacks.Err("want them in the line, or its id and --tasks aspire=FILE")
}

// release returns the workspace to the suite's pool, without references to the item and
// without very large buffers.
func (workspace *workspace) release() {
	suite := workspace.suite
	workspace.reader.Forget()
	if cap(workspace.content) > keepContent {
		workspace.content = nil
	}
	workspace.suite = nil
	workspace.variants = nil
	workspace.test = nil
	workspace.task = nil
	workspace.answer = answer.Found{}
	workspace.notes = nil
	suite.pool.Put(workspace)
}

// readShapes decodes the initial shapes of an ASPIRE item. It refuses lists beyond the limit,
// invalid shapes and shapes without an id.
func (suite *suite) readShapes(list *fastjson.Value) ([]scene.Record, error) {
	if list == nil || list.Type() != fastjson.TypeArray {
		return nil, newError("bad_scene", "cannot read shapes: want a list of simple shapes")
	}
	values := list.GetArray()
	if len(values) > suite.limits.Shapes {
		return nil, newError("limit", "cannot read shapes: got %d shapes; want at most %d (%s)", len(values),
			suite.limits.Shapes, scene.FlagShapes)
	}
	records := make([]scene.Record, len(values))
	for i, v := range values {
		path := shapePath(i)
		record, err := scene.DecodeShape(v, path, suite.limits)
		if err != nil {
			return nil, sceneError(err)
		}
		if record.ID == "" {
			return nil, newError("bad_scene", "cannot read %s.id: want an id", path)
		}
		records[i] = record
	}
	return records, nil
}

var shapePaths = func() (all [64]string) {
	for i := range all {
		all[i] = listPath{"shapes", i}.String()
	}
	return all
}()

// shapePath returns the JSON path of initial shape i of an ASPIRE item, such as shapes[3], for errors.
// The paths of the first ones are computed beforehand.
func shapePath(i int) string {
	if i < len(shapePaths) {
		return shapePaths[i]
	}
	return listPath{"shapes", i}.String()
}

// readResponse finds the JSON value that counts as the answer in the model's response, a
// text or an object, and stores it in workspace.answer. It also sets the cleaner up for the variants.
func (workspace *workspace) readResponse(response *fastjson.Value) error {
	if response == nil || response.Type() == fastjson.TypeNull {
		return newError("no_response", "cannot score answer: there is no response")
	}
	variants := workspace.variants
	rules := answer.Rules{Keys: workspace.test.keys, ExtendedMath: variants.On(ExtendedMath)}
	if workspace.test.name == "arrow" && variants.On(ArrowAcceptUpdate) {
		rules.Keys = eitherKeys
	}
	// A strict variant of a single test concerns cleaning too; only maze.strict is another rule.
	strictTest := workspace.test.name != "maze" && variants.On(workspace.test.name+".strict")
	workspace.cleaner = cleaner{
		strict:      strictTest || variants.On(Strict),
		strictAlign: variants.On(StrictAlign), extended: rules.ExtendedMath,
		maxText: workspace.suite.limits.Text, maxEntries: workspace.suite.maxActions, limits: workspace.suite.limits, notes: workspace.notes,
		entries: workspace.cleaner.entries, points: workspace.cleaner.points, json: workspace.cleaner.json, // memory of earlier items
	}
	switch response.Type() {
	case fastjson.TypeString:
		text := response.GetStringBytes()
		if len(text) > workspace.suite.maxResponse {
			return newError("limit", "cannot read response: got %d bytes; want at most %d (%s)", len(text),
				workspace.suite.maxResponse, scoring.FlagResponse)
		}
		// Ids and texts of the answer are substrings of this copy.
		workspace.answer = workspace.reader.Extract(string(text), rules)
	case fastjson.TypeObject, fastjson.TypeArray:
		workspace.answer = workspace.reader.Convert(response, rules)
	default:
		return newError("bad_item", "cannot read response: got a JSON %s; want a string or an object", response.Type())
	}
	if workspace.answer.Cut {
		workspace.notes.addAlways(scoring.Note{Code: "search_cut", Path: "response",
			Message: "the search for JSON in the running text ended at its limit of work"})
	}
	return nil
}

// job is an item that has been read. It implements scoring.Job.
type job struct {
	result  scoring.Result // without a score; Score completes a copy
	suite   *suite
	changed bool // the answer changed the whiteboard
	views   []view.View
	// computeScore sets the score of j, or its error, and adds metrics. t are the tallies of the views. It
	// must not use the workspace, which another item has by then. It is nil where scoreErr is set.
	computeScore func(j *job, t []metric.Tally)
	scoreErr     *scoring.Error // why there is no score although the item is valid
	tokens       float64        // the item's number of tokens, which goes to the result as it is (docs/spec/aspire.md#r68)
	hasTokens    bool
	initial      *initialBoard
	final        []scene.Record
	marks        func(j *job, r *scoring.Result) marks // marks over the report pictures, or nil
	arrowID      string                                // the arrow that the answer rotates
}

// Views implements scoring.Job.
func (j *job) Views() []view.View { return j.views }

// Score computes the result of an ASPIRE answer, from the tallies of its pictures if it has any. It
// works on a copy, so that it can be called more than once. It implements scoring.Job.
func (j *job) Score(tallies []metric.Tally) scoring.Result {
	scored := *j
	scored.result.Metrics = slices.Clone(j.result.Metrics)
	isMeasured := len(j.views) > 0
	if isMeasured { // then the tokens stand before the metrics of the pictures, else last
		scored.addTokens()
	}
	if j.computeScore != nil {
		j.computeScore(&scored, tallies)
	}
	if !isMeasured {
		scored.addTokens()
	}
	if scored.scoreErr != nil {
		return scored.failedResult(scored.result, scored.scoreErr)
	}
	return scored.result
}

// Fail implements scoring.Job. If the answer caused the error, the score is that of a bad answer.
func (j *job) Fail(e scoring.Error) scoring.Result {
	failed := *j
	failed.result.Metrics = slices.Clone(j.result.Metrics)
	failed.addTokens()
	return failed.failedResult(failed.result, &e)
}

// addTokens adds the metric tokens if the item has a number of tokens.
func (j *job) addTokens() {
	if j.hasTokens {
		j.addMetric("tokens", j.tokens)
	}
}

// addMetric adds an intermediate value to the result.
func (j *job) addMetric(name string, value any) {
	j.result.Metrics = append(j.result.Metrics, scoring.Metric{Name: name, Value: value})
}

// setScore sets the score, limited to finite values, and clears an error.
func (j *job) setScore(x float64) {
	j.result.Scored, j.result.Score, j.result.Err = true, clampFinite(x), nil
}

// setError records why an ASPIRE answer has no score although the item is valid, and drops the
// views. An error that is not a *scoring.Error gets the code "internal".
func (j *job) setError(err error) {
	var coded *scoring.Error
	if !errors.As(err, &coded) {
		coded = &scoring.Error{Code: "internal", Message: err.Error()}
	}
	j.scoreErr, j.views, j.computeScore = coded, nil, nil
}
