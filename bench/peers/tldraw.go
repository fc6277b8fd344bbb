package main

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"plumb/bench/rig"
	"plumb/render/chrome"
)

// tldrawRow returns the row of the editor tldraw in the table of renderers, which runs in Chromium. For each
// scene it loads the shapes, exports a PNG, decodes it and sums its alpha. As many scenes as there are tabs
// are drawn at a time.
func tldrawRow(name string, cfg chrome.Config, list []work) (*row, error) {
	pool, err := chrome.Open(cfg)
	if err != nil {
		return nil, err
	}
	editor := &row{name: name, input: "shapes", close: func() { pool.Close() }}
	editor.run = func() (measured figures, err error) {
		before := rig.CoreTime().Seconds() + browserTime()
		start := time.Now()
		if measured.Centres, err = exports(pool, cfg.Pages, list); err != nil {
			return measured, err
		}
		measured.Wall = time.Since(start).Seconds()
		measured.Core = rig.CoreTime().Seconds() + browserTime() - before
		bytes, _ := pool.Memory()
		measured.Memory = float64(bytes) / (1 << 20)
		return measured, nil
	}
	return editor, nil
}

// exports draws all scenes with tldraw in Chromium, in several tabs at a time, and returns the centre
// of mass of each picture.
func exports(pool *chrome.Pool, tabs int, list []work) ([]centre, error) {
	out := make([]centre, len(list))
	failed := make([]error, tabs)
	var next atomic.Int64 // the first scene that no tab has taken
	var group sync.WaitGroup
	for k := range tabs {
		group.Go(func() {
			take := func() int { return int(next.Add(1)) - 1 }
			for i := take(); i < len(list) && failed[k] == nil; i = take() {
				exported, err := pool.Export(context.Background(), chrome.Request{View: list[i].view, Source: list[i].source})
				if failed[k] = err; err == nil {
					out[i] = centreOf(exported.Image.Pix, exported.Image.Rect.Dx())
				}
			}
		})
	}
	group.Wait()
	return out, errors.Join(failed...)
}

// browserTime returns the processor time, in seconds, of the browsers that this process has started, which
// have many processes. Browsers that other programs started on the machine do not count.
func browserTime() (sum float64) {
	const ticksPerSecond = 100
	type process struct {
		parent int
		ticks  float64 // of processor time
	}
	// Read from /proc all processes of browsers, with their parents and their processor time.
	all := map[int]process{}
	dirs, _ := os.ReadDir("/proc")
	for _, entry := range dirs {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		name, rest, ok := strings.Cut(string(stat), ") ")
		const ppid, utime, stime = 1, 11, 12 // of the fields after the name, see proc_pid_stat(5)
		if fields := strings.Fields(rest); err == nil && ok && len(fields) > stime && strings.Contains(name, "chrom") {
			parent, _ := strconv.Atoi(fields[ppid])
			user, _ := strconv.ParseFloat(fields[utime], 64)
			system, _ := strconv.ParseFloat(fields[stime], 64)
			all[pid] = process{parent, user + system}
		}
	}
	// Add up those whose first ancestor that is no browser is this process.
	for _, browser := range all {
		ancestor := browser.parent // other programs have no entry, and so the parent 0
		for all[ancestor].parent != 0 {
			ancestor = all[ancestor].parent
		}
		if ancestor == os.Getpid() {
			sum += browser.ticks / ticksPerSecond
		}
	}
	return sum
}
