package program

import (
	"math"
	"strings"

	"plumb/scoring/aspire/scenario"
)

// directionSteps are the steps of the eight compass directions in squares of the maze.
var directionSteps = map[string]point{
	"north": {0, -1}, "northeast": {1, -1}, "east": {1, 0}, "southeast": {1, 1},
	"south": {0, 1}, "southwest": {-1, 1}, "west": {-1, 0}, "northwest": {-1, -1},
}

// cellWidth returns the width of the maze's squares.
func (question *question) cellWidth() float64 { return question.shapes[0].Props.W }

// mazeTarget reads "Draw a red star to the D of the COLOR GEO." and returns the centre of the
// target square, the shape it is next to, and D.
func (question *question) mazeTarget() (centre point, anchor *scenario.Shape, direction string) {
	words := strings.Fields(strings.TrimSuffix(question.prompt, ".")) // D is word 6 from 0, COLOR 9, GEO 10
	direction, anchor = words[6], question.byLook(words[9], words[10])
	x, y := anchor.Centre()
	step := directionSteps[direction]
	return point{x + step.x*question.cellWidth(), y + step.y*question.cellWidth()}, anchor, direction
}

// neighbours returns the green node of a graph scenario, the nodes that edges link to it, and all
// other nodes. Edges end at the centres of nodes, by which the nodes are found.
func (question *question) neighbours() (green string, linked, others []string) {
	// The nodes by their centres.
	centre := map[point]string{}
	var nodes []string
	for i := range question.shapes {
		if shape := &question.shapes[i]; shape.Type == "geo" {
			x, y := shape.Centre()
			centre[point{hundredth(x), hundredth(y)}] = shape.ID
			nodes = append(nodes, shape.ID)
			if shape.Props.Color == "green" {
				green = shape.ID
			}
		}
	}
	// The nodes at the other ends of the green node's edges.
	isNeighbour := map[string]bool{}
	for i := range question.shapes {
		if s := &question.shapes[i]; s.Type == "line" {
			from := centre[point{s.X, s.Y}]
			to := centre[point{hundredth(s.X + s.Props.Points.A2.X), hundredth(s.Y + s.Props.Points.A2.Y)}]
			if from == green {
				isNeighbour[to] = true
			}
			if to == green {
				isNeighbour[from] = true
			}
		}
	}
	for _, node := range nodes {
		switch {
		case node == green:
		case isNeighbour[node]:
			linked = append(linked, node)
		default:
			others = append(others, node)
		}
	}
	return green, linked, others
}

// outlier returns the id of the shape in a pattern scenario whose colour, or else whose outline,
// occurs only once.
func (question *question) outlier() string {
	for _, attribute := range []func(*scenario.Shape) string{
		func(s *scenario.Shape) string { return s.Props.Color },
		func(s *scenario.Shape) string { return s.Props.Geo },
	} {
		count := map[string]int{}
		for i := range question.shapes {
			count[attribute(&question.shapes[i])]++
		}
		for i := range question.shapes {
			if count[attribute(&question.shapes[i])] == 1 {
				return question.shapes[i].ID
			}
		}
	}
	panic("BUG: a pattern without an outlier")
}

// lineEnds reads "Draw a line from the center of A to the center of B." and returns the two centres.
func (question *question) lineEnds() (a, b point) {
	words := strings.Fields(strings.TrimSuffix(question.prompt, ".")) // A is the words 7 and 8 from 0, B 13 and 14
	a.x, a.y = question.byLook(words[7], words[8]).Centre()
	b.x, b.y = question.byLook(words[13], words[14]).Centre()
	return a, b
}

// angleTo returns by how much to rotate the arrow of an arrow scenario so that it points at a
// circle, in radians from -pi to pi.
func (question *question) angleTo(circle string) float64 {
	arrow, target := question.byID("shape:blue-arrow"), question.byID(circle)
	// The arrow is turned about its corner, so its centre is turned with it.
	sin, cos := math.Sincos(arrow.Rotation)
	halfW, halfH := arrow.Props.W/2, arrow.Props.H/2
	x, y := arrow.X+cos*halfW-sin*halfH, arrow.Y+sin*halfW+cos*halfH
	targetX, targetY := target.Centre()
	// Without rotation it points up, which is -pi/2, because y grows downwards.
	return math.Remainder(math.Atan2(targetY-y, targetX-x)-(arrow.Rotation-math.Pi/2), 2*math.Pi)
}

// overlapTargets reads "Delete all shapes in front of (or behind) the COLOR rectangle." and
// returns the shapes to delete, the reference and the rest, in z-order.
func (question *question) overlapTargets() (targets []string, reference string, rest []string) {
	front := strings.Contains(question.prompt, "in front of")
	words := strings.Fields(question.prompt)
	color := words[5] // after "behind the"
	if front {
		color = words[7] // after "in front of the"
	}
	referenceIndex := -1
	for i := range question.shapes {
		if question.shapes[i].Props.Color == color {
			referenceIndex = i
		}
	}
	for i := range question.shapes {
		switch {
		case i == referenceIndex:
			reference = question.shapes[i].ID
		case (i > referenceIndex) == front:
			targets = append(targets, question.shapes[i].ID)
		default:
			rest = append(rest, question.shapes[i].ID)
		}
	}
	return targets, reference, rest
}

