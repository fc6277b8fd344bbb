package scan

// storeTrapezoidCells is storeTrapezoid for rows that are stored in cells of Cell columns. The last span of
// cells stays open: its bytes are the last ones, and later trapezoids of the row may still write to them. Borders
// of at most eight columns are made in a word and stored together with the interior; wider ones, which are rare,
// are stored on their own.
func (row *row) storeTrapezoidCells(upperLeft, lowerLeft, upperRight, lowerRight, dyL, dyR int64) {
	x0, innerFrom, innerTo, x1 := floor(upperLeft), ceil(lowerLeft), floor(upperRight), ceil(lowerRight)
	if row.storedEnd == nowhere {
		row.firstStored = len(row.dst.Spans)
	}
	row.storedEnd = x1
	// The borders overlap: there is no interior, and the trapezoid is drawn as one.
	if innerFrom > innerTo {
		if x1-x0 == 1 {
			row.openCells(x0, x1)[0] = columnAlpha(upperRight-upperLeft, lowerRight-lowerLeft)
		} else {
			copy(row.openCells(x0, x1), row.narrowWedge(upperLeft, lowerLeft, upperRight, lowerRight, dyL, dyR, x0, x1, 255))
		}
		return
	}
	// A border of at most eight columns is eight alphas in one word, a byte for each.
	var left, right uint64
	if n := innerFrom - x0; n <= 2 { // one column (single), two (pair), or none, where single is 0
		single, pair := leftNarrow(upperLeft, lowerLeft, innerFrom, dyL, 255)
		if row.pairRule {
			pair = overTwoWord(pair)
		}
		left = single
		if n == 2 {
			left = pair
		}
	} else if n <= 8 {
		left = leftWord(upperLeft, lowerLeft, x0, innerFrom, dyL, 255)
	} else {
		copy(row.openCells(x0, innerFrom), row.leftWedge(upperLeft, lowerLeft, x0, innerFrom, dyL, 255))
		x0 = innerFrom
	}
	end := innerTo // of what storeSpan stores
	if n := x1 - innerTo; n <= 2 {
		end = x1
		single, pair := rightNarrow(upperRight, lowerRight, innerTo, dyR, 255)
		if row.pairRule {
			pair = overTwoWord(pair)
		}
		right = single
		if n == 2 {
			right = pair
		}
	} else if n <= 8 {
		end = x1
		right = rightWord(upperRight, lowerRight, innerTo, x1, dyR, 255)
	}
	row.storeSpan(x0, innerFrom, innerTo, end, left, right)
	if end < x1 {
		copy(row.openCells(innerTo, x1), row.rightWedge(upperRight, lowerRight, innerTo, x1, dyR, 255))
	}
}

// overTwoWord is OverTwo over empty pixels, for the two lowest bytes of w.
func overTwoWord(w uint64) uint64 {
	return uint64(OverTwo(0, byte(w))) | uint64(OverTwo(0, byte(w>>8)))<<8
}

// storeSpan is storePixels, but stores the whole cells within the interior as a Full span, which has no bytes.
func (row *row) storeSpan(x0, innerFrom, innerTo, x1 int32, left, right uint64) {
	if cells0, cells1 := cellCeil(innerFrom), cellFloor(innerTo); cells0 < cells1 {
		row.storePixels(x0, innerFrom, cells0, cells0, left, 0)
		row.storeFullCells(cells0, cells1)
		row.storePixels(cells1, cells1, innerTo, x1, 0, right)
	} else {
		row.storePixels(x0, innerFrom, innerTo, x1, left, right)
	}
}

// storePixels stores the pixels [x0, x1) of a span in the open cells, eight at a time: up to column innerFrom the
// bytes of left, up to innerTo 255, and then the bytes of right, the lowest byte first. Both borders are at most
// eight columns wide.
func (row *row) storePixels(x0, innerFrom, innerTo, x1 int32, left, right uint64) {
	if x0 >= x1 {
		return
	}
	p := row.openCells(x0, x1)
	storeWord(p, firstPixels(x0, innerFrom, innerTo, ^uint64(0), left, right))
	for x := x0 + 8; x < x1; x += 8 {
		p = p[8:]
		storeWord(p, morePixels(x, innerTo, ^uint64(0), right))
	}
}
