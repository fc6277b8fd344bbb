// Command drawing measures DrawingBench answers on one core: read and evaluated,
// drawn up to counted pixels, and drawn and encoded as PNG. Each stage goes over
// all recorded answers, several times in turn; what counts is the core time of
// the whole process, garbage collection included.
//
//	go run ./bench/drawing > bench/results/drawing.txt
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"plumb/bench/rig"
	"plumb/render/canvas"
	"plumb/scoring/drawingbench/answer"
	"plumb/scoring/drawingbench/picture"
	"plumb/scoring/drawingbench/release"
	"plumb/scoring/pyjson"
)

// What the published programs do on this kind of machine: their evaluator in one
// process, and the app replayed in Chromium.
const (
	publishedEvaluations = 470.0 // per second
	publishedPictures    = 4.9
)

func main() {
	log.SetFlags(0)
	results, dataset := files()
	file := flag.String("results", results, "result file in the published form")
	tasks := flag.String("tasks", dataset, "the benchmark's task file")
	runs := flag.Int("runs", 7, "counted runs of each stage, after one that is not")
	profile := flag.String("profile", "", "write a CPU profile to this file")
	flag.Parse()
	stop, err := rig.Profile(*profile)
	if err != nil {
		log.Fatal(err)
	}
	defer stop()
	turns, err := load(*file, *tasks)
	if err != nil {
		log.Fatal(err)
	}
	runtime.GOMAXPROCS(1)
	measure(turns, *runs)
}

// files are the benchmark's own where there is reference data, else the project's.
func files() (results, tasks string) {
	dir := os.Getenv("PLUMB_DATA")
	if dir == "" {
		dir = "../shared/data"
	}
	results = filepath.Join(dir, "drawingbench/results-dev.json")
	if _, err := os.Stat(results); err == nil {
		return results, filepath.Join(dir, "drawingbench/dataset.json")
	}
	return "testdata/drawingbench/results.json", "testdata/drawingbench/tasks.json"
}

// turn is one recorded answer, as a model writes it.
type turn struct {
	text     string
	criteria *release.Criteria
}

func load(results, tasks string) ([]turn, error) {
	var list []struct {
		Index   int
		Results []struct{ Actions json.RawMessage }
	}
	var set struct {
		Prompts []struct{ Criteria json.RawMessage }
	}
	for path, v := range map[string]any{results: &list, tasks: &set} {
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("cannot read answers: %w", err)
		}
		if err := json.Unmarshal(b, v); err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", path, err)
		}
	}
	var out []turn
	for _, t := range list {
		if t.Index < 0 || t.Index >= len(set.Prompts) {
			return nil, fmt.Errorf("cannot read %s: got index %d; want one of %d tasks", results, t.Index, len(set.Prompts))
		}
		var r pyjson.Reader
		r.Reset(string(set.Prompts[t.Index].Criteria))
		v, err := r.All()
		if err != nil {
			return nil, err
		}
		c, err := release.ReadCriteria(&v)
		if err != nil {
			return nil, err
		}
		for _, a := range t.Results {
			out = append(out, turn{string(a.Actions), c})
		}
	}
	return out, nil
}

// stage is one kind of work on an answer. It returns what must be the same in
// every run.
type stage struct {
	name      string
	published float64 // per second
	goal      float64 // times that
	times     int     // how often a run goes over the answers
	do        func(t *turn) int
}

func stages() []stage {
	var (
		r   pyjson.Reader
		e   release.Evaluator
		buf []byte
		enc canvas.Encoder
	)
	d := picture.New()
	draw := func(t *turn) picture.Picture {
		v, _, _ := answer.Extract(&r, t.text)
		return d.Draw(&v)
	}
	return []stage{
		{"evaluated", publishedEvaluations, 50, 40, func(t *turn) int {
			v, _, _ := answer.Extract(&r, t.text)
			out := e.Evaluate(&v, t.criteria)
			buf = out.AppendJSON(buf[:0])
			f := out.Feedback()
			buf = append(f.AppendJSON(buf), f.Text()...)
			return len(buf)
		}},
		{"drawn and counted", publishedPictures, 100, 1, func(t *turn) int { p := draw(t); return p.Stats.NonWhite }},
		{"drawn, counted, PNG", publishedPictures, 20, 1, func(t *turn) int {
			p := draw(t)
			var n counter
			if err := enc.Encode(&n, p.Canvas.Image()); err != nil {
				log.Fatal(err)
			}
			return int(n)
		}},
	}
}

// counter is a writer that counts bytes.
type counter int

func (c *counter) Write(b []byte) (int, error) { *c += counter(len(b)); return len(b), nil }

var _ io.Writer = (*counter)(nil)

func measure(turns []turn, runs int) {
	all := stages()
	header(len(turns), runs)
	rates := make([][]float64, len(all))
	sums := make([]int, len(all))
	for run := 0; run <= runs; run++ {
		for i, s := range all {
			sum, start := 0, rig.CoreTime()
			for range s.times {
				for k := range turns {
					sum += s.do(&turns[k])
				}
			}
			took := (rig.CoreTime() - start).Seconds()
			if run == 0 { // fills caches and buffers
				sums[i] = sum
				continue
			}
			if sum != sums[i] {
				log.Fatalf("cannot measure %s: results differ between runs: %d and %d", s.name, sum, sums[i])
			}
			rates[i] = append(rates[i], float64(s.times*len(turns))/took)
		}
	}
	fmt.Printf("%-20s %12s %12s %8s %8s   runs\n", "answers", "per core s", "published", "ratio", "goal")
	for i, s := range all {
		slices.Sort(rates[i])
		m := rates[i][len(rates[i])/2]
		fmt.Printf("%-20s %12.0f %12.1f %8.0f %8.0f   %.0f\n", s.name, m, s.published, m/s.published, s.goal, rates[i])
	}
}

func header(n, runs int) {
	fmt.Printf("# DrawingBench answers on one core: %d recorded answers, medians of %d runs, core time of the process\n", n, runs)
	fmt.Print(rig.Header(rig.Commit()))
}
