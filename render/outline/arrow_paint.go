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
	b.clipBody(v, &l, m)
	// What is clipped is never alone: the browser does not fold its opacity into one
	// colour. Its layer is as large as the clip, so that nothing is cut.
	if err := b.paint(b.local.draws, m, p); err != nil || !l.shown {
		return err
	}
	return b.arrowText(sh, &l, m, p)
}

// counter is the map that takes back a shape's scale.
func counter(k float64) path.Matrix { return path.Matrix{A: float32(k), D: float32(k)} }

// clipBody prepares the clip of an arrow's body.
func (b *Builder) clipBody(v *arrows, l *arrowLabel, m path.Matrix) {
	c := &b.body
	c.path.Reset()
	if c.holes = v.clipPath(l, &c.path); !c.holes {
		return
	}
	c.path.Transform(m)
	c.coverage.Reset()
	b.fillPath(&c.coverage, &c.path, scan.Rule{Clip: true})
}

// coverBody gives an item what the path in b.outlined covers of an arrow's body.
func (b *Builder) coverBody(it *Item, r scan.Rule) error {
	r.Clip = true
	c := &b.body
	if !c.holes {
		return b.area(&b.outlined, it, r)
	}
	c.raw.Reset()
	b.fillPath(&c.raw, &b.outlined, r)
	return b.cutBody(it)
}

// cutBody gives an item what b.body.raw holds, less the holes.
func (b *Builder) cutBody(it *Item) error {
	first, count := scan.Product(&b.d.Coverage, &b.body.raw, &b.body.coverage)
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
	x, y := l.box.Lo.X+l.pad, l.box.Lo.Y+l.pad
	if err := k.write.Arrow(&k.page, sh, x, y, l.w); err != nil {
		return unwritten(sh, "label", err)
	}
	at := *p
	at.m = m
	return b.write(k, writing{color: palette[sh.LabelColor].solid, halo: true, x: x, y: y, w: l.w, h: l.h}, &at)
}