// counterweight returns the centre and size of a rectangle that moves the whiteboard's centre of mass to
// the frame's centre, which the balance test asks for. It plans with a coarse raster of the shapes. By
// the law of the lever, a rectangle with a share of the shapes' area must lie opposite to their centre,
// farther from the middle by 1/share.
func (question *question) counterweight() (centre point, w, h float64) {
	var ink inkGrid
	for i := range question.shapes {
		ink.addOutline(expandedBy(outlinePoints(&question.shapes[i]), halfStroke))
	}
	area, massCentre := ink.mass()
	middle := point{frameW / 2, frameH / 2}
	// Take the smallest rectangle that fits into the frame: a smaller one has to lie further out.
	toMiddle := point{middle.x - massCentre.x, middle.y - massCentre.y}
	for share := 0.7; ; share += 0.05 {
		targetArea := area * share
		w = hundredth(math.Sqrt(targetArea * 1.5)) // half as wide again as high
		h = hundredth(targetArea / w)
		centre = point{middle.x + toMiddle.x/share, middle.y + toMiddle.y/share}
		if insideFrame(centre, w, h) {
			break
		}
	}
	// What the rectangle covers counts only once, so the first guess may be off. Repeat it with the mass
	// outside of the rectangle; a few rounds converge.
	for range 8 {
		area, massCentre = ink.massOutside(centre, w/2+halfStroke, h/2+halfStroke)
		areaRatio := area / ((w + 2*halfStroke) * (h + 2*halfStroke))
		centre = point{hundredth(middle.x + (middle.x-massCentre.x)*areaRatio),
			hundredth(middle.y + (middle.y-massCentre.y)*areaRatio)}
	}
	return centre, w, h
}

// insideFrame reports whether the rectangle with its stroke lies inside the frame.
func insideFrame(c point, w, h float64) bool {
	return c.x-w/2 > 5 && c.x+w/2 < frameW-5 && c.y-h/2 > 5 && c.y+h/2 < frameH-5
}

// caption is a text with the top left corner of its box.
type caption struct {
	text  string
	size  string
	scale float64
	at    point
}

// sizes are the font sizes of text shapes, px, the largest first. Below the smallest one, text is scaled.
var sizes = []struct {
	name  string
	scale float64
	px    float64
}{
	{"xl", 1, 44}, {"l", 1, 36}, {"m", 1, 24}, {"s", 1, 18}, {"s", 0.8, 14.4}, {"s", 0.6, 10.8}, {"s", 0.45, 8.1},
}

// textExtent returns a size that the box of a caption does not exceed, in the hand-drawn font of size
// px. Captions consist of the names of a colour and a shape, whose letters are on average less than
// 0.68 of the font size wide. A line is 1.35 of it high. 2 px and 1 px allow for rounding.
func textExtent(text string, px float64) (w, h float64) {
	rows := strings.Split(text, "\n")
	for _, row := range rows {
		w = max(w, 0.68*px*float64(len(row))+2)
	}
	return w, 1.35*px*float64(len(rows)) + 1
}

// placeCaption returns the largest caption for the label test that fits inside the shape with a
// margin, in one line or two. If none fits, it returns a very small one at the centre.
func (question *question) placeCaption(shape *scenario.Shape) caption {
	outline := outlinePoints(shape)
	for _, size := range sizes {
		for _, gap := range []string{" ", "\n"} {
			text := shape.Props.Color + gap + shape.Props.Geo
			w, h := textExtent(text, size.px)
			if at, ok := findRoom(shape, outline, w, h); ok {
				return caption{text, size.name, size.scale, at}
			}
		}
	}
	x, y := shape.Centre()
	return caption{shape.Props.Color + "\n" + shape.Props.Geo, "s", 0.25, point{x, y}}
}

// findRoom returns the top left corner for a caption's box of w x h inside a shape's outline with a
// margin, as near as possible to the centre of the shape's box. ok is false if there is no room.
func findRoom(shape *scenario.Shape, outline []point, w, h float64) (at point, ok bool) {
	const step, margin = 6, 7 // px between the places that are tried, and around the caption
	centreX, centreY := shape.Centre()
	nearest := math.Inf(1)
	for x := shape.X; x+w <= shape.X+shape.Props.W; x += step {
		for y := shape.Y; y+h <= shape.Y+shape.Props.H; y += step {
			distance := math.Hypot(x+w/2-centreX, y+h/2-centreY)
			if distance < nearest && containsBox(outline, x-margin, y-margin, w+2*margin, h+2*margin) {
				nearest, at, ok = distance, point{hundredth(x), hundredth(y)}, true
			}
		}
	}
	return at, ok
}

// containsBox reports whether the border of a caption's box lies inside a shape's outline, at 25
// points of each side.
func containsBox(outline []point, x, y, w, h float64) bool {
	const samples = 24
	for i := range samples + 1 {
		t := float64(i) / samples
		if !containsPoint(outline, point{x + t*w, y}) || !containsPoint(outline, point{x + t*w, y + h}) ||
			!containsPoint(outline, point{x, y + t*h}) || !containsPoint(outline, point{x + w, y + t*h}) {
			return false
		}
	}
	return true
}
