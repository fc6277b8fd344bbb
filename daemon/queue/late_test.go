package queue_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"plumb/daemon/dump"
	"plumb/daemon/queue"
	"plumb/daemon/queue/queuetest"
	"plumb/render/view"
	"plumb/scoring"
)

// told is the essence of result lines: id, error code and score.
func told(t *testing.T, got, want []string) {
	t.Helper()
	for i, w := range want {
		if i >= len(got) {
			t.Errorf("no answer %d; want %q", i, w)
			continue
		}
		id, code, score := queuetest.Line([]byte(got[i]))
		if s := fmt.Sprintf("%s %s %g", id, code, score); s != w {
			t.Errorf("sample %d: got %q; want %q", i, s, w)
		}
	}
}

// Samples with pictures that others draw keep their place in the order, say who
// drew them and why, and are drawn as many at a time as the engine allows.
func TestLatePictures(t *testing.T) {
	var lines, want []string
	for i := range 300 {
		switch i % 5 {
		case 1:
			lines = append(lines, fmt.Sprintf(`{"id":"i%d","test":"sum","views":[%d],"late":[10,20]}`, i, i))
			want = append(want, fmt.Sprintf("i%d  %d", i, i+30))
		case 3:
			lines = append(lines, fmt.Sprintf(`{"id":"i%d","test":"sum","late":[66]}`, i))
			want = append(want, fmt.Sprintf("i%d away 0", i))
		default:
			lines = append(lines, fmt.Sprintf(`{"id":"i%d","test":"sum","views":[%d]}`, i, i))
			want = append(want, fmt.Sprintf("i%d  %d", i, i))
		}
	}
	e := &queuetest.Engine{Late: 3, Draws: func(_ context.Context, w float64) error {
		time.Sleep(100 * time.Microsecond)
		if w == 66 {
			return &scoring.Error{Code: "away", Message: "out of reach"}
		}
		return nil
	}}
	cfg := queuetest.Config(e, queuetest.Suite{})
	cfg.Workers = 2
	q := queue.New(cfg)
	got := run(t, q, lines)
	q.Close()
	told(t, got, want)
	for i, l := range got {
		away := strings.Contains(l, `"notes":[{"code":"rendered_by_away","path":"shape:a","message":"it lies above the page"}]`) &&
			strings.Contains(l, `"backend":"away"`)
		if away != (i%5 == 1 || i%5 == 3) {
			t.Errorf("line %d: got %s; want the backend and the reason where others draw, once", i, l)
		}
	}
	if n := e.Most.Load(); n < 2 || n > 4 {
		t.Errorf("got %d pictures waited for at once; want several, and one more than 3 at most", n)
	}
	if n := e.Alive.Load(); n != 0 {
		t.Errorf("%d pictures were not released", n)
	}
}

// While others draw, or never come back, everything else is answered: no worker
// waits with them.
func TestLatePicturesHoldNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &queuetest.Engine{Late: 1, Draws: func(ctx context.Context, w float64) error {
			if w == 99 {
				panic("late")
			}
			<-ctx.Done()
			return ctx.Err()
		}}
		cfg := queuetest.Config(e, queuetest.Suite{})
		cfg.Workers = 1
		q := queue.New(cfg)
		start := time.Now()
		slow := make(chan []string)
		go func() {
			slow <- run(t, q, []string{`{"id":"p","test":"sum","late":[99]}`, `{"id":"a","test":"sum","late":[1]}`,
				`{"id":"b","test":"sum","late":[1]}`, `{"id":"c","test":"sum","late":[1]}`})
		}()
		synctest.Wait()
		quick := run(t, q, []string{`{"id":"d","test":"sum","views":[4]}`})
		told(t, quick, []string{"d  4"})
		a, err := q.Score(t.Context(), dump.Line{Number: 1, Bytes: []byte(`{"id":"e","test":"sum","views":[5]}`)}, &queue.Options{})
		if err != nil || a.Result.Score != 5 {
			t.Errorf("got %+v, %v; want the score", a.Result, err)
		}
		if d := time.Since(start); d > time.Second {
			t.Errorf("samples of the engine's own waited %v for others", d)
		}
		told(t, <-slow, []string{"p internal 0", "a deadline 0", "b deadline 0", "c deadline 0"})
		if d := time.Since(start); d < 2*queue.DefaultDeadline {
			t.Errorf("got all answers after %v; want the deadline of each to run from its own turn", d)
		}
		q.Close()
		if n := e.Alive.Load(); n != 0 {
			t.Errorf("%d pictures were not released", n)
		}
	})
}

