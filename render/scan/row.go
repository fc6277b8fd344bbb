package scan

import (
	"math"
	"slices"
)

// longRun is the least length in px at which a run of 255 becomes a Full span.
const longRun = 16

// nearby is the largest gap in px across which two touched extents of a row are joined.
const nearby = 8

// row accumulates the coverage of one pixel row. It has two layers: the sums of trapezoids, and
// direct spans, over which the sums are blended in the end. Long runs are stored as intervals,
// not bytes. See docs/spec/raster.md#r21.
type row struct {
	dst    *Coverage
	y      int32
	left   int32  // column of the first byte of both layers
	sums   []byte // added with saturation; always 0 between rows
	direct []byte // drawn over each other; always 0 between rows
	// Of a row in cells: a bit for each cell that may not be empty, and the change of alpha
	// where runs of whole cells begin and end; always 0 between rows.
	marks  []uint64
	riseBy []int32

	inCells     bool // spans begin and end between cells of Cell px, as Rule.Cells asks
	noEndSnap   bool // for tests of rows in pixels: no end snapping
	inSmallMask bool // sums are a small mask: no direct layer, no end snapping
	inWords     bool // in cells, but no small mask: drawn eight pixels at a time
	sumsOnly    bool // a concave path has no direct spans: all is added to the sums
	pairRule    bool // the two-pixel rule holds

	layered            bool // the layers may hold something
	hasSums, hasDirect bool
	extents            []extent // what was touched, in order and apart
	cursor             int      // extent that was touched last
	runs               []run
	alphaChanges       []alphaChange
	full               []extent
	wedge, spareWedge  []byte // scratch of one trapezoid

	storedEnd   int32 // after the last column of trapezoids that were stored at once, or nowhere
	firstStored int   // first span that was stored at once
	openX       int32 // column of the open cells
	openEnd     int32 // after the open cells, or nowhere if none are
	openAt      int   // their place in the bytes
	// onPairPixel is Scanner.OnPairPixel.
	onPairPixel func(x, y int32, a byte)
}

// extent is the columns [x0, x1).
type extent struct{ x0, x1 int32 }

// run is a range of columns with one alpha, which is added to the sums; 255 replaces them.
type run struct {
	x0, x1 int32
	alpha  int32
}

// alphaChange is a column x from which on the sum of runs is larger by alpha, which may be negative.
type alphaChange struct{ x, alpha int32 }

// snapZero is the least alpha that end snapping keeps.
const snapZero = 8

// snapped maps alphas below snapZero to 0 and those above 247 to 255.
var snapped = func() (t [256]byte) {
	for a := range t {
		switch {
		case a > 247:
			t[a] = 255
		case a >= snapZero:
			t[a] = byte(a)
		}
	}
	return t
}()

// beginPath prepares the row for a path: the switches that its rule sets, and layers wide enough for
// the columns between the path's bounds. With cells the row begins and ends between cells.
func (row *row) beginPath(dst *Coverage, fill *pathFill) {
	row.dst, row.storedEnd, row.openEnd = dst, nowhere, nowhere
	row.inSmallMask, row.sumsOnly = fill.inSmallMask, fill.rule.Clip
	// The browser draws a path that reaches beyond the left or right side of the clip without the two-pixel rule.
	row.pairRule = !fill.rule.Plain && !fill.rule.Clip && fill.lo.X >= float32(fill.clip.X0) && fill.hi.X <= float32(fill.clip.X1)
	left, right := fill.bounds()
	row.left = int32(left >> 16)
	n := int(right>>16) - int(row.left) // columns
	row.inCells = fill.rule.Cells
	if row.inCells {
		row.left = cellFloor(row.left)
		n = (int(right>>16) - int(row.left) + Cell - 1) &^ (Cell - 1)
	}
	row.inWords = row.inCells && !row.inSmallMask
	if n > len(row.wedge) {
		row.sums, row.direct = make([]byte, n+Cell), make([]byte, n+Cell) // words, and runs, end beyond
		row.marks, row.riseBy = make([]uint64, n/Cell/64+1), make([]int32, n/Cell+1)
		row.wedge, row.spareWedge = make([]byte, n), make([]byte, n)
	}
}

