package paint

import (
	"plumb/render/arrows"
	"plumb/render/chord"
	"plumb/render/scan"
	"plumb/render/scene"
	"plumb/render/vector"
)

// bodyClip is the clip of the current arrow's body.
type bodyClip struct {
	path          vector.Path // in px
	hasHoles      bool        // false when the clip covers all of the body
	besideWholePx bool        // the browser does not see that it is a rectangle of whole px, docs/spec/raster.md#r29
	coverage      scan.Coverage
	unclipped     scan.Coverage // of a part of the body, before the clip
}

// clips reports whether the body is filled by the rule for what an antialiased clip cuts (scan.Rule.Clip): where
// its clip has holes, or where the browser does not see that the clip is a rectangle of whole px. Inside such a
// rectangle the browser fills as it does without a clip.
func (clip *bodyClip) clips() bool { return clip.hasHoles || clip.besideWholePx }

// arrow appends the items of an arrow shape to the drawing: its body, which is cut out at its label
// and heads, its heads, and its label. An invalid arrow has none.
func (builder *Builder) arrow(shape *scene.Shape, placement *shapePlacement) error {
	solver := &builder.arrows
	if err := solver.Solve(builder.scene, &builder.tree, placement.shape); err != nil || !solver.Valid {
		return err
	}
	label, err := solver.Label(shape)
	if err != nil {
		return err
	}
	builder.maker.Reset()
	if err := solver.Draws(&builder.maker, shape); err != nil {
		return err
	}
	matrix := placement.toPx.Mul(counterScale(builder.maker.InverseScale))
	builder.clipBody(solver, &label, matrix)
	// placement.isOneDraw stays false: the browser does not fold the opacity of clipped draws into one
	// colour. The layer is as large as the clip, so it cuts nothing.
	if err := builder.paint(builder.maker.Draws, matrix, placement); err != nil || !label.Shown {
		return err
	}
	return builder.arrowText(shape, &label, matrix, placement)
}

// counterScale is the map that undoes the scale of a shape; see shapes.Maker.InverseScale.
func counterScale(counter float64) vector.Matrix {
	return vector.Matrix{A: float32(counter), D: float32(counter)}
}

// clipBody prepares the clip that cuts an arrow's label and closed heads out of its body: a path,
// which matrix maps to px, and the coverage of that path, both in builder.bodyClip. A clip without holes cuts
// nothing, and its coverage is not computed.
func (builder *Builder) clipBody(solver *arrows.Solver, label *arrows.Label, matrix vector.Matrix) {
	clip := &builder.bodyClip
	clip.path.Reset()
	clip.hasHoles = solver.ClipPath(label, &clip.path)
	clip.path.Transform(matrix)
	clip.besideWholePx = builder.isBesideWholePx(&clip.path, matrix)
	if !clip.hasHoles {
		return
	}
	clip.coverage.Reset()
	builder.fillPath(&clip.coverage, &clip.path, scan.Rule{Clip: true})
}

// isBesideWholePx reports whether the browser does not see that the clip path of a body, without its holes, is a
// rectangle of whole px. The path is in px and begins with its rectangle; bars are lines in it. matrix has mapped
// it there.
func (builder *Builder) isBesideWholePx(path *vector.Path, matrix vector.Matrix) bool {
	if builder.barsRunDown(path) {
		return true
	}
	rect := path.Points[:4]
	if coversRect(rect, builder.canvas()) {
		return false
	}
	if !axisAligned(matrix) {
		return true
	}
	// A rectangle that is alone and not turned may lie a little beside whole px.
	const verbsOfRect = 5
	isLoneAndUpright := len(path.Verbs) == verbsOfRect && matrix.A > 0 && matrix.D > 0
	for _, corner := range [2]vector.Point{rect[0], rect[2]} {
		if isLoneAndUpright && nearWhole(corner.X) && nearWhole(corner.Y) {
			continue
		}
		x, y := chord.Place(corner) // x in 1/256 px, y in quarter rows
		isWhole := x&255 == 0 && y&3 == 0
		if !isWhole {
			return true
		}
	}
	return false
}

// coversRect reports whether a turned rectangle, with its corners in px one after the other, covers all of a
// rectangle of px.
func coversRect(corners []vector.Point, rect chord.Rect) bool {
	left, right := 0, 0 // how often a corner of rect lies on a side's left or right
	for i, a := range corners {
		b := corners[(i+1)%len(corners)]
		for _, at := range [4][2]int32{{rect.X0, rect.Y0}, {rect.X1, rect.Y0}, {rect.X1, rect.Y1}, {rect.X0, rect.Y1}} {
			dx, dy := float64(b.X-a.X), float64(b.Y-a.Y)
			if float64(dx*(float64(at[1])-float64(a.Y))) < float64(dy*(float64(at[0])-float64(a.X))) {
				left++
			} else {
				right++
			}
		}
	}
	return left == 0 || right == 0
}

// barsRunDown reports whether the clip path of a body has a bar, a subpath of two points, that runs downwards from
// one quarter row to another and lies in what is drawn. There the winding is 0 between the bar's line down and its
// line back up: that leaves out no pixel, but the browser no longer sees that its clip is a rectangle. The two lines
// of a vertical bar cancel each other before.
func (builder *Builder) barsRunDown(path *vector.Path) bool {
	canvas := builder.canvas()
	points := path.Points
	for i, verb := range path.Verbs {
		isBar := verb == vector.Move && i+1 < len(path.Verbs) && path.Verbs[i+1] == vector.Line &&
			(i+2 == len(path.Verbs) || path.Verbs[i+2] == vector.Move)
		if isBar && (inRect(points[0], canvas) || inRect(points[1], canvas)) {
			x0, y0 := chord.Place(points[0]) // y in quarter rows
			x1, y1 := chord.Place(points[1])
			if y0 < y1 && x0 != x1 {
				return true
			}
		}
		points = points[verb.Points():]
	}
	return false
}

// inRect reports whether a point lies in a rectangle, both in px.
func inRect(p vector.Point, rect chord.Rect) bool {
	return p.X >= float32(rect.X0) && p.X < float32(rect.X1) && p.Y >= float32(rect.Y0) && p.Y < float32(rect.Y1)
}

// coverBody gives an item the coverage of the path in builder.pathToFill, which is part of an arrow's body,
// clipped by builder.bodyClip if that has holes.
func (builder *Builder) coverBody(item *Item, rule scan.Rule) error {
	clip := &builder.bodyClip
	rule.Clip = rule.Clip || clip.clips()
	if !clip.hasHoles {
		return builder.area(&builder.pathToFill, item, rule)
	}
	clip.unclipped.Reset()
	builder.fillPath(&clip.unclipped, &builder.pathToFill, rule)
	return builder.clipBodyCoverage(item)
}

// clipBodyCoverage gives an item the coverage in builder.bodyClip.unclipped, multiplied by that of the clip, which
// leaves out the holes.
func (builder *Builder) clipBodyCoverage(it *Item) error {
	first, count := scan.Product(&builder.drawing.Coverage, &builder.bodyClip.unclipped, &builder.bodyClip.coverage)
	return builder.setCoverage(it, first, count)
}
