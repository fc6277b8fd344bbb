// Package canvas is a bitmap that is drawn on like a browser's 2D canvas: stroke by stroke, in
// order, with 8-bit blending (docs/spec/drawingbench.md#r57, docs/spec/raster.md#r25). In:
// strokes, discs, outlines, flood fills in canvas px. Out: pixels, and what was counted of
// them. Coordinates that are not finite paint nothing; nothing is refused. It runs on the CPU,
// because the order of strokes matters.
package canvas

import (
	"image"
	"math"

	"plumb/render/chord"
	"plumb/render/scan"
	"plumb/render/stroke"
	"plumb/render/vector"
)

// The size of the drawing app's canvas, px. See docs/spec/drawingbench.md#r6.
const (
	Width  = 1000
	Height = 700
)

// Colour is an opaque colour, 8 bits a channel.
type Colour struct{ R, G, B uint8 }

// row is a row of pixels, premultiplied RGBA. Pictures share a row until one of them writes to it.
type row struct {
	owner *Canvas
	era   int // of the owner when it took the row
	pix   [4 * Width]uint8
}

// Canvas is a picture that is being drawn. The zero value is not ready: use New.
// One goroutine uses it at a time.
type Canvas struct {
	rows [Height]*row
	era  int // grows with each Snapshot: rows of earlier eras are shared

	stroker stroke.Stroker
	scanner scan.Scanner
	cover   scan.Coverage
	line    vector.Path
	outline vector.Path
	stack   []int32
	free    []*row

	// pairs holds, while a path is filled, the coverage of its pixels that the
	// two-pixel rule blends; paired lists them.
	pairs  [Width * Height]uint8
	paired []int32

	mark Mark
}

// Mark describes what was painted since Reset or the last call of Take.
type Mark struct {
	Box     image.Rectangle // of the pixels that changed; empty where none did
	Changed int             // writes that changed a pixel
	Writes  int             // writes to a pixel, also of what was there
}

// Snapshot is a picture at one moment. It shares its rows with the canvas until
// they are painted on.
type Snapshot struct{ rows [Height]*row }

// New returns a white canvas.
func New() *Canvas {
	c := &Canvas{}
	c.Reset()
	return c
}

// white is the row of an empty canvas; no canvas owns it.
var white = func() *row {
	r := &row{}
	for i := range r.pix {
		r.pix[i] = 255
	}
	return r
}()

// Reset makes the canvas white. Snapshots taken before must not be used any more.
func (canvas *Canvas) Reset() {
	for y, r := range canvas.rows {
		if r != nil && r.owner == canvas {
			canvas.free = append(canvas.free, r)
		}
		canvas.rows[y] = white
	}
	canvas.era++
	canvas.mark = Mark{}
}

// Snapshot keeps the picture as it is now.
func (canvas *Canvas) Snapshot() *Snapshot {
	canvas.era++
	return &Snapshot{canvas.rows}
}

// Restore sets the picture to that of a snapshot. It does not count as painting.
func (canvas *Canvas) Restore(s *Snapshot) {
	canvas.rows = s.rows
	canvas.era++
}

// Take returns the Mark since the last call, and starts a new one.
func (canvas *Canvas) Take() Mark {
	m := canvas.mark
	canvas.mark = Mark{}
	return m
}

// rowForWriting returns row y of the picture, for the caller to write to. If the canvas shares it with a
// snapshot, or it is the white row, the canvas gets a copy first.
func (canvas *Canvas) rowForWriting(y int) *row {
	r := canvas.rows[y]
	if r.owner == canvas && r.era == canvas.era {
		return r
	}
	var own *row
	if n := len(canvas.free); n > 0 {
		own, canvas.free = canvas.free[n-1], canvas.free[:n-1]
	} else {
		own = &row{}
	}
	own.owner, own.era, own.pix = canvas, canvas.era, r.pix
	canvas.rows[y] = own
	return own
}

// blender blends one pixel with coverage a, 1..255. pair is the coverage of a pixel that the
// two-pixel rule blends, and 0 for others. See docs/spec/raster.md#r22.
type blender func(p []uint8, a, pair uint32)

// clip is the canvas as the scan converter takes it.
var clip = chord.Rect{X0: 0, Y0: 0, X1: Width, Y1: Height}

