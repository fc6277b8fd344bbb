package queue

import (
	"errors"
	"fmt"
	"image"
	"sync"
	"sync/atomic"

	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
	"plumb/render/metric"
	"plumb/render/outline"
	"plumb/scoring"
)

// fakeEngine measures a view as the width of its bounds. It keeps what the
// queue must hold to.
type fakeEngine struct {
	mu      sync.Mutex
	largest int // most pictures in one batch
	batches int
	alive   atomic.Int64 // pictures prepared and not released
	fail    func(widths []float64) error
	hold    chan struct{} // when set, Measure waits for it
}

type fakePic struct {
	e *fakeEngine
	w float64
}

func (p *fakePic) Release()  { p.e.alive.Add(-1) }
func (p *fakePic) Work() int { return int(p.w) }

func (e *fakeEngine) Drawer() Drawer  { return fakeDrawer{e} }
func (e *fakeEngine) Backend() string { return "fake" }

type fakeDrawer struct{ e *fakeEngine }

func (d fakeDrawer) Prepare(v outline.View) (Pic, error) {
	if v.Bounds.W < 0 {
		return nil, fmt.Errorf("cannot draw shape 0: %w: a cube", outline.ErrForeign)
	}
	d.e.alive.Add(1)
	return &fakePic{d.e, v.Bounds.W}, nil
}

func (e *fakeEngine) Measure(dst []metric.Tally, ps []Pic) ([]metric.Tally, error) {
	if e.hold != nil {
		<-e.hold
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.batches++
	e.largest = max(e.largest, len(ps))
	var widths []float64
	for _, p := range ps {
		w := p.(*fakePic).w
		widths = append(widths, w)
		dst = append(dst, metric.Tally{A: metric.Sums{Alpha: uint64(w)}})
	}
	if e.fail != nil {
		if err := e.fail(widths); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

func (e *fakeEngine) Draw(ps []Pic) ([]*image.NRGBA, error) {
	var out []*image.NRGBA
	for _, p := range ps {
		out = append(out, image.NewNRGBA(image.Rect(0, 0, int(p.(*fakePic).w), 1)))
	}
	return out, nil
}

// fakeSuite scores an item as the sum of its list "views", each one a picture
// of that width. "do" makes it misbehave.
type fakeSuite struct{ block chan struct{} }

func (fakeSuite) Name() string                { return "fake" }
func (fakeSuite) Tests() []string             { return []string{"sum"} }
func (fakeSuite) Variants() []scoring.Variant { return nil }

type fakeJob struct {
	it    scoring.Item
	do    string
	views []outline.View
}

func (s fakeSuite) Prepare(it *scoring.Item, _ scoring.Variants) (scoring.Job, error) {
	j := &fakeJob{it: *it, do: string(it.Fields.GetStringBytes("do"))}
	j.it.Fields = nil
	switch j.do {
	case "panic":
		panic("prepare")
	case "refuse":
		return nil, &scoring.Error{Code: "bad_shapes", Message: "cannot use shapes"}
	case "block":
		<-s.block
	}
	for _, v := range it.Fields.GetArray("views") {
		j.views = append(j.views, outline.View{Bounds: outline.Box{W: v.GetFloat64(), H: 1}})
	}
	return j, nil
}

func (j *fakeJob) Views() []outline.View { return j.views }

func (j *fakeJob) Score(ts []metric.Tally) scoring.Result {
	if j.do == "panic_score" {
		panic("score")
	}
	r := j.Fail(scoring.Error{})
	r.Err, r.Scored = nil, true
	for _, t := range ts {
		r.Score += float64(t.A.Alpha)
	}
	return r
}

func (j *fakeJob) Fail(e scoring.Error) scoring.Result {
	return scoring.Result{ID: j.it.ID, Suite: j.it.Suite, Test: j.it.Test, Err: &e}
}

var errPoison = errors.New("poison")

func fakeConfig(e *fakeEngine, s fakeSuite) Config {
	return Config{Engine: e, Scorer: "plumb test",
		Items: dump.ItemConfig{Suites: map[string]scoring.Suite{"fake": s}}}
}

// decoded reads a fake result line.
func decoded(b []byte) (id, code string, score float64) {
	v := fastjson.MustParseBytes(b)
	return string(v.GetStringBytes("id")), string(v.GetStringBytes("error", "code")), v.GetFloat64("score")
}
