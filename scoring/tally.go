package scoring

import (
	"strconv"

	"github.com/valyala/fastjson"
)

// usage is what the member asked says about how an answer ended and what it took. Numbers that it
// does not say are 0.
type usage struct {
	outcome, finish               string
	prompt, completion, reasoning float64 // tokens
	cost, seconds                 float64
	tokens, priced, timed         bool // it says the tokens, the cost, the seconds
}

// readUsage reads the members that tables show. Those of another type count as absent,
// because what a run writes there may grow.
func readUsage(v *fastjson.Value) (u usage) {
	number := func(v *fastjson.Value, name string) (x float64, ok bool) {
		f := v.Get(name)
		if f == nil || f.Type() != fastjson.TypeNumber {
			return 0, false
		}
		x = f.GetFloat64()
		return x, x >= 0 && x < 1e15
	}
	u.outcome, u.finish = text(v, "outcome"), text(v, "finish")
	if n := v.Get("usage"); n != nil {
		u.prompt, _ = number(n, "prompt")
		u.completion, u.tokens = number(n, "completion")
		u.reasoning, _ = number(n, "reasoning")
	}
	u.cost, u.priced = number(v, "cost")
	u.seconds, u.timed = number(v, "seconds")
	return u
}

// CompletionTokens returns the completion tokens of the answer; ok is false where they are
// not known.
func (a *Asked) CompletionTokens() (n float64, ok bool) { return a.usage.completion, a.usage.tokens }

// PromptTokens returns the prompt tokens of the answer; ok is false where they are not known.
func (a *Asked) PromptTokens() (n float64, ok bool) { return a.usage.prompt, a.usage.tokens }

// Seconds returns how long the answer took; ok is false where that is not known.
func (a *Asked) Seconds() (s float64, ok bool) { return a.usage.seconds, a.usage.timed }

// Cost returns what the answer cost, in the currency of the run; ok is false where that is not known.
func (a *Asked) Cost() (c float64, ok bool) { return a.usage.cost, a.usage.priced }

// Tally counts answers by how they ended, and adds up the tokens, money and time that they took.
// (A metric.Tally is something else: sums of pixels.) See docs/spec/runs.md#r50.
type Tally struct {
	N, Missing, Failed, Filtered, Cut int
	Asked                             int     // answers with the member asked
	Prompt, Completion, Reasoning     float64 // tokens
	Cost, Seconds                     float64
	Priced                            int // answers with a cost
}

// Add counts a result by how its answer ended, with the tokens, money and time that the answer
// took.
func (t *Tally) Add(r *Result) {
	t.N++
	missing := !r.Scored && r.Err != nil && r.Err.Code == "no_response"
	switch {
	case missing:
		t.Missing++
	case !r.Scored:
		t.Failed++
	}
	cut := r.Who.Cut != ""
	if a := r.Who.Asked; a != nil {
		u := &a.usage
		t.Asked++
		if u.outcome == "filtered" {
			t.Filtered++
		}
		cut = cut || u.finish == "length"
		t.Prompt += u.prompt
		t.Completion += u.completion
		t.Reasoning += u.reasoning
		t.Seconds += u.seconds
		if u.priced {
			t.Priced++
			t.Cost += u.cost
		}
	}
	if cut {
		t.Cut++
	}
}

// TallyColumns returns the heads of the columns of Cells.
func TallyColumns() []string { return []string{"n", "missing", "failed", "filtered", "cut"} }

// Cells returns the counts as cells of a table. Filtered answers are among the missing ones too.
func (t *Tally) Cells() []string {
	return []string{strconv.Itoa(t.N), strconv.Itoa(t.Missing), strconv.Itoa(t.Failed), strconv.Itoa(t.Filtered), strconv.Itoa(t.Cut)}
}
