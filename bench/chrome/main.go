// Command chrome measures how fast tldraw draws in the browser: with one tab and with
// several, beside a plain loop. In: the scenes of tldraw's reference data. Out: a table,
// all rows from one run on one machine, rounds of the rows taken in turn, each in a
// browser of its own that has drawn every scene once before the clock starts. It refuses
// to print a row whose centres of mass are not those of the plain loop.
//
//	go run ./bench/chrome > bench/results/chrome.txt
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"image"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"plumb/bench/rig"
	"plumb/render/chrome"
	"plumb/render/view"
)

// main reads the flags and measures how fast Chromium draws the reference scenes in three ways: a plain
// loop over the scenes in one tab, plumb with one tab, and plumb with several tabs.
func main() {
	data := flag.String("data", filepath.Join("..", "shared", "data"), "folder of the reference data, else PLUMB_DATA")
	every := flag.Int("every", 3, "take every n-th scene")
	rounds := flag.Int("rounds", 5, "rounds over the scenes")
	tabs := flag.Int("pages", runtime.GOMAXPROCS(0), "tabs of the pool's row")
	flag.Parse()
	if dir := os.Getenv("PLUMB_DATA"); dir != "" {
		*data = dir
	}
	if err := run(filepath.Join(*data, "tldraw", "scenes.jsonl"), *every, *rounds, *tabs); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// row is one way to draw the scenes, a row of the table.
type row struct {
	name       string
	cfg        chrome.Config
	info       chrome.Info
	times      []time.Duration // per round
	sceneTimes [][]float64     // per round: ms of each scene
}

// run draws every so-many-th scene of a file of reference scenes with each way of using Chromium in turn,
// in several rounds, and prints a row for each way. The ways must agree on every picture's centre of mass,
// else the comparison is an error. Without reference data it says so and measures nothing.
func run(path string, every, rounds, tabs int) error {
	if _, err := os.Stat(path); err != nil {
		fmt.Printf("no reference data: %v\n", err)
		return nil
	}
	requests, err := readRequests(path, every)
	if err != nil {
		return err
	}
	rows := []*row{
		{name: "plain loop, one tab", cfg: chrome.Config{Version: chrome.VersionPlain, Pages: 1}},
		{name: "plumb, one tab", cfg: chrome.Config{Pages: 1}},
		{name: fmt.Sprintf("plumb, %d tabs", tabs), cfg: chrome.Config{Pages: tabs}},
	}
	var want []centre
	head := rig.Header(rig.Commit())
	for round := range rounds {
		for _, way := range rows {
			got, err := way.measureRound(requests)
			if err != nil {
				return fmt.Errorf("%s: %w", way.name, err)
			}
			if want == nil { // the plain loop comes first
				want = got
			}
			if !sameCentres(got, want) {
				return fmt.Errorf("cannot compare: %s has other centres of mass than the plain loop", way.name)
			}
		}
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, rounds)
	}
	printTable(os.Stdout, rows, len(requests), rounds, head)
	return nil
}

// measureRound starts Chromium, draws all scenes once to warm it up, and measures the time in which it draws them
// once more. It returns the centre of mass of each picture.
func (row *row) measureRound(requests []chrome.Request) ([]centre, error) {
	pool, err := chrome.Open(row.cfg)
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	row.info = pool.Info()
	if _, _, err := drawAll(pool, row.cfg.Pages, requests); err != nil {
		return nil, err
	}
	start := time.Now()
	centres, ms, err := drawAll(pool, row.cfg.Pages, requests)
	row.times = append(row.times, time.Since(start))
	row.sceneTimes = append(row.sceneTimes, ms)
	return centres, err
}

// centre is the alpha-weighted mean of pixel centres, px.
type centre struct{ x, y float64 }

// sameCentres reports whether two lists of centres of mass, of pictures of the same scenes, agree within rounding
// errors.
func sameCentres(a, b []centre) bool {
	const roundingError = 1e-9 // px
	for i := range a {
		if !(math.Hypot(a[i].x-b[i].x, a[i].y-b[i].y) <= roundingError) { // also for NaN, the centre of an empty picture
			return false
		}
	}
	return true
}

// drawAll draws all scenes once in Chromium, as many at a time as there are tabs, and returns the centre of
// mass of each picture and the time of each scene in ms. A goroutine for each tab waits for its picture
// and computes the centre before it asks for the next one.
func drawAll(pool *chrome.Pool, tabs int, requests []chrome.Request) ([]centre, []float64, error) {
	centres := make([]centre, len(requests))
	ms := make([]float64, len(requests))
	failed := make([]error, len(requests))
	next := make(chan int)
	var wg sync.WaitGroup
	for range tabs {
		wg.Go(func() {
			for i := range next {
				start := time.Now()
				exported, err := pool.Export(context.Background(), requests[i])
				if err == nil {
					centres[i] = centreOf(exported.Image)
				}
				failed[i], ms[i] = err, float64(time.Since(start).Microseconds())/1000
			}
		})
	}
	for i := range requests {
		next <- i
	}
	close(next)
	wg.Wait()
	return centres, ms, errors.Join(failed...)
}

