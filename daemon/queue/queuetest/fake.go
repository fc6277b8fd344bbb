// Package queuetest has a fake engine and a fake suite, for tests of the queue and of what uses it. In: items
// with a list of widths. Out: their sum as the score. Both fail, block or panic where a test asks for it, and
// the engine counts the pictures that were not released.
package queuetest

import (
	"context"
	"fmt"
	"image"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
	"plumb/daemon/queue"
	"plumb/render/metric"
	"plumb/render/view"
	"plumb/scoring"
)

// Engine measures a view as the width of its bounds. It counts batches and pictures, so that tests can check
// what the queue does with them. The pictures of views that lie above the page (Y < 0) are queue.Late.
type Engine struct {
	mu      sync.Mutex
	Largest int // most pictures in one batch
	Batches int
	Alive   atomic.Int64 // pictures prepared and not released
	Fail    func(widths []float64) error
	// Batch, when set, is called with the widths of each batch before it is
	// measured; batches may come at once.
	Batch func(widths []float64)
	// Paint, when set, is called before pictures are drawn.
	Paint   func()
	Flight  int             // how many batches it takes at once, 0 for one
	Hold    chan struct{}   // when set, Measure waits for it
	Prepare func(w float64) // when set, called for each view, with its width
	// Large, when set, says of a width whether its view has much coverage.
	Large func(w float64) bool
	// Endless, when set, says of a width whether its view is prepared until nobody
	// wants it any more; Begun and Stopped count those.
	Endless        func(w float64) bool
	Begun, Stopped atomic.Int64
	Late           int // how many views may be waited for at once; set before use
	// Draws is what makes a late view, with its width.
	Draws func(ctx context.Context, w float64) error
	// Starts, when set, is what Warm waits for; until then the engine is cold.
	Starts func()
	hot    atomic.Bool
	// Waiting is how many late views are being waited for, and Most the largest such number so far.
	Waiting, Most atomic.Int64
}

// picture is the prepared picture of a view.
type picture struct {
	engine *Engine
	w, h   float64
}

func (p *picture) Release()  { p.engine.Alive.Add(-1) }
func (p *picture) Work() int { return int(p.w) }

// Size is that of the view: width and height.
func (p *picture) Size() (w, h int) { return int(p.w), int(p.h) }

// late is a picture that Engine.Draws makes in Finish.
type late struct {
	picture
	done bool
}

// Finish implements queue.Late.
func (late *late) Finish(ctx context.Context, _ bool) error {
	n := late.engine.Waiting.Add(1)
	defer late.engine.Waiting.Add(-1)
	for m := late.engine.Most.Load(); n > m && !late.engine.Most.CompareAndSwap(m, n); m = late.engine.Most.Load() {
	}
	late.done = true
	return late.engine.Draws(ctx, late.w)
}

// Origin implements queue.Late.
func (late *late) Origin() queue.Origin {
	return queue.Origin{Backend: "away", Reason: "it lies above the page", Shape: "shape:a"}
}

// InFlight implements queue.Engine.
func (engine *Engine) InFlight() int { return engine.Flight }

// Lates implements queue.Engine.
func (engine *Engine) Lates() int { return engine.Late }

// Drawer implements queue.Engine.
func (engine *Engine) Drawer() queue.Drawer { return drawer{engine} }

// Backend implements queue.Engine.
func (engine *Engine) Backend() string { return "fake" }

type drawer struct{ engine *Engine }

// Prepare prepares the queue's fake picture of a view.
func (drawer drawer) Prepare(wanted view.View) (queue.Pic, error) {
	if wanted.Bounds.W < 0 {
		return nil, fmt.Errorf("cannot draw shape 0: %w: a cube", view.ErrForeign)
	}
	if drawer.engine.Large != nil && drawer.engine.Large(wanted.Bounds.W) && wanted.LargeBeyond > 0 {
		return nil, view.ErrLarge
	}
	if drawer.engine.Prepare != nil {
		drawer.engine.Prepare(wanted.Bounds.W)
	}
	if drawer.engine.Endless != nil && drawer.engine.Endless(wanted.Bounds.W) {
		drawer.engine.Begun.Add(1)
		for !wanted.Stop() {
			time.Sleep(time.Millisecond)
		}
		drawer.engine.Stopped.Add(1)
		return nil, view.ErrStopped
	}
	drawer.engine.Alive.Add(1)
	if wanted.Bounds.Y < 0 {
		return &late{picture: picture{drawer.engine, wanted.Bounds.W, wanted.Bounds.H}}, nil
	}
	return &picture{drawer.engine, wanted.Bounds.W, wanted.Bounds.H}, nil
}

// Cold implements queue.Engine.
func (engine *Engine) Cold() bool { return engine.Starts != nil && !engine.hot.Load() }

// Warm implements queue.Engine.
func (engine *Engine) Warm() {
	engine.Starts()
	engine.hot.Store(true)
}

