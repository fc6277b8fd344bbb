package shapes

import (
	"cmp"
	"fmt"
	"math"

	"plumb/render/geom"
	"plumb/render/scene"
	"plumb/render/vector"
)

// Dashes is a fitted dash array: a dash, a gap, and the offset into them. The
// zero value means no dashes.
type Dashes struct {
	Dash, Gap, Offset float64
	Solid             bool // no dash array, or one that the browser ignores
}

// FitDashes returns the dashes, or dots, for a run of an outline that is l px long and stroked with
// the given width. Their lengths are fitted so that the run begins and ends as start and end say;
// these must not be usual. A very short dashed run becomes one dash or three parts. See
// docs/spec/drawing.md#r36.
func FitDashes(l, width float64, dotted bool, start, end Ending) Dashes {
	unitDash, ratio := min(2*width, l/4), 1.0 // ratio is the gap in dashes
	if dotted {
		unitDash, ratio = width/100, 100
	}
	var f Dashes
	switch start {
	case Outset:
		l += unitDash / 2
		f.Offset += unitDash / 2
	case Skip:
		l -= unitDash
		f.Offset -= unitDash
	}
	switch end {
	case Outset:
		l += unitDash / 2
	case Skip:
		l -= unitDash
	}
	// Divided in this order: regular polygons sit exactly on an integer.
	n := math.Floor(l / unitDash / (2 * ratio))
	switch {
	case !dotted && n < 3 && l/width < 4:
		f.Dash = l
	case !dotted && n < 3:
		f.Dash, f.Gap = l/3, l/3
	default:
		f.Dash = l / (2 * n * ratio)
		f.Gap = (l - float64(n*f.Dash)) / max(1, n-1)
	}
	// A dotted run shorter than one period gives "Infinity NaN", which the
	// browser ignores: the run is drawn solid. So is one without gaps.
	f.Solid = math.IsInf(f.Dash, 0) || math.IsNaN(f.Dash) || !(f.Gap > 0)
	return f
}

// run is a part of an outline with a dash array of its own.
type run struct {
	first, last int // commands, moveTo not included
	from        geom.Point
	length      float64
	start, end  Ending
}

// runs calls f for each run of dashes of a measured outline, and stops at the first error. A run is
// a piece along which dashes are fitted by themselves: one command, or all pieces of an arc. Moves
// belong to no run.
func (c *Outline) runs(f func(run) error) error {
	for i := 0; i < len(c.List); i++ {
		if c.List[i].Verb == MoveTo {
			continue
		}
		r := run{first: i, last: i, from: c.List[i-1].To, length: c.List[i].length}
		for r.last+1 < len(c.List) && c.List[r.last+1].merged {
			r.last++
			r.length += c.List[r.last].length
		}
		r.start, r.end = c.endings(r)
		i = r.last
		if err := f(r); err != nil {
			return err
		}
	}
	return nil
}

// endings returns how the dashes of a run begin and end: beyond its end points at joints and in
// closed subpaths, exactly on them at open ends, unless a command says otherwise. See
// docs/spec/drawing.md#r35.
func (c *Outline) endings(r run) (start, end Ending) {
	start, end = Outset, Outset
	lastOfSubpath := r.last+1 == len(c.List) || c.List[r.last+1].Verb == MoveTo
	if lastOfSubpath && !c.List[r.last].closing {
		end = Exact
	}
	if c.List[r.first-1].Verb == MoveTo && !c.closedFrom(r.first) {
		start = Exact
	}
	if e := c.List[r.first].start; e != usual {
		start = e
	}
	if e := c.List[r.last].end; e != usual {
		end = e
	}
	return start, end
}

// closedFrom reports whether the subpath of the outline that command i belongs to is closed.
// Command i must not be the subpath's move.
func (c *Outline) closedFrom(i int) bool {
	for ; i < len(c.List) && c.List[i].Verb != MoveTo; i++ {
		if c.List[i].closing {
			return true
		}
	}
	return false
}

// write appends run r of an outline, along which dashes lie, to a path as an open subpath, without
// jitter.
func (c *Outline) write(r run, to *vector.Path) {
	to.MoveTo(geom.Written(r.from))
	for i := r.first; i <= r.last; i++ {
		m := &c.List[i]
		if m.Verb == curveTo {
			to.CubicTo(geom.Written(m.c1), geom.Written(m.c2), geom.Written(m.To))
		} else {
			to.LineTo(geom.Written(m.To))
		}
	}
}

// check refuses a dashed run of an outline, l px long, if it has more dashes than the limit, which
// is MaxPoints where limit is 0.
func (f Dashes) check(l float64, limit int) error {
	if f.Solid || f.Dash == 0 {
		return nil
	}
	most := float64(cmp.Or(limit, MaxPoints))
	if n := l / (f.Dash + f.Gap); !(n <= most) {
		return fmt.Errorf("cannot draw a dashed line of %g px: it has %.0f dashes; want at most %.0f (%s): %w",
			l, n, most, scene.FlagPoints, scene.ErrLimit)
	}
	return nil
}
