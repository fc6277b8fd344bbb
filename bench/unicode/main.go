// Command unicode goes through all of Unicode: every code point, in each of the
// four fonts, alone, between letters, at the start and the end of a line and in
// wrapped lines, is drawn as the editor draws it, or refused by its name. In: fonts
// and a browser. Out: a table, and every sample that differs. It ends with an
// error where one differs, or is refused without being named.
//
//	go run ./bench/unicode > bench/results/unicode.txt
//
// What is refused needs no picture, so the browser draws only what plumb draws.
package main

import (
	"flag"
	"fmt"
	"log"
	"maps"
	"runtime"
	"slices"
	"strings"

	"plumb/bench/rig"
)

// main reads the flags and compares how plumb and the editor draw each code point of Unicode, in every
// font.
func main() {
	log.SetFlags(0)
	first := flag.Int("from", 0, "first code point")
	last := flag.Int("to", 0x10FFFF, "last code point")
	cuts := flag.Bool("cuts", false, "take the bold and italic cuts in place of the normal ones")
	tabs := flag.Int("tabs", runtime.GOMAXPROCS(0), "tabs of the browser")
	pictures := flag.String("pictures", "", "folder for pictures of what differs: plumb's left, the editor's right")
	flag.Parse()
	fmt.Print(rig.Header(rig.Commit()))
	s := sweep{first: rune(*first), last: rune(*last), styles: styles(*cuts), tabs: *tabs, pictures: *pictures}
	if err := s.run(); err != nil {
		log.Fatal(err)
	}
}

// sweep draws every character of Unicode in every style.
type sweep struct {
	first, last rune
	styles      []style
	tabs        int
	pictures    string
}

// run sorts all characters into those that are drawn natively and those that are refused, compares
// the native ones with the editor's and prints the table.
func (sweep *sweep) run() error {
	sorted, err := sweep.sort()
	if err != nil {
		return err
	}
	differing, err := sweep.compare(sorted.native)
	if err != nil {
		return err
	}
	sweep.print(sorted, differing)
	differing = slices.DeleteFunc(differing, func(d difference) bool { return d.slight })
	if n := len(differing) + len(sorted.unnamed); n > 0 {
		return fmt.Errorf("%d samples differ from the editor's, or are refused without a name", n)
	}
	return nil
}

// print prints a row for each font and place with how many characters were drawn natively, refused,
// and drawn otherwise than the editor does, then the reasons of refusals and the characters that
// differ.
func (sweep *sweep) print(result *result, differing []difference) {
	natives, differ, slight := map[row]int{}, map[row]int{}, map[row]int{}
	for _, one := range result.native {
		natives[one.row]++
	}
	for _, difference := range differing {
		if difference.slight {
			slight[difference.row]++
		} else {
			differ[difference.row]++
		}
	}
	fmt.Printf("%-20s %-16s %8s %9s %8s %9s\n", "font", "place", "native", "refused", "differ", "in 1-2 px")
	for _, st := range sweep.styles {
		for p := range places {
			k := row{st, p}
			fmt.Printf("%-20s %-16s %8d %9d %8d %9d\n", st, places[p].name, natives[k], result.refused[k], differ[k], slight[k])
		}
	}
	fmt.Println("refused by name, by reason:")
	reasons := slices.Collect(maps.Keys(result.reasons))
	slices.SortFunc(reasons, func(a, b string) int { return result.reasons[b] - result.reasons[a] })
	for _, why := range reasons {
		fmt.Printf("%9d  %s\n", result.reasons[why], why)
	}
	for _, u := range result.unnamed {
		fmt.Println("refused without its name:", u)
	}
	lines := []string{}
	for _, d := range differing {
		lines = append(lines, d.String())
	}
	slices.SortFunc(lines, strings.Compare)
	for _, l := range lines {
		fmt.Println("differs:", l)
	}
}
