//go:build race

package explorer_test

// raced is true under the race detector, where each step takes some ten times as long.
const raced = true
