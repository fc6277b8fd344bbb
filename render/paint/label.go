package paint

import (
	"math"

	"plumb/render/chord"
	"plumb/render/shapes"
	"plumb/render/text"
	"plumb/render/vector"
)

// textBlock says how a text that is laid out is drawn.
type textBlock struct {
	color shapes.RGB
	halo  bool
	x, y  float64 // corner of the box that clips it, in the units of the place's map
	w, h  float64 // of that box
	// unclipped is true when no box clips the text.
	unclipped bool
}

// halo holds the displacements of the copies under a text, in the shape's own units. See
// docs/spec/drawing.md#r54.
var halo = [...][2]float64{{0, -1}, {0, 1}, {-1, -1}, {1, -1}, {1, 1}, {-1, 1}}

// linkColor is the colour of links in rich text.
var linkColor = shapes.RGB{49, 130, 237}

// Glyphs larger than largestMask px per em are drawn as paths, not from masks: where they are,
// without contrast, scaled up from outlines of pathSize px. See docs/spec/drawing.md#r58.
const (
	largestMask = 256
	pathSize    = 64
)

// farAway is the distance in px beyond which no mask reaches the picture.
const farAway = 1 << 20

// placedMask is a mask at a pixel.
type placedMask struct {
	glyph int32    // in glyphCache.glyphs
	x, y  int32    // whole px
	box   [4]int32 // left, top, right, bottom, px
	color shapes.RGB
}

// glyphScale maps the glyphs of one text to px: first to their size, then by the rest of the map.
type glyphScale struct {
	toPx vector.Matrix // the shape's units to px
	// toPicture is the same, but counts px from the corner of the picture also where toPx counts
	// them from the corner of a layer.
	toPicture vector.Matrix
	turn      [4]float32 // the factors of toPx without size: they turn, mirror, shear and stretch
	size      float64    // px per em for each unit of the font size
	snapX     bool       // pens lie on whole px in x
	snapY     bool
}

// newGlyphScale splits the map toPx from a shape's units to px into the size of its glyphs and a map
// without that size. The browser rounds the four factors of toPx to 1/1024 first, so that glyphs of
// nearly equal maps share a mask; pens keep the exact map. A map without area gives a size that is
// not above 0. See docs/spec/drawing.md#r56.
func newGlyphScale(toPx vector.Matrix) glyphScale {
	scale := glyphScale{toPx: toPx}
	a, b, c, d := roundFactor(toPx.A), roundFactor(toPx.B), roundFactor(toPx.C), roundFactor(toPx.D)
	scale.size = math.Abs(float64(a*d)-float64(b*c)) / math.Hypot(a, b) // the scale across the text's direction
	scale.turn = [4]float32{float32(a / scale.size), float32(b / scale.size), float32(c / scale.size), float32(d / scale.size)}
	scale.snapY = b == 0 && c == 0
	scale.snapX = a == 0 && d == 0
	return scale
}

// roundFactor rounds a factor of a map to 1/1024.
func roundFactor(v float32) float64 { return math.Floor(float64(v)*1024+0.5) / 1024 }

// enlarged is the map for an outline of pathSize px per em, with its pen at (x, y) px.
func (s *glyphScale) enlarged(size float64, x, y float32) vector.Matrix {
	k := float32(size / pathSize)
	return vector.Matrix{A: s.toPx.A * k, B: s.toPx.B * k, C: s.toPx.C * k, D: s.toPx.D * k, E: x, F: y}
}

// quarterPixel splits a glyph's pen position v, in px, into whole px and quarters of a px (0 to 3).
// With wholePx it rounds v to whole px.
func quarterPixel(v float32, wholePx bool) (px int32, sub uint8) {
	if wholePx {
		return int32(math.Floor(float64(v) + 0.5)), 0
	}
	quarters := int32(math.Floor(float64(4*v) + 0.5))
	return quarters >> 2, uint8(quarters & 3)
}

// paintText appends the items of the text on painter.Page, run by run in the browser's order: halos of
// underline and glyphs, underline, glyphs, the strike with its halo.
func (builder *Builder) paintText(painter *textPainter, block textBlock, placement *shapePlacement) error {
	return builder.withinGroupLayer(placement.toPx, func(matrix vector.Matrix) error {
		at := *placement
		at.toPx = matrix
		return builder.paintTextAt(painter, block, placement.toPx, &at)
	})
}

// paintTextAt is paintText where placement maps to px that are counted from the corner of the group layer, if the
// text is in one. toPicture is the same map, but counts from the corner of the picture.
func (builder *Builder) paintTextAt(painter *textPainter, block textBlock, toPicture vector.Matrix, placement *shapePlacement) error {
	painter.glyphs.begin()
	painter.placedMasks = painter.placedMasks[:0]
	scale := newGlyphScale(placement.toPx)
	scale.toPicture = toPicture
	if !(scale.size > 0) {
		return nil
	}
	painter.box = textBox{wholePx: true}
	if !block.unclipped {
		painter.box = newTextBox(placement.toPx, block.x, block.y, block.w, block.h, builder.mode)
	}
	for i := range painter.Page.Dots {
		builder.placeMarker(painter, &painter.Page.Dots[i], block.color, placement)
	}
	for i := range painter.Page.Runs {
		if err := builder.placeRun(painter, &scale, &painter.Page.Runs[i], block, placement); err != nil {
			return err
		}
	}
	return builder.emitText(painter, block, placement)
}

