package diagram

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"plumb/render/sheet"

	"plumb/render/font"
)

// Vertex is a corner of an outline with its label.
type Vertex struct {
	At   sheet.Point
	Text string // "(1+√2, 2)"
}

const (
	minMargin   = 112 // px
	marginStep  = 24
	maxMargin   = 208
	strokeWidth = 3
	discRadius  = 5
	textSize    = 20 // px per em
	textPad     = 3  // px about a label that stay free
	labelStep   = 4  // px by which a label moves outward
	leaderFrom  = 26 // px between vertex and label from which on a line joins them
)

// The cost of a layout, by which chooseMargin chooses among margins: each of these costs 1, as does
// a label with no free place on the outer side of its corner. The weights are decided.
const (
	leaderPerCost = 40 // px of leader lines
	marginPerCost = 12 // px of margin above minMargin
)

// Outline draws the outline of a tangram with its vertices marked and their coordinates as labels.
// No label lies over another or over the outline. The vertices run counter-clockwise. The margin
// grows from 112 px as far as the labels need it. See docs/spec/tangram.md#r57.
func Outline(vertices []Vertex) (*image.NRGBA, error) {
	writer, err := sheet.NewWriter(font.Style{Family: font.Sans})
	if err != nil {
		return nil, err
	}
	plane := make(sheet.Loop, len(vertices))
	lines := make([]sheet.Line, len(vertices))
	for i, v := range vertices {
		plane[i] = v.At
		if lines[i], err = writer.Line(v.Text, textSize); err != nil {
			return nil, err
		}
	}
	x0, y0, x1, y1 := sheet.Bounds(plane)
	if !(x1 > x0 && y1 > y0) {
		return nil, fmt.Errorf("cannot draw outline: it has no extent")
	}
	return chooseMargin(plane, lines, writer.Caps*textSize).draw(lines), nil
}

// chooseMargin returns the layout of the tangram picture's labels with the lowest cost among
// margins from minMargin to maxMargin. A larger margin makes the outline smaller, but brings labels
// nearer to their vertices. height is that of capital letters in px.
func chooseMargin(plane sheet.Loop, lines []sheet.Line, height float64) (best *layout) {
	x0, y0, x1, y1 := sheet.Bounds(plane)
	for margin := minMargin; margin <= maxMargin; margin += marginStep {
		marginCost := float64(margin-minMargin) / marginPerCost
		room := float64(Side - 2*margin)
		v := view{scale: min(room/(x1-x0), room/(y1-y0)), centre: boxCentre(plane), to: sheet.Pt(Side/2, Side/2)}
		l := placeLabels(v.loop(plane), lines, height)
		l.cost += marginCost
		if best == nil || l.cost < best.cost {
			best = l
		}
		if best.cost <= marginCost { // no larger margin can be better: it costs more by itself
			break
		}
	}
	return best
}

// layout is the placement of the labels of an outline.
type layout struct {
	loop    sheet.Loop // px
	centres sheet.Loop // of the labels
	boxes   []rect
	cost    float64 // of misplaced labels, leader lines and the margin; the layout with the least is drawn
}

// rect is a box in px.
type rect struct{ x0, y0, x1, y1 float64 }

// boxAround returns the box of the given size around c.
func boxAround(c sheet.Point, w, h float64) rect {
	return rect{c.X - w/2, c.Y - h/2, c.X + w/2, c.Y + h/2}
}

func (r rect) grown(d float64) rect { return rect{r.x0 - d, r.y0 - d, r.x1 + d, r.y1 + d} }

// meets reports whether the interiors of two boxes intersect.
func (rect rect) meets(q rect) bool {
	return rect.x0 < q.x1 && q.x0 < rect.x1 && rect.y0 < q.y1 && q.y0 < rect.y1
}

// within reports whether a box lies inside a picture of the given side.
func (rect rect) within(side float64) bool {
	return rect.x0 >= 0 && rect.y0 >= 0 && rect.x1 <= side && rect.y1 <= side
}

// labelAngles are the directions to try for a label, in degrees from the bisector.
var labelAngles = [...]float64{0, 15, -15, 30, -30, 45, -45, 60, -60, 75, -75, 90, -90}

