package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progressEvery is how often a line of progress is printed where stderr is no
// terminal, as in a batch job: seldom enough for a log of hours.
const progressEvery = 30 * time.Second

// progress shows how far a run is: a bar on a terminal, else a line now and then.
// It is safe for concurrent use.
type progress struct {
	w    io.Writer
	bar  *progressbar.ProgressBar // nil where there is no terminal
	stop chan struct{}            // ends the lines
	over sync.WaitGroup

	mu     sync.Mutex // guards what follows
	start  time.Time
	shown  time.Time
	total  int64 // bytes of the dumps, -1 where no end is known
	before int64 // bytes of the dumps that are done
	offset int64 // bytes read of the current dump
	taken  int64 // lines read of all dumps
	scored int64 // lines that have their answer
	bad    int64 // of these, without a score
}

// newProgress begins to show the progress through the dumps at paths. Without a
// terminal a line is printed each time that every has passed.
func newProgress(w io.Writer, paths []string, every time.Duration) *progress {
	p := &progress{w: w, start: time.Now(), stop: make(chan struct{})}
	for _, path := range paths {
		st, err := os.Stat(path)
		if err != nil || !st.Mode().IsRegular() {
			p.total = -1 // a pipe
			break
		}
		p.total += st.Size()
	}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.bar = progressbar.NewOptions64(p.total,
			progressbar.OptionSetWriter(w), progressbar.OptionThrottle(200*time.Millisecond),
			progressbar.OptionEnableColorCodes(false), progressbar.OptionSetPredictTime(true),
			progressbar.OptionShowBytes(false), progressbar.OptionClearOnFinish())
		return p
	}
	p.over.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case now := <-tick.C:
				fmt.Fprintln(p.w, p.line(now))
			case <-p.stop:
				return
			}
		}
	})
	return p
}

// line is the progress as text: "progress: 1200 lines in 1m0s (20.0/s), 3 without
// score, 40 % of the input, about 1m30s left".
func (p *progress) line(now time.Time) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	took := now.Sub(p.start)
	s := fmt.Sprintf("progress: %d lines in %v (%.1f/s), %d without score", p.scored, took.Round(time.Second), float64(p.scored)/took.Seconds(), p.bad)
	if done := p.done(); p.total > 0 && done > 0 {
		share := min(1, float64(done)/float64(p.total))
		left := time.Duration(float64(took) * (1 - share) / share)
		s += fmt.Sprintf(", %.0f %% of the input, about %v left", 100*share, left.Round(time.Second))
	}
	return s
}

// done is how many bytes of the dumps have been scored. Lines are read ahead, so
// it is the share of the lines read so far that have their answer.
func (p *progress) done() int64 {
	if p.taken == 0 {
		return 0
	}
	return int64(float64(p.before+p.offset) * float64(p.scored) / float64(p.taken))
}

// read tells that a line was taken, and how many bytes of the current dump with it.
func (p *progress) read(offset int64) {
	p.mu.Lock()
	p.offset = offset
	p.taken++
	p.mu.Unlock()
}

// count counts an answer; ok says that it has a score.
func (p *progress) count(ok bool) {
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.scored++
	if !ok {
		p.bad++
	}
	if p.bar == nil || now.Sub(p.shown) < 200*time.Millisecond {
		return
	}
	p.shown = now
	p.bar.Describe(fmt.Sprintf("%d lines, %.0f/s, %d without score", p.scored, float64(p.scored)/now.Sub(p.start).Seconds(), p.bad))
	p.bar.Set64(p.done())
}

// next says that a dump is done.
func (p *progress) next() {
	p.mu.Lock()
	p.before, p.offset = p.before+p.offset, 0
	p.mu.Unlock()
}

// end takes the bar away, or ends the lines.
func (p *progress) end() {
	close(p.stop)
	p.over.Wait()
	if p.bar != nil {
		p.bar.Finish()
	}
}
