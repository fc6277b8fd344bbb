package aspire

import (
	"errors"

	"plumb/render/metric"
	"plumb/render/scene"
	"plumb/render/view"
)

// pendingPoints collects points that a score needs. Those that only the renderer can compute
// are set when it draws the views, before the score is computed.
type pendingPoints struct {
	points []*scene.Point
	views  []view.View
}

// addCentre adds the centre of a shape. It takes what workspace.centre returned: the point, or the error
// unknownBounds if only the editor can compute it. For that it adds a view that sets the point when it
// is drawn. It returns any other error.
func (pending *pendingPoints) addCentre(p scene.Point, err error) error {
	centre := &p
	var unknown *unknownBounds
	if errors.As(err, &unknown) {
		pending.views = append(pending.views, unknown.measuringView(centre))
		err = nil
	}
	pending.points = append(pending.points, centre)
	return err
}

// scoreWhenKnown calls score with the points in the order in which they were added: at once if all
// are known, else after rendering. By then the workspace is used for another item, so score must
// not use it.
func (pending *pendingPoints) scoreWhenKnown(j *job, score func(j *job, points []scene.Point) error) error {
	if len(pending.views) == 0 {
		return score(j, pending.known())
	}
	j.views = pending.views
	j.scoreTallies = func(j *job, _ []metric.Tally) {
		if err := score(j, pending.known()); err != nil {
			j.setError(err)
		}
	}
	return nil
}

// known returns the points in the order in which they were added. All must be known by now: those that
// the editor computes are set when the views are drawn.
func (pending *pendingPoints) known() []scene.Point {
	all := make([]scene.Point, len(pending.points))
	for i, p := range pending.points {
		all[i] = *p
	}
	return all
}
