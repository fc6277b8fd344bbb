package render

import (
	"math"
	"slices"

	"plumb/render/batch"
	"plumb/render/delta"
	"plumb/render/metric"
	"plumb/render/view"
)

// prepareShared prepares a view of which only the tally is wanted. It takes the tally from the cache
// if it is known, waits for a worker that prepares an equal view, or, as the first with such a view,
// prepares it for all others too.
func (w *Worker) prepareShared(v view.View) (*Prepared, error) {
	known, shared, isNew := w.engine.tallies.find(w.keys.ofView(&v))
	if known != nil {
		return &Prepared{engine: w.engine, outcome: known}, nil
	}
	if isNew {
		work, err := w.prepareForAll(&v, shared)
		if err != nil {
			return nil, err
		}
		return &Prepared{engine: w.engine, shared: shared, sharedWork: work}, nil
	}
	if shared.wait(&v) {
		return &Prepared{engine: w.engine, shared: shared}, nil
	}
	w.engine.releaseShared(shared) // the other worker failed, or v was stopped: this one finds its own error
	return w.prepareAlone(v)
}

// prepareForAll prepares view v and stores its tiles in the shared view, for all that wait for it. If v
// is an edit of a known view, only the tiles that differ from that one are made. It returns the work as
// Prepared.Work does. After an error or a panic the shared view is marked as failed and released.
func (w *Worker) prepareForAll(v *view.View, shared *sharedView) (work int, err error) {
	tallies := w.engine.tallies
	var tiled *batch.Tiled
	defer func() {
		tallies.mu.Lock()
		shared.failed = tiled == nil
		if shared.failed {
			delete(tallies.pending, shared.key)
		} else {
			shared.tiled, shared.state = tiled, stateReady
			if shared.isEdit() {
				tallies.stats.Edits++
			} else {
				tallies.stats.Full++
			}
		}
		tallies.mu.Unlock()
		close(shared.prepared)
		if shared.failed {
			w.engine.releaseShared(shared)
		}
	}()
	// Draw only what differs from a known view, if that is possible.
	w.binner.AlphaOnly = true
	tiledByLayers := false
	switch {
	case v.Edited: // edits of v will come: keep its layers
		tiledByLayers, err = w.drawBase(v, shared)
	case v.Before != nil:
		tiledByLayers, err = w.drawEdit(v, shared)
	}
	if v.Stopped() {
		return 0, view.ErrStopped
	}
	// Draw in full. After an error too: the error of a full drawing is the one that users know.
	if !tiledByLayers || err != nil {
		if err := w.builder.Build(*v, w.engine.cfg.Raster, &w.drawing); err != nil {
			return 0, err
		}
		shared.forgetBase(w.engine)
		w.binner.Bin(&w.drawing, &w.tiled)
	}
	// All waiting views take the tiles from this copy, because the worker goes on to other views.
	shared.width, shared.height = w.drawing.Width, w.drawing.Height
	tiled = w.engine.pool.copyOf(&w.tiled)
	return tiled.Work() + shared.workBefore, nil
}

// forgetBase makes the shared view one that is measured in full: it drops what drawBase or drawEdit has
// set, and releases the view that this one was edited from.
func (s *sharedView) forgetBase(e *Engine) {
	s.before, s.base = nil, nil
	if s.beforeShared != nil {
		e.releaseShared(s.beforeShared)
		s.beforeShared = nil
	}
}

// drawBase draws a view that edited views will be compared with, and cuts it into tiles. shared.base
// then describes it: its layers, and which tiles each of them touches. ok is false, and there are no
// tiles, if the coverage of the view is beyond the limit of bytes.
func (w *Worker) drawBase(v *view.View, shared *sharedView) (ok bool, err error) {
	layers, err := w.builder.Layers(*v, w.engine.cfg.Raster, &w.drawing)
	if err != nil {
		return false, err
	}
	bytes := 0
	for i := range layers {
		if err := w.builder.Draw(i); err != nil {
			return false, err
		}
		bytes += layers[i].Bytes
	}
	if bytes > w.builder.Limit() {
		return false, nil
	}
	w.builder.Arrange()
	shared.base = w.edits.NewBase(&w.drawing, layers, &w.binner, &w.tiled)
	return true, nil
}

