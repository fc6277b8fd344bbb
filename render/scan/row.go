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

	cells   bool // spans begin and end between cells
	plain   bool // for tests of rows in pixels: no end snapping
	masked  bool // sums are a small mask: no direct layer, no end snapping
	words   bool // in cells, but no small mask: drawn eight pixels at a time
	summed  bool // concave paths have no direct spans
	twoRule bool // the two-pixel rule holds

	layered            bool // the layers may hold something
	hasSums, hasDirect bool
	extents            []extent // what was touched, in order and apart
	cursor             int      // extent that was touched last
	runs               []run
	events             []event
	full               []extent
	wedge, beyond      []byte // scratch of one trapezoid

	storedX    int32 // behind the last column of trapezoids that were stored at once, or nowhere
	storedSpan int   // first span that was stored at once
	openX      int32 // column of the open cells
	openEnd    int32 // behind the open cells, or nowhere if none are
	openAt     int   // their place in the bytes
	// trace is Scanner.Pairs.
	trace func(x, y int32, a byte)
}

// extent is the columns [x0, x1).
type extent struct{ x0, x1 int32 }

// run is a range of columns with one alpha, which is added to the sums; 255 replaces them.
type run struct {
	x0, x1 int32
	alpha  int32
}

// event is a column where the sum of runs changes by alpha.
type event struct{ x, alpha int32 }

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

// begin prepares the row for a path: the switches that its rule sets, and layers wide enough for
// the columns between the path's bounds. With cells the row begins and ends between cells.
func (r *row) begin(dst *Coverage, f *fill) {
	r.dst, r.storedX, r.openEnd = dst, nowhere, nowhere
	r.masked, r.summed = f.masked, f.rule.Clip
	r.twoRule = !f.rule.Plain && !f.rule.Clip && f.lo.X >= float32(f.clip.X0) && f.hi.X <= float32(f.clip.X1)
	left, right := f.bounds()
	r.left = int32(left >> 16)
	n := int(right>>16) - int(r.left) // columns
	r.cells = f.rule.Cells
	if r.cells {
		r.left = cellFloor(r.left)
		n = (int(right>>16) - int(r.left) + Cell - 1) &^ (Cell - 1)
	}
	r.words = r.cells && !r.masked
	if n > len(r.wedge) {
		r.sums, r.direct = make([]byte, n+Cell), make([]byte, n+Cell) // words, and runs, end beyond
		r.marks, r.riseBy = make([]uint64, n/Cell/64+1), make([]int32, n/Cell+1)
		r.wedge, r.beyond = make([]byte, n), make([]byte, n)
	}
}

// markTouched records that the columns [x0, x1) of the layers may hold something, so that finish
// stores them. A row in cells marks its cells; else r.extents, which is sorted and has gaps of more
// than nearby px, gets an extent, or the extents close to the columns are joined with them.
func (r *row) markTouched(x0, x1 int32) {
	if r.cells {
		r.markCells(x0, x1)
		return
	}
	r.layered = true
	if i := r.cursor; i < len(r.extents) { // the usual case: the same extent again
		if e := &r.extents[i]; x0 >= e.x0 && x1 <= e.x1 {
			return
		}
	}
	i := min(r.cursor, len(r.extents))
	for i > 0 && r.extents[i-1].x1+nearby >= x0 {
		i--
	}
	for i < len(r.extents) && r.extents[i].x1+nearby < x0 {
		i++
	}
	r.cursor = i
	// Extent i is the first one that does not end well before x0.
	if i == len(r.extents) {
		r.extents = append(r.extents, extent{x0, x1})
		return
	}
	e := &r.extents[i]
	if e.x0 > x1+nearby { // none is close
		r.extents = slices.Insert(r.extents, i, extent{x0, x1})
		return
	}
	e.x0, e.x1 = min(e.x0, x0), max(e.x1, x1)
	for i+1 < len(r.extents) && r.extents[i+1].x0 <= e.x1+nearby {
		e.x1 = max(e.x1, r.extents[i+1].x1)
		r.extents = slices.Delete(r.extents, i+1, i+2)
	}
}

// beginStrip starts another strip of the same row, whose spans begin at the left again.
func (r *row) beginStrip() { r.cursor = 0 }

// Over returns the alpha after coverage a of an opaque colour is drawn on alpha d, all in
// 1/255. See docs/spec/raster.md#r25.
func Over(d, a byte) byte { return a + byte(uint32(d)*(256-uint32(a))>>8) }

// OverTwo is Over by the two-pixel rule. See docs/spec/raster.md#r22.
func OverTwo(d, a byte) byte {
	scale := uint32(a) + uint32(a>>7)
	return byte((255*scale + uint32(d)*(256-scale)) >> 8)
}

// addSaturated adds a to a byte of sums, at most 255.
func addSaturated(p *byte, a byte) { *p = byte(min(uint32(*p)+uint32(a), 255)) }

