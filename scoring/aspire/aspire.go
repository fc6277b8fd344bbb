// Package aspire scores the ASPIRE benchmark: eight tests of what a model does
// to a whiteboard. In: an item with the initial shapes, the criteria and the
// model's answer. Out: the pictures to measure and, from their tallies, a
// score with everything it is made of, by the rules of docs/spec/aspire.md. It
// never refuses an answer, however bad: it refuses items whose scene or criteria
// cannot be used.
package aspire

import (
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

// suite is the benchmark. It is read-only but for its pool.
type suite struct {
	limits      scene.Limits
	maxResponse int
	maxActions  int
	tldraw      view.Version
	pool        sync.Pool // *work
}

// Option changes a suite.
type Option func(*suite)

// WithMaxResponse sets how long an answer may be, in bytes.
func WithMaxResponse(n int) Option { return func(s *suite) { s.maxResponse = n } }

// WithMaxActions sets how many entries of each list of an answer are read; a
// note tells of those beyond.
func WithMaxActions(n int) Option { return func(s *suite) { s.maxActions = n } }

// WithTldraw sets whose sizes of shapes count: those of the release that makes
// the pictures. Sizes of another release than 4.2 that are not known natively are
// left to it, as those of foreign shapes are.
func WithTldraw(v view.Version) Option { return func(s *suite) { s.tldraw = v } }

// New returns the suite. Fields of lim that are zero mean their defaults.
func New(lim scene.Limits, options ...Option) *scoring.Suite {
	s := newSuite(lim, options)
	names := make([]string, len(tests))
	for i := range tests {
		names[i] = tests[i].name
	}
	return &scoring.Suite{
		Name: suiteName, Tests: names, Variants: variants, Tasks: scoring.TaskFile{Fields: []string{"test", "shapes", "task"}},
		Groups: []scoring.Group{
			{Name: "structured", Tests: []string{"maze", "graph", "pattern"}},
			{Name: "relational", Tests: []string{"label", "line"}},
			{Name: "intuitive", Tests: []string{"arrow", "overlap", "balance"}},
		},
		Prepare: s.prepare, Lacking: lacking,
		AnswerForms: map[string]string{"response": "an object with createShapes, updateShapes, deleteShapes or rotation"},
		OwnAnswer:   ownAnswer, Prompt: prompt,
	}
}

func newSuite(lim scene.Limits, options []Option) *suite {
	s := &suite{limits: withDefaults(lim), maxResponse: scoring.DefaultResponse, maxActions: scoring.DefaultActions}
	for _, o := range options {
		o(s)
	}
	s.pool.New = func() any { return new(work) }
	return s
}

// withDefaults fills the limits that this package reads itself.
func withDefaults(l scene.Limits) scene.Limits {
	d := scene.DefaultLimits()
	if l.Text == 0 {
		l.Text = d.Text
	}
	if l.Shapes == 0 {
		l.Shapes = d.Shapes
	}
	if l.Coordinate == 0 {
		l.Coordinate = d.Coordinate
	}
	return l
}

// test is one of the eight.
type test struct {
	name    string
	keys    []string // of an acceptable answer (docs/spec/aspire.md#r11)
	prepare func(w *work, j *job) error
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

func findTest(name string) *test {
	for i := range tests {
		if tests[i].name == name {
			return &tests[i]
		}
	}
	return nil
}

// ownAnswer reports whether v is an object with a key of any test, or a
// list of one.
func ownAnswer(_ *scoring.Item, _ string, v *fastjson.Value) bool {
	if list := v.GetArray(); len(list) == 1 {
		v = list[0]
	}
	known := func(key string) bool { return v.Exists(key) }
	return v.Type() == fastjson.TypeObject && (slices.ContainsFunc(operationKeys, known) || slices.ContainsFunc(rotationKeys, known))
}

// work is the memory that one item needs while it is prepared.
type work struct {
	suite    *suite
	variants scoring.Variants
	test     *test
	task     *fastjson.Value
	found    answer.Found
	notes    *notes

	reader  answer.Reader
	cleaner cleaner
	board   board
	ops     operations
}

// prepare reads an item. Its errors wrap *scoring.Error with the
// codes unknown_test, bad_item, bad_scene, bad_task, no_response and limit.
func (s *suite) prepare(it *scoring.Item, v scoring.Variants) (scoring.Job, error) {
	t := findTest(it.Test)
	if t == nil {
		return nil, fault("unknown_test", "cannot score test %s: want one of maze, graph, pattern, label, line, arrow, overlap, balance", quote(it.Test))
	}
	j := &job{base: scoring.Result{ID: it.ID, Suite: suiteName, Test: t.name}, suite: s}
	var err error
	if j.initial, err = s.initial(it.Fields); err != nil {
		return nil, err
	}
	w := s.pool.Get().(*work)
	defer w.release()
	w.suite, w.variants, w.test, w.task, w.notes = s, v, t, it.Fields.Get("task"), &notes{}
	if w.task == nil || w.task.Type() != fastjson.TypeObject {
		return nil, fault("bad_task", "cannot read task: want an object with the criteria of the %s test", t.name)
	}
	if err := w.read(it.Fields.Get("response")); err != nil {
		return nil, err
	}
	j.base.Status = string(w.found.Status)
	if i := w.board.reset(j.initial); i >= 0 {
		return nil, fault("bad_scene", "cannot read %s.id: %s is the id of another shape", shapePath(i), quote(j.initial[i].ID))
	}
	if t.name != "arrow" {
		w.ops.run(&w.cleaner, &w.board, w.found.Value)
	}
	j.final = w.board.final()
	if err := t.prepare(w, j); err != nil {
		return nil, err
	}
	if tokens, ok := number(it.Fields, "tokens"); ok { // passed through (docs/spec/aspire.md#r68)
		j.metric("tokens", tokens)
	}
	j.changed = w.board.changed
	j.base.Notes = w.notes.all()
	if j.fault != nil {
		j.base = j.failed(j.base, j.fault)
	}
	return j, nil
}

func lacking(it *scoring.Item) error {
	l := scoring.LackingIn(it)
	if it.Test == "" {
		l.Add("test", "one of maze, graph, pattern, label, line, arrow, overlap, balance", "unknown_test")
	}
	l.Want("shapes", "the list of simple shapes at the beginning", "bad_scene")
	l.Want("task", "an object with the criteria of the test", "bad_task")
	return l.Err("want them in the line, or its id and --tasks aspire=FILE")
}

// release gives the memory back; nothing of the item is kept.
func (w *work) release() {
	s := w.suite
	w.reader.Forget()
	w.suite, w.variants, w.test, w.task, w.found, w.notes = nil, nil, nil, nil, answer.Found{}, nil
	s.pool.Put(w)
}

// initial reads the shapes that the item gives.
func (s *suite) initial(item *fastjson.Value) ([]scene.Record, error) {
	list := item.Get("shapes")
	if list == nil || list.Type() != fastjson.TypeArray {
		return nil, fault("bad_scene", "cannot read shapes: want a list of simple shapes")
	}
	values := list.GetArray()
	if len(values) > s.limits.Shapes {
		return nil, fault("limit", "cannot read shapes: got %d shapes; want at most %d (%s)", len(values), s.limits.Shapes, scene.FlagShapes)
	}
	recs := make([]scene.Record, len(values))
	for i, v := range values {
		path := shapePath(i)
		r, err := scene.DecodeShape(v, path, s.limits)
		if err != nil {
			return nil, sceneError(err)
		}
		if r.ID == "" {
			return nil, fault("bad_scene", "cannot read %s.id: want an id", path)
		}
		recs[i] = r
	}
	return recs, nil
}

// shapePaths are the paths of the first shapes, made once.
var shapePaths = func() (all [64]string) {
	for i := range all {
		all[i] = place{"shapes", i}.String()
	}
	return all
}()

func shapePath(i int) string {
	if i < len(shapePaths) {
		return shapePaths[i]
	}
	return place{"shapes", i}.String()
}

// read finds what counts in the response, text or object.
func (w *work) read(response *fastjson.Value) error {
	if response == nil || response.Type() == fastjson.TypeNull {
		return fault("no_response", "cannot score answer: there is no response")
	}
	v := w.variants
	rules := answer.Rules{Keys: w.test.keys, ExtendedMath: v.On(ExtendedMath)}
	if w.test.name == "arrow" && v.On(ArrowAcceptUpdate) {
		rules.Keys = eitherKeys
	}
	w.cleaner = cleaner{
		strict:      v.On(Strict) || v.On(w.test.name+".strict") && w.test.name != "maze",
		strictAlign: v.On(StrictAlign), extended: rules.ExtendedMath,
		maxText: w.suite.limits.Text, maxEntries: w.suite.maxActions, limits: w.suite.limits, notes: w.notes,
		entries: w.cleaner.entries, points: w.cleaner.points, json: w.cleaner.json,
	}
	switch response.Type() {
	case fastjson.TypeString:
		b := response.GetStringBytes()
		if len(b) > w.suite.maxResponse {
			return fault("limit", "cannot read response: got %d bytes; want at most %d (%s)", len(b), w.suite.maxResponse, scoring.FlagResponse)
		}
		// The copy lives as long as a string of it is used: ids and texts.
		w.found = w.reader.Extract(string(b), rules)
	case fastjson.TypeObject, fastjson.TypeArray:
		w.found = w.reader.Convert(response, rules)
	default:
		return fault("bad_item", "cannot read response: got a JSON %s; want a string or an object", response.Type())
	}
	if w.found.Cut {
		w.notes.must(scoring.Note{Code: "search_cut", Path: "response", Message: "the search for JSON in the running text ended at its limit of work"})
	}
	return nil
}

// job is an item that has been read.
type job struct {
	base    scoring.Result
	suite   *suite
	changed bool // the answer changed the whiteboard
	views   []view.View
	measure func(j *job, t []metric.Tally) // nil where nothing is measured
	fault   *scoring.Error                 // why there is no score although the item is fine
	initial []scene.Record
	final   []scene.Record
	show    func(j *job, r *scoring.Result) marks // what to draw over the pictures
	turned  string                                // id of the arrow that the answer turns
}

// Views implements scoring.Job.
func (j *job) Views() []view.View { return j.views }

// Score implements scoring.Job. It may be called again.
func (j *job) Score(t []metric.Tally) scoring.Result {
	if j.measure == nil {
		return j.base
	}
	again := *j
	again.base.Metrics = append([]scoring.Metric(nil), j.base.Metrics...)
	j.measure(&again, t)
	if again.fault != nil {
		return again.failed(again.base, again.fault)
	}
	return again.base
}

// Fail implements scoring.Job. Where the answer caused the error, it has the score of
// a bad answer.
func (j *job) Fail(e scoring.Error) scoring.Result {
	return j.failed(j.base, &e)
}

// metric adds an intermediate value.
func (j *job) metric(name string, value any) {
	j.base.Metrics = append(j.base.Metrics, scoring.Metric{Name: name, Value: value})
}

// score sets the score.
func (j *job) score(x float64) {
	j.base.Scored, j.base.Score, j.base.Err = true, finite(x), nil
}

// fail says why there is no score although the item is fine.
func (j *job) fail(err error) {
	var e *scoring.Error
	if !errors.As(err, &e) {
		e = &scoring.Error{Code: "internal", Message: err.Error()}
	}
	j.fault, j.views, j.measure = e, nil, nil
}
