//go:build !fault

package chrome

// inject does what PLUMB_FAULT asks for; without the build tag fault nothing.
func inject(*browserInstance) (done func()) { return func() {} }
