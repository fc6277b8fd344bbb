package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// syncedLog is a writer that several goroutines use.
type syncedLog struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *syncedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *syncedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// Where stderr is no terminal, rate, share, time left and failures are told in
// lines now and then, also while nothing is answered.
func TestProgressLines(t *testing.T) {
	dir := t.TempDir()
	a, b := written(t, filepath.Join(dir, "a"), strings.Repeat("x", 100)), written(t, filepath.Join(dir, "b"), strings.Repeat("x", 300))
	var log syncedLog
	p := newProgress(&log, []string{a, b}, "line", "score", time.Millisecond)
	await(t, "lines", func() bool { return strings.Count(log.String(), "progress: 0 lines in 0s") > 1 })
	p.end()
	var text strings.Builder
	p = newProgress(&text, []string{a, b}, "line", "score", time.Hour)
	defer p.end()
	for range 10 {
		p.lineRead(100)
	}
	for k := range 10 {
		p.lineDone(k > 1)
	}
	p.dumpDone()
	for range 10 { // 200 of the 300 bytes of b are read, a fifth of their lines is scored
		p.lineRead(200)
	}
	p.lineDone(true)
	p.lineDone(true)
	// 12 of the 20 lines in 300 of the 400 bytes: 180 bytes, 45 %.
	if got, want := p.statusLine(p.start.Add(45*time.Second)), "progress: 12 lines in 45s (0.3/s), 2 without score, 45 % of the input, about 55s left"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	// A report of 10 items costs as much as 200 lines of 15 bytes: 3000 bytes.
	p.expectReport(10)
	if got, want := p.statusLine(p.start.Add(18*time.Second)), "progress: 12 lines in 18s (0.7/s), 2 without score, 45 % of the input, about 5m22s left"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	p.itemsDrawn(1, 4)
	p.itemsDrawn(2, 4)
	p.start = p.reportStart.Add(-10 * time.Second)
	if got, want := p.statusLine(p.reportStart.Add(20*time.Second)), "progress: 12 lines in 30s (0.4/s), 2 without score, 45 % of the input, 2 of 4 items of the report, about 20s left"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	p.total = -1 // a pipe
	if got, want := p.statusLine(p.start.Add(3*time.Second)), "progress: 12 lines in 3s (4.0/s), 2 without score, 2 of 4 items of the report"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := newProgress(&text, []string{a, os.DevNull}, "line", "score", time.Hour); got.total != -1 {
		t.Errorf("with a device among the dumps the total is %d; want none", got.total)
	}
}
