package aspire

import (
	"errors"

	"plumb/render/metric"
	"plumb/render/scene"
	"plumb/render/view"
	"plumb/scoring"
)

// pendingPoints collects the points that a score needs. Those that only the editor can compute are
// set when the views are drawn, before the score is computed.
type pendingPoints struct {
	points []*pendingPoint
	views  []view.View // that set points
}

// pendingPoint is a point on the page that may not be known yet.
type pendingPoint struct {
	at    scene.Point
	known bool
}

// addCentre adds the centre of a shape. It takes what workspace.centre returned: the point, or the error
// unknownBounds if only the editor can compute it. For that it adds a view that sets the point when it
// is drawn. It returns any other error.
func (pending *pendingPoints) addCentre(p scene.Point, err error) error {
	centre := &pendingPoint{at: p, known: err == nil}
	var unknown *unknownBounds
	if errors.As(err, &unknown) {
		pending.views = append(pending.views, unknown.measuringView(centre))
		err = nil
	}
	pending.points = append(pending.points, centre)
	return err
}

// scoreFromPoints has the job draw the views that set unknown points, if there are any, and lets score
// compute the result from all points, in the order in which they were added. score must not use the
// workspace, which another item has by then.
func (pending *pendingPoints) scoreFromPoints(j *job, score func(j *job, points []scene.Point) error) {
	j.views = pending.views
	j.computeScore = func(j *job, _ []metric.Tally) {
		points, _ := pending.list() // all are known, because the views were drawn
		if err := score(j, points); err != nil {
			j.setError(err)
		}
	}
}

// markPoints has the report show the marks that show makes of the points, in the order in which they
// were added. It shows none while a point is not known.
func (pending *pendingPoints) markPoints(j *job, show func(points []scene.Point, r *scoring.Result) marks) {
	j.marks = func(_ *job, r *scoring.Result) marks {
		points, allKnown := pending.list()
		if !allKnown {
			return marks{}
		}
		return show(points, r)
	}
}

// list returns the points in the order in which they were added, and whether all are known. Unknown
// ones are zero.
func (pending *pendingPoints) list() (points []scene.Point, allKnown bool) {
	points, allKnown = make([]scene.Point, len(pending.points)), true
	for i, p := range pending.points {
		points[i] = p.at
		allKnown = allKnown && p.known
	}
	return points, allKnown
}
