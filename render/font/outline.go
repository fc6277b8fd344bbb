package font

import (
	"fmt"
	"math"

	ot "github.com/go-text/typesetting/font/opentype"

	"plumb/render/vector"
)

// glyphTable gives access to the outlines of one font. It reads the raw points and not a parsed
// path, because the browser rounds before it places the implied points between two controls.
// See docs/spec/raster.md#r24.
type glyphTable struct {
	glyf        []byte
	loca        []byte
	hmtx        []byte
	long        bool // loca holds 32-bit offsets
	longMetrics int  // glyphs with an advance of their own in hmtx
	count       int
	units       int
}

// point is an outline point in 1/64 px (or font units before scaling), y up.
type point struct {
	x, y int32
	flag byte // as stored
	on   bool
	last bool // ends its contour
}

// newGlyphTable finds the tables of outlines and horizontal metrics in a font, and checks their sizes. The bare
// numbers are least lengths and offsets in bytes, as OpenType defines the tables. units is the font's number of
// units per em.
func newGlyphTable(ld *ot.Loader, units int) (glyphTable glyphTable, err error) {
	head, err := table(ld, "head", 54)
	if err != nil {
		return glyphTable, err
	}
	maxp, err := table(ld, "maxp", 6)
	if err != nil {
		return glyphTable, err
	}
	hhea, err := table(ld, "hhea", 36)
	if err != nil {
		return glyphTable, err
	}
	glyphTable.units, glyphTable.long = units, u16(head, 50) != 0
	glyphTable.count, glyphTable.longMetrics = int(u16(maxp, 4)), int(u16(hhea, 34))
	// Positions of outlines have two or four bytes.
	entry := 2
	if glyphTable.long {
		entry = 4
	}
	if glyphTable.loca, err = table(ld, "loca", (glyphTable.count+1)*entry); err != nil {
		return glyphTable, err
	}
	if glyphTable.hmtx, err = table(ld, "hmtx", 4*glyphTable.longMetrics+2*(glyphTable.count-glyphTable.longMetrics)); err != nil {
		return glyphTable, err
	}
	glyphTable.glyf, err = table(ld, "glyf", 0)
	return glyphTable, err
}

// description returns the description of a glyph in the font's glyf table; it is empty for a glyph without ink. The
// table loca has where it begins and ends: in bytes, or, with 16 bits, in units of two bytes.
func (glyphs *glyphTable) description(id int) ([]byte, error) {
	if id < 0 || id >= glyphs.count {
		return nil, fmt.Errorf("no glyph %d; want below %d", id, glyphs.count)
	}
	var from, to int
	if glyphs.long {
		from = int(u16(glyphs.loca, 4*id))<<16 | int(u16(glyphs.loca, 4*id+2))
		to = int(u16(glyphs.loca, 4*id+4))<<16 | int(u16(glyphs.loca, 4*id+6))
	} else {
		from, to = 2*int(u16(glyphs.loca, 2*id)), 2*int(u16(glyphs.loca, 2*id+2))
	}
	if from > to || to > len(glyphs.glyf) {
		return nil, fmt.Errorf("glyph %d lies at %d..%d; want within %d bytes", id, from, to, len(glyphs.glyf))
	}
	return glyphs.glyf[from:to], nil
}

// bearing returns the distance from the pen to the glyph's left edge, in font units.
func (glyphs *glyphTable) bearing(id int) int32 {
	if id < glyphs.longMetrics {
		return int32(i16(glyphs.hmtx, 4*id+2))
	}
	return int32(i16(glyphs.hmtx, 4*glyphs.longMetrics+2*(id-glyphs.longMetrics)))
}

// advance returns the distance to the next pen position, font units.
func (glyphs *glyphTable) advance(id int) int32 {
	return int32(u16(glyphs.hmtx, 4*min(id, glyphs.longMetrics-1)))
}

// scale returns the factor from font units to 1/64 px, 64*size/units, as 16.16, rounded.
func (glyphs *glyphTable) scale(size float64) int64 {
	return int64(math.Floor(size*64*65536/float64(glyphs.units) + 0.5))
}

// scaleRound scales a coordinate of a glyph by a factor in 1/65536 (16.16) and rounds halves away from zero.
func scaleRound(v int32, factor int64) int32 {
	product := int64(v) * factor
	half := int64(0x8000)
	if product < 0 {
		half--
	}
	return int32((product + half) >> 16)
}

// glyphHeader is the length of what a glyph's description begins with: the number of contours and a box.
const glyphHeader = 10

