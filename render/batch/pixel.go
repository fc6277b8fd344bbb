package batch

// Pixel composites the items of one pixel, back to front, in the 8-bit arithmetic of the
// reference browser. A layer is blended like the canvas. shaders/pixel.glsl does the same for 16
// pixels at once. All values are products and sums of bytes, so they are equal on every device.
// See docs/spec/raster.md#r25.
type Pixel struct {
	sets  [2]layer
	group layer
}

// layer is the colour of one pixel so far: alpha, and colours times alpha, 0..255 each.
type layer struct{ a, r, g, b uint32 }

// Add paints an item over the pixel. coverage is how much of the pixel it covers, 0 to 255, with its clip taken
// into account. The item is painted onto its set or, if it belongs to a group, onto the group's layer: that
// begins with the group's lowest item and is drawn onto the set after its topmost one. paired says that the
// browser draws the pixel together with a neighbour, which it blends by another rule.
func (pixel *Pixel) Add(item *Item, coverage uint32, paired bool) {
	flags := item.Paint
	alpha := flags & 0xff
	set := &pixel.sets[setOf(flags)]
	into := set
	if flags&FlagGrouped != 0 {
		into = &pixel.group
		if flags&FlagGroupLast != 0 {
			*into = layer{}
		}
	}
	switch {
	case flags&FlagRoundNearest != 0:
		into.paintRounded(coverage, alpha, item.Color)
	case paired:
		into.paintPair(coverage, alpha, item.Color)
	default:
		into.paint(coverage, alpha, item.Color)
	}
	if flags&FlagGroupFirst != 0 { // the topmost item of the group
		set.drawLayer(into, item.Group, flags&FlagRoundEach != 0)
	}
}

// paint draws a colour over the pixel's layer, with alpha and coverage in 1/255. color is premultiplied by
// alpha: red is in its lowest byte, then green and blue. As in the browser, x times coverage/255 is computed as
// x*(coverage+1)>>8, which is about the same, rounded down.
func (l *layer) paint(coverage, alpha, color uint32) {
	if alpha == 255 && coverage == 255 { // the general case gives the same, more slowly
		*l = layer{255, color & 0xff, color >> 8 & 0xff, color >> 16 & 0xff}
		return
	}
	a := alpha * (coverage + 1) >> 8
	over := func(dst *uint32, c uint32) { // c is the channel's place in color, bits
		*dst = (color>>c&0xff)*(coverage+1)>>8 + *dst*(256-a)>>8
	}
	over(&l.r, 0)
	over(&l.g, 8)
	over(&l.b, 16)
	l.a = a + l.a*(256-a)>>8
}

// paintPair draws a colour by the two-pixel rule, with alpha and coverage in 1/255. color is premultiplied, as in
// paint. It is the browser's formula for pixels that it draws in pairs: both products are added before the sum is
// rounded down. A group layer that is filled with this colour and has the coverage as its opacity is drawn by the
// same formula. See docs/spec/raster.md#r22.
func (l *layer) paintPair(coverage, alpha, color uint32) {
	l.drawLayer(&layer{alpha, color & 0xff, color >> 8 & 0xff, color >> 16 & 0xff}, coverage, false)
}

// paintRounded draws a colour as the browser draws an image: products are rounded to the nearest. Arguments
// are those of paint. See docs/spec/raster.md#r26.
func (layer *layer) paintRounded(coverage, alpha, color uint32) {
	a := Div255(alpha * coverage)
	over := func(dst *uint32, c uint32) {
		*dst = Div255((color>>c&0xff)*coverage) + Div255(*dst*(255-a))
	}
	over(&layer.r, 0)
	over(&layer.g, 8)
	over(&layer.b, 16)
	layer.a = a + Div255(layer.a*(255-a))
}

// drawLayer draws the finished layer of a group over this layer, with an opacity from 0 to 255. Each channel
// becomes group*opacity + below*(1 - alpha*opacity), where alpha is the group's. The browser has two ways to
// round this, and both are repeated here bit by bit. It adds the two products before it rounds down, but where
// the group is drawn through a clip (roundEach) it rounds each product down. See docs/spec/raster.md#r27.
func (layer *layer) drawLayer(group *layer, opacity uint32, roundEach bool) {
	scale := opacity + 1          // opacity in 1/256, so that dividing by it is a shift
	covered := group.a * scale    // alpha*opacity, 0..255*256
	uncovered := 0xffff - covered // 1 - alpha*opacity in 1/65535
	// uncovered>>8 is added to have it in 1/65536, so that below is 0..256, the share of this layer that stays.
	below := (uncovered + uncovered>>8) >> 8
	over := func(dst *uint32, v uint32) { *dst = (v*scale + *dst*below) >> 8 }
	if roundEach {
		below = 256 - covered>>8 // here from covered already rounded down to 1/256
		over = func(dst *uint32, v uint32) { *dst = v*scale>>8 + *dst*below>>8 }
	}
	over(&layer.r, group.r)
	over(&layer.g, group.g)
	over(&layer.b, group.b)
	over(&layer.a, group.a)
}

// Alpha returns the alpha of both sets, 0..255.
func (pixel *Pixel) Alpha() (a0, a1 uint32) { return pixel.sets[0].a, pixel.sets[1].a }

// RGBA returns the colour of the pixel in the picture, the first set drawn over the second: 8 bits a channel,
// red in the lowest byte, not premultiplied. Halves are rounded down. See docs/spec/raster.md#r30.
func (pixel *Pixel) RGBA() uint32 {
	a, b := &pixel.sets[0], &pixel.sets[1]
	if a.a == 255 { // the general case gives the same, more slowly
		return a.r | a.g<<8 | a.b<<16 | 255<<24
	}
	uncovered := 255 - a.a // the share of the second set that shows
	alpha := a.a + Div255(b.a*uncovered)
	if alpha == 0 {
		return 0
	}
	channel := func(first, second uint32) uint32 {
		premultiplied := first + Div255(second*uncovered)
		// This is 255*premultiplied/alpha to the nearest, with halves rounded down.
		return min((2*255*premultiplied+alpha-1)/(2*alpha), 255)
	}
	return channel(a.r, b.r) | channel(a.g, b.g)<<8 | channel(a.b, b.b)<<16 | alpha<<24
}

// Div255 returns v/255 to the nearest, for v up to 255*255.
func Div255(v uint32) uint32 { return (v + 128) * 257 >> 16 }