// placeLabels places the coordinate labels of a tangram's outline one after another. Each gets the
// nearest free place on the outer side of its vertex, or else anywhere. The cost of the layout is 1
// for each label that is not on the outer side, and 1 for each leaderPerCost px of leader lines.
// height is that of capital letters in px.
func placeLabels(loop sheet.Loop, lines []sheet.Line, height float64) *layout {
	l := &layout{loop: loop, centres: make(sheet.Loop, len(loop)), boxes: make([]rect, 0, len(loop))}
	for i := range loop {
		w, h := lines[i].Width+2*textPad, height+2*textPad
		point, ok := l.placeOutward(i, w, h)
		if !ok {
			l.cost++
			point = l.placeAnywhere(i, w, h)
		}
		if end, drawn := leaderLine(loop[i], boxAround(point, w, h)); drawn {
			l.cost += math.Hypot(end.X-loop[i].X, end.Y-loop[i].Y) / leaderPerCost
		}
		l.centres[i] = point
		l.boxes = append(l.boxes, boxAround(point, w, h))
	}
	return l
}

// placeOutward returns a free place of w x h px for the label of vertex i on the outer side of the
// tangram's outline. It tries places near the vertex first, in each direction from the bisector on,
// then farther away. It returns false if there is none.
func (layout *layout) placeOutward(i int, w, h float64) (sheet.Point, bool) {
	const nearest, roundStep, farthest = 40.0, 28, 96 // px
	dir := outwardBisector(layout.loop, i)
	// A short way matters more than the direction: each round tries all directions, the next one farther out.
	for limit := nearest; limit <= farthest; limit += roundStep {
		for _, turn := range labelAngles {
			sin, cos := math.Sincos(turn * math.Pi / 180)
			direction := sheet.Pt(float64(dir.X*cos)-float64(dir.Y*sin), float64(dir.X*sin)+float64(dir.Y*cos))
			// halfExtent is the way from the label's centre to its box in this direction.
			halfExtent := math.Min(w/2/math.Max(math.Abs(direction.X), 1e-9), h/2/math.Max(math.Abs(direction.Y), 1e-9))
			for distance := float64(discRadius + 2); distance <= limit; distance += labelStep {
				centre := sheet.Pt(layout.loop[i].X+float64(direction.X*(distance+halfExtent)),
					layout.loop[i].Y+float64(direction.Y*(distance+halfExtent)))
				box := boxAround(centre, w, h)
				meetsNothing := layout.isFree(box) && layout.leaderFree(i, box)
				if meetsNothing && layout.leaderOutside(i, box) && !insideLoop(layout.loop, centre) {
					return centre, true
				}
			}
		}
	}
	return sheet.Point{}, false
}

// placeAnywhere returns the free place for a label that is nearest to vertex i of the tangram's
// outline, on a grid over the picture; the top of the picture if there is none.
func (layout *layout) placeAnywhere(i int, w, h float64) sheet.Point {
	best, bestDistance := sheet.Pt(Side/2, h), math.Inf(1)
	for y := h / 2; y <= Side-h/2; y += 2 * labelStep {
		for x := w / 2; x <= Side-w/2; x += 2 * labelStep {
			distance := math.Hypot(x-layout.loop[i].X, y-layout.loop[i].Y)
			centre := sheet.Pt(x, y)
			if box := boxAround(centre, w, h); distance < bestDistance && layout.isFree(box) && layout.leaderFree(i, box) {
				best, bestDistance = centre, distance
			}
		}
	}
	return best
}

// isFree reports whether a label's box lies within the tangram picture and meets no other label, no
// part of the outline and no vertex disc.
func (layout *layout) isFree(rect rect) bool {
	if !rect.within(Side) {
		return false
	}
	for _, b := range layout.boxes {
		if rect.meets(b) {
			return false
		}
	}
	disc, stroke := rect.grown(discRadius), rect.grown(strokeWidth/2.0)
	for i, p := range layout.loop {
		if p.X > disc.x0 && p.X < disc.x1 && p.Y > disc.y0 && p.Y < disc.y1 ||
			stroke.crosses(p, layout.loop[(i+1)%len(layout.loop)]) {
			return false
		}
	}
	return true
}

// leaderFree reports whether a label with the box r for vertex i of a tangram's outline covers no
// leader line of an earlier label. Leader lines join a label to its vertex. Its own one, if it is drawn,
// must cross no earlier label and no other vertex disc.
func (layout *layout) leaderFree(i int, r rect) bool {
	end, drawn := leaderLine(layout.loop[i], r)
	for other, p := range layout.loop {
		if drawn && other != i && boxAround(p, 2*discRadius, 2*discRadius).crosses(layout.loop[i], end) {
			return false // the leader would seem to begin at another vertex
		}
	}
	for earlier, box := range layout.boxes {
		if earlierEnd, drawn := leaderLine(layout.loop[earlier], box); drawn && r.crosses(layout.loop[earlier], earlierEnd) {
			return false
		}
		if drawn && box.crosses(layout.loop[i], end) {
			return false
		}
	}
	return true
}

