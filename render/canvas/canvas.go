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
	epoch int // of the owner when it took the row
	pix   [4 * Width]uint8
}

// Canvas is a picture that is being drawn. The zero value is not ready: use New.
// One goroutine uses it at a time.
type Canvas struct {
	rows  [Height]*row
	epoch int // grows with each Snapshot: rows of earlier epochs are shared

	stroker stroke.Stroker
	scanner scan.Scanner
	cover   scan.Coverage
	line    vector.Path
	outline vector.Path
	stack   []int32
	free    []*row

	// While a path is filled, pairs holds the coverage of those of its pixels that the browser draws in
	// pairs and blends by another formula, the two-pixel rule (docs/spec/raster.md#r22); paired lists the
	// places of these pixels.
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
	canvas.epoch++
	canvas.mark = Mark{}
}

// Snapshot keeps the picture as it is now.
func (canvas *Canvas) Snapshot() *Snapshot {
	canvas.epoch++
	return &Snapshot{canvas.rows}
}

// Restore sets the picture to that of a snapshot. It does not count as painting.
func (canvas *Canvas) Restore(s *Snapshot) {
	canvas.rows = s.rows
	canvas.epoch++
}

// Take returns the Mark since the last call, and starts a new one.
func (canvas *Canvas) Take() Mark {
	m := canvas.mark
	canvas.mark = Mark{}
	return m
}

// rowForWriting returns row y of the picture, for the caller to write to. If the canvas shares it with a
// snapshot, or it is the white row, the canvas gets a copy first. A row of the canvas's own is not shared if it
// was made in the current epoch: each snapshot begins another one.
func (canvas *Canvas) rowForWriting(y int) *row {
	r := canvas.rows[y]
	if r.owner == canvas && r.epoch == canvas.epoch {
		return r
	}
	var own *row
	if n := len(canvas.free); n > 0 {
		own, canvas.free = canvas.free[n-1], canvas.free[:n-1]
	} else {
		own = &row{}
	}
	own.owner, own.epoch, own.pix = canvas, canvas.epoch, r.pix
	canvas.rows[y] = own
	return own
}

// blender blends a colour into one pixel p, premultiplied RGBA, which it covers by coverage, 1..255. For a
// pixel that the two-pixel rule blends, pair is the coverage to use instead; it is 0 for others. See
// docs/spec/raster.md#r22.
type blender func(p []uint8, coverage, pair uint32)

// clip is the canvas as the scan converter takes it.
var clip = chord.Rect{X0: 0, Y0: 0, X1: Width, Y1: Height}

// fillPath paints the inside of a path onto the canvas and records that in canvas.mark. It blends every pixel that
// the scan converter covers. The converter reports the pixels of the two-pixel rule by themselves, with the
// coverage before the rule (notePair): these are blended with that one, unless something else of the path covers
// them too.
func (canvas *Canvas) fillPath(p *vector.Path, rule scan.Rule, blend blender) {
	canvas.cover.Reset()
	canvas.scanner.OnPairPixel = canvas.notePair
	canvas.scanner.Append(&canvas.cover, p, clip, rule)
	for _, span := range canvas.cover.Spans {
		x, y, count := int(span.X), int(span.Y), int(span.Width)
		if y < 0 || y >= Height || x < 0 || x >= Width {
			continue
		}
		count = min(count, Width-x)
		row := canvas.rowForWriting(y)
		for i := range count {
			coverage := uint32(255)
			if span.FirstByte != scan.Full {
				coverage = uint32(canvas.cover.Bytes[int(span.FirstByte)+i])
			}
			index := y*Width + x + i
			pair := uint32(canvas.pairs[index])
			canvas.pairs[index] = 0
			// If the rule on an empty pixel gives another coverage, something else of the path was drawn there too.
			if pair != 0 && coverage != 255*(pair+pair>>7)>>8 {
				pair = 0
			}
			if coverage|pair != 0 {
				canvas.blendPixel(row, x+i, y, coverage, pair, blend)
			}
		}
	}
	for _, index := range canvas.paired {
		// Coverage 1 becomes 0 by the rule, so that no span has the pixel, but the browser blends it.
		if canvas.pairs[index] == 1 {
			x, y := int(index)%Width, int(index)/Width
			canvas.blendPixel(canvas.rowForWriting(y), x, y, 0, 1, blend)
		}
		canvas.pairs[index] = 0
	}
	canvas.paired = canvas.paired[:0]
}