// The deadline of bulk work does not run while it waits for its turn.
func TestLatePicturesInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &queuetest.Engine{Late: 1, Draws: func(ctx context.Context, _ float64) error {
			time.Sleep(queue.DefaultDeadline - time.Second)
			return ctx.Err()
		}}
		q := queue.New(queuetest.Config(e, queuetest.Suite{}))
		var lines, want []string
		for i := range 8 {
			lines = append(lines, fmt.Sprintf(`{"id":"i%d","test":"sum","late":[%d]}`, i, i))
			want = append(want, fmt.Sprintf("i%d  %d", i, i))
		}
		told(t, run(t, q, lines), want)
		q.Close()
	})
}

// A request goes before bulk work that waits for others too.
func TestLateRequestGoesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var order []float64
		turn := make(chan struct{}, 1)
		e := &queuetest.Engine{Late: 1, Draws: func(_ context.Context, w float64) error {
			turn <- struct{}{}
			order = append(order, w)
			time.Sleep(time.Millisecond)
			<-turn
			return nil
		}}
		q := queue.New(queuetest.Config(e, queuetest.Suite{}))
		done := make(chan []string)
		var lines []string
		for i := range 20 {
			lines = append(lines, fmt.Sprintf(`{"id":"i%d","test":"sum","late":[%d]}`, i, i))
		}
		go func() { done <- run(t, q, lines) }()
		synctest.Wait()
		p, err := q.Draw(t.Context(), nil, func() (view.View, error) {
			return view.View{Bounds: view.Box{Y: -1, W: 100, H: 1}}, nil
		})
		if err != nil || p.Image.Rect.Dx() != 100 || p.Origin.Backend != "away" || p.Origin.Reason == "" {
			t.Errorf("got %+v, %v; want a picture and who drew it", p, err)
		}
		<-done
		q.Close()
		if i := slices.Index(order, 100); i < 0 || i > 4 {
			t.Errorf("got the order %v; want the request before what waited", order)
		}
	})
}

// What draws late pictures may take long to start: no sample's deadline runs
// meanwhile, not even a request's.
func TestLateColdStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &queuetest.Engine{Late: 2, Draws: func(ctx context.Context, w float64) error {
			if w == 7 {
				<-ctx.Done()
			}
			time.Sleep(time.Second)
			return ctx.Err()
		}, Starts: func() { time.Sleep(3 * queue.DefaultDeadline) }}
		q := queue.New(queuetest.Config(e, queuetest.Suite{}))
		bulk := make(chan []string)
		go func() { bulk <- run(t, q, []string{`{"id":"a","test":"sum","late":[4]}`}) }()
		request := func(w int) queue.Answer {
			a, err := q.Score(t.Context(), dump.Line{Number: 1, Bytes: fmt.Appendf(nil, `{"id":"b","test":"sum","late":[%d]}`, w)}, &queue.Options{})
			if err != nil {
				t.Error(err)
			}
			return a
		}
		if a := request(5); a.Result.Score != 5 {
			t.Errorf("got %+v; want the score of a request that met a cold start", a.Result)
		}
		told(t, <-bulk, []string{"a  4"})
		start := time.Now()
		if a := request(7); a.Result.Err == nil || a.Result.Err.Code != "deadline" || time.Since(start) > queue.DefaultDeadline+2*time.Second {
			t.Errorf("got %+v after %v; want the deadline", a.Result, time.Since(start))
		}
		q.Close()
	})
}
