package aspire

import (
	"fmt"
	"math"
	"slices"

	"plumb/render/scene"
	"plumb/render/view"
	"plumb/scoring"
)

// canvas is the part of the page that most tests show to a model (docs/spec/aspire.md#r10).
var canvas = view.Box{W: 1400, H: 800}

// maxPanelSide bounds the sides of a report picture, px. A shape that an answer put far away would
// otherwise make everything else invisibly small.
const maxPanelSide = 3000

// marks are drawn over the report pictures before and after the answer.
type marks struct{ before, after []scoring.Mark }

// Show returns what explains the score of an ASPIRE answer: pictures of the whiteboard before and
// after the answer, with the marks of the test, and for the label test the picture that was
// measured. A board that cannot be drawn shows nothing. It implements scoring.Shower.
func (j *job) Show(result *scoring.Result) scoring.Exhibit {
	limits := scene.DefaultLimits()
	before, err := resolve(slices.Clone(j.initial.shapes), limits, nil)
	if err != nil {
		return scoring.Exhibit{}
	}
	after, err := resolve(j.shownRecords(result), limits, nil)
	if err != nil {
		return scoring.Exhibit{}
	}
	// What the test marks.
	var m marks
	if j.marks != nil {
		m = j.marks(j, result)
	}
	// Both pictures show the same part of the page.
	bounds := shownBounds(before, after)
	label, measured := j.measuredLabel(result)
	if measured {
		bounds = label.Bounds
	}
	panels := []scoring.Panel{
		{Title: "before", View: view.View{Scene: before, Bounds: bounds}, Marks: m.before},
		{Title: "after", View: view.View{Scene: after, Bounds: bounds}, Marks: m.after},
	}
	if measured {
		panels = append(panels, scoring.Panel{Title: "label over shape", View: label})
	}
	return scoring.Exhibit{Panels: panels, First: len(panels) - 1} // the last picture is shown first
}

// measuredLabel returns the view that was measured for the label test. If the renderer chose its bounds, they
// are read from the result. ok is false for other tests, and if nothing was measured.
func (j *job) measuredLabel(result *scoring.Result) (wanted view.View, ok bool) {
	if j.result.Test != "label" || len(j.views) == 0 {
		return wanted, false
	}
	wanted = j.views[0]
	if wanted.Content == nil {
		return wanted, true
	}
	bounds := result.Floats("bounds")
	if len(bounds) != 4 || len(wanted.FirstIDs) == 0 {
		return wanted, false
	}
	wanted.Bounds, wanted.Content = view.Box{X: bounds[0], Y: bounds[1], W: bounds[2], H: bounds[3]}, nil
	return wanted, true
}

// shownRecords returns a copy of the shape records after the answer. For the arrow test the arrow
// is turned by the answer's rotation, which scoring does not apply to the board.
func (j *job) shownRecords(r *scoring.Result) []scene.Record {
	records := slices.Clone(j.final)
	turn, ok := r.Float("rotation")
	if j.result.Test != "arrow" || !ok || r.Status == otherShape || j.arrowID == "" {
		return records
	}
	rotateAboutCentre(records, j.arrowID, turn)
	return records
}

// rotateAboutCentre turns the shape record with this id about its centre. It changes the rotation,
// and then x and y so that the centre stays in place.
func rotateAboutCentre(records []scene.Record, id string, turn float64) {
	for i := range records {
		if records[i].ID != id {
			continue
		}
		record := &records[i]
		w, h, _ := boxSize(record)
		middle := scene.Point{X: w / 2, Y: h / 2}
		var noParents board // it leaves out groups around the shape
		before := noParents.toPage(record, middle)
		record.Rotation += turn
		after := noParents.toPage(record, middle)
		record.X, record.Y = record.X+before.X-after.X, record.Y+before.Y-after.Y
		record.Has |= scene.HasRotation | scene.HasX | scene.HasY
	}
}

