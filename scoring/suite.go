package scoring

import (
	"slices"
	"strings"

	"github.com/valyala/fastjson"
)

// Suite is one benchmark. It is read-only, and its functions may be called by many goroutines at
// once. Name, Tests and Prepare are required; the other fields may be zero.
type Suite struct {
	Name     string    // in dumps and on the command line: "spaceeval"
	Title    string    // as its paper writes it: "SpaCE-Eval"
	Tests    []string  // names, in the order of the paper
	Groups   []Group   // categories of tests
	Variants []Variant // the named variants that its rules know
	Tasks    TaskFile  // how its task file is read

	// Questions says that its items are questions about pictures that come with them, answered
	// by a choice or in words. So no picture is drawn to ask them, and they have no turns.
	Questions bool

	// Prepare reads an item: the task, and the answer in the model's text. It leaves the score to Job.Score,
	// so that profiles tell the cost of reading from that of scoring. Of a question it decides whether the
	// answer is right, because only then it is known whether a judge must be asked. A bad answer is no
	// error: it has a score and a status. An error means that the item itself cannot be used (unknown test,
	// no task, bad initial scene) and wraps *Error.
	Prepare func(it *Item, v Variants) (Job, error)
	// MissingMembers returns an error that names all members that the item needs and does not
	// have, by themselves or from a task file; nil where there is none, or the answer
	// alone. It is called before Prepare.
	MissingMembers func(it *Item) error

	// RepeatMember is another name of the member repeat in its lines ("run").
	RepeatMember string
	// LooseAnswers tells that repeated keys, NaN, infinities and numbers of any size may
	// stand in the members response and actions.
	LooseAnswers bool
	// AnswerForms describe, by member ("response", "actions"), answers that are no text
	// in messages: "an object with createShapes". Other members are not read.
	AnswerForms map[string]string
	// OwnAnswer reports whether v, which stands in that member and is no text, is an
	// answer to the item in the suite's own form. Anything else but a text is refused,
	// so that a value which no rule of the suite reads never becomes a bad answer.
	OwnAnswer func(it *Item, member string, v *fastjson.Value) bool

	// ElementKey and Lines read results that are published as one JSON list of tasks,
	// each with several answers. ElementKey returns the name in the task file of the
	// task of an element, "" where the element says itself which it is. The k-th element
	// of a name belongs to the k-th task of that name.
	ElementKey func(element *fastjson.Value) string
	// Lines returns the element's answers as dump lines without line ends, and false
	// when it is no element of such a list. task is the position in the task file of the
	// task that ElementKey names, -1 where there is none.
	Lines func(element *fastjson.Value, task int) ([][]byte, bool)

	// Tables returns empty tables for one run, where the papers print more than the mean
	// of each test.
	Tables func(o TableOptions) Tables
	// TablesJoinSeries tells that these tables have a row or column for each series, so that
	// results of all series go to the same ones.
	TablesJoinSeries bool

	// Paint makes the picture of an item's answer. The error wraps *Error; that of an
	// item without an answer has the code "no_response".
	Paint func(it *Item, v Variants) (Painting, error)
	// Reading returns the bytes from..to-1 of the answer's text that are read as the answer;
	// ok is false where nothing is. It is called for answers that are texts.
	Reading func(it *Item, v Variants) (from, to int, ok bool)
	// MovableParts names what the answer placed and MoveParts can move; none where it placed nothing.
	MovableParts func(it *Item, v Variants) []Part
	// MoveParts returns the value of the member response in which one part, or all for "", is moved by
	// dx and dy in the unit of Move. Without a move it must have the score of the answer.
	MoveParts func(it *Item, v Variants, part string, dx, dy float64) (response []byte, err error)
	Move      Move
	// Canvas returns what the answers of several turns to an item build on, before the first of
	// them; nil where answers do not build on each other. The error wraps *Error.
	Canvas func(it *Item, v Variants) (Canvas, error)
	// Prompt returns what a model is asked about an item. The error wraps *Error.
	Prompt func(it *Item, o PromptOptions) (string, error)
}

// Part is something that an answer placed.
type Part struct {
	Name string  // unique in its answer
	X, Y float64 // about its middle, in the unit of Move; turns are left out
}

// Move describes the moves of a suite.
type Move struct {
	Unit string  // of lengths: "px", "units"
	Step float64 // between two moves, where nobody says otherwise
	Up   bool    // y grows upwards in pictures; Panel.Axes says where it lies
}

// PromptOptions choose a prompt. A suite reads those that its benchmark has.
type PromptOptions struct {
	Minimal  bool // shapes are described by their ids only
	StepWise bool // the model is asked to think step by step
	Open     bool // an item that names no format is an open question

	// Method names the way of asking, Step one of its calls, and EarlierAnswers has the model's texts
	// in the calls before it, by step. "" is the benchmark's plain way in one call.
	Method, Step   string
	EarlierAnswers map[string]string
}

// Suites is a list of suites in alphabetical order.
type Suites []*Suite

// NewSuites sorts suites.
func NewSuites(all ...*Suite) Suites {
	slices.SortFunc(all, func(a, b *Suite) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Find returns the benchmark suite with this name, or nil.
func (suites Suites) Find(name string) *Suite {
	i := slices.IndexFunc(suites, func(s *Suite) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return suites[i]
}

// Names returns the names of the benchmark suites, in their order.
func (suites Suites) Names() []string {
	names := make([]string, len(suites))
	for i, s := range suites {
		names[i] = s.Name
	}
	return names
}

// Titles returns the names of the benchmarks as their papers write them, in the order of the suites.
func (suites Suites) Titles() []string {
	titles := make([]string, len(suites))
	for i, suite := range suites {
		titles[i] = suite.Title
	}
	return titles
}

// Variants returns the variants of all benchmark suites, each once; suites may share one.
func (suites Suites) Variants() []Variant {
	var all []Variant
	for _, s := range suites {
		for _, v := range s.Variants {
			if !slices.ContainsFunc(all, func(w Variant) bool { return w.Name == v.Name }) { // suites may share one
				all = append(all, v)
			}
		}
	}
	return all
}
