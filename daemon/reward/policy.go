package reward

import (
	"fmt"
	"slices"
	"strings"
)

// Policy says what a trainer gets for a sample that the scorer could not score. It is
// never NaN, and never an unmarked wrong answer. See docs/spec/http.md#r22.
type Policy uint8

// The policies.
const (
	Zero  Policy = iota // 0.0, marked as failed
	Null                // null in place of the number
	Drop                // the sample is left out
	Error               // the request fails with the scorer's error
)

var policyNames = [...]string{Zero: "zero", Null: "null", Drop: "drop", Error: "error"}

// String returns the name of a policy.
func (p Policy) String() string { return policyNames[p] }

// The adapters that have a policy.
const (
	OpenRLHF = "openrlhf"
	Slime    = "slime"
	NeMoGym  = "nemo-gym"
	OpenEnv  = "openenv"
)

// allowed lists the policies of each adapter, its default first. What is not
// listed would break the trainer: OpenRLHF makes tensors of its lists, a single
// number cannot be left out.
var allowed = map[string][]Policy{
	OpenRLHF: {Zero, Drop, Error},
	Slime:    {Zero, Null, Error},
	NeMoGym:  {Zero, Drop, Error},
	OpenEnv:  {Null, Zero, Error},
}

// defaultSteps are the steps of text preparation that an adapter runs unless it
// is told otherwise: these two get decoded text with the special tokens in it.
var defaultSteps = map[string]Steps{OpenRLHF: StepSpecial, Slime: StepSpecial}

// Policies are the policies by adapter.
type Policies map[string]Policy

// ParsePolicies reads the values of --unscorable, each ADAPTER=POLICY. Adapters
// that are not named keep their default.
func ParsePolicies(args []string) (Policies, error) {
	all := Policies{}
	for name, list := range allowed {
		all[name] = list[0]
	}
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		list, ok := allowed[name]
		if !ok {
			return nil, fmt.Errorf("cannot use unscorable policy %.60q: want ADAPTER=POLICY with one of %s", arg, strings.Join(Adapters(), ", "))
		}
		i := slices.IndexFunc(list, func(p Policy) bool { return p.String() == value })
		if i < 0 {
			return nil, fmt.Errorf("cannot use unscorable policy %.60q: got %.20q; want one of %s", arg, value, policyList(list))
		}
		all[name] = list[i]
	}
	return all, nil
}

func policyList(list []Policy) string {
	names := make([]string, len(list))
	for i, p := range list {
		names[i] = p.String()
	}
	return strings.Join(names, ", ")
}

// Adapters lists the adapters that have a policy, in alphabetical order.
func Adapters() []string {
	var names []string
	for name := range allowed {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// ParsePrepare reads the values of --prepare, each ADAPTER=STEP[,STEP...], into
// the steps of every adapter. "native" stands for POST /v1/reward.
func ParsePrepare(args []string) (map[string]Steps, error) {
	all := map[string]Steps{Native: 0}
	for name := range allowed {
		all[name] = defaultSteps[name]
	}
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		if _, ok := all[name]; !ok {
			return nil, fmt.Errorf("cannot use preparation %.60q: want ADAPTER=STEP[,STEP] with one of %s, %s", arg, strings.Join(Adapters(), ", "), Native)
		}
		steps, err := ParseSteps(value)
		if err != nil {
			return nil, fmt.Errorf("cannot use preparation %.60q: %w", arg, err)
		}
		all[name] = steps
	}
	return all, nil
}

// Native is the name of POST /v1/reward among the adapters.
const Native = "native"
