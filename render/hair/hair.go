// Package hair draws strokes of at most one px as the reference browser does: segment by
// segment, and not as outlines. In: a path in px. Out: 8-bit coverage (render/scan).
package hair

import (
	"math"
	"math/bits"
	"slices"

	"plumb/render/chord"
	"plumb/render/geom"
	"plumb/render/scan"
	"plumb/render/stroke"
	"plumb/render/vector"
)

// Stroker draws strokes of at most 1 px as the reference browser does: not as outlines, but segment by
// segment. Along a segment it takes steps of one pixel, and in each draws two pixels beside each other that
// share the alpha 255. Pixels are drawn over each other in the order of the path. See docs/spec/raster.md#r9.
type Stroker struct {
	plots []plot // the drawn pixels, in the order of the path until they are sorted
	plane []byte // alphas of all pixels of the clip, once there were maxPlots plots; nil before that
	clip  chord.Rect
	quads []vector.Point // of a conic
	Style
}

// Style is how a stroke is drawn. It is set as a whole before Add, so that nothing of the stroke
// before remains.
type Style struct {
	Strength uint32 // how opaque each plot is, in 1/255
	// Plain says that the two-pixel rule is not wanted: the browser blends pixels that it draws in pairs
	// with another rounding than single ones, which only pictures need. See docs/spec/raster.md#r22.
	Plain bool
	// Clipped says that the stroke is drawn through a clip that is no rectangle: then the browser draws no
	// pairs.
	Clipped bool
}

// A plot is one pixel that a hairline covers once, with an alpha. Several plots may fall on one pixel. It is
// packed into 64 bits, from the highest: row, column (16 bits), number in the order of the path (16), alpha (8),
// and whether it is one of a pair (1). So sorting the integers brings plots row by row and keeps the order of
// the path within each pixel.
type plot uint64

// The lowest bits of the parts of a plot. The lowest of all is the pair's.
const (
	alphaShift  = 1
	numberShift = 9
	columnShift = 25
	rowShift    = 41
)

// pixel returns row and column as one number, which is equal for plots of one pixel, and one more for the next
// pixel of a row.
func (p plot) pixel() uint64 { return uint64(p >> columnShift) }

// at returns the column and the row of the plot.
func (p plot) at() (x, y int32) { return int32(p >> columnShift & 0xffff), int32(p >> rowShift) }

// alpha returns how much of the pixel is covered, in 1/255.
func (p plot) alpha() byte { return byte(p >> alphaShift) }

// inPair reports whether the browser draws the plot together with the one beside it, by the two-pixel rule.
func (p plot) inPair() bool { return p&1 == 1 }

// maxPlots is how many plots the list holds before they are drawn onto the plane: the number of a plot has
// 16 bits.
const maxPlots = 1 << 16

// Coordinates of hairlines are in 1/64 px, slopes in 1/65536.
const hairUnit = 64

// conicTol is the most, in px, by which the quadratics that stand for a conic may miss it.
const conicTol = 0.25

// longestHair is the longest stretch in px that is drawn as one.
const longestHair = 511

// Add draws the subpaths of p, in px, as thin strokes (hairlines) within the clip. Take returns
// their coverage. Open subpaths get round caps: their end points in p are moved outwards.
func (stroker *Stroker) Add(p *vector.Path, clip chord.Rect) {
	stroker.clip = clip
	pts, weights := p.Points, p.Weights
	for verbs := p.Verbs; len(verbs) > 0; {
		verbCount, pointCount, conicCount := 1, 1, 0 // of the subpath, which begins with a Move
		for verbCount < len(verbs) && verbs[verbCount] != vector.Move {
			verb := verbs[verbCount]
			if verb == vector.Conic {
				conicCount++
			}
			pointCount += verb.Points()
			verbCount++
		}
		stroker.subpath(verbs[1:verbCount], pts[:pointCount], weights[:conicCount])
		verbs, pts, weights = verbs[verbCount:], pts[pointCount:], weights[conicCount:]
	}
}

