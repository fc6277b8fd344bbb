package drawingbench

import (
	"fmt"
	"math"
	"strconv"

	"plumb/render/jsontree"
	"plumb/scoring"
	"plumb/scoring/drawingbench/replay"
	"plumb/scoring/pyjson"
)

// listPlaces returns an answer's list of mouse actions and where each of them draws on the canvas. It returns
// nil where the answer has no list, or crashes the published evaluator, a Python program, while it is read.
// The list is valid until reader is used again.
func (reader *reader) listPlaces(item *scoring.Item, variants scoring.Variants) (*pyjson.Value, []replay.Place) {
	result, err := reader.readAnswer(item, strictInput(variants))
	if err != nil || result.crash != "" || result.value.Kind != pyjson.List {
		return nil, nil
	}
	return &result.value, replay.Places(&result.value)
}

// placeName is the name of the i-th place of an answer.
func placeName(i int, p *replay.Place) string { return fmt.Sprintf("%d %s", i+1, p.Kind) }

// listParts lists the movable parts of a DrawingBench answer: each drag, dot and fill, in canvas
// px. It implements scoring.Suite.MovableParts.
func listParts(item *scoring.Item, variants scoring.Variants) (list []scoring.Part) {
	_, places := new(reader).listPlaces(item, variants)
	for i := range places {
		p := &places[i]
		if len(p.Actions) > 0 { // without actions that place it, no coordinate could be changed
			list = append(list, scoring.Part{Name: placeName(i, p), X: (p.Box[0] + p.Box[2]) / 2,
				Y: (p.Box[1] + p.Box[3]) / 2})
		}
	}
	return list
}

// moveParts returns a DrawingBench answer's list of mouse actions with the named part moved by (dx,
// dy), or all parts if part is "". Clicks on buttons stay. It implements scoring.Suite.MoveParts.
func moveParts(item *scoring.Item, variants scoring.Variants, part string, dx, dy float64) ([]byte, error) {
	// Which actions move.
	actions, places := new(reader).listPlaces(item, variants)
	moves := map[int]bool{}
	for i := range places {
		if part == "" || part == placeName(i, &places[i]) {
			for _, action := range places[i].Actions {
				moves[action] = true
			}
		}
	}
	if len(moves) == 0 {
		return nil, &scoring.Error{Code: "no_answer",
			Message: fmt.Sprintf("cannot move %.80q: the answer places nothing of that name", part)}
	}
	// The whole list again, with these moved.
	dst := []byte{'['}
	for i := range actions.Items() {
		if i > 0 {
			dst = append(dst, ',')
		}
		if a := &actions.Items()[i]; moves[i] {
			dst = appendMoved(dst, a, dx, dy)
		} else {
			dst = a.AppendJSON(dst)
		}
	}
	return append(dst, ']'), nil
}

// appendMoved appends a mouse action as JSON, with its coordinates moved by (dx, dy) px. Numeric
// strings become numbers, as the app reads them. Coordinates that are not numbers stay as they are.
func appendMoved(dst []byte, action *pyjson.Value, dx, dy float64) []byte {
	dst = append(dst, '{')
	for i, key := range action.Keys() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsontree.AppendString(dst, key), ':')
		value := &action.Items()[i]
		switch key {
		case "x":
			dst = appendShifted(dst, value, dx)
		case "y":
			dst = appendShifted(dst, value, dy)
		default:
			dst = value.AppendJSON(dst)
		}
	}
	return append(dst, '}')
}

// appendShifted appends a coordinate of a mouse action that is moved by d px. An integer stays an
// integer if d is whole. What is no finite number, and any value for d = 0, is appended as it is.
func appendShifted(dst []byte, value *pyjson.Value, d float64) []byte {
	number, isNumber := value.F, value.Kind == pyjson.Int || value.Kind == pyjson.Float
	if value.Kind == pyjson.Str {
		number, isNumber = pyjson.ParseASCIIFloat(value.S)
	}
	switch {
	case d == 0 || !isNumber || math.IsNaN(number) || math.IsInf(number, 0):
		return value.AppendJSON(dst)
	case value.Kind == pyjson.Int && d == math.Trunc(d):
		return strconv.AppendFloat(dst, number+d, 'f', -1, 64)
	}
	return scoring.AppendFloat(dst, number+d)
}
