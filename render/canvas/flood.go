package canvas

// MaxFill is how many pixels a flood fill paints at most. See
// docs/spec/drawingbench.md#r66.
const MaxFill = 100_001

// Fill paints the 4-connected region of exactly one colour around x, y. It returns how many pixels
// it painted: 0 if the start is off the canvas or has the colour already, MaxFill if it was
// stopped. As in the app it uses a stack, up first, then down, left, right: the order decides
// which pixels a stopped fill paints. See docs/spec/drawingbench.md#r65.
func (canvas *Canvas) Fill(x, y int, colour Colour) int {
	if x < 0 || y < 0 || x >= Width || y >= Height {
		return 0
	}
	target := canvas.colour(x, y)
	if target == colour {
		return 0
	}
	painted, paint := 0, opaqueBlender(colour)
	push := func(x, y int) {
		if x >= 0 && y >= 0 && x < Width && y < Height && canvas.colour(x, y) == target {
			canvas.stack = append(canvas.stack, int32(y*Width+x))
		}
	}
	// A painted pixel has another colour than the target, so no pixel is painted
	// twice. Pixels that are off the canvas or painted already are not pushed, which
	// leaves the order of the others as it is.
	canvas.stack = append(canvas.stack[:0], int32(y*Width+x))
	for len(canvas.stack) > 0 {
		index := int(canvas.stack[len(canvas.stack)-1])
		canvas.stack = canvas.stack[:len(canvas.stack)-1]
		x, y := index%Width, index/Width
		if canvas.colour(x, y) != target { // painted since it was pushed
			continue
		}
		const wholePixel, noPair = 255, 0
		canvas.blendPixel(canvas.rowForWriting(y), x, y, wholePixel, noPair, paint)
		painted++
		if painted == MaxFill {
			return painted
		}
		push(x+1, y) // the last one that is pushed comes first
		push(x-1, y)
		push(x, y+1)
		push(x, y-1)
	}
	return painted
}

// colour returns the colour of a pixel of the canvas without its alpha. Stored channels are multiplied
// by alpha, so those of a translucent pixel are divided by it.
func (canvas *Canvas) colour(x, y int) Colour {
	pixel := canvas.rows[y].pix[4*x : 4*x+4 : 4*x+4]
	if pixel[3] == 255 {
		return Colour{pixel[0], pixel[1], pixel[2]}
	}
	return Colour{unpremultiply(pixel[0], pixel[3]), unpremultiply(pixel[1], pixel[3]), unpremultiply(pixel[2], pixel[3])}
}

// unpremultiply divides a colour channel by its pixel's alpha, rounded; 0 where alpha is 0.
func unpremultiply(v, a uint8) uint8 {
	switch a {
	case 255:
		return v
	case 0:
		return 0
	}
	return uint8(min(255, (uint32(v)*255+uint32(a)/2)/uint32(a)))
}
