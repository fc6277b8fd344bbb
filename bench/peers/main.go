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
	"slices"
	"strings"

	"plumb/bench/figure"
	"plumb/bench/rig"
	"plumb/render"
)

func main() {
	log.SetFlags(0)
	n := flag.Int("n", 60, "scenes of each class")
	rounds := flag.Int("rounds", 5, "counted rounds, after one that is not")
	names := flag.String("classes", "S8,S8x2,S50", "classes of scenes: S8 (eight shapes), S8x2 (twice the size), S50 (six times the shapes)")
	dir := flag.String("dir", filepath.Join("build", "peers"), "where scripts/peers.sh has put the others")
	browser := flag.Bool("tldraw", true, "measure tldraw in Chromium too, on S8")
	flag.Parse()
	if *n < 1 || *rounds < 1 {
		log.Fatalf("cannot measure %d scenes in %d rounds: want at least one of each", *n, *rounds)
	}
	header()
	for _, name := range strings.Split(*names, ",") {
		c, ok := classes[name]
		if !ok {
			log.Fatalf("cannot measure class %q: want S8, S8x2 or S50", name)
		}
		if err := measure(c, *n, *rounds, *dir, *browser && name == "S8"); err != nil {
			log.Fatal(err)
		}
	}
}

// measure prints the table of one class.
func measure(c class, n, rounds int, dir string, browser bool) error {
	list, err := c.scenes(n)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "plumb-peers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	rows, err := open(list, dir, temp, browser)
	if err != nil {
		return err
	}
	defer func() {
		for _, r := range rows {
			r.close()
		}
	}()
	var want []centre
	for round := range rounds + 1 {
		for _, r := range rows {
			f, err := r.run()
			if err != nil {
				return err
			}
			if want == nil {
				want = f.Centres
			}
			if err := r.compare(f.Centres, want); err != nil {
				return err
			}
			if round > 0 {
				r.all = append(r.all, f)
			}
		}
	}
	fills, points := 0, 0
	for i := range list {
		fills += len(list[i].fills)
		for k := range list[i].fills {
			points += len(list[i].fills[k].p.Points)
		}
	}
	fmt.Printf("\n%s: %d scenes of %d x %d px, %d paths with %d points in the mean, %d rounds in turn; medians\n", c.name, n, list[0].w, list[0].h, fills/n, points/n, rounds)
	fmt.Printf("%-26s %-7s %10s %12s %9s %8s %9s %9s\n", "", "given", "scenes/s", "core/scene", "memory", "ratio", "centre", "alpha")
	core := func(r *row) float64 { return middle(r.all, func(f figures) float64 { return f.Core }) }
	base := core(rows[slices.IndexFunc(rows, func(r *row) bool { return r.input == "paths" })])
	for _, r := range rows {
		wall, core, rss := middle(r.all, func(f figures) float64 { return f.Wall }), core(r), middle(r.all, func(f figures) float64 { return f.Memory })
		fmt.Printf("%-26s %-7s %10.1f %9.3f ms %6.0f MB %8.2f %6.3f px %7.3f %%\n", r.name, r.input, float64(n)/wall, core/float64(n)*1e3, rss, core/base, r.off, 100*r.less)
	}
	return nil
}

// open starts every renderer that is installed; their input is written to temp.
func open(list []work, dir, temp string, browser bool) (rows []*row, err error) {
	for _, backend := range []string{render.BackendGL, render.BackendCPU} {
		r, err := ours(backend, list)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	r, err := ofPaths(list)
	if err != nil {
		return nil, err
	}
	rows = append(rows, r, goVector(list))
	f, err := write(temp, list)
	if err != nil {
		return nil, err
	}
	node := func(name string) *exec.Cmd {
		cmd := exec.Command("node", "node.mjs", name, f.lines)
		cmd.Dir = filepath.Join(dir, "node")
		return cmd
	}
	var missing error
	for _, o := range []struct {
		name, input, needs string
		cmd                *exec.Cmd
	}{
		{"cairo (C)", "paths", "cairo", exec.Command(filepath.Join(dir, "cairo"), f.binary)},
		{"Blend2D 0.12 (C++)", "paths", "blend2d", exec.Command(filepath.Join(dir, "blend2d"), f.binary)},
		{"resvg (npm, Rust)", "SVG", "node/node_modules/@resvg/resvg-js", node("resvg")},
		{"Skia (npm, Node canvas)", "paths", "node/node_modules/@napi-rs/canvas", node("skia")},
		{"Pillow and numpy, 4x4", "polygons", "venv/bin/python", exec.Command(filepath.Join(dir, "venv", "bin", "python"), filepath.Join(dir, "pillow.py"), f.polygons)},
	} {
		if _, err := os.Stat(filepath.Join(dir, o.needs)); err != nil {
			missing = errors.Join(missing, fmt.Errorf("left out: %s is not installed (scripts/peers.sh)", o.name))
			continue
		}
		r, err := outside(o.name, o.input, o.cmd)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	if browser {
		r, err := tldraw(list)
		if err != nil {
			missing = errors.Join(missing, fmt.Errorf("left out: tldraw in Chromium: %w", err))
		} else {
			rows = append(rows, r)
		}
	}
	if missing != nil {
		fmt.Println(missing)
	}
	return rows, nil
}

// middle returns the median of a figure over all rounds.
func middle(all []figures, of func(figures) float64) float64 {
	var v []float64
	for _, f := range all {
		v = append(v, of(f))
	}
	return figure.Median(v)
}

// header prints on what machine and commit the figures were taken.
func header() {
	fmt.Printf("# plumb beside other renderers: each draws the same geometry and finds the alpha-weighted centre of mass; --raster reference\n")
	fmt.Print(rig.Header(rig.Commit()))
	fmt.Printf("# core: processor time of all threads and processes per scene; ratio: to plumb's, given paths; centre, alpha: largest difference from plumb's\n")
	fmt.Printf("# plumb is given shapes and makes the outlines, tldraw too, and both use all processors; the others are given outlines that are ready, and use one\n")
}
