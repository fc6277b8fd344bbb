package paint

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"plumb/render/chord"
	"plumb/render/geom"
	"plumb/render/hair"
	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/text"
	"plumb/render/vector"
)

// Lines along text as the browser places them; sizes and places were read off
// its pictures for all fonts and sizes.

// lineShare is the thickness of a line in em. It is drawn with that many whole units, rounded down, at least 1.
const lineShare = 0.1

// thickestLine is the greatest thickness of a line in px, because its halo is made of pixels.
// The letters beside it are ten times as high.
const thickestLine = 64

// longestGap is the most that an underline keeps away from a glyph, units.
const longestGap = 13

// gapInset is how far, in units, the upper and lower side of an underline are moved in to find
// the glyphs that cross it. The underline is taken with its thickness and place before rounding.
const gapInset = 0.5

// gapOutset is how far, in units, gaps reach beyond the upper and lower side of an underline, which
// count before rounding here.
const gapOutset = 0.5

// textLine is an underline or a strike along a run of text, in the shape's units.
type textLine struct {
	x0, x1, y, thick float64
	gaps             []gap   // from left to right, apart
	top, bottom      float64 // upper and lower side of the gaps
	doubled          bool    // drawn over itself once more
}

// thickness returns the thickness of the lines below and through a run of text, before rounding, units.
func thickness(r *text.Run) float64 { return max(1, r.Size*lineShare) }

// checkLine refuses a run of a shape's text whose underline or strike would be too thick.
func (s *glyphScale) checkLine(r *text.Run, shape *scene.Shape) error {
	if px := thickness(r) * s.size; px > thickestLine {
		return fmt.Errorf("cannot draw lines along the text of shape %q (%s): they are %g px thick, want at most %d: %w",
			shape.ID, shape.TypeName, px, thickestLine, shapes.ErrForeign)
	}
	return nil
}

// underline returns the line below a run of text, with gaps where glyphs cross it. A gap covers the columns of
// the crossing and, on both sides, as much as the line is thick, at most longestGap. Crossings are looked up in
// outlines of pathSize px, whose points are rounded. Glyphs that an underline goes through (Crossed) get no
// gap. The gaps are kept in painter's memory. See docs/spec/drawing.md#r53.
func underline(painter *textPainter, run *text.Run) (textLine, error) {
	thick := thickness(run)
	line := textLine{
		x0: run.X, x1: run.X + run.Width, y: run.Baseline + math.Ceil(thick/2), thick: math.Floor(thick),
		doubled: run.Link && run.Underline, // a link is underlined anyway
	}
	line.top = line.y + run.Raised - gapOutset
	line.bottom = line.y + run.Raised + thick + gapOutset
	painter.gaps = painter.gaps[:0]
	for _, glyph := range painter.Page.Glyphs[run.First : run.First+run.Count] {
		if glyph.Crossed {
			continue
		}
		painter.glyphs.path.Reset()
		if err := run.Face.Outline(&painter.glyphs.path, glyph.ID, pathSize); err != nil {
			return line, err
		}
		scale := run.Size / pathSize
		top := line.y - run.Baseline + run.Raised - float64(glyph.Y) // of the line, from the glyph's baseline
		lo, hi := crossing(&painter.glyphs.path, (top+gapInset)/scale, (top+thick-gapInset)/scale)
		if lo <= hi {
			x, keep := run.X+float64(glyph.X), min(thick, longestGap)
			painter.gaps = append(painter.gaps, gap{x + float64(lo*scale) - keep, x + float64(hi*scale) + keep})
		}
	}
	slices.SortFunc(painter.gaps, func(a, b gap) int { return cmp.Compare(a.from, b.from) })
	line.gaps = mergeGaps(painter.gaps)
	return line, nil
}

// strike returns the line through a run of struck out text: a third of the font's ascent above the baseline.
func strike(run *text.Run) textLine {
	thick := thickness(run)
	middle := run.Baseline - run.Face.Ascent(run.Size)/3
	top := math.Floor(middle - thick/2 + 0.5)
	return textLine{x0: run.X, x1: run.X + run.Width, y: top, thick: math.Floor(thick)}
}

