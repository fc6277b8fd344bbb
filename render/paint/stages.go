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

// newTwoStepMap returns the map of a part of the page to a picture of w x h px. The browser lays the part out in an
// image whose sides are cut to 1/64 px, with the same scale for width and height and the part in the middle. Then
// it stretches that layout so that the sides of the image are whole px. float64 around a product makes Go round it
// before it is added; else some processors would fuse both into one step with other last bits.
func newTwoStepMap(part view.Box, w, h int) twoStepMap {
	left, top := float64(geom.AsExportedUnrounded(part.X)), float64(geom.AsExportedUnrounded(part.Y))
	x, y := newSideFactors(part.W, w), newSideFactors(part.H, h)
	scale := min(x.laidOut/x.exported, y.laidOut/y.exported)
	layout := geom.Matrix{
		A: scale, D: scale,
		E: (x.laidOut-float64(x.exported*scale))/2 - float64(left*scale),
		F: (y.laidOut-float64(y.exported*scale))/2 - float64(top*scale),
	}
	return twoStepMap{
		image:   geom.Matrix{A: x.toImage, D: y.toImage}.Mul(layout),
		picture: vector.Matrix{A: x.toPicture, D: y.toPicture},
	}
}

// sideFactors holds what the steps do to the width of a view, or to its height.
type sideFactors struct {
	exported  float64 // the side in page units, as the browser reads it from the exported file
	laidOut   float64 // the same, cut down to 1/64 px
	toImage   float64 // factor from the layout to the image
	toPicture float32 // factor from the image to the picture
}

// newSideFactors returns the factors of a side of so many page units that becomes px in the picture.
func newSideFactors(side float64, px int) sideFactors {
	exported := geom.AsExportedUnrounded(side)
	s := sideFactors{exported: float64(exported)}
	s.laidOut = math.Floor(s.exported*64) / 64
	imagePx := float32(math.Floor(s.laidOut + 0.5)) // the side of the image, whole px
	s.toImage = float64(imagePx / float32(s.laidOut))
	// The browser goes from the image to the picture by way of the exported side and a factor. The product
	// is imagePx but for its last bit, which counts.
	s.toPicture = float32(px) / float32(exported*float32(imagePx/exported))
	return s
}

// of returns the map to the picture of what page maps to the page. Only the second step is in binary32.
func (steps *twoStepMap) of(page geom.Matrix) vector.Matrix {
	return steps.picture.Mul(geom.Narrowed(steps.image.Mul(page)))
}

// withinGroupLayer calls draw, which appends coverage to the drawing, with matrix, the map of the shape to px. In a
// group layer the browser counts px from the layer's corner, which changes the last bits of points. So there draw
// gets a map to px from that corner, the canvas begins there while draw runs (originX, originY), and the coverage
// that it appended is moved to its place in the picture afterwards.
func (builder *Builder) withinGroupLayer(matrix vector.Matrix, draw func(vector.Matrix) error) error {
	if !builder.inGroupLayer {
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
