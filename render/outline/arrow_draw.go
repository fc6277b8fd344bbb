package outline

import (
	"math"

	"plumb/render/geom"
	"plumb/render/path"
	"plumb/render/scene"
)

// outlineBody appends the body of an arrow. It is steady at its ends, and a bow
// everywhere.
func (v *arrows) outlineBody(c *commands) {
	c.move(v.start).steady = true
	switch v.kind {
	case straightArrow:
		c.line(v.end).steady = true
	case arcArrow:
		first := len(c.list)
		c.arc(v.body.centre, v.body.radius, v.body.radius, v.body.angle(v.start), v.body.size, v.end)
		for i := range c.list[first:] {
			c.list[first+i].steady = true
		}
	default:
		for i, p := range v.route[1:] {
			if p.skipped {
				continue
			}
			c.line(p.Point).steady = i+2 == len(v.route)
		}
	}
}

// samples returns the points that stand for the body's geometry, and its true
// length.
func (v *arrows) samples() (p []geom.Point, length float64) {
	p = append(v.sampled[:0], v.start)
	switch v.kind {
	case arcArrow:
		length = v.body.length()
		n := geom.Clamp(math.Ceil(length/20), 8, maxSamples)
		from := v.body.angle(v.start)
		for i := 1.0; i < n; i++ {
			p = append(p, v.body.at(from+v.body.size*i/n))
		}
		p = append(p, v.end)
	case elbowArrow:
		for _, q := range v.route[1:] {
			p = append(p, q.Point)
		}
	default:
		p = append(p, v.end)
	}
	if v.kind != arcArrow {
		for i := 1; i < len(p); i++ {
			length += geom.Distance(p[i-1], p[i])
		}
	}
	v.sampled = p
	return p, length
}

// arrow makes the draws of an arrow that v has worked out: the body, then the
// insides of heads, then all heads.
func (l *local) arrow(sh *scene.Shape, v *arrows) error {
	l.counter = 1 / sh.Scale
	if !v.valid {
		return nil
	}
	l.commands.reset()
	v.outlineBody(&l.commands)
	l.measure(sh, v.width)
	if err := l.stroke(sh, v.width); err != nil {
		return err
	}
	for i := range l.draws {
		l.draws[i].cut = true
	}
	var paths [2]*path.Path
	for k := range paths {
		h := v.head(k == 1)
		if h.kind == scene.HeadNone {
			continue
		}
		if v.vague(k, h.tip) {
			return foreignArrow(sh, "with a head whose direction the last bits decide")
		}
		paths[k] = l.newPath()
		h.write(paths[k])
		if h.kind != scene.HeadArrow { // the editor fills a bar too, which has no inside
			l.fillHead(sh, paths[k], v.width)
		}
	}
	for _, p := range paths {
		if p != nil {
			l.strokeHead(sh, p, v.width)
		}
	}
	return nil
}

// vague tells whether the way comes to a tip from the tip itself. Between upright shapes
// it does so exactly, and the head is a dot; elsewhere the editor's last bits turn it.
func (v *arrows) vague(end int, tip geom.Point) bool {
	n := len(v.route)
	if v.kind != elbowArrow || n < 3 || !geom.Near(tip, v.route[[2]int{1, n - 2}[end]].Point, 1e-9) {
		return false
	}
	for i := range v.ends {
		if e := &v.ends[i]; e.bound() && (e.target.toArrow.B != 0 || e.target.toArrow.C != 0) {
			return true
		}
	}
	return false
}

// fillHead paints the inside of a head. The export has it in the group that
// strokes the arrow, so that each layer of it is stroked as well.
func (l *local) fillHead(sh *scene.Shape, p *path.Path, width float64) {
	from := len(l.draws)
	l.fill(sh, p)
	for i := len(l.draws) - from; i > 0; i-- {
		w := l.draws[from]
		l.draws = append(l.draws[:from], l.draws[from+1:]...)
		l.draws = append(l.draws, w)
		l.strokeHead(sh, p, width)
	}
}

func (l *local) strokeHead(sh *scene.Shape, p *path.Path, width float64) {
	l.draws = append(l.draws, draw{path: p, width: width, color: palette[sh.Color].solid, opacity: Opaque})
}

// bodyMargin is how far the clip of a body reaches beyond its bounds.
const bodyMargin = 100

// clipPath appends the path through which the body of an arrow is seen: a rectangle without the
// label's box and without closed heads, by the non-zero rule. holes tells whether there is a
// hole at all. See docs/spec/drawing.md#r69.
func (v *arrows) clipPath(l *arrowLabel, to *path.Path) (holes bool) {
	e := geom.NewExtent()
	points, _ := v.samples()
	for _, p := range points {
		e.Add(p)
	}
	if l.shown {
		e.Join(l.box)
	}
	w, h := e.Hi.X-e.Lo.X, e.Hi.Y-e.Lo.Y
	if w == 0 {
		w = 1
	}
	if h == 0 {
		h = 1
	}
	c := &v.local.commands
	c.reset()
	lo := geom.Pt(e.Lo.X-bodyMargin, e.Lo.Y-bodyMargin)
	hi := geom.Pt(e.Lo.X+w+bodyMargin, e.Lo.Y+h+bodyMargin)
	c.polygon(lo, geom.Pt(hi.X, lo.Y), hi, geom.Pt(lo.X, hi.Y))
	if l.shown {
		c.labelHole(l)
		holes = true
	}
	c.plain(false, to)
	for k := range 2 {
		h := v.head(k == 1)
		if h.kind != scene.HeadNone && h.kind != scene.HeadArrow {
			h.write(to)
			holes = holes || h.closed()
		}
	}
	return holes
}

// labelHole adds the box of a label, counter-clockwise with round corners.
func (c *commands) labelHole(l *arrowLabel) {
	r := l.radius
	lo, hi := l.box.Lo, l.box.Hi
	corner := func(x, y, from float64, end geom.Point) {
		c.arc(geom.Pt(x, y), r, r, from, -math.Pi/2, end)
	}
	c.move(geom.Pt(lo.X, lo.Y+r))
	c.line(geom.Pt(lo.X, hi.Y-r))
	corner(lo.X+r, hi.Y-r, math.Pi, geom.Pt(lo.X+r, hi.Y))
	c.line(geom.Pt(hi.X-r, hi.Y))
	corner(hi.X-r, hi.Y-r, math.Pi/2, geom.Pt(hi.X, hi.Y-r))
	c.line(geom.Pt(hi.X, lo.Y+r))
	corner(hi.X-r, lo.Y+r, 0, geom.Pt(hi.X-r, lo.Y))
	c.line(geom.Pt(lo.X+r, lo.Y))
	corner(lo.X+r, lo.Y+r, -math.Pi/2, geom.Pt(lo.X, lo.Y+r))
	c.close()
}
