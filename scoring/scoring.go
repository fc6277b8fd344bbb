// Package scoring defines what a benchmark suite is: functions that read an item of a dump, name
// the pictures that must be measured, and compute a result from the measurements. It also reads
// and writes results. The suites are in the folders below. It imports no renderer, so that a
// score never depends on how pixels were made.
package scoring

import (
	"github.com/valyala/fastjson"

	"plumb/render/metric"
	"plumb/render/region"
	"plumb/render/view"
)

// Item is one line of a dump, or one sample of a request.
type Item struct {
	ID    string
	Line  int // 1-based line of the dump, 0 where there is none
	Suite string
	Test  string
	Who   Identity // who made the answer
	// Fields is the whole JSON object. It is valid until Prepare returns: what
	// a Job keeps it must copy.
	Fields *fastjson.Value
	// Notes are about how the line was read. They come before the notes of the result.
	Notes []Note
	// Meter measures areas and distances of regions, maybe on a device; nil for plain Go.
	Meter region.Meter
}

// Job is an item that has been read.
type Job interface {
	// Views returns the pictures to measure; none where the test needs no pixels.
	Views() []view.View
	// Score computes the result from the tallies of Views, in their order. It is
	// called at most once, and not after Fail.
	Score(tallies []metric.Tally) Result
	// Fail returns the result of an item that could not be scored, with score null. See
	// docs/spec/cli.md#r21.
	Fail(e Error) Result
}

// Variant describes a named variant of a rule.
type Variant struct {
	Name   string // "maze.cell"
	Value  string // "" for an on/off variant, else what values it takes, "release|paper"
	Source string // "paper", "decided"
	Doc    string // one line
	// Refused says why a variant that the paper names is not offered; "" for one
	// that is.
	Refused string
}

// Variants are the chosen variants: their values by name ("" for on).
type Variants map[string]string

// On reports whether the variant was chosen.
func (v Variants) On(name string) bool { _, ok := v[name]; return ok }

// Error says why there is no score. Code never changes; it is lower case with underscores
// ("bad_line", "no_response", "undefined", "not_native").
type Error struct{ Code, Message string }

func (e *Error) Error() string { return e.Message }

// Result is one scored item.
type Result struct {
	ID     string
	Line   int // written only for bad lines
	Suite  string
	Test   string
	Who    Identity // who made the answer
	Scored bool     // false: score null, Err says why
	Score  float64  // the paper's number, not clamped; finite
	Status string   // how the answer was read: "fenced", "bare", "no_json", ...
	// Metrics are the intermediate values of the score, in a fixed order per suite and test.
	Metrics []Metric
	// Fields are further members of the result line, after the metrics, where a
	// suite has any ("evaluation", "feedback").
	Fields []Metric
	Notes  []Note
	Err    *Error
	// Cluster names what the item shares with others, such as a picture, so that their scores
	// are no independent ones; "" for nothing. It is not written to result lines.
	Cluster string
	Backend string // what made the pixels: "gl", "cpu", "chrome"; "" where none were needed, written as the engine's
}

// Metric is one named value of a result. Value is a float64, int, bool, string, nil, []string,
// []float64, [][]float64 or JSON.
type Metric struct {
	Name  string
	Value any
}

// Note reports something that was changed or left out while an answer was read.
type Note struct {
	Code    string // "dropped_field"
	Path    string // "createShapes[0].props.foo"
	Message string
}
