package canvas

import "image"

// Palette is a list of colours that Stats counts, in the order of its counts.
type Palette []Colour

// Stats is what was measured of a picture, composited over white; places are pixel
// indices. Ink of a pixel is (255 - its smallest channel) / 255. See
// docs/spec/drawingbench.md#r68.
type Stats struct {
	NonWhite             int // pixels with any ink
	Solid                int // pixels with 128/255 or more
	Transparent, Partial int // pixels with alpha 0, and with alpha 1..254
	// InkSum is the sum of ink in 1/255. Sums are integers: their order cannot
	// matter.
	InkSum, InkX, InkY int64 // InkX, InkY: times the pixel's place
	SumX, SumY         int64 // of the places of pixels with any ink
	Box, SolidBox      image.Rectangle
	Quadrants          [4]int // NonWhite top left, top right, bottom left, bottom right; split at 500, 350
	Corners            [4]int // NonWhite in the outer cells of a grid of 3 x 3, in the same order
	Colours            []int  // opaque pixels of exactly a palette colour
	Other              int    // opaque pixels of any other colour
}

// Measure computes the statistics of the picture: colours, ink and its place.
func (canvas *Canvas) Measure(palette Palette) Stats {
	stats := Stats{Colours: make([]int, len(palette))}
	whiteRows := 0 // rows that nothing was painted on
	for y, row := range canvas.rows {
		if row == white {
			whiteRows++
			continue
		}
		stats.addRow(row, y, palette)
	}
	stats.addWhite(whiteRows*Width, palette)
	return stats
}

// addWhite counts n white pixels of the canvas, for rows on which nothing was painted.
func (stats *Stats) addWhite(n int, palette Palette) {
	for i, colour := range palette {
		if (colour == Colour{255, 255, 255}) {
			stats.Colours[i] += n
			return
		}
	}
	stats.Other += n
}

// addRow adds the pixels of row y of the picture to the statistics: their colours and their ink over white.
func (stats *Stats) addRow(r *row, y int, palette Palette) {
	whitePixels := 0
	for x := range Width {
		pixel := r.pix[4*x : 4*x+4 : 4*x+4]
		if pixel[0]&pixel[1]&pixel[2]&pixel[3] == 255 {
			whitePixels++
			continue
		}
		switch pixel[3] {
		case 255:
			stats.countColour(Colour{pixel[0], pixel[1], pixel[2]}, palette)
		case 0:
			stats.Transparent++
		default:
			stats.Partial++
		}
		// Premultiplied over white: every channel gains what alpha lacks.
		lack := 255 - pixel[3]
		ink := 255 - int64(min(pixel[0], pixel[1], pixel[2])) - int64(lack)
		if ink > 0 {
			stats.addInk(x, y, ink)
		}
	}
	stats.addWhite(whitePixels, palette)
}

// countColour counts an opaque pixel under its colour in the palette, or as of another colour.
func (stats *Stats) countColour(colour Colour, palette Palette) {
	for i := range palette {
		if palette[i] == colour {
			stats.Colours[i]++
			return
		}
	}
	stats.Other++
}

// solidInk is the ink, half of the full 255, from which a pixel counts as solid.
const solidInk = 128

// addInk adds a pixel with ink, 1..255, to the sums, boxes, quadrants and corners of the statistics.
func (stats *Stats) addInk(x, y int, ink int64) {
	at := image.Rect(x, y, x+1, y+1)
	stats.NonWhite++
	stats.InkSum += ink
	stats.InkX += ink * int64(x)
	stats.InkY += ink * int64(y)
	stats.SumX += int64(x)
	stats.SumY += int64(y)
	stats.Box = stats.Box.Union(at)
	if ink >= solidInk {
		stats.Solid++
		stats.SolidBox = stats.SolidBox.Union(at)
	}
	quadrant := 0
	if x >= Width/2 {
		quadrant++
	}
	if y >= Height/2 {
		quadrant += 2
	}
	stats.Quadrants[quadrant]++
	// Thirds are not whole pixels: a pixel belongs to the cell of its centre.
	left, right := 6*x+3 < 2*Width, 6*x+3 >= 4*Width
	top, bottom := 6*y+3 < 2*Height, 6*y+3 >= 4*Height
	for i, in := range [4]bool{left && top, right && top, left && bottom, right && bottom} {
		if in {
			stats.Corners[i]++
		}
	}
}

// Image returns the picture with alpha that is not premultiplied, as a PNG holds it.
func (canvas *Canvas) Image() *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, Width, Height))
	for y, r := range canvas.rows {
		out := m.Pix[y*m.Stride : y*m.Stride+4*Width]
		copy(out, r.pix[:])
		if r == white {
			continue
		}
		for x := 0; x < len(out); x += 4 {
			if a := out[x+3]; a != 255 {
				for i := range 3 {
					out[x+i] = unpremultiply(out[x+i], a)
				}
			}
		}
	}
	return m
}

// Enclosed counts the pixels that no path of white pixels, 4-connected, joins with the border: the area that a
// viewer sees as covered. It floods the white from the border inwards and counts what is left.
func (canvas *Canvas) Enclosed() int {
	outside := make([]bool, Width*Height)
	n := 0 // pixels outside
	canvas.stack = canvas.stack[:0]
	push := func(x, y int) {
		if x < 0 || y < 0 || x >= Width || y >= Height || outside[y*Width+x] || !canvas.isWhite(x, y) {
			return
		}
		outside[y*Width+x] = true
		n++
		canvas.stack = append(canvas.stack, int32(y*Width+x))
	}
	for x := range Width {
		push(x, 0)
		push(x, Height-1)
	}
	for y := range Height {
		push(0, y)
		push(Width-1, y)
	}
	for len(canvas.stack) > 0 {
		at := int(canvas.stack[len(canvas.stack)-1])
		canvas.stack = canvas.stack[:len(canvas.stack)-1]
		x, y := at%Width, at/Width
		push(x+1, y)
		push(x-1, y)
		push(x, y+1)
		push(x, y-1)
	}
	return Width*Height - n
}

// isWhite reports whether a pixel is white over a white page.
func (canvas *Canvas) isWhite(x, y int) bool {
	p := canvas.rows[y].pix[4*x : 4*x+4 : 4*x+4]
	lack := 255 - p[3]
	return p[0]+lack == 255 && p[1]+lack == 255 && p[2]+lack == 255
}