// subpath draws one subpath of a thin stroke, curve by curve. verbs are the verbs after Move; pts
// are all its points, the point of Move first; weights are those of its conics. An open subpath is
// lengthened at both ends by its round caps, which changes pts. A subpath without length becomes a
// short horizontal line.
func (stroker *Stroker) subpath(verbs []vector.Verb, pts []vector.Point, weights []float32) {
	if len(verbs) == 0 {
		return
	}
	if verbs[len(verbs)-1] != vector.Close {
		// Of curves too only the end points are moved, not the control points.
		lengthen(pts)
		slices.Reverse(pts) // the other end
		lengthen(pts)
		slices.Reverse(pts)
		isDot := !slices.ContainsFunc(pts, func(q vector.Point) bool { return q != pts[0] })
		if isDot { // it becomes a short line along the row
			pts[0].X -= capReach
			pts[len(pts)-1].X += capReach
		}
	}
	first, cur := pts[0], pts[0] // where the subpath began, and the current point
	pts = pts[1:]
	for _, verb := range verbs {
		switch verb {
		case vector.Line:
			stroker.line(cur, pts[0])
		case vector.Quad:
			stroker.quad(cur, pts[0], pts[1])
		case vector.Conic:
			stroker.quads = vector.ConicQuads(stroker.quads[:0], cur, pts[0], pts[1], weights[0], conicTol)
			weights = weights[1:]
			at := cur
			for q := stroker.quads; len(q) > 0; q = q[2:] {
				stroker.quad(at, q[0], q[1])
				at = q[1]
			}
		case vector.Cubic:
			stroker.cubic(cur, pts[0], pts[1], pts[2])
		case vector.Close:
			stroker.line(cur, first)
		}
		if n := verb.Points(); n > 0 {
			cur, pts = pts[n-1], pts[n:]
		}
	}
}

// lengthen moves the first point of a thin stroke, and those right after it in the same place, away
// from the next point by the reach of a round cap. It does nothing if all points are in one place.
func lengthen(pts []vector.Point) {
	end := pts[0]
	for i, q := range pts {
		if q == end {
			continue
		}
		u := geom.Unit(geom.Pt(float64(end.X-q.X), float64(end.Y-q.Y)))
		end.X += float32(u.X * capReach)
		end.Y += float32(u.Y * capReach)
		for k := range pts[:i] {
			pts[k] = end
		}
		return
	}
}

// cubic draws a cubic of a thin stroke, with the control points c1 and c2. If the line from an end to its
// control point runs against the direction of the chord, the cubic is first split at its points of greatest
// curvature, because the browser was observed to do so.
func (stroker *Stroker) cubic(start, c1, c2, end vector.Point) {
	// along reports whether the line from `from` to p runs in the direction of `to`.
	along := func(p, from, to vector.Point) bool {
		return float32((p.X-from.X)*(to.X-from.X))+float32((p.Y-from.Y)*(to.Y-from.Y)) >= 0
	}
	if along(c1, start, end) && along(c2, end, start) {
		stroker.chords(start, c1, c2, end)
		return
	}
	pieces, n := stroke.SplitAtMaxCurvature([4]vector.Point{start, c1, c2, end})
	for _, p := range pieces[:n] {
		stroker.chords(p[0], p[1], p[2], p[3])
	}
}

