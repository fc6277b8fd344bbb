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

// tldraw measures the real editor in Chromium: load the shapes, export a PNG, decode it, sum its
// alpha, with as many scenes at a time as there are tabs.
func tldraw(name string, cfg chrome.Config, list []work) (*row, error) {
	pool, err := chrome.Open(cfg)
	if err != nil {
		return nil, err
	}
	r := &row{name: name, input: "shapes", close: func() { pool.Close() }}
	r.run = func() (f figures, err error) {
		before := rig.CoreTime().Seconds() + childTime()
		start := time.Now()
		if f.Centres, err = exports(pool, cfg.Pages, list); err != nil {
			return f, err
		}
		f.Wall = time.Since(start).Seconds()
		f.Core = rig.CoreTime().Seconds() + childTime() - before
		bytes, _ := pool.Memory()
		f.Memory = float64(bytes) / (1 << 20)
		return f, nil
	}
	return r, nil
}

// exports draws all scenes with tldraw in Chromium, in several tabs at a time, and returns the centre
// of mass of each picture.
func exports(pool *chrome.Pool, tabs int, list []work) ([]centre, error) {
	out := make([]centre, len(list))
	failed := make([]error, tabs)
	var next atomic.Int64
	var group sync.WaitGroup
	for k := range tabs {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(list) && failed[k] == nil; i = int(next.Add(1)) - 1 {
				res, err := pool.Export(context.Background(), chrome.Request{View: list[i].view, Source: list[i].source})
				if failed[k] = err; err == nil {
					out[i] = centreOf(res.Image.Pix, res.Image.Rect.Dx())
				}
			}
		})
	}
	group.Wait()
	return out, errors.Join(failed...)
}

// childTime returns the processor time of the browsers that this process started, s. Other
// programs' browsers on the machine do not count.
func childTime() (sum float64) {
	type process struct {
		parent int
		ticks  float64 // of 10 ms
	}
	all := map[int]process{}
	dirs, _ := os.ReadDir("/proc")
	for _, entry := range dirs {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		name, rest, ok := strings.Cut(string(stat), ") ")
		if f := strings.Fields(rest); err == nil && ok && len(f) > 12 && strings.Contains(name, "chrom") {
			parent, _ := strconv.Atoi(f[1])
			user, _ := strconv.ParseFloat(f[11], 64)
			system, _ := strconv.ParseFloat(f[12], 64)
			all[pid] = process{parent, user + system}
		}
	}
	for _, p := range all {
		pos := p.parent
		for all[pos].parent != 0 {
			pos = all[pos].parent
		}
		if pos == os.Getpid() {
			sum += p.ticks / 100
		}
	}
	return sum
}
