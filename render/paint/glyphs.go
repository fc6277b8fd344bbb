package paint

import (
	"math"
	"sync"

	"plumb/render/area"
	"plumb/render/chord"
	"plumb/render/font"
	"plumb/render/hair"
	"plumb/render/scan"
	"plumb/render/shapes"
	"plumb/render/vector"
)

// glyphKey identifies the mask of a glyph: its outline in px at a subpixel position.
type glyphKey struct {
	face       *font.Face
	turn       [4]float32 // glyphScale.turn: factors a, b, c, d of what is left of the map to px besides size
	size       int32      // 1/64 px per em
	id         uint16
	subX, subY uint8 // quarters of a px
	lightness  uint8 // of the text: the row of its contrast table
	mode       Raster
}

// glyphMask is the coverage mask of a glyph, relative to the whole pixel of its pen.
type glyphMask struct {
	firstSpan, spanCount int32    // in glyphCache.coverage
	firstByte, endByte   int32    // the range of the bytes of its spans
	box                  [4]int32 // left, top, right, bottom of its pixels
	pieces               int      // of its outline, as Drawing.Pieces counts them
	// drawingByte is where the bytes lie in the drawing, if copiedIn is glyphCache.textNumber: then the current
	// text has copied them already. All copies of a halo share them.
	copiedIn, drawingByte int32
}

// Limits of a glyph cache: some 16 MB each.
const (
	maxGlyphs     = 1 << 17
	maxGlyphSpans = 1 << 20
	maxGlyphBytes = 1 << 24
)

// glyphCache makes glyph masks and keeps them. The mask of a glyph does not depend on where it lies, so it is
// only shifted by whole pixels afterwards. The bytes contain the contrast already. See docs/spec/raster.md#r24.
type glyphCache struct {
	known        map[glyphKey]int32 // positions in glyphs
	glyphs       []glyphMask
	coverage     scan.Coverage
	scanner      scan.Scanner
	filler       area.Filler
	path         vector.Path
	line         lineMask      // the last underline or strike
	halo         lineMask      // copies of line
	lineCoverage scan.Coverage // of line
	turnedRow    []byte        // a row of a turned line
	textNumber   int32         // number of the current text, counted over all drawings
	bytesAtStart int           // bytes of coverage when the current text began
}

// begin prepares the cache of glyph masks for another text of a drawing. It changes textNumber, so that the
// masks' bytes are copied into the drawing anew for this text, and empties a cache that is full.
func (cache *glyphCache) begin() {
	cache.textNumber++
	full := len(cache.coverage.Spans) > maxGlyphSpans || len(cache.coverage.Bytes) > maxGlyphBytes || len(cache.glyphs) > maxGlyphs
	if cache.known == nil || full {
		cache.known, cache.glyphs = map[glyphKey]int32{}, cache.glyphs[:0]
		cache.coverage.Reset()
	}
	cache.bytesAtStart = sizeOf(&cache.coverage)
}

// grown returns how many bytes the current text has added.
func (cache *glyphCache) grown() int { return sizeOf(&cache.coverage) - cache.bytesAtStart }

// maskOf returns the position in cache.glyphs of a glyph's coverage mask, relative to the whole pixel of
// the pen. On first use it makes the mask and applies the contrast for the lightness of its colour.
func (cache *glyphCache) maskOf(key *glyphKey) (int32, error) {
	if known, ok := cache.known[*key]; ok {
		return known, nil
	}
	matrix := vector.Matrix{
		A: key.turn[0], B: key.turn[1], C: key.turn[2], D: key.turn[3],
		E: float32(key.subX) / 4, F: float32(key.subY) / 4, // quarters of a px
	}
	glyph, err := cache.maskOfOutline(key, float64(key.size)/64, matrix, chord.NoClip, scan.Rule{Plain: true})
	if err == nil {
		cache.applyContrast(&cache.glyphs[glyph], &contrastTables()[key.lightness])
		cache.known[*key] = glyph
	}
	return glyph, err
}