// markTouched records that the columns [x0, x1) of the layers may hold something, so that finishRow stores them.
// A row in cells marks its cells. Any other row keeps a sorted list of extents, which are ranges of columns with
// gaps of more than nearby px between them: the columns become another extent, or are joined with the extents
// that are close. The search begins at row.cursor, the extent touched last.
func (row *row) markTouched(x0, x1 int32) {
	if row.inCells {
		row.markCells(x0, x1)
		return
	}
	row.layered = true
	if i := row.cursor; i < len(row.extents) { // the usual case: the same extent again
		if e := &row.extents[i]; x0 >= e.x0 && x1 <= e.x1 {
			return
		}
	}
	i := min(row.cursor, len(row.extents))
	for i > 0 && row.extents[i-1].x1+nearby >= x0 {
		i--
	}
	for i < len(row.extents) && row.extents[i].x1+nearby < x0 {
		i++
	}
	row.cursor = i
	// Extent i is the first one that does not end well before x0.
	if i == len(row.extents) {
		row.extents = append(row.extents, extent{x0, x1})
		return
	}
	e := &row.extents[i]
	if e.x0 > x1+nearby { // none is close
		row.extents = slices.Insert(row.extents, i, extent{x0, x1})
		return
	}
	e.x0, e.x1 = min(e.x0, x0), max(e.x1, x1)
	for i+1 < len(row.extents) && row.extents[i+1].x0 <= e.x1+nearby {
		e.x1 = max(e.x1, row.extents[i+1].x1)
		row.extents = slices.Delete(row.extents, i+1, i+2)
	}
}

// beginStrip starts another strip of the same row, whose spans begin at the left again.
func (row *row) beginStrip() { row.cursor = 0 }

// Over returns the alpha after coverage a of an opaque colour is drawn on alpha d, all in
// 1/255. See docs/spec/raster.md#r25.
func Over(d, a byte) byte { return a + byte(uint32(d)*(256-uint32(a))>>8) }

// OverTwo is Over by the two-pixel rule: the browser's formula for pixels that it draws in pairs adds both
// products before it rounds the sum down. See docs/spec/raster.md#r22.
func OverTwo(d, a byte) byte {
	scale := uint32(a) + uint32(a>>7)
	return byte((255*scale + uint32(d)*(256-scale)) >> 8)
}

// addSaturated adds a to a byte of sums, at most 255.
func addSaturated(p *byte, a byte) { *p = byte(min(uint32(*p)+uint32(a), 255)) }

// drawPixel draws the border of a span that is one pixel wide, in column x. If direct, a is the alpha,
// which is blended into the direct layer, or overwrites the pixel of a small mask. Else stripAlpha/256 of a, where
// stripAlpha stands for the height of the strip, is added to the sums.
func (row *row) drawPixel(x int32, a byte, stripAlpha int32, direct bool) {
	i := x - row.left
	switch {
	case !direct:
		row.hasSums = true
		addSaturated(&row.sums[i], byte(int32(a)*stripAlpha>>8))
	case row.inSmallMask:
		row.hasSums = true
		row.sums[i] = a
	default:
		row.hasDirect = true
		row.direct[i] = Over(row.direct[i], a)
	}
}

// drawPair draws the border of a span that is two pixels wide: alpha a in column x, b in the next. They are
// added to the sums unless direct, and always in a small mask. If direct, they are blended: the browser draws
// these two pixels in one step and rounds in another way than elsewhere, where row.pairRule says so. Then both are
// reported to row.onPairPixel. See docs/spec/raster.md#r22.
func (row *row) drawPair(x int32, a, b byte, direct bool) {
	i := x - row.left
	if !direct || row.inSmallMask {
		row.hasSums = true
		addSaturated(&row.sums[i], a)
		addSaturated(&row.sums[i+1], b)
		return
	}
	row.hasDirect = true
	p := row.direct[i : i+2]
	if row.pairRule {
		if row.onPairPixel != nil {
			row.onPairPixel(x, row.y, a)
			row.onPairPixel(x+1, row.y, b)
		}
		p[0], p[1] = OverTwo(p[0], a), OverTwo(p[1], b)
	} else {
		p[0], p[1] = Over(p[0], a), Over(p[1], b)
	}
}

// drawWedge draws the border of a span that is three pixels wide or more: one alpha per column from x on. If
// direct they are blended into the direct layer. Otherwise, and always in a small mask, they are added to the sums.
func (row *row) drawWedge(x int32, alphas []byte, direct bool) {
	i := int(x - row.left)
	if !direct || row.inSmallMask {
		row.hasSums = true
		p := row.sums[i : i+len(alphas)]
		for k, a := range alphas {
			addSaturated(&p[k], a)
		}
		return
	}
	row.hasDirect = true
	p := row.direct[i : i+len(alphas)]
	for k, a := range alphas {
		p[k] = Over(p[k], a)
	}
}

