//go:build !view

package main

import (
	"fmt"
	"os"
)

// main says how the window is built, and ends with exit code 2.
func main() {
	fmt.Fprintln(os.Stderr, "view: built without a window; want: make view SCENES=FILE")
	os.Exit(2)
}
