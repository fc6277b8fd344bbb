// Command gen writes the sample dump: every scenario of every test, answered by every program, one line each.
//
//	go run ./scoring/aspire/scenario/gen > testdata/aspire/demo.jsonl
package main

import (
	"fmt"
	"os"

	"plumb/scoring/aspire/scenario/program"
)

// main writes the sample dump of ASPIRE answers to stdout.
func main() {
	dump, err := program.Dump(program.DemoSeed)
	if err == nil {
		_, err = os.Stdout.Write(dump)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
