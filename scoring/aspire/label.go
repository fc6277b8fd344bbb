package aspire

import (
	"errors"
	"math"
	"slices"

	"plumb/render/metric"
	"plumb/render/scene"
	"plumb/render/view"
)

// padding is the room around the page bounds in scoring pictures of whole scenes, px
// (docs/spec/aspire.md#r10, docs/spec/aspire.md#r41).
const padding = 32

// prepareLabel prepares the score of the label test: the share of the label's pixels, those
// with alpha above 0, that lie over the shape. Without a label the score is 0 and nothing is
// measured. See docs/spec/aspire.md#r6 and docs/spec/aspire.md#r39.
func prepareLabel(w *workspace, j *job) error {
	target, err := w.initialShape("shape")
	if err != nil {
		return err
	}
	created := w.board.created()
	labels := labelIDs(created, target.ID)
	j.addMetric("created", idsOf(created))
	j.addMetric("label_ids", labels)
	s, err := resolve(j.final, w.suite.limits, w.notes)
	if err != nil {
		j.setError(err)
		return nil
	}
	v := view.View{Scene: s, Only: labels, TallyOnly: true}
	if s.Find(target.ID) >= 0 {
		v.Other = []string{target.ID}
	}
	if len(labels) == 0 && w.variants.On(LabelOwn) {
		v = ownTextView(s, target)
	}
	bounds, ok, err := w.labelBounds(&v)
	if errors.Is(err, view.ErrForeign) {
		w.deferLabelBounds(j, v, err)
		return nil
	}
	if err != nil {
		j.setError(err)
		return nil
	}
	var list any // null on an empty whiteboard
	if ok {
		list = []float64{bounds.X, bounds.Y, bounds.W, bounds.H}
	}
	j.addMetric("bounds", list)
	if !ok || len(v.Only) == 0 {
		scoreLabel(j, metric.Tally{})
		return nil
	}
	v.Bounds = bounds
	w.compareWithTask(j, &v)
	j.views = []view.View{v}
	j.scoreTallies = func(j *job, t []metric.Tally) { scoreLabel(j, t[0]) }
	return nil
}

// compareWithTask lets the renderer draw the label test's view v as an edit of a view that all
// answers to one task share, the initial shape alone, which saves work. See
// docs/spec/raster.md#r46.
func (w *workspace) compareWithTask(j *job, v *view.View) {
	if v.Other == nil {
		return
	}
	if s, err := j.initial.resolved(w.suite.limits); err == nil {
		v.Before = &view.View{Scene: s, Only: []string{}, Other: v.Other, Bounds: v.Bounds, TallyOnly: true,
			Edited: true}
		v.DrawBefore = true
	}
}

// deferLabelBounds leaves the bounds of the view to the editor, because sizes on the board
// are not known natively. The score then comes from the tally of the picture that the editor
// bounds.
func (w *workspace) deferLabelBounds(j *job, v view.View, why error) {
	limits, bounds := w.suite.limits, new(any)
	if len(v.Only) == 0 { // no label: only the bounds are needed
		v.Only, v.Other = []string{}, nil
	}
	v.Foreign = why
	v.Content = &view.Content{Bounds: func(b view.Box, ok bool) (view.Box, error) {
		if !ok {
			return view.Box{}, newError("bad_scene", "cannot score label: there is nothing on the whiteboard")
		}
		b = padded(b)
		*bounds = []float64{b.X, b.Y, b.W, b.H}
		return b, limits.CheckCanvas(b.W, b.H)
	}}
	j.views = []view.View{v}
	j.scoreTallies = func(j *job, t []metric.Tally) {
		j.addMetric("bounds", *bounds)
		scoreLabel(j, t[0])
	}
}

// scoreLabel sets the score of the label test from the tally: the share of the label's pixels that
// lie over the shape, 0 if the label has no pixels (docs/spec/aspire.md#r44).
func scoreLabel(j *job, t metric.Tally) {
	j.addMetric("label_pixels", int(t.A.Covered))
	j.addMetric("over_shape", int(t.Both))
	share, _ := t.Coverage()
	j.setScore(share)
}

// labelIDs returns the ids of the shapes that are the label: created text shapes or, if
// there are none, other created shapes with text. The shape to be labelled is never its own
// label, even if the answer created it anew (docs/spec/aspire.md#r43).
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

// labelBounds returns the part of the page to measure: all content, padded and rounded
// outwards (docs/spec/aspire.md#r41). If that is too large for a picture, it is the label
// alone: what lies elsewhere cannot overlap the label, so the pixels are the same. ok is
// false for an empty whiteboard. The error wraps view.ErrForeign if sizes are not known
// natively.
func (w *workspace) labelBounds(v *view.View) (b view.Box, ok bool, err error) {
	b, ok, err = w.suite.contentBounds(v.Scene, nil)
	if err != nil {
		return b, false, keepForeign(err)
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

// padded returns the box with padding, rounded outwards.
func padded(b view.Box) view.Box {
	return roundedOut(b.X-padding, b.Y-padding, b.X+b.W+padding, b.Y+b.H+padding)
}

// roundedOut returns the smallest box of whole pixels around the given corners.
func roundedOut(x0, y0, x1, y1 float64) view.Box {
	x, y := math.Floor(x0), math.Floor(y0)
	return view.Box{X: x, Y: y, W: math.Ceil(x1) - x, H: math.Ceil(y1) - y}
}

// ownTextView returns a view that separates the text that an update put into the shape from
// the shape (variant own_label of docs/spec/aspire.md#r43): a copy of the shape that shows
// only the text, over the shape without text. Without new text in a geo shape the view has
// no label. A difference of two pictures would find the same pixels, except where text and
// shape have one colour.
func ownTextView(s *scene.Scene, before *scene.Record) view.View {
	i := s.Find(before.ID)
	if i < 0 || s.Shapes[i].Kind != scene.Geo || s.Shapes[i].Rich == nil ||
		scene.Plain(s.Shapes[i].Rich) == scene.Plain(before.Rich) {
		return view.View{Scene: s, TallyOnly: true}
	}
	shapes := slices.Clone(s.Shapes)
	twin := shapes[i]
	twin.ID += "/label"
	twin.Fill, twin.Dash = scene.FillNone, scene.DashNone
	shapes[i].Rich, shapes[i].Grow = nil, false
	shapes = append(shapes, twin)
	return view.View{Scene: &scene.Scene{Shapes: shapes}, Only: []string{twin.ID}, Other: []string{before.ID},
		TallyOnly: true}
}