// maxDepth bounds the nesting of composite glyphs.
const maxDepth = 8

// points appends the points of a glyph to dst, scaled to size px per em, in 1/64 px. A glyph without ink has
// none.
func (glyphs *glyphTable) points(dst []point, id int, size float64) ([]point, error) {
	first := len(dst)
	data, err := glyphs.description(id)
	if err != nil || len(data) == 0 {
		return dst, err
	}
	if len(data) < glyphHeader {
		return dst, fmt.Errorf("glyph %d has %d bytes; want %d or more", id, len(data), glyphHeader)
	}
	factor := glyphs.scale(size)
	if dst, err = glyphs.collectPoints(dst, data, id, factor, 0); err != nil {
		return dst, err
	}
	// The left edge is where the metrics say, not where the points are. Byte 2 holds the least x of the points.
	if shift := scaleRound(int32(i16(data, 2))-glyphs.bearing(id), factor); shift != 0 {
		for i := first; i < len(dst); i++ {
			dst[i].x -= shift
		}
	}
	return dst, nil
}

// collectPoints appends the points of a glyph with the description data, simple or composite,
// scaled by factor (16.16). depth is how deep it is nested in composite glyphs. An empty description has
// none.
func (glyphs *glyphTable) collectPoints(dst []point, data []byte, id int, factor int64, depth int) ([]point, error) {
	if len(data) < glyphHeader {
		return dst, nil
	}
	if depth > maxDepth {
		return dst, fmt.Errorf("glyph %d is nested deeper than %d", id, maxDepth)
	}
	if contours := int(i16(data, 0)); contours >= 0 { // else the glyph is composite
		out, ok := simplePoints(dst, data[glyphHeader:], contours, factor)
		if !ok {
			return dst, fmt.Errorf("glyph %d is cut short", id)
		}
		return out, nil
	}
	return glyphs.composite(dst, data[glyphHeader:], id, factor, depth)
}

// Flags of points in a simple glyph.
const (
	onCurve = 1 << iota
	xByte
	yByte
	repeat
	xSame
	ySame
)

// simplePoints appends the points of a glyph with contours of its own, scaled by factor (16.16). data is what
// follows the header of its description: the last point of each contour, instructions for small sizes, which
// are skipped, the flags of all points, their x, their y. ok is false if data is too short.
func simplePoints(dst []point, data []byte, contours int, factor int64) (out []point, ok bool) {
	if contours == 0 {
		return dst, true
	}
	if len(data) < 2*contours+2 {
		return dst, false
	}
	ends := data[:2*contours]                          // the last point of each contour
	n := int(u16(ends, 2*contours-2)) + 1              // points
	pos := 2*contours + 2 + int(u16(data, 2*contours)) // after the instructions
	if pos > len(data) {
		return dst, false
	}
	first := len(dst)
	dst, pos = readFlags(dst, data, pos, n)
	if pos < 0 {
		return dst, false
	}
	for c := range contours {
		if lastPoint := int(u16(ends, 2*c)); lastPoint < n {
			dst[first+lastPoint].last = true
		}
	}
	pts := dst[first:]
	pos = readAxis(pts, data, pos, factor, xByte, xSame, false)
	if pos < 0 {
		return dst, false
	}
	return dst, readAxis(pts, data, pos, factor, yByte, ySame, true) >= 0
}

// readFlags appends n points with their flags, which are stored from byte pos of data on, as runs of
// equal ones. It returns the longer list and the position after the flags, -1 if data is too
// short.
func readFlags(dst []point, data []byte, pos, n int) ([]point, int) {
	for n > 0 {
		if pos >= len(data) {
			return dst, -1
		}
		v, same := data[pos], 1
		pos++
		if v&repeat != 0 {
			if pos >= len(data) {
				return dst, -1
			}
			same += int(data[pos])
			pos++
		}
		for ; same > 0 && n > 0; same, n = same-1, n-1 {
			dst = append(dst, point{flag: v, on: v&onCurve != 0})
		}
	}
	return dst, pos
}

