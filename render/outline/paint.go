package outline

import (
	"fmt"

	"plumb/render/chord"
	"plumb/render/path"
	"plumb/render/stroke"
)

// paint appends the items of a shape's draws. m maps their units to px.
func (b *Builder) paint(draws []draw, m path.Matrix, p *place) error {
	begun := false // a pass waits for the next one
	for i := range draws {
		w := &draws[i]
		if !w.unite {
			p.draws++
		}
		it := b.item(p, w.color, w.opacity)
		if w.unite {
			it.Op = OpUnite
		}
		if i > 0 && w.width == 0 && draws[i-1].path == w.path && len(b.d.Items) > 0 {
			// The hatch covers the same outline as the fill below it.
			last := &b.d.Items[len(b.d.Items)-1]
			it.First, it.Count = last.First, last.Count
		} else if err := b.cut(w, m, &it); err != nil {
			return err
		}
		if it.Count == 0 && !begun {
			continue
		}
		begun = w.unite
		b.d.Items = append(b.d.Items, it)
	}
	return nil
}

// item returns an item of the shape at p without segments.
func (b *Builder) item(p *place, color rgb, opacity uint32) Item {
	return Item{Op: OpPaint, Second: p.second, Opacity: opacity, Color: color, Clip: p.clip, Shape: p.shape}
}

// cut appends the segments of one draw and notes them in it.
func (b *Builder) cut(w *draw, m path.Matrix, it *Item) error {
	it.First = int32(len(b.d.Segments))
	if !b.visible(w, m) {
		return nil
	}
	src := w.path
	if w.width > 0 {
		src = b.outlineOf(w, m)
	} else {
		b.outlined.Reset()
		b.outlined.Append(src)
		src = &b.outlined
	}
	src.Transform(m)
	return b.segments(src, it)
}

// outlineOf returns the outline of a stroke, in its own units.
func (b *Builder) outlineOf(w *draw, m path.Matrix) *path.Path {
	res := stroke.Resolution(m)
	if b.mode == Exact {
		res *= stroke.Fine
	}
	src := w.path
	if w.dashes.dash > 0 && !w.dashes.solid {
		b.pattern = [2]float32{float32(w.dashes.dash), float32(w.dashes.gap)}
		b.dashed.Reset()
		if b.dasher.Dash(&b.dashed, src, b.pattern[:], float32(w.dashes.offset), res) {
			src = &b.dashed
		}
	}
	b.outlined.Reset()
	b.stroker.Outline(&b.outlined, src, float32(w.width), res)
	return &b.outlined
}

// segments cuts a path in px and appends what it gives to the drawing.
func (b *Builder) segments(p *path.Path, it *Item) error {
	it.First = int32(len(b.d.Segments))
	b.d.Segments = b.cutter.Append(b.d.Segments, p, b.canvas(), b.chords())
	if len(b.d.Segments) > b.limit {
		return fmt.Errorf("cannot draw scene: it has more than %d segments; want fewer shapes or a larger --max-segments", b.limit)
	}
	it.Count = int32(len(b.d.Segments)) - it.First
	return nil
}

// visible tells whether a draw may touch the picture. A stroke reaches half its
// width beyond its path, and a little more where its outline is approximate.
func (b *Builder) visible(w *draw, m path.Matrix) bool {
	box, ok := boundsOf(w.path.Points, m)
	if !ok {
		return false
	}
	grow := float32(w.width)*stroke.Resolution(m) + 1
	return box[0]-grow < float32(b.d.Width) && box[2]+grow > 0 &&
		box[1]-grow < float32(b.d.Height) && box[3]+grow > 0
}

// boundsOf returns the box of mapped points: left, top, right, bottom. ok is
// false without points.
func boundsOf(p []path.Point, m path.Matrix) (box [4]float32, ok bool) {
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

// clipItem appends an OpClip item, a convex polygon that m maps to px, and
// returns its position.
func (b *Builder) clipItem(c []point, m path.Matrix, p *place) (int32, error) {
	b.outlined.Reset()
	for i, q := range c {
		w := path.Point{X: float32(q.X), Y: float32(q.Y)}
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
	it := b.item(p, rgb{}, Opaque)
	it.Op, it.Clip = OpClip, -1
	if err := b.segments(&b.outlined, &it); err != nil {
		return -1, err
	}
	b.d.Items = append(b.d.Items, it)
	return int32(len(b.d.Items) - 1), nil
}

// canvas is the clip of everything: the whole picture.
func (b *Builder) canvas() chord.Rect {
	return chord.Rect{X1: int32(b.d.Width), Y1: int32(b.d.Height)}
}

func (b *Builder) chords() chord.Mode {
	if b.mode == Exact {
		return chord.Exact
	}
	return chord.Reference
}