// chords draws a cubic of a thin stroke as 1 to 512 straight chords, as many as the browser takes: the
// farther the control points lie from the points at a third and two thirds of its chord, the more. float32
// around products keeps the compiler from fusing them with sums.
func (stroker *Stroker) chords(start, c1, c2, end vector.Point) {
	third := func(p, q float32) (float32, float32) { return (2*p + q) / 3, (p + 2*q) / 3 }
	x1, x2 := third(start.X, end.X)
	y1, y2 := third(start.Y, end.Y)
	distance := max(c1.X-x1, x1-c1.X, c2.X-x2, x2-c2.X, c1.Y-y1, y1-c1.Y, c2.Y-y2, y2-c2.Y)
	// Twice as many chords are four times as close to the curve: they may miss it by 1/8 px.
	n := 1
	for tolerance := float32(0.125); n < 512 && distance >= tolerance; n, tolerance = 2*n, 4*tolerance {
	}
	from := start
	for i := 1; i <= n; i++ {
		t := float32(i) / float32(n)
		rest := 1 - t
		w0, w1, w2, w3 := rest*rest*rest, 3*rest*rest*t, 3*rest*t*t, t*t*t
		q := vector.Point{
			X: float32(w0*start.X) + float32(w1*c1.X) + float32(w2*c2.X) + float32(w3*end.X),
			Y: float32(w0*start.Y) + float32(w1*c1.Y) + float32(w2*c2.Y) + float32(w3*end.Y),
		}
		if i == n {
			q = end
		}
		stroker.line(from, q)
		from = q
	}
}

// capReach is the length in px that a round cap adds to a hairline.
const capReach = math.Pi / 8

// quad draws a quadratic of a thin stroke as 1 to 32 straight chords, as many as the browser takes: the
// farther its control point lies from the middle of its chord, the more.
func (stroker *Stroker) quad(start, control, end vector.Point) {
	const mostLog = 5 // binary logarithm of the most chords
	x, y := absCeil((start.X+end.X)/2-control.X), absCeil((start.Y+end.Y)/2-control.Y)
	aboutDistance := max(x, y) + min(x, y)/2
	n := 1 << min((bits.Len32(aboutDistance)+1)/2, mostLog) // about the root of the distance
	from := start
	for i := 1; i <= n; i++ {
		t := float32(i) / float32(n)
		rest := 1 - t
		q := vector.Point{
			X: float32(rest*rest*start.X) + float32(2*rest*t*control.X) + float32(t*t*end.X),
			Y: float32(rest*rest*start.Y) + float32(2*rest*t*control.Y) + float32(t*t*end.Y),
		}
		if i == n {
			q = end
		}
		stroker.line(from, q)
		from = q
	}
}

// absCeil returns |v| rounded up to a whole number, at most 2^20.
func absCeil(v float32) uint32 {
	if v < 0 {
		v = -v
	}
	n := uint32(min(v, 1<<20)) // cut off to a whole number
	if float32(n) < v {
		n++
	}
	return n
}

// line draws a straight line of a thin stroke, in px. Only the part within the clip and 1 px around
// it is drawn, because the rest cannot cover a pixel of the clip.
func (stroker *Stroker) line(a, b vector.Point) {
	t0, t1 := float32(0), float32(1) // the part of the line that is left, as parameters
	// cut shortens it to what lies between lo-1 and hi+1 on one axis.
	cut := func(from, to float32, lo, hi int32) {
		u, v := float32(lo-1)-from, float32(hi+1)-from
		if d := to - from; d != 0 {
			u, v = u/d, v/d
			t0, t1 = max(t0, min(u, v)), min(t1, max(u, v))
		} else if u > 0 || v < 0 {
			t1 = -1 // nothing is left
		}
	}
	cut(a.X, b.X, stroker.clip.X0, stroker.clip.X1)
	cut(a.Y, b.Y, stroker.clip.Y0, stroker.clip.Y1)
	if !(t0 <= t1) {
		return
	}
	at := func(t float32) vector.Point {
		return vector.Point{X: a.X + float32(t*(b.X-a.X)), Y: a.Y + float32(t*(b.Y-a.Y))}
	}
	if t1 < 1 {
		b = at(t1)
	}
	if t0 > 0 {
		a = at(t0)
	}
	const far = 1 << 24 // px; the clip ends before that
	toUnits := func(v float32) int64 { return int64(max(-far, min(v, far)) * hairUnit) }
	stroker.segment(toUnits(a.X), toUnits(a.Y), toUnits(b.X), toUnits(b.Y))
}

