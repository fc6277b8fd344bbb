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

// FitDashes returns the dashes, or dots, for a run of an outline that is length px long and stroked with
// the given width. Their lengths are fitted so that the run begins and ends as start and end say, which
// must be Exact, Outset or Skip. A very short dashed run becomes one dash, or a dash, a gap and a dash.
// See docs/spec/drawing.md#r36.
func FitDashes(length, width float64, dotted bool, start, end Ending) Dashes {
	unitDash, gapPerDash := min(2*width, length/4), 1.0 // the wanted dash in px, and the gap in dashes
	if dotted {
		unitDash, gapPerDash = width/100, 100
	}
	// The stretch that dashes are fitted into: half a dash longer where they reach beyond an end, a dash
	// shorter where a gap is there.
	var dashes Dashes
	switch start {
	case Outset:
		length += unitDash / 2
		dashes.Offset += unitDash / 2
	case Skip:
		length -= unitDash
		dashes.Offset -= unitDash
	}
	switch end {
	case Outset:
		length += unitDash / 2
	case Skip:
		length -= unitDash
	}
	// Divided in this order: regular polygons sit exactly on an integer.
	periods := math.Floor(length / unitDash / (2 * gapPerDash))
	switch {
	case !dotted && periods < 3 && length/width < 4: // very short: one dash
		dashes.Dash = length
	case !dotted && periods < 3: // short: a dash, a gap and a dash
		dashes.Dash, dashes.Gap = length/3, length/3
	default:
		dashes.Dash = length / (2 * periods * gapPerDash)
		dashes.Gap = (length - float64(periods*dashes.Dash)) / max(1, periods-1)
	}
	// For a dotted run shorter than one period the editor writes the dashes "Infinity NaN", which
	// the browser ignores: the run is drawn solid. Dashes without gaps are not ignored.
	dashes.Solid = math.IsInf(dashes.Dash, 0) || math.IsNaN(dashes.Dash) || !(dashes.Gap >= 0)
	return dashes
}

// run is a part of an outline with a dash array of its own.
type run struct {
	first, last int        // positions of its commands; its move is not one of them
	from        geom.Point // where it begins
	length      float64    // px
	start, end  Ending
}

// runs calls f for each run of dashes of a measured outline, and stops at the first error. A run is
// a piece along which dashes are fitted by themselves: one command, or all pieces of an arc. Moves
// belong to no run.
func (outline *Outline) runs(f func(run) error) error {
	for i := 0; i < len(outline.Commands); i++ {
		if outline.Commands[i].Verb == MoveTo {
			continue
		}
		r := run{first: i, last: i, from: outline.Commands[i-1].To, length: outline.Commands[i].length}
		for r.last+1 < len(outline.Commands) && outline.Commands[r.last+1].continuesRun {
			r.last++
			r.length += outline.Commands[r.last].length
		}
		r.start, r.end = outline.endings(r)
		i = r.last
		if err := f(r); err != nil {
			return err
		}
	}
	return nil
}

// endings returns how the dashes of a run begin and end. At joints and in closed subpaths they reach
// beyond its end points (Outset), at open ends they end exactly on them (Exact). A command may say how
// its ends are met instead (any Ending but byPosition). See docs/spec/drawing.md#r35.
func (outline *Outline) endings(run run) (start, end Ending) {
	start, end = Outset, Outset
	lastOfSubpath := run.last+1 == len(outline.Commands) || outline.Commands[run.last+1].Verb == MoveTo
	if lastOfSubpath && !outline.Commands[run.last].closesSubpath {
		end = Exact
	}
	if outline.Commands[run.first-1].Verb == MoveTo && !outline.closedFrom(run.first) {
		start = Exact
	}
	if own := outline.Commands[run.first].start; own != byPosition {
		start = own
	}
	if own := outline.Commands[run.last].end; own != byPosition {
		end = own
	}
	return start, end
}

// closedFrom reports whether the subpath of the outline that command i belongs to is closed.
// Command i must not be the subpath's move.
func (outline *Outline) closedFrom(i int) bool {
	for ; i < len(outline.Commands) && outline.Commands[i].Verb != MoveTo; i++ {
		if outline.Commands[i].closesSubpath {
			return true
		}
	}
	return false
}

// appendRun appends run r of an outline, the part along which one dash pattern lies, to a path as an
// open subpath. Its points are those that the browser reads from an export.
func (outline *Outline) appendRun(r run, path *vector.Path) {
	path.MoveTo(geom.AsExported(r.from))
	for i := r.first; i <= r.last; i++ {
		command := &outline.Commands[i]
		if command.Verb == curveTo {
			path.CubicTo(geom.AsExported(command.c1), geom.AsExported(command.c2), geom.AsExported(command.To))
		} else {
			path.LineTo(geom.AsExported(command.To))
		}
	}
}

// check returns an error if a line of that length in px has more dashes than the limit, which is
// MaxPoints where limit is 0.
func (dashes Dashes) check(length float64, limit int) error {
	if dashes.Solid || dashes.Dash == 0 {
		return nil
	}
	mostDashes := float64(cmp.Or(limit, MaxPoints))
	if count := length / (dashes.Dash + dashes.Gap); !(count <= mostDashes) {
		return fmt.Errorf("cannot draw a dashed line of %g px: it has %.0f dashes; want at most %.0f (%s): %w",
			length, count, mostDashes, scene.FlagPoints, scene.ErrLimit)
	}
	return nil
}
