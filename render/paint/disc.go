package paint

import (
	"math"

	"plumb/render/geom"
	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/vector"
	"plumb/render/view"
)

// A turned disc is convex or not by the last bits of its points, and the browser fills convex paths in
// another way. So for discs alone these bits are computed in the browser's steps. Everything else is
// mapped by Builder.view, which is the same map in fewer steps. See docs/spec/drawing.md#r85.

// stagedView is the map of the page to the picture in two steps: page to image, in binary64, and image
// to picture, in binary32.
type stagedView struct {
	image   geom.Matrix
	picture vector.Matrix
}

// newStagedView returns the map of a part of the page to a picture of w x h px. The browser draws an
// image whose sides are whole px, into which it stretches the part as it laid it out, in 1/64 px.
func newStagedView(part view.Box, w, h int) stagedView {
	left, top := float64(geom.Read(part.X)), float64(geom.Read(part.Y))
	x, y := newStagedSide(part.W, w), newStagedSide(part.H, h)
	k := min(x.fit/x.side, y.fit/y.side)
	layout := geom.Matrix{
		A: k, D: k,
		E: (x.fit-float64(x.side*k))/2 - float64(left*k),
		F: (y.fit-float64(y.side*k))/2 - float64(top*k),
	}
	return stagedView{
		image:   geom.Matrix{A: x.image, D: y.image}.Mul(layout),
		picture: vector.Matrix{A: x.picture, D: y.picture},
	}
}

// stagedSide is the width or the height of a view.
type stagedSide struct {
	side, fit float64 // page units, and in 1/64 px
	image     float64 // factor by which the image stretches what was laid out
	picture   float32 // factor by which the picture stretches the image
}

// newStagedSide returns a side of so many page units that becomes px in the picture. The browser finds
// the side of the image by a factor, so that it is whole px but for the last bit.
func newStagedSide(side float64, px int) stagedSide {
	read := geom.Read(side)
	s := stagedSide{side: float64(read)}
	s.fit = math.Floor(s.side*64) / 64
	whole := float32(math.Floor(s.fit + 0.5))
	s.image = float64(whole / float32(s.fit))
	s.picture = float32(px) / float32(read*float32(whole/read))
	return s
}

// judgeDisc makes builder.judged from the path of a disc of a freehand line: in px, by the browser's steps, and
// from the corner of the group layer where there is one. The scanner asks it whether the disc is convex.
func (builder *Builder) judgeDisc(draw *shapes.Draw, sh *scene.Shape, placement *shapePlacement) {
	k := float64(float32(sh.Scale)) * float64(float32(builder.local.Counter))
	v := newStagedView(builder.shown, builder.d.Width, builder.d.Height)
	inner := v.image.Mul(geom.Widened(placement.page.Binary32())).Mul(geom.Matrix{A: k, D: k})
	matrix := v.picture.Mul(geom.Narrowed(inner))
	if builder.layered {
		corner := builder.canvas()
		matrix.E -= float32(corner.X0)
		matrix.F -= float32(corner.Y0)
	}
	builder.judged.Reset()
	builder.judged.Append(draw.Path)
	builder.judged.Transform(matrix)
}
