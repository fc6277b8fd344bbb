package paint

import (
	"math"
	"slices"
	"sort"

	"plumb/render/chord"
	"plumb/render/geom"
	"plumb/render/scan"
	"plumb/render/vector"
)

// lineMask is the alpha of an underline or a strike: rows of pixels from top to bottom. The mask
// of a level line has no missing rows.
type lineMask struct {
	rows  []lineRow
	alpha []byte
}

// lineRow is the part of a row of pixels from x on, and where in the mask its alpha lies.
type lineRow struct{ x, y, from, to int32 }

// end returns the column after the last pixel of the row.
func (r *lineRow) end() int32 { return r.x + r.to - r.from }

// alphaAt returns the alpha, 0 to 255, of pixel (x, y) in the mask of an underline or strike; 0 outside
// of the mask.
func (mask *lineMask) alphaAt(x, y int32) float64 {
	if len(mask.rows) == 0 || y < mask.rows[0].y || int(y-mask.rows[0].y) >= len(mask.rows) {
		return 0
	}
	row := &mask.rows[y-mask.rows[0].y]
	if x < row.x || x >= row.end() {
		return 0
	}
	return float64(mask.alpha[row.from+x-row.x])
}

// between interpolates the alpha at (x+dx, y+dy) between the centres of four pixels, as the
// browser moves and turns pictures; dx and dy are 0..1.
func (mask *lineMask) between(x, y int32, dx, dy float64) float64 {
	upper := geom.LerpNumber(mask.alphaAt(x, y), mask.alphaAt(x+1, y), dx)
	lower := geom.LerpNumber(mask.alphaAt(x, y+1), mask.alphaAt(x+1, y+1), dx)
	return geom.LerpNumber(upper, lower, dy)
}

// box returns the pixels that the mask of an underline or strike covers: left, top, right, bottom, half-open.
func (mask *lineMask) box() [4]int32 {
	box := emptyBox
	for i := range mask.rows {
		r := &mask.rows[i]
		box = [4]int32{min(box[0], r.x), min(box[1], r.y), max(box[2], r.end()), max(box[3], r.y+1)}
	}
	return box
}

// begin sets the mask of an underline or strike to the pixels of a box (left, top, right, bottom,
// half-open), all with alpha 0.
func (mask *lineMask) begin(box [4]int32) {
	mask.rows, mask.alpha = mask.rows[:0], mask.alpha[:0]
	w := box[2] - box[0]
	for y := box[1]; y < box[3]; y++ {
		at := int32(len(mask.alpha))
		mask.rows = append(mask.rows, lineRow{box[0], y, at, at + w})
		mask.alpha = append(mask.alpha, make([]byte, w)...)
	}
}

// load sets the mask of an underline or strike to a coverage whose spans are sorted by row and column. Gaps
// between the spans of a row become pixels with alpha 0, so that each row of pixels is one lineRow.
func (mask *lineMask) load(coverage *scan.Coverage) {
	mask.rows, mask.alpha = mask.rows[:0], mask.alpha[:0]
	for _, span := range coverage.Spans {
		if n := len(mask.rows); n == 0 || mask.rows[n-1].y != span.Y {
			mask.rows = append(mask.rows, lineRow{span.X, span.Y, int32(len(mask.alpha)), int32(len(mask.alpha))})
		}
		row := &mask.rows[len(mask.rows)-1]
		for ; row.end() < span.X; row.to++ {
			mask.alpha = append(mask.alpha, 0)
		}
		for i := range span.Width {
			a := byte(255)
			if span.FirstByte != scan.Full {
				a = coverage.Bytes[span.FirstByte+i]
			}
			mask.alpha = append(mask.alpha, a)
		}
		row.to += span.Width
	}
}

// clearGaps clears the pixels of an underline's mask whose centre lies in one of the underline's gaps, because
// the browser cuts gaps out without antialiasing. back maps px to the units of the line, which may be turned.
func (mask *lineMask) clearGaps(line *textLine, back geom.Matrix) {
	for _, row := range mask.rows {
		n := float64(row.to - row.from)
		first := back.Apply(geom.Pt(float64(row.x)+0.5, float64(row.y)+0.5))
		last := first.X + float64(back.A*(n-1))
		lo, hi := min(first.X, last), max(first.X, last)
		above, below := inside(first.Y, back.B, line.top, line.bottom, n)
		i := sort.Search(len(line.gaps), func(i int) bool { return line.gaps[i].to > lo }) // the first that may touch the row
		for ; i < len(line.gaps) && line.gaps[i].from <= hi; i++ {
			a, b := inside(first.X, back.A, line.gaps[i].from, line.gaps[i].to, n)
			if a, b = max(a, above), min(b, below); a < b {
				clear(mask.alpha[row.from+int32(a) : row.from+int32(b)])
			}
		}
	}
}