// drawPixel draws the border of a span that is one pixel wide, in column x. If direct, a is the alpha,
// which is blended into the direct layer, or overwrites the pixel of a small mask. Else a is scaled
// by the height of the strip, full in 1/256, and added to the sums.
func (r *row) drawPixel(x int32, a byte, full int32, direct bool) {
	i := x - r.left
	switch {
	case !direct:
		r.hasSums = true
		addSaturated(&r.sums[i], byte(int32(a)*full>>8))
	case r.masked:
		r.hasSums = true
		r.sums[i] = a
	default:
		r.hasDirect = true
		r.direct[i] = Over(r.direct[i], a)
	}
}

// drawPair draws the border of a span that is two pixels wide: alpha a in column x, b in the next.
// They are added to the sums unless direct; then they are blended, by the two-pixel rule where it
// holds (docs/spec/raster.md#r22), and reported to trace in that case.
func (r *row) drawPair(x int32, a, b byte, direct bool) {
	i := x - r.left
	if !direct || r.masked {
		r.hasSums = true
		addSaturated(&r.sums[i], a)
		addSaturated(&r.sums[i+1], b)
		return
	}
	r.hasDirect = true
	p := r.direct[i : i+2]
	if r.twoRule {
		if r.trace != nil {
			r.trace(x, r.y, a)
			r.trace(x+1, r.y, b)
		}
		p[0], p[1] = OverTwo(p[0], a), OverTwo(p[1], b)
	} else {
		p[0], p[1] = Over(p[0], a), Over(p[1], b)
	}
}

// drawWedge draws the border of a span that is three pixels wide or more: one alpha per column from
// x on. They are added to the sums unless direct; then they are blended.
func (r *row) drawWedge(x int32, alphas []byte, direct bool) {
	i := int(x - r.left)
	if !direct || r.masked {
		r.hasSums = true
		p := r.sums[i : i+len(alphas)]
		for k, a := range alphas {
			addSaturated(&p[k], a)
		}
		return
	}
	r.hasDirect = true
	p := r.direct[i : i+len(alphas)]
	for k, a := range alphas {
		p[k] = Over(p[k], a)
	}
}

// drawInterior draws the pixels [x0, x1) that a trapezoid covers over the whole height of its strip.
// full is the alpha of such a pixel: 255 times the strip's height in px. With direct the strip fills
// the whole row of pixels, so that the alpha is 255. A long stretch is kept as a run, not as pixels:
// as an interval, or, in a row that is divided into cells, as the whole cells that it covers. What
// remains is drawn pixel by pixel, and so is everything in a small mask.
func (r *row) drawInterior(x0, x1, full int32, direct bool) {
	if r.masked || x1-x0 < longRun {
		r.fillLevel(x0, x1, full, direct)
		return
	}
	if direct {
		full = 255
	}
	if !r.cells {
		r.runs = append(r.runs, run{x0, x1, full})
		return
	}
	cells0, cells1 := cellCeil(x0), cellFloor(x1) // the whole cells
	if cells0 >= cells1 {
		r.fillLevel(x0, x1, full, direct)
		return
	}
	r.fillLevel(x0, cells0, full, direct)
	r.addRunCells(cells0, cells1, full)
	r.fillLevel(cells1, x1, full, direct)
}

// fillLevel draws the pixels [x0, x1) of a row one by one. With direct it sets them to 255 in the
// direct layer. Otherwise, and always in a small mask, it adds the alpha full to their sums.
func (r *row) fillLevel(x0, x1, full int32, direct bool) {
	if !direct || r.masked {
		r.hasSums = true
		p := r.sums[x0-r.left : x1-r.left]
		for k := range p {
			addSaturated(&p[k], byte(full))
		}
		return
	}
	r.hasDirect = true
	p := r.direct[x0-r.left : x1-r.left]
	for k := range p {
		p[k] = 255
	}
}

// setMaskPixel overwrites a pixel of a small mask, unless a is 0.
func (r *row) setMaskPixel(x int32, a byte) {
	if a != 0 {
		r.hasSums = true
		r.sums[x-r.left] = a
	}
}

// nextRow stores the row as spans, empties it and makes it row y.
func (r *row) nextRow(y int32) {
	r.finish()
	r.y = y
}

// finish stores the coverage of the pixel row as spans and empties the row. Spans that were stored at
// once, without the layers, are there already; only the last span of cells may still be open.
func (r *row) finish() {
	if r.layered {
		if r.cells {
			r.finishCells()
		} else {
			r.finishPixels(r.fullRuns())
		}
		r.extents, r.runs = r.extents[:0], r.runs[:0]
		r.layered, r.hasSums, r.hasDirect = false, false, false
	}
	r.closeCells()
	r.cursor, r.storedX = 0, nowhere
}

// finishPixels stores a row that is not in cells: of each touched extent the parts in full, which
// are sorted, as Full spans, and the rest as bytes.
func (r *row) finishPixels(full []extent) {
	for _, t := range r.extents {
		x := t.x0
		for len(full) > 0 && full[0].x0 < t.x1 {
			if x < full[0].x0 {
				r.storeBytes(x, full[0].x0)
			}
			r.fullSpan(full[0])
			x, full = full[0].x1, full[1:]
		}
		if x < t.x1 {
			r.storeBytes(x, t.x1)
		}
	}
}