// segment draws a straight line of a thin stroke, with ends in 1/64 px. A line longer than
// longestHair is halved until its parts are short enough, as in the browser: the halves round
// differently than the whole.
func (stroker *Stroker) segment(x0, y0, x1, y1 int64) {
	dx, dy := max(x1-x0, x0-x1), max(y1-y0, y0-y1)
	if max(dx, dy) > longestHair*hairUnit {
		if stroker.missesClip(x0, y0, x1, y1) {
			return
		}
		mx, my := (x0+x1)>>1, (y0+y1)>>1
		stroker.segment(x0, y0, mx, my)
		stroker.segment(mx, my, x1, y1)
		return
	}
	if dx > dy {
		stroker.walk(x0, y0, x1, y1, false)
	} else {
		stroker.walk(y0, x0, y1, x1, true)
	}
}

// missesClip reports whether a line of a thin stroke, with ends in 1/64 px, lies outside the clip
// by at least 2 px, so that it need not be drawn.
func (stroker *Stroker) missesClip(x0, y0, x1, y1 int64) bool {
	const keep = 2 * hairUnit
	c := stroker.clip
	return max(x0, x1) < int64(c.X0)*hairUnit-keep || min(x0, x1) > int64(c.X1)*hairUnit+keep ||
		max(y0, y1) < int64(c.Y0)*hairUnit-keep || min(y0, y1) > int64(c.Y1)*hairUnit+keep
}

// walk draws a hairline pixel by pixel along its longer axis s. In each step two neighbouring
// pixels across the line share the alpha 255: the nearer one to the line gets more. The first and
// the last step count in proportion to the part of the pixel that the line covers. t is the other
// axis; steep says that s is the y axis. All coordinates are in 1/64 px. See docs/spec/raster.md#r9.
func (stroker *Stroker) walk(s0, t0, s1, t1 int64, steep bool) {
	if s0 > s1 {
		s0, t0, s1, t1 = s1, t1, s0, t0
	}
	if s0 == s1 {
		return
	}
	first, last := s0>>6, (s1+63)>>6       // pixels (64 units each), last not included
	slope := ((t1 - t0) << 16) / (s1 - s0) // of t, in 1/65536
	// The t of the line in the middle of the first pixel, plus half a pixel, in 1/65536 px: t0 in these units,
	// and the slope times the way from s0 to that middle.
	across := t0<<10 + (slope*(32-s0&63)+32)>>6 + 1<<15
	inPair := uint64(1) // pixels of a slanted line are blended in pairs: the two-pixel rule
	if t0 == t1 {
		across, inPair = t0<<10+1<<15, 0
	}
	if stroker.nearsClip(s0, s1, !steep) || stroker.nearsClip(min(t0, t1), max(t0, t1), steep) {
		inPair = 0
	}
	for s := first; s < last; s++ {
		length := int64(hairUnit)
		if s == first {
			length -= s0 & 63
		}
		if s == last-1 {
			length -= last*hairUnit - s1
		}
		low := (across >> 8) & 0xff // share of the pixel with the greater t, of 255
		stroker.addPlot(s, across>>16-1, (255-low)*length>>6, steep, inPair)
		stroker.addPlot(s, across>>16, low*length>>6, steep, inPair)
		across += slope
	}
}

// nearsClip reports whether a hairline comes nearer than 1 px to a side of the clip, or crosses it. lo and hi
// are its range on one axis, in 1/64 px; alongX says that this is the x axis.
func (stroker *Stroker) nearsClip(lo, hi int64, alongX bool) bool {
	c0, c1 := stroker.clip.Y0, stroker.clip.Y1
	if alongX {
		c0, c1 = stroker.clip.X0, stroker.clip.X1
	}
	return lo-hairUnit < int64(c0)*hairUnit || hi+hairUnit > int64(c1)*hairUnit
}

