package scan

import (
	"math"
	"slices"

	"plumb/render/chord"
)

// activeEdge is an edge that crosses the current strip.
type activeEdge struct {
	x      int64 // at the strip's top, or at its bottom once walked; 1/65536 px (q16)
	slope  int64 // change of x per row, q16
	dy     int32 // change of y per column, q16, not negative
	bottom int32 // of its chord, quarter rows
	wind   int32 // 1 downwards, -1 upwards
	edge   int32 // index in the edge list
}

// noRow is a row below all rows.
const noRow = math.MaxInt32

// generalWalk fills a path in strips of a quarter, a half or one row. In each strip the spans
// follow from the windings of the edges in their order at its top. See docs/spec/raster.md#r16.
type generalWalk struct {
	scanner     *Scanner
	left, right int64 // bounds of spans, q16
	mask        int32 // the bits of the winding that mean inside if one is set: all, or the lowest for even-odd
	noCrossings bool  // crossings are not searched for
	unsorted    bool  // keeping the edges sorted takes too long
	y           int32 // top of the current strip, in quarter rows
	nextEvent   int32 // the next quarter row where an edge begins, ends or crosses another
	waiting     int   // index in scanner.order of the first edge that has not begun
}

// fillGeneral fills any path from its sorted edges, with a list of the edges that cross the current
// strip. A strip is a whole pixel row where no edge begins, ends or crosses another, else a quarter
// or a half. Successive rows without such an event are drawn at once. If keeping the list
// sorted takes too long, it leaves the rest to fillSorted.
func (scanner *Scanner) fillGeneral(fill *pathFill) {
	walk := generalWalk{scanner: scanner, mask: -1, nextEvent: noRow}
	walk.left, walk.right = fill.bounds()
	if fill.rule.EvenOdd {
		walk.mask = 1
	}
	// As the reference, which looks for no crossings where a path has many points for few rows.
	walk.noCrossings = fill.points > 2*int(fill.inner.Y1-fill.inner.Y0)
	scanner.active = scanner.active[:0]
	walk.y = scanner.topOf(0)
	// The edges of the first strip.
	for walk.waiting < len(scanner.order) && scanner.topOf(walk.waiting) <= walk.y {
		walk.noteEvent(scanner.activate(walk.waiting).bottom)
		walk.waiting++
	}
	walk.noteEvent(scanner.topOf(walk.waiting))
	bottom := fill.inner.Y1 * 4
	scanner.row.y = walk.y >> 2
	for {
		if walk.scanner.shouldStop(walk.y) {
			return
		}
		// The strip reaches to the next event, at most to the end of the pixel row: 1 to 4 quarter rows.
		// heights is indexed by their number; &7 spares Go's check of the index.
		height := heights[(min(walk.nextEvent, (walk.y>>2+1)<<2)-walk.y)&7]
		end, steady := walk.y+height.rows, int32(0)
		if height.rows == 4 {
			steady = walk.drawSteadyRows(bottom)
		}
		if steady > 0 {
			end = walk.y + 4*steady
		} else {
			walk.drawStrip(end, height.shift, height.alpha)
		}
		walk.y = end
		if end >= bottom {
			return
		}
		if len(scanner.active) == 0 {
			if walk.waiting == len(scanner.order) {
				return
			}
			walk.y = scanner.topOf(walk.waiting) // skip the empty rows
		}
		if walk.y>>2 != scanner.row.y {
			scanner.row.nextRow(walk.y >> 2)
		}
		walk.beginEdges()
		if walk.unsorted {
			walk.fillSorted(bottom)
			return
		}
	}
}

// Stop is called every stopEveryRows rows where at least stopMinEdges edges are active.
const (
	stopEveryRows = 16
	stopMinEdges  = 256
)

// shouldStop reports whether the caller wants to stop. It calls Stop, which may be slow, only at the
// start of every stopEveryRows-th pixel row, and only for paths with many active edges. y is in
// quarter rows.
func (scanner *Scanner) shouldStop(y int32) bool {
	return scanner.Stop != nil && y&(4*stopEveryRows-1) == 0 && len(scanner.active) >= stopMinEdges && scanner.Stop()
}

