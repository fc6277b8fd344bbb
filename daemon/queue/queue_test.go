package queue_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"plumb/daemon/dump"
	"plumb/daemon/queue"
	"plumb/daemon/queue/queuetest"
	"plumb/render/view"
)

var errPoison = errors.New("poison")

// run streams lines through a queue and returns the result lines.
func run(t *testing.T, q *queue.Queue, lines []string) []string {
	t.Helper()
	s := q.Stream(t.Context(), &queue.Options{})
	go func() {
		defer s.End()
		for i, l := range lines {
			if err := s.Put(dump.Line{Number: i + 1, Bytes: []byte(l)}); err != nil {
				t.Errorf("cannot put line %d: %v", i+1, err)
				return
			}
		}
	}()
	var out []string
	for {
		a, err := s.Next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatalf("cannot read answer %d: %v", len(out), err)
		}
		out = append(out, string(a.JSON))
	}
}

// mixed makes n lines, of which every kind of trouble is some.
func mixed(n int) []string {
	var lines []string
	for i := range n {
		switch i % 20 {
		case 3:
			lines = append(lines, `{"id":`)
		case 7:
			lines = append(lines, fmt.Sprintf(`{"id":"r%d","test":"sum","do":"refuse"}`, i))
		case 11:
			lines = append(lines, fmt.Sprintf(`{"id":"n%d","test":"sum","views":[5,-1]}`, i))
		case 13:
			lines = append(lines, fmt.Sprintf(`{"id":%d,"test":"sum"}`, i))
		default:
			lines = append(lines, fmt.Sprintf(`{"id":"i%d","test":"sum","views":[%d,%d]}`, i, i%97, i%13))
		}
	}
	return lines
}

func TestStreamAnswersEveryLineInOrder(t *testing.T) {
	lines := mixed(1000)
	var want []string
	for _, c := range []struct{ batch, workers, window int }{{1, 1, 1}, {7, 2, 5}, {256, 4, 0}, {256, 1, 64}} {
		e := &queuetest.Engine{}
		cfg := queuetest.Config(e, queuetest.Suite{})
		cfg.MaxBatch, cfg.Workers, cfg.StreamWindow = c.batch, c.workers, c.window
		q := queue.New(cfg)
		got := run(t, q, lines)
		q.Close()
		if len(got) != len(lines) {
			t.Fatalf("%+v: got %d results; want %d", c, len(got), len(lines))
		}
		if e.Largest > c.batch {
			t.Errorf("%+v: got a batch of %d pictures; want at most %d", c, e.Largest, c.batch)
		}
		if n := e.Alive.Load(); n != 0 {
			t.Errorf("%+v: %d pictures were not released", c, n)
		}
		if want == nil {
			want = got
		} else if !slices.Equal(got, want) {
			t.Errorf("%+v: results differ from those of the first run", c)
		}
	}
	for i, l := range want {
		id, code, score := queuetest.Line([]byte(l))
		wantID, wantCode, wantScore := fmt.Sprintf("i%d", i), "", float64(i%97+i%13)
		switch i % 20 {
		case 3:
			wantID, wantCode, wantScore = fmt.Sprintf("line:%d", i+1), "bad_line", 0
		case 7:
			wantID, wantCode, wantScore = fmt.Sprintf("r%d", i), "bad_shapes", 0
		case 11:
			wantID, wantCode, wantScore = fmt.Sprintf("n%d", i), "not_native", 0
		case 13:
			wantID, wantScore = fmt.Sprint(i), 0
		}
		if id != wantID || code != wantCode || score != wantScore {
			t.Errorf("line %d: got %s; want %s %q %g", i+1, l, wantID, wantCode, wantScore)
		}
	}
}

func TestPanicsAreErrorsOfOneSample(t *testing.T) {
	e := &queuetest.Engine{Fail: func(ws []float64) error {
		if slices.Contains(ws, 13) {
			panic("device")
		}
		if slices.Contains(ws, 12) {
			return errPoison
		}
		return nil
	}}
	q := queue.New(queuetest.Config(e, queuetest.Suite{}))
	defer q.Close()
	got := run(t, q, []string{
		`{"id":"a","test":"sum","views":[1]}`,
		`{"id":"b","test":"sum","do":"panic"}`,
		`{"id":"c","test":"sum","do":"panic_score","views":[2]}`,
		`{"id":"d","test":"sum","views":[4,12]}`,
		`{"id":"e","test":"sum","views":[13]}`,
		`{"id":"f","test":"sum","views":[3]}`,
	})
	for i, want := range []string{"a  1", "b internal 0", "c internal 0", "d backend 0", "e backend 0", "f  3"} {
		id, code, score := queuetest.Line([]byte(got[i]))
		if s := fmt.Sprintf("%s %s %g", id, code, score); s != want {
			t.Errorf("sample %d: got %q; want %q", i, s, want)
		}
	}
	if n := e.Alive.Load(); n != 0 {
		t.Errorf("%d pictures were not released", n)
	}
}

