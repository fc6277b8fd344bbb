package scoring

import (
	"strconv"

	"github.com/valyala/fastjson"
)

// usage is what the member asked says about how an answer ended and what it took. Numbers that it
// does not say are 0.
type usage struct {
	outcome, finish                string
	prompt, completion, reasoning  float64 // tokens
	cost, seconds                  float64
	hasTokens, hasCost, hasSeconds bool // it says the tokens, the cost, the seconds
}

// readUsage reads from the member asked how a model's answer ended and which tokens, money and time
// it took. Members of another type count as absent, because the members that a run writes there may
// become more. Numbers must be from 0 to below 1e15.
func readUsage(v *fastjson.Value) (u usage) {
	number := func(v *fastjson.Value, name string) (x float64, ok bool) {
		f := v.Get(name)
		if f == nil || f.Type() != fastjson.TypeNumber {
			return 0, false
		}
		x = f.GetFloat64()
		return x, x >= 0 && x < 1e15
	}
	u.outcome, u.finish = stringMember(v, "outcome"), stringMember(v, "finish")
	if tokens := v.Get("usage"); tokens != nil {
		u.prompt, _ = number(tokens, "prompt")
		u.completion, u.hasTokens = number(tokens, "completion")
		u.reasoning, _ = number(tokens, "reasoning")
	}
	u.cost, u.hasCost = number(v, "cost")
	u.seconds, u.hasSeconds = number(v, "seconds")
	return u
}

// CompletionTokens returns the completion tokens of the answer; ok is false where they are
// not known.
func (a *Asked) CompletionTokens() (n float64, ok bool) { return a.usage.completion, a.usage.hasTokens }

// PromptTokens returns the prompt tokens of the answer; ok is false where they are not known.
func (a *Asked) PromptTokens() (n float64, ok bool) { return a.usage.prompt, a.usage.hasTokens }

// Seconds returns how long the answer took; ok is false where that is not known.
func (a *Asked) Seconds() (s float64, ok bool) { return a.usage.seconds, a.usage.hasSeconds }

// Cost returns what the answer cost, in the currency of the run; ok is false where that is not known.
func (a *Asked) Cost() (c float64, ok bool) { return a.usage.cost, a.usage.hasCost }

// Tally counts answers by how they ended, and adds up the tokens, money and time that they took.
// (A metric.Tally is something else: sums of pixels.) See docs/spec/runs.md#r50.
type Tally struct {
	N, Missing, Failed, Filtered, Cut int
	Asked                             int     // answers with the member asked
	Prompt, Completion, Reasoning     float64 // tokens
	Cost, Seconds                     float64
	Priced                            int // answers with a cost
}

// Add counts a result: whether its answer is missing, failed, filtered or cut, and the tokens,
// money and time that it took. An answer is cut if the line says so or if its finish reason is
// "length".
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
	if asked := r.Who.Asked; asked != nil {
		usage := &asked.usage
		t.Asked++
		if usage.outcome == "filtered" {
			t.Filtered++
		}
		cut = cut || usage.finish == "length"
		t.Prompt += usage.prompt
		t.Completion += usage.completion
		t.Reasoning += usage.reasoning
		t.Seconds += usage.seconds
		if usage.hasCost {
			t.Priced++
			t.Cost += usage.cost
		}
	}
	if cut {
		t.Cut++
	}
}

// TallyColumns returns the heads of the columns of Cells.
func TallyColumns() []string { return []string{"n", "missing", "failed", "filtered", "cut"} }

// Cells returns the counts as cells of the columns of TallyColumns. Filtered answers are
// among the missing ones too.
func (t *Tally) Cells() []string {
	return []string{strconv.Itoa(t.N), strconv.Itoa(t.Missing), strconv.Itoa(t.Failed), strconv.Itoa(t.Filtered),
		strconv.Itoa(t.Cut)}
}
