package paint

import (
	"math"

	"plumb/render/geom"
	"plumb/render/vector"
)

// gap is a range of x, in units, that an underline leaves out.
type gap struct{ from, to float64 }

// mergeGaps joins gaps of an underline that overlap or touch. The list must be sorted by from; it is
// overwritten, and the result is its beginning.
func mergeGaps(list []gap) []gap {
	merged := list[:0]
	for _, gap := range list {
		if last := len(merged) - 1; last >= 0 && gap.from <= merged[last].to {
			merged[last].to = max(merged[last].to, gap.to)
			continue
		}
		merged = append(merged, gap)
	}
	return merged
}

// columnRange collects the columns lo..hi in which an outline crosses the rows top..bottom by the
// browser's rule: where segments meet the first and the last row, and the points between them,
// control points included. A curve may reach farther between its points.
type columnRange struct{ top, bottom, lo, hi float64 }

// add extends the range to the column x.
func (columns *columnRange) add(x float64) {
	columns.lo, columns.hi = min(columns.lo, x), max(columns.hi, x)
}

// addPoints extends the range of columns by those ends and control points of a glyph's curves that lie
// between the two rows of the underline's gap.
func (columns *columnRange) addPoints(list ...vector.Point) {
	for _, p := range list {
		if y := float64(p.Y); columns.top <= y && y <= columns.bottom {
			columns.add(float64(p.X))
		}
	}
}

// addLine extends the range of columns by where a straight line of a glyph meets the two rows of the
// underline's gap. A level line meets none.
func (columns *columnRange) addLine(a, b vector.Point) {
	x0, y0, x1, y1 := float64(a.X), float64(a.Y), float64(b.X), float64(b.Y)
	for _, y := range [2]float64{columns.top, columns.bottom} {
		if y0 != y1 && min(y0, y1) <= y && y <= max(y0, y1) {
			columns.add(x0 + float64((x1-x0)*(y-y0))/(y1-y0))
		}
	}
}

// addQuad extends the range of columns by where a quadratic curve of a glyph meets the two rows of the
// underline's gap. It solves y(t) = row for the curve's parameter t.
func (columns *columnRange) addQuad(p0, p1, p2 vector.Point) {
	y0, y1, y2 := float64(p0.Y), float64(p1.Y), float64(p2.Y)
	for _, y := range [2]float64{columns.top, columns.bottom} {
		for _, t := range geom.Roots(y0-2*y1+y2, 2*(y1-y0), y0-y) {
			if u := 1 - t; 0 <= t && t <= 1 {
				columns.add(float64(u*u*float64(p0.X)) + float64(2*u*t*float64(p1.X)) + float64(t*t*float64(p2.X)))
			}
		}
	}
}

// crossing returns the columns lo..hi in which a glyph's outline crosses the rows top..bottom of an
// underline; lo > hi if it does not. One that only touches the first or the last row from outside crosses
// none. The outline has straight lines and quadratics only, as TrueType glyphs have.
func crossing(path *vector.Path, top, bottom float64) (lo, hi float64) {
	columns := columnRange{top, bottom, math.Inf(1), math.Inf(-1)}
	if box, ok := boundsOf(path.Points, vector.Identity); !ok || float64(box[3]) <= top || float64(box[1]) >= bottom {
		return columns.lo, columns.hi
	}
	var cur, first vector.Point
	pts := path.Points
	for _, v := range path.Verbs {
		switch v {
		case vector.Move:
			cur, first, pts = pts[0], pts[0], pts[1:]
		case vector.Line:
			columns.addLine(cur, pts[0])
			columns.addPoints(cur, pts[0])
			cur, pts = pts[0], pts[1:]
		case vector.Quad:
			columns.addQuad(cur, pts[0], pts[1])
			columns.addPoints(cur, pts[0], pts[1])
			cur, pts = pts[1], pts[2:]
		case vector.Close:
			columns.addLine(cur, first)
			columns.addPoints(cur, first)
			cur = first
		}
	}
	return columns.lo, columns.hi
}
