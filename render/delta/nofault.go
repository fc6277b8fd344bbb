//go:build !fault

package delta

// broken is the rule that a test breaks; without the build tag fault it is none.
const broken = None