// drawInterior draws the pixels [x0, x1) that a trapezoid covers over the whole height of its strip.
// stripAlpha is the alpha of such a pixel: 255 times the strip's height in px. With direct the strip fills
// the whole row of pixels, so that the alpha is 255. A long stretch is kept as a run, not as pixels:
// as an interval, or, in a row that is divided into cells, as the whole cells that it covers. What
// remains is drawn pixel by pixel, and so is everything in a small mask.
func (row *row) drawInterior(x0, x1, stripAlpha int32, direct bool) {
	if row.inSmallMask || x1-x0 < longRun {
		row.fillLevel(x0, x1, stripAlpha, direct)
		return
	}
	if direct {
		stripAlpha = 255
	}
	if !row.inCells {
		row.runs = append(row.runs, run{x0, x1, stripAlpha})
		return
	}
	cells0, cells1 := cellCeil(x0), cellFloor(x1) // the whole cells
	if cells0 >= cells1 {
		row.fillLevel(x0, x1, stripAlpha, direct)
		return
	}
	row.fillLevel(x0, cells0, stripAlpha, direct)
	row.addRunCells(cells0, cells1, stripAlpha)
	row.fillLevel(cells1, x1, stripAlpha, direct)
}

// fillLevel draws the pixels [x0, x1) of a row one by one. With direct they are covered wholly, and it sets them
// to 255 in the direct layer. Otherwise, and always in a small mask, it adds stripAlpha to their sums.
func (row *row) fillLevel(x0, x1, stripAlpha int32, direct bool) {
	if !direct || row.inSmallMask {
		row.hasSums = true
		p := row.sums[x0-row.left : x1-row.left]
		for k := range p {
			addSaturated(&p[k], byte(stripAlpha))
		}
		return
	}
	row.hasDirect = true
	p := row.direct[x0-row.left : x1-row.left]
	for k := range p {
		p[k] = 255
	}
}

// setMaskPixel overwrites a pixel of a small mask, unless a is 0.
func (row *row) setMaskPixel(x int32, a byte) {
	if a != 0 {
		row.hasSums = true
		row.sums[x-row.left] = a
	}
}

// nextRow stores the row as spans, empties it and makes it row y.
func (row *row) nextRow(y int32) {
	row.finishRow()
	row.y = y
}

// finishRow stores the coverage of the pixel row as spans and empties the row. Spans that were stored at
// once, without the layers, are there already; only the last span of cells may still be open.
func (row *row) finishRow() {
	if row.layered {
		if row.inCells {
			row.finishCells()
		} else {
			row.finishPixels(row.fullRuns())
		}
		row.extents, row.runs = row.extents[:0], row.runs[:0]
		row.layered, row.hasSums, row.hasDirect = false, false, false
	}
	row.closeCells()
	row.cursor, row.storedEnd = 0, nowhere
}

// finishPixels stores a row that is not in cells. The parts of each touched extent that are listed in full, from
// left to right, become Full spans, and the rest spans with bytes.
func (row *row) finishPixels(full []extent) {
	for _, extent := range row.extents {
		x := extent.x0
		for len(full) > 0 && full[0].x0 < extent.x1 {
			if x < full[0].x0 {
				row.storeBytes(x, full[0].x0)
			}
			row.storeFullSpan(full[0])
			x, full = full[0].x1, full[1:]
		}
		if x < extent.x1 {
			row.storeBytes(x, extent.x1)
		}
	}
}

// fullRuns returns the extents that runs alone fill with 255 and that are at least longRun px long,
// from left to right. Other runs are added to the sums. It sweeps over the columns where runs begin
// and end, with the sum of the runs there.
func (row *row) fullRuns() []extent {
	row.full = row.full[:0]
	if len(row.runs) == 0 {
		return nil
	}
	// The usual case: opaque runs that do not overlap.
	if opaqueInOrder(row.runs) {
		for _, u := range row.runs {
			row.full = append(row.full, extent{u.x0, u.x1})
		}
		return row.full
	}
	row.alphaChanges = row.alphaChanges[:0]
	for _, u := range row.runs {
		row.alphaChanges = append(row.alphaChanges, alphaChange{u.x0, u.alpha}, alphaChange{u.x1, -u.alpha})
	}
	sortByColumn(row.alphaChanges)
	var alpha, from int32 // alpha of the columns from `from` to the next change
	open := false         // row.full has an extent, which grows if it ends at from
	for _, e := range row.alphaChanges {
		if e.x > from && alpha > 0 {
			if alpha >= 255 {
				if open && row.full[len(row.full)-1].x1 == from {
					row.full[len(row.full)-1].x1 = e.x
				} else {
					row.full = append(row.full, extent{from, e.x})
				}
				open = true
			} else {
				row.hasSums = true
				sums := row.sums[from-row.left : e.x-row.left]
				for i := range sums {
					addSaturated(&sums[i], byte(alpha))
				}
			}
		}
		alpha, from = alpha+e.alpha, e.x
	}
	row.dropShortRuns()
	return row.full
}

