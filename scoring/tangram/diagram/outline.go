package diagram

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"plumb/render/sheet"

	"plumb/render/font"
)

// Vertex is a corner of an outline with what is written beside it.
type Vertex struct {
	At   sheet.Point
	Text string // "(1+√2, 2)"
}

const (
	leastMargin = 112 // px
	marginStep  = 24
	mostMargin  = 208
	strokeWidth = 3
	discRadius  = 5
	textSize    = 20 // px per em
	textPad     = 3  // px about a label that stay free
	labelStep   = 4  // px by which a label moves outward
	leaderFrom  = 26 // px between vertex and label from which on a line joins them
)

// Outline draws an outline with its vertices marked and their coordinates beside
// them, none over another or over the outline. The vertices run
// counter-clockwise. The margin grows from 112 px as far as the labels need it. See
// docs/spec/tangram.md#r57.
func Outline(vertices []Vertex) (*image.NRGBA, error) {
	w, err := sheet.NewWriter(font.Style{Family: font.Sans})
	if err != nil {
		return nil, err
	}
	plane := make(sheet.Loop, len(vertices))
	lines := make([]sheet.Line, len(vertices))
	for i, v := range vertices {
		plane[i] = v.At
		if lines[i], err = w.Line(v.Text, textSize); err != nil {
			return nil, err
		}
	}
	x0, y0, x1, y1 := sheet.Bounds(plane)
	if !(x1 > x0 && y1 > y0) {
		return nil, fmt.Errorf("cannot draw outline: it has no extent")
	}
	return fit(plane, lines, w.Caps*textSize).draw(lines), nil
}

// fit chooses the margin: labels near their vertices are worth some of the
// outline's size. height is that of capitals.
func fit(plane sheet.Loop, lines []sheet.Line, height float64) (best *layout) {
	x0, y0, x1, y1 := sheet.Bounds(plane)
	for margin := leastMargin; margin <= mostMargin; margin += marginStep {
		room := float64(Side - 2*margin)
		v := view{scale: min(room/(x1-x0), room/(y1-y0)), centre: middle(plane), to: sheet.Pt(Side/2, Side/2)}
		l := arrange(v.loop(plane), lines, height)
		l.cost += float64(margin-leastMargin) / 12
		if best == nil || l.cost < best.cost {
			best = l
		}
		if best.cost <= float64(margin-leastMargin)/12 { // larger margins cost more
			break
		}
	}
	return best
}

// layout is where labels go.
type layout struct {
	loop    sheet.Loop // px
	centres sheet.Loop // of the labels
	boxes   []rect
	cost    float64 // how far labels stand from their vertices, and the size of the margin
}

// rect is a box in px.
type rect struct{ x0, y0, x1, y1 float64 }

func about(c sheet.Point, w, h float64) rect { return rect{c.X - w/2, c.Y - h/2, c.X + w/2, c.Y + h/2} }

func (r rect) grown(d float64) rect { return rect{r.x0 - d, r.y0 - d, r.x1 + d, r.y1 + d} }

func (r rect) meets(q rect) bool {
	return r.x0 < q.x1 && q.x0 < r.x1 && r.y0 < q.y1 && q.y0 < r.y1
}

func (r rect) within(side float64) bool {
	return r.x0 >= 0 && r.y0 >= 0 && r.x1 <= side && r.y1 <= side
}

// turns are the directions that are tried, from the bisector, in degrees.
var turns = [...]float64{0, 15, -15, 30, -30, 45, -45, 60, -60, 75, -75, 90, -90}

// arrange places the labels one after another. Each goes outward along the
// bisector of its corner until it is free; where it would leave the picture, or
// go very far, along directions beside it, and at last to the nearest free place.
func arrange(loop sheet.Loop, lines []sheet.Line, height float64) *layout {
	l := &layout{loop: loop, centres: make(sheet.Loop, len(loop)), boxes: make([]rect, 0, len(loop))}
	for i := range loop {
		w, h := lines[i].Width+2*textPad, height+2*textPad
		c, ok := l.outward(i, w, h)
		if !ok {
			l.cost++
			c = l.anywhere(i, w, h)
		}
		if end, long := leader(loop[i], about(c, w, h)); long {
			l.cost += math.Hypot(end.X-loop[i].X, end.Y-loop[i].Y) / 40
		}
		l.centres[i] = c
		l.boxes = append(l.boxes, about(c, w, h))
	}
	return l
}

// outward finds the nearest free place on the outer side of vertex i.
func (l *layout) outward(i int, w, h float64) (sheet.Point, bool) {
	const farthest = 96
	dir := outside(l.loop, i)
	for limit := 40.0; limit <= farthest; limit += 28 {
		for _, turn := range turns {
			sin, cos := math.Sincos(turn * math.Pi / 180)
			d := sheet.Pt(float64(dir.X*cos)-float64(dir.Y*sin), float64(dir.X*sin)+float64(dir.Y*cos))
			reach := math.Min(w/2/math.Max(math.Abs(d.X), 1e-9), h/2/math.Max(math.Abs(d.Y), 1e-9))
			for far := float64(discRadius + 2); far <= limit; far += labelStep {
				c := sheet.Pt(l.loop[i].X+float64(d.X*(far+reach)), l.loop[i].Y+float64(d.Y*(far+reach)))
				if r := about(c, w, h); l.free(r) && l.clear(i, r) && l.open(i, r) && !inside(l.loop, c) {
					return c, true
				}
			}
		}
	}
	return sheet.Point{}, false
}