// applyContrast maps the coverage bytes of a glyph mask to alpha by a contrast table.
func (cache *glyphCache) applyContrast(mask *glyphMask, table *contrastTable) {
	bytes := cache.coverage.Bytes[mask.firstByte:mask.endByte]
	for i, coverage := range bytes {
		bytes[i] = table[coverage]
	}
}

// maskOfOutline rasterises the outline of a glyph at size px per em, mapped by matrix, and returns the
// position of its mask in cache.glyphs. Of the key it uses only the face, the glyph and the mode.
func (cache *glyphCache) maskOfOutline(key *glyphKey, size float64, matrix vector.Matrix, clip chord.Rect, rule scan.Rule) (int32, error) {
	cache.path.Reset()
	if err := key.face.Outline(&cache.path, key.id, size); err != nil {
		return 0, err
	}
	return cache.rasterPath(matrix, clip, key.mode, rule), nil
}

// rasterPath rasterises cache.path, mapped by m, and returns the position of the mask.
func (cache *glyphCache) rasterPath(m vector.Matrix, clip chord.Rect, mode Raster, r scan.Rule) int32 {
	first, at := len(cache.coverage.Spans), len(cache.coverage.Bytes)
	cache.appendCoverage(&cache.coverage, m, clip, mode, r)
	return cache.addMask(first, at)
}

// rasterHair rasterises a thin stroke (hairline) along cache.path, which is in px, and returns the
// position of its mask in cache.glyphs.
func (cache *glyphCache) rasterHair(h *hair.Stroker, clip chord.Rect) int32 {
	first, at := len(cache.coverage.Spans), len(cache.coverage.Bytes)
	h.Add(&cache.path, clip)
	h.Take(&cache.coverage, nil)
	cache.filler.Pieces = 0 // addMask counts these, and the stroke has none
	return cache.addMask(first, at)
}

// appendCoverage appends the coverage of cache.path, mapped by m, to dst. In Reference mode the browser's scan
// converter computes it by the fill rule. In Exact mode it is the true area by the non-zero rule, and of rule
// nothing else is used. The area filler counts the outline's pieces, which addMask stores with the
// mask; the scan converter has none.
func (cache *glyphCache) appendCoverage(dst *scan.Coverage, m vector.Matrix, clip chord.Rect, mode Raster, rule scan.Rule) {
	cache.path.Transform(m)
	cache.filler.Pieces = 0
	if mode == Reference {
		cache.scanner.Append(dst, &cache.path, clip, rule)
		return
	}
	cache.filler.Add(&cache.path, clip)
	cache.filler.Take(dst)
}

// addMask makes a glyph mask of what was appended to cache.coverage: the spans from position firstSpan on, and
// the bytes from position firstByte on. It returns the mask's position in cache.glyphs.
func (cache *glyphCache) addMask(firstSpan, firstByte int) int32 {
	cache.glyphs = append(cache.glyphs, glyphMask{
		firstSpan: int32(firstSpan), spanCount: int32(len(cache.coverage.Spans) - firstSpan),
		firstByte: int32(firstByte), endByte: int32(len(cache.coverage.Bytes)),
		box: boxOfSpans(cache.coverage.Spans[firstSpan:]), pieces: cache.filler.Pieces,
	})
	return int32(len(cache.glyphs) - 1)
}

// emptyBox holds no pixel.
var emptyBox = [4]int32{math.MaxInt32, math.MaxInt32, math.MinInt32, math.MinInt32}

// boxOfSpans returns the box of the pixels that coverage spans touch: left, top, right, bottom,
// half-open. It is all 0 without spans.
func boxOfSpans(spans []scan.Span) [4]int32 {
	box := emptyBox
	for _, s := range spans {
		box[0], box[1] = min(box[0], s.X), min(box[1], s.Y)
		box[2], box[3] = max(box[2], s.X+s.Width), max(box[3], s.Y+1)
	}
	if len(spans) == 0 {
		return [4]int32{}
	}
	return box
}

