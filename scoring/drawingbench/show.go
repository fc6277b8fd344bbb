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
	"plumb/scoring/drawingbench/session"
	"plumb/scoring/pyjson"
)

// maxMarked is how many elements a picture has marks for, and maxListed how many
// actions are listed: more is not read by anybody.
const (
	maxMarked = 40
	maxListed = 500
)

// Show implements scoring.Shower: the canvas at the end, the same with what was
// drawn numbered, the actions, the evaluation and what the model was told.
func (j *job) Show(r *scoring.Result) scoring.Exhibit {
	var e scoring.Exhibit
	var reader pyjson.Reader
	v, how, _ := parse.Extract(&reader, j.source)
	if j.source != "" && how != parse.None {
		e.Panels = j.panels(&v)
		e.Texts = append(e.Texts, scoring.Text{Title: "actions", Body: listed(&v)})
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

// panels draws the answer once for both.
func (j *job) panels(v *pyjson.Value) []scoring.Panel {
	d := replay.New()
	d.Most = j.suite.paint
	p := d.Draw(v)
	img := p.Canvas.Image()
	show := func() (*image.NRGBA, error) { return img, nil }
	title := "canvas"
	if p.Limited {
		title = "canvas, as far as it was drawn: the limit " + FlagPaint + " ended it"
	}
	list := []scoring.Panel{{Title: title, Image: show}}
	if marks := marked(p.Elements); len(marks) > 0 {
		list = append(list, scoring.Panel{Title: fmt.Sprintf("what was drawn: %d of %d elements changed a pixel", changed(p.Elements), len(p.Elements)),
			Image: show, Marks: marks})
	}
	return list
}

func changed(list []session.Element) (n int) {
	for i := range list {
		if list[i].Painted.Changed > 0 {
			n++
		}
	}
	return n
}

// marked numbers what was drawn; what left no trace is marked as missed.
func marked(list []session.Element) (out []scoring.Mark) {
	for i := range list {
		if i == maxMarked {
			break
		}
		e := &list[i]
		m := scoring.Mark{Form: scoring.Box, Tone: scoring.Is, A: scene.Point{X: e.Box[0], Y: e.Box[1]}, B: scene.Point{X: e.Box[2], Y: e.Box[3]},
			Text: strconv.Itoa(i + 1)}
		if e.Box[0] == e.Box[2] && e.Box[1] == e.Box[3] {
			m.Form = scoring.Dot
		}
		if e.Painted.Changed == 0 {
			m.Tone = scoring.Bad
		}
		out = append(out, m)
	}
	return out
}

// listed is one action per line.
func listed(v *pyjson.Value) string {
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
		if x, y := a.Get("x"), a.Get("y"); x != nil || y != nil {
			b = append(coordinate(append(b, ' ', '('), x), ", "...)
			b = append(coordinate(b, y), ')')
		}
		b = append(b, '\n')
	}
	return string(b)
}

func coordinate(b []byte, v *pyjson.Value) []byte {
	if v == nil {
		return append(b, '-')
	}
	return v.AppendRepr(b)
}