// centreOf returns the centre of mass of a picture in px, where the mass of a pixel is its alpha. The centre
// of a pixel is half a px from its corner.
func centreOf(img *image.NRGBA) centre {
	var sum, sumX, sumY uint64
	width := uint64(img.Rect.Dx())
	for i := 3; i < len(img.Pix); i += 4 { // the fourth byte of each pixel is its alpha
		if alpha := uint64(img.Pix[i]); alpha != 0 {
			pixel := uint64(i / 4)
			sum += alpha
			sumX += alpha * (pixel % width)
			sumY += alpha * (pixel / width)
		}
	}
	return centre{float64(sumX)/float64(sum) + 0.5, float64(sumY)/float64(sum) + 0.5}
}

// printTable writes the table with a row for each way of using Chromium. head describes the machine and the
// commit. The ratios compare a way with the first one: by the best rounds, because other work of the
// machine can only slow a round down, and by the medians.
func printTable(w io.Writer, rows []*row, scenes, rounds int, head string) {
	info := rows[0].info
	fmt.Fprintf(w, "%s# load at the end %s\n", head, rig.Here().Load)
	fmt.Fprintf(w, "# browser %s, tldraw 4.2.0, sandbox %v, hinted %v\n", info.Product, info.Sandbox, info.Hinted)
	fmt.Fprintf(w, "# %d scenes x %d rounds, rows in turn, a warm browser each; load scene, export, decode, centre of mass\n\n", scenes, rounds)
	fmt.Fprintf(w, "%-22s %14s %14s %16s %8s %8s\n", "", "best scenes/s", "median", "ms/scene, best", "ratio", "median")
	plainBest, plainMedian := slices.Min(rows[0].times), median(rows[0].times)
	for _, row := range rows {
		best, middle := slices.Min(row.times), median(row.times)
		fmt.Fprintf(w, "%-22s %14.1f %14.1f %16.1f %8.2f %8.2f\n", row.name, rate(scenes, best), rate(scenes, middle),
			row.meanOfQuickest(), float64(plainBest)/float64(best), float64(plainMedian)/float64(middle))
	}
}

// meanOfQuickest returns the mean time of a scene in ms. Of each scene the quickest round counts, because a
// busy machine only makes rounds slower.
func (row *row) meanOfQuickest() float64 {
	sum, scenes := 0.0, len(row.sceneTimes[0])
	for i := range scenes {
		best := math.Inf(1)
		for _, ms := range row.sceneTimes {
			best = min(best, ms[i])
		}
		sum += best
	}
	return sum / float64(scenes)
}

func rate(n int, d time.Duration) float64 { return float64(n) / d.Seconds() }

// median returns the middle of a list of durations.
func median(d []time.Duration) time.Duration {
	s := slices.Sorted(slices.Values(d))
	return s[len(s)/2]
}

// readRequests returns requests that have Chromium draw scenes of a file of reference scenes: the first, and then
// each scene that is a multiple of every away. A request has the scene's shapes, those that were added to
// it, its bindings, and the part of the page to draw.
func readRequests(path string, every int) ([]chrome.Request, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read scenes: %w; see -data", err)
	}
	defer file.Close()
	var all []chrome.Request
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 64<<20)
	for n := 0; lines.Scan(); n++ {
		if n%every != 0 {
			continue
		}
		var scene struct {
			Shapes   []json.RawMessage `json:"shapes"`
			Added    []json.RawMessage `json:"added"`
			Bindings json.RawMessage   `json:"bindings,omitempty"`
			Export   struct {
				Bounds [4]float64 `json:"bounds"`
			} `json:"export"`
		}
		if err := json.Unmarshal(lines.Bytes(), &scene); err != nil {
			return nil, fmt.Errorf("cannot read scene %d: %w", n+1, err)
		}
		document := map[string]any{"shapes": append(scene.Shapes, scene.Added...)}
		if scene.Bindings != nil {
			document["bindings"] = scene.Bindings
		}
		source, err := json.Marshal(document)
		if err != nil {
			return nil, err
		}
		part := scene.Export.Bounds
		all = append(all, chrome.Request{View: view.View{Bounds: view.Box{X: part[0], Y: part[1], W: part[2], H: part[3]}}, Source: source})
	}
	return all, lines.Err()
}