// baseOf returns the view before v, which v was edited from: its outcome if it was measured, else the
// shared view that will have one, which the caller must release. If that view is not known and
// v.DrawBefore is set, the worker prepares it for all; shared.workBefore then has the work of that. Both
// results are nil if there is no such view.
func (w *Worker) baseOf(v *view.View, shared *sharedView) (*outcome, *sharedView) {
	tallies, key := w.engine.tallies, w.keys.ofView(v.Before)
	measured, unmeasured := tallies.findBase(key)
	if measured != nil || unmeasured != nil || !v.DrawBefore {
		return measured, unmeasured
	}
	measured, unmeasured, isNew := tallies.find(key)
	if measured != nil { // another call has measured it meanwhile
		return measured, nil
	}
	before := *v.Before
	before.Stop, before.LargeBeyond = v.Stop, v.LargeBeyond // it is drawn for v: v's limits hold
	if isNew {
		work, err := w.prepareForAll(&before, unmeasured)
		if err != nil { // v is drawn in full instead, which gives the error that users know
			return nil, nil
		}
		shared.workBefore = work
		return nil, unmeasured
	}
	if !unmeasured.wait(&before) { // the worker that prepares it failed, or v was stopped
		w.engine.releaseShared(unmeasured)
		return nil, nil
	}
	return nil, unmeasured
}

// drawEdit draws and tiles only the part of a view that differs from the view before, and keeps that
// region in shared. ok is false, and nothing is tiled, if the view before is not known or the two differ
// too much.
func (w *Worker) drawEdit(v *view.View, shared *sharedView) (ok bool, err error) {
	measured, unmeasured := w.baseOf(v, shared)
	var base *delta.Base
	switch {
	case measured != nil:
		base = measured.base
	case unmeasured != nil:
		base = unmeasured.base
	}
	shared.before, shared.beforeShared = measured, unmeasured
	if base == nil {
		shared.forgetBase(w.engine)
		return false, nil
	}
	layers, err := w.builder.Layers(*v, w.engine.cfg.Raster, &w.drawing)
	if err != nil {
		return false, err
	}
	const anyTiles = math.MaxInt // an edit may redraw any number of tiles
	if ok, err = w.edits.Draw(&w.builder, &w.drawing, layers, base, anyTiles); !ok || err != nil {
		return false, err
	}
	shared.redrawn = w.edits.Region.Clone()
	w.binner.BinPart(&w.drawing, &w.edits.Region, &w.tiled)
	return true, nil
}

// measurement is one call of Measure.
type measurement struct {
	engine          *Engine
	ps              []*Prepared
	timing          Timing
	unsharedTallies []metric.Tally // of the views that are measured without the cache
}

// run measures all views of a call that have no tally yet. Of the shared ones it measures those
// that no other call is measuring, in one batch with the rest, and then waits for the others. A
// shared view whose measuring call failed becomes free again, and this call measures it.
func (m *measurement) run() error {
	// The views that are not shared.
	var tiledViews []*batch.Tiled
	for _, p := range m.ps {
		switch {
		case p.outcome != nil || p.shared != nil || p.unmeasured:
		case p.tiled == nil:
			panic("BUG: a view is measured before it is finished, or after its release")
		default:
			tiledViews = append(tiledViews, p.tiled)
		}
	}
	// Measure them together with the shared ones that are free.
	claimed, wait := m.claim()
	if len(tiledViews)+len(claimed) > 0 {
		if err := m.measure(tiledViews, claimed); err != nil {
			return err
		}
		claimed, wait = m.claim()
	}
	// Wait for the others, or measure them if they become free again.
	for len(claimed) > 0 || wait != nil {
		if len(claimed) == 0 {
			<-wait
		} else if err := m.measure(nil, claimed); err != nil {
			return err
		}
		claimed, wait = m.claim()
	}
	return nil
}

