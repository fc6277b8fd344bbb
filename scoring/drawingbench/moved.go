package drawingbench

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"plumb/render/jsontree"
	"plumb/scoring"
	"plumb/scoring/drawingbench/replay"
	"plumb/scoring/pyjson"
)

// places reads an answer's list of actions and what they place. The list is valid until r is used again.
func (r *reader) places(it *scoring.Item, v scoring.Variants) (*pyjson.Value, []replay.Place) {
	a, err := r.readAnswer(it, v[Input] == "strict")
	if err != nil || a.crash != "" || a.value.Kind != pyjson.List {
		return nil, nil
	}
	return &a.value, replay.Places(&a.value)
}

// placeName is the name of the i-th place of an answer.
func placeName(i int, p *replay.Place) string { return fmt.Sprintf("%d %s", i+1, p.Kind) }

// parts implements scoring.Suite.Parts: each drag, dot and fill, in canvas px.
func parts(it *scoring.Item, v scoring.Variants) (list []scoring.Part) {
	_, places := new(reader).places(it, v)
	for i := range places {
		p := &places[i]
		if len(p.Actions) > 0 {
			list = append(list, scoring.Part{Name: placeName(i, p), X: (p.Box[0] + p.Box[2]) / 2, Y: (p.Box[1] + p.Box[3]) / 2})
		}
	}
	return list
}

// moved implements scoring.Suite.Moved: it writes the list of actions anew, with other coordinates where they place what is
// moved. Clicks on buttons stay.
func moved(it *scoring.Item, v scoring.Variants, part string, dx, dy float64) ([]byte, error) {
	actions, places := new(reader).places(it, v)
	moves := map[int]bool{}
	for i := range places {
		if part == "" || part == placeName(i, &places[i]) {
			for _, at := range places[i].Actions {
				moves[at] = true
			}
		}
	}
	if len(moves) == 0 {
		return nil, &scoring.Error{Code: "no_answer", Message: fmt.Sprintf("cannot move %.80q: the answer places nothing of that name", part)}
	}
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

// appendMoved appends an action with other coordinates. Numeric strings become numbers, as the app reads them; what is no
// number stays.
func appendMoved(dst []byte, a *pyjson.Value, dx, dy float64) []byte {
	dst = append(dst, '{')
	for i, key := range a.Keys() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsontree.AppendString(dst, key), ':')
		v := &a.Items()[i]
		at := slices.Index([]string{"x", "y"}, key)
		if at < 0 {
			dst = v.AppendJSON(dst)
			continue
		}
		dst = appendShifted(dst, v, [2]float64{dx, dy}[at])
	}
	return append(dst, '}')
}

// appendShifted appends a coordinate that is moved by d. Whole numbers stay whole where d is.
func appendShifted(dst []byte, v *pyjson.Value, d float64) []byte {
	x, ok := v.F, v.Kind == pyjson.Int || v.Kind == pyjson.Float
	if v.Kind == pyjson.Str {
		x, ok = pyjson.ParseFloat(v.S)
	}
	switch {
	case d == 0 || !ok || math.IsNaN(x) || math.IsInf(x, 0):
		return v.AppendJSON(dst)
	case v.Kind == pyjson.Int && d == math.Trunc(d):
		return strconv.AppendFloat(dst, x+d, 'f', -1, 64)
	}
	return scoring.AppendFloat(dst, x+d)
}