// rasterLine makes the coverage mask of an underline or strike, in painter.glyphs.line; matrix maps the text's
// units to px. wholePx says that the text is clipped to whole pixels; see maskLine. The mask of a
// doubled line is drawn over itself.
func (builder *Builder) rasterLine(painter *textPainter, line *textLine, matrix vector.Matrix, clip chord.Rect, wholePx bool, placement *shapePlacement) {
	to := &painter.glyphs.path
	to.Reset()
	vector.Rect(to, line.x0, line.y, line.x1, line.y+line.thick)
	painter.glyphs.maskLine(matrix, clip, builder.mode, placement.rule(), line, wholePx)
	if line.doubled {
		painter.glyphs.line.double()
	}
}

// placeLine adds an underline or a strike to the placed masks.
func (builder *Builder) placeLine(painter *textPainter, line *textLine, color shapes.RGB, placement *shapePlacement) {
	builder.rasterLine(painter, line, placement.toPx, builder.canvas(), painter.box.wholePx, placement)
	builder.addPlaced(painter, placedMask{color: color, glyph: painter.glyphs.keepMask(&painter.glyphs.line)})
}

// placeLineHalo adds the halo of an underline or strike to the placed masks: displaced copies in
// the background's colour, below the text. The browser makes one picture of all copies from the
// pixels of the line. For turned text it makes that picture in the text's own units and scale, and
// then turns the picture. Exact mode draws copies of the line itself.
func (builder *Builder) placeLineHalo(painter *textPainter, line *textLine, placement *shapePlacement) {
	if builder.mode == Exact {
		for _, by := range halo {
			moved := placement.toPx.Mul(vector.Matrix{A: 1, D: 1, E: float32(by[0]), F: float32(by[1])})
			const wholePx = true // of no account in Exact mode
			builder.rasterLine(painter, line, moved, builder.canvas(), wholePx, placement)
			builder.addPlaced(painter, placedMask{color: shapes.Background, glyph: painter.glyphs.keepMask(&painter.glyphs.line)})
		}
		return
	}
	matrix, clip := placement.toPx, builder.canvas()
	turned := !axisAligned(matrix)
	var back geom.Matrix // px of the drawing to px of the upright line
	if turned {
		matrix, back = scaleOnly(placement.toPx, clip)
		clip = mappedBounds(back, clip)
	}
	painter.copies = painter.copies[:0]
	reach := int32(0) // px that a copy may lie beyond the clip and still matter
	for _, by := range halo {
		x, y := float64(matrix.A)*by[0]+float64(matrix.C)*by[1], float64(matrix.B)*by[0]+float64(matrix.D)*by[1]
		painter.copies = append(painter.copies, [2]float64{x, y})
		reach = max(reach, int32(math.Abs(x)+math.Abs(y))+2)
	}
	clip = chord.Rect{X0: clip.X0 - reach, Y0: clip.Y0 - reach, X1: clip.X1 + reach, Y1: clip.Y1 + reach}
	const wholePx = true // the browser's picture of the copies is clipped to whole pixels
	builder.rasterLine(painter, line, matrix, clip, wholePx, placement)
	painter.glyphs.lineHalo(painter.copies)
	mask := placedMask{color: shapes.Background}
	if turned {
		mask.glyph = painter.glyphs.keepTurned(&painter.glyphs.halo, back, builder.canvas())
	} else {
		mask.glyph = painter.glyphs.keepMask(&painter.glyphs.halo)
	}
	builder.addPlaced(painter, mask)
}

