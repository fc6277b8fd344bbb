// Package tangram scores TangramPuzzle: decisions and measures of an answer, notes, tables. For
// the test solution it decides whether the seven pieces that a model placed are rigid, do not
// overlap, are connected and fill the target, and how far they are from it; for the test outline,
// which of four silhouettes the model chose. In: the model's text and the instance. Out: decisions
// that are exact for exact coordinates, with reasons for every piece. It uses no pixels, except
// under the variant that measures the union on a raster. Its rules are in docs/spec/tangram.md.
package tangram

import (
	"errors"
	"fmt"
	"sync"

	"github.com/valyala/fastjson"

	"plumb/render/metric"
	"plumb/render/view"
	"plumb/scoring"
	"plumb/scoring/tangram/construction"
	"plumb/scoring/tangram/field"
	"plumb/scoring/tangram/plane"
)

const (
	suiteName = "tangram"
	// Solution is the test of Task 2.
	Solution = "solution"
	// Outline is the test of Task 1.
	Outline = "outline"
)

// The names of variants. See docs/spec/tangram.md#r48.
const (
	ScoreVariant = "tangram.score"
	Repair       = "tangram.repair"
	Congruent    = "tangram.rge_congruent"
	Points       = "tangram.pe_point"
	MetricBy     = "tangram.metric"
	RasterSize   = "tangram.raster_size"
)

// suite holds what the items of the benchmark share. It is safe for concurrent use.
type suite struct {
	readers sync.Pool // of *construction.Reader
	buffers sync.Pool // of *[]byte

	mu      sync.RWMutex
	targets map[string]*plane.Target // by the text of their vertices
}

// New returns the TangramPuzzle suite.
func New() *scoring.Suite {
	s := &suite{targets: map[string]*plane.Target{}}
	s.readers.New = func() any { return new(construction.Reader) }
	s.buffers.New = func() any { return new([]byte) }
	return &scoring.Suite{
		Name: suiteName, Title: "TangramPuzzle", Tests: []string{Outline, Solution}, Variants: variants,
		Tasks: scoring.TaskFile{ // instances, one per line
			Fields: []string{"target_outline"}, Keys: instanceKeys, Refer: instanceName,
			Unread: []string{"initial_state", "final_state", "adjacency_graph"},
		},
		Prepare: s.prepare, MissingMembers: missingFields,
		LooseAnswers: true, // package construction reads them
		AnswerForms:  map[string]string{"response": "an object with final_state"}, OwnAnswer: ownAnswer,
		Tables: newTables, TablesJoinSeries: true, Paint: s.drawAnswer, Reading: s.reading, Canvas: s.canvas,
		MovableParts: s.listParts, MoveParts: s.moveParts, Move: scoring.Move{Unit: "units", Step: 0.05, Up: true},
	}
}

// ownAnswer implements scoring.Suite.OwnAnswer: it reports whether v is an answer object as
// the prompt of Task 2 asks for. Task 1 has none.
func ownAnswer(item *scoring.Item, _ string, v *fastjson.Value) bool {
	return item.Test != Outline && (v.Exists("final_state") || v.Exists("tce", "final_state") ||
		v.Exists("TCE", "final_state"))
}

// variants are the documented variants of the suite.
var variants = []scoring.Variant{
	{Name: ScoreVariant, Value: "success|iou", Source: "decided",
		Doc: "the score of a solution: success as 1 or 0, or IoU, 0 where nothing is evaluable"},
	{Name: Repair, Source: "decided", Doc: "backslashes that JSON does not know are doubled before the answer is read"},
	{Name: Congruent, Source: "decided; the paper compares area and perimeter",
		Doc: "a piece must be congruent to its canonical piece, not only of its area and perimeter, for success"},
	{Name: Points, Source: "decided; the paper does not say whether points connect",
		Doc: "pieces that touch in a point hang together, for success"},
	{Name: MetricBy, Value: "exact|raster", Source: "decided",
		Doc: "who measures areas, IoU and Hausdorff distance: exact arithmetic, or a raster with stated bounds on its error"},
	{Name: RasterSize, Value: "128|256|512|1024|2048", Source: "decided",
		Doc: "pixels along a side of the raster, default 512"},
}

// instanceKeys returns the key of a tangram instance in a task file: its instance_id. An instance
// without one is an error.
func instanceKeys(v *fastjson.Value, _ int) ([]string, error) {
	id := string(v.GetStringBytes("instance_id"))
	if id == "" {
		return nil, errors.New("got no instance_id; want the instance's name")
	}
	return []string{id}, nil
}

