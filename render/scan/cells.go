package scan

import (
	"math"
	"math/bits"
	"slices"
)

// Cell is the width in px of the cells that Rule.Cells asks for.
const Cell = 16

// cellFloor rounds a column down to the start of its cell.
func cellFloor(x int32) int32 { return x &^ (Cell - 1) }

// cellCeil rounds a column up to the start of a cell.
func cellCeil(x int32) int32 { return (x + Cell - 1) &^ (Cell - 1) }

// markCells marks the cells of the columns [x0, x1) as possibly changed.
func (r *row) markCells(x0, x1 int32) {
	r.layered = true
	first, last := uint32(x0-r.left)/Cell, uint32(x1-1-r.left)/Cell
	r.marks[first>>6] |= 1 << (first & 63)
	r.marks[last>>6] |= 1 << (last & 63)
	for c := first + 1; c < last; c++ {
		r.marks[c>>6] |= 1 << (c & 63)
	}
}

// addRunCells adds alpha to the whole cells of the columns [x0, x1).
func (r *row) addRunCells(x0, x1, alpha int32) {
	r.layered = true
	a, b := (x0-r.left)/Cell, (x1-r.left)/Cell
	r.marks[a>>6] |= 1 << (a & 63)
	r.marks[b>>6] |= 1 << (b & 63)
	r.riseBy[a] += alpha
	r.riseBy[b] -= alpha
}

// finishCells stores the coverage of a wide pixel row, whose columns are grouped into cells of
// eight, as spans and clears it.
func (r *row) finishCells() {
	var (
		level int32            // of the runs
		next  = int32(0)       // first cell that is not stored yet
		full  = int32(nowhere) // where cells that are 255 throughout begin
	)
	for i, set := range r.marks {
		if set == 0 {
			continue
		}
		r.marks[i] = 0
		for ; set != 0; set &= set - 1 {
			c := int32(i<<6 + bits.TrailingZeros64(set))
			x := r.left + c*Cell
			if level > 0 && level < 255 {
				r.levelCells(r.left+next*Cell, x, byte(level))
			}
			next = c + 1
			level += r.riseBy[c]
			r.riseBy[c] = 0
			if level >= 255 {
				r.clearCell(x)
				if full == nowhere {
					full = x
				}
				continue
			}
			if full != nowhere {
				r.fullCells(full, x)
				full = nowhere
			}
			r.storeCell(x, uint64(level)*everyByte)
		}
	}
}

// levelCells stores the cells [x0, x1), all of one alpha.
func (r *row) levelCells(x0, x1 int32, level byte) {
	if x0 >= x1 {
		return
	}
	level = snapped[level]
	for p := r.openCells(x0, x1)[:x1-x0]; len(p) > 0; p = p[1:] {
		p[0] = level
	}
}

// fullCells stores the cells [x0, x1) as 255.
func (r *row) fullCells(x0, x1 int32) {
	r.closeCells()
	r.dst.Spans = append(r.dst.Spans, Span{X: x0, Y: r.y, N: x1 - x0, At: Full})
}

// clearCell clears the cell at column x.
func (r *row) clearCell(x int32) {
	i := x - r.left
	clear(r.sums[i : i+Cell])
	clear(r.direct[i : i+Cell])
}

// storeCell adds level, the alpha of runs in every byte, to the cell at column x, stores it
// unless it is empty, and clears it.
func (r *row) storeCell(x int32, level uint64) {
	i := x - r.left
	s := r.sums[i : i+Cell]
	lo, hi := addWord(load(s), level), addWord(load(s[8:]), level)
	store(s, 0)
	store(s[8:], 0)
	if !r.masked {
		lo, hi = snapWord(lo), snapWord(hi)
	}
	if r.hasDirect {
		d := r.direct[i : i+Cell]
		lo, hi = overWord(load(d), lo), overWord(load(d[8:]), hi)
		store(d, 0)
		store(d[8:], 0)
	}
	if lo|hi != 0 {
		p := r.openCells(x, x+Cell)
		store(p, lo)
		store(p[8:], hi)
	}
}

// openCells extends the open span to the cells of the pixels [x, end), right of all that is stored
// of the row, and returns their bytes from x on. New bytes are 0; the caller may also write to 16
// bytes behind them.
func (r *row) openCells(x, end int32) []byte {
	dst := r.dst
	if first := cellFloor(x); first > r.openEnd {
		r.closeCells()
		r.openX, r.openEnd, r.openAt = first, first, len(dst.Bytes)
	}
	n := len(dst.Bytes)
	more := int(max(cellCeil(end)-r.openEnd, 0))
	r.openEnd += int32(more)
	if cap(dst.Bytes)-n < more+4*Cell {
		dst.Bytes = slices.Grow(dst.Bytes, more+64*Cell)
	}
	dst.Bytes = dst.Bytes[:n+more]
	p := dst.Bytes[n : n+2*Cell] // enough for most spans
	store(p, 0)
	store(p[8:], 0)
	store(p[16:], 0)
	store(p[24:], 0)
	if more > 2*Cell {
		clear(dst.Bytes[n:])
	}
	return dst.Bytes[r.openAt+int(x-r.openX) : n+more+Cell]
}

// closeCells ends the open span of cells in the coverage of the row.
func (r *row) closeCells() {
	if r.openEnd == nowhere {
		return
	}
	dst := r.dst
	if len(dst.Bytes) <= math.MaxInt32 { // no canvas has so many boundary pixels
		dst.Spans = append(dst.Spans, Span{X: r.openX, Y: r.y, N: r.openEnd - r.openX, At: int32(r.openAt)})
	} else {
		dst.Bytes = dst.Bytes[:r.openAt]
	}
	r.openEnd = nowhere
}
