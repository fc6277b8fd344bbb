package vqa

import (
	"strings"
	"unicode/utf8"

	"github.com/valyala/fastjson"

	"plumb/render/jsontree"
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

var sources = []string{"invalid", "literal", "stage2", "stage3", "stage4", "stage5", "stage6", "judge", "shortcut",
	"missing", "unjudged"}

var sourceValues = metricValues(sources)

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

	format                      string
	place                       taxonomyPlace
	otherCategory, otherSub     string // with AnyTaxonomy
	scale                       any    // nil where the item names none
	visualOptions, kindInferred bool
	modelName                   string
	repeat, tokens              int
	blind                       bool // answered without the picture
	pictures                    string
	errorClass                  any // what is wrong with the answer; nil where it is not given

	optionCount int // options
	style       extract.Style
	gold        int // position in the item, -1 for none
	truth       string
	shuffled    bool
	seeded      bool
	seed        int64
	shownOrder  [extract.MaxOptions]int

	reading        extract.Reading
	extracted      int // position in the item, -1 for none
	source         source
	state          state
	unjudgedReason string // of an unjudged item
	judgeQuestion  *scoring.Question
	metrics        [18]scoring.Metric // memory of the result's metrics, as many as there can be
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
func (j *job) setUnjudged(why string) {
	j.source, j.state, j.unjudgedReason = sourceUnjudged, stateUnjudged, why
}

// noJudge is the reason of unjudged items about which no judge was asked.
const noJudge = "cannot score answer: only a judge can tell whether it is right; want --judge-url, or its verdict in the field judge"

// takeRecordedVerdict decides the item by the judge's verdict in its field judge: a boolean,
// a number or a judge's reply. It returns false if there is none; a verdict that cannot be
// read leaves the item unjudged and returns true. See docs/spec/vqa.md#r32.
func (j *job) takeRecordedVerdict(it *scoring.Item) bool {
	value := it.Fields.Get("judge")
	if jsontree.Absent(value) {
		return false
	}
	var reply string
	switch value.Type() {
	case fastjson.TypeString:
		reply = string(value.GetStringBytes())
	case fastjson.TypeTrue:
		reply = "1"
	case fastjson.TypeFalse:
		reply = "0"
	default:
		reply = value.String()
	}
	right, ok := verdict.Parse(reply)
	if !ok {
		j.setUnjudged("cannot read the verdict in the field judge: got " + quoteStart(reply) + "; want 0 or 1")
		return true
	}
	j.decide(right, sourceJudge)
	return true
}

// quoteStart returns the first 80 bytes of a judge's reply in quotes, for an error message.
func quoteStart(text string) string {
	const limit = 80
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "") + "..."
	}
	return string(scoring.AppendString(nil, text))
}

// maxSentChars is how many characters of an answer a judge gets. See docs/spec/vqa.md#r33.
const maxSentChars = 4000

