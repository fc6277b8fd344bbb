package scan

// steadySpan is a span that continues over several rows: of its left and its right edge the x at the top of
// the next row, the change of x per row, and the change of y per column.
type steadySpan struct {
	left, slopeL, dyL  int64
	right, slopeR, dyR int64
}

// drawSteadyRows draws as many whole rows from walk.y on as it can without drawStrip, down to quarter row
// bottom: until an edge begins, ends, or meets another one or a side of the clip, or two spans are less than a
// column apart. Such rows differ from the one above by the slopes of the edges alone. It moves the active edges
// below these rows and returns their number. It is 0 if there is none, or if the row is not drawn in words.
func (walk *generalWalk) drawSteadyRows(bottom int32) int32 {
	scanner := walk.scanner
	if r := &scanner.row; !r.inWords || r.sumsOnly || r.onPairPixel != nil {
		return 0
	}
	// nextEvent-1 keeps the last row a quarter away from the event: drawStrip must see the edges that end there.
	n := walk.findSteadyRows((min(walk.nextEvent-1, bottom) - walk.y) >> 2)
	if n <= 0 {
		return 0
	}
	for i := range scanner.active {
		a := &scanner.active[i]
		a.x += a.slope * int64(n)
		if i > 0 && !walk.noCrossings {
			walk.noteCrossing(&scanner.active[i-1], a, walk.y+4*n)
		}
	}
	scanner.row.drawSteady(scanner.steadySpans, n)
	return n
}

// findSteadyRows returns how many of the next n rows can be drawn by drawSteadyRows, and leaves the
// spans of the first one in scanner.steadySpans. The conditions are that edges keep their order, spans
// their distance, and all edges stay within the bounds. All are linear in the row: what holds in the
// first and in the last row holds between them.
func (walk *generalWalk) findSteadyRows(n int32) int32 {
	scanner := walk.scanner
	list := scanner.active
	if n <= 0 || len(list) == 0 {
		return 0
	}
	scanner.steadySpans = scanner.steadySpans[:0]
	rows := int64(n)
	winding := int32(0)
	inside := false
	var left *activeEdge
	for i := range list {
		edge := &list[i]
		winding += edge.wind
		wasInside := inside
		inside = winding&walk.mask != 0
		// Neighbours must not cross: their distance, which grows by widening, must not become negative.
		if i > 0 {
			before := &list[i-1]
			widening := edge.slope - before.slope
			rows = min(rows, rowsWhileNonNegative(edge.x-before.x, widening))
			if inside && !wasInside {
				// Direct spans are a column apart at least, as in drawStrip: the gap must be positive at the start of
				// each row, so that one row more can be drawn than gap-1 stays non-negative.
				gap := edge.x - max(edge.slope, -edge.slope) - (before.x + max(before.slope, 0)) - onePx
				rows = min(rows, rowsWhileNonNegative(gap-1, widening)+1)
			}
		}
		switch {
		case inside && !wasInside: // a span begins at this edge
			left = edge
		case wasInside && !inside: // it ends here
			scanner.steadySpans = append(scanner.steadySpans,
				steadySpan{left.x, left.slope, int64(left.dy), edge.x, edge.slope, int64(edge.dy)})
		}
		if rows <= 0 {
			return 0
		}
	}
	if inside { // the last span goes on to the right end
		return 0
	}
	first, last := &list[0], &list[len(list)-1]
	untilLeft := rowsWhileNonNegative(first.x-walk.left, first.slope)
	untilRight := rowsWhileNonNegative(walk.right-last.x, -last.slope)
	return int32(min(rows, untilLeft, untilRight))
}

// rowsWhileNonNegative returns after how many rows a gap that changes by slope in each row is still
// not negative: noRow if it never gets so, -1 if it is negative now.
func rowsWhileNonNegative(gap, slope int64) int64 {
	switch {
	case gap < 0:
		return -1
	case slope >= 0:
		return noRow
	}
	return gap / -slope
}

// drawSteady draws the spans of list in n rows from row.y on. In each row the edges go on by their
// slopes; list is left at the row after the last, as is row.y.
func (row *row) drawSteady(list []steadySpan, n int32) {
	for ; n > 0; n-- {
		for i := range list {
			span := &list[i]
			upperLeft, upperRight := span.left, span.right
			lowerLeft, lowerRight := upperLeft+span.slopeL, upperRight+span.slopeR
			span.left, span.right = lowerLeft, lowerRight
			if upperLeft != upperRight || lowerLeft != lowerRight { // not empty
				row.storeTrapezoidCells(min(upperLeft, lowerLeft), max(upperLeft, lowerLeft), min(upperRight, lowerRight), max(upperRight, lowerRight), span.dyL, span.dyR)
			}
		}
		row.closeCells()
		row.storedEnd = nowhere
		row.y++
	}
}
