package delta

// Rule is a rule of docs/spec/raster.md#r46 that a test can break, to see that the break is found.
type Rule uint8

// The rules.
const (
	None          Rule = iota
	ForgetRemoved      // layers that only the old view has do not count
	ForgetAdded        // layers that only the new view has do not count
	ForgetOrder        // a layer counts as kept although others have passed it
	ForgetUnits        // the region is not extended to whole runs of the view before
	ForgetOverlap      // kept layers are left out where they meet tiles that differ
)

// breaks reports whether a test breaks this rule, to see that the comparison then fails. Without the build
// tag fault it is false.
func breaks(rule Rule) bool { return broken == rule }
