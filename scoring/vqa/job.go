package vqa

import (
	"strings"
	"unicode/utf8"

	"github.com/valyala/fastjson"

	"plumb/scoring"
	"plumb/scoring/vqa/extract"
	"plumb/scoring/vqa/plain"
	"plumb/scoring/vqa/verdict"
)

// source says what decided an item: a stage of reading the answer (stages have their own numbers),
// a judge, or nothing. See docs/spec/vqa.md#r35.
type source uint8

const (
	sourceInvalid  source = 0
	sourceLiteral  source = 1
	sourceStage2   source = 2
	sourceStage6   source = 6
	sourceJudge    source = 7
	sourceShortcut source = 8
	sourceMissing  source = 9
	sourceUnjudged source = 10
)

var sources = []string{"invalid", "literal", "stage2", "stage3", "stage4", "stage5", "stage6", "judge", "shortcut", "missing", "unjudged"}

var sourceValues = boxed(sources)

// state is the outcome of an item.
type state uint8

const (
	stateWrong state = iota
	stateRight
	stateMissing
	stateUnjudged
)

// job is an item that has been read. It implements scoring.Judged.
type job struct {
	suite *suite
	id    string

	format                  string
	place                   place
	otherCategory, otherSub string // with AnyTaxonomy
	scale                   any    // nil where the item names none
	visual, inferred        bool
	model                   string
	run, tokens             int
	blind                   bool // answered without the picture
	pictures                string
	errorClass              any // what is wrong with the answer; nil where it is not given

	n        int // options
	style    extract.Style
	gold     int // position in the item, -1 for none
	truth    string
	shuffled bool
	seeded   bool
	seed     int64
	perm     [extract.Most]int

	reading   extract.Reading
	extracted int // position in the item, -1 for none
	source    source
	state     state
	why       string // of an unjudged item
	question  *scoring.Question
	metrics   [18]scoring.Metric
}

// decide records that the answer to the question is right or wrong, and what decided it.
func (j *job) decide(right bool, by source) {
	j.source, j.state = by, stateWrong
	if right {
		j.state = stateRight
	}
}

// setMissing records that there is no answer. See docs/spec/vqa.md#r10.
func (j *job) setMissing() { j.source, j.state, j.extracted = sourceMissing, stateMissing, -1 }

// setUnjudged records that there is no verdict, and why. See docs/spec/vqa.md#r34.
func (j *job) setUnjudged(why string) { j.source, j.state, j.why = sourceUnjudged, stateUnjudged, why }

// noJudge is the reason of unjudged items about which no judge was asked.
const noJudge = "cannot score answer: only a judge can tell whether it is right; want --judge-url, or its verdict in the field judge"

// takeRecordedVerdict takes the judge's verdict that the line carries, and returns false where it
// carries none. See docs/spec/vqa.md#r32.
func (j *job) takeRecordedVerdict(it *scoring.Item) bool {
	v := it.Fields.Get("judge")
	if absent(v) {
		return false
	}
	var reply string
	switch v.Type() {
	case fastjson.TypeString:
		reply = string(v.GetStringBytes())
	case fastjson.TypeTrue:
		reply = "1"
	case fastjson.TypeFalse:
		reply = "0"
	default:
		reply = v.String()
	}
	right, ok := verdict.Parse(reply)
	if !ok {
		j.setUnjudged("cannot read the verdict in the field judge: got " + quoteStart(reply) + "; want 0 or 1")
		return true
	}
	j.decide(right, sourceJudge)
	return true
}

// quoteStart quotes the first bytes of a text for a message.
func quoteStart(s string) string {
	const most = 80
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "..."
	}
	return string(scoring.AppendString(nil, s))
}

// mostSent is how many characters of an answer a judge gets. See docs/spec/vqa.md#r33.
const mostSent = 4000