// shownBounds returns the part of the page that the pictures of an ASPIRE answer show: the canvas,
// extended by content outside of it as long as the picture is at most maxPanelSide wide and high.
func shownBounds(before, after *scene.Scene) view.Box {
	bounds := canvas
	for _, s := range []*scene.Scene{before, after} {
		content, ok, err := view.ContentBounds(s, nil)
		if err != nil || !ok {
			continue
		}
		const slack = 8 // px; strokes may stick out
		isInside := content.X > bounds.X-slack && content.Y > bounds.Y-slack &&
			content.X+content.W < bounds.X+bounds.W+slack && content.Y+content.H < bounds.Y+bounds.H+slack
		if isInside {
			continue
		}
		content = padded(content)
		if joined := boxUnion(bounds, content); joined.W <= maxPanelSide && joined.H <= maxPanelSide {
			bounds = joined
		}
	}
	return bounds
}

// showMaze returns the function that makes the marks of the maze test: a ring around the target, and the new
// shape with its distance from it. grid is the width of the whole maze, px.
func showMaze(target scene.Point, grid float64) func(*job, *scoring.Result) marks {
	return func(_ *job, result *scoring.Result) (m marks) {
		const ringsAcross = 8 // rings side by side fill the maze: two for each of its four cells
		goal := scoring.Mark{Form: scoring.Ring, Tone: scoring.Goal, A: target, R: grid / ringsAcross / 2, Text: "target"}
		m.before = append(m.before, goal)
		m.after = append(m.after, goal)
		if at, ok := result.Point("centre"); ok {
			m.after = append(m.after, scoring.Mark{Form: scoring.Dot, Tone: scoring.StateAfter, A: at},
				gapMark(scoring.Bad, at, target))
		}
		return m
	}
}

// showGraph returns the function that makes the marks of the graph test: rings around the
// neighbours and around the nodes that the answer coloured.
func showGraph(meant map[string]bool) func(*job, *scoring.Result) marks {
	const noReference = ""
	return showChoices("selected", noReference, meant, func(initial *board, node *scene.Record) scoring.Mark {
		w, h, _ := boxSize(node)
		middle := initial.toPage(node, scene.Point{X: w / 2, Y: h / 2})
		return scoring.Mark{Form: scoring.Ring, A: middle, R: math.Hypot(w, h) / 2} // through its corners
	})
}

// showDeleted returns the function that makes the marks of the overlap and pattern tests: frames
// around the shapes that should have been deleted, around those that were, and around the
// reference, whose id may be "" for none.
func showDeleted(reference string, meant map[string]bool) func(*job, *scoring.Result) marks {
	return showChoices("deleted", reference, meant, func(initial *board, shape *scene.Record) scoring.Mark {
		box := initial.pageBox(shape)
		return scoring.Mark{Form: scoring.Box, A: scene.Point{X: box.X, Y: box.Y},
			B: scene.Point{X: box.X + box.W, Y: box.Y + box.H}}
	})
}

// showChoices returns the function that makes marks on the reference, on the shapes that the test
// means, and on those that the answer chose, whose ids are in the given metric. newMark makes the
// mark of a shape on the initial board.
func showChoices(metric, reference string, meant map[string]bool,
	newMark func(initial *board, shape *scene.Record) scoring.Mark) func(*job, *scoring.Result) marks {
	return func(j *job, r *scoring.Result) (m marks) {
		chosen := setOf(r.Strings(metric))
		var initial board // with the groups around shapes, which move them
		initial.reset(j.initial.shapes)
		for i := range j.initial.shapes {
			shape := &j.initial.shapes[i]
			mark := newMark(&initial, shape)
			if shape.ID == reference {
				mark.Tone, mark.Text = scoring.StateBefore, "reference"
				m.before = append(m.before, mark)
			}
			if meant[shape.ID] {
				mark.Tone, mark.Text = scoring.Goal, ""
				m.before = append(m.before, mark)
			}
			if meant[shape.ID] || chosen[shape.ID] {
				mark.Tone, mark.Text = choiceMark(meant[shape.ID], chosen[shape.ID])
				m.after = append(m.after, mark)
			}
		}
		return m
	}
}

// choiceMark returns the tone and text of the mark on a shape of an ASPIRE test that was meant, chosen or both.
func choiceMark(meant, chosen bool) (scoring.Tone, string) {
	switch {
	case meant && chosen:
		return scoring.Good, ""
	case meant:
		return scoring.Bad, "missed"
	}
	return scoring.Bad, "wrong"
}

