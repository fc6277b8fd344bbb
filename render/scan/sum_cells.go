package scan

// addTrapezoidCells adds a trapezoid to the sums of a row that is stored in cells. Its parameters are those of
// drawTrapezoid. As in storeTrapezoidCells borders of at most eight columns are words; whole cells of the interior
// become a run, which costs the same for any length.
func (row *row) addTrapezoidCells(upperLeft, lowerLeft, upperRight, lowerRight, dyL, dyR int64, stripAlpha int32) {
	x0, innerFrom, innerTo, x1 := floor(upperLeft), ceil(lowerLeft), floor(upperRight), ceil(lowerRight)
	// The borders overlap: there is no interior, and the trapezoid is drawn as one.
	if innerFrom > innerTo {
		row.markCells(x0, x1)
		if x1-x0 == 1 {
			row.drawPixel(x0, columnAlpha(upperRight-upperLeft, lowerRight-lowerLeft), stripAlpha, false)
		} else {
			row.drawWedge(x0, row.narrowWedge(upperLeft, lowerLeft, upperRight, lowerRight, dyL, dyR, x0, x1, stripAlpha), false)
		}
		return
	}
	// A border of at most eight columns is eight alphas in one word, a byte for each.
	var left, right uint64
	if n := innerFrom - x0; n <= 2 { // one column (single), two (pair), or none, where single is 0
		single, pair := leftNarrow(upperLeft, lowerLeft, innerFrom, dyL, stripAlpha)
		left = single * uint64(stripAlpha) >> 8
		if n == 2 {
			left = pair
		}
	} else if n <= 8 {
		left = leftWord(upperLeft, lowerLeft, x0, innerFrom, dyL, stripAlpha)
	} else {
		row.markCells(x0, innerFrom)
		row.drawWedge(x0, row.leftWedge(upperLeft, lowerLeft, x0, innerFrom, dyL, stripAlpha), false)
		x0 = innerFrom
	}
	end := innerTo // of what addPixels adds
	if n := x1 - innerTo; n <= 2 {
		end = x1
		single, pair := rightNarrow(upperRight, lowerRight, innerTo, dyR, stripAlpha)
		right = single * uint64(stripAlpha) >> 8
		if n == 2 {
			right = pair
		}
	} else if n <= 8 {
		end = x1
		right = rightWord(upperRight, lowerRight, innerTo, x1, dyR, stripAlpha)
	}
	// level is a word of eight pixels of the interior.
	level := uint64(stripAlpha) * everyByte
	if cells0, cells1 := cellCeil(innerFrom), cellFloor(innerTo); cells0 < cells1 {
		row.addPixels(x0, innerFrom, cells0, cells0, level, left, 0)
		row.addRunCells(cells0, cells1, stripAlpha)
		row.addPixels(cells1, cells1, innerTo, end, level, 0, right)
	} else {
		row.addPixels(x0, innerFrom, innerTo, end, level, left, right)
	}
	if end < x1 {
		row.markCells(innerTo, x1)
		row.drawWedge(innerTo, row.rightWedge(upperRight, lowerRight, innerTo, x1, dyR, stripAlpha), false)
	}
}

// addPixels adds to the sums of the pixels [x0, x1) of a row, eight at a time: up to column innerFrom the bytes
// of left, up to innerTo those of level, and then the bytes of right, the lowest byte first.
func (row *row) addPixels(x0, innerFrom, innerTo, x1 int32, level, left, right uint64) {
	if x0 >= x1 {
		return
	}
	row.markCells(x0, x1)
	p := row.sums[x0-row.left:]
	storeWord(p, addWord(loadWord(p), firstPixels(x0, innerFrom, innerTo, level, left, right)))
	for x := x0 + 8; x < x1; x += 8 {
		p = p[8:]
		storeWord(p, addWord(loadWord(p), morePixels(x, innerTo, level, right)))
	}
}
