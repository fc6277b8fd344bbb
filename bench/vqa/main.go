// Command vqa measures multiple-choice items from JSONL bytes to result bytes:
// decoding, reading the answer, scoring and encoding, on one core. It prints the
// items per second of core time of several runs and their median, and what one item
// allocates.
//
//	go run ./bench/vqa > bench/results/vqa.txt
package main

import (
	"flag"
	"fmt"
	"log"
	"runtime"
	"slices"
	"strings"
	"time"

	"plumb/bench/rig"
	"plumb/daemon/dump"
	"plumb/scoring"
	"plumb/scoring/vqa"
	"plumb/scoring/vqa/choice"
)

// answers are the ways in which models answer, and how many of ten do so.
var answers = []string{"%", "%.", "%", "%. {text}", "The answer is %.", `{\"answer\": \"%\"}`, "<result>%</result>",
	"Looking at the picture, the room with the stove is nearest to the door.\\n\\nAnswer: %", "I would choose % because it has a window.",
	"First I thought of the cellar, but no. The light falls from the south and only the {text} has a window there, so it must be that one."}

func main() {
	log.SetFlags(0)
	n := flag.Int("n", 100_000, "items")
	runs := flag.Int("runs", 5, "counted runs, after one that is not")
	profile := flag.String("profile", "", "file for a CPU profile")
	flag.Parse()
	runtime.GOMAXPROCS(1)
	fmt.Printf("# multiple-choice items from JSONL bytes to result bytes: %d items, %d runs, GOMAXPROCS=1\n%s\n", *n, *runs, rig.Header(rig.Commit()))
	stop, err := rig.Profile(*profile)
	if err != nil {
		log.Fatal(err)
	}
	defer stop()
	lines := items(*n)
	reading(*n)
	var rates []float64
	for run := 0; run <= *runs; run++ {
		spent := rig.CoreTime()
		wall, allocs, bytes := score(lines)
		rate := float64(*n) / (rig.CoreTime() - spent).Seconds()
		if run == 0 {
			continue
		}
		fmt.Printf("run %d   %9.0f items per second of core time, %.0f by the clock   %.1f allocations, %.0f bytes per item\n", run, rate, wall, allocs, bytes)
		rates = append(rates, rate)
	}
	slices.Sort(rates)
	fmt.Printf("median  %9.0f items per second of core time (decode, read, score, encode)\n", rates[len(rates)/2])
}

// items are lines of a dump that never repeat.
func items(n int) (out [][]byte) {
	options := []string{"Hall", "Kitchen", "Bath", "Terrace"}
	for i := range n {
		k := (i / len(answers)) % len(options)
		a := strings.NewReplacer("%", fmt.Sprint(k+1), "{text}", strings.ToLower(options[k])).Replace(answers[i%len(answers)])
		out = append(out, fmt.Appendf(nil, `{"id":"sl-%06d","suite":"spatialab","question":"Which room has the most light in the afternoon?","options":["Hall","Kitchen","Bath","Terrace"],"labels":"numbers","answer_index":%d,"category":"size_scale","subcategory":"scale_consistency","response":"%s"}`,
			i, k, a))
	}
	return out
}

// reading measures the extraction alone.
func reading(n int) {
	var r choice.Reader
	var list [][]byte
	for k, a := range answers {
		list = append(list, []byte(strings.NewReplacer("%", fmt.Sprint(k%4+1), "{text}", "kitchen", `\"`, `"`, `\n`, "\n").Replace(a)))
	}
	options := [][]byte{[]byte("Hall"), []byte("Kitchen"), []byte("Bath"), []byte("Terrace")}
	pass := func(n int) {
		for i := range n {
			r.Options(choice.Numbers, options)
			r.Read(list[i%len(list)], false)
		}
	}
	pass(1000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := rig.CoreTime()
	pass(n)
	took := rig.CoreTime() - start
	runtime.ReadMemStats(&after)
	fmt.Printf("reading %9.0f answers per second of core time   %.2f allocations per answer\n\n", float64(n)/took.Seconds(), float64(after.Mallocs-before.Mallocs)/float64(n))
}

// score takes every line to its result and checks that all are scored.
func score(lines [][]byte) (rate, allocs, bytes float64) {
	s := vqa.Spatialab()
	d := dump.NewDecoder(dump.ItemConfig{Suites: map[string]scoring.Suite{s.Name(): s}})
	var out []byte
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	right := 0
	start := time.Now()
	for i, line := range lines {
		it, fault := d.Item(dump.Line{N: i + 1, Bytes: line}, "")
		if fault != nil {
			log.Fatal(fault)
		}
		job, err := s.Prepare(&it, nil)
		if err != nil {
			log.Fatal(err)
		}
		r := job.Score(nil)
		if !r.Scored {
			log.Fatalf("item %s is not scored: %v", it.ID, r.Err)
		}
		right += int(r.Score)
		out = r.AppendJSON(out[:0], scoring.Clamp01, "plumb")
	}
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	if right != len(lines) {
		log.Fatalf("%d of %d answers are right; want all", right, len(lines))
	}
	n := float64(len(lines))
	return n / took.Seconds(), float64(after.Mallocs-before.Mallocs) / n, float64(after.TotalAlloc-before.TotalAlloc) / n
}
