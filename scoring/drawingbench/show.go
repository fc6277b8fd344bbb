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
	"plumb/scoring/plural"
	"plumb/scoring/pyjson"
)

// Limits of what a report shows of an answer: elements that are marked in the picture, and
// actions that are listed.
const (
	maxMarked = 40
	maxListed = 500
)

// Show returns what explains the score of a DrawingBench answer: the canvas after the last action,
// the same with numbered elements, then the actions, the evaluation and the feedback as text. It
// reads the answer again, as readAnswer did, because its memory is released after Score. An answer that
// could not be read has no canvas and no actions. It implements scoring.Shower.
func (j *job) Show(result *scoring.Result) scoring.Exhibit {
	var exhibit scoring.Exhibit
	var reader pyjson.Reader
	again := readResult{text: j.answer.text, isText: j.answer.isText}
	err := again.parse(&reader, strictInput(j.variants))
	if err == nil && again.text != "" && again.readAs != parse.None {
		exhibit.Panels = j.panels(&again.value)
		exhibit.Texts = append(exhibit.Texts, scoring.Text{Title: "actions", Body: listActions(&again.value)})
	}
	for _, field := range result.Fields {
		switch text := field.Value.(type) {
		case string:
			if field.Name == "feedback_text" {
				exhibit.Texts = append(exhibit.Texts, scoring.Text{Title: "feedback", Body: text})
			}
		case scoring.JSON:
			var indented bytes.Buffer
			if field.Name == "evaluation" && json.Indent(&indented, text, "", "  ") == nil {
				exhibit.Texts = append(exhibit.Texts, scoring.Text{Title: "evaluation", Body: indented.String()})
			}
		}
	}
	return exhibit
}

// panels returns two pictures for a report, the canvas and the canvas with numbered
// elements; only the first if there are no elements. A title says if the limit ended the
// drawing.
func (j *job) panels(actions *pyjson.Value) []scoring.Panel {
	drawer := replay.New()
	drawer.MaxWrites = j.suite.MaxPaint
	picture := drawer.Draw(actions)
	img := picture.Canvas.Image()
	show := func() (*image.NRGBA, error) { return img, nil }
	title := "canvas"
	if picture.Limited {
		title = "canvas, as far as it was drawn: the limit " + FlagPaint + " ended it"
	}
	list := []scoring.Panel{{Title: title, Image: show}}
	marks, changed := markElements(picture.Elements)
	if len(marks) > 0 {
		list = append(list, scoring.Panel{Title: fmt.Sprintf("what was drawn: %d of %s changed a pixel",
			changed, plural.Of(len(picture.Elements), "element")),
			Image: show, Marks: marks}) // the same picture; the report draws the marks over it
	}
	return list
}

// markElements returns numbered marks for the first maxMarked elements that the mouse actions drew,
// and how many of all elements changed a pixel. An element that changed none is marked as bad; one
// without extent is marked as a dot.
func markElements(list []replay.Element) (marks []scoring.Mark, changed int) {
	for i := range list {
		element := &list[i]
		if element.Painted.Changed > 0 {
			changed++
		}
		if i >= maxMarked {
			continue
		}
		left, top, right, bottom := element.Box[0], element.Box[1], element.Box[2], element.Box[3]
		mark := scoring.Mark{Form: scoring.Box, Tone: scoring.StateAfter, // what the answer drew
			A: scene.Point{X: left, Y: top}, B: scene.Point{X: right, Y: bottom},
			Text: strconv.Itoa(i + 1)}
		if mark.A == mark.B {
			mark.Form = scoring.Dot
		}
		if element.Painted.Changed == 0 {
			mark.Tone = scoring.Bad
		}
		marks = append(marks, mark)
	}
	return marks, changed
}

// listActions returns the mouse actions of an answer as text for people, one action a line with its
// number and coordinates, at most maxListed.
func listActions(actions *pyjson.Value) string {
	if actions.Kind != pyjson.List {
		return "not a list: " + string(actions.AppendRepr(nil))
	}
	var text []byte
	for i := range actions.Items() {
		if i == maxListed {
			text = fmt.Appendf(text, "and %d more", len(actions.Items())-i)
			break
		}
		// Its number, its name and its point. An element without a name is written as it is.
		action := &actions.Items()[i]
		text = fmt.Appendf(text, "%4d  ", i)
		name := action.Get("action")
		if name == nil {
			text = append(action.AppendRepr(text), '\n')
			continue
		}
		text = name.AppendText(text)
		x, y := action.Get("x"), action.Get("y")
		if x != nil || y != nil {
			text = append(text, ' ', '(')
			text = appendCoordinate(text, x)
			text = append(text, ", "...)
			text = append(appendCoordinate(text, y), ')')
		}
		text = append(text, '\n')
	}
	return string(text)
}

// appendCoordinate appends a coordinate of a mouse action as it was written, or - for one that is
// absent.
func appendCoordinate(dst []byte, value *pyjson.Value) []byte {
	if value == nil {
		return append(dst, '-')
	}
	return value.AppendRepr(dst)
}
