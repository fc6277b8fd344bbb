package scan

// storeTrapezoidCells draws the part of a span in one whole row, for rows that are stored in cells of
// Cell columns. Its parameters are those of trapezoid. The last span stays open: its cells are at the
// end of the bytes, where later trapezoids may still write. Borders of at most eight columns are made
// in a word and stored together with the interior; wider ones, which are rare, are stored on their
// own.
func (row *row) storeTrapezoidCells(ul, ll, ur, lr, dyL, dyR int64) {
	x0, j, k, x1 := floor(ul), ceil(ll), floor(ur), ceil(lr)
	if row.storedX == nowhere {
		row.storedSpan = len(row.dst.Spans)
	}
	row.storedX = x1
	// The borders overlap: there is no interior, and the trapezoid is drawn as one.
	if j > k {
		if x1-x0 == 1 {
			row.openCells(x0, x1)[0] = columnAlpha(ur-ul, lr-ll)
		} else {
			copy(row.openCells(x0, x1), row.narrow(ul, ll, ur, lr, dyL, dyR, x0, x1, 255))
		}
		return
	}
	// A border of at most eight columns is eight alphas in one word, a byte for each.
	var left, right uint64
	if n := j - x0; n <= 2 {
		single, pair := leftNarrow(ul, ll, j, dyL, 255)
		if row.twoRule {
			pair = overTwoWord(pair)
		}
		left = single
		if n == 2 {
			left = pair
		}
	} else if n <= 8 {
		left = leftWord(ul, ll, x0, j, dyL, 255)
	} else {
		copy(row.openCells(x0, j), row.leftWedge(ul, ll, x0, j, dyL, 255))
		x0 = j
	}
	end := k // of what storeSpan stores
	if n := x1 - k; n <= 2 {
		end = x1
		single, pair := rightNarrow(ur, lr, k, dyR, 255)
		if row.twoRule {
			pair = overTwoWord(pair)
		}
		right = single
		if n == 2 {
			right = pair
		}
	} else if n <= 8 {
		end = x1
		right = rightWord(ur, lr, k, x1, dyR, 255)
	}
	row.storeSpan(x0, j, k, end, left, right)
	if end < x1 {
		copy(row.openCells(k, x1), row.rightWedge(ur, lr, k, x1, dyR, 255))
	}
}

// overTwoWord is OverTwo over empty pixels, for the two lowest bytes of w.
func overTwoWord(w uint64) uint64 {
	return uint64(OverTwo(0, byte(w))) | uint64(OverTwo(0, byte(w>>8)))<<8
}

// storeSpan is storePixels, but stores the whole cells within [j, k) as a Full span.
func (row *row) storeSpan(x0, j, k, x1 int32, left, right uint64) {
	if cells0, cells1 := cellCeil(j), cellFloor(k); cells0 < cells1 {
		row.storePixels(x0, j, cells0, cells0, left, 0)
		row.fullCells(cells0, cells1)
		row.storePixels(cells1, cells1, k, x1, 0, right)
	} else {
		row.storePixels(x0, j, k, x1, left, right)
	}
}

// storePixels stores the pixels [x0, x1) in the open cells, eight at a time: the bytes of left up to
// column j, 255 up to k, then the bytes of right, the lowest first. Both borders are at most eight
// columns wide.
func (row *row) storePixels(x0, j, k, x1 int32, left, right uint64) {
	if x0 >= x1 {
		return
	}
	p := row.openCells(x0, x1)
	store(p, firstPixels(x0, j, k, ^uint64(0), left, right))
	for x := x0 + 8; x < x1; x += 8 {
		p = p[8:]
		store(p, morePixels(x, k, ^uint64(0), right))
	}
}
