package outline

import (
	"math"

	"plumb/render/chord"
	"plumb/render/font"
	"plumb/render/path"
)

// glyphKey names a glyph as it is cut: a form in px at one of the sub-positions.
type glyphKey struct {
	face       *font.Face
	m          [4]float32 // a b c d of the map from px at size to px
	size       int32      // 1/64 px per em
	id         uint16
	subX, subY uint8 // quarters of a px
	mode       Raster
}

// cutGlyph is a glyph's segments relative to the whole pixel of its pen.
type cutGlyph struct {
	first, count int32
	box          [4]int32 // left, top, right, bottom in whole px; empty without segments
}

// maxGlyphSegments bounds what a cache remembers: 16 MB.
const maxGlyphSegments = 1 << 20

// glyphCache cuts glyphs and remembers them. Glyph masks are cut without regard
// to where they come to lie (reference-raster.md 12), so a shift by whole pixels
// is all that is left to do.
type glyphCache struct {
	known    map[glyphKey]cutGlyph
	segments []chord.Segment
	cutter   chord.Cutter
	path     path.Path
}

// reset drops everything when the memory is used up. It must not be called
// between cut and the use of what it returned.
func (c *glyphCache) reset() {
	if c.known == nil || len(c.segments) > maxGlyphSegments {
		c.known, c.segments = map[glyphKey]cutGlyph{}, c.segments[:0]
	}
}

// cut returns the segments of a glyph.
func (c *glyphCache) cut(key *glyphKey) (cutGlyph, error) {
	if g, ok := c.known[*key]; ok {
		return g, nil
	}
	m := path.Matrix{
		A: key.m[0], B: key.m[1], C: key.m[2], D: key.m[3],
		E: float32(key.subX) / 4, F: float32(key.subY) / 4,
	}
	g, err := c.append(key, float64(key.size)/64, m, chord.NoClip)
	if err == nil {
		c.known[*key] = g
	}
	return g, err
}

// cutPath cuts a glyph that is drawn as a path, where it is: m maps the shape's
// units to px, its pen is at (x, y), k is the font size over pathSize. It is not
// remembered.
func (c *glyphCache) cutPath(key *glyphKey, m path.Matrix, x, y, k float32, clip chord.Rect) (cutGlyph, error) {
	return c.append(key, pathSize, path.Matrix{A: m.A * k, B: m.B * k, C: m.C * k, D: m.D * k, E: x, F: y}, clip)
}

// append cuts a glyph's outline at size px per em, mapped by m.
func (c *glyphCache) append(key *glyphKey, size float64, m path.Matrix, clip chord.Rect) (cutGlyph, error) {
	c.path.Reset()
	if err := key.face.Outline(&c.path, key.id, size); err != nil {
		return cutGlyph{}, err
	}
	c.path.Transform(m)
	mode := chord.Reference
	if key.mode == Exact {
		mode = chord.Exact
	}
	g := cutGlyph{first: int32(len(c.segments))}
	c.segments = c.cutter.Append(c.segments, &c.path, clip, mode)
	g.count = int32(len(c.segments)) - g.first
	g.box = boxOf(c.segments[g.first:])
	return g, nil
}

// boxOf returns the whole pixels that segments touch.
func boxOf(segments []chord.Segment) (box [4]int32) {
	if len(segments) == 0 {
		return box
	}
	box = [4]int32{math.MaxInt32, math.MaxInt32, math.MinInt32, math.MinInt32}
	for _, s := range segments {
		box[0], box[1] = min(box[0], s.X0, s.X1), min(box[1], s.Y0, s.Y1)
		box[2], box[3] = max(box[2], s.X0, s.X1), max(box[3], s.Y0, s.Y1)
	}
	for i := range 2 {
		box[i], box[i+2] = box[i]>>10, (box[i+2]+Unit-1)>>10
	}
	return box
}
