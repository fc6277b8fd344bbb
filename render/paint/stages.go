package paint

import (
	"math"

	"plumb/render/geom"
	"plumb/render/vector"
	"plumb/render/view"
)

// The browser maps a shape to the picture in steps, each rounded to its own precision. The last bits of
// points decide on which quarter of a row an edge begins, and whether a path is convex, which fills it in
// another way. So every map is made in the browser's steps. See docs/spec/drawing.md#r85.

// twoStepMap is the map of the page to the picture in the two steps of the browser, which differ in precision:
// from the page to the image that the browser lays out, in binary64, and from that image to the picture of whole
// px, in binary32.
type twoStepMap struct {
	image   geom.Matrix   // page to image
	picture vector.Matrix // image to picture
}

// newTwoStepMap returns the map of a part of the page to a picture of w x h px. The browser draws an
// image whose sides are whole px, into which it stretches the part as it laid it out, in 1/64 px.
// float64 around products keeps multiply-adds from being fused, so that every machine gives the same bits.
func newTwoStepMap(part view.Box, w, h int) twoStepMap {
	left, top := float64(geom.AsExportedUnrounded(part.X)), float64(geom.AsExportedUnrounded(part.Y))
	x, y := newSideFactors(part.W, w), newSideFactors(part.H, h)
	k := min(x.fit/x.side, y.fit/y.side)
	layout := geom.Matrix{
		A: k, D: k,
		E: (x.fit-float64(x.side*k))/2 - float64(left*k),
		F: (y.fit-float64(y.side*k))/2 - float64(top*k),
	}
	return twoStepMap{
		image:   geom.Matrix{A: x.image, D: y.image}.Mul(layout),
		picture: vector.Matrix{A: x.picture, D: y.picture},
	}
}

// sideFactors is the width or the height of a view.
type sideFactors struct {
	side, fit float64 // page units, and in 1/64 px
	image     float64 // factor by which the image stretches what was laid out
	picture   float32 // factor by which the picture stretches the image
}

// newSideFactors returns a side of so many page units that becomes px in the picture. The browser finds
// the side of the image by a factor, so that it is whole px but for the last bit.
func newSideFactors(side float64, px int) sideFactors {
	read := geom.AsExportedUnrounded(side)
	s := sideFactors{side: float64(read)}
	s.fit = math.Floor(s.side*64) / 64
	whole := float32(math.Floor(s.fit + 0.5))
	s.image = float64(whole / float32(s.fit))
	s.picture = float32(px) / float32(read*float32(whole/read))
	return s
}

// of returns the map to the picture of what page maps to the page.
func (steps *twoStepMap) of(page geom.Matrix) vector.Matrix {
	return steps.picture.Mul(geom.Narrowed(steps.image.Mul(page)))
}

// inLayer calls draw, which appends coverage to the drawing, with the map of the shape to px. In a group layer the
// browser counts px from the layer's corner, which changes the last bits of points. So there the map and the
// canvas begin at that corner while draw runs, and its coverage is moved to its place in the picture afterwards.
func (builder *Builder) inLayer(matrix vector.Matrix, draw func(vector.Matrix) error) error {
	if !builder.layered {
		return draw(matrix)
	}
	spans, pairs := len(builder.drawing.Coverage.Spans), len(builder.drawing.PairPixels)
	corner := builder.canvas()
	builder.originX, builder.originY = corner.X0, corner.Y0
	matrix.E -= float32(corner.X0)
	matrix.F -= float32(corner.Y0)
	err := draw(matrix)
	builder.originX, builder.originY = 0, 0
	for i := range builder.drawing.Coverage.Spans[spans:] {
		span := &builder.drawing.Coverage.Spans[spans+i]
		span.X, span.Y = span.X+corner.X0, span.Y+corner.Y0
	}
	for i := range builder.drawing.PairPixels[pairs:] {
		pair := &builder.drawing.PairPixels[pairs+i]
		pair.X, pair.Y = pair.X+corner.X0, pair.Y+corner.Y0
	}
	return err
}
