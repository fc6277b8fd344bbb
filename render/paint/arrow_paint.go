package paint

import (
	"plumb/render/arrows"
	"plumb/render/scan"
	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/vector"
)

// bodyClip is what the body of the current arrow is seen through.
type bodyClip struct {
	path     vector.Path // in px
	holes    bool        // without them it covers all of the body
	coverage scan.Coverage
	raw      scan.Coverage // of a part of the body
}

// arrow appends the items of an arrow.
func (b *Builder) arrow(sh *scene.Shape, p *place) error {
	v := &b.arrows
	if err := v.Solve(b.scene, &b.tree, p.shape); err != nil || !v.Valid {
		return err
	}
	l, err := v.Label(sh)
	if err != nil {
		return err
	}
	b.local.Reset()
	if err := v.Draws(&b.local, sh); err != nil {
		return err
	}
	m := p.m.Mul(counter(b.local.Counter))
	b.clipBody(v, &l, m)
	// What is clipped is never alone: the browser does not fold its opacity into one
	// colour. Its layer is as large as the clip, so that nothing is cut.
	if err := b.paint(b.local.Draws, m, p); err != nil || !l.Shown {
		return err
	}
	return b.arrowText(sh, &l, m, p)
}

// counter is the map that takes back a shape's scale.
func counter(k float64) vector.Matrix { return vector.Matrix{A: float32(k), D: float32(k)} }

// clipBody prepares the clip of an arrow's body.
func (b *Builder) clipBody(v *arrows.Solver, l *arrows.Label, m vector.Matrix) {
	c := &b.body
	c.path.Reset()
	if c.holes = v.ClipPath(l, &c.path); !c.holes {
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
func (b *Builder) arrowText(sh *scene.Shape, l *arrows.Label, m vector.Matrix, p *place) error {
	k, err := takeScribe()
	if err != nil {
		return err
	}
	defer k.GiveBack()
	x, y := l.Box.Lo.X+l.Pad, l.Box.Lo.Y+l.Pad
	if err := k.Arrow(&k.Page, sh, x, y, l.W); err != nil {
		return shapes.Unwritten(sh, "label", err)
	}
	at := *p
	at.m = m
	return b.write(k, writing{color: shapes.Palette[sh.LabelColor].Solid, halo: true, x: x, y: y, w: l.W, h: l.H}, &at)
}
