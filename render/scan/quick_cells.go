package scan

// quickCells is quick for rows that are stored in cells. The last span stays
// open: its cells are at the end of the bytes and take what comes next in them.
func (r *row) quickCells(ul, ll, ur, lr, dyL, dyR int64) {
	x0, j, k, x1 := floor(ul), ceil(ll), floor(ur), ceil(lr)
	if r.quickX == nowhere {
		r.quickSpan = len(r.dst.Spans)
	}
	r.quickX = x1
	if j > k {
		if x1-x0 == 1 {
			r.room(x0, x1)[0] = area(ur-ul, lr-ll)
		} else {
			copy(r.room(x0, x1), r.narrow(ul, ll, ur, lr, dyL, dyR, x0, x1, 255))
		}
		return
	}
	var left, right uint64
	if n := j - x0; n <= 2 {
		single, pair := leftNarrow(ul, ll, j, dyL, 255)
		if r.twoRule {
			pair = twoWord(pair)
		}
		if left = single; n == 2 {
			left = pair
		}
	} else if n <= 8 {
		left = leftWord(ul, ll, x0, j, dyL, 255)
	} else {
		copy(r.room(x0, j), r.leftWedge(ul, ll, x0, j, dyL, 255))
		x0 = j
	}
	end := k
	if n := x1 - k; n <= 2 {
		end = x1
		single, pair := rightNarrow(ur, lr, k, dyR, 255)
		if r.twoRule {
			pair = twoWord(pair)
		}
		if right = single; n == 2 {
			right = pair
		}
	} else if n <= 8 {
		end = x1
		right = rightWord(ur, lr, k, x1, dyR, 255)
	}
	r.putSpan(x0, j, k, end, left, right)
	if end < x1 {
		copy(r.room(k, x1), r.rightWedge(ur, lr, k, x1, dyR, 255))
	}
}

// twoWord is OverTwo for two pixels on nothing.
func twoWord(w uint64) uint64 {
	return uint64(OverTwo(0, byte(w))) | uint64(OverTwo(0, byte(w>>8)))<<8
}

// putSpan is put that stores whole cells of 255 as a Full span.
func (r *row) putSpan(x0, j, k, x1 int32, left, right uint64) {
	if a, b := up(j), down(k); a < b {
		r.put(x0, j, a, a, left, 0)
		r.fullCells(a, b)
		r.put(b, b, k, x1, 0, right)
	} else {
		r.put(x0, j, k, x1, left, right)
	}
}

// put stores the pixels [x0, x1): a wedge up to j, 255 up to k, another wedge.
func (r *row) put(x0, j, k, x1 int32, left, right uint64) {
	if x0 >= x1 {
		return
	}
	p := r.room(x0, x1)
	store(p, pixels(x0, j, k, ^uint64(0), left, right))
	for x := x0 + 8; x < x1; x += 8 {
		p = p[8:]
		store(p, more(x, k, ^uint64(0), right))
	}
}
