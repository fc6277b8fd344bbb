package paint

import (
	"math"

	"plumb/render/chord"
	"plumb/render/geom"
	"plumb/render/shapes"
	"plumb/render/vector"
)

// beginGroupLayer starts a group layer of the browser, which is composited by itself, or extends the
// current one. Until endGroupLayer everything is clipped to the box of the draws, in whole units, which
// matrix maps to px. A stroke reaches half its width beyond its path. See docs/spec/raster.md#r28.
func (builder *Builder) beginGroupLayer(draws []shapes.Draw, matrix vector.Matrix) {
	all := geom.NewExtent() // of all draws, in their own units: mapped as one box
	for i := range draws {
		extent := geom.PathBounds(draws[i].Path)
		if extent.Empty() {
			continue
		}
		left, right := grown(extent.Lo.X, extent.Hi.X, draws[i].Width, len(draws) > 1)
		top, bottom := grown(extent.Lo.Y, extent.Hi.Y, draws[i].Width, len(draws) > 1)
		all.Add(geom.Pt(math.Floor(left), math.Floor(top)))
		all.Add(geom.Pt(math.Ceil(right), math.Ceil(bottom)))
	}
	if !all.Empty() {
		builder.widenGroupLayer(all.Lo.X, all.Lo.Y, all.Hi.X, all.Hi.Y, matrix)
	}
}

// grown returns the range from lo to hi, made longer by half of width on both sides. The browser keeps a start
// and a length in binary32, whose sum may miss the end by a last bit. If the draw is one of several, such an end
// counts as beyond, also if the sum comes out less (observed): on a whole unit that makes the box one unit larger.
func grown(lo, hi, width float64, ofSeveral bool) (from, to float64) {
	half := float32(width / 2)
	start, length := float32(lo)-half, float32(hi)-float32(lo)+2*half
	from, to = float64(start), float64(start+length)
	if trueEnd := hi + width/2; ofSeveral {
		to = trueEnd + math.Abs(to-trueEnd)
	}
	return from, to
}

// widenGroupLayer extends the browser's group layer to hold a box in units, which matrix maps to px, or starts
// the layer with that box. In Exact mode it does nothing, because exact pictures are not clipped to layers. The
// mapped box is rounded out to whole px, for which each of its sides first moves in by layerSlack.
func (builder *Builder) widenGroupLayer(x0, y0, x1, y1 float64, matrix vector.Matrix) {
	if builder.mode == Exact {
		return
	}
	corner := func(x, y float64) vector.Point { return vector.Point{X: float32(x), Y: float32(y)} }
	box, _ := boundsOf([]vector.Point{corner(x0, y0), corner(x1, y0), corner(x1, y1), corner(x0, y1)}, matrix)
	rect := pixelBounds([4]float32{box[0] + layerSlack, box[1] + layerSlack, box[2] - layerSlack, box[3] - layerSlack})
	if builder.inGroupLayer { // a layer has begun: the rectangle that holds both
		old := builder.groupLayer
		rect = chord.Rect{X0: min(old.X0, rect.X0), Y0: min(old.Y0, rect.Y0), X1: max(old.X1, rect.X1), Y1: max(old.Y1, rect.Y1)}
	}
	builder.groupLayer, builder.inGroupLayer = rect, true
}

// pixelBounds returns the pixels of the picture that a box (left, top, right, bottom, in px)
// touches, as a rectangle of whole px.
func pixelBounds(box [4]float32) chord.Rect {
	px := func(v float64) int32 { return int32(geom.Clamp(v, -MaxSidePx, MaxSidePx)) }
	return chord.Rect{
		X0: px(math.Floor(float64(box[0]))), Y0: px(math.Floor(float64(box[1]))),
		X1: px(math.Ceil(float64(box[2]))), Y1: px(math.Ceil(float64(box[3]))),
	}
}

// endGroupLayer ends the group layer.
func (builder *Builder) endGroupLayer() { builder.inGroupLayer = false }

// canvas is the clip rectangle of everything that is drawn: the picture, cut to the box of the
// frame around the shape and to the group layer. Its px are counted from originX and originY.
func (builder *Builder) canvas() chord.Rect {
	rect := builder.visibleInFrames
	if builder.inGroupLayer {
		rect = builder.groupLayer.Within(rect)
	}
	return rect.Moved(-builder.originX, -builder.originY)
}

// layerSlack is how far, in px, the box of a layer may reach into a pixel that is still outside of the
// layer: the browser takes such a side as lying on the pixel's edge, because rounding may put it a
// little beyond. See docs/spec/raster.md#r28.
const layerSlack = 1e-3