// readAxis reads the coordinates of one axis of pts from byte pos of data on, and scales them by factor (16.16).
// They are stored as differences from the point before. short and same are the two flags of a point that tell
// the form of its difference: with short it is one byte, whose sign is + with same; without short it is
// nothing with same, for a difference of 0, else two bytes. The result is the position after them, -1 if data
// is too short.
func readAxis(pts []point, data []byte, pos int, factor int64, short, same byte, vertical bool) int {
	var coordinate int32
	for i := range pts {
		point := &pts[i]
		switch {
		case point.flag&short != 0:
			if pos >= len(data) {
				return -1
			}
			if d := int32(data[pos]); point.flag&same != 0 {
				coordinate += d
			} else {
				coordinate -= d
			}
			pos++
		case point.flag&same == 0:
			if pos+2 > len(data) {
				return -1
			}
			coordinate += int32(i16(data, pos))
			pos += 2
		}
		if vertical {
			point.y = scaleRound(coordinate, factor)
		} else {
			point.x = scaleRound(coordinate, factor)
		}
	}
	return pos
}

// Flags of a component.
const (
	argWords    = 1 << 0
	argOffsets  = 1 << 1
	oneScale    = 1 << 3
	more        = 1 << 5
	twoScales   = 1 << 6
	fullMatrix  = 1 << 7
	scaledShift = 1 << 11
)

// composite appends the points of a glyph that consists of other glyphs, each moved by an offset.
// data is the list of its parts. Parts that are placed in another way are an error.
func (glyphs *glyphTable) composite(dst []point, data []byte, id int, factor int64, depth int) ([]point, error) {
	for pos := 0; ; {
		if pos+4 > len(data) {
			return dst, fmt.Errorf("glyph %d is cut short", id)
		}
		flags, part := u16(data, pos), int(u16(data, pos+2))
		pos += 4
		need := 2
		if flags&argWords != 0 {
			need = 4
		}
		if pos+need > len(data) {
			return dst, fmt.Errorf("glyph %d is cut short", id)
		}
		// The 16 fonts place parts by offsets only, unscaled; see TestFontsAreSimple.
		if flags&argOffsets == 0 || flags&(oneScale|twoScales|fullMatrix|scaledShift) != 0 {
			return dst, fmt.Errorf("glyph %d places part %d with flags %#x; want a plain offset", id, part, flags)
		}
		dx, dy := int32(int8(data[pos])), int32(int8(data[pos+1]))
		if need == 4 {
			dx, dy = int32(i16(data, pos)), int32(i16(data, pos+2))
		}
		pos += need
		sub, err := glyphs.description(part)
		if err != nil {
			return dst, err
		}
		first := len(dst) // of the part's points, which are moved
		if dst, err = glyphs.collectPoints(dst, sub, part, factor, depth+1); err != nil {
			return dst, err
		}
		dx, dy = scaleRound(dx, factor), scaleRound(dy, factor)
		for i := first; i < len(dst); i++ {
			dst[i].x += dx
			dst[i].y += dy
		}
		if flags&more == 0 {
			return dst, nil
		}
	}
}

// midpoint returns the middle of two points of a glyph's outline, truncated to 1/64 px as in the browser's font
// engine.
func midpoint(a, b point) point { return point{x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, on: true} }

// pixels converts a point to px with y down; this is exact, as |v| < 2^24.
func (p point) pixels() vector.Point {
	return vector.Point{X: float32(p.x) / 64, Y: float32(-p.y) / 64}
}

// appendContours appends the contours of a glyph's points to a path.
func appendContours(dst *vector.Path, pts []point) {
	for len(pts) > 0 {
		n := 1
		for n < len(pts) && !pts[n-1].last {
			n++
		}
		appendContour(dst, pts[:n])
		pts = pts[n:]
	}
}

// appendContour appends one contour of a glyph's outline: lines between points on the curve, quadratics
// around controls. Between two controls the curve goes through their middle. It starts at the first
// point if that is on the curve, else at the last one, else in the middle between them.
func appendContour(dst *vector.Path, pts []point) {
	if len(pts) < 2 {
		return
	}
	start, rest := pts[0], pts[1:]
	if !start.on {
		if end := pts[len(pts)-1]; end.on {
			start, rest = end, pts[:len(pts)-1]
		} else {
			start, rest = midpoint(start, end), pts
		}
	}
	dst.MoveTo(start.pixels())
	var control point // of the quadratic that has begun
	curving := false
	for _, p := range rest {
		switch {
		case p.on && curving:
			dst.QuadTo(control.pixels(), p.pixels())
			curving = false
		case p.on:
			dst.LineTo(p.pixels())
		case curving:
			dst.QuadTo(control.pixels(), midpoint(control, p).pixels())
			control = p
		default:
			control, curving = p, true
		}
	}
	if curving {
		dst.QuadTo(control.pixels(), start.pixels())
	}
	dst.Close()
}