// showLine returns the marks of the line test: the two targets, which are the points, and how far the ends
// of the line are from them. Each end is shown at the target for which the sum is smaller.
func showLine(points []scene.Point, result *scoring.Result) (m marks) {
	a, b := points[0], points[1]
	goals := []scoring.Mark{
		{Form: scoring.Cross, Tone: scoring.Goal, A: a, Text: "A"},
		{Form: scoring.Cross, Tone: scoring.Goal, A: b, Text: "B"},
	}
	m.before = goals
	m.after = append(m.after, goals...)
	ends := result.Points("ends")
	if len(ends) != 2 {
		return m
	}
	// As the score does without order: each end belongs to the target with the smaller sum.
	if swapped := distance(ends[1], a)+distance(ends[0], b) < distance(ends[0], a)+distance(ends[1], b); swapped {
		ends[0], ends[1] = ends[1], ends[0]
	}
	for i, goal := range []scene.Point{a, b} {
		m.after = append(m.after, scoring.Mark{Form: scoring.Dot, Tone: scoring.StateAfter, A: ends[i]},
			gapMark(scoring.Bad, ends[i], goal))
	}
	return m
}

// gapMark returns the mark of the distance that remains between two points on the whiteboard, labelled in px.
func gapMark(tone scoring.Tone, from, to scene.Point) scoring.Mark {
	mark := scoring.Mark{Form: scoring.Gap, Tone: tone, A: from, B: to}
	if d := distance(from, to); d >= 0.5 { // less would read as 0 px
		mark.Text = fmt.Sprintf("%.0f px", d)
	}
	return mark
}

// marks returns the marks of the arrow test: the arrow's headings before and after the answer, with the
// angles that remain to the goal. points are those of the score.
func (rule arrowRule) marks(points []scene.Point, result *scoring.Result) (m marks) {
	const up = -math.Pi / 2 // the direction of an arrow without rotation
	centre, goal := points[0], points[1]
	want := math.Atan2(goal.Y-centre.Y, goal.X-centre.X)
	reach := distance(centre, goal)
	headingMarks := func(tone scoring.Tone, heading float64) []scoring.Mark {
		tip := scene.Point{X: centre.X + reach/2*math.Cos(heading), Y: centre.Y + reach/2*math.Sin(heading)}
		remaining := math.Abs(math.Remainder(want-heading, 2*math.Pi))
		return []scoring.Mark{
			{Form: scoring.Wedge, Tone: scoring.Bad, A: centre, R: reach / 4, From: heading, To: want,
				Text: fmt.Sprintf("%.1f°", remaining*180/math.Pi)},
			{Form: scoring.Gap, Tone: scoring.Goal, A: centre, B: goal},
			{Form: scoring.Dart, Tone: tone, A: centre, B: tip},
		}
	}
	m.before = headingMarks(scoring.StateBefore, rule.arrow.Rotation+up)
	turn, ok := result.Float("rotation")
	if !ok || result.Status == otherShape {
		turn = 0
	}
	m.after = headingMarks(scoring.StateAfter, rule.arrow.Rotation+turn+up)
	return m
}

// showBalance returns the function that makes the marks of the balance test: the frame, its centre,
// and the centres of mass before and after.
func showBalance(frame view.Box) func(*job, *scoring.Result) marks {
	return func(_ *job, result *scoring.Result) (m marks) {
		middle := scene.Point{X: frame.X + frame.W/2, Y: frame.Y + frame.H/2}
		common := []scoring.Mark{
			{Form: scoring.Box, Tone: scoring.Goal, A: scene.Point{X: frame.X, Y: frame.Y},
				B: scene.Point{X: frame.X + frame.W, Y: frame.Y + frame.H}},
			{Form: scoring.Cross, Tone: scoring.Goal, A: middle, Text: "centre"},
		}
		before, hasBefore := result.Point("com_before")
		if hasBefore {
			common = append(common, scoring.Mark{Form: scoring.Dot, Tone: scoring.StateBefore, A: before, Text: "before"})
		}
		m.before = common
		m.after = append(m.after, common...)
		if after, visible := result.Point("com_after"); visible {
			m.after = append(m.after, scoring.Mark{Form: scoring.Dot, Tone: scoring.StateAfter, A: after, Text: "after"},
				gapMark(scoring.StateAfter, after, middle))
			if hasBefore {
				m.after = append(m.after, scoring.Mark{Form: scoring.Dart, Tone: scoring.StateAfter, A: before, B: after})
			}
		}
		return m
	}
}

// setOf returns the shape ids of a list as a set.
func setOf(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}