// Measure implements queue.Engine: the sum of alpha is the width.
func (engine *Engine) Measure(dst []metric.Tally, pictures []queue.Pic) ([]metric.Tally, error) {
	if engine.Hold != nil {
		<-engine.Hold
	}
	var widths []float64
	for _, p := range pictures {
		widths = append(widths, widthOf(p))
	}
	if engine.Batch != nil {
		engine.Batch(widths)
	}
	engine.mu.Lock()
	defer engine.mu.Unlock()
	engine.Batches++
	engine.Largest = max(engine.Largest, len(pictures))
	for _, w := range widths {
		dst = append(dst, metric.Tally{A: metric.Sums{Alpha: uint64(w)}})
	}
	if engine.Fail != nil {
		if err := engine.Fail(widths); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

// widthOf returns the width of a picture, which must be there.
func widthOf(p queue.Pic) float64 {
	l, ok := p.(*late)
	if !ok {
		return p.(*picture).w
	}
	if !l.done {
		panic("measured before it was finished")
	}
	return l.w
}

// Draw implements queue.Engine: it returns empty images as wide as the views and 1 px high.
func (engine *Engine) Draw(pictures []queue.Pic) ([]*image.NRGBA, error) {
	if engine.Paint != nil {
		engine.Paint()
	}
	var out []*image.NRGBA
	for _, p := range pictures {
		out = append(out, image.NewNRGBA(image.Rect(0, 0, int(widthOf(p)), 1)))
	}
	return out, nil
}

// Suite scores an item as the sum of its lists "views" and "late", each one a
// picture of that width. "do" makes it misbehave. With "ask" it is a question to a judge,
// and a verdict that it is right adds 1000.
type Suite struct {
	Block chan struct{} // "do":"block" waits for it
	// Blocked, when set, counts the samples that came to such a wait.
	Blocked *atomic.Int64
	Unit    float64 // what scores are divided by, 0 for 1
	// Heard makes the suite read the response: without one the item is an error, and one that
	// differs from the member "expect", if there is one, scores 0.
	Heard bool
}

// As returns the suite by that name.
func (suite Suite) As(name string) *scoring.Suite {
	return &scoring.Suite{Name: name, Tests: []string{"sum"}, Prepare: suite.prepare,
		Variants: []scoring.Variant{{Name: "sum.twice", Source: "here", Doc: "doubles the score"}}}
}

// job is an item of the fake suite.
type job struct {
	it    scoring.Item
	unit  float64
	wrong bool
	do    string
	twice bool
	views []view.View
	ask   string
	said  scoring.Judgement
}

// Question implements scoring.Judged.
func (j *job) Question() (scoring.Question, bool) {
	return scoring.Question{Text: j.ask, Truth: "yes", Answer: j.it.ID}, j.ask != ""
}

// Judge implements scoring.Judged.
func (j *job) Judge(said scoring.Judgement) {
	if j.said != (scoring.Judgement{}) {
		panic("judged twice")
	}
	j.said = said
}

// prepare reads an item of the fake suite with which the queue is tested.
func (suite Suite) prepare(item *scoring.Item, v scoring.Variants) (scoring.Job, error) {
	j := &job{it: *item, twice: v.On("sum.twice"), do: string(item.Fields.GetStringBytes("do")), ask: string(item.Fields.GetStringBytes("ask"))}
	j.it.Fields = nil
	switch j.do {
	case "panic":
		panic("prepare")
	case "refuse":
		return nil, &scoring.Error{Code: "bad_shapes", Message: "cannot use shapes"}
	case "block":
		if suite.Blocked != nil {
			suite.Blocked.Add(1)
		}
		<-suite.Block
	}
	j.unit = suite.Unit
	if j.unit == 0 {
		j.unit = 1
	}
	if suite.Heard {
		said, want := item.Fields.Get("response"), item.Fields.Get("expect")
		if said == nil || said.Type() == fastjson.TypeNull {
			return nil, &scoring.Error{Code: "no_response", Message: "cannot score answer: there is no response"}
		}
		j.wrong = want != nil && string(said.GetStringBytes()) != string(want.GetStringBytes())
	}
	for _, v := range item.Fields.GetArray("views") {
		j.views = append(j.views, view.View{Bounds: view.Box{W: v.GetFloat64(), H: 1}})
	}
	for _, v := range item.Fields.GetArray("late") {
		j.views = append(j.views, view.View{Bounds: view.Box{Y: -1, W: v.GetFloat64(), H: 1}})
	}
	return j, nil
}

// Views implements scoring.Job.
func (j *job) Views() []view.View { return j.views }

// Score returns the result of an item of the fake suite from its fake tallies.
func (j *job) Score(ts []metric.Tally) scoring.Result {
	if j.do == "panic_score" {
		panic("score")
	}
	switch {
	case j.said.Err != nil:
		return j.Fail(*j.said.Err)
	case j.ask != "" && j.said.Reply == "":
		return j.Fail(scoring.Error{Code: "unjudged", Message: "nobody judged"})
	}
	result := j.Fail(scoring.Error{})
	result.Err, result.Scored = nil, true
	if j.said.Right {
		result.Score = 1000
	}
	for _, t := range ts {
		result.Score += float64(t.A.Alpha)
	}
	if j.twice {
		result.Score *= 2
	}
	result.Score /= j.unit
	if j.wrong {
		result.Score = 0
	}
	return result
}

// Fail implements scoring.Job.
func (j *job) Fail(e scoring.Error) scoring.Result {
	return scoring.Result{ID: j.it.ID, Suite: j.it.Suite, Test: j.it.Test, Err: &e}
}

// Config returns a queue's configuration with the engine and the suite "fake".
func Config(e *Engine, s Suite) queue.Config {
	return queue.Config{Engine: e, Scorer: "plumb test",
		Items: dump.ItemConfig{Suites: scoring.Suites{s.As("fake")}}}
}

// Line reads what tests look at in a result line.
func Line(b []byte) (id, code string, score float64) {
	v := fastjson.MustParseBytes(b)
	return string(v.GetStringBytes("id")), string(v.GetStringBytes("error", "code")), v.GetFloat64("score")
}