// inside returns the half-open range [a, b) of those of n pixels of an underline whose coordinate
// lies in from..to. Pixel i has the coordinate first + i*step; step may be negative.
func inside(first, step, from, to, n float64) (a, b float64) {
	if step == 0 {
		if first < from || first >= to {
			return 0, 0
		}
		return 0, n
	}
	a, b = (from-first)/step, (to-first)/step
	return max(0, math.Ceil(min(a, b))), min(n, math.Ceil(max(a, b)))
}

// double composites the mask over itself, for lines that are drawn twice.
func (mask *lineMask) double() {
	for i, a := range mask.alpha {
		mask.alpha[i] = scan.Over(a, a)
	}
}

// maskLine sets cache.line to the mask of an underline or strike: the rectangle in cache.path,
// mapped by matrix, without the gaps of line. In Reference mode an upright rectangle is
// filled by the browser's rule for rectangles. wholePx says that the text is clipped to whole pixels. Then
// a level line with gaps is filled in three parts: above the rows of the gaps, between these rows, and
// below. The browser cuts it there, which changes the alpha of a thin part.
func (cache *glyphCache) maskLine(matrix vector.Matrix, clip chord.Rect, mode Raster, rule scan.Rule, line *textLine, wholePx bool) {
	cache.lineCoverage.Reset()
	if box, ok := boundsOf(cache.path.Points, matrix); ok && axisAligned(matrix) && mode == Reference {
		for i, v := range box { // rounded, not cut down, as sides are elsewhere
			box[i] = float32(math.Floor(float64(v)*256+0.5)) / 256
		}
		from, rows := box[1], [2]float32{} // 0, 0 stands for no cut; a line across y = 0 is cut there, which changes nothing
		if wholePx {
			rows = gapRows(matrix, line)
		}
		for _, to := range [...]float32{rows[0], rows[1], box[3]} {
			if to = min(to, box[3]); to > from {
				scan.SharpRect(&cache.lineCoverage, [4]float32{box[0], from, box[2], to}, clip)
				from = to
			}
		}
		cache.filler.Pieces = 0 // which is stored with the mask: a rectangle has no outline pieces
	} else {
		cache.appendCoverage(&cache.lineCoverage, matrix, clip, mode, rule)
	}
	cache.line.load(&cache.lineCoverage)
	cache.line.clearGaps(line, geom.Widened(matrix).Inverse())
}

// gapRows returns the first pixel row of the gaps of an underline that matrix maps to px, and the row after
// their last one. It returns 0 twice if the line is not level or no gap holds the centre of a pixel.
func gapRows(matrix vector.Matrix, line *textLine) [2]float32 {
	isLevel := matrix.B == 0 && matrix.A > 0 && matrix.D > 0
	hasPixel := func(g gap) bool {
		return firstCentre(matrix.A, g.from, matrix.E) < firstCentre(matrix.A, g.to, matrix.E)
	}
	if !isLevel || !slices.ContainsFunc(line.gaps, hasPixel) {
		return [2]float32{}
	}
	rows := [2]float32{firstCentre(matrix.D, line.top, matrix.F), firstCentre(matrix.D, line.bottom, matrix.F)}
	if rows[0] >= rows[1] {
		return [2]float32{}
	}
	return rows
}

// firstCentre returns the first pixel whose centre does not lie before v, which is mapped to px by
// a factor and an offset.
func firstCentre(factor float32, v float64, offset float32) float32 {
	return float32(math.Ceil(float64(float64(factor)*v) + float64(offset) - 0.5))
}

// lineHalo sets cache.halo to the halo of an underline or strike: one picture of copies of cache.line. Each is
// displaced by one pair of px in x and y. Copies that do not lie on whole pixels are interpolated.
func (cache *glyphCache) lineHalo(displacements [][2]float64) {
	if len(cache.line.rows) == 0 {
		cache.halo.begin([4]int32{})
		return
	}
	box, reach := cache.line.box(), int32(0)
	for _, by := range displacements {
		reach = max(reach, int32(math.Ceil(max(math.Abs(by[0]), math.Abs(by[1])))))
	}
	cache.halo.begin([4]int32{box[0] - reach, box[1] - reach, box[2] + reach, box[3] + reach})
	for _, by := range displacements {
		x, y := math.Floor(-by[0]), math.Floor(-by[1]) // whole px from a pixel of the halo to the line's
		dx, dy := -by[0]-x, -by[1]-y                   // and the rest
		for _, row := range cache.halo.rows {
			for i := range row.to - row.from {
				p := &cache.halo.alpha[row.from+i]
				a := byte(cache.line.between(row.x+i+int32(x), row.y+int32(y), dx, dy) + 0.5)
				*p += scan.Share(a, 255-*p) // rounded, as pictures are blended
			}
		}
	}
}