// anywhere finds the free place nearest to a vertex.
func (l *layout) anywhere(i int, w, h float64) sheet.Point {
	best, bestFar := sheet.Pt(Side/2, h), math.Inf(1)
	for y := h / 2; y <= Side-h/2; y += 2 * labelStep {
		for x := w / 2; x <= Side-w/2; x += 2 * labelStep {
			far := math.Hypot(x-l.loop[i].X, y-l.loop[i].Y)
			c := sheet.Pt(x, y)
			if r := about(c, w, h); far < bestFar && l.free(r) && l.clear(i, r) {
				best, bestFar = c, far
			}
		}
	}
	return best
}

// free reports whether a box lies in the picture and covers neither a label nor
// the outline nor a disc.
func (l *layout) free(r rect) bool {
	if !r.within(Side) {
		return false
	}
	for _, b := range l.boxes {
		if r.meets(b) {
			return false
		}
	}
	disc, stroke := r.grown(discRadius), r.grown(strokeWidth/2.0)
	for i, p := range l.loop {
		if p.X > disc.x0 && p.X < disc.x1 && p.Y > disc.y0 && p.Y < disc.y1 || stroke.crosses(p, l.loop[(i+1)%len(l.loop)]) {
			return false
		}
	}
	return true
}

// clear reports whether a label for vertex i covers no leader that is there, and
// its own leader would cross no label.
func (l *layout) clear(i int, r rect) bool {
	own, far := leader(l.loop[i], r)
	for k, p := range l.loop {
		if far && k != i && about(p, 2*discRadius, 2*discRadius).crosses(l.loop[i], own) {
			return false // it would seem to begin at another vertex
		}
	}
	for k, b := range l.boxes {
		if q, long := leader(l.loop[k], b); long && r.crosses(l.loop[k], q) {
			return false
		}
		if far && b.crosses(l.loop[i], own) {
			return false
		}
	}
	return true
}

// open reports whether the leader of a label for vertex i runs outside of the
// outline.
func (l *layout) open(i int, r rect) bool {
	p := l.loop[i]
	end, long := leader(p, r)
	if !long {
		return true
	}
	for _, t := range [...]float64{0.1, 0.3, 0.5, 0.7, 0.9} {
		if inside(l.loop, sheet.Mix(p, end, t)) {
			return false
		}
	}
	return true
}

// leader is the line from a vertex to its label: where it ends, and whether the
// two are so far apart that it is drawn.
func leader(p sheet.Point, r rect) (end sheet.Point, long bool) {
	end = sheet.Pt(min(max(p.X, r.x0), r.x1), min(max(p.Y, r.y0), r.y1))
	return end, math.Hypot(p.X-end.X, p.Y-end.Y) > leaderFrom
}

// crosses reports whether a segment passes through the box.
func (r rect) crosses(p, q sheet.Point) bool {
	t0, t1 := 0.0, 1.0
	for _, s := range [4][2]float64{{p.X - q.X, p.X - r.x0}, {q.X - p.X, r.x1 - p.X}, {p.Y - q.Y, p.Y - r.y0}, {q.Y - p.Y, r.y1 - p.Y}} {
		switch d, room := s[0], s[1]; {
		case d == 0 && room < 0:
			return false
		case d > 0:
			t1 = min(t1, room/d)
		case d < 0:
			t0 = max(t0, room/d)
		}
	}
	return t0 < t1
}

// outside is the direction of the bisector at vertex i that points out of the
// loop. The loop was counter-clockwise with y up.
func outside(l sheet.Loop, i int) sheet.Point {
	n := len(l)
	a, b := unit(l[(i+n-1)%n], l[i]), unit(l[i], l[(i+1)%n])
	// The right of a direction that was counter-clockwise lies outside; with y down
	// that is (-dy, dx).
	d := sheet.Pt(-a.Y-b.Y, a.X+b.X)
	if m := math.Hypot(d.X, d.Y); m > 1e-9 {
		return sheet.Pt(d.X/m, d.Y/m)
	}
	return a // a spike: straight on
}

func unit(p, q sheet.Point) sheet.Point {
	d := sheet.Pt(q.X-p.X, q.Y-p.Y)
	m := math.Hypot(d.X, d.Y)
	return sheet.Pt(d.X/m, d.Y/m)
}

// inside reports whether a point lies in a loop, by the even-odd rule.
func inside(l sheet.Loop, p sheet.Point) (in bool) {
	for i, a := range l {
		b := l[(i+1)%len(l)]
		if (a.Y > p.Y) != (b.Y > p.Y) && p.X < a.X+float64((b.X-a.X)*(p.Y-a.Y))/(b.Y-a.Y) {
			in = !in
		}
	}
	return in
}

func (l *layout) draw(lines []sheet.Line) *image.NRGBA {
	s := sheet.New(Side, Side)
	for i, p := range l.loop {
		if end, long := leader(p, l.boxes[i]); long {
			s.Fill(color.NRGBA{0xa0, 0xa0, 0xa0, 255}, sheet.Bar(p, end, 1))
		}
	}
	s.Stroke(black, strokeWidth, l.loop)
	for _, p := range l.loop {
		s.Fill(black, sheet.Circle(p, discRadius))
	}
	for i, t := range lines {
		_, y0, _, y1 := sheet.Bounds(t.Loops...)
		s.Write(black, t, l.centres[i].X-t.Width/2, l.centres[i].Y-(y0+y1)/2)
	}
	return s.NRGBA
}