// drawMask appends the mask of a glyph to the drawing, with its pen at the pixel (x, y), and makes it the
// coverage of the item. The bytes of a mask are copied once per text, its spans on each use, because only spans
// depend on the place. It adds the pieces of the mask's outline to those of the drawing.
func (cache *glyphCache) drawMask(drawing *Drawing, glyph, x, y int32, item *Item) {
	mask := &cache.glyphs[glyph]
	item.SpanCount = mask.spanCount
	drawing.Pieces += mask.pieces
	if mask.copiedIn != cache.textNumber { // the first use in this text: the drawing has no bytes of the mask yet
		mask.copiedIn, mask.drawingByte = cache.textNumber, int32(len(drawing.Coverage.Bytes))
		drawing.Coverage.Bytes = append(drawing.Coverage.Bytes, cache.coverage.Bytes[mask.firstByte:mask.endByte]...)
	}
	item.FirstSpan = int32(len(drawing.Coverage.Spans))
	for _, span := range cache.coverage.Spans[mask.firstSpan : mask.firstSpan+mask.spanCount] {
		span.X, span.Y = span.X+x, span.Y+y
		if span.FirstByte != scan.Full {
			span.FirstByte += mask.drawingByte - mask.firstByte // from the cache's bytes to those of the drawing
		}
		drawing.Coverage.Spans = append(drawing.Coverage.Spans, span)
	}
}

// The browser maps the coverage of glyphs to alpha by a table that depends on the lightness of
// the text. The two constants were found by drawing text in many colours with it: all 8 x 256
// entries are equal. See docs/spec/drawing.md#r57.
const (
	contrastGamma = 1.1875
	contrastBoost = 0.2
	contrastRows  = 8 // lightness is used with three bits
)

// contrastTable maps coverage in 1/255 to alpha in 1/255: 0 and 255 to themselves.
type contrastTable [256]uint8

// contrastTables holds one table per lightness.
var contrastTables = sync.OnceValue(func() *[contrastRows]contrastTable {
	tables := new([contrastRows]contrastTable)
	for row := range tables {
		for i := range tables[row] {
			tables[row][i] = contrast(row, i)
		}
	}
	return tables
})

// contrast returns the alpha, 0 to 255, for coverage i/255 in text of one of eight lightnesses (row), as the
// browser's glyph contrast does. It blends the text over its opposite lightness in linear light, with the
// coverage boosted for dark text, and returns the alpha that gives the same result without linear light.
func contrast(row, i int) uint8 {
	light := float64(threeBits(uint8(row<<5))) / 255
	opposite := 1 - light
	x := float64(i) / 255
	linearLight, linearOpposite := math.Pow(light, contrastGamma), math.Pow(opposite, contrastGamma)
	// float64 around a product makes Go round it before it is added, so that no processor fuses both steps and
	// all give the same bits.
	boosted := x + float64(x*(1-x)*contrastBoost*linearOpposite)
	blended := math.Pow(max(0, float64(boosted*linearLight)+float64((1-boosted)*linearOpposite)), 1/contrastGamma)
	return uint8(math.Floor(255*(blended-opposite)/(light-opposite) + 0.5))
}

// threeBits keeps the upper three bits of a channel and spreads them to 0..255.
func threeBits(v uint8) uint8 {
	v >>= 5
	return v<<5 | v<<2 | v>>1 // the three bits, repeated
}

// lightness returns the row of the contrast tables for a text colour: its luminance in three bits.
func lightness(c shapes.RGB) int {
	r, g, b := float64(threeBits(c[0])), float64(threeBits(c[1])), float64(threeBits(c[2]))
	return int(float64(0.2126*r)+float64(0.7152*g)+float64(0.0722*b)+0.5) >> 5
}