// addPlot records that a hairline covers a pixel with an alpha. along and across are its coordinates on the
// line's longer and shorter axis; steep says that the longer one is y. inPair is 1 if the two-pixel rule draws
// the pixel. Pixels outside of the clip and alpha 0 are ignored. If the list is full, it is first drawn onto the
// plane.
func (stroker *Stroker) addPlot(along, across, alpha int64, steep bool, inPair uint64) {
	x, y := along, across
	if steep {
		x, y = across, along
	}
	clip := stroker.clip
	if alpha <= 0 || x < int64(clip.X0) || x >= int64(clip.X1) || y < int64(clip.Y0) || y >= int64(clip.Y1) {
		return
	}
	if len(stroker.plots) == maxPlots {
		stroker.drawPlots()
	}
	number := uint64(len(stroker.plots))
	packed := uint64(y)<<rowShift | uint64(x)<<columnShift | number<<numberShift | uint64(alpha)<<alphaShift | inPair
	stroker.plots = append(stroker.plots, plot(packed))
}

// drawPlots draws the recorded pixels of hairlines onto the plane, a mask as large as the clip, and
// empties the list. Only strokes of more than maxPlots pixels need the plane, because the list can
// number no more plots. The first call makes the plane. Later calls draw over what it holds, until
// takePlane drops it. The clip must stay the same until then.
func (stroker *Stroker) drawPlots() {
	w, rows := stroker.clip.X1-stroker.clip.X0, stroker.clip.Y1-stroker.clip.Y0
	if stroker.plane == nil {
		stroker.plane = make([]byte, int(w)*int(rows))
	}
	for _, p := range stroker.plots {
		x, y := p.at()
		at := &stroker.plane[int(y-stroker.clip.Y0)*int(w)+int(x-stroker.clip.X0)]
		*at = stroker.blend(*at, p)
	}
	stroker.plots = stroker.plots[:0]
}

// Take appends the coverage of the drawn strokes to dst, empties the stroker and returns the range
// of the spans. Plots of one pixel are drawn over each other in their order. pair, if set, is called,
// row by row, with each pixel whose first plot the two-pixel rule draws, and the alpha a of that plot; but
// not if the strokes were so long that the plane was needed.
func (stroker *Stroker) Take(dst *scan.Coverage, pair func(x, y int32, a byte)) (first, count int) {
	first = len(dst.Spans)
	if stroker.plane != nil {
		stroker.drawPlots()
		stroker.takePlane(dst)
		return first, len(dst.Spans) - first
	}
	slices.Sort(stroker.plots)
	last := noPixel
	for _, p := range stroker.plots {
		if p.pixel() == last { // once more in the same pixel
			alpha := &dst.Bytes[len(dst.Bytes)-1]
			*alpha = stroker.blend(*alpha, p)
			continue
		}
		appendPixel(dst, first, p, last, stroker.blend(0, p))
		last = p.pixel()
		if p.inPair() && !stroker.Plain && pair != nil {
			x, y := p.at()
			pair(x, y, p.alpha())
		}
	}
	stroker.plots = stroker.plots[:0]
	return first, len(dst.Spans) - first
}

// noPixel is the pixel of no plot: row and column as one number that no plot has.
const noPixel = uint64(1<<64 - 1)

// appendPixel appends the pixel of a plot with an alpha to dst: to its last span, if that ends in the pixel
// before, else as a new one. last is the row and column of the pixel before; first is the position in dst of
// the strokes' first span.
func appendPixel(dst *scan.Coverage, first int, p plot, last uint64, alpha byte) {
	x, y := p.at()
	isNextInRow := p.pixel() == last+1 && x != 0 // column 0 follows the end of the row above
	if isNextInRow && len(dst.Spans) > first {
		dst.Spans[len(dst.Spans)-1].Width++
	} else {
		dst.Spans = append(dst.Spans, scan.Span{X: x, Y: y, Width: 1, FirstByte: int32(len(dst.Bytes))})
	}
	dst.Bytes = append(dst.Bytes, alpha)
}

// maxPasses is the most passes of a stroke. A pass takes time for each plot of the stroke.
const maxPasses = 32

