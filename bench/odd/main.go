// Command odd makes odd documents of tldraw by chance: shapes of every kind that lack properties, have
// unknown ones, and values of the wrong type or out of range, in each encoding. In: a seed, by
// default of the clock, and a browser. Out: a table, and every document that is at fault. A document must
// be drawn as the editor draws it, left to the editor with an error that names the shape, or refused with
// one that names the field or the shape. It ends with an error where one is drawn otherwise, is drawn
// although the editor refuses it, or where the error names neither.
//
//	go run ./bench/odd > bench/results/odd.txt
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"log"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"plumb/bench/rig"
	"plumb/scoring/plural"
)

// main reads the flags, makes odd whiteboard documents, as broken programs might write them, of each kind of
// shape, and compares what plumb and the editor make of them.
func main() {
	log.SetFlags(0)
	each := flag.Int("n", 60, "documents of each kind of shape")
	seed := flag.Uint64("seed", 0, "what they are made from; 0 takes the clock")
	tabs := flag.Int("tabs", runtime.GOMAXPROCS(0), "tabs of the browser")
	pictures := flag.String("pictures", "", "folder for pictures of what differs: plumb's left, the editor's right")
	flag.Parse()
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	fmt.Printf("%s# seed %d, %d documents of each kind\n", rig.Header(rig.Commit()), *seed, *each)
	if err := run(*each, *seed, *tabs, *pictures); err != nil {
		log.Fatal(err)
	}
}

// run makes the odd documents, judges each one and prints the table. It returns an error if plumb is
// at fault in any of them.
func run(each int, seed uint64, tabs int, pictures string) error {
	var list []*document
	for _, kind := range kinds() {
		for i := range each {
			random := rand.New(rand.NewPCG(seed, uint64(len(list)))) // of this document alone
			list = append(list, oddDocument(random, fmt.Sprintf("%s-%03d", kind, i), kind))
		}
	}
	found, err := judgeAll(list, tabs, pictures)
	if err != nil {
		return err
	}
	printTable(list, found)
	if n := printFaults(list, found); n > 0 {
		return fmt.Errorf("%s at fault", plural.Of(n, "document is", "documents are"))
	}
	return nil
}

// judgeAll compares plumb with the editor on all documents, as many at a time as there are tabs of the
// browser, and returns a verdict for each, in the order of the list.
func judgeAll(list []*document, tabs int, pictures string) (found []verdict, err error) {
	judge, err := openJudge(tabs, pictures)
	if err != nil {
		return nil, err
	}
	found = make([]verdict, len(list))
	faults := make([]error, tabs)
	next := make(chan int)
	var wg sync.WaitGroup
	for tab := range tabs {
		wg.Go(func() {
			worker := judge.native.Worker()
			for i := range next {
				verdict, err := judge.judge(worker, list[i])
				found[i], faults[tab] = verdict, errors.Join(faults[tab], err)
			}
		})
	}
	for i := range list {
		next <- i
	}
	close(next)
	wg.Wait()
	return found, errors.Join(append(faults, judge.close())...)
}

// printTable prints a table of what became of the documents of each kind of shape, and then the reasons for
// which documents were refused or left to the editor, the most frequent first.
func printTable(list []*document, found []verdict) {
	counts := map[string]*[outcomeCount]int{}
	reasons := map[string]int{}
	for i, document := range list {
		if counts[document.kind] == nil {
			counts[document.kind] = new([outcomeCount]int)
		}
		counts[document.kind][found[i].outcome]++
		if found[i].reason != "" {
			reasons[found[i].reason]++
		}
	}
	fmt.Printf("%-10s %9s", "kind", "documents")
	for _, name := range outcomeNames {
		fmt.Printf(" %*s", max(8, len(name)), name)
	}
	fmt.Println()
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		all := 0
		for _, count := range counts[kind] {
			all += count
		}
		fmt.Printf("%-10s %9d", kind, all)
		for outcome, name := range outcomeNames {
			fmt.Printf(" %*d", max(8, len(name)), counts[kind][outcome])
		}
		fmt.Println()
	}
	fmt.Println("refused or left to the editor, by field or reason:")
	mostFirst := func(a, b string) int { return cmp.Or(reasons[b]-reasons[a], strings.Compare(a, b)) }
	for _, reason := range slices.SortedFunc(maps.Keys(reasons), mostFirst) {
		fmt.Printf("%6d  %s\n", reasons[reason], reason)
	}
}

// printFaults prints each document with which plumb is at fault, with what was wrong, the changes that made
// the document odd, and its JSON. It returns how many there are.
func printFaults(list []*document, found []verdict) (n int) {
	for i, v := range found {
		if v.outcome.fault() {
			n++
			fmt.Printf("%s: %s: %s\n  %s\n  %s\n", list[i].name, outcomeNames[v.outcome], v.detail, strings.Join(list[i].changes, "; "), list[i].source())
		}
	}
	return n
}
