package outline

import (
	"fmt"
	"math"

	"plumb/render/geom"
	"plumb/render/path"
	"plumb/render/scene"
)

// dashes is a fitted dash array: a dash, a gap, and the offset into them. The
// zero value stands for no dashes.
type dashes struct {
	dash, gap, offset float64
	solid             bool // no dash array, or one that the browser ignores
}

// fitDashes fits dashes to a run of length l stroked at width. start and end must not be usual.
// See docs/spec/drawing.md#r36.
func fitDashes(l, width float64, dotted bool, start, end ending) dashes {
	unitDash, ratio := min(2*width, l/4), 1.0
	if dotted {
		unitDash, ratio = width/100, 100
	}
	var f dashes
	switch start {
	case outset:
		l += unitDash / 2
		f.offset += unitDash / 2
	case skip:
		l -= unitDash
		f.offset -= unitDash
	}
	switch end {
	case outset:
		l += unitDash / 2
	case skip:
		l -= unitDash
	}
	// Divided in this order: regular polygons sit exactly on an integer.
	n := math.Floor(l / unitDash / (2 * ratio))
	switch {
	case !dotted && n < 3 && l/width < 4:
		f.dash = l
	case !dotted && n < 3:
		f.dash, f.gap = l/3, l/3
	default:
		f.dash = l / (2 * n * ratio)
		f.gap = (l - float64(n*f.dash)) / max(1, n-1)
	}
	// A dotted run shorter than one period gives "Infinity NaN", which the
	// browser ignores: the run is drawn solid. So is one without gaps.
	f.solid = math.IsInf(f.dash, 0) || math.IsNaN(f.dash) || !(f.gap > 0)
	return f
}

// run is a stretch of an outline with a dash array of its own.
type run struct {
	first, last int // commands, moveTo not included
	from        geom.Point
	length      float64
	start, end  ending
}

// runs calls f for each run of c, which must be measured.
func (c *commands) runs(f func(run) error) error {
	for i := 0; i < len(c.list); i++ {
		if c.list[i].verb == moveTo {
			continue
		}
		r := run{first: i, last: i, from: c.list[i-1].to, length: c.list[i].length}
		for r.last+1 < len(c.list) && c.list[r.last+1].merged {
			r.last++
			r.length += c.list[r.last].length
		}
		r.start, r.end = c.endings(r)
		i = r.last
		if err := f(r); err != nil {
			return err
		}
	}
	return nil
}

// endings returns how a run begins and ends: outside its end points at joints and in closed
// subpaths, exactly on them at open ends, unless a command says otherwise. See
// docs/spec/drawing.md#r35.
func (c *commands) endings(r run) (start, end ending) {
	start, end = outset, outset
	lastOfPath := r.last+1 == len(c.list) || c.list[r.last+1].verb == moveTo
	if lastOfPath && !c.list[r.last].closing {
		end = exact
	}
	if c.list[r.first-1].verb == moveTo && !c.closedFrom(r.first) {
		start = exact
	}
	if e := c.list[r.first].start; e != usual {
		start = e
	}
	if e := c.list[r.last].end; e != usual {
		end = e
	}
	return start, end
}

// closedFrom tells whether the subpath that i belongs to is closed.
func (c *commands) closedFrom(i int) bool {
	for ; i < len(c.list) && c.list[i].verb != moveTo; i++ {
		if c.list[i].closing {
			return true
		}
	}
	return false
}

// write appends a run as an open path.
func (c *commands) write(r run, to *path.Path) {
	to.MoveTo(geom.Written(r.from))
	for i := r.first; i <= r.last; i++ {
		m := &c.list[i]
		if m.verb == curveTo {
			to.CubicTo(geom.Written(m.c1), geom.Written(m.c2), geom.Written(m.to))
		} else {
			to.LineTo(geom.Written(m.to))
		}
	}
}

// check refuses a run that would fall into more dashes than limit, 0 for MaxPoints.
func (f dashes) check(l float64, limit int) error {
	if f.solid || f.dash == 0 {
		return nil
	}
	most := allowed(limit)
	if n := l / (f.dash + f.gap); !(n <= most) {
		return fmt.Errorf("cannot draw a dashed line of %g px: it has %.0f dashes; want at most %.0f (%s): %w", l, n, most, scene.FlagPoints, scene.ErrLimit)
	}
	return nil
}