// fill paints the inside of a path onto the canvas: it blends every pixel that the scan converter covers, with
// the coverage, or with that before the two-pixel rule where this alone has drawn the pixel. Painting is
// recorded in canvas.mark.
func (canvas *Canvas) fill(p *vector.Path, rule scan.Rule, blend blender) {
	canvas.cover.Reset()
	canvas.scanner.Pairs = canvas.notePair
	canvas.scanner.Append(&canvas.cover, p, clip, rule)
	for _, span := range canvas.cover.Spans {
		x, y, n := int(span.X), int(span.Y), int(span.N)
		if y < 0 || y >= Height || x < 0 || x >= Width {
			continue
		}
		n = min(n, Width-x)
		row := canvas.rowForWriting(y)
		for i := range n {
			a := uint32(255)
			if span.At != scan.Full {
				a = uint32(canvas.cover.Bytes[int(span.At)+i])
			}
			index := y*Width + x + i
			pair := uint32(canvas.pairs[index])
			canvas.pairs[index] = 0
			if pair != 0 && a != 255*(pair+pair>>7)>>8 { // not what the rule makes of it on an empty pixel
				pair = 0 // something else was drawn there too
			}
			if a|pair != 0 {
				canvas.blendPixel(row, x+i, y, a, pair, blend)
			}
		}
	}
	for _, index := range canvas.paired {
		// What was not in a span has no coverage after the rule, but coverage 1 is blended all the same.
		if canvas.pairs[index] == 1 {
			x, y := int(index)%Width, int(index)/Width
			canvas.blendPixel(canvas.rowForWriting(y), x, y, 0, 1, blend)
		}
		canvas.pairs[index] = 0
	}
	canvas.paired = canvas.paired[:0]
}

// notePair records a pixel of the canvas that the two-pixel rule blends.
func (canvas *Canvas) notePair(x, y int32, a byte) {
	if x >= 0 && x < Width && y >= 0 && y < Height && a != 0 {
		at := y*Width + x
		canvas.pairs[at] = a
		canvas.paired = append(canvas.paired, at)
	}
}

// blendPixel blends one pixel of row y into the picture and records in the mark that it changed.
func (canvas *Canvas) blendPixel(r *row, x, y int, a, pair uint32, blend blender) {
	p := r.pix[4*x : 4*x+4 : 4*x+4]
	before := [4]uint8(p)
	blend(p, a, pair)
	canvas.mark.Writes++
	if [4]uint8(p) != before {
		canvas.mark.addPixel(x, y)
	}
}

// addPixel adds a changed pixel to what the mark tells of the last painting: the number and the box
// of changed pixels.
func (mark *Mark) addPixel(x, y int) {
	mark.Changed++
	at := image.Rect(x, y, x+1, y+1)
	if mark.Box.Empty() {
		mark.Box = at
		return
	}
	mark.Box = mark.Box.Union(at)
}

// opaqueBlender returns what blends an opaque drawing colour into a pixel of the canvas. See
// docs/spec/raster.md#r25 and docs/spec/raster.md#r22.
func opaqueBlender(k Colour) blender {
	s := [4]uint32{uint32(k.R), uint32(k.G), uint32(k.B), 255}
	return func(p []uint8, a, pair uint32) {
		switch {
		case pair != 0:
			scale := pair + pair>>7
			for i := range s {
				p[i] = uint8((s[i]*scale + uint32(p[i])*(256-scale)) >> 8)
			}
		case a == 255:
			p[0], p[1], p[2], p[3] = k.R, k.G, k.B, 255
		default:
			for i := range s {
				p[i] = uint8(s[i]*(a+1)>>8 + uint32(p[i])*(256-a)>>8)
			}
		}
	}
}

// eraseBlender reduces all channels of a pixel of the canvas by the eraser's coverage a, 0 to 255, so
// that a fully covered pixel becomes transparent. See docs/spec/drawingbench.md#r59.
func eraseBlender(p []uint8, a, _ uint32) {
	for i := range p {
		v := uint32(p[i]) * (255 - a)
		p[i] = uint8((v + 127) / 255)
	}
}

// brush returns the blender and the fill rule of a drawing colour, or of the eraser.
func brush(k Colour, erasing bool) (blender, scan.Rule) {
	if erasing {
		return eraseBlender, scan.Rule{Plain: true} // it adds no colour, as black adds none
	}
	return opaqueBlender(k), scan.Rule{Plain: k == Colour{}}
}

// allFinite reports whether all coordinates are numbers that geometry in single precision can use.
// See docs/spec/drawingbench.md#r64.
func allFinite(vs ...float64) bool {
	for _, v := range vs {
		if math.IsNaN(v) || math.Abs(v) > 1e9 {
			return false
		}
	}
	return true
}

func point(x, y float64) vector.Point { return vector.Point{X: float32(x), Y: float32(y)} }