// claim finds the shared views that this call must measure, marks them as being measured, and returns
// them. These are the views of the call, and the views that they were edited from, that are prepared and
// not measured by anybody yet. If another call is measuring one of them, wait is closed when that call
// has ended; else wait is nil.
func (m *measurement) claim() (claimed []*sharedView, wait <-chan struct{}) {
	t := m.engine.tallies
	if t == nil || !slices.ContainsFunc(m.ps, func(p *Prepared) bool { return p.shared != nil }) {
		return nil, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range m.ps {
		if p.shared == nil {
			continue
		}
		for s := p.shared; s != nil; s = s.beforeShared {
			switch s.state {
			case stateReady:
				s.state, s.measured = stateMeasuring, make(chan struct{})
				claimed = append(claimed, s)
			case stateMeasuring:
				wait = s.measured
			}
		}
	}
	return claimed, wait
}

// measure measures tiledViews, whose tallies go to m.unsharedTallies, and claimed views, whose tallies go
// to their field tiledTally, in one batch. It ends the claim: after an error or a panic other calls may
// claim the views.
func (m *measurement) measure(tiledViews []*batch.Tiled, claimed []*sharedView) error {
	unshared := len(tiledViews) // the claimed views come after these
	ledgers := make([]*batch.Ledger, unshared, unshared+len(claimed))
	for _, s := range claimed {
		tiledViews = append(tiledViews, s.tiled)
		var l *batch.Ledger
		if s.base != nil {
			l = s.base.Ledger
		}
		ledgers = append(ledgers, l)
	}
	done := false
	defer func() { m.endClaim(claimed, done) }()
	tallies, t, err := m.engine.sums(nil, tiledViews, ledgers)
	m.timing.add(&t)
	if err != nil {
		return err
	}
	m.unsharedTallies = append(m.unsharedTallies, tallies[:unshared]...)
	for i, s := range claimed { // nobody else reads this before the claim ends
		s.tiledTally = tallies[unshared+i]
	}
	done = true
	return nil
}

// endClaim ends the claim of shared views and wakes the calls that wait for them. done says that they
// are measured: then their tiles go back to the pool. Else they become ready to be claimed again.
func (m *measurement) endClaim(claimed []*sharedView, done bool) {
	if len(claimed) == 0 {
		return
	}
	t := m.engine.tallies
	var free []*batch.Tiled
	t.mu.Lock()
	for _, s := range claimed {
		s.state = stateReady
		if done {
			s.state = stateMeasured
			free = append(free, s.tiled)
			s.tiled = nil
		}
		close(s.measured)
	}
	t.mu.Unlock()
	for _, tiled := range free {
		m.engine.pool.giveBack(tiled)
	}
}

// outcomeOf returns the size and tally of a shared view, with its layers if it may be edited. The view
// must be measured, and so must the one that it was edited from. The tally of an edited view is that of
// the view before, less its sums inside the region that was drawn again, plus what was measured there.
// The first call adds the outcome to the cache.
func (t *tallyCache) outcomeOf(shared *sharedView) *outcome {
	t.mu.Lock()
	known, beforeShared := shared.outcome, shared.beforeShared
	t.mu.Unlock()
	if known != nil {
		return known
	}
	o := &outcome{width: shared.width, height: shared.height, tally: shared.tiledTally, base: shared.base}
	before := shared.before
	if beforeShared != nil {
		before = t.outcomeOf(beforeShared)
	}
	if before != nil {
		o.tally.Add(before.tally)
		o.tally.Subtract(before.base.Ledger.Inside(&shared.redrawn))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if shared.outcome == nil { // else another call was faster
		shared.outcome = o
		t.keep(shared.key, o)
	}
	return shared.outcome
}