// height is the height of a strip: in quarter rows, as the shift that turns a slope into the
// step in x, and as alpha.
type height struct {
	rows  int32
	shift uint
	alpha int32
}

// heights maps the quarters that are left in a row to the height of the next strip: rows, shift,
// alpha. There are no strips of three quarters.
var heights = [8]height{1: {1, 2, 64}, 2: {2, 1, 128}, 3: {1, 2, 64}, 4: {4, 0, 255}}

// topOf returns the quarter row where the i-th edge of the order begins, noRow past the last.
func (scanner *Scanner) topOf(i int) int32 {
	if i == len(scanner.order) {
		return noRow
	}
	return scanner.order[i].top
}

// activate appends the i-th edge of the order to the active edges. It sets every field of the new element in
// place, so that none is copied.
func (scanner *Scanner) activate(i int) *activeEdge {
	n := len(scanner.active)
	scanner.active = slices.Grow(scanner.active, 1)[:n+1]
	a := &scanner.active[n]
	a.edge = scanner.order[i].edge
	a.setChord(&scanner.edges.List[a.edge])
	return a
}

// setChord sets the state of an active edge from the edge's current chord: x at the present row, the change of x
// per row (slope) and of y per column (dy), the bottom of the chord, and its winding.
func (a *activeEdge) setChord(edge *chord.Edge) {
	a.x = edge.X
	a.slope = edge.Slope
	a.dy = int32(edge.DY)
	a.bottom = edge.Bottom
	a.wind = edge.Winding
}

// noteEvent records that an edge begins, ends or crosses another at quarter row y, below the current strip.
func (walk *generalWalk) noteEvent(y int32) {
	if y < walk.nextEvent {
		walk.nextEvent = y
	}
}

// noteCrossing records an event a quarter row below y if the neighbours left and right cross within a
// row from there on: such rows are drawn in quarters.
func (walk *generalWalk) noteCrossing(left, right *activeEdge, y int32) {
	if left.x+left.slope > right.x+right.slope {
		walk.nextEvent = y + 1
	}
}