// Passes returns in how many passes TakePass can take the drawn strokes. A pass takes at most one plot of each
// pixel, so that plots of one pixel are blended one after another, as the browser does. There are as many passes
// as the most plots in one pixel. Passes returns 0, for Take to be used, if that is more than maxPasses, or if
// plots were already united on the plane, a mask for strokes with more than maxPlots plots.
func (stroker *Stroker) Passes() int {
	if stroker.plane != nil {
		return 0
	}
	slices.Sort(stroker.plots)
	most, inPixel := 0, 0 // plots of one pixel
	last := noPixel
	for _, p := range stroker.plots {
		if p.pixel() != last {
			inPixel = 0
		}
		last = p.pixel()
		inPixel++
		most = max(most, inPixel)
	}
	if most > maxPasses {
		return 0
	}
	return most
}

// TakePass appends the coverage of one pass over the drawn strokes to dst and returns the range of its spans: in
// each pixel the plot of that number, from 0, at full strength. The caller draws the passes over each other with
// the strength as their opacity, which gives the colours of the browser, because it draws plot by plot. pair, if
// set, is called for the pixels that the two-pixel rule draws. The last pass empties the stroker. It may only be
// called after Passes.
func (stroker *Stroker) TakePass(pass, passes int, dst *scan.Coverage, pair func(x, y int32, a byte)) (first, count int) {
	first = len(dst.Spans)
	hasPairs := !stroker.Clipped && (stroker.Strength < 255 || !stroker.Plain) // the two-pixel rule holds
	number := 0                                                                // of the plot in its pixel
	last, drawn := noPixel, noPixel                                            // pixel of the plot before, and the last one of this pass
	for _, p := range stroker.plots {
		if p.pixel() != last {
			number = 0
		}
		last = p.pixel()
		if number == pass {
			alpha := p.alpha()
			if stroker.Strength == 255 { // else the alpha of a pair is rounded when it is blended
				alpha = stroker.blend(0, p)
			}
			appendPixel(dst, first, p, drawn, alpha)
			drawn = last
			if hasPairs && pair != nil && p.inPair() {
				x, y := p.at()
				pair(x, y, p.alpha())
			}
		}
		number++
	}
	if pass == passes-1 {
		stroker.plots = stroker.plots[:0]
	}
	return first, len(dst.Spans) - first
}

// takePlane appends the coverage of the plane, on which long hairlines were drawn, to dst: a span
// for each run of pixels that are not 0. It drops the plane.
func (stroker *Stroker) takePlane(dst *scan.Coverage) {
	w := int(stroker.clip.X1 - stroker.clip.X0)
	for y := 0; y*w < len(stroker.plane); y++ {
		row := stroker.plane[y*w : (y+1)*w]
		for x := 0; x < w; {
			if row[x] == 0 {
				x++
				continue
			}
			n := 1
			for x+n < w && row[x+n] != 0 {
				n++
			}
			dst.Spans = append(dst.Spans, scan.Span{
				X: stroker.clip.X0 + int32(x), Y: stroker.clip.Y0 + int32(y), Width: int32(n), FirstByte: int32(len(dst.Bytes)),
			})
			dst.Bytes = append(dst.Bytes, row[x:x+n]...)
			x += n
		}
	}
	stroker.plane = nil
}

// blend returns the alpha of a pixel after a plot of a hairline is drawn over the alpha below. If the stroke is
// translucent, its alpha and what is left of the alpha below are rounded down together for a pixel of the
// two-pixel rule; for any other pixel each is rounded by itself. Both were observed in the browser.
func (stroker *Stroker) blend(below byte, p plot) byte {
	alpha, inPair := p.alpha(), p.inPair()
	switch {
	case stroker.Strength < 255 && inPair && !stroker.Clipped:
		weight := stroker.Strength * (uint32(alpha) + 1) // in 1/65536
		rest := 0xffff - weight
		restIn256 := (rest + rest>>8) >> 8
		return byte((weight + uint32(below)*restIn256) >> 8)
	case stroker.Strength < 255:
		return scan.Over(below, byte(stroker.Strength*(uint32(alpha)+1)>>8))
	case inPair && !stroker.Plain:
		return scan.OverTwo(below, alpha)
	}
	return scan.Over(below, alpha)
}
