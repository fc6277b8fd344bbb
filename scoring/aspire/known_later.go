package aspire

import (
	"errors"

	"plumb/render/metric"
	"plumb/render/scene"
	"plumb/render/view"
)

// knownLater collects points that a score needs. Those that only the renderer can compute are
// filled in before the score is computed.
type knownLater struct {
	at    []*scene.Point
	views []view.View
}

// add adds the result of workspace.centre. It returns errors other than *unknownBounds, for which
// it adds a view that computes the point.
func (c *knownLater) add(p scene.Point, err error) error {
	at := &p
	var unknown *unknownBounds
	if errors.As(err, &unknown) {
		c.views, err = append(c.views, unknown.view(at)), nil
	}
	c.at = append(c.at, at)
	return err
}

// whenKnown calls score with the points in the order in which they were added: at once or, if some
// are unknown, after rendering. By then the workspace serves another item, so score must not use
// it.
func (c *knownLater) whenKnown(j *job, score func(j *job, at []scene.Point) error) error {
	if len(c.views) == 0 {
		return score(j, c.points())
	}
	j.views = c.views
	j.scoreTallies = func(j *job, _ []metric.Tally) {
		if err := score(j, c.points()); err != nil {
			j.setError(err)
		}
	}
	return nil
}

// points returns the points that the score needs, all of which are known by now.
func (c *knownLater) points() []scene.Point {
	all := make([]scene.Point, len(c.at))
	for i, p := range c.at {
		all[i] = *p
	}
	return all
}