// drawStrip draws the spans of one strip and prepares the active edges for the next. The strip reaches from its
// top walk.y down to end, both in quarter rows. slope>>shift is an edge's step in x, and stripAlpha is the height
// of the strip as alpha. For each edge, drawStrip
//
//  1. moves the edge down to end, and opens or closes a span where the winding changes between outside and inside,
//  2. moves it to its next chord, or drops it, if it ends there; the next chord of a cubic may begin at another x,
//     and the reference takes that x as the lower end of a span's left side, but not of its right side,
//  3. keeps it in list[:kept], sorted by x at end,
//  4. and finds the next event: the first quarter row where an edge ends or crosses another.
//
// All of this is one pass over the edges, because reading an edge right after writing it is slow.
//
// A direct span lies in a strip of a whole row and shares no pixel with another, so that its coverage need not be added
// to that of others. It is direct only if it begins where the last span ended or later and the edges beside it are not
// near. Two edges are near if there may be a column or less between them somewhere in the row; over the row, the right
// one has no x below x - |slope|, where x is that at the bottom.
func (walk *generalWalk) drawStrip(end int32, shift uint, stripAlpha int32) {
	var (
		scanner     = walk.scanner
		list        = scanner.active
		mayBeDirect = stripAlpha == 255 && !scanner.row.sumsOnly // spans of this strip may be direct
		winding     int32
		open        bool                  // whether a span is open
		spanLeft    leftEdge              // its left edge
		spanEnd     = floor(walk.left)    // column where the last span ended
		kept        int                   // edges kept so far
		leftIndex   int                   // index of its left edge in list
		maxX        = walk.left           // largest x of these, at end
		shifts      = 1024 + 32*len(list) // moves of the insertion sort that are left before it takes too long
		nextEvent   = int32(noRow)
	)
	scanner.row.beginStrip()
	for i := range list {
		active := &list[i] // in place: a copy of an edge just written would wait for the write
		top := active.x
		x := top + active.slope>>(shift&63) // &63 spares Go's check for large shifts; shift is at most 2
		// 1. Spans.
		winding += active.wind
		if inside := winding&walk.mask != 0; inside != open {
			if inside {
				spanLeft = leftEdge{top: max(walk.left, top), bottom: x, dy: int64(active.dy)}
				leftIndex = i
				if mayBeDirect {
					spanLeft.near = kept > 0 && list[kept-1].x+onePx >= x-max(active.slope, -active.slope)
				}
			} else {
				isDirect := false
				if mayBeDirect {
					// It begins where the last span ended or later, and the next edge is not near.
					isDirect = spanEnd <= floor(spanLeft.top) && spanEnd <= floor(spanLeft.bottom)
					spanEnd = ceil(max(min(walk.right, top), x))
					if isDirect && i+1 < len(list) {
						next := &list[i+1]
						isDirect = x+onePx < next.x-max(next.slope, -next.slope)
					}
				}
				scanner.row.drawTrapezoid(spanLeft.top, max(walk.left, spanLeft.bottom), min(walk.right, top), min(walk.right, x),
					spanLeft.dy, int64(active.dy), stripAlpha, isDirect)
			}
			open = inside
		}
		active.x = x
		// 2. Edges that end.
		if active.bottom <= end {
			if !scanner.loadChordBelow(active, end) {
				continue
			}
			x = active.x
			if open && leftIndex == i {
				spanLeft.bottom = x
			}
		}
		nextEvent = min(nextEvent, active.bottom) // part of step 4: an edge ends
		// 3. Keep the edge: list[:kept] holds the edges kept so far, sorted by their x at end.
		place := kept
		kept++
		if x >= maxX {
			maxX = x
			if place != i {
				list[place] = *active
			}
		} else if place > 0 && list[place-1].x > x && shifts > 0 { // insertion sort
			moved := *active
			for place > 0 && list[place-1].x > x {
				list[place] = list[place-1]
				place--
				shifts--
			}
			list[place] = moved
			walk.unsorted = walk.unsorted || shifts <= 0
		} else if place != i {
			list[place] = *active
		}
		// 4. If the edge crosses its left neighbour within a row below end, the next strip stops
		// after a quarter row: noteCrossing has the same rule. No other event can be earlier.
		if place > 0 && !walk.noCrossings {
			if leftNeighbour := &list[place-1]; leftNeighbour.x+leftNeighbour.slope > list[place].x+list[place].slope {
				nextEvent = end + 1
			}
		}
	}
	if open { // no edge closes the last span: it reaches to the right end
		scanner.row.drawTrapezoid(spanLeft.top, max(walk.left, spanLeft.bottom), walk.right, walk.right, spanLeft.dy, 0, stripAlpha, mayBeDirect && !spanLeft.near)
	}
	walk.nextEvent = nextEvent
	scanner.active = list[:kept]
}

// leftEdge is the left edge of a span in one strip: its x at the top and the bottom, q16.
type leftEdge struct {
	top, bottom int64 // bottom may lie left of the bounds
	dy          int64 // its change of y per column
	near        bool  // the edge to its left is near, see drawStrip; used for a span that no edge closes
}

// loadChordBelow replaces the active edge's chord by the edge's next one that reaches below
// row y. It returns false if the edge ends before.
func (scanner *Scanner) loadChordBelow(edge *activeEdge, y int32) bool {
	chords := &scanner.edges.List[edge.edge]
	for scanner.nextChord(chords, edge.x) {
		if chords.Bottom > y {
			edge.setChord(chords)
			return true
		}
	}
	return false
}

