package aspire

import (
	"errors"
	"math"

	"plumb/render/metric"
	"plumb/render/scene"
	"plumb/render/view"
)

// padding is what scoring pictures of whole scenes have around the page bounds
// (docs/spec/aspire.md#r10, docs/spec/aspire.md#r41), px.
const padding = 32

// prepareLabel scores how much of the label lies over the shape: pixels with alpha above 0.
// See docs/spec/aspire.md#r6 and docs/spec/aspire.md#r39.
func prepareLabel(w *work, j *job) error {
	target, err := w.given("shape")
	if err != nil {
		return err
	}
	j.show = showLabel
	created := w.board.created()
	labels := labelIDs(created, target.ID)
	j.metric("created", idsOf(created))
	j.metric("label_ids", labels)
	s, err := resolve(j.final, w.suite.limits, w.notes)
	if err != nil {
		j.fail(err)
		return nil
	}
	v := view.View{Scene: s, Only: labels}
	if s.Find(target.ID) >= 0 {
		v.Other = []string{target.ID}
	}
	if len(labels) == 0 && w.variants.On(LabelOwn) {
		v = ownLabel(s, target)
	}
	bounds, ok, err := w.labelBounds(&v)
	if errors.Is(err, view.ErrForeign) {
		w.labelElsewhere(j, v, err)
		return nil
	}
	if err != nil {
		j.fail(err)
		return nil
	}
	var list any
	if ok {
		list = []float64{bounds.X, bounds.Y, bounds.W, bounds.H}
	}
	j.metric("bounds", list)
	if !ok || len(v.Only) == 0 {
		scoreLabel(j, metric.Tally{})
		return nil
	}
	v.Bounds = bounds
	j.views = []view.View{v}
	j.measure = func(j *job, t []metric.Tally) { scoreLabel(j, t[0]) }
	return nil
}

// labelElsewhere leaves the bounds of the view open, for the editor to find out.
func (w *work) labelElsewhere(j *job, v view.View, why error) {
	lim, bounds := w.suite.limits, new(any)
	if len(v.Only) == 0 { // no label: only the bounds are asked for
		v.Only, v.Other = []string{}, nil
	}
	v.Foreign = why
	v.Content = &view.Content{Bounds: func(b view.Box, ok bool) (view.Box, error) {
		if !ok {
			return view.Box{}, fault("bad_scene", "cannot score label: there is nothing on the whiteboard")
		}
		b = padded(b)
		*bounds = []float64{b.X, b.Y, b.W, b.H}
		return b, lim.CheckCanvas(b.W, b.H)
	}}
	j.views = []view.View{v}
	j.measure = func(j *job, t []metric.Tally) {
		j.metric("bounds", *bounds)
		scoreLabel(j, t[0])
	}
}

// scoreLabel divides. No label pixels: 0 (docs/spec/aspire.md#r44).
func scoreLabel(j *job, t metric.Tally) {
	j.metric("label_pixels", int(t.A.Covered))
	j.metric("over_shape", int(t.Both))
	share, _ := t.Coverage()
	j.score(share)
}

// labelIDs tells which shapes are the label (docs/spec/aspire.md#r43): created text shapes, else
// created shapes with text. The shape that is to be labelled is never its own
// label, even when the answer created it anew.
func labelIDs(created []*scene.Record, target string) []string {
	ids, others := []string{}, []string{}
	for _, r := range created {
		switch {
		case r.ID == target:
		case r.Kind == scene.Text:
			ids = append(ids, r.ID)
		case r.Has&scene.HasRich != 0 && r.Rich != nil:
			others = append(others, r.ID)
		}
	}
	if len(ids) > 0 {
		return ids
	}
	return others
}

// labelBounds returns the part of the page that is measured: everything, padded
// and rounded outwards (docs/spec/aspire.md#r41). Where that is too large for a picture it is the
// label alone: the grid of pixels is the same, and what lies elsewhere cannot
// coincide with the label. ok is false when there is nothing on the whiteboard.
// The error wraps view.ErrForeign where sizes are not known natively.
func (w *work) labelBounds(v *view.View) (b view.Box, ok bool, err error) {
	b, ok, err = w.suite.contentBounds(v.Scene, nil)
	if err != nil {
		return b, false, foreignOr(err)
	}
	if !ok {
		return b, false, nil
	}
	b = padded(b)
	if w.suite.limits.CheckCanvas(b.W, b.H) == nil || len(v.Only) == 0 {
		return b, true, nil
	}
	b, ok, err = w.suite.contentBounds(v.Scene, v.Only)
	if err != nil {
		return b, false, drawError(err)
	}
	b = padded(b)
	if err := w.suite.limits.CheckCanvas(b.W, b.H); ok && err != nil {
		return b, false, sceneError(err)
	}
	return b, ok, nil
}

// padded returns the box with room around it, rounded outwards.
func padded(b view.Box) view.Box {
	x, y := math.Floor(b.X-padding), math.Floor(b.Y-padding)
	return view.Box{X: x, Y: y, W: math.Ceil(b.X+b.W+padding) - x, H: math.Ceil(b.Y+b.H+padding) - y}
}

// ownLabel separates the text that an update put into the shape from the shape
// (variant own_label of docs/spec/aspire.md#r43): a twin of the shape that shows nothing but its
// text, over the shape without text. A difference of two pictures would find the
// same pixels, but for those that text and shape paint in one colour.
func ownLabel(s *scene.Scene, before *scene.Record) view.View {
	i := s.Find(before.ID)
	if i < 0 || s.Shapes[i].Kind != scene.Geo || s.Shapes[i].Rich == nil ||
		scene.Plain(s.Shapes[i].Rich) == scene.Plain(before.Rich) {
		return view.View{Scene: s}
	}
	shapes := append([]scene.Shape(nil), s.Shapes...)
	twin := shapes[i]
	twin.ID += "/label"
	twin.Fill, twin.Dash = scene.FillNone, scene.DashNone
	shapes[i].Rich, shapes[i].Grow = nil, false
	shapes = append(shapes, twin)
	return view.View{Scene: &scene.Scene{Shapes: shapes}, Only: []string{twin.ID}, Other: []string{before.ID}}
}