// placeRun adds the masks of one run of text to painter.placedMasks: the halo, the underline, the glyphs and the
// strike-through, each over the one before. Links have their own colour and are underlined. It
// refuses lines that are too thick, and text whose masks grow beyond the limit of coverage.
func (builder *Builder) placeRun(painter *textPainter, scale *glyphScale, run *text.Run, block textBlock, placement *shapePlacement) error {
	if run.Link {
		block.color = linkColor
	}
	underlined := run.Link || run.Underline
	if underlined || run.Strike {
		if err := scale.checkLine(run, &builder.scene.Shapes[placement.shape]); err != nil {
			return err
		}
	}
	// From below upwards: the halos, the underline, the glyphs, the strike-through.
	var below textLine
	if underlined {
		var err error
		if below, err = underline(painter, run); err != nil {
			return err
		}
	}
	if block.halo {
		if underlined {
			builder.placeLineHalo(painter, &below, placement)
		}
		for _, by := range halo {
			if err := builder.placeGlyphs(painter, scale, run, by, shapes.Background, placement); err != nil {
				return err
			}
		}
	}
	if underlined {
		builder.placeLine(painter, &below, block.color, placement)
	}
	if err := builder.placeGlyphs(painter, scale, run, [2]float64{}, block.color, placement); err != nil {
		return err
	}
	if run.Strike {
		through := strike(run)
		if block.halo {
			builder.placeLineHalo(painter, &through, placement)
		}
		builder.placeLine(painter, &through, block.color, placement)
	}
	return builder.checkSize(painter.glyphs.grown())
}

// placeGlyphs adds the masks of the glyphs of one run of text to painter.placedMasks, displaced by some of the
// text's units in x and y: by one of halo for a copy of the halo, else by 0.
func (builder *Builder) placeGlyphs(painter *textPainter, scale *glyphScale, run *text.Run, by [2]float64, color shapes.RGB,
	placement *shapePlacement) error {
	moved := scale.toPicture // by the displacement first, then to the corner of the layer, as the browser does it
	moved.E = float32(moved.A*float32(by[0])) + (float32(moved.C*float32(by[1])) + moved.E) - float32(builder.originX)
	moved.F = float32(moved.B*float32(by[0])) + (float32(moved.D*float32(by[1])) + moved.F) - float32(builder.originY)
	origin := moved.Apply(vector.Point{X: float32(run.X), Y: float32(run.Baseline)})
	key := glyphKey{
		face: run.Face, turn: scale.turn, size: int32(min(run.Size*scale.size, largestMask) * 64), // 1/64 px
		lightness: uint8(lightness(color)), mode: builder.mode,
	}
	large := run.Size*scale.size > largestMask
	for _, glyph := range painter.Page.Glyphs[run.First : run.First+run.Count] {
		x := origin.X + float32(scale.toPx.A*glyph.X) + float32(scale.toPx.C*glyph.Y)
		y := origin.Y + float32(scale.toPx.B*glyph.X) + float32(scale.toPx.D*glyph.Y)
		placed := placedMask{color: color}
		key.id = glyph.ID
		var err error
		switch {
		case large:
			placed.glyph, err = painter.glyphs.maskOfOutline(&key, pathSize, scale.enlarged(run.Size, x, y), builder.canvas(), placement.rule())
		case !(math.Abs(float64(x)) < farAway && math.Abs(float64(y)) < farAway): // also NaN
			continue
		default:
			placed.x, key.subX = quarterPixel(x, scale.snapX)
			placed.y, key.subY = quarterPixel(y, scale.snapY)
			placed.glyph, err = painter.glyphs.maskOf(&key)
		}
		if err != nil {
			return err
		}
		builder.addPlaced(painter, placed)
	}
	return builder.checkSize(painter.glyphs.grown())
}

// addPlaced sets the box of a glyph or line mask at its pixel and appends the mask to painter.placedMasks,
// unless it is empty or lies outside of the picture.
func (builder *Builder) addPlaced(painter *textPainter, placed placedMask) {
	mask := &painter.glyphs.glyphs[placed.glyph]
	placed.box = [4]int32{placed.x + mask.box[0], placed.y + mask.box[1], placed.x + mask.box[2], placed.y + mask.box[3]}
	picture := chord.Rect{X1: int32(builder.drawing.Width), Y1: int32(builder.drawing.Height)}.Moved(-builder.originX, -builder.originY)
	left, top, right, bottom := placed.box[0], placed.box[1], placed.box[2], placed.box[3]
	if mask.spanCount > 0 && left < picture.X1 && right > picture.X0 && top < picture.Y1 && bottom > picture.Y0 {
		painter.placedMasks = append(painter.placedMasks, placed)
	}
}

// emitText appends one item to the drawing for each placed mask of a text. Masks that reach beyond
// the text's box are clipped to it, if the text has one. The others need only the clip of the
// frame, because clips cost time on the device.
func (builder *Builder) emitText(painter *textPainter, block textBlock, placement *shapePlacement) error {
	clip := placement.clip
	if !block.unclipped {
		var err error
		if clip, err = builder.boxClip(painter, placement); err != nil {
			return err
		}
	}
	for i := range painter.placedMasks {
		placed := &painter.placedMasks[i]
		item := builder.item(placement, placed.color, shapes.Opaque)
		if clip != placement.clip && !painter.box.holds(placed) {
			item.Clip = clip
		}
		painter.glyphs.drawMask(builder.drawing, placed.glyph, placed.x, placed.y, &item)
		builder.drawing.Items = append(builder.drawing.Items, item)
		if err := builder.checkSize(sizeOf(&builder.drawing.Coverage)); err != nil {
			return err
		}
	}
	return nil
}
