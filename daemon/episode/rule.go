package episode

import (
	"slices"

	"plumb/daemon/jsoncut"
	"plumb/scoring"
)

// Rule says how rewards of steps follow from the rewards of result lines. The zero value is
// "final". See docs/spec/episodes.md#r8.
type Rule struct {
	kind        string  // "final", "gain", "best", "shaped"; "" for final
	gamma, cost float64 // of "shaped": the discount of a new reward, and what each step costs
}

// readRule reads the option that says how an episode's scores become rewards: final, gain or best, or
// {"shaped":{"gamma":G,"cost":C}} with the defaults 1 and 0. option is its name in errors.
func readRule(option string, value []byte) (rule Rule, fault *scoring.Error) {
	if value[0] != '{' {
		rule.kind, fault = readOneOf(option, value, "final", "gain", "best")
		return rule, fault
	}
	rule = Rule{gamma: 1}
	unknown := badOption(option, `want final, gain, best or {"shaped":{"gamma":1.0,"cost":0.0}}`)
	jsoncut.Named(value, func(key, m []byte) error {
		switch {
		case fault != nil: // the first one counts
		case string(key) != "shaped" || m[0] != '{':
			fault = unknown
		default:
			rule.kind = "shaped"
			fault = rule.readShaped(option+".shaped", m)
		}
		return nil
	})
	if fault == nil && rule.kind == "" { // an empty object
		fault = unknown
	}
	return rule, fault
}

// readShaped reads the members of a shaped rule, by which a step is rewarded with the gain in score
// since the step before: gamma is the discount of the new score, and cost is taken off for each step.
func (rule *Rule) readShaped(option string, value []byte) (fault *scoring.Error) {
	jsoncut.Named(value, func(key, m []byte) error {
		if fault != nil {
			return nil
		}
		var x *float64
		switch string(key) {
		case "gamma":
			if x, fault = readFloat(option+".gamma", m); fault == nil {
				rule.gamma = *x
			}
		case "cost":
			if x, fault = readFloat(option+".cost", m); fault == nil {
				rule.cost = *x
			}
		default:
			fault = badOption(option+"."+string(key), "it is not known; want gamma and cost")
		}
		return nil
	})
	return fault
}

// step returns the reward of the last step. lineRewards are the rewards of the result lines so far, of which
// the last one is that of the step; done says that the episode ends with this step. The operations are in
// the order of the rule, and the product is converted to float64 so that no machine fuses it with the sum:
// then all machines get the same reward.
func (rule Rule) step(lineRewards []float64, done bool) float64 {
	now, previous := lineRewards[len(lineRewards)-1], 0.0
	if len(lineRewards) > 1 {
		previous = lineRewards[len(lineRewards)-2]
	}
	switch rule.kind {
	case "gain":
		return now - previous
	case "best":
		return max(0, now-best(lineRewards[:len(lineRewards)-1]))
	case "shaped":
		return float64(rule.gamma*now) - previous - rule.cost
	}
	if done { // the rule "final"
		return now
	}
	return 0
}

// total returns the return of an episode, from the rewards of its result lines and those of its steps. For
// "shaped" it is the sum of the steps' rewards, for "best" the best reward of a line, else that of the last
// line.
func (rule Rule) total(lineRewards, stepRewards []float64) (sum float64) {
	switch rule.kind {
	case "best":
		return slices.Max(lineRewards)
	case "shaped":
		for _, s := range stepRewards {
			sum += s
		}
		return sum
	}
	return lineRewards[len(lineRewards)-1]
}

// best returns the largest reward so far, at least 0, which is the reward before the first turn.
func best(rewards []float64) (largest float64) {
	for _, reward := range rewards {
		largest = max(largest, reward)
	}
	return largest
}
