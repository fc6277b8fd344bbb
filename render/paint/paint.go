package paint

import (
	"fmt"

	"plumb/render/geom"
	"plumb/render/hair"
	"plumb/render/scan"
	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/stroke"
	"plumb/render/vector"
	"plumb/render/view"
)

// paint appends the items of a shape's draws (fills and strokes) to the drawing; matrix maps their units
// to px. Draws that lie outside of the picture are left out. A draw of width 0 is a fill.
func (builder *Builder) paint(draws []shapes.Draw, matrix vector.Matrix, placement *shapePlacement) error {
	for i := range draws {
		draw := &draws[i]
		if !builder.visible(draw, matrix) {
			continue
		}
		var err error
		switch {
		case draw.Width == 0:
			err = builder.fill(draw, matrix, placement)
		case builder.hasDashes(&draw.Dashes):
			err = builder.strokeDashed(draw, matrix, placement)
		default:
			err = builder.strokeSolid(draw, matrix, placement)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// hasDashes reports whether a stroke is drawn in dashes. One dash without a gap covers its whole run: in Exact mode
// that is a solid stroke, because the area of the dot that rounding errors put at its end would count twice.
func (builder *Builder) hasDashes(dashes *shapes.Dashes) bool {
	return dashes.Dash > 0 && !dashes.Solid && (dashes.Gap > 0 || builder.mode == Reference)
}

// appendUnlessEmpty appends an item unless it covers nothing.
func (builder *Builder) appendUnlessEmpty(it Item) {
	if it.SpanCount > 0 {
		builder.drawing.Items = append(builder.drawing.Items, it)
	}
}

// fill appends the item of a draw that fills the inside of its path, and keeps the range of its
// spans in builder.fillFirst and builder.fillCount. A hatch is drawn over that last fill, whose outline it shares.
func (builder *Builder) fill(draw *shapes.Draw, matrix vector.Matrix, placement *shapePlacement) error {
	if draw.Hatch { // it covers the same outline as the fill below it
		return builder.hatch(draw, matrix, placement)
	}
	item := builder.item(placement, draw.Color, draw.Opacity)
	err := builder.withinGroupLayer(matrix, func(matrix vector.Matrix) error {
		builder.pathToFill.Reset()
		builder.pathToFill.Append(draw.Path)
		builder.pathToFill.Transform(matrix)
		return builder.cover(draw, &item, matrix, placement)
	})
	if err != nil {
		return err
	}
	builder.fillFirst, builder.fillCount = item.FirstSpan, item.SpanCount
	builder.appendUnlessEmpty(item)
	return nil
}

// strokeSolid appends the item of a stroke without dashes. The reference's scan converter handles
// overlapping subpaths. Exact areas add up, so there each subpath is filled by itself and the
// areas are united: otherwise overlaps, such as the two passes of a hand-drawn line, would be
// too strong at their edges. Of a path that is drawn Twice, Exact mode takes the first half only.
func (builder *Builder) strokeSolid(draw *shapes.Draw, matrix vector.Matrix, placement *shapePlacement) error {
	if builder.mode == Reference {
		return builder.stroke(draw, draw.Path, matrix, placement)
	}
	item := builder.item(placement, draw.Color, draw.Opacity)
	verbs, points, weights := 0, 0, 0 // of the path, done so far
	end := len(draw.Path.Verbs)
	if draw.Twice {
		end /= 2
	}
	for verbs < end {
		n := subpath(draw.Path, verbs, points, weights, &builder.part)
		verbs, points, weights = verbs+n, points+len(builder.part.Points), weights+len(builder.part.Weights)
		isMoveAlone := n == 1 && verbs < end
		if isMoveAlone {
			continue
		}
		if endsOnStart(&builder.part, float32(draw.Width)) {
			builder.part.Close()
		}
		builder.pathToFill.Reset()
		builder.stroker.Outline(&builder.pathToFill, &builder.part, float32(draw.Width), builder.resolution(matrix))
		builder.pathToFill.Transform(matrix)
		builder.watch(&builder.pathToFill, &item)
		builder.filler.Add(&builder.pathToFill, builder.canvas())
	}
	var err error
	if draw.ThroughClip && builder.bodyClip.hasHoles {
		builder.bodyClip.unclipped.Reset()
		builder.filler.Take(&builder.bodyClip.unclipped)
		err = builder.clipBodyCoverage(&item)
	} else {
		first, count := builder.filler.Take(&builder.drawing.Coverage)
		err = builder.setCoverage(&item, first, count)
	}
	if err == nil {
		builder.appendUnlessEmpty(item)
	}
	return err
}

// strokeDashed appends the item of a stroke with dashes; if the browser ignores the dashes, the stroke is
// solid.
func (builder *Builder) strokeDashed(draw *shapes.Draw, matrix vector.Matrix, placement *shapePlacement) error {
	builder.pattern = [2]float32{float32(draw.Dashes.Dash), float32(draw.Dashes.Gap)}
	builder.part.Reset()
	if !builder.dasher.Dash(&builder.part, draw.Path, builder.pattern[:], float32(draw.Dashes.Offset), builder.resolution(matrix)) {
		builder.part.Append(draw.Path)
	}
	return builder.stroke(draw, &builder.part, matrix, placement)
}

// stroke appends the item of the path src, stroked with the pen of draw, to the drawing; matrix maps units
// to px. In Reference mode a stroke of at most one px is drawn as a hairline, as the browser does.
// If the shape is a single translucent draw, its opacity becomes part of the hairline's strength,
// and placement.opacityApplied is set.
func (builder *Builder) stroke(draw *shapes.Draw, src *vector.Path, matrix vector.Matrix, placement *shapePlacement) error {
	item := builder.item(placement, draw.Color, draw.Opacity)
	err := builder.withinGroupLayer(matrix, func(matrix vector.Matrix) error {
		builder.pathToFill.Reset()
		if width := hairline(float32(draw.Width), matrix); width > 0 && builder.mode == Reference {
			builder.pathToFill.Append(src)
			builder.pathToFill.Transform(matrix)
			return builder.thinStroke(draw, width, &item, placement)
		}
		builder.stroker.Outline(&builder.pathToFill, src, float32(draw.Width), builder.resolution(matrix))
		builder.pathToFill.Transform(matrix)
		return builder.cover(draw, &item, matrix, placement)
	})
	if err == nil {
		builder.appendUnlessEmpty(item)
	}
	return err
}

// thinStroke gives an item the coverage of a hairline, whose strength is width/256, along the path in
// builder.pathToFill.
func (builder *Builder) thinStroke(draw *shapes.Draw, width uint32, item *Item, placement *shapePlacement) error {
	strength := uint32(255)
	if placement.isOneDraw && placement.translucent() {
		strength, placement.opacityApplied = shapes.Alpha(placement.opacity), true // pixel by pixel
	}
	strength = strength * width >> 8
	rule := placement.rule()
	clipped := rule.Clip || draw.ThroughClip && builder.bodyClip.clips()
	builder.hair.Style = hair.Style{
		Strength: strength,
		Plain:    strength < 255 || clipped || builder.plain(item, rule),
		Clipped:  clipped,
	}
	builder.hair.Add(&builder.pathToFill, builder.canvas())
	return builder.coverHair(draw, item)
}

// hairline returns the width in 1/256 px, at least 1, of a stroke that is too thin to be drawn as an
// outline: at most one px along both axes of the map matrix to px. Its colour is weakened by that width. It
// returns 0 for a wider stroke.
func hairline(width float32, matrix vector.Matrix) uint32 {
	// length returns about the length of (x, y) times width, as the browser estimates it.
	length := func(x, y float32) float32 {
		x, y = max(x, -x)*width, max(y, -y)*width
		return max(x, y) + min(x, y)/2
	}
	alongX, alongY := length(matrix.A, matrix.B), length(matrix.C, matrix.D)
	if !(alongX <= 1 && alongY <= 1) {
		return 0
	}
	return max(1, uint32((alongX+alongY)/2*256))
}

// axisAligned reports whether m maps axis-aligned rectangles to axis-aligned rectangles.
func axisAligned(m vector.Matrix) bool { return m.B == 0 && m.C == 0 || m.A == 0 && m.D == 0 }

// cover gives an item the coverage of the path in builder.pathToFill, which is in px, for draw of the
// shape at placement. If draw is part of an arrow's body, it is clipped as the body is. If draw is a box that
// stays upright, it is filled by the browser's rule for rectangles. Else it is filled as any path.
func (builder *Builder) cover(draw *shapes.Draw, item *Item, matrix vector.Matrix, placement *shapePlacement) error {
	switch {
	case draw.ThroughClip:
		return builder.coverBody(item, placement.rule())
	case draw.Box && builder.mode == Reference && axisAligned(matrix):
		box, _ := boundsOf(builder.pathToFill.Points, vector.Identity)
		first, count := scan.SharpRect(&builder.drawing.Coverage, box, builder.canvas())
		return builder.setCoverage(item, first, count)
	}
	return builder.area(&builder.pathToFill, item, placement.rule())
}

// coverHair gives an item the coverage of the hairlines in builder.hair. In a View with Details an opaque draw has
// an item for each pass over its pixels, because the browser blends a pixel once in each of them: all but the last
// are appended to the drawing here. Everywhere else one item holds the coverage of all passes. See
// hair.Stroker.Passes.
func (builder *Builder) coverHair(draw *shapes.Draw, item *Item) error {
	passes := 0
	if builder.details && draw.Opacity == shapes.Opaque {
		passes = builder.hair.Passes()
	}
	if passes == 0 {
		return builder.coverHairPass(draw, item, builder.hair.Take)
	}
	item.Opacity = shapes.OpacityOfAlpha(builder.hair.Strength)
	for pass := range passes {
		err := builder.coverHairPass(draw, item, func(dst *scan.Coverage, pair func(x, y int32, a byte)) (first, count int) {
			return builder.hair.TakePass(pass, passes, dst, pair)
		})
		if err != nil {
			return err
		}
		if pass < passes-1 {
			builder.appendUnlessEmpty(*item)
		}
	}
	return nil
}

// coverHairPass gives an item the coverage that take appends: of one pass over the hairlines in builder.hair, or of
// all. If the draw is part of an arrow's body in whose clip a label or a head makes a hole, the coverage is cut by
// that clip. Else the item also gets its range of Drawing.PairPixels: the hair stroker reports to scanner.OnPairPixel
// which pixels follow the two-pixel rule, and that function appends them to the list.
func (builder *Builder) coverHairPass(draw *shapes.Draw, item *Item,
	take func(dst *scan.Coverage, pair func(x, y int32, a byte)) (first, count int)) error {
	if draw.ThroughClip && builder.bodyClip.hasHoles {
		builder.bodyClip.unclipped.Reset()
		take(&builder.bodyClip.unclipped, nil)
		return builder.clipBodyCoverage(item)
	}
	item.FirstPairPixel = int32(len(builder.drawing.PairPixels))
	first, count := take(&builder.drawing.Coverage, builder.scanner.OnPairPixel)
	item.PairPixelCount = int32(len(builder.drawing.PairPixels)) - item.FirstPairPixel
	return builder.setCoverage(item, first, count)
}

// setCoverage gives an item the range of count spans from first on, and returns an error if the drawing
// has more coverage than its limits allow.
func (builder *Builder) setCoverage(it *Item, first, count int) error {
	it.FirstSpan, it.SpanCount = int32(first), int32(count)
	return builder.checkSize(sizeOf(&builder.drawing.Coverage))
}

// resolution returns the px per unit with which strokes and dashes of a drawing are made, by the
// map m from units to px. Exact mode makes them finer.
func (builder *Builder) resolution(m vector.Matrix) float32 {
	r := stroke.Resolution(m)
	if builder.mode == Exact {
		r *= stroke.Fine
	}
	return r
}

// subpath copies one subpath of src to part: the one that begins at the given positions in the lists of verbs, points
// and weights. It ends before the next move. The result is how many verbs it has.
func subpath(src *vector.Path, verb, point, weight int, part *vector.Path) (verbs int) {
	part.Reset()
	points, weights := 0, 0
	for verbs = 0; verb+verbs < len(src.Verbs); verbs++ {
		v := src.Verbs[verb+verbs]
		if v == vector.Move && verbs > 0 {
			break
		}
		points += v.Points()
		if v == vector.Conic {
			weights++
		}
	}
	part.Verbs = append(part.Verbs, src.Verbs[verb:verb+verbs]...)
	part.Points = append(part.Points, src.Points[point:point+points]...)
	part.Weights = append(part.Weights, src.Weights[weight:weight+weights]...)
	return verbs
}

// endsOnStart reports whether a subpath without Close ends where it starts and may be closed in Exact mode before it
// is stroked. A join there covers what two round caps cover, but once, while the edges of caps that overlap
// count twice in an area. The first and the last piece must be longer than half the stroke's width, because only
// then the caps lie within what the pieces cover themselves.
func endsOnStart(path *vector.Path, strokeWidth float32) bool {
	n := len(path.Points)
	if n < 4 || path.Verbs[len(path.Verbs)-1] == vector.Close || path.Points[0] != path.Points[n-1] {
		return false
	}
	isLong := func(a, b vector.Point) bool {
		dx, dy := a.X-b.X, a.Y-b.Y
		return float32(dx*dx)+float32(dy*dy) > strokeWidth*strokeWidth/4
	}
	second := path.Verbs[1].Points()                             // position of the end of the first piece
	beforeLast := n - 1 - path.Verbs[len(path.Verbs)-1].Points() // and of the start of the last one
	return isLong(path.Points[0], path.Points[second]) && isLong(path.Points[n-1], path.Points[beforeLast])
}

// item returns an item of the shape at p that covers nothing yet.
func (builder *Builder) item(p *shapePlacement, color shapes.RGB, opacity uint32) Item {
	return Item{Op: OpPaint, InSecondSet: p.inSecondSet, Opacity: opacity, Color: color, Clip: p.clip, Shape: p.shape}
}

// rule returns how the paths of a shape are filled. See docs/spec/raster.md#r29 and docs/spec/raster.md#r22.
func (p *shapePlacement) rule() scan.Rule {
	return scan.Rule{Plain: p.translucent(), Clip: p.clip >= 0, Cells: true}
}

// plain reports whether an item is drawn without the two-pixel rule, which holds for opaque colours
// other than black only. rule.Plain says that the shape is translucent. In a layer colours are opaque
// all the same, because the layer is made translucent as a whole. See docs/spec/raster.md#r22.
func (builder *Builder) plain(item *Item, rule scan.Rule) bool {
	translucent := rule.Plain && !builder.inGroupLayer || item.Opacity != shapes.Opaque
	return translucent || item.Color == shapes.RGB{}
}

// area gives an item the coverage of the inside of a path in px. In Reference mode it is computed
// as in the reference browser, and the scanner's OnPairPixel appends the pixels that follow the
// two-pixel rule to Drawing.PairPixels meanwhile. In Exact mode it is the true area.
func (builder *Builder) area(path *vector.Path, item *Item, rule scan.Rule) error {
	builder.watch(path, item)
	rule.Plain = builder.plain(item, rule)
	item.FirstPairPixel = int32(len(builder.drawing.PairPixels))
	first, count := builder.fillPath(&builder.drawing.Coverage, path, rule)
	item.PairPixelCount = int32(len(builder.drawing.PairPixels)) - item.FirstPairPixel
	return builder.setCoverage(item, first, count)
}

// fillPath appends the coverage of a path in px to dst, within builder.canvas, and returns the range of
// its spans. The mode says by which filler.
func (builder *Builder) fillPath(dst *scan.Coverage, path *vector.Path, r scan.Rule) (first, count int) {
	if builder.mode == Reference {
		return builder.scanner.Append(dst, path, builder.canvas(), r)
	}
	builder.filler.Add(path, builder.canvas())
	return builder.filler.Take(dst)
}

// watch calls builder.Watch, which tests set, with a path that is about to be filled.
func (builder *Builder) watch(path *vector.Path, it *Item) {
	if builder.Watch != nil {
		seen := *it // a copy, or every item would be allocated
		builder.Watch(path, &seen)
	}
}

// sizeOf returns how many bytes coverage takes.
func sizeOf(c *scan.Coverage) int { return 16*len(c.Spans) + len(c.Bytes) }

// checkSize returns an error if a drawing with that many bytes of coverage is beyond a limit:
// view.ErrLarge beyond builder.largeBeyond, so that the caller can prepare the view apart from others,
// scene.ErrLimit beyond builder.limit.
func (builder *Builder) checkSize(bytes int) error {
	if builder.largeBeyond > 0 && bytes > builder.largeBeyond {
		return view.ErrLarge
	}
	if bytes > builder.limit {
		return fmt.Errorf("cannot draw scene: the coverage of its outlines takes more than %d bytes (%s): %w",
			builder.limit, scene.FlagCoverage, scene.ErrLimit)
	}
	return nil
}

// visible reports whether a draw of a shape may touch the picture; matrix maps its units to px. A stroke
// reaches half its width beyond its path, and a little more where its outline is approximate.
func (builder *Builder) visible(draw *shapes.Draw, matrix vector.Matrix) bool {
	box, ok := boundsOf(draw.Path.Points, matrix)
	if !ok {
		return false
	}
	grow := float32(draw.Width)*stroke.Resolution(matrix) + 1
	return box[0]-grow < float32(builder.drawing.Width) && box[2]+grow > 0 &&
		box[1]-grow < float32(builder.drawing.Height) && box[3]+grow > 0
}

// boundsOf returns the box of points that m maps to px: left, top, right, bottom. ok is false without points.
func boundsOf(points []vector.Point, m vector.Matrix) (box [4]float32, ok bool) {
	for i, q := range points {
		q = m.Apply(q)
		if i == 0 {
			box = [4]float32{q.X, q.Y, q.X, q.Y}
			continue
		}
		box[0], box[1] = min(box[0], q.X), min(box[1], q.Y)
		box[2], box[3] = max(box[2], q.X), max(box[3], q.Y)
	}
	return box, len(points) > 0
}

// clipItem appends a clip to the drawing, an item with OpClip, and returns its position. Its
// coverage is the convex polygon corners, such as the visible part of a frame, mapped to px by matrix. The
// polygon's path stays in builder.pathToFill.
func (builder *Builder) clipItem(corners []geom.Point, matrix vector.Matrix, placement *shapePlacement) (int32, error) {
	builder.pathToFill.Reset()
	for i, q := range corners {
		w := vector.Point{X: float32(q.X), Y: float32(q.Y)}
		if i == 0 {
			builder.pathToFill.MoveTo(w)
		} else {
			builder.pathToFill.LineTo(w)
		}
	}
	if len(corners) > 0 {
		builder.pathToFill.Close()
	}
	builder.pathToFill.Transform(matrix)
	item := builder.item(placement, shapes.RGB{}, shapes.Opaque)
	item.Op, item.Clip = OpClip, -1
	if err := builder.area(&builder.pathToFill, &item, scan.Rule{Clip: true, Cells: true}); err != nil {
		return -1, err
	}
	builder.drawing.Items = append(builder.drawing.Items, item)
	return int32(len(builder.drawing.Items) - 1), nil
}
