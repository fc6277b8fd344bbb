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
func prepareLabel(workspace *workspace, j *job) error {
	target, err := workspace.initialShape("shape")
	if err != nil {
		return err
	}
	created := workspace.board.created()
	labels := labelIDs(created, target.ID)
	j.addMetric("created", idsOf(created))
	j.addMetric("label_ids", labels)
	scene, err := resolve(j.final, workspace.suite.limits, workspace.notes)
	if err != nil {
		j.setError(err)
		return nil
	}
	// The view counts two sets of shapes: FirstIDs is the label, SecondIDs is the shape that it should lie over.
	wanted := view.View{Scene: scene, FirstIDs: labels, TallyOnly: true}
	if scene.Find(target.ID) >= 0 {
		wanted.SecondIDs = []string{target.ID}
	}
	// In the variant LabelOwn, text that the answer put into the shape itself is a label too.
	if len(labels) == 0 && workspace.variants.On(LabelOwn) {
		wanted = ownTextView(scene, target)
	}
	// Where plumb cannot compute the size of a shape, the editor finds the bounds while it draws.
	bounds, ok, err := workspace.labelBounds(&wanted)
	if errors.Is(err, view.ErrForeign) {
		workspace.deferLabelBounds(j, wanted, err)
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
	if !ok || len(wanted.FirstIDs) == 0 {
		j.computeScore = func(j *job, _ []metric.Tally) { scoreLabel(j, metric.Tally{}) }
		return nil
	}
	wanted.Bounds = bounds
	workspace.measureAsEdit(j, &wanted)
	j.views = []view.View{wanted}
	j.computeScore = func(j *job, t []metric.Tally) { scoreLabel(j, t[0]) }
	return nil
}

// measureAsEdit has the renderer measure the picture of the label test, wanted, as an edit of the
// task's initial picture, which is faster. The initial picture is measured once for all answers to the
// task, and of each answer only the parts that differ from it. In the initial picture FirstIDs is
// empty, because it is for labels, which only answers have. If the initial scene cannot be read, wanted
// is measured in full. See docs/spec/raster.md#r46.
func (workspace *workspace) measureAsEdit(j *job, wanted *view.View) {
	if wanted.SecondIDs == nil { // the answer deleted the shape, so little is drawn
		return
	}
	if s, err := j.initial.resolved(workspace.suite.limits); err == nil {
		wanted.Before = &view.View{Scene: s, FirstIDs: []string{}, SecondIDs: wanted.SecondIDs, Bounds: wanted.Bounds, TallyOnly: true,
			Edited: true}
		wanted.DrawBefore = true // the first answer to the task draws the initial picture
	}
}

// deferLabelBounds leaves the bounds of the label test's view to the editor, because plumb cannot
// compute the sizes of some shapes; why says which. The editor calls wanted.Content.Bounds with the
// bounds of all content when it draws. The score comes after that, from the tally of the picture.
func (workspace *workspace) deferLabelBounds(j *job, wanted view.View, why error) {
	limits := workspace.suite.limits
	var bounds any                 // set when the picture is drawn, read when it is scored
	if len(wanted.FirstIDs) == 0 { // no label: only the bounds are needed
		wanted.FirstIDs, wanted.SecondIDs = []string{}, nil // draw nothing; a nil FirstIDs would draw all
	}
	wanted.Foreign = why
	wanted.Content = &view.Content{Bounds: func(box view.Box, ok bool) (view.Box, error) {
		if !ok {
			return view.Box{}, newError("bad_scene", "cannot score label: there is nothing on the whiteboard")
		}
		box = padded(box)
		bounds = []float64{box.X, box.Y, box.W, box.H}
		return box, limits.CheckCanvas(box.W, box.H)
	}}
	j.views = []view.View{wanted}
	j.computeScore = func(j *job, t []metric.Tally) {
		j.addMetric("bounds", bounds)
		scoreLabel(j, t[0])
	}
}

// scoreLabel sets the score of the label test from the tally: the share of the label's pixels that
// lie over the shape, 0 if the label has no pixels (docs/spec/aspire.md#r44).
func scoreLabel(j *job, t metric.Tally) {
	j.addMetric("label_pixels", int(t.A.Covered)) // A is the first set of shapes in the view: the label
	j.addMetric("over_shape", int(t.Both))
	share, _ := t.Coverage() // of A by the second set, the shape
	j.setScore(share)
}

// labelIDs returns the ids of the shapes that are the label: created text shapes or, if
// there are none, other created shapes with text. The shape to be labelled is never its own
// label, even if the answer created it anew (docs/spec/aspire.md#r43).
func labelIDs(created []*scene.Record, target string) []string {
	ids, others := []string{}, []string{}
	for _, record := range created {
		switch {
		case record.ID == target:
		case record.Kind == scene.Text:
			ids = append(ids, record.ID)
		case record.Has&scene.HasRich != 0 && record.Rich != nil:
			others = append(others, record.ID)
		}
	}
	if len(ids) > 0 {
		return ids
	}
	return others
}

// labelBounds returns the part of the page that the label test measures: all content, padded and
// rounded outwards (docs/spec/aspire.md#r41). If that is too large for a picture, it is the label
// alone. What lies elsewhere cannot overlap the label, so the counted pixels are the same. ok is false
// for an empty whiteboard. The error wraps view.ErrForeign if only the editor knows the sizes.
func (workspace *workspace) labelBounds(wanted *view.View) (box view.Box, ok bool, err error) {
	box, ok, err = workspace.suite.contentBounds(wanted.Scene, nil)
	if errors.Is(err, view.ErrForeign) {
		return box, false, err
	}
	if err != nil {
		return box, false, drawError(err)
	}
	if !ok {
		return box, false, nil
	}
	box = padded(box)
	fits := workspace.suite.limits.CheckCanvas(box.W, box.H) == nil
	if hasLabel := len(wanted.FirstIDs) > 0; fits || !hasLabel {
		return box, true, nil
	}
	// Only the label; all its sizes are known, because they are among those above.
	box, ok, err = workspace.suite.contentBounds(wanted.Scene, wanted.FirstIDs)
	if err != nil {
		return box, false, drawError(err)
	}
	box = padded(box)
	if err := workspace.suite.limits.CheckCanvas(box.W, box.H); ok && err != nil {
		return box, false, sceneError(err)
	}
	return box, ok, nil
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

// ownTextView returns a view for an answer that put the label's text into the shape itself (variant
// own_label of docs/spec/aspire.md#r43). before is that shape before the answer. The view separates the
// text from the shape: it counts a copy of the shape that shows only the text, over the shape without
// text. Without new text in a geo shape the view has no label. The difference of two pictures would not
// do, because text and shape may have one colour.
func ownTextView(sc *scene.Scene, before *scene.Record) view.View {
	i := sc.Find(before.ID)
	if i < 0 || sc.Shapes[i].Kind != scene.Geo || sc.Shapes[i].Rich == nil ||
		scene.Plain(sc.Shapes[i].Rich) == scene.Plain(before.Rich) {
		return view.View{Scene: sc, TallyOnly: true}
	}
	shapes := slices.Clone(sc.Shapes)
	twin := shapes[i]
	twin.ID += "/label"
	twin.Fill, twin.Dash = scene.FillNone, scene.DashNone
	shapes[i].Rich, shapes[i].Grow = nil, false
	shapes = append(shapes, twin)
	return view.View{Scene: &scene.Scene{Shapes: shapes}, FirstIDs: []string{twin.ID}, SecondIDs: []string{before.ID},
		TallyOnly: true}
}
