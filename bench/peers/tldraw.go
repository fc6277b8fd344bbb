package main

import (
	"context"
	"os"
	"strconv"
	"strings"
	"time"

	"plumb/render/chrome"
)

// tldraw measures the real editor in Chromium, on one page and by the plain loop: load the shapes,
// export a PNG, decode it, sum its alpha.
func tldraw(list []work) (*row, error) {
	p, err := chrome.Open(chrome.Config{Version: chrome.VersionPlain, Pages: 1})
	if err != nil {
		return nil, err
	}
	r := &row{name: "tldraw 4.2 in Chromium", input: "shapes", close: func() { p.Close() }}
	r.run = func() (f figures, err error) {
		before := childTime()
		start := time.Now()
		for i := range list {
			res, err := p.Export(context.Background(), chrome.Request{View: list[i].view, Source: list[i].source})
			if err != nil {
				return f, err
			}
			f.Centres = append(f.Centres, centreOf(res.Image.Pix, res.Image.Rect.Dx()))
		}
		f.Wall = time.Since(start).Seconds()
		f.Core = childTime() - before
		bytes, _ := p.Memory()
		f.Memory = float64(bytes) / (1 << 20)
		return f, nil
	}
	return r, nil
}

// childTime returns the processor time of Chromium's processes, s.
func childTime() (sum float64) {
	dirs, _ := os.ReadDir("/proc")
	for _, d := range dirs {
		if _, err := strconv.Atoi(d.Name()); err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + d.Name() + "/stat")
		if err != nil {
			continue
		}
		name, rest, ok := strings.Cut(string(stat), ") ")
		if !ok || !strings.Contains(name, "chrom") {
			continue
		}
		f := strings.Fields(rest)
		for _, i := range []int{11, 12} { // utime, stime in ticks of 10 ms
			ticks, _ := strconv.ParseFloat(f[i], 64)
			sum += ticks / 100
		}
	}
	return sum
}
