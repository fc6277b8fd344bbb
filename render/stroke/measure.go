package stroke

import (
	"sort"

	"plumb/render/vector"
)

// measureLevels is the number of times that a curve is halved to measure its length.
const measureLevels = 8

// chordEnd is the end of one chord.
type chordEnd struct {
	d   float32 // distance along the subpath
	seg int32   // index of the segment
	t   float32 // parameter of the segment, 0 to 1
}

// segment is a line (n = 2), quadratic or cubic.
type segment struct {
	p [4]vec
	n int
}

// pathMeasure measures distances along one subpath by the lengths of chords, as the browser does to
// place dashes.
type pathMeasure struct {
	tol          float32 // how far a curve may leave its chord, in units of the path
	segments     []segment
	chordEnds    []chordEnd // of all segments, by distance
	length       float32    // of the subpath so far
	segmentsSeen int        // number of segments, including those without length
	lastStart    vec        // start of the last segment
}

// reset starts a subpath.
func (measure *pathMeasure) reset() {
	measure.segments, measure.chordEnds = measure.segments[:0], measure.chordEnds[:0]
	measure.length, measure.segmentsSeen = 0, 0
}

// add adds the chord from a to b to the measured length and notes its end: parameter t of the segment
// that line or curve appends next. A chord too short to change the length is left out.
func (measure *pathMeasure) add(a, b vec, t float32) {
	d := measure.length + sqrt(dist2(a, b))
	if d > measure.length {
		measure.length = d
		measure.chordEnds = append(measure.chordEnds, chordEnd{d, int32(len(measure.segments)), t})
	}
}

// line adds a straight segment to the subpath that is measured for dashes. One without length only
// counts in measure.segmentsSeen.
func (measure *pathMeasure) line(a, b vec) {
	before := measure.length
	measure.segmentsSeen, measure.lastStart = measure.segmentsSeen+1, a
	measure.add(a, b, 1)
	if measure.length > before {
		measure.segments = append(measure.segments, segment{[4]vec{a, b}, 2})
	}
}

// curve adds a quadratic or cubic to the subpath that is measured for dashes, by its chords. One
// without length only counts in measure.segmentsSeen.
func (measure *pathMeasure) curve(c curve) {
	before := measure.length
	measure.segmentsSeen, measure.lastStart = measure.segmentsSeen+1, c.p[0]
	s := segment{c.p, c.n}
	measure.chords(s, 0, 1, 0)
	if measure.length > before {
		measure.segments = append(measure.segments, s)
	}
}

// chords adds the chords of a curve, which is the part [t0, t1] of the segment that is measured. It adds one
// chord if the curve is close to it or was halved measureLevels times, else those of both halves.
func (measure *pathMeasure) chords(segment segment, t0, t1 float32, level int) {
	if level == measureLevels || !segment.leavesChord(measure.tol) {
		measure.add(segment.p[0], segment.p[segment.n-1], t1)
		return
	}
	a, b := segment.split(0.5)
	mid := (t0 + t1) / 2
	measure.chords(a, t0, mid, level+1)
	measure.chords(b, mid, t1, level+1)
}

// leavesChord reports whether a curve deviates from its chord by more than tol px in x or y. A
// quadratic curve, of three points, is compared in its middle, a cubic one by how far its two controls
// are from the thirds of the chord.
func (segment *segment) leavesChord(tol float32) bool {
	p := &segment.p
	if segment.n == 3 {
		d := sub(scale(p[1], 0.5), scale(add(p[0], p[2]), 0.25))
		return max(abs(d.X), abs(d.Y)) > tol
	}
	a, b := sub(p[1], mix(p[0], p[3], 1.0/3)), sub(p[2], mix(p[0], p[3], 2.0/3))
	return max(abs(a.X), abs(a.Y), abs(b.X), abs(b.Y)) > tol
}

// split cuts a segment of a dashed path at the parameter t into its left and its right part, by de
// Casteljau's algorithm.
func (segment *segment) split(t float32) (l, r segment) {
	p := segment.p
	l.n, r.n = segment.n, segment.n
	for k := range segment.n {
		l.p[k], r.p[segment.n-1-k] = p[0], p[segment.n-1-k]
		for i := range segment.n - 1 - k {
			p[i] = mix(p[i], p[i+1], t)
		}
	}
	return l, r
}

// at returns the point of a dashed path's segment at the parameter t, by the polynomial. It is
// rounded differently from the points of split: the browser starts a dash at this point, but draws
// the pieces of split.
func (segment *segment) at(t float32) vec {
	p := &segment.p
	var c curve
	switch segment.n {
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
func (measure *pathMeasure) piece(dst *vector.Path, from, to float32, move bool) {
	from, to = max(from, 0), min(to, measure.length)
	if !(from <= to) || len(measure.chordEnds) == 0 {
		return
	}
	seg0, t0 := measure.locate(from)
	seg1, t1 := measure.locate(to)
	if move {
		dst.MoveTo(measure.segments[seg0].at(t0))
	}
	for ; seg0 < seg1; seg0, t0 = seg0+1, 0 {
		measure.segments[seg0].appendTo(dst, t0, 1)
	}
	measure.segments[seg1].appendTo(dst, t0, t1)
}

// locate converts a distance d along the subpath to the index of a segment and a parameter of it. It
// interpolates on the chord that reaches d or, if d is beyond the end, on the last one. There must be a chord.
func (measure *pathMeasure) locate(d float32) (seg int32, t float32) {
	i := sort.Search(len(measure.chordEnds), func(i int) bool { return measure.chordEnds[i].d >= d })
	i = min(i, len(measure.chordEnds)-1)
	end := measure.chordEnds[i]
	var d0, t0 float32 // where the chord begins; t0 is 0 at the start of a segment
	if i > 0 {
		d0 = measure.chordEnds[i-1].d
		if measure.chordEnds[i-1].seg == end.seg {
			t0 = measure.chordEnds[i-1].t
		}
	}
	return end.seg, t0 + float32((end.t-t0)*(d-d0))/(end.d-d0)
}

// appendTo appends the part [t0, t1] of the segment to dst, which must end where it starts. A part
// without length becomes a line to its own start, so that it gets caps.
func (segment *segment) appendTo(dst *vector.Path, t0, t1 float32) {
	if t0 == t1 {
		dst.LineTo(dst.Points[len(dst.Points)-1])
		return
	}
	c := *segment
	if t0 > 0 {
		_, c = c.split(t0)
	}
	if t1 < 1 {
		c, _ = c.split((t1 - t0) / (1 - t0))
	}
	switch segment.n {
	case 2:
		dst.LineTo(c.p[1])
	case 3:
		dst.QuadTo(c.p[1], c.p[2])
	case 4:
		dst.CubicTo(c.p[1], c.p[2], c.p[3])
	}
}
