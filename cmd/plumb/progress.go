package main

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows how far a run is, on a terminal only; nil shows nothing.
type progress struct {
	bar    *progressbar.ProgressBar
	before int64 // bytes of the dumps that are done
	last   atomic.Int64
	lines  int64
	bad    int64
	start  time.Time
	shown  time.Time
}

// newProgress returns nil where err is no terminal.
func newProgress(err io.Writer, paths []string) *progress {
	f, ok := err.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	total := int64(0)
	for _, p := range paths {
		st, e := os.Stat(p)
		if e != nil || !st.Mode().IsRegular() {
			total = -1 // a pipe: no end is known
			break
		}
		total += st.Size()
	}
	return &progress{start: time.Now(), bar: progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(err), progressbar.OptionThrottle(200*time.Millisecond),
		progressbar.OptionEnableColorCodes(false), progressbar.OptionSetPredictTime(true),
		progressbar.OptionShowBytes(false), progressbar.OptionClearOnFinish())}
}

// read tells how many bytes of the current dump were taken.
func (p *progress) read(offset int64) {
	if p != nil {
		p.last.Store(offset)
	}
}

// scored counts an answer.
func (p *progress) scored(ok bool) {
	if p == nil {
		return
	}
	p.lines++
	if !ok {
		p.bad++
	}
	now := time.Now()
	if now.Sub(p.shown) < 200*time.Millisecond {
		return
	}
	p.shown = now
	p.bar.Describe(fmt.Sprintf("%d lines, %.0f/s, %d without score", p.lines, float64(p.lines)/now.Sub(p.start).Seconds(), p.bad))
	p.bar.Set64(p.before + p.last.Load())
}

// next says that a dump is done.
func (p *progress) next() {
	if p != nil {
		p.before += p.last.Swap(0)
	}
}

// done takes the bar away.
func (p *progress) done() {
	if p != nil {
		p.bar.Finish()
	}
}