// fullRuns returns the extents that runs alone fill with 255 and that are at least longRun px long,
// from left to right. Other runs are added to the sums. It sweeps over the columns where runs begin
// and end, with the sum of the runs there.
func (r *row) fullRuns() []extent {
	r.full = r.full[:0]
	if len(r.runs) == 0 {
		return nil
	}
	// The usual case: opaque runs that do not overlap.
	if opaqueInOrder(r.runs) {
		for _, u := range r.runs {
			r.full = append(r.full, extent{u.x0, u.x1})
		}
		return r.full
	}
	r.events = r.events[:0]
	for _, u := range r.runs {
		r.events = append(r.events, event{u.x0, u.alpha}, event{u.x1, -u.alpha})
	}
	sortEvents(r.events)
	var alpha, from int32 // alpha of the columns from `from` to the next event
	open := false         // the last extent of full may end at from and grow
	for _, e := range r.events {
		if e.x > from && alpha > 0 {
			if alpha >= 255 {
				if open && r.full[len(r.full)-1].x1 == from {
					r.full[len(r.full)-1].x1 = e.x
				} else {
					r.full = append(r.full, extent{from, e.x})
				}
				open = true
			} else {
				r.hasSums = true
				for p := r.sums[from-r.left : e.x-r.left]; len(p) > 0; p = p[1:] {
					addSaturated(&p[0], byte(alpha))
				}
			}
		}
		alpha, from = alpha+e.alpha, e.x
	}
	r.dropShortRuns()
	return r.full
}

// sortEvents sorts events by x. Most rows have few, nearly in order, for which insertion sort is
// faster.
func sortEvents(e []event) {
	if len(e) > 64 {
		slices.SortFunc(e, func(a, b event) int { return int(a.x) - int(b.x) })
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

// dropShortRuns removes the extents of r.full that are shorter than longRun, and sets the sums there
// to 255 instead.
func (r *row) dropShortRuns() {
	kept := r.full[:0]
	for _, u := range r.full {
		if u.x1-u.x0 >= longRun {
			kept = append(kept, u)
			continue
		}
		r.hasSums = true
		for p := r.sums[u.x0-r.left : u.x1-r.left]; len(p) > 0; p = p[1:] {
			p[0] = 255
		}
	}
	r.full = kept
}

// opaqueInOrder reports whether all runs are 255, sorted and disjoint.
func opaqueInOrder(runs []run) bool {
	last := int32(math.MinInt32)
	for _, u := range runs {
		if u.alpha < 255 || u.x0 < last {
			return false
		}
		last = u.x1
	}
	return true
}

// fullSpan stores the columns of u as a Full span and clears both layers there, whatever they hold.
func (r *row) fullSpan(u extent) {
	r.dst.Spans = append(r.dst.Spans, Span{X: u.x0, Y: r.y, N: u.x1 - u.x0, At: Full})
	if r.hasSums {
		clear(r.sums[u.x0-r.left : u.x1-r.left])
	}
	if r.hasDirect {
		clear(r.direct[u.x0-r.left : u.x1-r.left])
	}
}

// mergeLayers returns the pixels [x0, x1) of both layers as one: the sums, snapped, blended over the
// direct layer, in the memory of the latter, while the sums are cleared. If the row has no direct
// spans these are the sums themselves, which the caller must still snap.
func (r *row) mergeLayers(x0, x1 int32) []byte {
	sums, direct := r.sums[x0-r.left:x1-r.left], r.direct[x0-r.left:x1-r.left]
	if !r.hasDirect {
		return sums
	}
	if r.hasSums {
		for i, a := range sums {
			if !r.plain {
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
func (r *row) storeBytes(x0, x1 int32) {
	from := r.mergeLayers(x0, x1)
	i, n := 0, len(from)
	if r.hasDirect || r.masked || r.plain {
		// Values that are final already: only trim the zeros.
		for n > 0 && from[n-1] == 0 {
			n--
		}
		for i < n && from[i] == 0 {
			i++
		}
		r.emit(x0+int32(i), from[i:n])
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
	at := len(r.dst.Bytes)
	r.emit(x0+int32(i), from[i:n])
	out := r.dst.Bytes[at:]
	for i, a := range out {
		out[i] = snapped[a]
	}
}

// emit appends a span of the coverage bytes from, beginning in column x of the current row, and
// clears these bytes; no bytes make no span. The bytes of one drawing must stay below 2 GiB, so that
// their places fit Span.At: callers bound them far below that. Beyond it the span would be dropped.
func (r *row) emit(x int32, from []byte) {
	at := len(r.dst.Bytes)
	if len(from) > 0 && at <= math.MaxInt32-len(from) {
		r.dst.Bytes = append(r.dst.Bytes, from...)
		r.dst.Spans = append(r.dst.Spans, Span{X: x, Y: r.y, N: int32(len(from)), At: int32(at)})
	}
	clear(from)
}