// Stuck samples miss only their own deadlines, even when every worker is stuck in one.
func TestDeadlineInStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block := make(chan struct{})
		cfg := queuetest.Config(&queuetest.Engine{}, queuetest.Suite{Block: block})
		cfg.Workers = 1
		q := queue.New(cfg)
		start := time.Now()
		got := run(t, q, []string{
			`{"id":"a","test":"sum","views":[1]}`,
			`{"id":"b","test":"sum","do":"block"}`,
			`{"id":"c","test":"sum","views":[3]}`,
		})
		if d := time.Since(start); d < queue.DefaultDeadline || d > queue.DefaultDeadline+time.Second {
			t.Errorf("got all answers after %v; want them after the deadline of one sample, %v", d, queue.DefaultDeadline)
		}
		for i, want := range []string{"a  1", "b deadline 0", "c  3"} {
			id, code, score := queuetest.Line([]byte(got[i]))
			if s := fmt.Sprintf("%s %s %g", id, code, score); s != want {
				t.Errorf("sample %d: got %q; want %q", i, s, want)
			}
		}
		close(block)
		q.Close()
	})
}

func TestDeadlineOfRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block := make(chan struct{})
		cfg := queuetest.Config(&queuetest.Engine{}, queuetest.Suite{Block: block})
		cfg.Workers = 1
		q := queue.New(cfg)
		a, err := q.Score(t.Context(), dump.Line{Number: 1, Bytes: []byte(`{"id":"b","test":"sum","do":"block"}`)}, &queue.Options{})
		if err != nil || a.Result.ID != "b" || a.Result.Err == nil || a.Result.Err.Code != "deadline" {
			t.Errorf("got %+v, %v; want an answer with code deadline", a.Result, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := q.Score(ctx, dump.Line{Number: 1, Bytes: []byte(`{"id":"b","test":"sum","do":"block"}`)}, &queue.Options{}); err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("got %v; want the error of the context or an answer", err)
		}
		if n := q.Depth(); n != 0 {
			t.Errorf("got %d requests under way; want none", n)
		}
		close(block)
		q.Close()
	})
}

// Readers that go away at any moment share nothing with whoever has the task
// next (run with -race), and say nothing about the workers.
func TestReadersThatGiveUp(t *testing.T) {
	q := queue.New(queuetest.Config(&queuetest.Engine{}, queuetest.Suite{}))
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for n := range 2000 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration((7*n+i)%41)*time.Microsecond)
				q.Score(ctx, dump.Line{Number: n, Bytes: []byte(`{"id":"a","test":"sum","views":[1]}`)}, &queue.Options{})
				cancel()
			}
		})
	}
	all.Wait()
	if n := q.Spares(); n != 0 {
		t.Errorf("got %d relieved workers; want none: nothing took long", n)
	}
	q.Close()
}

func TestAdmission(t *testing.T) {
	cfg := queuetest.Config(&queuetest.Engine{}, queuetest.Suite{})
	cfg.MaxRequests = 2
	q := queue.New(cfg)
	defer q.Close()
	one, err1 := q.Admit()
	_, err2 := q.Admit()
	if err1 != nil || err2 != nil {
		t.Fatalf("got %v, %v; want two requests admitted", err1, err2)
	}
	_, err := q.Score(t.Context(), dump.Line{Number: 1, Bytes: []byte(`{}`)}, &queue.Options{})
	if !errors.Is(err, queue.ErrBusy) || !strings.Contains(err.Error(), "--queue-max") {
		t.Errorf("got %v; want ErrBusy that names the flag", err)
	}
	one()
	one() // counting out twice must not count twice
	if q.Depth() != 1 {
		t.Errorf("got %d under way; want 1", q.Depth())
	}
	if _, err := q.Score(t.Context(), dump.Line{Number: 1, Bytes: []byte(`{}`)}, &queue.Options{}); err != nil {
		t.Errorf("got %v; want room again", err)
	}
}

func TestDuplicateIDs(t *testing.T) {
	q := queue.New(queuetest.Config(&queuetest.Engine{}, queuetest.Suite{}))
	defer q.Close()
	got := run(t, q, []string{
		`{"id":"a","test":"sum"}`, `{"id":7,"test":"sum"}`, `{"id":"a","test":"sum"}`, `{"test":"sum"}`, `{"test":"sum"}`, `{"id":"7","test":"sum"}`,
		`{"id":"a","test":"sum","model":"M"}`, `{"id":"a","test":"sum","model":"N"}`, `{"id":"a","test":"sum","model":"M","repeat":2}`,
		`{"id":"a","test":"sum","model":"M","turn":1}`, `{"id":"a","test":"sum","model":"M","asked":{"config":"9f"}}`, `{"id":"a","test":"sum","model":"M"}`,
	})
	for i, want := range []bool{false, false, true, false, false, true, false, false, false, false, false, true} {
		if has := strings.Contains(got[i], "duplicate_id"); has != want {
			t.Errorf("line %d: got %s; want a note: %v", i+1, got[i], want)
		}
	}
}

