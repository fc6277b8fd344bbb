package paint

import (
	"plumb/render/arrows"
	"plumb/render/scan"
	"plumb/render/scene"
	"plumb/render/vector"
)

// bodyClip is the clip of the current arrow's body.
type bodyClip struct {
	path     vector.Path // in px
	holes    bool        // false when the clip covers all of the body
	coverage scan.Coverage
	raw      scan.Coverage // of a part of the body, before the clip
}

// arrow appends the items of an arrow shape to the drawing: its body, which is cut out at its label
// and heads, its heads, and its label. An invalid arrow has none.
func (b *Builder) arrow(sh *scene.Shape, p *shapePlacement) error {
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
	m := p.m.Mul(counterScale(b.local.Counter))
	b.clipBody(v, &l, m)
	// p.single stays false: the browser does not fold the opacity of clipped draws into one
	// colour. The layer is as large as the clip, so it cuts nothing.
	if err := b.paint(b.local.Draws, m, p); err != nil || !l.Shown {
		return err
	}
	return b.arrowText(sh, &l, m, p)
}

// counterScale is the map that undoes the scale of a shape.
func counterScale(k float64) vector.Matrix { return vector.Matrix{A: float32(k), D: float32(k)} }

// clipBody prepares the clip that cuts an arrow's label and closed heads out of its body: a path,
// which m maps to px, and the coverage of that path, both in b.body. A clip without holes cuts
// nothing, and its coverage is not computed.
func (b *Builder) clipBody(v *arrows.Solver, l *arrows.Label, m vector.Matrix) {
	c := &b.body
	c.path.Reset()
	c.holes = v.ClipPath(l, &c.path)
	if !c.holes {
		return
	}
	c.path.Transform(m)
	c.coverage.Reset()
	b.fillPath(&c.coverage, &c.path, scan.Rule{Clip: true})
}

// coverBody gives an item the coverage of the path in b.outlined, which is part of an arrow's body,
// clipped by b.body if that has holes.
func (b *Builder) coverBody(it *Item, r scan.Rule) error {
	r.Clip = true
	c := &b.body
	if !c.holes {
		return b.area(&b.outlined, it, r)
	}
	c.raw.Reset()
	b.fillPath(&c.raw, &b.outlined, r)
	return b.clipBodyCoverage(it)
}

// clipBodyCoverage gives an item the coverage in b.body.raw, multiplied by that of the clip, which
// leaves out the holes.
func (b *Builder) clipBodyCoverage(it *Item) error {
	first, count := scan.Product(&b.d.Coverage, &b.body.raw, &b.body.coverage)
	return b.setCoverage(it, first, count)
}
