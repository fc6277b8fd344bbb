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
	at    []*scene.Point
	views []view.View
}

// addCentre adds the centre of a shape, as workspace.centre returned it. If only the editor knows
// the point, it adds a view that finds it during rendering. It returns any other error.
func (c *pendingPoints) addCentre(p scene.Point, err error) error {
	at := &p
	var unknown *unknownBounds
	if errors.As(err, &unknown) {
		c.views, err = append(c.views, unknown.view(at)), nil
	}
	c.at = append(c.at, at)
	return err
}

// scoreWhenKnown calls score with the points in the order in which they were added: at once if all
// are known, else after rendering. By then the workspace is used for another item, so score must
// not use it.
func (c *pendingPoints) scoreWhenKnown(j *job, score func(j *job, points []scene.Point) error) error {
	if len(c.views) == 0 {
		return score(j, c.known())
	}
	j.views = c.views
	j.scoreTallies = func(j *job, _ []metric.Tally) {
		if err := score(j, c.known()); err != nil {
			j.setError(err)
		}
	}
	return nil
}

// known returns the shapes' centres in the order in which they were added. All must be known by
// now.
func (c *pendingPoints) known() []scene.Point {
	all := make([]scene.Point, len(c.at))
	for i, p := range c.at {
		all[i] = *p
	}
	return all
}