// scaleOnly returns two maps for a line along turned text, which is rasterised upright and turned afterwards; turned
// is the map of the text to px. upright scales by as much as turned does, but does not turn, and is shifted by
// whole pixels so that the middle of clip, which is in px of turned, comes near the origin. back maps px of turned
// to px of upright.
func scaleOnly(turned vector.Matrix, clip chord.Rect) (upright vector.Matrix, back geom.Matrix) {
	upright = vector.Matrix{
		A: float32(math.Hypot(float64(turned.A), float64(turned.B))),
		D: float32(math.Hypot(float64(turned.C), float64(turned.D))),
	}
	back = geom.Matrix{A: float64(upright.A), D: float64(upright.D)}.Mul(geom.Widened(turned).Inverse())
	middle := back.Apply(geom.Pt(float64(clip.X0+clip.X1)/2, float64(clip.Y0+clip.Y1)/2))
	x, y := math.Floor(middle.X), math.Floor(middle.Y)
	upright.E, upright.F = float32(-x), float32(-y)
	back.E, back.F = back.E-x, back.F-y
	return upright, back
}

// mappedBounds returns the pixels that the rectangle r touches when matrix maps it.
func mappedBounds(matrix geom.Matrix, r chord.Rect) chord.Rect {
	x0, y0, x1, y1 := float64(r.X0), float64(r.Y0), float64(r.X1), float64(r.Y1)
	box := geom.NewExtent()
	for _, c := range [4]geom.Point{geom.Pt(x0, y0), geom.Pt(x1, y0), geom.Pt(x0, y1), geom.Pt(x1, y1)} {
		box.Add(matrix.Apply(c))
	}
	return pixelBounds([4]float32{float32(box.Lo.X), float32(box.Lo.Y), float32(box.Hi.X), float32(box.Hi.Y)})
}

// placeMarker places the marker of a list item, without halo and contrast: a square, a circle, which is a
// stroke of one unit, or a filled disc. A circle whose stroke is at most one px thick is drawn as the browser
// draws such strokes.
func (builder *Builder) placeMarker(painter *textPainter, dot *text.Dot, color shapes.RGB, placement *shapePlacement) {
	path := &painter.glyphs.path
	path.Reset()
	switch dot.Kind {
	case text.Square:
		vector.Rect(path, dot.X, dot.Y, dot.X+dot.W, dot.Y+dot.H)
	case text.Circle:
		oval(path, dot.X, dot.Y, dot.W, dot.H)
		if width := hairline(1, placement.toPx); width > 0 && builder.mode == Reference { // in 1/256 px
			rule, item := placement.rule(), builder.item(placement, color, shapes.Opaque)
			strength := 255 * width >> 8
			builder.hair.Style = hair.Style{Strength: strength, Plain: strength < 255 || rule.Clip || builder.plain(&item, rule), Clipped: rule.Clip}
			path.Transform(placement.toPx)
			builder.addPlaced(painter, placedMask{color: color, glyph: painter.glyphs.rasterHair(&builder.hair, builder.canvas())})
			return
		}
		builder.pathToFill.Reset()
		builder.stroker.Outline(&builder.pathToFill, path, 1, builder.resolution(placement.toPx))
		path.Reset()
		path.Append(&builder.pathToFill)
	default:
		oval(path, dot.X, dot.Y, dot.W, dot.H)
	}
	builder.placeDrawn(painter, color, placement)
}

// oval appends the ellipse that fills the box of w x h at (x, y) to a path: four conics, clockwise from
// its right end.
func oval(path *vector.Path, x, y, w, h float64) {
	const weight = 0.70710678 // cos 45 degrees
	// at returns the point at shares i and j of the box.
	at := func(i, j float64) vector.Point {
		return vector.Point{X: float32(x + w*i), Y: float32(y + h*j)}
	}
	path.MoveTo(at(1, 0.5))
	path.ConicTo(at(1, 1), at(0.5, 1), weight)
	path.ConicTo(at(0, 1), at(0, 0.5), weight)
	path.ConicTo(at(0, 0), at(0.5, 0), weight)
	path.ConicTo(at(1, 0), at(1, 0.5), weight)
	path.Close()
}

// placeDrawn adds the mask of the path in painter.glyphs.path, which is in the shape's units, to the placed
// masks, without contrast.
func (builder *Builder) placeDrawn(painter *textPainter, color shapes.RGB, placement *shapePlacement) {
	glyph := painter.glyphs.rasterPath(placement.toPx, builder.canvas(), builder.mode, placement.rule())
	builder.addPlaced(painter, placedMask{color: color, glyph: glyph})
}
