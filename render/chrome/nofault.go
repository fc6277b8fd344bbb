//go:build !fault

package chrome

// injectFault does what PLUMB_FAULT asks for; without the build tag fault nothing.
func injectFault(*browserInstance) (done func()) { return func() {} }
