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
	var dashes Dashes
	switch start {
	case Outset:
		l += unitDash / 2
		dashes.Offset += unitDash / 2
	case Skip:
		l -= unitDash
		dashes.Offset -= unitDash
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
		dashes.Dash = l
	case !dotted && n < 3:
		dashes.Dash, dashes.Gap = l/3, l/3
	default:
		dashes.Dash = l / (2 * n * ratio)
		dashes.Gap = (l - float64(n*dashes.Dash)) / max(1, n-1)
	}
	// A dotted run shorter than one period gives "Infinity NaN", which the
	// browser ignores: the run is drawn solid. So is one without gaps.
	dashes.Solid = math.IsInf(dashes.Dash, 0) || math.IsNaN(dashes.Dash) || !(dashes.Gap > 0)
	return dashes
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
func (outline *Outline) runs(f func(run) error) error {
	for i := 0; i < len(outline.List); i++ {
		if outline.List[i].Verb == MoveTo {
			continue
		}
		r := run{first: i, last: i, from: outline.List[i-1].To, length: outline.List[i].length}
		for r.last+1 < len(outline.List) && outline.List[r.last+1].merged {
			r.last++
			r.length += outline.List[r.last].length
		}
		r.start, r.end = outline.endings(r)
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
func (outline *Outline) endings(run run) (start, end Ending) {
	start, end = Outset, Outset
	lastOfSubpath := run.last+1 == len(outline.List) || outline.List[run.last+1].Verb == MoveTo
	if lastOfSubpath && !outline.List[run.last].closing {
		end = Exact
	}
	if outline.List[run.first-1].Verb == MoveTo && !outline.closedFrom(run.first) {
		start = Exact
	}
	if e := outline.List[run.first].start; e != usual {
		start = e
	}
	if e := outline.List[run.last].end; e != usual {
		end = e
	}
	return start, end
}

// closedFrom reports whether the subpath of the outline that command i belongs to is closed.
// Command i must not be the subpath's move.
func (outline *Outline) closedFrom(i int) bool {
	for ; i < len(outline.List) && outline.List[i].Verb != MoveTo; i++ {
		if outline.List[i].closing {
			return true
		}
	}
	return false
}

// write appends run r of an outline, along which dashes lie, to a path as an open subpath, without
// jitter.
func (outline *Outline) write(r run, path *vector.Path) {
	path.MoveTo(geom.AsExported(r.from))
	for i := r.first; i <= r.last; i++ {
		command := &outline.List[i]
		if command.Verb == curveTo {
			path.CubicTo(geom.AsExported(command.c1), geom.AsExported(command.c2), geom.AsExported(command.To))
		} else {
			path.LineTo(geom.AsExported(command.To))
		}
	}
}

// check refuses a dashed run of an outline, l px long, if it has more dashes than the limit, which
// is MaxPoints where limit is 0.
func (dashes Dashes) check(l float64, limit int) error {
	if dashes.Solid || dashes.Dash == 0 {
		return nil
	}
	most := float64(cmp.Or(limit, MaxPoints))
	if n := l / (dashes.Dash + dashes.Gap); !(n <= most) {
		return fmt.Errorf("cannot draw a dashed line of %g px: it has %.0f dashes; want at most %.0f (%s): %w",
			l, n, most, scene.FlagPoints, scene.ErrLimit)
	}
	return nil
}
