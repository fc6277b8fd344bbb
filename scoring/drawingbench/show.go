package drawingbench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"strconv"

	"plumb/render/scene"
	"plumb/scoring"
	"plumb/scoring/drawingbench/parse"
	"plumb/scoring/drawingbench/replay"
	"plumb/scoring/pyjson"
)

// Limits of what a report shows of an answer: elements that are marked in the picture, and
// actions that are listed.
const (
	maxMarked = 40
	maxListed = 500
)

// Show implements scoring.Shower. It shows the canvas after the last action, the same with
// numbered elements, the actions, the evaluation and the feedback.
func (j *job) Show(r *scoring.Result) scoring.Exhibit {
	var e scoring.Exhibit
	var reader pyjson.Reader
	v, how, _ := parse.Extract(&reader, j.answer.text)
	if j.answer.text != "" && how != parse.None {
		e.Panels = j.panels(&v)
		e.Texts = append(e.Texts, scoring.Text{Title: "actions", Body: listActions(&v)})
	}
	for _, f := range r.Fields {
		switch text := f.Value.(type) {
		case string:
			if f.Name == "feedback_text" {
				e.Texts = append(e.Texts, scoring.Text{Title: "feedback", Body: text})
			}
		case scoring.JSON:
			var b bytes.Buffer
			if f.Name == "evaluation" && json.Indent(&b, text, "", "  ") == nil {
				e.Texts = append(e.Texts, scoring.Text{Title: "evaluation", Body: b.String()})
			}
		}
	}
	return e
}

// panels returns two pictures for a report: the canvas, and the canvas with numbered elements.
// The second is left out where there is no element.
func (j *job) panels(v *pyjson.Value) []scoring.Panel {
	d := replay.New()
	d.Most = j.suite.MaxPaint
	p := d.Draw(v)
	img := p.Canvas.Image()
	show := func() (*image.NRGBA, error) { return img, nil }
	title := "canvas"
	if p.Limited {
		title = "canvas, as far as it was drawn: the limit " + FlagPaint + " ended it"
	}
	list := []scoring.Panel{{Title: title, Image: show}}
	marks, changed := markElements(p.Elements)
	if len(marks) > 0 {
		list = append(list, scoring.Panel{Title: fmt.Sprintf("what was drawn: %d of %d elements changed a pixel", changed, len(p.Elements)),
			Image: show, Marks: marks})
	}
	return list
}

// markElements returns numbered marks for the first maxMarked elements of a drawing, and how
// many of all elements changed a pixel. One that changed none is marked as bad.
func markElements(list []replay.Element) (marks []scoring.Mark, changed int) {
	for i := range list {
		e := &list[i]
		if e.Painted.Changed > 0 {
			changed++
		}
		if i >= maxMarked {
			continue
		}
		m := scoring.Mark{Form: scoring.Box, Tone: scoring.Is, A: scene.Point{X: e.Box[0], Y: e.Box[1]}, B: scene.Point{X: e.Box[2], Y: e.Box[3]},
			Text: strconv.Itoa(i + 1)}
		if e.Box[0] == e.Box[2] && e.Box[1] == e.Box[3] {
			m.Form = scoring.Dot
		}
		if e.Painted.Changed == 0 {
			m.Tone = scoring.Bad
		}
		marks = append(marks, m)
	}
	return marks, changed
}

// listActions prints an answer's actions for a report, one a line.
func listActions(v *pyjson.Value) string {
	if v.Kind != pyjson.List {
		return "not a list: " + string(v.AppendRepr(nil))
	}
	var b []byte
	for i := range v.Items() {
		if i == maxListed {
			b = fmt.Appendf(b, "and %d more", len(v.Items())-i)
			break
		}
		a := &v.Items()[i]
		b = fmt.Appendf(b, "%4d  ", i)
		name := a.Get("action")
		if name == nil {
			b = append(a.AppendRepr(b), '\n')
			continue
		}
		b = name.AppendText(b)
		x, y := a.Get("x"), a.Get("y")
		if x != nil || y != nil {
			b = append(appendCoordinate(append(b, ' ', '('), x), ", "...)
			b = append(appendCoordinate(b, y), ')')
		}
		b = append(b, '\n')
	}
	return string(b)
}

// appendCoordinate appends a coordinate of an action as it was written, - for one that is absent.
func appendCoordinate(b []byte, v *pyjson.Value) []byte {
	if v == nil {
		return append(b, '-')
	}
	return v.AppendRepr(b)
}
