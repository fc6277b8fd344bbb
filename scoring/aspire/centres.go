package aspire

import (
	"errors"

	"plumb/render/metric"
	"plumb/render/scene"
	"plumb/render/view"
)

// centres are points that a score needs. Some may be known only to who draws the
// whiteboard, which is then asked before the score is made.
type centres struct {
	at    []*scene.Point
	views []view.View
}

// add takes what board.centre returned. It returns errors that nobody who draws
// could mend.
func (c *centres) add(p scene.Point, err error) error {
	at := &p
	var unknown *unknownBounds
	if errors.As(err, &unknown) {
		c.views, err = append(c.views, unknown.view(at)), nil
	}
	c.at = append(c.at, at)
	return err
}

// then calls score with the points in the order in which they were added: now,
// or where some are not known when they are. By then the work is somebody
// else's, so score may hold nothing of it.
func (c *centres) then(j *job, score func(j *job, at []scene.Point) error) error {
	if len(c.views) == 0 {
		return score(j, c.points())
	}
	j.views = c.views
	j.measure = func(j *job, _ []metric.Tally) {
		if err := score(j, c.points()); err != nil {
			j.fail(err)
		}
	}
	return nil
}

func (c *centres) points() []scene.Point {
	all := make([]scene.Point, len(c.at))
	for i, p := range c.at {
		all[i] = *p
	}
	return all
}