// keepMask adds the mask of an underline or strike to the glyph masks and returns its position in cache.glyphs.
func (cache *glyphCache) keepMask(mask *lineMask) int32 {
	first, at := len(cache.coverage.Spans), len(cache.coverage.Bytes)
	for _, r := range mask.rows {
		cache.appendRow(first, r.x, r.y, mask.alpha[r.from:r.to])
	}
	return cache.addMask(first, at)
}

// keepTurned adds the mask of an underline or strike of turned text to the glyph masks and returns
// its position in cache.glyphs. back maps px of the drawing to px of mask. Each pixel within clip
// that maps into mask is interpolated from it, as the browser turns such a line as a picture.
func (cache *glyphCache) keepTurned(mask *lineMask, back geom.Matrix, clip chord.Rect) int32 {
	first, at := len(cache.coverage.Spans), len(cache.coverage.Bytes)
	if len(mask.rows) > 0 {
		box := mask.box() // and half a px around it
		box = [4]int32{box[0] - 1, box[1] - 1, box[2] + 1, box[3] + 1}
		clip = mappedBounds(back.Inverse(), chord.Rect{X0: box[0], Y0: box[1], X1: box[2], Y1: box[3]}).Within(clip)
		for y := clip.Y0; y < clip.Y1; y++ {
			x0, x1 := columnsInside(box, back, float64(y)+0.5, clip)
			cache.turnedRow = cache.turnedRow[:0]
			for x := x0; x < x1; x++ {
				q := back.Apply(geom.Pt(float64(x)+0.5, float64(y)+0.5))
				u, v := math.Floor(q.X-0.5), math.Floor(q.Y-0.5)
				cache.turnedRow = append(cache.turnedRow, byte(mask.between(int32(u), int32(v), q.X-0.5-u, q.Y-0.5-v)+0.5))
			}
			cache.appendRow(first, x0, y, cache.turnedRow)
		}
	}
	return cache.addMask(first, at)
}

// columnsInside returns the columns [x0, x1) within clip whose pixels, in the row of px at y, back maps into box
// (left, top, right, bottom), which holds the mask of a turned text line; 0, 0 for none.
func columnsInside(box [4]int32, back geom.Matrix, y float64, clip chord.Rect) (x0, x1 int32) {
	lo, hi := float64(clip.X0), float64(clip.X1)
	q := back.Apply(geom.Pt(0, y))
	// The pixel at x maps to q + x times the slopes. Of each axis: place at x = 0, slope, range of the box.
	axes := [2][4]float64{
		{q.X, back.A, float64(box[0]), float64(box[2])},
		{q.Y, back.B, float64(box[1]), float64(box[3])},
	}
	for _, axis := range axes {
		at, slope, from, to := axis[0], axis[1], axis[2], axis[3]
		switch {
		case slope != 0:
			a, b := (from-at)/slope, (to-at)/slope
			lo, hi = max(lo, min(a, b)), min(hi, max(a, b))
		case at < from || at > to:
			return 0, 0
		}
	}
	if lo >= hi {
		return 0, 0
	}
	return int32(math.Floor(lo)), min(clip.X1, int32(math.Ceil(hi)))
}

// longRun is the least number of full pixels in a row that become a span without bytes.
const longRun = 16

// appendRow appends a row of alpha that begins at pixel (x, y) to the glyph mask whose spans begin at
// position first of cache.coverage. Pixels with alpha 0 are left out. A long run of 255 becomes a Full
// span. Pixels that follow the mask's last span without a gap extend that span.
func (cache *glyphCache) appendRow(first int, x, y int32, alpha []byte) {
	to := &cache.coverage
	for len(alpha) > 0 {
		n := 1
		for n < len(alpha) && alpha[n] == alpha[0] {
			n++
		}
		switch {
		case alpha[0] == 0:
		case alpha[0] == 255 && n >= longRun:
			to.Spans = append(to.Spans, scan.Span{X: x, Y: y, Width: int32(n), FirstByte: scan.Full})
		default:
			last := len(to.Spans) - 1
			follows := func(s scan.Span) bool { return s.FirstByte != scan.Full && s.Y == y && s.X+s.Width == x }
			if last < first || !follows(to.Spans[last]) {
				to.Spans = append(to.Spans, scan.Span{X: x, Y: y, FirstByte: int32(len(to.Bytes))})
				last++
			}
			to.Spans[last].Width += int32(n)
			to.Bytes = append(to.Bytes, alpha[:n]...)
		}
		alpha, x = alpha[n:], x+int32(n)
	}
}