// instanceName returns the name of the tangram instance that an item refers to: its instance_id, or
// else its id.
func instanceName(v *fastjson.Value, id string) string {
	if name := string(v.GetStringBytes("instance_id")); name != "" {
		return name
	}
	return id
}

// prepare reads a TangramPuzzle item and its answer, and returns the job that scores it. An item
// without a test is one of Task 2. A missing answer becomes an error of the result. It implements
// scoring.Suite.Prepare.
func (suite *suite) prepare(item *scoring.Item, variants scoring.Variants) (scoring.Job, error) {
	if item.Test == "" {
		item.Test = Solution
	}
	j := &job{base: scoring.Result{ID: item.ID, Suite: suiteName, Test: item.Test}}
	answer := item.Fields.Get("response")
	if answer == nil || answer.Type() == fastjson.TypeNull {
		answer = nil
		j.base.Err = &scoring.Error{Code: "no_response", Message: "cannot score item: it has no response"}
	}
	var err error
	switch item.Test {
	case Solution:
		err = suite.readSolution(j, item, answer, variants)
	case Outline:
		err = j.readOutline(item.Fields, answer)
	default:
		err = &scoring.Error{Code: "unknown_test",
			Message: fmt.Sprintf("cannot score item: got test %.40q; want %s or %s", item.Test, Solution, Outline)}
	}
	if err != nil {
		return nil, err
	}
	return j, nil
}

// readSolution reads an item of Task 2 of TangramPuzzle and its answer into j, where j.score will score
// it; answer is nil for none. If doubling stray backslashes would change the text, the repaired answer
// is read too, and scored beside the other. That is left out under the variant Repair, which scores
// the repaired answer alone, and where a raster measures.
func (suite *suite) readSolution(j *job, item *scoring.Item, answer *fastjson.Value, variants scoring.Variants) error {
	target, err := suite.target(item.Fields)
	if err != nil {
		return err
	}
	if setting := item.Fields.GetStringBytes("setting"); len(setting) > 0 {
		j.base.Metrics = []scoring.Metric{{Name: "setting", Value: string(setting[:min(len(setting), maxSetting)])}}
	}
	if answer == nil {
		return nil
	}
	meter, err := newRasterMeter(variants, item.Meter)
	if err != nil {
		return err
	}
	// Read the answer. Scoring and drawing come later, where they are wanted.
	text := answerText(answer)
	j.picture = &answerPicture{suite, text, variants.On(Repair), target}
	answered := solution{target: target, raster: meter, variants: variants, prediction: suite.readAnswer(text, variants.On(Repair))}
	if meter == nil && !variants.On(Repair) {
		if repairedText := construction.Repair(text); repairedText != text {
			repaired := suite.readAnswer(repairedText, false)
			answered.repaired = &repaired
		}
	}
	j.score = answered.scoreInto
	return nil
}

// missingFields returns an error that lists the fields that a TangramPuzzle item lacks, or nil if
// it has all.
func missingFields(item *scoring.Item) error {
	lacks := scoring.LackingIn(item)
	switch item.Test {
	case "", Solution:
		if vertices := item.Fields.Get("target_outline", "vertices"); vertices == nil ||
			vertices.Type() == fastjson.TypeNull {
			lacks.Add("target_outline.vertices", "a list of [x, y]", "bad_item")
		}
	case Outline:
		lacks.AddIfAbsent("answer", "the right letter", "bad_item")
	}
	return lacks.Err("want them in the line, or an instance_id and --tasks tangram=FILE")
}

// answerText returns the text of a TangramPuzzle answer. The text of an answer that is a JSON
// object is its JSON.
func answerText(value *fastjson.Value) string {
	if value.Type() == fastjson.TypeString {
		return string(value.GetStringBytes())
	}
	return value.String()
}

// readAnswer parses the text of an answer to Task 2 with a pooled reader.
func (suite *suite) readAnswer(text string, repair bool) construction.Prediction {
	r := suite.readers.Get().(*construction.Reader)
	defer suite.readers.Put(r)
	return r.Read(text, repair)
}

// reading returns which part of a TangramPuzzle answer is scored: the bytes of its last JSON object
// with a final state, for Task 2. It implements scoring.Suite.Reading.
func (suite *suite) reading(item *scoring.Item, variants scoring.Variants) (from, to int, ok bool) {
	if item.Test != Solution && item.Test != "" { // an item without a test is one of Task 2
		return 0, 0, false
	}
	r := suite.readers.Get().(*construction.Reader)
	defer suite.readers.Put(r)
	return r.Where(string(item.Fields.GetStringBytes("response")), variants.On(Repair))
}

