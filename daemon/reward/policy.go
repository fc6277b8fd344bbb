package reward

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

// String returns the name of a policy.
func (p Policy) String() string { return [...]string{"zero", "null", "drop", "error"}[p] }