// Segment paints a line with round ends, px; one of no length paints nothing. See
// docs/spec/drawingbench.md#r58.
func (canvas *Canvas) Segment(x0, y0, x1, y1, size float64, k Colour, erasing bool) {
	if !allFinite(x0, y0, x1, y1) || point(x0, y0) == point(x1, y1) {
		return
	}
	canvas.line.Reset()
	canvas.line.MoveTo(point(x0, y0))
	canvas.line.LineTo(point(x1, y1))
	canvas.stroke(size, k, erasing)
}

// stroke paints canvas.line onto the canvas with a round pen of size px.
func (canvas *Canvas) stroke(size float64, k Colour, erasing bool) {
	canvas.outline.Reset()
	canvas.stroker.Outline(&canvas.outline, &canvas.line, float32(size), 1)
	p, rule := brush(k, erasing)
	canvas.fill(&canvas.outline, rule, p)
}

// Disc paints a filled circle of the given diameter, px. See
// docs/spec/drawingbench.md#r60.
func (canvas *Canvas) Disc(x, y, size float64, k Colour, erasing bool) {
	if !allFinite(x, y) {
		return
	}
	canvas.outline.Reset()
	circle(&canvas.outline, x, y, size/2)
	p, rule := brush(k, erasing)
	canvas.fill(&canvas.outline, rule, p)
}

// circle appends a circle on the canvas to a path as four conics, from its right end clockwise on
// screen.
func circle(path *vector.Path, x, y, r float64) {
	w := float32(math.Sqrt2 / 2)
	path.MoveTo(point(x+r, y))
	path.ConicTo(point(x+r, y+r), point(x, y+r), w)
	path.ConicTo(point(x-r, y+r), point(x-r, y), w)
	path.ConicTo(point(x-r, y-r), point(x, y-r), w)
	path.ConicTo(point(x+r, y-r), point(x+r, y), w)
	path.Close()
}

// Circle paints the outline of a circle with a centred stroke, px. Where the stroke
// is wider than the circle, it is a disc. See docs/spec/drawingbench.md#r62.
func (canvas *Canvas) Circle(x, y, r, size float64, k Colour) {
	if !allFinite(x, y, r) || r <= 0 {
		return
	}
	if r < size/2 {
		canvas.Disc(x, y, 2*r+size, k, false)
		return
	}
	canvas.line.Reset()
	circle(&canvas.line, x, y, r)
	canvas.line.Verbs = canvas.line.Verbs[:len(canvas.line.Verbs)-1] // without the Close: an open path, whose round ends meet
	canvas.stroke(size, k, false)
}

// Rectangle paints the outline of the rectangle between two corners, with sharp
// corners or round ones. With one side of no length it is a bar along the other,
// cut flat at its ends where corners are sharp; with both it is nothing. See
// docs/spec/drawingbench.md#r61.
func (canvas *Canvas) Rectangle(x0, y0, x1, y1, size float64, round bool, k Colour) {
	if !allFinite(x0, y0, x1, y1) || x0 == x1 && y0 == y1 {
		return
	}
	x0, x1, y0, y1 = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
	if x0 == x1 || y0 == y1 {
		canvas.drawBar(x0, y0, x1, y1, size, round, k)
		return
	}
	blender, _ := brush(k, false)
	if round {
		canvas.line.Reset()
		corners(&canvas.line, x0, y0, x1, y1)
		canvas.stroke(size, k, false)
		return
	}
	h := size / 2
	canvas.fillFrame(frameBox{x0 - h, y0 - h, x1 + h, y1 + h}, frameBox{x0 + h, y0 + h, x1 - h, y1 - h}, blender)
}

// drawBar paints a rectangle with one side of length 0: a line along the other side, with round
// ends or cut flat.
func (canvas *Canvas) drawBar(x0, y0, x1, y1, size float64, round bool, k Colour) {
	if round {
		canvas.Segment(x0, y0, x1, y1, size, k, false)
		return
	}
	h := size / 2
	blender, _ := brush(k, false)
	if y0 == y1 {
		y0, y1 = y0-h, y1+h
	} else {
		x0, x1 = x0-h, x1+h
	}
	canvas.fillFrame(frameBox{x0, y0, x1, y1}, frameBox{}, blender)
}

// corners appends the outline of a rectangle to path, from its top left corner (x0, y0) clockwise
// on screen; the opposite corner is (x1, y1), both in canvas px.
func corners(path *vector.Path, x0, y0, x1, y1 float64) {
	path.MoveTo(point(x0, y0))
	path.LineTo(point(x1, y0))
	path.LineTo(point(x1, y1))
	path.LineTo(point(x0, y1))
	path.Close()
}
