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

// paint appends the items of a shape's draws (fills and strokes) to the drawing; m maps their units
// to px. Draws that lie outside of the picture are left out. A draw of width 0 is a fill.
func (b *Builder) paint(draws []shapes.Draw, m vector.Matrix, p *shapePlacement) error {
	for i := range draws {
		w := &draws[i]
		if !b.visible(w, m) {
			continue
		}
		var err error
		switch {
		case w.Width == 0:
			err = b.fill(w, m, p)
		case w.Dashes.Dash > 0 && !w.Dashes.Solid:
			err = b.strokeDashed(w, m, p)
		default:
			err = b.strokeSolid(w, m, p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// emit appends an item unless it covers nothing.
func (b *Builder) emit(it Item) {
	if it.Count > 0 {
		b.d.Items = append(b.d.Items, it)
	}
}

// fill appends the item of a draw that fills the inside of its path, and keeps the place of its
// coverage in b.filled. A hatch becomes items over the last fill instead, whose outline it shares.
func (b *Builder) fill(w *shapes.Draw, m vector.Matrix, p *shapePlacement) error {
	if w.Hatch { // it covers the same outline as the fill below it
		return b.hatch(w, m, p)
	}
	it := b.item(p, w.Color, w.Opacity)
	b.outlined.Reset()
	b.outlined.Append(w.Path)
	b.outlined.Transform(m)
	// Freehand lines in layers keep the plain test: with the staged map four of nine of them were worse.
	freehand := b.scene.Shapes[p.shape].Kind == scene.Draw && !b.layered
	if (w.Disc || freehand) && b.mode == Reference {
		b.judgeDisc(w, &b.scene.Shapes[p.shape], p)
		b.scanner.Judged = &b.judged
		defer func() { b.scanner.Judged = nil }()
	}
	if err := b.cover(w, &it, m, p); err != nil {
		return err
	}
	b.filled = [2]int32{it.First, it.Count}
	b.emit(it)
	return nil
}

// strokeSolid appends the item of a stroke without dashes. The reference's scan converter handles
// overlapping subpaths. Exact areas add up, so there each subpath is filled by itself and the
// areas are united: otherwise overlaps, such as the two passes of a hand-drawn line, would be
// too strong at their edges. Of a path that is drawn Twice, Exact mode takes the first half only.
func (b *Builder) strokeSolid(w *shapes.Draw, m vector.Matrix, p *shapePlacement) error {
	if b.mode == Reference {
		return b.stroke(w, w.Path, m, p)
	}
	it := b.item(p, w.Color, w.Opacity)
	verbs, points, weights := 0, 0, 0 // of the path, done so far
	end := len(w.Path.Verbs)
	if w.Twice {
		end /= 2
	}
	for verbs < end {
		n := subpath(w.Path, verbs, points, weights, &b.part)
		verbs, points, weights = verbs+n, points+len(b.part.Points), weights+len(b.part.Weights)
		last := verbs == end
		if n == 1 && !last {
			continue // a Move without anything behind it
		}
		if endsOnStart(&b.part, float32(w.Width)) {
			b.part.Close()
		}
		b.outlined.Reset()
		b.stroker.Outline(&b.outlined, &b.part, float32(w.Width), b.resolution(m))
		b.outlined.Transform(m)
		b.watch(&b.outlined, &it)
		b.filler.Add(&b.outlined, b.canvas())
	}
	var err error
	if w.Cut && b.body.holes {
		b.body.raw.Reset()
		b.filler.Take(&b.body.raw)
		err = b.clipBodyCoverage(&it)
	} else {
		first, count := b.filler.Take(&b.d.Coverage)
		err = b.setCoverage(&it, first, count)
	}
	if err == nil {
		b.emit(it)
	}
	return err
}

// strokeDashed appends the item of a stroke with dashes; if the browser ignores the dashes, the stroke is
// solid.
func (b *Builder) strokeDashed(w *shapes.Draw, m vector.Matrix, p *shapePlacement) error {
	b.pattern = [2]float32{float32(w.Dashes.Dash), float32(w.Dashes.Gap)}
	b.part.Reset()
	if !b.dasher.Dash(&b.part, w.Path, b.pattern[:], float32(w.Dashes.Offset), b.resolution(m)) {
		b.part.Append(w.Path)
	}
	return b.stroke(w, &b.part, m, p)
}

// stroke appends the item of the path src, stroked with the pen of w, to the drawing; m maps units
// to px. In Reference mode a stroke of at most one px is drawn as a hairline, as the browser does.
// If the shape is a single translucent draw, its opacity becomes part of the hairline's strength,
// and p.opacityApplied is set.
func (b *Builder) stroke(w *shapes.Draw, src *vector.Path, m vector.Matrix, p *shapePlacement) error {
	it := b.item(p, w.Color, w.Opacity)
	b.outlined.Reset()
	if width := hairline(float32(w.Width), m); width > 0 && b.mode == Reference {
		b.outlined.Append(src)
		b.outlined.Transform(m)
		strength := uint32(255)
		if p.single && p.translucent() {
			strength, p.opacityApplied = shapes.Alpha(p.opacity), true // pixel by pixel
		}
		strength = strength * width >> 8 // width is in 1/256 px
		r := p.rule()
		b.hair.Style = hair.Style{
			Strength: strength,
			Plain:    strength < 255 || r.Clip || w.Cut || b.plain(&it, r),
			Clipped:  r.Clip || w.Cut && b.body.holes,
		}
		b.hair.Add(&b.outlined, b.canvas())
		if err := b.coverHair(w, &it); err != nil {
			return err
		}
		b.emit(it)
		return nil
	}
	b.stroker.Outline(&b.outlined, src, float32(w.Width), b.resolution(m))
	b.outlined.Transform(m)
	if err := b.cover(w, &it, m, p); err != nil {
		return err
	}
	b.emit(it)
	return nil
}

// hairline returns the width in 1/256 px, at least 1, of a stroke that is too thin to be drawn as an
// outline: at most one px along both axes of the map m to px. Its colour is weakened by that width. It
// returns 0 for a wider stroke.
func hairline(width float32, m vector.Matrix) uint32 {
	// long returns about the length of (x, y) times width, as the browser estimates it.
	long := func(x, y float32) float32 {
		x, y = max(x, -x)*width, max(y, -y)*width
		return max(x, y) + min(x, y)/2
	}
	u, v := long(m.A, m.B), long(m.C, m.D)
	if !(u <= 1 && v <= 1) {
		return 0
	}
	return max(1, uint32((u+v)/2*256))
}

// axisAligned reports whether m maps axis-aligned rectangles to axis-aligned rectangles.
func axisAligned(m vector.Matrix) bool { return m.B == 0 && m.C == 0 || m.A == 0 && m.D == 0 }

// cover gives an item the coverage of the path in b.outlined, which is in px, for draw w of the
// shape at p. If w is part of an arrow's body, it is clipped as the body is. If w is a box that
// stays upright, it is filled by the browser's rule for rectangles. Else it is filled as any path.
func (b *Builder) cover(w *shapes.Draw, it *Item, m vector.Matrix, p *shapePlacement) error {
	switch {
	case w.Cut:
		return b.coverBody(it, p.rule())
	case w.Box && b.mode == Reference && axisAligned(m):
		box, _ := boundsOf(b.outlined.Points, vector.Identity)
		first, count := scan.SharpRect(&b.d.Coverage, box, b.canvas())
		return b.setCoverage(it, first, count)
	}
	return b.area(&b.outlined, it, p.rule())
}

// coverHair gives an item the coverage of the hairlines in b.hair. If w is part of an arrow's body,
// it is clipped as the body is. Else the item also gets the list of the pixels that the two-pixel
// rule blends.
func (b *Builder) coverHair(w *shapes.Draw, it *Item) error {
	if w.Cut && b.body.holes {
		b.body.raw.Reset()
		b.hair.Take(&b.body.raw, nil)
		return b.clipBodyCoverage(it)
	}
	it.Pairs = int32(len(b.d.Pairs))
	first, count := b.hair.Take(&b.d.Coverage, b.scanner.Pairs)
	it.Paired = int32(len(b.d.Pairs)) - it.Pairs
	return b.setCoverage(it, first, count)
}

// setCoverage gives an item the range of count spans from first on, and returns an error if the drawing
// has more coverage than its limits allow.
func (b *Builder) setCoverage(it *Item, first, count int) error {
	it.First, it.Count = int32(first), int32(count)
	return b.checkSize(sizeOf(&b.d.Coverage))
}

// resolution returns the px per unit with which strokes and dashes of a drawing are made, by the
// map m from units to px. Exact mode makes them finer.
func (b *Builder) resolution(m vector.Matrix) float32 {
	r := stroke.Resolution(m)
	if b.mode == Exact {
		r *= stroke.Fine
	}
	return r
}

// subpath copies one subpath of src to part, from the positions of its first verb, point and weight on
// up to the next move, and returns its number of verbs.
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

// endsOnStart reports whether a subpath without Close ends on its start and can be closed instead: a join
// covers the same as two overlapping caps, and its edges do not count twice. Both end pieces must be
// longer than half the stroke's width, or the caps would stick out.
func endsOnStart(p *vector.Path, width float32) bool {
	n := len(p.Points)
	if n < 4 || p.Verbs[len(p.Verbs)-1] == vector.Close || p.Points[0] != p.Points[n-1] {
		return false
	}
	far := func(a, b vector.Point) bool {
		dx, dy := a.X-b.X, a.Y-b.Y
		return float32(dx*dx)+float32(dy*dy) > width*width/4
	}
	second := p.Verbs[1].Points()                          // position of the end of the first piece
	beforeLast := n - 1 - p.Verbs[len(p.Verbs)-1].Points() // and of the start of the last one
	return far(p.Points[0], p.Points[second]) && far(p.Points[n-1], p.Points[beforeLast])
}

// item returns an item of the shape at p that covers nothing yet.
func (b *Builder) item(p *shapePlacement, color shapes.RGB, opacity uint32) Item {
	return Item{Op: OpPaint, Second: p.second, Opacity: opacity, Color: color, Clip: p.clip, Shape: p.shape}
}

// rule returns how the paths of a shape are filled. See docs/spec/raster.md#r29 and
// docs/spec/raster.md#r22.
func (p *shapePlacement) rule() scan.Rule {
	return scan.Rule{Plain: p.translucent(), Clip: p.clip >= 0, Cells: true}
}

// plain reports whether an item is drawn without the two-pixel rule. In a layer
// colours are opaque: it is made translucent as a whole.
func (b *Builder) plain(it *Item, r scan.Rule) bool {
	return r.Plain && !b.layered || it.Opacity != shapes.Opaque || it.Color == shapes.RGB{}
}

// area gives an item the coverage of the inside of a path in px. In Reference mode it is computed
// as in the reference browser, with the list of the pixels that the two-pixel rule blends. In Exact
// mode it is the true area.
func (b *Builder) area(p *vector.Path, it *Item, r scan.Rule) error {
	b.watch(p, it)
	r.Plain = b.plain(it, r)
	it.Pairs = int32(len(b.d.Pairs))
	first, count := b.fillPath(&b.d.Coverage, p, r)
	it.Paired = int32(len(b.d.Pairs)) - it.Pairs
	return b.setCoverage(it, first, count)
}

// fillPath appends the coverage of a path in px to dst, within b.canvas, and returns the range of
// its spans. The mode says by which filler.
func (b *Builder) fillPath(dst *scan.Coverage, p *vector.Path, r scan.Rule) (first, count int) {
	if b.mode == Reference {
		return b.scanner.Append(dst, p, b.canvas(), r)
	}
	b.filler.Add(p, b.canvas())
	return b.filler.Take(dst)
}

// watch calls b.Watch, which tests set, with a path that is about to be filled.
func (b *Builder) watch(p *vector.Path, it *Item) {
	if b.Watch != nil {
		seen := *it // a copy, or every item would be allocated
		b.Watch(p, &seen)
	}
}

// sizeOf returns how many bytes coverage takes.
func sizeOf(c *scan.Coverage) int { return 16*len(c.Spans) + len(c.Bytes) }

// checkSize returns an error if a drawing with that many bytes of coverage is beyond a limit:
// view.ErrLarge beyond b.light, so that the caller can prepare the view apart from others,
// scene.ErrLimit beyond b.limit.
func (b *Builder) checkSize(bytes int) error {
	if b.light > 0 && bytes > b.light {
		return view.ErrLarge
	}
	if bytes > b.limit {
		return fmt.Errorf("cannot draw scene: the coverage of its outlines takes more than %d bytes (%s): %w",
			b.limit, scene.FlagCoverage, scene.ErrLimit)
	}
	return nil
}

// visible reports whether a draw of a shape may touch the picture; m maps its units to px. A stroke
// reaches half its width beyond its path, and a little more where its outline is approximate.
func (b *Builder) visible(w *shapes.Draw, m vector.Matrix) bool {
	box, ok := boundsOf(w.Path.Points, m)
	if !ok {
		return false
	}
	grow := float32(w.Width)*stroke.Resolution(m) + 1
	return box[0]-grow < float32(b.d.Width) && box[2]+grow > 0 &&
		box[1]-grow < float32(b.d.Height) && box[3]+grow > 0
}

// boundsOf returns the box of points that m maps to px: left, top, right, bottom. ok is false
// without points.
func boundsOf(p []vector.Point, m vector.Matrix) (box [4]float32, ok bool) {
	for i, q := range p {
		q = m.Apply(q)
		if i == 0 {
			box = [4]float32{q.X, q.Y, q.X, q.Y}
			continue
		}
		box[0], box[1] = min(box[0], q.X), min(box[1], q.Y)
		box[2], box[3] = max(box[2], q.X), max(box[3], q.Y)
	}
	return box, len(p) > 0
}

// clipItem appends a clip to the drawing, an item with OpClip, and returns its position. Its
// coverage is the convex polygon c, such as the visible part of a frame, mapped to px by m. The
// polygon's path stays in b.outlined.
func (b *Builder) clipItem(c []geom.Point, m vector.Matrix, p *shapePlacement) (int32, error) {
	b.outlined.Reset()
	for i, q := range c {
		w := vector.Point{X: float32(q.X), Y: float32(q.Y)}
		if i == 0 {
			b.outlined.MoveTo(w)
		} else {
			b.outlined.LineTo(w)
		}
	}
	if len(c) > 0 {
		b.outlined.Close()
	}
	b.outlined.Transform(m)
	it := b.item(p, shapes.RGB{}, shapes.Opaque)
	it.Op, it.Clip = OpClip, -1
	if err := b.area(&b.outlined, &it, scan.Rule{Clip: true, Cells: true}); err != nil {
		return -1, err
	}
	b.d.Items = append(b.d.Items, it)
	return int32(len(b.d.Items) - 1), nil
}