// maxSetting bounds the bytes of an item's setting that are kept.
const maxSetting = 64

// maxTargets bounds the prepared targets that are cached.
const maxTargets = 8192

// target returns the prepared target outline of a tangram item. Targets are cached by the text of
// their vertices, because many answers have the same one. A full cache is emptied. See
// docs/spec/tangram.md#r12.
func (suite *suite) target(v *fastjson.Value) (*plane.Target, error) {
	list := v.Get("target_outline", "vertices")
	if list == nil || list.Type() != fastjson.TypeArray {
		return nil, badItem("target_outline.vertices",
			"it is missing; want a list of [x, y], or an instance_id and the file of --tasks")
	}
	buffer := suite.buffers.Get().(*[]byte)
	defer suite.buffers.Put(buffer)
	*buffer = list.MarshalTo((*buffer)[:0])
	text := *buffer
	// Look it up.
	suite.mu.RLock()
	prepared := suite.targets[string(text)]
	suite.mu.RUnlock()
	if prepared != nil {
		return prepared, nil
	}
	// Prepare and keep it.
	prepared, err := newTarget(list.GetArray())
	if err != nil {
		return nil, err
	}
	suite.mu.Lock()
	defer suite.mu.Unlock()
	if len(suite.targets) >= maxTargets {
		clear(suite.targets)
	}
	suite.targets[string(text)] = prepared
	return prepared, nil
}

// maxOutline bounds the vertices of an outline: twice those of seven pieces.
const maxOutline = 64

// maxCoordinate bounds the coordinates of an outline.
var maxCoordinate = field.Int(1_000_000)

// newTarget reads and prepares the vertices of a tangram target's outline, which are numbers or
// texts of expressions. It refuses an outline that is not a simple polygon.
func newTarget(list []*fastjson.Value) (*plane.Target, error) {
	if len(list) < 3 || len(list) > maxOutline {
		return nil, badItem("target_outline.vertices", "it has %d; want 3 to %d", len(list), maxOutline)
	}
	var points []plane.Point
	for i, vertex := range list {
		pair := vertex.GetArray()
		if len(pair) != 2 {
			return nil, badItem(fmt.Sprintf("target_outline.vertices[%d]", i), "got %.40s; want [x, y]", vertex)
		}
		// Both coordinates, exactly.
		var coordinates [2]field.Number
		for axis := range coordinates {
			text := string(pair[axis].GetStringBytes())
			if pair[axis].Type() == fastjson.TypeNumber {
				text = pair[axis].String()
			}
			number, _, err := field.Parse(text)
			if err != nil || number.Cmp(maxCoordinate) > 0 || number.Neg().Cmp(maxCoordinate) > 0 {
				return nil, badItem(fmt.Sprintf("target_outline.vertices[%d]", i),
					"got %.40s; want coordinates in Q(sqrt 2), up to 10^6", pair[axis])
			}
			coordinates[axis] = number
		}
		points = append(points, plane.Point{X: coordinates[0], Y: coordinates[1]})
	}
	target, ok := plane.NewTarget(points)
	if !ok {
		return nil, badItem("target_outline.vertices", "the outline crosses or touches itself; want a simple polygon")
	}
	return target, nil
}

// badItem returns an error about a field of the item.
func badItem(field, format string, args ...any) error {
	return &scoring.Error{Code: "bad_item", Message: "cannot use " + field + ": " + fmt.Sprintf(format, args...)}
}

// job is an item that has been read.
type job struct {
	base    scoring.Result
	score   func(r *scoring.Result) // nil where there is no answer
	picture *answerPicture          // of an answer to Task 2, nil for none
}

// Views implements scoring.Job. The suite needs no pictures.
func (*job) Views() []view.View { return nil }

// Score computes the result of a TangramPuzzle answer. Only the first call computes; later ones
// return the same result. It implements scoring.Job.
func (j *job) Score([]metric.Tally) scoring.Result {
	if j.score != nil {
		j.score(&j.base)
		j.score = nil
	}
	return j.base
}

// Fail implements scoring.Job.
func (j *job) Fail(e scoring.Error) scoring.Result {
	r := j.base
	r.Scored, r.Score, r.Err = false, 0, &e
	return r
}
