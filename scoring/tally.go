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
	hasPrompt, hasTokens          bool // it says the prompt tokens, the completion tokens
	hasCost, hasSeconds           bool // it says the cost, the seconds
}

// readUsage reads from the member asked how a model's answer ended and which tokens, money and time
// it took. Members of another type, and numbers below 0 or from 1e15 on, count as absent: the members that a
// run writes there may become more.
func readUsage(v *fastjson.Value) (usage usage) {
	number := func(v *fastjson.Value, name string) (x float64, ok bool) {
		f := v.Get(name)
		if f == nil || f.Type() != fastjson.TypeNumber {
			return 0, false
		}
		if x = f.GetFloat64(); !(x >= 0 && x < 1e15) {
			return 0, false
		}
		return x, true
	}
	usage.outcome, usage.finish = stringMember(v, "outcome"), stringMember(v, "finish")
	if tokens := v.Get("usage"); tokens != nil {
		usage.prompt, usage.hasPrompt = number(tokens, "prompt")
		usage.completion, usage.hasTokens = number(tokens, "completion")
		usage.reasoning, _ = number(tokens, "reasoning")
	}
	usage.cost, usage.hasCost = number(v, "cost")
	usage.seconds, usage.hasSeconds = number(v, "seconds")
	return usage
}

// CompletionTokens returns the completion tokens of the answer; ok is false where they are
// not known.
func (a *Asked) CompletionTokens() (n float64, ok bool) { return a.usage.completion, a.usage.hasTokens }

// PromptTokens returns the prompt tokens of the answer; ok is false where they are not known.
func (a *Asked) PromptTokens() (n float64, ok bool) { return a.usage.prompt, a.usage.hasPrompt }

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
func (tally *Tally) Add(result *Result) {
	tally.N++
	missing := !result.Scored && result.Err != nil && result.Err.Code == "no_response"
	switch {
	case missing:
		tally.Missing++
	case !result.Scored:
		tally.Failed++
	}
	// How it was asked for, if the line says so.
	cut := result.Who.Cut != ""
	if asked := result.Who.Asked; asked != nil {
		usage := &asked.usage
		tally.Asked++
		if usage.outcome == "filtered" {
			tally.Filtered++
		}
		cut = cut || usage.finish == "length"
		tally.Prompt += usage.prompt
		tally.Completion += usage.completion
		tally.Reasoning += usage.reasoning
		tally.Seconds += usage.seconds
		if usage.hasCost {
			tally.Priced++
			tally.Cost += usage.cost
		}
	}
	if cut {
		tally.Cut++
	}
}

// TallyColumns returns the heads of the columns of Cells.
func TallyColumns() []string { return []string{"n", "missing", "failed", "filtered", "cut"} }

// Cells returns the counts of a report's row as cells of the columns of TallyColumns. Filtered answers
// are among the missing ones too.
func (tally *Tally) Cells() []string {
	return []string{strconv.Itoa(tally.N), strconv.Itoa(tally.Missing), strconv.Itoa(tally.Failed), strconv.Itoa(tally.Filtered),
		strconv.Itoa(tally.Cut)}
}
