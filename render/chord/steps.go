package chord

// differences runs along one coordinate of a curve in q16.
type differences struct{ at, d, dd, ddd, end int64 }

// steps is what a curve that runs downwards has still to give: chords between
// points at equal steps of t.
type steps struct {
	x, y   differences
	sx, sy int64 // where the next chord starts; of sx a cubic has only the end
	left   int8  // steps to come
	// Shifts of the first and the second differences. A quadratic has one.
	shift, shift2 int8
	cubic         bool
}

// next makes e the next chord that has height; false if none is left.
func (s *steps) next(e *Edge) bool {
	if s.cubic {
		return s.cubicNext(e)
	}
	return s.quadNext(e)
}

// quadSteps is reference-raster.md 5.4, for points in 1/256 px.
func quadSteps(x, y *[4]int64) steps {
	k := halvings((2*x[1]-x[0]-x[2])>>2, (2*y[1]-y[0]-y[2])>>2)
	k = min(max(k, 1), 6)
	s := steps{x: quadDifferences(x, k), y: quadDifferences(y, k), left: 1 << k, shift: int8(k - 1)}
	s.y.at, s.y.end = snapRow(s.y.at), snapRow(s.y.end)
	s.sx, s.sy = s.x.at, s.y.at
	return s
}

// quadDifferences returns start, end, first and second difference.
func quadDifferences(p *[4]int64, k int) differences {
	a := (p[0] - 2*p[1] + p[2]) << 9
	b := (p[1] - p[0]) << 10
	return differences{at: p[0] << 8, d: (b + a>>k) >> 2, dd: a >> (k - 1) >> 2, end: p[2] << 8}
}

func (s *steps) quadNext(e *Edge) bool {
	for s.left > 0 {
		s.left--
		nx, ny := s.x.end, s.y.end // unsnapped end of the step
		x1, y1 := nx, ny           // end of the chord
		tall := false
		if s.left > 0 {
			stepX, stepY := s.x.d>>s.shift, s.y.d>>s.shift
			nx, ny = s.x.at+stepX, s.y.at+stepY
			x1, y1 = nx, min(s.y.end, snapRow(ny))
			tall = max(stepY, -stepY) >= 2*one && 64*max(s.y.d, -s.y.d) > max(s.x.d, -s.x.d)
			s.x.d, s.y.d = s.x.d+s.x.dd, s.y.d+s.y.dd
		}
		s.x.at, s.y.at = nx, ny
		var m int64
		if tall {
			m = slope(nx-s.sx, ny-s.sy)
			y1 = min(s.y.end, wholeRow(ny))
			x1 = nx - (m*(ny-y1))>>16
		}
		if y1 <= s.sy {
			continue
		}
		if !tall {
			m = slope(x1-s.sx, y1-s.sy)
		}
		e.chord(s.sx, s.sy, x1, y1, m)
		s.sx, s.sy = x1, y1
		return true
	}
	return false
}

// cubicSteps is reference-raster.md 5.5, for points in 1/256 px.
func cubicSteps(x, y *[4]int64) steps {
	k := min(halvings(cubicDeviation(x), cubicDeviation(y))+1, 6)
	s := steps{
		x: cubicDifferences(x, k), y: cubicDifferences(y, k),
		left: 1 << k, shift: int8(max(0, k-4)), shift2: int8(k), cubic: true,
	}
	s.y.at, s.y.end = snapRow(s.y.at), snapRow(s.y.end)
	s.sy = s.y.at
	return s
}

// cubicDeviation is how far one coordinate of a cubic leaves its chord, in
// 1/256 px.
func cubicDeviation(p *[4]int64) int64 {
	a := (19 * (8*p[0] - 15*p[1] + 6*p[2] + p[3])) >> 9
	b := (19 * (p[0] + 6*p[1] - 15*p[2] + 8*p[3])) >> 9
	return max(a, -a, b, -b)
}

// cubicDifferences returns start, end and three differences, which carry k-4
// more bits where k > 4.
func cubicDifferences(p *[4]int64, k int) differences {
	u := max(6, 10-k)
	b := 3 * (p[1] - p[0]) << u
	c := 3 * (p[0] - 2*p[1] + p[2]) << u
	e := (p[3] + 3*(p[1]-p[2]) - p[0]) << u
	return differences{
		at: p[0] << 8, end: p[3] << 8,
		d: (b + c>>k + e>>(2*k)) >> 2, dd: (2*c + (3*e)>>(k-1)) >> 2, ddd: (3 * e) >> (k - 1) >> 2,
	}
}

func (s *steps) cubicNext(e *Edge) bool {
	for s.left > 0 {
		s.left--
		x, y := s.x.at, s.y.at
		nx, ny := s.x.end, s.y.end
		if s.left > 0 {
			nx, ny = x+s.x.d>>s.shift, max(y, y+s.y.d>>s.shift)
			s.x.d, s.x.dd = s.x.d+s.x.dd>>s.shift2, s.x.dd+s.x.ddd
			s.y.d, s.y.dd = s.y.d+s.y.dd>>s.shift2, s.y.dd+s.y.ddd
		}
		y1 := min(s.y.end, snapRow(ny))
		s.x.at, s.y.at, s.sx = nx, ny, nx
		if y1 > s.sy {
			dx := (nx - x) >> 10
			e.chord(x, s.sy, nx, y1, saturate((dx<<16)/((y1-s.sy)>>10)))
			s.sy = y1
			return true
		}
	}
	return false
}

// smooth reports whether the steps to come change slowly and are at least a px
// high.
func (s *steps) smooth() bool {
	steady := func(d *differences) bool {
		return max(d.d, -d.d)>>1 >= max(d.dd, -d.dd)>>s.shift2
	}
	return steady(&s.x) && steady(&s.y) && (s.y.d-s.y.dd>>s.shift2)>>s.shift >= one
}
