// Command peers sets plumb beside other renderers on the same scenes in one run:
// real tldraw in Chromium, resvg, Skia, cairo, Blend2D, Go's own rasteriser,
// Pillow. Each draws the same geometry and finds the alpha-weighted centre of mass;
// rounds of all rows are taken in turn. In: nothing but what `make bench` installs.
// Out: a table. It refuses a row whose pictures differ: a renderer must not win by
// drawing less. A renderer that is not installed is left out by name.
//
//	go run ./bench/peers > bench/results/peers.txt
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"plumb/bench/figure"
	"plumb/bench/rig"
	"plumb/render"
	"plumb/render/chrome"
	"plumb/scoring/plural"
)

// main reads the flags and compares the speed of plumb with that of other renderers, as far as they are
// installed, on each class of scenes.
func main() {
	log.SetFlags(0)
	perClass := flag.Int("n", 60, "scenes of each class")
	rounds := flag.Int("rounds", 5, "counted rounds, after one that is not")
	names := flag.String("classes", "S8,S8x2,S50", "classes of scenes: S8 (eight shapes), S8x2 (twice the size), S50 (six times the shapes)")
	dir := flag.String("dir", filepath.Join("build", "peers"), "where scripts/peers.sh has put the others")
	browser := flag.Bool("tldraw", true, "measure tldraw in Chromium too, on S8")
	flag.Parse()
	if *perClass < 1 || *rounds < 1 {
		log.Fatalf("cannot measure %d scenes in %d rounds: want at least one of each", *perClass, *rounds)
	}
	header()
	for _, name := range strings.Split(*names, ",") {
		class, ok := classes[name]
		if !ok {
			log.Fatalf("cannot measure class %q: want S8, S8x2 or S50", name)
		}
		if err := measureClass(class, *perClass, *rounds, *dir, *browser && name == "S8"); err != nil {
			log.Fatal(err)
		}
	}
}

// measureClass draws n scenes of one class with plumb and the other renderers in turn, round after round, and
// prints a table of their speeds. dir is where the other renderers are installed, and browser says whether
// tldraw in Chromium is measured too. Round 0 warms them up and is not counted. A renderer whose pictures
// have other centres of mass is an error, because it does not draw the same.
func measureClass(class class, n, rounds int, dir string, browser bool) error {
	list, err := class.scenes(n)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "plumb-peers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	rows, err := openRows(list, dir, temp, browser)
	if err != nil {
		return err
	}
	defer func() {
		for _, row := range rows {
			row.close()
		}
	}()
	var want []centre
	for round := range rounds + 1 {
		for _, row := range rows {
			figures, err := row.run()
			if err != nil {
				return err
			}
			if want == nil {
				want = figures.Centres
			}
			if err := row.compare(figures.Centres, want); err != nil {
				return err
			}
			if round > 0 {
				row.rounds = append(row.rounds, figures)
			}
		}
	}
	// Say what was drawn.
	fills, points := 0, 0
	for i := range list {
		fills += len(list[i].fills)
		for k := range list[i].fills {
			points += len(list[i].fills[k].path.Points)
		}
	}
	fmt.Printf("\n%s: %d scenes of %d x %d px, %d paths with %d points in the mean, %s in turn; medians\n",
		class.name, n, list[0].w, list[0].h, fills/n, points/n, plural.Of(rounds, "round"))
	printTable(rows, n)
	return nil
}

// printTable prints the table of renderers, each of which drew n scenes. The ratio of a row is its processor
// time divided by that of plumb with the same kind of input: plumb of shapes on the first backend for renderers
// that are given shapes, plumb of paths for all others. The column "beside" names that row of plumb.
func printTable(rows []*row, n int) {
	fmt.Printf("%-32s %-8s %9s %12s %12s %9s %7s  %-22s %9s %9s\n",
		"", "given", "scenes/s", "core/scene", "parsing", "memory", "ratio", "beside", "centre", "alpha")
	firstWith := func(input string) *row { // rows of plumb come first
		return rows[slices.IndexFunc(rows, func(row *row) bool { return row.input == input })]
	}
	ofShapes, ofPaths := firstWith("shapes"), firstWith("paths")
	for _, row := range rows {
		beside := ofPaths
		if row.input == "shapes" {
			beside = ofShapes
		}
		median := func(column func(figures) float64) float64 { return medianOf(row.rounds, column) }
		perScene := func(seconds float64) float64 { return seconds / float64(n) * 1e3 } // ms
		parsing := "-"
		if seconds := median(func(f figures) float64 { return f.Parsing }); seconds > 0 {
			parsing = fmt.Sprintf("%.3f ms", perScene(seconds))
		}
		rate := float64(n) / median(func(f figures) float64 { return f.Wall })
		memory := median(func(f figures) float64 { return f.Memory })
		fmt.Printf("%-32s %-8s %9.1f %9.3f ms %12s %6.0f MB %7.2f  %-22s %6.3f px %7.3f %%\n", row.name, row.input, rate, perScene(row.core()),
			parsing, memory, row.core()/beside.core(), beside.name, row.offset, 100*row.alphaError)
	}
}