// sortByColumn sorts changes of alpha by x. Most rows have few, nearly in order, for which insertion sort
// is faster.
func sortByColumn(e []alphaChange) {
	if len(e) > 64 {
		slices.SortFunc(e, func(a, b alphaChange) int { return int(a.x) - int(b.x) })
		return
	}
	for i := 1; i < len(e); i++ {
		v, k := e[i], i
		for ; k > 0 && e[k-1].x > v.x; k-- {
			e[k] = e[k-1]
		}
		e[k] = v
	}
}

// dropShortRuns removes the extents of row.full that are shorter than longRun, and sets the sums there
// to 255 instead.
func (row *row) dropShortRuns() {
	kept := row.full[:0]
	for _, extent := range row.full {
		if extent.x1-extent.x0 >= longRun {
			kept = append(kept, extent)
			continue
		}
		row.hasSums = true
		sums := row.sums[extent.x0-row.left : extent.x1-row.left]
		for i := range sums {
			sums[i] = 255
		}
	}
	row.full = kept
}

// opaqueInOrder reports whether all runs are 255, sorted and disjoint.
func opaqueInOrder(runs []run) bool {
	last := int32(math.MinInt32)
	for _, run := range runs {
		if run.alpha < 255 || run.x0 < last {
			return false
		}
		last = run.x1
	}
	return true
}

// storeFullSpan stores the columns of extent as a Full span and clears both layers there, whatever they hold.
func (row *row) storeFullSpan(extent extent) {
	row.dst.Spans = append(row.dst.Spans, Span{X: extent.x0, Y: row.y, Width: extent.x1 - extent.x0, FirstByte: Full})
	if row.hasSums {
		clear(row.sums[extent.x0-row.left : extent.x1-row.left])
	}
	if row.hasDirect {
		clear(row.direct[extent.x0-row.left : extent.x1-row.left])
	}
}

// mergeLayers returns the pixels [x0, x1) of both layers as one. The sums, with values near 0 and 255 snapped to
// these, are blended over the direct layer, in whose memory the result is; the sums are cleared. If the row has
// no direct spans, the result is the sums themselves, which the caller must still snap.
func (row *row) mergeLayers(x0, x1 int32) []byte {
	sums, direct := row.sums[x0-row.left:x1-row.left], row.direct[x0-row.left:x1-row.left]
	if !row.hasDirect {
		return sums
	}
	if row.hasSums {
		for i, a := range sums {
			if !row.noEndSnap {
				a = snapped[a]
			}
			direct[i] = Over(direct[i], a)
			sums[i] = 0
		}
	}
	return direct
}

// storeBytes stores the pixels [x0, x1) of both layers as a span, without zeros at the ends, and
// clears both layers there. Where the row has sums alone they are snapped on the way.
func (row *row) storeBytes(x0, x1 int32) {
	from := row.mergeLayers(x0, x1)
	i, n := 0, len(from)
	if row.hasDirect || row.inSmallMask || row.noEndSnap {
		// Values that are final already: only trim the zeros.
		for n > 0 && from[n-1] == 0 {
			n--
		}
		for i < n && from[i] == 0 {
			i++
		}
		row.appendSpan(x0+int32(i), from[i:n])
		return
	}
	// Sums alone: what snaps to 0 counts as 0.
	for n > 0 && from[n-1] < snapZero {
		n--
		from[n] = 0
	}
	for i < n && from[i] < snapZero {
		from[i] = 0
		i++
	}
	at := len(row.dst.Bytes)
	row.appendSpan(x0+int32(i), from[i:n])
	out := row.dst.Bytes[at:]
	for i, a := range out {
		out[i] = snapped[a]
	}
}

// appendSpan appends a span of the coverage bytes from, beginning in column x of the current row, and
// clears these bytes; no bytes make no span. The bytes of one drawing must stay below 2 GiB, so that
// their places fit Span.FirstByte: callers bound them far below that. Beyond it the span would be dropped.
func (row *row) appendSpan(x int32, from []byte) {
	at := len(row.dst.Bytes)
	if len(from) > 0 && at <= math.MaxInt32-len(from) {
		row.dst.Bytes = append(row.dst.Bytes, from...)
		row.dst.Spans = append(row.dst.Spans, Span{X: x, Y: row.y, Width: int32(len(from)), FirstByte: int32(at)})
	}
	clear(from)
}
