package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"plumb/scoring/plural"
)

// progressEvery is how often a line of progress is printed where stderr is no terminal,
// as in a batch job. It is long enough for the log of a run of hours.
const progressEvery = 30 * time.Second

// progress shows how far a run is: a bar on a terminal, else a line every 30 s. It is
// safe for concurrent use; nil shows nothing. See docs/spec/cli.md#r2.
type progress struct {
	out        io.Writer
	noun       string                   // what is counted: "line"
	failedNoun string                   // what failed ones lack: "score"
	bar        *progressbar.ProgressBar // nil where there is no terminal
	stop       chan struct{}            // ends the lines
	printing   sync.WaitGroup

	mu          sync.Mutex // guards what follows
	start       time.Time
	lastPrinted time.Time
	total       int64 // bytes of the dumps, -1 where no end is known
	bytesBefore int64 // bytes of the dumps that are done
	offset      int64 // bytes read of the current dump
	linesRead   int64 // lines read of all dumps
	linesDone   int64 // lines that have their answer
	linesFailed int64 // of these, without a score

	maxReportItems     int       // items of the report at most
	reportStart        time.Time // when the first of them was drawn; zero before
	itemsOfReportDrawn int       // items of the report that are drawn
	reportItems        int       // items of the report that will be drawn; known with the first
	ended              bool
}

// newProgress begins to show on w the progress through the files at paths, until end is called. noun says
// what is counted ("lines" or "scenes"), and failedNoun what a failed one lacks ("score" or "picture"). On
// a terminal it shows a progress bar. Elsewhere a goroutine prints a line at each interval of every.
func newProgress(w io.Writer, paths []string, noun, failedNoun string, every time.Duration) *progress {
	p := &progress{out: w, noun: noun, failedNoun: failedNoun, start: time.Now(), stop: make(chan struct{})}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			p.total = -1 // a pipe
			break
		}
		p.total += info.Size()
	}
	if isTerminal(w) {
		p.bar = progressbar.NewOptions64(p.total,
			progressbar.OptionSetWriter(w), progressbar.OptionThrottle(redrawEvery),
			progressbar.OptionEnableColorCodes(false), progressbar.OptionSetPredictTime(true),
			progressbar.OptionShowBytes(false), progressbar.OptionClearOnFinish())
		return p
	}
	p.printing.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case now := <-tick.C:
				fmt.Fprintln(p.out, p.statusLine(now))
			case <-p.stop:
				return
			}
		}
	})
	return p
}

// statusLine returns the progress as text: "progress: 1200 lines in 1m0s (20.0/s), 3 without
// score, 40 % of the input, about 1m30s left".
func (progress *progress) statusLine(now time.Time) string {
	progress.mu.Lock()
	defer progress.mu.Unlock()
	took := now.Sub(progress.start)
	text := fmt.Sprintf("progress: %s in %v (%.1f/s), %d without %s",
		plural.Of(progress.linesDone, progress.noun), took.Round(time.Second), float64(progress.linesDone)/took.Seconds(), progress.linesFailed, progress.failedNoun)
	if done := progress.bytesScored(); progress.total > 0 && done > 0 {
		text += fmt.Sprintf(", %.0f %% of the input", 100*min(1, float64(done)/float64(progress.total)))
	}
	if progress.itemsOfReportDrawn > 0 {
		text += fmt.Sprintf(", %d of %s of the report", progress.itemsOfReportDrawn, plural.Of(progress.reportItems, "item"))
	}
	if done, size := progress.workInBytes(now); done > 0 && size > 0 {
		share := min(1, float64(done)/float64(size))
		left := time.Duration(float64(took) * (1 - share) / share)
		text += fmt.Sprintf(", about %v left", left.Round(time.Second))
	}
	return text
}

// linesPerItem is how many lines can be scored in the time that one item of the report
// takes. For the sample dump of ASPIRE a line takes 1 ms and an item 22 ms.
const linesPerItem = 20