// textForJudge returns an answer as a judge gets it: without reasoning blocks and shortened.
// lastAnswer drops the last "Answer:" and all text before it. See docs/spec/vqa.md#r33.
func textForJudge(answer []byte, lastAnswer bool) string {
	s := strings.TrimSpace(plain.Spoken(string(answer)))
	if at := strings.LastIndex(s, "Answer:"); lastAnswer && at >= 0 {
		s = strings.TrimSpace(s[at+len("Answer:"):])
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	if utf8.RuneCountInString(s) <= mostSent {
		return s
	}
	n := 0
	for i := range s {
		if n == mostSent {
			return s[:i]
		}
		n++
	}
	return s
}

// sameText reports whether an answer is the ground truth, word for word.
func sameText(answer, truth string) bool {
	var r extract.Reader
	r.Options(extract.Letters, [][]byte{[]byte(truth), nil})
	return r.OptionByText([]byte(answer)) == 0
}

// askAboutChoice makes the question for a judge about an answer to a question with options. An
// empty answer is wrong without a judge.
func (j *job) askAboutChoice(kind scoring.QuestionKind, it *scoring.Item, answer []byte, options [][]byte) {
	sent := textForJudge(answer, false)
	if sent == "" {
		j.decide(false, sourceInvalid)
		return
	}
	j.setQuestion(kind, it, sent)
	q := j.question
	for p, o := range options {
		shown := labelText(j.style, p) + ". " + string(o)
		q.Options = append(q.Options, shown)
		if j.original(p) == j.gold {
			q.Truth = shown
		}
	}
}

// setQuestion makes the question for a judge. Until it is answered, the item is unjudged.
func (j *job) setQuestion(kind scoring.QuestionKind, it *scoring.Item, sent string) {
	j.setUnjudged(noJudge)
	j.question = &scoring.Question{Kind: kind, Text: string(it.Fields.GetStringBytes("question")), Truth: j.truth, Answer: sent}
}

// Question implements scoring.Judged.
func (j *job) Question() (scoring.Question, bool) {
	if j.question == nil {
		return scoring.Question{}, false
	}
	return *j.question, true
}

// Judge implements scoring.Judged.
func (j *job) Judge(v scoring.Judgement) {
	if v.Err != nil {
		j.setUnjudged(v.Err.Message)
		return
	}
	j.decide(v.Right, sourceJudge)
}

// result returns the parts of the result that do not depend on the outcome.
func (j *job) result() scoring.Result {
	r := scoring.Result{ID: j.id, Suite: j.suite.name, Test: j.format, Status: sources[j.source], Cluster: j.pictures}
	m := j.metrics[:0]
	m = append(m, scoring.Metric{Name: "extracted", Value: letterOf(j.extracted)}, scoring.Metric{Name: "gold", Value: letterOf(j.gold)},
		scoring.Metric{Name: "source", Value: sourceValues[j.source]})
	if j.format == formatChoice && j.state != stateMissing {
		m = append(m, scoring.Metric{Name: "reason", Value: reasonValue(j.reading.Reason)}, scoring.Metric{Name: "stage", Value: j.reading.Stage},
			scoring.Metric{Name: "literal", Value: j.reading.Literal})
	}
	if category, sub := j.groupNames(); category != nil || sub != nil {
		m = append(m, scoring.Metric{Name: "category", Value: category}, scoring.Metric{Name: "subcategory", Value: sub})
	}
	if j.suite.kind == spaceeval {
		m = append(m, scoring.Metric{Name: "scale", Value: j.scale}, scoring.Metric{Name: "option_kind", Value: kindValue(j.visual)},
			scoring.Metric{Name: "option_kind_inferred", Value: j.inferred})
	}
	m = append(m, scoring.Metric{Name: "options", Value: j.n})
	if j.model != "" {
		m = append(m, scoring.Metric{Name: "model", Value: j.model})
	}
	if j.run != 1 {
		m = append(m, scoring.Metric{Name: "run", Value: j.run})
	}
	if j.blind {
		m = append(m, scoring.Metric{Name: "blind", Value: true})
	}
	if j.errorClass != nil {
		m = append(m, scoring.Metric{Name: "error_class", Value: j.errorClass})
	}
	if j.tokens >= 0 {
		m = append(m, scoring.Metric{Name: "tokens", Value: j.tokens})
	}
	r.Metrics = m
	return r
}

// groupNames returns the names of category and subcategory as values of metrics, nil where there
// is none.
func (j *job) groupNames() (category, sub any) {
	if j.place.category >= 0 {
		at := &j.suite.categories[j.place.category]
		category = at.value
		if j.place.sub >= 0 {
			sub = at.subs[j.place.sub].value
		}
	}
	if j.otherCategory != "" {
		category = j.otherCategory
	}
	if j.otherSub != "" {
		sub = j.otherSub
	}
	return category, sub
}

// letterOf returns the letter of an option as the value of a metric, nil for -1.
func letterOf(k int) any {
	if k < 0 {
		return nil
	}
	return letterValues[k]
}

var reasons = []string{"empty", "multiple", "conflict", "out-of-range", "ambiguous", "unresolved", "no-answer"}

var reasonValues = boxed(reasons)

// reasonValue returns the reason of an invalid answer as the value of a metric, nil for a valid
// one.
func reasonValue(r extract.Reason) any {
	for k, name := range reasons {
		if string(r) == name {
			return reasonValues[k]
		}
	}
	return nil
}

var kindValues = boxed([]string{"text", "visual"})

// kindValue returns the kind of the options as the value of a metric.
func kindValue(visual bool) any {
	if visual {
		return kindValues[1]
	}
	return kindValues[0]
}