// textForJudge returns a model's answer as a judge gets it: without reasoning blocks, and only its
// first maxSentChars characters. With lastAnswer it returns only what follows the last "Answer:".
// See docs/spec/vqa.md#r33.
func textForJudge(answer []byte, lastAnswer bool) string {
	text := strings.TrimSpace(plain.WithoutReasoning(string(answer)))
	if lastAnswer {
		if at := strings.LastIndex(text, "Answer:"); at >= 0 {
			text = strings.TrimSpace(text[at+len("Answer:"):])
		}
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	if utf8.RuneCountInString(text) <= maxSentChars {
		return text
	}
	chars := 0
	for i := range text { // i is where a character starts
		if chars == maxSentChars {
			return text[:i]
		}
		chars++
	}
	return text
}

// sameText reports whether an answer equals the ground truth by the rules by which an
// option's text is recognised.
func sameText(answer, truth string) bool {
	var asOption extract.Reader
	asOption.SetOptions(extract.Letters, [][]byte{[]byte(truth), nil})
	return asOption.OptionByText([]byte(answer)) == 0
}

// askAboutChoice prepares the question for a judge about an answer to a question with options. An
// answer that is only reasoning is wrong without a judge.
func (j *job) askAboutChoice(kind scoring.QuestionKind, item *scoring.Item, answer []byte, options [][]byte) {
	sent := textForJudge(answer, false)
	if sent == "" {
		j.decide(false, sourceInvalid)
		return
	}
	j.setQuestion(kind, item, sent)
	question := j.judgeQuestion // set just now; the options complete it
	for position, option := range options {
		shown := labelText(j.style, position) + ". " + string(option)
		question.Options = append(question.Options, shown)
		if isRight := j.itemIndex(position) == j.gold; isRight {
			question.Truth = shown
		}
	}
}

// setQuestion prepares the question for a judge with the answer in `sent`. Until it is
// answered, the item is unjudged.
func (j *job) setQuestion(kind scoring.QuestionKind, it *scoring.Item, sent string) {
	j.setUnjudged(noJudge)
	j.judgeQuestion = &scoring.Question{Kind: kind, Text: string(it.Fields.GetStringBytes("question")),
		Truth: j.truth, Answer: sent}
}

// Question returns the question for a judge that prepare made, or false where no judge is needed.
// It implements scoring.Judged.
func (j *job) Question() (scoring.Question, bool) {
	if j.judgeQuestion == nil {
		return scoring.Question{}, false
	}
	return *j.judgeQuestion, true
}

// Judge decides the item by a judge's verdict, or leaves it unjudged with the judge's error. It
// implements scoring.Judged.
func (j *job) Judge(judgement scoring.Judgement) {
	if judgement.Err != nil {
		j.setUnjudged(judgement.Err.Message)
		return
	}
	j.decide(judgement.Right, sourceJudge)
}

// result returns the result of a question with everything but score and error, which depend on the
// outcome: identity and metrics, of which those are left out that do not apply.
func (j *job) result() scoring.Result {
	result := scoring.Result{ID: j.id, Suite: j.suite.name, Test: j.format, Status: sources[j.source], Cluster: j.pictures}
	list := j.metrics[:0]
	list = append(list, scoring.Metric{Name: "extracted", Value: letterOf(j.extracted)},
		scoring.Metric{Name: "gold", Value: letterOf(j.gold)},
		scoring.Metric{Name: "source", Value: sourceValues[j.source]})
	if j.format == formatChoice && j.state != stateMissing {
		list = append(list, scoring.Metric{Name: "reason", Value: reasonValue(j.reading.Reason)},
			scoring.Metric{Name: "stage", Value: j.reading.Stage},
			scoring.Metric{Name: "literal", Value: j.reading.Literal})
	}
	// Which question it is.
	if category, sub := j.groupNames(); category != nil || sub != nil {
		list = append(list, scoring.Metric{Name: "category", Value: category},
			scoring.Metric{Name: "subcategory", Value: sub})
	}
	if j.suite.benchmark == spaceeval {
		list = append(list, scoring.Metric{Name: "scale", Value: j.scale},
			scoring.Metric{Name: "option_kind", Value: kindValue(j.visualOptions)},
			scoring.Metric{Name: "option_kind_inferred", Value: j.kindInferred})
	}
	list = append(list, scoring.Metric{Name: "options", Value: j.optionCount})
	// How the model was asked.
	if j.modelName != "" {
		list = append(list, scoring.Metric{Name: "model", Value: j.modelName})
	}
	if j.repeat != 1 {
		list = append(list, scoring.Metric{Name: "run", Value: j.repeat})
	}
	if j.blind {
		list = append(list, scoring.Metric{Name: "blind", Value: true})
	}
	if j.errorClass != nil {
		list = append(list, scoring.Metric{Name: "error_class", Value: j.errorClass})
	}
	if j.tokens >= 0 {
		list = append(list, scoring.Metric{Name: "tokens", Value: j.tokens})
	}
	result.Metrics = list
	return result
}

// groupNames returns the names of the question's category and subcategory as values of metrics, nil
// where the item has none. Names outside of the benchmark's taxonomy come from the item.
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

// letterOf returns the letter of the question's option i as the value of a metric, nil for -1.
func letterOf(i int) any {
	if i < 0 {
		return nil
	}
	return letterValues[i]
}

var reasons = []string{"empty", "multiple", "conflict", "out-of-range", "ambiguous", "unresolved", "no-answer"}

var reasonValues = metricValues(reasons)

// reasonValue returns the reason why an answer is invalid as the value of a metric, nil for
// a valid one. The value is taken from reasonValues, which has the order of reasons. Converting r to an
// interface would allocate memory for each result.
func reasonValue(r extract.Reason) any {
	for i, reason := range reasons {
		if string(r) == reason {
			return reasonValues[i]
		}
	}
	return nil
}

var kindValues = metricValues([]string{"text", "visual"})

// kindValue returns whether a question's options are texts or drawings as the value of a metric.
func kindValue(visual bool) any {
	if visual {
		return kindValues[1]
	}
	return kindValues[0]
}
