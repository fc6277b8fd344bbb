package construction

import (
	"math"
	"strconv"

	"plumb/render/jsontree"
	"plumb/scoring/pyjson"
	"plumb/scoring/tangram/field"
)

// Moved returns the last object in a tangram answer that has a final state as JSON, with the pieces
// moved by (dx, dy) for which moves(index) is true. Lengths are rounded to 1e-9. Exact coordinates
// stay exact and decimal ones decimal. Pieces whose vertices cannot be read stay as they are. ok is
// false if Read finds no answer.
func (r *Reader) Moved(text string, repair bool, moves func(piece int) bool, dx, dy float64) (answer []byte, ok bool) {
	if repair {
		text = Repair(text)
	}
	state, _ := r.findState(text)
	if state == nil {
		return nil, false
	}
	by := [2]field.Number{roundedShift(dx), roundedShift(dy)}
	b := []byte(`{"final_state":`)
	pieces := state.Get("pieces")
	if state.Kind != pyjson.Dict || pieces == nil {
		return append(r.appendPieces(b, state, moves, by), '}'), true
	}
	b = appendMembers(b, state, func(b []byte, key string, v *pyjson.Value) []byte {
		if key != "pieces" {
			return v.AppendJSON(b)
		}
		return r.appendPieces(b, pieces, moves, by)
	})
	return append(b, '}'), true
}

// roundedShift returns how far a tangram piece is moved along an axis as an exact number, rounded
// to 1e-9; 0 for a length that is not finite.
func roundedShift(d float64) field.Number {
	n, _, err := field.Parse(strconv.FormatFloat(math.Round(d*1e9)/1e9, 'f', -1, 64))
	if err != nil {
		return field.Int(0)
	}
	return n
}

// appendMembers appends an object of a tangram answer as JSON. appendValue appends the value of
// each member.
func appendMembers(b []byte, v *pyjson.Value, appendValue func(b []byte, key string, v *pyjson.Value) []byte) []byte {
	b = append(b, '{')
	for i, key := range v.Keys() {
		if i > 0 {
			b = append(b, ',')
		}
		b = jsontree.AppendString(b, key)
		b = append(b, ':')
		b = appendValue(b, key, &v.Items()[i])
	}
	return append(b, '}')
}

// appendPieces appends the list or object of a tangram answer's pieces as JSON. The pieces for
// whose index moves is true are moved.
func (r *Reader) appendPieces(b []byte, list *pyjson.Value, moves func(appendOne int) bool, by [2]field.Number) []byte {
	appendOne := func(b []byte, i int) []byte {
		v := &list.Items()[i]
		if v.Kind != pyjson.Dict || !moves(i) {
			return v.AppendJSON(b)
		}
		return r.appendPiece(b, v, by)
	}
	switch list.Kind {
	case pyjson.Dict:
		i := -1
		return appendMembers(b, list, func(b []byte, _ string, _ *pyjson.Value) []byte {
			i++
			return appendOne(b, i)
		})
	case pyjson.List:
		b = append(b, '[')
		for i := range list.Items() {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendOne(b, i)
		}
		return append(b, ']')
	}
	return list.AppendJSON(b)
}

// appendPiece appends a tangram piece as JSON with its vertices moved, or unchanged if they cannot
// be read.
func (r *Reader) appendPiece(b []byte, piece *pyjson.Value, by [2]field.Number) []byte {
	name, vertices := verticesOf(piece)
	if _, _, problem := r.readVertices(piece); problem != "" {
		return piece.AppendJSON(b)
	}
	return appendMembers(b, piece, func(b []byte, key string, piece *pyjson.Value) []byte {
		if key != name {
			return piece.AppendJSON(b)
		}
		b = append(b, '[')
		for i := range vertices.Items() {
			if i > 0 {
				b = append(b, ',')
			}
			x, y, _ := coordinates(&vertices.Items()[i])
			b = append(b, '[')
			b = appendCoordinate(b, x, by[0])
			b = append(b, ',')
			b = append(appendCoordinate(b, y, by[1]), ']')
		}
		return append(b, ']')
	})
}

// appendCoordinate appends a coordinate moved by d as a JSON string: exact ones in LaTeX,
// inexact ones with 12 decimals, unchanged if d is 0. The text must be readable.
func appendCoordinate(b []byte, text string, d field.Number) []byte {
	n, inexact, _ := field.Parse(text)
	switch {
	case d.Zero():
	case inexact:
		text = strconv.FormatFloat(n.Add(d).Float(), 'f', 12, 64)
	default:
		text = n.Add(d).LaTeX()
	}
	return jsontree.AppendString(b, text)
}