// notePair records a pixel of the canvas that the two-pixel rule blends, with its coverage a before the rule.
func (canvas *Canvas) notePair(x, y int32, a byte) {
	if x >= 0 && x < Width && y >= 0 && y < Height && a != 0 {
		at := y*Width + x
		canvas.pairs[at] = a
		canvas.paired = append(canvas.paired, at)
	}
}

// blendPixel blends one pixel of row y into the picture and records in the mark that it changed.
func (canvas *Canvas) blendPixel(r *row, x, y int, coverage, pair uint32, blend blender) {
	pixel := r.pix[4*x : 4*x+4 : 4*x+4]
	before := [4]uint8(pixel)
	blend(pixel, coverage, pair)
	canvas.mark.Writes++
	if [4]uint8(pixel) != before {
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
func opaqueBlender(colour Colour) blender {
	channels := [4]uint32{uint32(colour.R), uint32(colour.G), uint32(colour.B), 255}
	return func(p []uint8, coverage, pair uint32) {
		switch {
		case pair != 0:
			scale := pair + pair>>7
			for i := range channels {
				p[i] = uint8((channels[i]*scale + uint32(p[i])*(256-scale)) >> 8)
			}
		case coverage == 255:
			p[0], p[1], p[2], p[3] = colour.R, colour.G, colour.B, 255
		default:
			for i := range channels {
				p[i] = uint8(channels[i]*(coverage+1)>>8 + uint32(p[i])*(256-coverage)>>8)
			}
		}
	}
}

// eraseBlender reduces all channels of a pixel of the canvas by the eraser's coverage, 0 to 255, so
// that a fully covered pixel becomes transparent. See docs/spec/drawingbench.md#r59.
func eraseBlender(p []uint8, coverage, _ uint32) {
	for i := range p {
		rest := uint32(p[i]) * (255 - coverage)
		p[i] = uint8((rest + 127) / 255)
	}
}

// brush returns the blender and the fill rule of a drawing colour, or of the eraser. The two-pixel rule does not
// hold for black and for the eraser, so that their rule is plain.
func brush(colour Colour, erasing bool) (blender, scan.Rule) {
	if erasing {
		return eraseBlender, scan.Rule{Plain: true}
	}
	return opaqueBlender(colour), scan.Rule{Plain: colour == Colour{}}
}

// allFinite reports whether all coordinates, in px, are numbers that geometry in single precision can use.
// See docs/spec/drawingbench.md#r64.
func allFinite(vs ...float64) bool {
	const most = 1e9
	for _, v := range vs {
		if math.IsNaN(v) || math.Abs(v) > most {
			return false
		}
	}
	return true
}

func point(x, y float64) vector.Point { return vector.Point{X: float32(x), Y: float32(y)} }

// Segment paints a line with round ends, px; one of no length paints nothing. See
// docs/spec/drawingbench.md#r58.
func (canvas *Canvas) Segment(x0, y0, x1, y1, size float64, colour Colour, erasing bool) {
	if !allFinite(x0, y0, x1, y1) || point(x0, y0) == point(x1, y1) {
		return
	}
	canvas.line.Reset()
	canvas.line.MoveTo(point(x0, y0))
	canvas.line.LineTo(point(x1, y1))
	canvas.stroke(size, colour, erasing)
}

// stroke paints canvas.line onto the canvas with a round pen of size px.
func (canvas *Canvas) stroke(size float64, colour Colour, erasing bool) {
	canvas.outline.Reset()
	canvas.stroker.Outline(&canvas.outline, &canvas.line, float32(size), 1)
	blend, rule := brush(colour, erasing)
	canvas.fillPath(&canvas.outline, rule, blend)
}

// Disc paints a filled circle of the given diameter, px. See
// docs/spec/drawingbench.md#r60.
func (canvas *Canvas) Disc(x, y, size float64, colour Colour, erasing bool) {
	if !allFinite(x, y) {
		return
	}
	canvas.outline.Reset()
	appendCircle(&canvas.outline, x, y, size/2)
	blend, rule := brush(colour, erasing)
	canvas.fillPath(&canvas.outline, rule, blend)
}

// appendCircle appends a circle on the canvas to a path as four conics, from its right end clockwise on
// screen.
func appendCircle(path *vector.Path, x, y, radius float64) {
	weight := float32(math.Sqrt2 / 2)
	path.MoveTo(point(x+radius, y))
	path.ConicTo(point(x+radius, y+radius), point(x, y+radius), weight)
	path.ConicTo(point(x-radius, y+radius), point(x-radius, y), weight)
	path.ConicTo(point(x-radius, y-radius), point(x, y-radius), weight)
	path.ConicTo(point(x+radius, y-radius), point(x+radius, y), weight)
	path.Close()
}

// Circle paints the outline of a circle with a centred stroke, px. Where the stroke
// is wider than the circle, it is a disc. See docs/spec/drawingbench.md#r62.
func (canvas *Canvas) Circle(x, y, radius, size float64, colour Colour) {
	if !allFinite(x, y, radius) || radius <= 0 {
		return
	}
	if radius < size/2 {
		canvas.Disc(x, y, 2*radius+size, colour, false)
		return
	}
	canvas.line.Reset()
	appendCircle(&canvas.line, x, y, radius)
	canvas.line.Verbs = canvas.line.Verbs[:len(canvas.line.Verbs)-1] // without the Close: an open path, whose round ends meet
	canvas.stroke(size, colour, false)
}

// Rectangle paints the outline of the rectangle between two corners, with sharp
// corners or round ones. With one side of no length it is a bar along the other,
// cut flat at its ends where corners are sharp; with both it is nothing. See
// docs/spec/drawingbench.md#r61.
func (canvas *Canvas) Rectangle(x0, y0, x1, y1, size float64, round bool, colour Colour) {
	if !allFinite(x0, y0, x1, y1) || x0 == x1 && y0 == y1 {
		return
	}
	x0, x1, y0, y1 = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
	if x0 == x1 || y0 == y1 {
		canvas.drawBar(x0, y0, x1, y1, size, round, colour)
		return
	}
	blender, _ := brush(colour, false)
	if round {
		canvas.line.Reset()
		appendRectangle(&canvas.line, x0, y0, x1, y1)
		canvas.stroke(size, colour, false)
		return
	}
	half := size / 2
	canvas.fillFrame(frameBox{x0 - half, y0 - half, x1 + half, y1 + half}, frameBox{x0 + half, y0 + half, x1 - half, y1 - half}, blender)
}

// drawBar paints a rectangle with one side of length 0: a line along the other side, with round
// ends or cut flat.
func (canvas *Canvas) drawBar(x0, y0, x1, y1, size float64, round bool, colour Colour) {
	if round {
		canvas.Segment(x0, y0, x1, y1, size, colour, false)
		return
	}
	half := size / 2
	blender, _ := brush(colour, false)
	if y0 == y1 {
		y0, y1 = y0-half, y1+half
	} else {
		x0, x1 = x0-half, x1+half
	}
	canvas.fillFrame(frameBox{x0, y0, x1, y1}, frameBox{}, blender)
}

// appendRectangle appends the outline of a rectangle to path, from its top left corner (x0, y0) clockwise
// on screen; the opposite corner is (x1, y1), both in canvas px.
func appendRectangle(path *vector.Path, x0, y0, x1, y1 float64) {
	path.MoveTo(point(x0, y0))
	path.LineTo(point(x1, y0))
	path.LineTo(point(x1, y1))
	path.LineTo(point(x0, y1))
	path.Close()
}