// openRows returns a row of the table for plumb and for every other renderer that is installed in dir. plumb
// and a rasteriser in Go run in this process. Others are programs that read the scenes from files in temp,
// which are written here. tldraw in Chromium is one more if browser is true. It prints which renderers are
// left out and why.
func openRows(list []work, dir, temp string, browser bool) (rows []*row, err error) {
	for _, backend := range []string{render.BackendGL, render.BackendCPU} {
		row, err := plumbRow(backend, list)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	row, err := plumbPathsRow(list)
	if err != nil {
		return nil, err
	}
	rows = append(rows, row, goVectorRow(list))
	// Programs.
	files, err := writeScenes(temp, list)
	if err != nil {
		return nil, err
	}
	node := func(name string) *exec.Cmd {
		cmd := exec.Command("node", "node.mjs", name, files.lines)
		cmd.Dir = filepath.Join(dir, "node")
		return cmd
	}
	var missing error
	for _, program := range []struct {
		name, input, needs string // needs is a path in dir that is there if the renderer is installed
		cmd                *exec.Cmd
	}{
		{"cairo (C)", "paths", "cairo", exec.Command(filepath.Join(dir, "cairo"), files.binary)},
		{"Blend2D 0.12 (C++)", "paths", "blend2d", exec.Command(filepath.Join(dir, "blend2d"), files.binary)},
		{"resvg (npm, Rust)", "SVG", "node/node_modules/@resvg/resvg-js", node("resvg")},
		{"Skia (npm, Node canvas)", "paths", "node/node_modules/@napi-rs/canvas", node("skia")},
		{"Pillow and numpy, 4x4", "polygons", "venv/bin/python", exec.Command(filepath.Join(dir, "venv", "bin", "python"), filepath.Join(dir, "pillow.py"), files.polygons)},
	} {
		if _, err := os.Stat(filepath.Join(dir, program.needs)); err != nil {
			missing = errors.Join(missing, fmt.Errorf("left out: %s is not installed (scripts/peers.sh)", program.name))
			continue
		}
		row, err := programRow(program.name, program.input, program.cmd)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	// The editor in Chromium.
	if browser {
		tabs := runtime.GOMAXPROCS(0)
		for _, way := range []struct {
			name string
			cfg  chrome.Config
		}{
			{"tldraw 4.2, plain loop, 1 tab", chrome.Config{Version: chrome.VersionPlain, Pages: 1}},
			{fmt.Sprintf("tldraw 4.2, plumb's page, %d tabs", tabs), chrome.Config{Pages: tabs}},
		} {
			row, err := tldrawRow(way.name, way.cfg, list)
			if err != nil {
				missing = errors.Join(missing, fmt.Errorf("left out: %s: %w", way.name, err))
				continue
			}
			rows = append(rows, row)
		}
	}
	if missing != nil {
		fmt.Println(missing)
	}
	return rows, nil
}

// medianOf returns the median over all rounds of one of the figures of a renderer, which column takes from
// the figures of a round.
func medianOf(rounds []figures, column func(figures) float64) float64 {
	var values []float64
	for _, ofRound := range rounds {
		values = append(values, column(ofRound))
	}
	return figure.Median(values)
}

// header prints on what machine and commit the figures were taken, and what the columns of the table are.
func header() {
	fmt.Printf("# plumb beside other renderers: each draws the same geometry and finds the alpha-weighted centre of mass; plumb fills as with --raster reference\n")
	fmt.Print(rig.Header(rig.Commit()))
	fmt.Printf("# core: processor time of all threads and processes per scene; parsing: of SVG and path data, which core does not hold\n")
	fmt.Printf("# ratio: core of the row, divided by core of the row that \"beside\" names; centre, alpha: largest difference from plumb's\n")
	fmt.Printf("# Renderers that are given shapes have to make the outlines, as plumb of shapes has. The others get outlines that are ready, as plumb of paths does.\n")
	fmt.Printf("# alpha is summed by one loop in C for renderers in C, Go and Node and for tldraw; scenes/s depends on what else the machine did\n")
}
