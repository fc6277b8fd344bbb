// Package vqa scores SPATIALAB and SpaCE-Eval, questions about pictures with options or with open answers. In:
// an item with the model's answer and, where there is one, a judge's recorded verdict. Out: right or wrong,
// which option the answer names and how that was decided. An answer that only a judge can decide is unjudged
// without one, never wrong. It calls no judge itself: see scoring.Judged. Its rules are in docs/spec/vqa.md.
package vqa

import (
	"fmt"
	"sync"

	"github.com/valyala/fastjson"

	"plumb/render/jsontree"
	"plumb/render/metric"
	"plumb/render/view"
	"plumb/scoring"
	"plumb/scoring/vqa/extract"
)

// The formats, which are the tests of both suites.
const (
	formatChoice = "mcq"
	formatOpen   = "open"
)

// The names of variants.
const (
	Policy         = "vqa.policy"
	Profile        = "vqa.profile"
	Shortcut       = "vqa.judge_shortcut"
	SelfReflection = "vqa.self_reflection"
	AnyTaxonomy    = "vqa.allow_unknown_taxonomy"
)

// suite is one of the two benchmarks. It is read-only but for its pool.
type suite struct {
	*benchmark
	places map[string]taxonomyPlace
	pool   sync.Pool
}

// Spatialab returns the suite of SPATIALAB.
func Spatialab() *scoring.Suite { return newSuite(spatialab).publicSuite() }

// Spaceeval returns the suite of SpaCE-Eval.
func Spaceeval() *scoring.Suite { return newSuite(spaceeval).publicSuite() }

// newSuite returns a suite of one of the benchmarks.
func newSuite(b *benchmark) *suite {
	s := &suite{benchmark: b, places: b.taxonomyPlaces()}
	s.pool.New = func() any { return new(reader) }
	return s
}

// publicSuite returns the suite of SPATIALAB or SpaCE-Eval as other packages use it: a table of functions.
func (suite *suite) publicSuite() *scoring.Suite {
	return &scoring.Suite{
		Name: suite.name, Title: suite.title, Questions: true, Tests: suite.formats, Variants: suite.variants(),
		Tasks:   scoring.TaskFile{Fields: []string{"options", "category"}},
		Prepare: suite.prepare, MissingMembers: suite.lacking, RepeatMember: "run", Tables: suite.newTables, TablesJoinSeries: true,
		Prompt: suite.prompt, Reading: suite.reading,
	}
}

// variants returns the optional changes of the rules that users can choose for this benchmark.
func (suite *suite) variants() []scoring.Variant {
	taxonomy := scoring.Variant{Name: AnyTaxonomy, Source: "decided",
		Doc: "categories and subcategories that the benchmark does not have are taken as they are"}
	if suite.benchmark == spaceeval {
		return []scoring.Variant{{Name: Policy, Value: "paper|fallback|never",
			Source: "paper: SpaCE-Eval's paper; fallback and never: decided",
			Doc:    "who decides an answer that is not literally an option: the judge, the reading rules and then the judge, or the reading rules alone"}, taxonomy}
	}
	return []scoring.Variant{
		{Name: Profile, Value: "lenient|strict", Source: "decided",
			Doc: "lenient reads answers with every stage, strict stops after labels, JSON and tags"},
		{Name: Shortcut, Source: "decided; SPATIALAB's paper judges every answer",
			Doc: "an open answer that equals the ground truth is right without a judge"},
		{Name: SelfReflection, Source: "SPATIALAB's paper",
			Doc: "only what follows the last \"Answer:\" of an open answer is judged"},
		taxonomy}
}

// reader holds the memory of reading one item.
type reader struct {
	choice  extract.Reader
	options [][]byte // as they were shown
	id      []byte
	text    []byte
}

