package outline

import "plumb/render/scene"

// outlineLine appends a line shape: open, never filled, exact at both ends. See
// docs/spec/drawing.md#r71.
func outlineLine(p []scene.Point, cubic bool, c *commands) {
	if len(p) == 0 {
		return
	}
	c.move(point(p[0])).steady = true
	for i := 1; i < len(p); i++ {
		var m *command
		if cubic {
			c1, c2 := splineControls(p, i-1)
			m = c.curve(c1, c2, point(p[i]))
		} else {
			m = c.line(point(p[i]))
		}
		m.steady = i == len(p)-1
	}
}

// splineControls returns the controls of the piece from p[i] to p[i+1].
func splineControls(p []scene.Point, i int) (c1, c2 point) {
	const k = 1.25 / 6
	c1, c2 = point(p[i]), point(p[i+1])
	if i > 0 {
		c1 = add(c1, scaled(sub(point(p[i+1]), point(p[i-1])), k))
	}
	if i+2 < len(p) {
		c2 = sub(c2, scaled(sub(point(p[i+2]), point(p[i])), k))
	}
	return c1, c2
}
