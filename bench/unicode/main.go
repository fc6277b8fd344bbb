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
	"plumb/scoring/plural"
)

// main reads the flags and compares how plumb and the editor tldraw draw each code point of Unicode, in every
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
	sweep := sweep{first: rune(*first), last: rune(*last), styles: styles(*cuts), tabs: *tabs, pictures: *pictures}
	if err := sweep.run(); err != nil {
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

// run divides all characters, in all fonts and places in a text, into those that plumb draws natively and
// those that it refuses, compares the pictures of the native ones with the editor's, and prints the table.
// It returns an error if one differs in more than a few pixels, or is refused without being named.
func (sweep *sweep) run() error {
	classified, err := sweep.classify()
	if err != nil {
		return err
	}
	differing, err := sweep.compare(classified.native)
	if err != nil {
		return err
	}
	sweep.print(classified, differing)
	differing = slices.DeleteFunc(differing, func(found difference) bool { return found.isSlight })
	if n := len(differing) + len(classified.unnamed); n > 0 {
		return fmt.Errorf("%s from the editor's, or refused without a name", plural.Of(n, "sample differs", "samples differ"))
	}
	return nil
}

// print prints a row for each font and place in a text: how many characters plumb draws natively, how many it
// refuses, and how many it draws otherwise than the editor does. Then it prints the reasons of refusals and
// the characters that differ.
func (sweep *sweep) print(result *result, differing []difference) {
	natives, differ, slight := map[row]int{}, map[row]int{}, map[row]int{}
	for _, sample := range result.native {
		natives[sample.row]++
	}
	for _, difference := range differing {
		if difference.isSlight {
			slight[difference.row]++
		} else {
			differ[difference.row]++
		}
	}
	fmt.Printf("%-20s %-16s %8s %9s %8s %9s\n", "font", "place", "native", "refused", "differ", "in 1-2 px")
	for _, style := range sweep.styles {
		for place := range places {
			at := row{style, place}
			fmt.Printf("%-20s %-16s %8d %9d %8d %9d\n", style, places[place].name, natives[at], result.refused[at], differ[at], slight[at])
		}
	}
	fmt.Println("refused by name, by reason:")
	reasons := slices.Collect(maps.Keys(result.reasons))
	slices.SortFunc(reasons, func(a, b string) int { return result.reasons[b] - result.reasons[a] })
	for _, why := range reasons {
		fmt.Printf("%9d  %s\n", result.reasons[why], why)
	}
	for _, text := range result.unnamed {
		fmt.Println("refused without its name:", text)
	}
	lines := []string{}
	for _, difference := range differing {
		lines = append(lines, difference.String())
	}
	slices.SortFunc(lines, strings.Compare)
	for _, line := range lines {
		fmt.Println("differs:", line)
	}
}
