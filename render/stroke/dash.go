package stroke

import (
	"math"

	"plumb/render/vector"
)

// maxDashes is the number of pieces of one path above which the browser draws a
// solid line. Callers bound their paths before (shapes.MaxPoints).
const maxDashes = 1_000_000

// Dasher cuts paths into dashes. It keeps its memory between paths and serves one goroutine at a
// time. The zero value is ready for use.
type Dasher struct {
	measure pathMeasure
	pattern []float32
	quads   []vec
}

// Dash appends to dst the pieces of src that dashes (on, off, on, ...; units of src; an odd
// number counts twice) leave, beginning offset into the period, as open subpaths. It reports
// false and appends nothing where the browser ignores the dashes and draws a solid line: no
// dashes, a length that is negative or not finite, a sum of 0, or more than 1,000,000 pieces.
// resolution is as for Outline. See docs/spec/raster.md#r5.
func (dasher *Dasher) Dash(dst, src *vector.Path, dashes []float32, offset, resolution float32) bool {
	if !dasher.setPattern(dashes) || !finite(offset) {
		return false
	}
	first, rest, period := dasher.begin(offset)
	dasher.measure.tol = 0.5 / resolution
	verbs, points, weights := len(dst.Verbs), len(dst.Points), len(dst.Weights) // of dst before
	piecesLeft := float64(maxDashes)
	// flush appends the dashes of the subpath measured so far, if its pieces are still allowed.
	flush := func(closed bool) {
		pieces := math.Ceil(float64(dasher.measure.length)/float64(period)) * float64(len(dasher.pattern)/2)
		piecesLeft -= pieces
		if piecesLeft >= 0 {
			dasher.pieces(dst, first, rest, closed)
		}
		dasher.measure.reset()
	}
	var current, start vec
	pts, w := src.Points, src.Weights
	dasher.measure.reset()
	for _, verb := range src.Verbs {
		switch verb {
		case vector.Move:
			flush(false)
			start = pts[0]
		case vector.Line:
			dasher.measure.line(current, pts[0])
		case vector.Quad:
			dasher.measure.curve(quadCurve(current, pts[0], pts[1]))
		case vector.Cubic:
			dasher.measure.curve(cubicCurve(current, pts[0], pts[1], pts[2]))
		case vector.Conic:
			dasher.quads = vector.ConicQuads(dasher.quads[:0], current, pts[0], pts[1], w[0], dasher.measure.tol)
			from := current
			for q := dasher.quads; len(q) > 0; q = q[2:] {
				dasher.measure.curve(quadCurve(from, q[0], q[1]))
				from = q[1]
			}
			w = w[1:]
		case vector.Close:
			dasher.measure.line(current, start)
			flush(true)
			current = start
			continue
		}
		k := verb.Points() // of the verb
		current, pts = pts[k-1], pts[k:]
	}
	flush(false)
	if piecesLeft < 0 { // too many: take back what was appended
		dst.Verbs, dst.Points, dst.Weights = dst.Verbs[:verbs], dst.Points[:points], dst.Weights[:weights]
	}
	return piecesLeft >= 0
}

// setPattern stores the dashes in dasher.pattern, twice if their number is odd. It returns false if the
// browser ignores them: a length is negative or NaN, or the sum is 0 or not finite.
func (dasher *Dasher) setPattern(dashes []float32) bool {
	dasher.pattern = append(dasher.pattern[:0], dashes...)
	if len(dashes)%2 == 1 {
		dasher.pattern = append(dasher.pattern, dashes...)
	}
	var sum float32
	for _, l := range dasher.pattern {
		if !(l >= 0) {
			return false
		}
		sum += l
	}
	return sum > 0 && finite(sum)
}

// begin returns the index of the interval of the dash pattern in which a subpath starts, offset into
// the pattern, then what is left of that interval, and the length of the whole pattern. Rounding is the
// browser's.
func (dasher *Dasher) begin(offset float32) (index int, rest, period float32) {
	for _, l := range dasher.pattern {
		period += l
	}
	if offset < 0 {
		offset = float32(math.Mod(float64(-offset), float64(period)))
		offset = period - offset
		if offset == period {
			offset = 0
		}
	} else if offset >= period {
		offset = float32(math.Mod(float64(offset), float64(period)))
	}
	for i, l := range dasher.pattern {
		endsBefore := offset > l || offset == l && l != 0 // before or at offset; an interval of length 0 counts
		if endsBefore {
			offset -= l
			continue
		}
		return i, l - offset, period
	}
	return 0, dasher.pattern[0], period // offset is at the end but for rounding errors
}

// pieces appends the dashes of the measured subpath to dst. The pattern begins with the rest of its
// interval first; even intervals are drawn. In a closed subpath the first dash comes last, so that it
// continues a dash that reaches the end. A single segment without length becomes a dot.
func (dasher *Dasher) pieces(dst *vector.Path, first int, rest float32, closed bool) {
	subpath := &dasher.measure
	if subpath.length == 0 {
		if subpath.segmentsSeen == 1 && !closed {
			dst.MoveTo(subpath.lastStart)
			dst.LineTo(subpath.lastStart)
		}
		return
	}
	// at is the distance along the subpath, i the interval of the pattern there, step what is left of it.
	at, step, i := 0.0, float64(rest), first
	skip := closed    // leave out the first dash of a closed subpath
	drawn := false    // the interval before at was drawn
	const move = true // a dash begins a subpath of its own
	for at < float64(subpath.length) {
		drawn = i%2 == 0 && !skip
		if drawn {
			subpath.piece(dst, float32(at), float32(at+step), move)
		}
		at += step
		skip = false
		i = (i + 1) % len(dasher.pattern)
		step = float64(dasher.pattern[i])
	}
	if closed && first%2 == 0 {
		subpath.piece(dst, 0, rest, !drawn) // without a move it continues the last dash
	}
}