// prepare reads a question and the model's answer, and decides what needs no judge. A missing
// answer is not an error. It implements scoring.Suite.Prepare.
func (suite *suite) prepare(item *scoring.Item, variants scoring.Variants) (scoring.Job, error) {
	r := suite.pool.Get().(*reader)
	defer suite.pool.Put(r)
	j := &job{suite: suite, id: item.ID}
	if err := suite.readQuestion(r, item, variants, j); err != nil {
		return nil, err
	}
	item.Test = j.format
	// The answer.
	response := item.Fields.Get("response")
	if jsontree.Absent(response) {
		j.setMissing()
		return j, nil
	}
	if response.Type() != fastjson.TypeString {
		return nil, &scoring.Error{Code: "bad_response",
			Message: fmt.Sprintf("cannot read response: got a JSON %s; want a string", response.Type())}
	}
	answer := response.GetStringBytes()
	if j.format == formatOpen {
		suite.readOpen(item, variants, j, answer)
	} else {
		suite.readChoice(r, item, variants, j, answer)
	}
	return j, nil
}

// readChoice reads an answer to a question with options and decides it: in SPATIALAB by reading alone
// (docs/spec/vqa.md#r29), in SpaCE-Eval by the policy, which may leave it to a judge (docs/spec/vqa.md#r30).
func (suite *suite) readChoice(reader *reader, item *scoring.Item, variants scoring.Variants, j *job, answer []byte) {
	reading := reader.choice.Read(answer, suite.benchmark == spatialab && variants[Profile] == "strict")
	j.reading = reading
	j.extracted = -1
	if reading.Option >= 0 {
		j.extracted = j.itemIndex(reading.Option)
	}
	right := j.extracted >= 0 && j.extracted == j.gold
	switch {
	case reading.Stage == 0: // empty, or nothing but reasoning
		j.decide(false, sourceInvalid)
	case suite.benchmark == spatialab:
		j.decide(right, sourceOf(reading))
	case reading.Literal:
		j.decide(right, sourceLiteral)
	case variants[Policy] == "never", variants[Policy] == "fallback" && reading.Option >= 0:
		j.decide(right, sourceOf(reading))
	case j.takeRecordedVerdict(item): // then it has decided the answer
	default:
		j.askAboutChoice(scoring.JudgeChoice, item, answer, reader.options)
	}
}

// sourceOf returns the stage of reading that decided an answer, or sourceInvalid for an answer that
// names no option. Stages are sources with the same numbers.
func sourceOf(reading extract.Reading) source {
	if reading.Option < 0 {
		return sourceInvalid
	}
	return source(reading.Stage)
}

// readOpen decides an open answer without a judge where it can: an empty answer is wrong; a
// recorded verdict or, with the variant, equality with the ground truth decides. For any other
// answer it prepares the question for a judge. See docs/spec/vqa.md#r31.
func (suite *suite) readOpen(item *scoring.Item, variants scoring.Variants, j *job, answer []byte) {
	j.extracted = -1
	sent := textForJudge(answer, variants.On(SelfReflection))
	switch {
	case sent == "":
		j.reading.Reason = extract.Empty
		j.decide(false, sourceInvalid)
	case j.takeRecordedVerdict(item): // then it has decided the answer
	case variants.On(Shortcut) && sameText(sent, j.truth):
		j.decide(true, sourceShortcut)
	default:
		j.setQuestion(scoring.JudgeOpen, item, sent)
	}
}

// Views implements scoring.Job: there are none.
func (*job) Views() []view.View { return nil }

// Score returns the result of a question: 1 for a right answer, 0 for a wrong one, an error for a
// missing or unjudged one. It implements scoring.Job.
func (j *job) Score([]metric.Tally) scoring.Result {
	result := j.result()
	switch j.state {
	case stateMissing:
		result.Err = &scoring.Error{Code: "no_response", Message: "cannot score item: it has no response"}
	case stateUnjudged:
		result.Err = &scoring.Error{Code: "unjudged", Message: j.unjudgedReason}
	default:
		result.Scored = true
		if j.state == stateRight {
			result.Score = 1
		}
	}
	return result
}

// Fail implements scoring.Job. It returns the result without a score and with the error e.
func (j *job) Fail(e scoring.Error) scoring.Result {
	r := j.result()
	r.Err = &e
	return r
}
