package scan

// addTrapezoidCells adds a trapezoid to the sums of a row that is stored in cells. Its corners are as
// in trapezoid, and full is its height as alpha. As in storeTrapezoidCells borders of at most eight
// columns are words; whole cells of the interior become a run.
func (row *row) addTrapezoidCells(ul, ll, ur, lr, dyL, dyR int64, full int32) {
	x0, j, k, x1 := floor(ul), ceil(ll), floor(ur), ceil(lr)
	// The borders overlap: there is no interior, and the trapezoid is drawn as one.
	if j > k {
		row.markCells(x0, x1)
		if x1-x0 == 1 {
			row.drawPixel(x0, columnAlpha(ur-ul, lr-ll), full, false)
		} else {
			row.drawWedge(x0, row.narrow(ul, ll, ur, lr, dyL, dyR, x0, x1, full), false)
		}
		return
	}
	// A border of at most eight columns is eight alphas in one word, a byte for each.
	var left, right uint64
	if n := j - x0; n <= 2 {
		single, pair := leftNarrow(ul, ll, j, dyL, full)
		left = single * uint64(full) >> 8
		if n == 2 {
			left = pair
		}
	} else if n <= 8 {
		left = leftWord(ul, ll, x0, j, dyL, full)
	} else {
		row.markCells(x0, j)
		row.drawWedge(x0, row.leftWedge(ul, ll, x0, j, dyL, full), false)
		x0 = j
	}
	end := k // of what addPixels adds
	if n := x1 - k; n <= 2 {
		end = x1
		single, pair := rightNarrow(ur, lr, k, dyR, full)
		right = single * uint64(full) >> 8
		if n == 2 {
			right = pair
		}
	} else if n <= 8 {
		end = x1
		right = rightWord(ur, lr, k, x1, dyR, full)
	}
	// level is a word of eight pixels of the interior.
	level := uint64(full) * everyByte
	if cells0, cells1 := cellCeil(j), cellFloor(k); cells0 < cells1 {
		row.addPixels(x0, j, cells0, cells0, level, left, 0)
		row.addRunCells(cells0, cells1, full)
		row.addPixels(cells1, cells1, k, end, level, 0, right)
	} else {
		row.addPixels(x0, j, k, end, level, left, right)
	}
	if end < x1 {
		row.markCells(k, x1)
		row.drawWedge(k, row.rightWedge(ur, lr, k, x1, dyR, full), false)
	}
}

// addPixels adds to the sums of the pixels [x0, x1), eight at a time: the bytes of left up to column
// j, those of level up to k, then the bytes of right, the lowest first.
func (row *row) addPixels(x0, j, k, x1 int32, level, left, right uint64) {
	if x0 >= x1 {
		return
	}
	row.markCells(x0, x1)
	p := row.sums[x0-row.left:]
	store(p, addWord(load(p), firstPixels(x0, j, k, level, left, right)))
	for x := x0 + 8; x < x1; x += 8 {
		p = p[8:]
		store(p, addWord(load(p), morePixels(x, k, level, right)))
	}
}