// workInBytes returns how much of the run's work is done and how much there is in all, both in bytes of dumps, so
// that scoring and drawing the report can be added. Drawing an item of the report counts as the bytes
// that could be scored in the same time: an estimate before the first item is drawn, then what was
// measured. Both results are 0 if the size of the input is unknown.
func (progress *progress) workInBytes(now time.Time) (done, size int64) {
	done = progress.bytesScored()
	if progress.total <= 0 || done <= 0 {
		return 0, 0
	}
	if progress.itemsOfReportDrawn > 0 { // all lines are scored, and the report is being drawn
		const shortest = 1e-3 // seconds; no division by zero
		bytesPerSecond := float64(progress.total) / max(shortest, progress.reportStart.Sub(progress.start).Seconds())
		secondsSoFar := now.Sub(progress.reportStart).Seconds()
		secondsInAll := secondsSoFar * float64(progress.reportItems) / float64(progress.itemsOfReportDrawn)
		return progress.total + int64(bytesPerSecond*secondsSoFar), progress.total + int64(bytesPerSecond*secondsInAll)
	}
	bytesPerLine := float64(done) / float64(progress.linesDone)
	items := min(float64(progress.maxReportItems), float64(progress.total)/bytesPerLine) // no more items than lines
	return done, progress.total + int64(items*bytesPerLine*linesPerItem)
}

// expectReport announces a report of at most n items, whose drawing then counts as work.
func (progress *progress) expectReport(n int) {
	progress.mu.Lock()
	progress.maxReportItems = max(0, n)
	progress.mu.Unlock()
}

// itemsDrawn records that a number of items of the report are drawn, of all that will be, and shows the
// progress. Calls may come out of order.
func (progress *progress) itemsDrawn(items, all int) {
	now := time.Now()
	progress.mu.Lock()
	defer progress.mu.Unlock()
	if progress.itemsOfReportDrawn == 0 {
		progress.reportStart = now
	}
	progress.itemsOfReportDrawn, progress.reportItems = max(progress.itemsOfReportDrawn, items), all
	progress.updateBar(now, func() string {
		return fmt.Sprintf("%s, %d of %s of the report", plural.Of(progress.linesDone, "line"), progress.itemsOfReportDrawn, plural.Of(progress.reportItems, "item"))
	})
}

// redrawEvery is the least time between two changes of the progress bar.
const redrawEvery = 200 * time.Millisecond

// updateBar moves the progress bar and writes the text of text beside it, at most once in redrawEvery, because
// a terminal is slow. Without a bar it does nothing. The caller holds the mutex.
func (progress *progress) updateBar(now time.Time, text func() string) {
	if progress.bar == nil || progress.ended || now.Sub(progress.lastPrinted) < redrawEvery {
		return
	}
	progress.lastPrinted = now
	progress.bar.Describe(text())
	if done, size := progress.workInBytes(now); size > 0 {
		progress.bar.ChangeMax64(max(done, size))
		progress.bar.Set64(done)
	}
}

// bytesScored returns how many bytes of the dumps are scored, as an estimate. More lines are read than scored, so
// it multiplies the bytes read by the share of the lines read that are scored.
func (progress *progress) bytesScored() int64 {
	if progress.linesRead == 0 {
		return 0
	}
	return int64(float64(progress.bytesBefore+progress.offset) * float64(progress.linesDone) / float64(progress.linesRead))
}

// lineRead records that a line was read, and that offset bytes of the current dump were read so far. Without
// progress, on nil, it does nothing.
func (progress *progress) lineRead(offset int64) {
	if progress == nil {
		return
	}
	progress.mu.Lock()
	progress.offset = offset
	progress.linesRead++
	progress.mu.Unlock()
}

// lineDone counts one line that is done, which has a score or picture if ok is true, and shows the progress.
// Without progress, on nil, it does nothing.
func (progress *progress) lineDone(ok bool) {
	if progress == nil {
		return
	}
	now := time.Now()
	progress.mu.Lock()
	defer progress.mu.Unlock()
	progress.linesDone++
	if !ok {
		progress.linesFailed++
	}
	progress.updateBar(now, func() string {
		return fmt.Sprintf("%s, %.0f/s, %d without %s", plural.Of(progress.linesDone, progress.noun), float64(progress.linesDone)/now.Sub(progress.start).Seconds(), progress.linesFailed, progress.failedNoun)
	})
}

// dumpDone records that a dump was read to its end. Its bytes are added to those of the dumps before, because
// the offsets of the next dump begin at 0 again. Without progress, on nil, it does nothing.
func (progress *progress) dumpDone() {
	if progress == nil {
		return
	}
	progress.mu.Lock()
	progress.bytesBefore, progress.offset = progress.bytesBefore+progress.offset, 0
	progress.mu.Unlock()
}

// end removes the progress bar, or ends the goroutine that prints lines and waits for it. Further
// calls do nothing.
func (progress *progress) end() {
	progress.mu.Lock()
	ended := progress.ended
	progress.ended = true
	progress.mu.Unlock()
	if ended {
		return
	}
	close(progress.stop)
	progress.printing.Wait()
	if progress.bar != nil {
		progress.bar.Finish()
	}
}

// isTerminal reports whether what is written to w goes to a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
