//go:build fault

package delta

// broken is the rule that a test breaks.
var broken Rule

// Break breaks a rule until it is called again. It is for tests; nothing may draw meanwhile.
func Break(r Rule) { broken = r }
