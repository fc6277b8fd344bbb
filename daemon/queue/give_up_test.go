package queue

import (
	"testing"

	"plumb/daemon/dump"
)

// idler is an engine that is never asked for anything.
type idler struct{ Engine }

func (idler) Drawer() Drawer { return nil }
func (idler) Lates() int     { return 0 }
func (idler) InFlight() int  { return 1 }

// A reader that went away while a worker was busy with its sample leaves the
// worker where it is; one whose deadline passed has it relieved, and not once
// the worker has gone on to another sample.
func TestRelief(t *testing.T) {
	for _, c := range []struct {
		name          string
		overdue, gone bool
		want          int
	}{
		{"cancelled", false, false, 0},
		{"overdue", true, false, 1},
		{"after the turn", true, true, 0},
	} {
		q := New(Config{Engine: idler{}})
		r := q.newReader(dump.Line{}, &Options{}, false)
		x, _ := q.join(r, key{priority: PriorityHigh}, false)
		w := &worker{queue: q}
		q.mu.Lock()
		q.running.Add(1) // as if w had been started by New
		q.recordBusy(w, x, true)
		if c.gone {
			w.taskReuseCount++
		}
		q.mu.Unlock()
		if _, ok := q.leave(r, c.overdue); !ok || q.Spares() != c.want {
			t.Errorf("%s: got %v and %d relieved workers; want %d", c.name, ok, q.Spares(), c.want)
		}
		q.mu.Lock()
		stays := q.recordFree(w)
		q.mu.Unlock()
		if stays == (c.want == 1) {
			t.Errorf("%s: got %v; want a relieved worker to end and no other", c.name, stays)
		}
		if stays {
			q.running.Done()
		}
		q.Close()
	}
}

// Spares is the number of workers that were relieved and are still in their
// sample.
func (q *Queue) Spares() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.relieved
}