// nextChord moves the edge to its next chord, which begins at x, where the walk along the last chord has ended.
// It returns false if there is none.
func (scanner *Scanner) nextChord(edge *chord.Edge, x int64) bool {
	if scanner.testOmits(walkedX) {
		return scanner.edges.Next(edge)
	}
	return scanner.edges.Follow(edge, x)
}

// beginEdges adds the edges that start at the strip's top to the active edges and sorts them in by x. It notes
// where the next strip must end at the latest: where an edge begins or ends, or soon if two neighbours cross.
func (walk *generalWalk) beginEdges() {
	scanner := walk.scanner
	if scanner.topOf(walk.waiting) > walk.y {
		walk.noteEvent(scanner.topOf(walk.waiting))
		return
	}
	// activate appends the new edges, which are sorted by x, after the old ones.
	countBefore := len(scanner.active)
	for walk.waiting < len(scanner.order) && scanner.topOf(walk.waiting) <= walk.y {
		scanner.activate(walk.waiting)
		walk.waiting++
	}
	walk.noteEvent(scanner.topOf(walk.waiting))
	if countBefore == 0 || scanner.active[countBefore-1].x <= scanner.active[countBefore].x { // all are sorted already
		for k := countBefore; k < len(scanner.active); k++ {
			if k > 0 {
				walk.noteCrossing(&scanner.active[k-1], &scanner.active[k], walk.y)
			}
			walk.noteEvent(scanner.active[k].bottom)
		}
		return
	}
	walk.insertEdges(countBefore)
}

// insertEdges merges the active edges from index old on, which are new, into those before, by x. Both parts are
// sorted by x. As in the reference browser a new edge goes before old edges with its x, but the first new edge,
// and those with the x of the first, go after them. The merge begins at the right end, so that each old edge
// moves once. It also records where neighbours cross. Neighbours are those that an edge has when the reference
// browser inserts it, one new edge after the other from the left: new edges to its right are not there yet.
func (walk *generalWalk) insertEdges(old int) {
	scanner := walk.scanner
	list := scanner.active
	scanner.spareActive = append(scanner.spareActive[:0], list[old:]...)
	fresh := scanner.spareActive
	oldLeft := old     // list[:oldLeft] are the old edges that have not moved
	right := len(list) // place of the leftmost old edge that has moved, if any
	next := len(list)  // place of the new edge that was inserted last
	for i := len(fresh) - 1; i >= 0; i-- {
		edge := &fresh[i]
		for oldLeft > 0 && (list[oldLeft-1].x > edge.x || list[oldLeft-1].x == edge.x && edge.x != fresh[0].x) {
			oldLeft--
			right = oldLeft + i + 1
			list[right] = list[oldLeft]
		}
		list[oldLeft+i] = *edge
		walk.noteEvent(edge.bottom)
		// Its right neighbour is an old edge, the next new one, or one that has not begun.
		switch {
		case right < len(list):
			walk.noteCrossing(edge, &list[right], walk.y)
		case i+1 < len(fresh):
			walk.noteCrossing(edge, &fresh[i+1], walk.y)
		default:
			walk.noteCrossingAhead(edge)
		}
		// This edge, or the last old one that moved, is the left neighbour of the new edge after it.
		if i+1 < len(fresh) {
			walk.noteCrossing(&list[next-1], &list[next], walk.y)
		}
		next = oldLeft + i
	}
	if oldLeft > 0 {
		walk.noteCrossing(&list[oldLeft-1], &list[oldLeft], walk.y)
	}
}

// noteCrossingAhead makes the next strip end after a quarter row if edge, the rightmost one, passes the first
// edge that still waits to begin within one row. That one begins further down, but the reference browser
// compares the two as if it had begun already.
func (walk *generalWalk) noteCrossingAhead(edge *activeEdge) {
	if walk.waiting == len(walk.scanner.order) {
		return
	}
	waiting := &walk.scanner.edges.List[walk.scanner.order[walk.waiting].edge]
	if edge.x+edge.slope > waiting.X+waiting.Slope {
		walk.nextEvent = walk.y + 1
	}
}
