//go:build !race

package explorer_test

// raced is true under the race detector.
const raced = false
