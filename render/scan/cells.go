package scan

import "encoding/binary"

// Cell is the width in px of the cells that Rule.Cells asks for.
const Cell = 16

// finishCells stores the row in whole cells. What is left of a full run in the
// cells at its ends goes to the bytes.
func (r *row) finishCells(full []extent) {
	for _, u := range full {
		a, b := up(u.x0), down(u.x1)
		if a >= b {
			r.cover(u.x0, u.x1)
			continue
		}
		r.cover(u.x0, a)
		r.cover(b, u.x1)
	}
	x := r.left
	for _, t := range r.extents {
		x = max(x, down(t.x0))
		for ; len(full) > 0 && full[0].x0 < t.x1; full = full[1:] {
			if a, b := up(full[0].x0), down(full[0].x1); a < b {
				r.cellBytes(x, a)
				r.fullSpan(extent{a, b})
				x = b
			}
		}
		if end := up(t.x1); x < end {
			r.cellBytes(x, end)
			x = end
		}
	}
}

func down(x int32) int32 { return x &^ (Cell - 1) }

func up(x int32) int32 { return (x + Cell - 1) &^ (Cell - 1) }

// cover draws the pixels [x0, x1) with 255 above all else.
func (r *row) cover(x0, x1 int32) {
	if x0 < x1 {
		r.hasDirect = true
		for p := r.direct[x0-r.left : x1-r.left]; len(p) > 0; p = p[1:] {
			p[0] = 255
		}
	}
}

// cellBytes stores the cells of [x0, x1) that are not empty, and empties them.
func (r *row) cellBytes(x0, x1 int32) {
	if x0 >= x1 {
		return
	}
	from := r.layer(x0, x1)
	if !r.hasDirect && !r.masked {
		for i, a := range from {
			from[i] = snapped[a]
		}
	}
	for i := 0; i < len(from); {
		if empty(from[i:]) {
			i += Cell
			continue
		}
		n := Cell
		for i+n < len(from) && !empty(from[i+n:]) {
			n += Cell
		}
		r.emit(x0+int32(i), from[i:i+n])
		i += n
	}
}

// empty reports whether the next cell is 0.
func empty(b []byte) bool {
	return binary.NativeEndian.Uint64(b)|binary.NativeEndian.Uint64(b[8:]) == 0
}
