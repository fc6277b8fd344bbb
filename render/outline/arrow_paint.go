package outline

import (
	"plumb/render/path"
	"plumb/render/scan"
	"plumb/render/scene"
)

// bodyClip is what the body of the arrow in hand is seen through.
type bodyClip struct {
	path     path.Path // in px
	holes    bool      // without them it covers all of the body
	item     int32     // mode Exact: the OpClip item
	coverage scan.Coverage
	raw      scan.Coverage // of a part of the body
}

// arrow appends the items of an arrow.
func (b *Builder) arrow(sh *scene.Shape, p *place) error {
	v := &b.arrows
	if err := v.solve(b.scene, &b.tree, p.shape); err != nil || !v.valid {
		return err
	}
	l, err := v.label(sh)
	if err != nil {
		return err
	}
	b.local.reset()
	if err := b.local.arrow(sh, v); err != nil {
		return err
	}
	m := p.m.Mul(counter(b.local.counter))
	if err := b.clipBody(v, &l, m, p); err != nil {
		return err
	}
	// The browser does not fold the opacity of what is clipped into one colour. Its
	// layer is as large as the clip, so that nothing is cut.
	p.draws += 2
	if err := b.paint(b.local.draws, m, p); err != nil || !l.shown {
		return err
	}
	return b.arrowText(sh, &l, m, p)
}

// counter is the map that takes back a shape's scale.
func counter(k float64) path.Matrix { return path.Matrix{A: float32(k), D: float32(k)} }

// clipBody prepares the clip of an arrow's body.
func (b *Builder) clipBody(v *arrows, l *arrowLabel, m path.Matrix, p *place) error {
	c := &b.body
	c.path.Reset()
	if c.holes = v.clipPath(l, &c.path); !c.holes {
		return nil
	}
	if b.mode == Exact && p.clip >= 0 {
		return b.clipInFrame(m, p)
	}
	c.path.Transform(m)
	if b.mode == Exact {
		return b.clipBodyItem(p)
	}
	c.coverage.Reset()
	b.scanner.Append(&c.coverage, &c.path, b.canvas(), scan.Rule{Clip: true})
	return nil
}

// clipBodyItem appends the clip as an item: segments cannot be multiplied.
func (b *Builder) clipBodyItem(p *place) error {
	it := b.item(p, rgb{}, Opaque)
	it.Op, it.Clip = OpClip, -1
	if err := b.area(&b.body.path, &it, scan.Rule{Clip: true}); err != nil {
		return err
	}
	b.body.item = int32(len(b.d.Items))
	b.d.Items = append(b.d.Items, it)
	return nil
}

// clipInFrame is clipBody in a frame: an item has one clip, so the contours of
// the body's are cut by the frame.
func (b *Builder) clipInFrame(m path.Matrix, p *place) error {
	frame := b.frameInPx(nil, b.tree.nodes[p.shape].frame)
	b.body.path.Transform(m)
	var out path.Path
	eachContour(&b.body.path, func(c []point) {
		polyline(&out, true, b.clip.intersect(c, frame)...)
	})
	b.body.path = out
	return b.clipBodyItem(p)
}

// bowSteps is the number of chords that stand for a curve that a frame cuts.
const bowSteps = 24

// eachContour calls f with the subpaths of p as polygons.
func eachContour(p *path.Path, f func([]point)) {
	var c []point
	pts := p.Points
	at := func(i int) point { return point{float64(pts[i].X), float64(pts[i].Y)} }
	for _, v := range p.Verbs {
		switch v {
		case path.Move:
			if len(c) > 2 {
				f(c)
			}
			c = append(c[:0], at(0))
		case path.Line:
			c = append(c, at(0))
		case path.Cubic:
			from := c[len(c)-1]
			for k := 1.0; k <= bowSteps; k++ {
				c = append(c, cubicAt(from, at(0), at(1), at(2), k/bowSteps))
			}
		}
		pts = pts[pointsOf[v]:]
	}
	if len(c) > 2 {
		f(c)
	}
}

// coverBody gives an item what the path in b.outlined covers of an arrow's body.
func (b *Builder) coverBody(it *Item, r scan.Rule) error {
	r.Clip = true
	c := &b.body
	switch {
	case !c.holes:
		return b.area(&b.outlined, it, r)
	case b.mode == Exact:
		it.Clip = c.item
		return b.area(&b.outlined, it, r)
	}
	c.raw.Reset()
	b.scanner.Append(&c.raw, &b.outlined, b.canvas(), r)
	first, count := product(&b.d.Coverage, &c.raw, &c.coverage)
	return b.scanned(it, first, count)
}

// arrowText appends the items of an arrow's label, clipped to its box without
// the padding. m maps the arrow's own units to px.
func (b *Builder) arrowText(sh *scene.Shape, l *arrowLabel, m path.Matrix, p *place) error {
	k, err := takeScribe()
	if err != nil {
		return err
	}
	defer k.giveBack()
	x, y := l.box.lo.X+l.pad, l.box.lo.Y+l.pad
	if err := k.write.Arrow(&k.page, sh, x, y, l.w); err != nil {
		return unwritten(sh, "label", err)
	}
	at := *p
	at.m = m
	err = b.write(k, writing{color: palette[sh.LabelColor].solid, halo: true, x: x, y: y, w: l.w, h: l.h}, &at)
	p.draws = at.draws
	return err
}
