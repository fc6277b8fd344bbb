package stroke

import (
	"sort"

	"plumb/render/vector"
)

// measureLevels is the number of times that a curve is halved to measure its length.
const measureLevels = 8

// chordEnd is the end of one chord: its distance along the subpath, and its segment and parameter.
type chordEnd struct {
	d   float32
	seg int32
	t   float32
}

// segment is a line (n = 2), quadratic or cubic.
type segment struct {
	p [4]vec
	n int
}

// pathMeasure measures distances along one subpath by the lengths of chords, as the browser does to
// place dashes.
type pathMeasure struct {
	tol       float32
	segs      []segment
	chordEnds []chordEnd
	length    float32
	seen      int // number of segments, including those without length
	dot       vec // start of the last segment
}

// reset starts a subpath.
func (m *pathMeasure) reset() {
	m.segs, m.chordEnds = m.segs[:0], m.chordEnds[:0]
	m.length, m.seen = 0, 0
}

// add adds the chord from a to b to the measured length and notes its end: parameter t of the segment
// that line or curve appends next. A chord too short to change the length is left out.
func (m *pathMeasure) add(a, b vec, t float32) {
	d := m.length + sqrt(dist2(a, b))
	if d > m.length {
		m.length = d
		m.chordEnds = append(m.chordEnds, chordEnd{d, int32(len(m.segs)), t})
	}
}

// line adds a straight segment to the subpath that is measured for dashes. One without length only
// counts in m.seen.
func (m *pathMeasure) line(a, b vec) {
	before := m.length
	m.seen, m.dot = m.seen+1, a
	if m.add(a, b, 1); m.length > before {
		m.segs = append(m.segs, segment{[4]vec{a, b}, 2})
	}
}

// curve adds a quadratic or cubic to the subpath that is measured for dashes, by its chords. One
// without length only counts in m.seen.
func (m *pathMeasure) curve(c curve) {
	before := m.length
	m.seen, m.dot = m.seen+1, c.p[0]
	s := segment{c.p, c.n}
	if m.chords(s, 0, 1, 0); m.length > before {
		m.segs = append(m.segs, s)
	}
}

// chords adds the chords of the curve s, which covers [t0, t1] of its segment: one if the curve is
// close to it or was halved often enough, else those of both halves.
func (m *pathMeasure) chords(s segment, t0, t1 float32, level int) {
	if level == measureLevels || !s.leavesChord(m.tol) {
		m.add(s.p[0], s.p[s.n-1], t1)
		return
	}
	a, b := s.split(0.5)
	mid := (t0 + t1) / 2
	m.chords(a, t0, mid, level+1)
	m.chords(b, mid, t1, level+1)
}

// leavesChord reports whether a curve deviates from its chord by more than tol px in x or y. A
// quadratic curve, of three points, is compared in its middle, a cubic one by how far its two controls
// are from the thirds of the chord.
func (s *segment) leavesChord(tol float32) bool {
	p := &s.p
	if s.n == 3 {
		d := sub(scale(p[1], 0.5), scale(add(p[0], p[2]), 0.25))
		return max(abs(d.X), abs(d.Y)) > tol
	}
	a, b := sub(p[1], mix(p[0], p[3], 1.0/3)), sub(p[2], mix(p[0], p[3], 2.0/3))
	return max(abs(a.X), abs(a.Y), abs(b.X), abs(b.Y)) > tol
}

// split cuts a segment of a dashed path at the parameter t into its left and its right part, by de
// Casteljau's algorithm.
func (s *segment) split(t float32) (l, r segment) {
	p := s.p
	l.n, r.n = s.n, s.n
	for k := range s.n {
		l.p[k], r.p[s.n-1-k] = p[0], p[s.n-1-k]
		for i := range s.n - 1 - k {
			p[i] = mix(p[i], p[i+1], t)
		}
	}
	return l, r
}

// at returns the point of a dashed path's segment at the parameter t, by the polynomial. It is
// rounded differently from the points of split: the browser starts a dash at this point, but draws
// the pieces of split.
func (s *segment) at(t float32) vec {
	p := &s.p
	var c curve
	switch s.n {
	case 2:
		return mix(p[0], p[1], t)
	case 3:
		c = quadCurve(p[0], p[1], p[2])
	case 4:
		c = cubicCurve(p[0], p[1], p[2], p[3])
	}
	return c.at(t)
}

// piece appends the part of the subpath between the distances from and to, which is a dash, to dst: as
// a new subpath if move is true, else continuing the last one. Distances beyond the ends are clamped.
func (m *pathMeasure) piece(dst *vector.Path, from, to float32, move bool) {
	from, to = max(from, 0), min(to, m.length)
	if !(from <= to) || len(m.chordEnds) == 0 {
		return
	}
	seg0, t0 := m.locate(from)
	seg1, t1 := m.locate(to)
	if move {
		dst.MoveTo(m.segs[seg0].at(t0))
	}
	for ; seg0 < seg1; seg0, t0 = seg0+1, 0 {
		m.segs[seg0].appendTo(dst, t0, 1)
	}
	m.segs[seg1].appendTo(dst, t0, t1)
}

// locate converts a distance d along the subpath to the index of a segment and a parameter of it, by
// interpolating on the chord that reaches d, or on the last one. There must be a chord.
func (m *pathMeasure) locate(d float32) (seg int32, t float32) {
	i := sort.Search(len(m.chordEnds), func(i int) bool { return m.chordEnds[i].d >= d })
	i = min(i, len(m.chordEnds)-1)
	end := m.chordEnds[i]
	var d0, t0 float32 // where the chord begins; t0 is 0 at the start of a segment
	if i > 0 {
		d0 = m.chordEnds[i-1].d
		if m.chordEnds[i-1].seg == end.seg {
			t0 = m.chordEnds[i-1].t
		}
	}
	return end.seg, t0 + float32((end.t-t0)*(d-d0))/(end.d-d0)
}

// appendTo appends the part [t0, t1] of the segment to dst, which must end where it starts. A part
// without length becomes a line to its own start, so that it gets caps.
func (s *segment) appendTo(dst *vector.Path, t0, t1 float32) {
	if t0 == t1 {
		dst.LineTo(dst.Points[len(dst.Points)-1])
		return
	}
	c := *s
	if t0 > 0 {
		_, c = c.split(t0)
	}
	if t1 < 1 {
		c, _ = c.split((t1 - t0) / (1 - t0))
	}
	switch s.n {
	case 2:
		dst.LineTo(c.p[1])
	case 3:
		dst.QuadTo(c.p[1], c.p[2])
	case 4:
		dst.CubicTo(c.p[1], c.p[2], c.p[3])
	}
}
