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

// markCells marks every cell, a group of Cell columns, that has one of the columns [x0, x1) as possibly not
// empty, so that finishCells looks at it. x0 < x1. row.marks has a bit for each cell, 64 to a word.
func (row *row) markCells(x0, x1 int32) {
	row.layered = true
	first, last := uint32(x0-row.left)/Cell, uint32(x1-1-row.left)/Cell
	row.marks[first>>6] |= 1 << (first & 63)
	row.marks[last>>6] |= 1 << (last & 63)
	for c := first + 1; c < last; c++ { // few: the usual span begins and ends in the same cell
		row.marks[c>>6] |= 1 << (c & 63)
	}
}

// addRunCells adds alpha to all pixels of the columns [x0, x1), which are whole cells. It only records
// where the alpha rises and where it falls again, which costs the same for a run of any length; finishCells sums
// these changes up.
func (row *row) addRunCells(x0, x1, alpha int32) {
	row.layered = true
	first, end := (x0-row.left)/Cell, (x1-row.left)/Cell
	row.marks[first>>6] |= 1 << (first & 63)
	row.marks[end>>6] |= 1 << (end & 63)
	row.riseBy[first] += alpha
	row.riseBy[end] -= alpha
}

// finishCells stores the coverage of a pixel row that is kept in cells as spans, and clears the row.
// It visits only marked cells: between two of them the alpha of runs is the same, so these cells are
// stored without a look at the layers. Cells that runs fill with 255 become Full spans. The cell where the
// last run ends is marked, so that nothing is open after the loop.
func (row *row) finishCells() {
	var (
		level int32            // alpha of all runs over the current cell
		next  = int32(0)       // first cell that is not stored yet
		full  = int32(nowhere) // column where the current Full span begins
	)
	for i, set := range row.marks {
		if set == 0 {
			continue
		}
		row.marks[i] = 0
		for ; set != 0; set &= set - 1 { // drops the lowest bit
			c := int32(i<<6 + bits.TrailingZeros64(set))
			x := row.left + c*Cell
			if level > 0 && level < 255 { // the cells since the last marked one, all of this alpha
				row.storeLevelCells(row.left+next*Cell, x, byte(level))
			}
			next = c + 1
			level += row.riseBy[c]
			row.riseBy[c] = 0
			if level >= 255 {
				row.clearCell(x)
				if full == nowhere {
					full = x
				}
				continue
			}
			if full != nowhere {
				row.storeFullCells(full, x)
				full = nowhere
			}
			row.storeCell(x, uint64(level)*everyByte)
		}
	}
}

// storeLevelCells stores one alpha, level after end snapping, for all pixels of the cells [x0, x1), which
// may be none.
func (row *row) storeLevelCells(x0, x1 int32, level byte) {
	if x0 >= x1 {
		return
	}
	level = snapped[level]
	pixels := row.openCells(x0, x1)[:x1-x0]
	for i := range pixels {
		pixels[i] = level
	}
}

// storeFullCells stores the cells [x0, x1) as one Full span. The span of cells before it ends there.
func (row *row) storeFullCells(x0, x1 int32) {
	row.closeCells()
	row.dst.Spans = append(row.dst.Spans, Span{X: x0, Y: row.y, Width: x1 - x0, FirstByte: Full})
}

// clearCell empties both layers of the cell that begins at column x.
func (row *row) clearCell(x int32) {
	i := x - row.left
	clear(row.sums[i : i+Cell])
	clear(row.direct[i : i+Cell])
}

// storeCell stores the coverage of the cell that begins at column x, if it has any, and empties the cell in both
// layers. Each byte of level is the alpha of the runs here. It is added to the sums; values near 0 and 255 are
// snapped to these, but not in a small mask; the result is blended over the direct layer. The 16 pixels are two words.
func (row *row) storeCell(x int32, level uint64) {
	i := x - row.left
	s := row.sums[i : i+Cell]
	lo, hi := addWord(loadWord(s), level), addWord(loadWord(s[8:]), level)
	storeWord(s, 0)
	storeWord(s[8:], 0)
	if !row.inSmallMask {
		lo, hi = snapWord(lo), snapWord(hi)
	}
	if row.hasDirect {
		d := row.direct[i : i+Cell]
		lo, hi = overWord(loadWord(d), lo), overWord(loadWord(d[8:]), hi)
		storeWord(d, 0)
		storeWord(d[8:], 0)
	}
	if lo|hi != 0 {
		p := row.openCells(x, x+Cell)
		storeWord(p, lo)
		storeWord(p[8:], hi)
	}
}

// openCells returns the bytes of the coverage from column x on, for the caller to write pixels [x, end). The
// open span, the last one of the coverage, is extended to hold the cells of these pixels; if there is a gap
// before them, it ends, and another one begins. The pixels must not lie left of the start of the open span. New
// bytes are 0. The caller may also write to the Cell bytes after the last, which do not belong to the span, so
// that it can write whole words.
func (row *row) openCells(x, end int32) []byte {
	dst := row.dst
	if first := cellFloor(x); first > row.openEnd {
		row.closeCells()
		row.openX, row.openEnd, row.openAt = first, first, len(dst.Bytes)
	}
	n := len(dst.Bytes)
	more := int(max(cellCeil(end)-row.openEnd, 0))
	row.openEnd += int32(more)
	if cap(dst.Bytes)-n < more+4*Cell { // room for the 32 bytes cleared below and what callers write after them
		dst.Bytes = slices.Grow(dst.Bytes, more+64*Cell)
	}
	dst.Bytes = dst.Bytes[:n+more]
	p := dst.Bytes[n : n+2*Cell] // four stores, enough for most spans, are faster than clear
	storeWord(p, 0)
	storeWord(p[8:], 0)
	storeWord(p[16:], 0)
	storeWord(p[24:], 0)
	if more > 2*Cell {
		clear(dst.Bytes[n:])
	}
	return dst.Bytes[row.openAt+int(x-row.openX) : n+more+Cell]
}

// closeCells ends the open span of cells and appends it to the coverage; it does nothing if none is
// open. A span whose place in the bytes does not fit Span.FirstByte is dropped, as in appendSpan.
func (row *row) closeCells() {
	if row.openEnd == nowhere {
		return
	}
	dst := row.dst
	if len(dst.Bytes) <= math.MaxInt32 { // always: callers bound the bytes far below
		dst.Spans = append(dst.Spans, Span{X: row.openX, Y: row.y, Width: row.openEnd - row.openX, FirstByte: int32(row.openAt)})
	} else {
		dst.Bytes = dst.Bytes[:row.openAt]
	}
	row.openEnd = nowhere
}