// leaderOutside reports whether the leader line from vertex i to a label runs outside of the
// tangram's outline, at five points of the line. Labels without a leader line pass.
func (layout *layout) leaderOutside(i int, r rect) bool {
	point := layout.loop[i]
	end, long := leaderLine(point, r)
	if !long {
		return true
	}
	for _, t := range [...]float64{0.1, 0.3, 0.5, 0.7, 0.9} {
		if insideLoop(layout.loop, sheet.Mix(point, end, t)) {
			return false
		}
	}
	return true
}

// leaderLine returns the end of the line from a vertex to the nearest point of its label,
// and whether the two are so far apart that the line is drawn.
func leaderLine(p sheet.Point, r rect) (end sheet.Point, drawn bool) {
	end = sheet.Pt(min(max(p.X, r.x0), r.x1), min(max(p.Y, r.y0), r.y1))
	return end, math.Hypot(p.X-end.X, p.Y-end.Y) > leaderFrom
}

// crosses reports whether the segment from p to q passes through the box or along one of its
// sides, by clipping it to the box's four sides (Liang-Barsky).
func (rect rect) crosses(p, q sheet.Point) bool {
	t0, t1 := 0.0, 1.0
	for _, side := range [4][2]float64{{p.X - q.X, p.X - rect.x0}, {q.X - p.X, rect.x1 - p.X}, {p.Y - q.Y, p.Y - rect.y0},
		{q.Y - p.Y, rect.y1 - p.Y}} {
		switch speed, room := side[0], side[1]; { // the segment reaches the side at room/speed
		case speed == 0 && room < 0:
			return false
		case speed > 0:
			t1 = min(t1, room/speed)
		case speed < 0:
			t0 = max(t0, room/speed)
		}
	}
	return t0 < t1
}

// outwardBisector returns the unit vector of the bisector at vertex i that points out of the
// tangram's outline. The outline must have been counter-clockwise with y up, so it is clockwise in
// px, with y down.
func outwardBisector(l sheet.Loop, i int) sheet.Point {
	n := len(l)
	before, after := unitVector(l[(i+n-1)%n], l[i]), unitVector(l[i], l[(i+1)%n])
	// The right of a direction that was counter-clockwise lies outside; with y down
	// that is (-dy, dx).
	bisector := sheet.Pt(-before.Y-after.Y, before.X+after.X)
	if length := math.Hypot(bisector.X, bisector.Y); length > 1e-9 {
		return sheet.Pt(bisector.X/length, bisector.Y/length)
	}
	return before // the edges run back along each other
}

// unitVector returns the direction from p to q.
func unitVector(p, q sheet.Point) sheet.Point {
	d := sheet.Pt(q.X-p.X, q.Y-p.Y)
	m := math.Hypot(d.X, d.Y)
	return sheet.Pt(d.X/m, d.Y/m)
}

// insideLoop reports whether a point lies inside of the tangram's outline, by the even-odd rule.
func insideLoop(loop sheet.Loop, point sheet.Point) (inside bool) {
	for i, a := range loop {
		b := loop[(i+1)%len(loop)]
		// A ray to the right crosses the edge from a to b.
		if (a.Y > point.Y) != (b.Y > point.Y) && point.X < a.X+float64((b.X-a.X)*(point.Y-a.Y))/(b.Y-a.Y) {
			inside = !inside
		}
	}
	return inside
}

// draw paints the picture of a tangram's outline: the outline, the vertex discs, the labels and
// their leader lines.
func (layout *layout) draw(lines []sheet.Line) *image.NRGBA {
	picture := sheet.New(Side, Side, white)
	for i, p := range layout.loop {
		if end, long := leaderLine(p, layout.boxes[i]); long {
			picture.Fill(color.NRGBA{0xa0, 0xa0, 0xa0, 255}, sheet.Bar(p, end, 1))
		}
	}
	picture.Stroke(black, strokeWidth, layout.loop)
	for _, p := range layout.loop {
		picture.Fill(black, sheet.Circle(p, discRadius))
	}
	for i, label := range lines {
		_, y0, _, y1 := sheet.Bounds(label.Loops...)
		picture.Write(black, label, layout.centres[i].X-label.Width/2, layout.centres[i].Y-(y0+y1)/2)
	}
	return picture.NRGBA
}