// Requests do not wait for bulk work, and what was queued together is measured
// together.
func TestRequestsJoinIntoBatches(t *testing.T) {
	e := &queuetest.Engine{Hold: make(chan struct{})}
	cfg := queuetest.Config(e, queuetest.Suite{})
	cfg.Workers = 2
	q := queue.New(cfg)
	const n = 20
	answers := make(chan error, n)
	for i := range n {
		go func() {
			a, err := q.Score(t.Context(), dump.Line{Number: 1, Bytes: fmt.Appendf(nil, `{"test":"sum","views":[%d]}`, i)}, &queue.Options{})
			if err == nil && a.Result.Score != float64(i) {
				err = fmt.Errorf("got score %g; want %d", a.Result.Score, i)
			}
			answers <- err
		}()
	}
	for e.Alive.Load() < n { // all are prepared; the first batch holds the device
		runtime.Gosched()
	}
	close(e.Hold)
	for range n {
		if err := <-answers; err != nil {
			t.Error(err)
		}
	}
	q.Close()
	if e.Batches >= n {
		t.Errorf("got %d batches for %d requests; want some joined", e.Batches, n)
	}
}

func TestDraw(t *testing.T) {
	q := queue.New(queuetest.Config(&queuetest.Engine{}, queuetest.Suite{}))
	defer q.Close()
	p, err := q.Draw(t.Context(), nil, func() (view.View, error) { return view.View{Bounds: view.Box{W: 6, H: 1}}, nil })
	if err != nil || p.Image.Rect.Dx() != 6 || p.Tally.A.Alpha != 6 {
		t.Errorf("got %+v, %v; want a picture of 6 px", p, err)
	}
	if _, err := q.Draw(t.Context(), nil, func() (view.View, error) { return view.View{}, errPoison }); !errors.Is(err, errPoison) {
		t.Errorf("got %v; want the error of the scene", err)
	}
	if _, err := q.Draw(t.Context(), nil, func() (view.View, error) { panic("view") }); err == nil {
		t.Error("got a picture of a view that panicked")
	}
}

// A cancelled stream leaves no goroutines and no pictures.
func TestCancelStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &queuetest.Engine{}
		cfg := queuetest.Config(e, queuetest.Suite{})
		cfg.StreamWindow = 4
		q := queue.New(cfg)
		ctx, cancel := context.WithCancel(t.Context())
		s := q.Stream(ctx, &queue.Options{})
		ended := make(chan error)
		go func() {
			defer s.End()
			for i := 1; ; i++ {
				if err := s.Put(dump.Line{Number: i, Bytes: []byte(`{"test":"sum","views":[1,2]}`)}); err != nil {
					ended <- err
					return
				}
			}
		}()
		for range 10 {
			if _, err := s.Next(); err != nil {
				t.Fatal(err)
			}
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Put: got %v; want context.Canceled", err)
		}
		for {
			if _, err := s.Next(); err != nil {
				break
			}
		}
		q.Close()
		synctest.Wait()
		if n := e.Alive.Load(); n != 0 {
			t.Errorf("%d pictures were not released", n)
		}
	})
}

func TestClosedQueueRefuses(t *testing.T) {
	q := queue.New(queuetest.Config(&queuetest.Engine{}, queuetest.Suite{}))
	q.Close()
	if _, err := q.Score(t.Context(), dump.Line{Bytes: []byte(`{}`)}, &queue.Options{}); !errors.Is(err, queue.ErrClosed) {
		t.Errorf("got %v; want ErrClosed", err)
	}
	s := q.Stream(t.Context(), &queue.Options{})
	if err := s.Put(dump.Line{Number: 1, Bytes: []byte(`{}`)}); !errors.Is(err, queue.ErrClosed) {
		t.Errorf("got %v; want ErrClosed", err)
	}
	s.End()
	if a, err := s.Next(); err != nil || !bytes.Contains(a.JSON, []byte("closed")) {
		t.Errorf("got %s, %v; want an answer for the line that was put", a.JSON, err)
	}
}

// Memory does not grow with the number of lines.
func TestFlatMemory(t *testing.T) {
	q := queue.New(queuetest.Config(&queuetest.Engine{}, queuetest.Suite{}))
	defer q.Close()
	line := []byte(`{"test":"sum","views":[3,4],"pad":"` + strings.Repeat("x", 4000) + `"}`)
	s := q.Stream(t.Context(), &queue.Options{})
	const n = 30_000
	go func() {
		defer s.End()
		for i := range n {
			if s.Put(dump.Line{Number: i + 1, Bytes: line}) != nil {
				return
			}
		}
	}()
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var early uint64
	for i := range n {
		if _, err := s.Next(); err != nil {
			t.Fatal(err)
		}
		if i == n/10 {
			early = heap()
		}
	}
	// 27,000 lines of 4 kB are 108 MB; what is allowed is a window of them.
	if late := heap(); late > early+16<<20 {
		t.Errorf("heap grew from %d to %d bytes over %d lines", early, late, n-n/10)
	}
}
